"""Bad input gets a clear error: of scikit-learn's type, in its words or with more to go by.

Where scikit-learn answers NaN or infinity without a word, gauda refuses.
"""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from peers import is_lacking, reason, theirs
from sklearn.exceptions import NotFittedError
from support import DENSITIES, MODELS, SCORES, ours, outcome

LDA, QDA, NB = MODELS
CODES = np.arange(90) % 3
X = np.random.default_rng(21).normal(size=(90, 4)) + 2 * np.eye(3, 4)[CODES]
NAMES = ["Sepal Length", "sepal width", "Petal Length", "petal width"]
INSECTS = np.array(["ant", "bee", "cicada"])[CODES]
METHODS = {
    LDA: [*SCORES, "predict", "decision_function", "transform"],
    QDA: [*SCORES, "predict", "decision_function"],
    NB: [*SCORES, "predict"],
}
EACH_METHOD = [(name, method) for name in MODELS for method in METHODS[name]]


@pytest.fixture(params=MODELS)
def name(request):
    return request.param


def spoiled(row, column, value, dtype="f8"):
    data = X.astype(dtype)
    data[row, column] = value
    return data


# Shapes and types: scikit-learn's words

NOT_A_TABLE = {
    "no rows": (X[:0], CODES[:0]),
    "no columns": (X[:, :0], CODES),
    "one dimension": (X[:, 0], CODES),
    "three dimensions": (X[None], CODES),
    "a number": (np.float64(3), CODES),
    "complex": (X + 1j, CODES),
    "matrix": (X.view(np.matrix), CODES),
    "ragged lists": ([[1.0, 2.0], [3.0]], [0, 1]),
    "y too short": (X, CODES[:-1]),
    "y too long": (X[:-1], CODES),
}


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("kind", NOT_A_TABLE)
def test_fit_refuses_what_is_no_table_in_scikit_learns_words(name, kind):
    expected = outcome(lambda: theirs(name).fit(*NOT_A_TABLE[kind]))
    assert expected.startswith(("ValueError: ", "TypeError: "))
    assert outcome(lambda: ours(name).fit(*NOT_A_TABLE[kind])) == expected


TAKEN_BY_SCORES = {"three dimensions"}
"""A scene; scikit-learn takes none, and `transform` neither."""


@pytest.mark.parametrize("kind", [kind for kind in NOT_A_TABLE if not kind.startswith("y ")])
@pytest.mark.parametrize(("name", "method"), EACH_METHOD)
def test_every_method_refuses_what_is_no_table_in_scikit_learns_words(name, method, kind):
    data = NOT_A_TABLE[kind][0]
    expected = outcome(lambda: theirs(name).fit(X, CODES).predict(data))
    assert expected.startswith(("ValueError: ", "TypeError: "))
    if kind in TAKEN_BY_SCORES and method != "transform":
        answers = getattr(ours(name).fit(X, CODES), method)(data)
        np.testing.assert_array_equal(answers[0], getattr(ours(name).fit(X, CODES), method)(X))
        return
    assert outcome(lambda: getattr(ours(name).fit(X, CODES), method)(data)) == expected


@pytest.mark.parametrize("data", [np.full((90, 4), "a"), X.astype("V8")])
def test_columns_that_hold_no_numbers_are_refused(name, data):
    for call in [
        lambda: ours(name).fit(data, CODES),
        lambda: ours(name).fit(X, CODES).predict(data),
    ]:
        with pytest.raises((ValueError, TypeError), match=r"\w"):
            call()


@pytest.mark.parametrize("columns", [3, 5])
@pytest.mark.parametrize(("name", "method"), EACH_METHOD)
def test_wrong_number_of_features_is_told_in_scikit_learns_words(name, method, columns):
    data = np.ones((2, columns))
    expected = f"X has {columns} features, but {name} is expecting 4 features as input"
    with pytest.raises(ValueError, match=expected):
        getattr(ours(name).fit(X, CODES), method)(data)


@pytest.mark.parametrize(("name", "method"), EACH_METHOD)
def test_unfitted_estimator_says_so(name, method):
    with pytest.raises(NotFittedError, match=f"This {name} instance is not fitted yet"):
        getattr(ours(name), method)(X)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("n_threads", 0), ("n_threads", 1.5), ("n_threads", "all"), ("unbiased", "yes")],
)
def test_parameters_out_of_range_are_named(name, parameter, value):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {name} must be"):
        ours(name, **{parameter: value}).fit(X, CODES)


# NaN and infinity: row and column are named


