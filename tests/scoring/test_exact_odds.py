"""Whatever the model, the type and the scale, the exact answer decides: no class is lost."""

import numpy as np
import pytest
from exact_odds import Exact
from hypothesis import given, settings
from hypothesis import strategies as st

import gauda

MODELS = {
    "lda svd": (gauda.LDA, {}, "tied"),
    "lda lsqr": (gauda.LDA, {"solver": "lsqr"}, "tied"),
    "lda eigen": (gauda.LDA, {"solver": "eigen"}, "tied"),
    "rda tied": (gauda.RDA, {"alpha": 1}, "tied"),
    "rda full": (gauda.RDA, {}, "full"),
    "qda": (gauda.QDA, {}, "full"),
    "nb": (gauda.GaussianNB, {"var_smoothing": 0}, "diag"),
}
PRECISION = {"f4": 2e-4, "u1": 2e-4, "u2": 2e-4, "i2": 2e-4, "f8": 1e-8, "i8": 1e-8, "u4": 1e-8}
"""Relative errors of log-odds and distances: the digits that the type of scores promises."""


def drawn(seed, dtype, far, shape):
    """Draw near classes and far ones, of correlated columns, at several distances up to `far`."""
    d, n_classes, near = shape
    rng = np.random.default_rng(seed)
    y = np.arange(8 * n_classes) % n_classes
    means = rng.normal(size=(n_classes, d)) * 3
    distances = far * rng.choice([1, 1e-2, 1e-3], size=(n_classes - near, 1))
    means[near:] += distances * rng.normal(size=(n_classes - near, d))
    X = (rng.normal(size=(len(y), d)) + means[y]) @ (np.eye(d) + np.tri(d, k=-1))
    if np.dtype(dtype).kind in "iu":
        X = np.round((2 if dtype == "u1" else 8) * X)
        X -= X.min()
    return X.astype(dtype), y


def fitted(name, X, y):
    estimator, params, _ = MODELS[name]
    return estimator(**params).fit(X, y)


def assert_exact(name, X, y, priors=None):
    """Compare labels where the exact odds exceed rounding, and scores to the digits of the type."""
    estimator, _, structure = MODELS[name]
    model = fitted(name, X, y)
    exact = Exact(X, y, structure, priors)
    odds = exact.log_odds(X)
    log_sum = np.log(np.exp(odds).sum(axis=1, keepdims=True))
    precision = PRECISION[X.dtype.str[1:]]
    given_priors = {} if priors is None else {"priors": priors}
    outputs = ("label", "proba", "log_proba", "joint", "mahalanobis", "log_density")
    answer = model.classify(X, outputs, **given_priors)

    def compare(got, expected):
        np.testing.assert_allclose(got, expected, rtol=precision, atol=precision)

    compare(answer.log_proba, odds - log_sum)
    compare(answer.proba, np.exp(odds - log_sum))
    joint = exact.joint(X)
    compare(answer.joint, joint)
    compare(answer.log_density, joint[np.arange(len(X)), odds.argmax(axis=1)] + log_sum[:, 0])
    compare(answer.mahalanobis, np.array(exact.distances(X), dtype=float))
    sure = -np.sort(odds, axis=1)[:, -2] > precision
    best = exact.labels[odds.argmax(axis=1)]
    np.testing.assert_array_equal(answer.label[sure], best[sure])
    np.testing.assert_array_equal(model.predict(X, **given_priors)[sure], best[sure])
    np.testing.assert_array_equal(answer.proba.argmax(axis=1)[sure], best[sure])
    if priors is None and estimator is not gauda.GaussianNB:
        assert_decisions(model.decision_function(X), odds, precision)


