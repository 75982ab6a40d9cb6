"""Scores of rows with missing values: integrated out exactly, propagated, or refused."""

import warnings

import numpy as np
import polars as pl
import pytest
from gaps import correlated, log_densities, posteriors, with_gaps
from models import GAUSSIAN
from numpy.linalg import LinAlgError
from support import ours

from gauda import LDA, QDA, RDA, GaussianNB

METHODS = [
    "predict_proba",
    "predict_log_proba",
    "predict_joint_log_proba",
    "score_samples",
    "mahalanobis",
    "typicality",
]
DISCRIMINANTS = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]
OUTPUTS = (
    "label",
    "proba",
    "log_proba",
    "log_density",
    "joint",
    "mahalanobis",
    "typicality",
    "cost",
    "top_k",
)
ROUNDING = {np.float64: 1e-10, np.float32: 3e-4}


def model_and_rows(name, n=400, d=5, k=3, share=0.3, **parameters):
    """Fit to complete rows; return the model and the rows with gaps."""
    X, y = correlated(n, d, k)
    return ours(name, missing="marginalize", **parameters).fit(X, y), with_gaps(X, share)


def by_pattern(Z):
    """Yield the observed columns of each pattern that shows any, and the rows that have it."""
    there = ~np.isnan(Z)
    for pattern in np.unique(there, axis=0):
        if pattern.any():
            yield np.flatnonzero(pattern), np.flatnonzero((there == pattern).all(axis=1))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
# patterns of many rows each; and patterns of a few rows or one
@pytest.mark.parametrize(("n", "d"), [(3000, 3), (400, 9)])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", GAUSSIAN)
def test_scores_are_those_of_the_model_of_the_observed_columns(name, method, n, d, dtype):
    model, Z = model_and_rows(name, n, d)
    Z = Z.astype(dtype)
    scores = getattr(model, method)(Z)
    assert scores.dtype == dtype
    for columns, rows in by_pattern(Z):
        marginal = model if len(columns) == d else model.marginal(columns)
        expected = getattr(marginal, method)(Z[np.ix_(rows, columns)])
        tolerance = ROUNDING[dtype]
        np.testing.assert_allclose(scores[rows], expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("n", "d"), [(3000, 3), (400, 9)])