@pytest.mark.parametrize(
    ("value", "words"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "longdouble", "object"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_fit_names_the_place_of_what_is_not_finite(name, value, words, dtype, order):
    data = np.asarray(spoiled(31, 2, value, dtype), order=order)
    with pytest.raises(ValueError, match=f"^Input X contains {words} at row 31, column 2"):
        ours(name).fit(data, CODES)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize(("value", "words"), [(np.nan, "NaN"), (np.inf, "infinity")])
@pytest.mark.parametrize(("name", "method"), EACH_METHOD)
def test_every_method_names_the_place_of_what_is_not_finite(name, method, value, words, dtype):
    model = ours(name).fit(X, CODES)
    with pytest.raises(ValueError, match=f"^Input X contains {words} at row 89, column 0"):
        getattr(model, method)(spoiled(89, 0, value, dtype))


def test_the_first_of_several_is_named_whatever_the_threads(name):
    data = np.tile(X, (1000, 1))
    data[[40_007, 62_000, 89_999], [1, 0, 3]] = np.nan
    for threads in (1, 2, 3):
        with pytest.raises(ValueError, match=r"row 40007, column 1\b"):
            ours(name, n_threads=threads).fit(data, np.tile(CODES, 1000))
        with pytest.raises(ValueError, match=r"row 40007, column 1\b"):
            ours(name, n_threads=threads).fit(X, CODES).predict(data)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_column_is_named_where_there_are_names(name, frame):
    table = frame(dict(zip(NAMES, spoiled(5, 3, np.nan).T, strict=True)))
    whole = frame(dict(zip(NAMES, X.T, strict=True)))
    words = r"^Input X contains NaN at row 5, column 'petal width'"
    with pytest.raises(ValueError, match=words):
        ours(name).fit(table, CODES)
    with pytest.raises(ValueError, match=words):
        ours(name).fit(whole, CODES).predict_proba(table)


def test_missing_value_of_a_nullable_column_is_called_null(name):
    table = pd.DataFrame(X, columns=NAMES).astype("Float64")
    table.iloc[7, 1] = pd.NA
    with pytest.raises(ValueError, match=r"contains null at row 7, column 'sepal width'"):
        ours(name).fit(table, CODES)


# Too few rows and classes: as scikit-learn, class by class

FEW = {
    "one class": (X, CODES * 0),
    "a row for each class": (X[:3], CODES[:3]),
    "one member": (X, np.r_[7, [1, 2] * 44, 1]),
}


@pytest.mark.parametrize("kind", FEW)
def test_few_rows_or_classes_are_refused_where_scikit_learn_does(name, kind):
    if (name, kind) == (QDA, "one class") and is_lacking("QDA's words"):
        pytest.skip(reason("QDA's words"))
    expected = outcome(lambda: theirs(name).fit(*FEW[kind]))
    got = outcome(lambda: ours(name).fit(*FEW[kind]))
    if "covariance is ill defined." in expected:
        got, remedy = got[: len(expected)], got[len(expected) :]
        assert re.search("What helps|Nothing varies", remedy)
    assert got == expected


@pytest.mark.parametrize("name", [LDA, QDA])
def test_one_row_is_refused_in_scikit_learns_words(name):
    if name == QDA and is_lacking("QDA's words"):
        pytest.skip(reason("QDA's words"))
    expected = outcome(lambda: theirs(name).fit(X[:1], CODES[:1]))
    assert outcome(lambda: ours(name).fit(X[:1], CODES[:1])) == expected
    assert expected.startswith("ValueError: ")


def test_one_row_is_no_naive_bayes_where_scikit_learn_answers_nan():
    with pytest.raises(ValueError, match=r"\w"):
        ours(NB).fit(X[:1], CODES[:1]).predict_proba(X)


@pytest.mark.parametrize("name", [LDA, NB])
def test_single_class_is_certain(name):
    model = ours(name).fit(X, ["ant"] * 90)
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((90, 1)))
    assert set(model.predict(X)) == {"ant"}


# Singular covariances


def test_small_class_of_qda_is_named_with_its_counts_and_remedies():
    rows = np.r_[np.flatnonzero(CODES != 1), np.flatnonzero(CODES == 1)[:7]]
    data = np.random.default_rng(1).normal(size=(90, 9))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        ours(QDA).fit(data[rows], INSECTS[rows])
    message = str(caught.value)
    assert message.startswith("The covariance matrix of class bee is not full rank.")
    assert {"7", "9", "6"} <= set(re.findall(r"\d+", message)), "n_k, d and the rank"
    for remedy in ["shrinkage", "LinearDiscriminantAnalysis", "drop"]:
        assert remedy in message


@pytest.mark.parametrize(
    ("spoil", "guilty"),
    [
        (lambda data: np.where(INSECTS == "bee", 5.0, data[:, 2]), {2}),
        (lambda data: np.where(INSECTS == "bee", data[:, 0], data[:, 2]), {0, 2}),
        (
            lambda data: np.where(INSECTS == "bee", data[:, 0] - 3 * data[:, 3], data[:, 2]),
            {0, 2, 3},
        ),
    ],
    ids=["constant", "duplicate", "combination"],
)
@pytest.mark.parametrize("named", [False, True])
def test_singular_class_of_qda_is_named_with_its_columns(spoil, guilty, named):
    data = X.copy()
    data[:, 2] = spoil(data)
    labels = {j: f"'{NAMES[j]}'" if named else f"{j}" for j in range(4)}
    with pytest.raises(np.linalg.LinAlgError) as caught:
        ours(QDA).fit(pd.DataFrame(data, columns=NAMES) if named else data, INSECTS)
    message = str(caught.value)
    assert message.startswith("The covariance matrix of class bee is not full rank.")
    listed = re.search(r"columns? ((?:'[^']*'|\d+|, | and )+)", message).group(1)
    found = {j for j in range(4) if re.search(rf"(?<!\w){labels[j]}(?!\w)", listed)}
    assert found, message
    assert found <= guilty
    for remedy in ["reg_param", "shrinkage", "LinearDiscriminantAnalysis", "drop"]:
        assert remedy in message


@pytest.mark.parametrize("column", [np.ones(90), X[:, 0]], ids=["constant", "duplicate"])
def test_rank_deficient_lda_predicts_as_scikit_learn_and_has_no_density(column):
    data = np.column_stack([X, column])
    model = ours(LDA).fit(data, CODES)
    expected = theirs(LDA).fit(data, CODES)
    np.testing.assert_allclose(model.predict_proba(data), expected.predict_proba(data), atol=1e-9)
    for method in ["score_samples", "predict_joint_log_proba"]:
        with pytest.raises(np.linalg.LinAlgError, match=r"\w"):
            getattr(model, method)(data)


@pytest.mark.parametrize("column", [np.ones(90), X[:, 0]], ids=["constant", "duplicate"])
def test_rank_deficient_lda_by_eigenvectors_is_refused_as_by_scikit_learn(column):
    with pytest.raises(np.linalg.LinAlgError, match=r"\w"):
        ours(LDA, solver="eigen").fit(np.column_stack([X, column]), CODES)


# Naive Bayes: scikit-learn answers NaN here


@pytest.mark.parametrize("named", [False, True])
def test_zero_variance_is_refused_without_smoothing(named):
    data = X.copy()
    data[INSECTS == "bee", 2] = 5.0
    table = pd.DataFrame(data, columns=NAMES) if named else data
    with pytest.raises(ValueError, match="variance") as caught:
        ours(NB, var_smoothing=0).fit(table, INSECTS)
    assert "bee" in str(caught.value)
    assert ("olumn 'Petal Length'" if named else "olumn 2") in str(caught.value)


def test_zero_variance_is_smoothed_as_scikit_learn_does_by_default():
    data = np.column_stack([X, np.ones(90)])
    got = ours(NB).fit(data, CODES).predict_proba(data)
    np.testing.assert_allclose(got, theirs(NB).fit(data, CODES).predict_proba(data), rtol=1e-9)


# Values whose squares overflow


@pytest.mark.parametrize("size", [1e160, 1e200, 1e300])
def test_fit_refuses_values_too_large(name, size):
    with pytest.raises(ValueError, match="too large"):
        ours(name).fit(X * size, CODES)


@pytest.mark.parametrize(
    ("name", "method"),
    [(name, method) for name, method in EACH_METHOD if name != LDA or method in DENSITIES],
)
def test_scores_refuse_values_too_large(name, method):
    with pytest.raises(ValueError, match="too large"):
        getattr(ours(name).fit(X, CODES), method)(spoiled(3, 1, 1e200))


def test_smoothing_that_overflows_is_refused():
    with pytest.raises(ValueError, match="too large"):
        ours(NB, var_smoothing=1e300).fit(X * 1e10, CODES)


def test_nan_is_refused_in_a_column_that_the_model_does_not_use():
    codes = np.arange(60) % 3
    X = np.random.default_rng(0).normal(size=(60, 3)) + codes[:, np.newaxis]
    X[:, 2] = 7.0
    model = ours("LinearDiscriminantAnalysis").fit(X, codes)
    assert not model.coef_[:, 2].any()
    X[1, 2] = np.nan
    with pytest.raises(ValueError, match="NaN at row 1, column 2"):
        model.predict(X)
