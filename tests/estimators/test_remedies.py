"""Errors advise what works on the very rows, with parameters that the estimator has, best first."""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import gauda
from gauda import (
    LDA,
    QDA,
    BernoulliNB,
    CategoricalNB,
    GaussianNB,
    MixedNB,
    RegularizedDiscriminantAnalysis,
    RegularizedDiscriminantAnalysisCV,
)

RDA = RegularizedDiscriminantAnalysis
NAMED = {
    "LinearDiscriminantAnalysis": LDA,
    "QuadraticDiscriminantAnalysis": QDA,
    "RegularizedDiscriminantAnalysis": RDA,
    "RegularizedDiscriminantAnalysisCV": RegularizedDiscriminantAnalysisCV,
    "GaussianNB": GaussianNB,
}


def blobs(sizes, d, unit=1.0):
    y = np.repeat(np.arange(len(sizes)), sizes)
    return (np.random.default_rng(len(y) + d).normal(size=(len(y), d)) + y[:, None]) * unit, y


def spoiled(spoil, *, everywhere=False, unit=1.0):
    X, y = blobs([60, 50, 30], 4, unit)
    rows = np.ones(len(y), bool) if everywhere else y == 2
    spoil(X, rows)
    return X, y


def make_constant(X, rows):
    X[rows, 1] = 3.0


def make_equal(X, rows):
    X[rows, 1] = X[rows, 0]


def make_one(X, rows):
    X[rows] = X[rows][0]


CASES = {
    "5 rows in 20 columns": blobs([60, 60, 5], 20),
    "as many rows as columns": blobs([60, 60, 6], 6),
    "two rows": blobs([60, 60, 2], 4),
    "one row": blobs([60, 60, 1], 4),
    "one row, few others": blobs([4, 4, 1], 6),
    "few rows everywhere": blobs([4, 5, 4], 20),
    "few and one constant": blobs([60, 30, 5], 8),
    "constant in a class": spoiled(make_constant),
    "constant": spoiled(make_constant, everywhere=True),
    "equal in a class": spoiled(make_equal),
    "equal": spoiled(make_equal, everywhere=True),
    "equal, large units": spoiled(make_equal, everywhere=True, unit=1e9),
    "equal, small units": spoiled(make_equal, everywhere=True, unit=1e-9),
    "rows of a class equal": spoiled(make_one),
}
CASES["few and one constant"][0][:, 2] = 1.0
WEIGHTS = {"weights": lambda y: np.arange(len(y)) % 3 + 0.51, "no weights": lambda _: None}
MODELS = {
    "qda": QDA(),
    "qda, a little": QDA(reg_param=1e-12),
    "qda, eigen": QDA(solver="eigen"),
    "qda, eigen, a little": QDA(solver="eigen", shrinkage=1e-14),
    "qda, auto": QDA(solver="eigen", shrinkage="auto"),
    "qda, prior": QDA(conjugate_prior="empirical"),
    "qda, unbiased": QDA(unbiased=True),
    "rda": RDA(),
    "rda, alpha": RDA(alpha=0.5),
    "rda, gamma": RDA(gamma=0.1),
    "rda, diagonal": RDA(gamma=0.1, target="diagonal"),
    "rda, full": RDA(covariance="full"),
    "rda, naive": RDA(gamma=1, target="diagonal"),
    "rda, diag": RDA(covariance="diag"),
    "rda, spherical": RDA(covariance="spherical"),
    "rda, oas": RDA(shrinkage="oas"),
    "rda, ledoit_wolf": RDA(shrinkage="ledoit_wolf"),
    "lda": LDA(),
    "lda, eigen": LDA(solver="eigen"),
    "lda, lsqr": LDA(solver="lsqr"),
    "nb": GaussianNB(),
    "nb, rough": GaussianNB(var_smoothing=0),
}


