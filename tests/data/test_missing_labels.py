"""A label that says that there is none makes no class, whatever says it."""

import numpy as np
import pandas as pd
import pytest

import gauda

X = np.array([[0, 1], [1, 0], [1, 1], [0, 0], [1, 0], [0, 1]])
DAYS = np.array(["2020-01-01", "2020-01-01", "2020-01-02", "2020-01-02", "NaT", "NaT"], "M8[D]")
NANOSECONDS = DAYS.astype("M8[ns]")
LABELS = {
    "days": DAYS,
    "nanoseconds": NANOSECONDS,
    "durations": DAYS - DAYS[0],
    "swapped": DAYS.astype(">M8[D]"),
    "series of days": pd.Series(NANOSECONDS),
    "series of text": pd.Series(["a", "a", "b", "b", None, None]),
    "series of categories": pd.Series(["a", "a", "b", "b", None, None], dtype="category"),
    "floats": np.array([0, 0, 1, 1, np.nan, np.nan]),
    "list of text with NaN": ["a", "a", "b", "b", np.nan, np.nan],
    "list of text with None": ["a", "a", "b", "b", None, None],
    "tuple of text with NaN": ("a", "a", "b", "b", float("nan"), float("nan")),
    **{
        f"{kind} with {missing!r}": np.array([*labels, missing, missing], dtype=object)
        for missing in (None, np.nan, pd.NA, pd.NaT, np.datetime64("NaT"))
        for kind, labels in {
            "text": ["a", "a", "b", "b"],
            "integers": [1, 1, 2, 2],
            "timestamps": [pd.Timestamp("2020-01-01")] * 2 + [pd.Timestamp("2021-01-01")] * 2,
        }.items()
    },
}
ESTIMATORS = [
    gauda.LDA(),
    gauda.QDA(reg_param=0.5),
    gauda.RDA(alpha=0.5, gamma=0.5),
    gauda.GaussianNB(),
    gauda.BernoulliNB(),
    gauda.CategoricalNB(),
    gauda.MixedNB(),
]
NAMES = [type(estimator).__name__ for estimator in ESTIMATORS]
GIVEN = [np.append(DAYS[1:3], np.datetime64("NaT")), [0.0, 1.0, np.nan], ["a", "b", None]]
GIVEN += [np.array(["a", "b", missing], dtype=object) for missing in (pd.NA, pd.NaT, np.nan)]

REFUSED = "Input y contains NaN: the label of row 4 is missing"


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
@pytest.mark.parametrize("kind", LABELS)
def test_missing_label_is_no_class(estimator, kind):
    with pytest.raises(ValueError, match=REFUSED):
        estimator.fit(X, LABELS[kind])


@pytest.mark.parametrize("kind", LABELS)
def test_missing_label_has_no_statistics(kind):
    with pytest.raises(ValueError, match=REFUSED):
        gauda.Moments.from_data(X, LABELS[kind])
    with pytest.raises(ValueError, match=REFUSED):
        gauda.Counts.from_data(X, LABELS[kind], kind="bernoulli")


@pytest.mark.parametrize("kind", ["days", "durations", "nanoseconds"])
def test_missing_label_ends_a_stream(kind):
    batches = [(X[:2].astype(float), LABELS[kind][:2]), (X[2:].astype(float), LABELS[kind][2:])]
    with pytest.raises(ValueError, match="label of row"):
        gauda.GaussianNB().fit_stream(batches)


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if hasattr(e, "partial_fit")])
@pytest.mark.parametrize("classes", GIVEN)
def test_missing_label_is_none_of_the_classes_given(estimator, classes):
    y = DAYS[:4] if isinstance(classes, np.ndarray) and classes.dtype.kind == "M" else list("aabb")
    with pytest.raises(ValueError, match="missing"):
        estimator.partial_fit(X[:4], y, classes=classes)


@pytest.mark.parametrize("classes", [GIVEN[0], GIVEN[0] - DAYS[0]])
def test_missing_label_has_no_parameters(classes):
    with pytest.raises(ValueError, match="NaT cannot be a label"):
        gauda.GaussianNB.from_parameters(np.eye(3), np.ones((3, 3)), classes=classes)
    with pytest.raises(ValueError, match="NaT cannot be a label"):
        gauda.Moments.from_data(X[:4], classes[:2].repeat(2), classes=classes)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
def test_days_are_classes(estimator):
    y = DAYS[[0, 1, 2, 3, 0, 2]]
    np.testing.assert_array_equal(estimator.fit(X, y).classes_, DAYS[[0, 2]])