def assert_decisions(decisions, odds, precision):
    """Compare decisions with exact odds: their differences, and the class of the largest."""
    if odds.shape[1] == 2:
        expected = odds[:, 1] - odds[:, 0]
        np.testing.assert_allclose(decisions, expected, rtol=precision, atol=precision)
        return
    rows, best = np.arange(len(odds)), odds.argmax(axis=1)
    largest = np.abs(decisions).max(axis=1, keepdims=True)
    error = np.abs(decisions - decisions[rows, best][:, np.newaxis] - odds)
    assert (error <= precision * np.maximum(1, largest)).all()
    sure = -np.sort(odds, axis=1)[:, -2] > 2 * precision
    np.testing.assert_array_equal(decisions.argmax(axis=1)[sure], best[sure])


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize(
    ("dtype", "zero"),
    [("f8", 1e6), ("f8", -1e9), ("f8", 1e12), ("f4", 1e3), ("f4", 1e5), ("u2", 5e4)],
)
def test_decisions_far_from_zero_are_exact(solver, n_classes, dtype, zero):
    rng = np.random.default_rng(n_classes)
    y = np.arange(60) % n_classes
    X = rng.normal(size=(60, 2)) * 8 + 8 * rng.normal(size=(n_classes, 2))[y]
    X = (np.round(X * 64) / 64 + zero).astype(dtype)
    lda = gauda.LDA(solver=solver).fit(X, y)
    odds = Exact(X, y, "tied").log_odds(X)
    assert_decisions(lda.decision_function(X), odds, PRECISION[dtype])


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("dtype", "far"),
    [
        *(("f4", far) for far in (0, 1e2, 1e4, 1e6)),
        *(("f8", far) for far in (0, 1e3, 1e5, 1e7, 1e9, 1e12, 1e18, 1e25)),
        ("u1", 5),
        ("u2", 1e3),
        ("i8", 1e9),
    ],
)
@pytest.mark.parametrize("shape", [(1, 3, 2), (2, 5, 3)], ids=str)
def test_labels_and_scores_are_exact_beside_far_classes(name, dtype, far, shape):
    X, y = drawn(0, dtype, far, shape)
    if far > 1e12 and MODELS[name][2] != "tied":
        with pytest.raises((ValueError, np.linalg.LinAlgError), match=r"no variance|not full rank"):
            fitted(name, X, y)
        return
    assert_exact(name, X, y)


@settings(deadline=None, max_examples=25)
@given(
    name=st.sampled_from(sorted(MODELS)),
    seed=st.integers(0, 2**32 - 1),
    dtype=st.sampled_from(["f4", "f8", "i8", "u4"]),
    exponent=st.floats(0, 12),
    d=st.integers(1, 3),
    n_classes=st.integers(2, 7),
    tiny=st.sampled_from([None, 1e-3, 1e-12, 1e-300]),
)
def test_exact_answers_decide_at_every_scale(  # noqa: PLR0913 (a dimension each)
    name, seed, dtype, exponent, d, n_classes, tiny
):
    far = min(10.0**exponent, {"f4": 1e6, "u4": 1e7}.get(dtype, 1e12))
    X, y = drawn(seed, dtype, far, (d, n_classes, 1 + n_classes // 2))
    priors = None
    if tiny is not None:
        priors = np.full(n_classes, (1 - tiny) / (n_classes - 1))
        priors[seed % n_classes] = tiny
    assert_exact(name, X, y, priors)


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_three_classes_of_which_one_is_far_away(solver):
    """Integers about 100, 103 and 60000, as a sensor of 16 bits gives them."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 500)
    X = np.round(rng.normal(size=(1500, 2)) + np.array([100, 103, 60000])[y, np.newaxis])
    expected = gauda.LDA(solver=solver).fit(X, y).predict(X)
    lda = gauda.LDA(solver=solver).fit(X.astype("u2"), y)
    np.testing.assert_array_equal(lda.predict(X.astype("u2")), expected)
    assert np.mean(expected == y) > 0.97


def test_two_far_classes_decide_halfway_between_them():
    """Scores of a row in the middle are differences of large numbers too."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    noise = rng.normal(size=(200, 1))
    for dtype, far, step in [("f4", 1e5, 0.05), ("f8", 1e9, 1e-4)]:
        X = np.concatenate([noise - far, -noise + far]).astype(dtype)
        halfway = np.array([[-step], [step]], dtype=dtype)
        for solver in ("svd", "lsqr", "eigen"):
            lda = gauda.LDA(solver=solver).fit(X, y)
            np.testing.assert_array_equal(lda.predict(halfway), [0, 1])
            np.testing.assert_array_equal(lda.decision_function(halfway) > 0, [False, True])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_gaps_lose_no_class_beside_far_ones(dtype):
    X, y = drawn(3, dtype, 1e6, (3, 5, 3))
    gapped = X.copy()
    gapped[::2, 1] = np.nan
    seen = [0, 2]
    lda = gauda.LDA(missing="marginalize").fit(X, y)
    exact = Exact(X[:, seen], y, "tied").log_odds(X[::2][:, seen])
    got = lda.predict_log_proba(gapped)[::2]
    log_sum = np.log(np.exp(exact).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(got, exact - log_sum, rtol=PRECISION[dtype], atol=PRECISION[dtype])