def refusal(call):
    """Return the message of an error, if there is one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call()
        except ValueError as error:
            return str(error)
    return None


def parameters_in(text):
    """Return parameters written as in Python."""
    pairs = re.findall(r"(\w+)=('\w+'|None|[\d.e-]*\d)", text)
    values = {"None": None}
    return {
        name: values.get(value, value.strip("'") if value[0] == "'" else None)
        if not value[0].isdigit()
        else float(value)
        for name, value in pairs
    }


def remedies_in(message, model):
    """Yield the models that a message advises instead of this one."""
    advice = re.split(r"What helps, best first: |Use |or use |variances with ", message)[-1]
    for part in re.split(r"; or |; |, or ", advice):
        name = re.match(r"\w+", part)[0]
        if name in NAMED:
            yield part, NAMED[name](**parameters_in(part))
        elif given := parameters_in(part):
            params = model.get_params()
            assert set(given) <= set(params), f"{part!r} is no parameter of {model}"
            assert any(params[key] != value for key, value in given.items()), f"{part!r}: followed"
            yield part, type(model)(**params | given)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", MODELS)
def test_each_remedy_for_a_singular_covariance_fits_the_very_rows(name, case, weights):
    X, y = CASES[case]
    given = WEIGHTS[weights](y)
    model = MODELS[name]
    message = refusal(lambda: model.fit(X, y, sample_weight=given))
    if message is None or "Nothing varies" in message:
        return
    found = list(remedies_in(message, model))
    assert found, message
    for text, other in found:
        again = refusal(lambda other=other: other.fit(X, y, sample_weight=given).predict(X))
        assert again is None, f"{text}: {again}"


def test_best_remedies_of_a_small_class_come_first():
    X, y = CASES["5 rows in 20 columns"]
    message = refusal(lambda: QDA().fit(X, y))
    order = [
        "conjugate_prior='empirical'",
        "RegularizedDiscriminantAnalysis",
        "LinearDiscriminant",
        "GaussianNB",
    ]
    assert sorted(order, key=message.index) == order
    assert "5 rows, 20 columns, rank 4; too few rows" in message
    assert "dependent" not in message


@pytest.mark.parametrize(
    "model", [QDA, RDA, gauda.LDA, gauda.GaussianNB, gauda.RegularizedDiscriminantAnalysisCV]
)
@pytest.mark.parametrize("case", ["singular class", "NaN"])
def test_advice_does_not_depend_on_the_name_of_the_class(model, case):
    X, y = CASES["5 rows in 20 columns"]
    if case == "NaN":
        X = np.where(np.arange(X.size).reshape(X.shape) == 7, np.nan, X)
    class_ = type("Mine", (model,), {"__module__": __name__})
    told, again = refusal(lambda: model().fit(X, y)), refusal(lambda: class_().fit(X, y))
    assert again == (
        told if told is None else told.replace(f"{model.__name__} takes", "Mine takes")
    )


def test_class_of_one_row_gets_a_remedy_after_scikit_learns_words():
    X, y = CASES["one row"]
    message = refusal(lambda: QDA().fit(X, y))
    words = "y has only 1 sample in class 2, covariance is ill defined. What helps, best first: "
    assert message.startswith(words)


def test_weights_are_no_rows_and_pseudo_rows_of_a_prior_are_left_out():
    X, y = CASES["equal"]
    weighted = refusal(lambda: QDA().fit(X, y, sample_weight=np.full(len(y), 1.0002)))
    assert "It has weight 60.012, 4 columns" in weighted
    assert "It has 60 rows, 4 columns" in refusal(
        lambda: QDA(conjugate_prior="empirical").fit(X, y)
    )
    assert "It has 120 rows, 4 columns" in refusal(
        lambda: QDA().fit(X, y, sample_weight=np.full(len(y), 2.0))
    )


@pytest.mark.parametrize("model", [QDA(), RDA(), RDA(covariance="diag"), LDA(solver="eigen")])
def test_nothing_that_varies_is_said_to_be_so(model):
    y = np.arange(30) % 3
    X = np.repeat(y[:, np.newaxis], 4, axis=1).astype(float)
    message = refusal(lambda: model.fit(X, y))
    assert "Nothing varies within the classes, as with one sample in each: give more" in message


# Overflow is no lack of rank


@pytest.mark.parametrize("size", [1e152, 3e152, 1e153, 1.5e153, 2e153])
@pytest.mark.parametrize("d", [3, 30])
@pytest.mark.parametrize("name", [name for name in MODELS if "little" not in name])
def test_columns_too_large_are_not_said_to_be_dependent(name, d, size):
    X, y = blobs([70, 70, 70], d)
    message = refusal(lambda: MODELS[name].fit(X * size, y))
    assert message is None or "too large" in message


@pytest.mark.parametrize("size", [1e152, 1e153, 1.5e153, 2e153])
@pytest.mark.parametrize("cv", [3, "loo"])
def test_grid_of_columns_too_large_is_not_said_to_be_singular(size, cv):
    X, y = blobs([20, 20, 20], 3)
    model = RegularizedDiscriminantAnalysisCV([0, 0.5, 1], [0, 0.5], cv=cv)
    message = refusal(lambda: model.fit(X * size, y))
    assert message is None or "too large" in message


SCORES = [
    "predict",
    "predict_proba",
    "predict_log_proba",
    "predict_joint_log_proba",
    "score_samples",
]


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("method", SCORES)
@pytest.mark.parametrize("value", [1e160, 1e200, -1e300])
def test_mixed_row_far_out_is_said_to_be_far_out(value, method, alpha):
    rows = [[0.5, "a"], [1.5, "b"], [5.0, "c"], [7.0, "c"]]
    model = MixedNB(alpha=alpha).fit(np.array(rows, dtype=object), [0, 0, 1, 1])
    far = np.array([rows[0], [value, "a"]], dtype=object)
    with pytest.raises(ValueError, match=r"Row 1 of X is so far from the classes.*units\.$"):
        getattr(model, method)(far)


def test_mixed_row_that_is_impossible_by_its_levels_is_said_to_be_so():
    rows = np.array([[0.5, "a", "x"], [1.5, "a", "x"], [5.0, "c", "y"], [7.0, "c", "y"]], object)
    model = MixedNB(alpha=0).fit(rows, [0, 0, 1, 1])
    for value in (0.5, 1e200):
        odd = np.array([[value, "a", "y"]], dtype=object)
        with pytest.raises(ValueError, match=r"probability 0 in every class.*alpha > 0"):
            model.predict_proba(odd)
        assert model.score_samples(odd).tolist() == [-np.inf]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (BernoulliNB(alpha=0), "Smooth the probabilities with alpha > 0."),
        (
            BernoulliNB(prior_a=1, prior_b=1),
            "Smooth the probabilities with prior_a and prior_b > 1",
        ),
        (CategoricalNB(alpha=0), "Smooth the probabilities with alpha > 0."),
        (CategoricalNB(prior_a=1), "Smooth the probabilities with prior_a > 1."),
    ],
)
def test_impossible_row_is_smoothed_by_the_parameter_that_does(model, words):
    model.fit([[0, 1], [0, 1], [1, 0], [1, 0]], [0, 0, 1, 1])
    assert words in refusal(lambda: model.predict_proba([[0, 0]]))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("model", [QDA(), LDA(), GaussianNB(), RDA(alpha=0.5)])
def test_only_rows_of_single_precision_are_told_of_double(model, dtype):
    X, y = blobs([30, 30], 3)
    model.fit(X, y)
    far = X.astype(dtype)
    far[2] = 1e30 if dtype == "f4" else 1e200
    message = refusal(lambda: model.score_samples(far))
    assert "Row 2 of X is so far" in message
    assert ("pass X as float64" in message) == (dtype == "f4")


# Densities and rows left out


@pytest.mark.parametrize("target", ["spherical", "diagonal", "identity"])
@pytest.mark.parametrize(
    "make", [lambda _: LDA(), lambda _: LDA(solver="lsqr"), lambda t: RDA(alpha=1, target=t)]
)
def test_remedy_for_the_lack_of_a_density_gives_one(make, target):
    X, y = CASES["equal"]
    model = make(target)
    message = refusal(lambda: model.fit(X, y).score_samples(X))
    remedies = list(remedies_in(message, model))
    assert remedies
    for _, other in remedies:
        assert np.isfinite(other.fit(X, y).score_samples(X)).all()


def test_covariance_tied_gets_a_density_by_its_remedy():
    X, y = CASES["equal"]
    model = RDA(covariance="tied")
    ((_, other),) = remedies_in(refusal(lambda: model.fit(X, y).score_samples(X)), model)
    assert np.isfinite(other.fit(X, y).score_samples(X)).all()


# Missing values: advice that is followed is not given again

GAP = blobs([30, 30], 3)
GAP[0][4, 1] = np.nan
AWARE = [QDA, LDA, RDA, GaussianNB]
CALLS = {
    "partial_fit": lambda model: model.partial_fit(*GAP, classes=[0, 1]),
    "fit_stream": lambda model: model.fit_stream([GAP]),
}


@pytest.mark.parametrize("missing", ["raise", "marginalize"])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("model", AWARE)
def test_advice_to_marginalize_is_given_once(model, call, missing):
    message = refusal(lambda: CALLS[call](model(missing=missing)))
    if missing == "marginalize" and (model is GaussianNB or call == "fit_stream"):
        assert message is None  # sums of columns leave gaps out; EM reads a list again
        return
    assert "NaN at row 4, column 1" in message
    assert ("Or use missing='marginalize'" in message) == (missing == "raise")
    if missing == "marginalize":
        assert "Call fit or fit_stream" in message
        assert refusal(lambda: model(missing=missing).fit(*GAP)) is None


def test_left_out_row_and_projection_do_not_advise_what_is_set():
    model = LDA(missing="marginalize").fit(np.nan_to_num(GAP[0]), GAP[1])
    for call in (lambda: model.transform(GAP[0]), lambda: model.loo_log_proba(*GAP)):
        assert "Or use missing" not in refusal(call)


# A column of text is named

TEXT = [[0.5, "Oslo"], [1.5, "Rome"], [2.5, "Oslo"], [3.5, "Rome"]]
LABELS = [0, 0, 1, 1]


def tables():
    columns = {"x": [row[0] for row in TEXT], "city": [row[1] for row in TEXT]}
    frame = pd.DataFrame(columns)
    return {
        "pandas": (frame, "'city'"),
        "objects of pandas": (frame.astype({"city": object}), "'city'"),
        "categories of pandas": (frame.astype({"city": "category"}), "'city'"),
        "polars": (pl.DataFrame(columns), "'city'"),
        "categories of polars": (
            pl.DataFrame(columns).with_columns(pl.col("city").cast(pl.Categorical)),
            "'city'",
        ),
        "pyarrow": (pa.table(columns), "'city'"),
        "dictionary of pyarrow": (
            pa.table({**columns, "city": pa.array(columns["city"]).dictionary_encode()}),
            "'city'",
        ),
        "objects": (np.array(TEXT, dtype=object), "1"),
        "text": (np.array([["0", "Oslo"], ["1", "Rome"]] * 2), "1"),
        "lists": (TEXT, "1"),
    }


TABLES = tables()
NUMBERS = np.random.default_rng(0).normal(size=(4, 2))
USES = {
    **{f"fit {m.__name__}": (lambda X, m=m: m().fit(X, LABELS)) for m in AWARE},
    "partial_fit": lambda X: GaussianNB().partial_fit(X, LABELS, classes=[0, 1]),
    "predict": lambda X: GaussianNB().fit(NUMBERS, LABELS).predict(X),
    "moments": lambda X: gauda.Moments.from_data(X, LABELS),
    "pairs": lambda X: GaussianNB().fit_stream([(X, LABELS)]),
}


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("kind", TABLES)
def test_column_of_text_is_named_with_an_entry_and_the_way_out(kind, use):
    X, column = TABLES[kind]
    with pytest.raises(
        ValueError, match=f"^Column {column} of X holds text, such as 'Oslo' at row 0"
    ) as told:
        USES[use](X)
    for way in ["MixedNB", "OneHotEncoder", "OrdinalEncoder"]:
        assert way in str(told.value)
    assert MixedNB().fit(X, LABELS).predict(X).tolist() is not None


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_column_of_times_is_named(kind):
    columns = {"x": [1.0, 2.0], "when": pd.date_range("2026", periods=2).to_pydatetime().tolist()}
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[kind]
    with pytest.raises(TypeError, match=r"Column 'when' of X holds times, such as .* at row 0"):
        gauda.Moments.from_data(make(columns), [0, 1])


@pytest.mark.parametrize("kind", [LDA, QDA])
def test_shrinkage_that_a_solver_lacks_names_those_that_have_it(kind):
    X, y = blobs([60, 50, 30], 4)
    with pytest.raises(NotImplementedError, match="shrinkage not supported with 'svd'") as raised:
        kind(shrinkage=0.1).fit(X, y)
    solvers = re.findall(r"solver='(\w+)'", str(raised.value))
    assert solvers
    for solver in solvers:
        kind(shrinkage=0.1, solver=solver).fit(X, y)


@pytest.mark.parametrize("model", [CategoricalNB(), MixedNB(missing="raise")])
def test_a_missing_category_is_not_said_to_be_infinite(model):
    table = pd.DataFrame({"city": ["Oslo", "Rome", None, "Oslo"]})
    with pytest.raises(ValueError, match="at row 2, column 'city'") as raised:
        model.fit(table, list("aabb"))
    assert "takes rows without missing values only" in str(raised.value)
    assert "finite" not in str(raised.value)


def test_infinity_is_not_said_to_be_missing():
    with pytest.raises(ValueError, match="takes finite values only") as raised:
        QDA().fit([[0.0], [np.inf], [1.0], [2.0]], list("aabb"))
    assert "missing" not in str(raised.value)