@pytest.mark.parametrize("solver", ["svd", "eigen"])
@pytest.mark.parametrize("name", DISCRIMINANTS)
def test_decisions_are_those_of_the_model_of_the_observed_columns(name, solver, n, d, n_classes):
    model, Z = model_and_rows(name, n, d, n_classes, solver=solver)
    scores = model.decision_function(Z)
    for columns, rows in by_pattern(Z):
        marginal = model if len(columns) == d else model.marginal(columns)
        expected = marginal.decision_function(Z[np.ix_(rows, columns)])
        np.testing.assert_allclose(scores[rows], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("d", [3, 8])
def test_densities_and_posteriors_are_those_of_scipy(d):
    model, Z = model_and_rows("QuadraticDiscriminantAnalysis", 200, d, store_covariance=True)
    parameters = model.means_, np.array(model.covariance_)
    joint = log_densities(Z, *parameters) + np.log(model.priors_)
    np.testing.assert_allclose(model.predict_joint_log_proba(Z), joint, rtol=1e-10, atol=1e-10)
    expected = posteriors(Z, *parameters, model.priors_)
    np.testing.assert_allclose(model.predict_proba(Z), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(model.predict(Z), model.classes_[expected.argmax(axis=1)])


@pytest.mark.parametrize("d", [3, 9])
def test_regularized_models_integrate_too(d):
    X, y = correlated(400, d, 3)
    model = RDA(0.4, 0.1, missing="marginalize", store_covariance=True).fit(X, y)
    Z = with_gaps(X)
    joint = log_densities(Z, model.means_, np.array(model.covariance_)) + np.log(model.priors_)
    np.testing.assert_allclose(model.predict_joint_log_proba(Z), joint, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", GAUSSIAN)
def test_complete_rows_among_others_get_the_same_bits(name):
    X, y = correlated(5000, 6, 4)
    plain = ours(name).fit(X, y)
    Z = X.copy()
    Z[::7, 2] = np.nan
    complete = ~np.isnan(Z).any(axis=1)
    model = ours(name, missing="marginalize").fit(X, y)
    for method in [*METHODS, "predict"]:
        expected = getattr(plain, method)(X)[complete]
        np.testing.assert_array_equal(getattr(model, method)(Z)[complete], expected)
        np.testing.assert_array_equal(getattr(model, method)(X), getattr(plain, method)(X))


@pytest.mark.parametrize("name", GAUSSIAN)
def test_a_row_without_any_value_gets_the_priors(name):
    X, y = correlated(90, 3, 3)
    priors = [0.5, 0.2, 0.3]
    model = ours(name, priors=priors, missing="marginalize").fit(X, y)
    nothing = np.full((1, 3), np.nan)
    np.testing.assert_allclose(model.predict_proba(nothing), [priors], rtol=1e-15)
    np.testing.assert_allclose(model.predict_joint_log_proba(nothing), np.log([priors]))
    np.testing.assert_array_equal(model.score_samples(nothing), [0.0])
    np.testing.assert_array_equal(model.mahalanobis(nothing), [[0.0] * 3])
    np.testing.assert_array_equal(model.typicality(nothing), [[1.0] * 3])
    assert model.predict(nothing) == [0]


@pytest.mark.parametrize("missing", ["marginalize", "propagate"])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_classify_answers_as_each_method_does(name, missing):
    X, y = correlated(600, 4, 3)
    cost = [[0, 1, 2], [3, 0, 1], [1, 4, 0]]
    model = ours(name, missing=missing, cost=cost, reject={"typicality": 0.2}).fit(X, y)
    Z = with_gaps(X)
    answer = model.classify(Z, OUTPUTS, top_k=2)
    np.testing.assert_array_equal(answer.label, model.predict(Z))
    np.testing.assert_array_equal(answer.proba, model.predict_proba(Z))
    np.testing.assert_array_equal(answer.log_proba, model.predict_log_proba(Z))
    np.testing.assert_array_equal(answer.log_density, model.score_samples(Z))
    np.testing.assert_array_equal(answer.joint, model.predict_joint_log_proba(Z))
    np.testing.assert_array_equal(answer.mahalanobis, model.mahalanobis(Z))
    np.testing.assert_array_equal(answer.typicality, model.typicality(Z))
    np.testing.assert_array_equal(answer.cost, model.predict_cost(Z))
    best = np.sort(answer.proba, axis=1)[:, :0:-1]
    np.testing.assert_array_equal(answer.top_k.proba, best)


@pytest.mark.parametrize("name", GAUSSIAN)
def test_costs_and_rejection_follow_from_the_observed_columns(name):
    X, y = correlated(600, 4, 3)
    cost = np.array([[0.0, 1, 2], [3, 0, 1], [1, 4, 0]])
    model = ours(name, missing="marginalize").fit(X, y)
    Z = with_gaps(X)
    costs = model.predict_proba(Z) @ cost
    np.testing.assert_allclose(model.predict_cost(Z, cost=cost), costs, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(Z, cost=cost), costs.argmin(axis=1))
    labels = model.predict(Z, reject={"typicality": 0.3, "posterior": 0.6})
    chosen = model.predict_proba(Z).argmax(axis=1)[:, np.newaxis]
    typical = np.take_along_axis(model.typicality(Z), chosen, axis=1) >= 0.3
    likely = np.take_along_axis(model.predict_proba(Z), chosen, axis=1) >= 0.6
    np.testing.assert_array_equal(labels, np.where(typical & likely, chosen, -1)[:, 0])


def test_each_row_may_have_priors_of_its_own():
    model, Z = model_and_rows("QuadraticDiscriminantAnalysis")
    priors = np.random.default_rng(0).dirichlet(np.ones(3), size=len(Z))
    joint = model.predict_joint_log_proba(Z) - np.log(model.priors_) + np.log(priors)
    expected = np.exp(joint - joint.max(axis=1, keepdims=True))
    expected /= expected.sum(axis=1, keepdims=True)
    found = model.predict_proba(Z, priors=priors)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", GAUSSIAN)
def test_propagated_rows_are_missing_in_all_scores(name, method):
    X, y = correlated(600, 4, 3)
    model = ours(name, missing="propagate").fit(X, y)
    Z = with_gaps(X, 0.1)
    gaps = np.isnan(Z).any(axis=1)
    scores, expected = getattr(model, method)(Z), getattr(model, method)(X)
    assert np.isnan(scores[gaps]).all()
    np.testing.assert_array_equal(scores[~gaps], expected[~gaps])


@pytest.mark.parametrize(
    ("labels", "parameters", "left_out"),
    [
        ([1, 2, 3], {}, -1),
        (["a", "b", "c"], {}, "rejected"),
        (["a", "b", "c"], {"reject_label": "?"}, "?"),
        ([True, False], {"reject_label": -1}, -1),
    ],
)
def test_propagated_rows_get_the_reject_label(labels, parameters, left_out):
    X, y = correlated(120, 3, len(labels))
    model = QDA(missing="propagate", **parameters).fit(X, np.array(labels)[y])
    Z = with_gaps(X, 0.1)
    gaps = np.isnan(Z).any(axis=1)
    predicted = model.predict(Z)
    assert set(predicted[gaps].tolist()) == {left_out}
    np.testing.assert_array_equal(predicted[~gaps], model.predict(X)[~gaps])
    assert set(model.classify(Z, "top_k").top_k.labels[gaps].ravel().tolist()) == {left_out}


def test_labels_without_a_sensible_reject_label_ask_for_one():
    X, y = correlated(60, 3, 2)
    with pytest.raises(ValueError, match=r"reject_label must be set .*; got None"):
        QDA(missing="propagate").fit(X, y.astype(bool))


@pytest.mark.parametrize("method", [*METHODS, "predict"])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_gaps_are_refused_by_default(name, method):
    X, y = correlated(60, 3, 2)
    model = ours(name).fit(X, y)
    X[41, 2] = np.nan
    with pytest.raises(ValueError, match="NaN at row 41, column 2"):
        getattr(model, method)(X)


@pytest.mark.parametrize("missing", ["marginalize", "propagate"])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_infinity_is_refused_always(name, missing):
    X, y = correlated(60, 3, 2)
    model = ours(name, missing=missing).fit(X, y)
    X[40, 2], X[41, 2] = np.nan, np.inf
    with pytest.raises(ValueError, match="infinity at row 41, column 2"):
        model.predict(X)


def test_a_singular_covariance_of_observed_columns_is_named():
    X, y = correlated(60, 3, 2)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    model = LDA(missing="marginalize").fit(X, y)
    X[5, 2] = np.nan
    with pytest.raises(LinAlgError, match=r"all classes is singular.* only columns 0, 1, 3 are"):
        model.predict(X)


def test_rows_beyond_the_range_are_refused_though_they_have_gaps():
    X, y = correlated(60, 3, 2)
    model = QDA(missing="marginalize").fit(X, y)
    with pytest.raises(ValueError, match="Row 1 of X is so far from the classes"):
        model.predict_log_proba([[1.0, np.nan, 2.0], [np.nan, 1e300, 1.0]])


@pytest.mark.parametrize("name", GAUSSIAN)
def test_as_many_patterns_as_rows_are_fine(name):
    X, y = correlated(4000, 20, 2)
    model = ours(name, missing="marginalize").fit(X, y)
    Z = with_gaps(X, 0.5)
    assert len(np.unique(np.isnan(Z), axis=0)) > 3900
    alone = np.concatenate([model.predict_proba(row[np.newaxis]) for row in Z[:200]])
    np.testing.assert_allclose(model.predict_proba(Z)[:200], alone, rtol=1e-10, atol=1e-300)


@pytest.mark.parametrize("share", [0.02, 0.5])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_threads_change_no_bit(name, share):
    X, y = correlated(30000, 6, 3)
    Z = with_gaps(X, share)
    one, two = (ours(name, missing="marginalize", n_threads=n).fit(X, y) for n in (1, 2))
    for method in ("predict", "predict_log_proba", "typicality"):
        np.testing.assert_array_equal(getattr(one, method)(Z), getattr(two, method)(Z))


def test_more_than_64_columns_and_8_classes_work():
    model, Z = model_and_rows("QuadraticDiscriminantAnalysis", 2000, 70, 9, 0.05)
    scores = model.score_samples(Z)
    patterns = list(by_pattern(Z[:30]))
    for columns, rows in patterns:
        marginal = model if len(columns) == 70 else model.marginal(columns)
        expected = marginal.score_samples(Z[np.ix_(rows, columns)])
        np.testing.assert_allclose(scores[rows], expected, rtol=1e-9)


def test_memory_order_does_not_matter():
    model, Z = model_and_rows("QuadraticDiscriminantAnalysis", 3000, 4)
    expected = model.predict_log_proba(Z)
    wide = np.full((6000, 8), np.inf)
    wide[::2, ::2] = Z
    for rows in (np.asfortranarray(Z), wide[::2, ::2], np.ascontiguousarray(Z[::-1])[::-1]):
        np.testing.assert_array_equal(model.predict_log_proba(rows), expected)


def test_streams_obey(tmp_path):
    X, y = correlated(300, 3, 2)
    Z = with_gaps(X)
    table = pl.DataFrame(Z, schema=["a", "b", "c"]).fill_nan(None)
    path = tmp_path / "scores.parquet"
    for missing in ("marginalize", "propagate"):
        model = QDA(missing=missing).fit(pl.DataFrame(X, schema=["a", "b", "c"]), y)
        model.predict_stream(table, path, ["label", "proba"], batch_rows=70)
        written = pl.read_parquet(path)
        np.testing.assert_array_equal(written["label"], model.predict(table))
        expected = model.predict_proba(table)[:, 1]
        np.testing.assert_allclose(written["proba_1"], expected, rtol=1e-10, atol=1e-300)
    with pytest.raises(ValueError, match=f"null at row {np.isnan(Z).any(axis=1).argmax()}, "):
        model.set_params(missing="raise").predict_stream(table, path)


def test_scikit_learn_is_told_who_takes_nan():
    for missing, takes in (("raise", False), ("marginalize", True), ("propagate", True)):
        assert GaussianNB(missing=missing).__sklearn_tags__().input_tags.allow_nan is takes


@pytest.mark.parametrize("missing", ["ignore", None, True])
def test_other_words_are_refused(missing):
    with pytest.raises(ValueError, match="'missing' parameter of GaussianNB must be a str among"):
        GaussianNB(missing=missing).fit([[0.0], [1.0]], [0, 1])


def test_no_warning_comes_with_gaps():
    model, Z = model_and_rows("LinearDiscriminantAnalysis")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(Z)
        model.impute(Z)
