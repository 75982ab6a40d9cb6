"""Digits survive where sizes differ wildly: tight classes far apart, drift, uneven weights."""

from fractions import Fraction

import numpy as np
import pytest
from peers import theirs
from scipy.special import logsumexp
from support import MODELS, ours

LDA, QDA, NB = MODELS


def tight_and_far(sd, distance, dtype):
    """Draw two tight classes near 0 and a wide one far away, in one column."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 50)
    X = rng.normal(size=150) * np.array([sd, sd, distance / 100])[y]
    X += np.array([0, 2 * sd, distance])[y]
    return X[:, np.newaxis].astype(dtype), y


def exact_log_posteriors(X, y):
    """Compute posteriors of Gaussian classes in one column from exact moments and squares."""
    column = [Fraction(float(x)) for x in X[:, 0]]
    scores = np.empty((len(X), 3))
    for k in range(3):
        members = [x for x, label in zip(column, y, strict=True) if label == k]
        mean = sum(members) / len(members)
        variance = sum((x - mean) ** 2 for x in members) / len(members)
        scores[:, k] = [float((x - mean) ** 2 / variance) for x in column]
        scores[:, k] += np.log(float(variance))
    return -scores / 2 - logsumexp(-scores / 2, axis=1, keepdims=True)


@pytest.mark.parametrize("name", [QDA, NB])
@pytest.mark.parametrize(
    ("dtype", "sd", "distance", "tolerance"),
    [
        ("f4", 1e-2, 1e4, 1e-5),
        ("f4", 1e-3, 1e5, 1e-5),
        ("f8", 1e-6, 1e6, 1e-12),
        ("f8", 1e-9, 1e8, 1e-12),
    ],
)
def test_tight_classes_keep_their_digits_beside_one_far_away(name, dtype, sd, distance, tolerance):
    X, y = tight_and_far(sd, distance, dtype)
    parameters = {"var_smoothing": 0} if name == NB else {}
    got = ours(name, **parameters).fit(X, y).predict_log_proba(X)
    near = y < 2
    exact = exact_log_posteriors(X, y)[near, :2]
    np.testing.assert_allclose(got[near, :2], exact, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", [QDA, NB])
def test_first_rows_unlike_the_rest_cost_no_digits(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 1))
    X[140:] += 1e8
    y = np.tile([0, 1], 50_000)
    model = ours(name, **({"store_covariance": True} if name == QDA else {"var_smoothing": 0})).fit(
        X, y
    )
    variance = (model.covariance_ if name == QDA else model.var_)[0]
    column = [Fraction(float(x)) for x in X[::2, 0]]
    mean = sum(column) / len(column)
    exact = float(sum((x - mean) ** 2 for x in column) / len(column))
    np.testing.assert_allclose(np.ravel(variance), exact, rtol=1e-14)


def test_light_rows_far_away_cost_no_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 1))
    X[2:128] = 1e9
    weights = np.ones(2000)
    weights[2:128] = 1e-300
    y = np.tile([0, 1], 1000)
    weighted = ours(NB, var_smoothing=0).fit(X, y, sample_weight=weights)
    heavy = weights == 1
    expected = theirs(NB, var_smoothing=0).fit(X[heavy], y[heavy])
    np.testing.assert_allclose(weighted.var_, expected.var_, rtol=1e-12)
    np.testing.assert_allclose(weighted.theta_, expected.theta_, rtol=1e-12, atol=1e-15)


def test_distances_are_exact_beside_a_class_far_away():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 200)
    X = rng.normal(size=(600, 3)) + np.array([[0, 0, 0], [0, 2, 0], [1e6, 0, 0]])[y]
    lda = ours(LDA, store_covariance=True).fit(X, y)
    apart = X[:, np.newaxis] - lda.means_
    expected = np.einsum("nki,ij,nkj->nk", apart, np.linalg.inv(lda.covariance_), apart)
    own = np.arange(600), y
    np.testing.assert_allclose(lda.mahalanobis(X)[own], expected[own], rtol=1e-8)


def test_coefficients_of_two_classes_far_from_zero_give_the_decisions():
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 100)
    X = rng.normal(size=(200, 2)) + y[:, np.newaxis] + 2.0**27
    for solver in ("svd", "lsqr", "eigen"):
        lda = ours(LDA, solver=solver).fit(X, y)
        linear = X @ lda.coef_.T + lda.intercept_
        np.testing.assert_allclose(linear[:, 0], lda.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_classes_without_any_variance_are_refused(solver):
    X = np.repeat([[0.0, 1], [5, 2], [9, 9]], 5, axis=0)
    with pytest.raises(np.linalg.LinAlgError, match="Nothing varies within the classes"):
        ours(LDA, solver=solver).fit(X, np.repeat([0, 1, 2], 5))


def test_a_class_lost_in_rounding_does_not_hide_the_spread_of_another():
    X = np.array([[0.0, 0], [1, 1], [1e17, 0], [1e17, 2]])
    y = [0, 0, 1, 1]
    got = ours(LDA).fit(X, y)
    expected = theirs(LDA).fit(X, y)
    np.testing.assert_array_equal(got.predict(X), expected.predict(X))
