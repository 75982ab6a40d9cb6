"""Weighted sums of each class and column against exact ones, and what weights may not change.

Diagonal moments, naive Bayes with and without gaps and mixed columns share one pass over the rows.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB as SklearnNB

import gauda
from gauda import GaussianNB, MixedNB, Moments

SHARES = {
    "Moments": lambda X, y, w: scatters(Moments.from_data(X, y, w, structure="diag")),
    "GaussianNB": lambda X, y, w: fitted(GaussianNB(var_smoothing=0).fit(X, y, w)),
    "marginalize": lambda X, y, w: fitted(
        GaussianNB(var_smoothing=0, missing="marginalize").fit(X, y, w)
    ),
    "MixedNB": lambda X, y, w: mixed(MixedNB(var_smoothing=0).fit(X, y, w)),
}
WITH_GAPS = ["marginalize", "MixedNB"]


def scatters(moments):
    return moments.means, moments.scatter / moments.counts[:, np.newaxis]


def fitted(nb):
    return nb.theta_, nb.var_


def mixed(nb):
    return tuple(np.column_stack(list(table.values())) for table in (nb.theta_, nb.var_))


def exact(X, y, w):
    """Give means and variances of each class and column in rationals, NaN and weight 0 left out."""
    means, variances = [], []
    for k in np.unique(y):
        rows = []
        for column in X[y == k].T.tolist():
            pairs = zip(column, w[y == k].tolist(), strict=True)
            kept = [(Fraction(x), Fraction(v)) for x, v in pairs if x == x and v > 0]  # noqa: PLR0124 (NaN)
            total = sum(v for _, v in kept)
            mean = sum(v * x for x, v in kept) / total
            rows.append((mean, sum(v * (x - mean) ** 2 for x, v in kept) / total))
        means.append([float(mean) for mean, _ in rows])
        variances.append([float(variance) for _, variance in rows])
    return np.array(means), np.array(variances)


def assert_exact(found, X, y, w):
    means, variances = exact(X, y, w)
    np.testing.assert_allclose(found[1], variances, rtol=1e-12)
    size = np.maximum(np.abs(means), np.sqrt(variances))
    assert (np.abs(found[0] - means) <= 1e-14 * size).all()


def sample(seed, n=150, d=3):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3)
    return rng.normal(size=(n, d)) + y[:, np.newaxis], y, rng.exponential(size=n)


FIRST = [1e8, -1e12, 1e30, 1e150]
"""Large values of the first rows."""


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("large", FIRST)
@pytest.mark.parametrize("tiny", [0.0, 1e-300, 5e-324])
def test_first_rows_of_hardly_any_weight_cost_no_digits(name, large, tiny):
    X, y, w = sample(0)
    X[:3], w[:3] = large, tiny
    if tiny * large * large < 1e290:
        assert_exact(SHARES[name](X, y, w), X, y, w)


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("large", FIRST[:3])
def test_many_first_rows_unlike_the_rest_cost_no_digits(name, large):
    X, y, w = sample(1, n=900)
    X[:300] += large
    w[:300] *= 1e-200
    assert_exact(SHARES[name](X, y, w), X, y, w)


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("far", [0.0, 1e4, -1e8, 1e10])
def test_far_from_zero_and_with_sentinels_variances_are_exact(name, far):
    X, y, w = sample(2)
    X = X + far
    X[7, 0], X[12, 2] = 999999999, -9999
    assert_exact(SHARES[name](X, y, w), X, y, w)


@pytest.mark.parametrize("name", ["Moments", "MixedNB"])  # whose numbers are doubles
@pytest.mark.parametrize("dtype", ["f4", "i2", "u1"])
def test_sums_of_short_types_are_exact(name, dtype):
    X, y, w = sample(2)
    X = (30 * X + 100).astype(dtype)
    assert_exact(SHARES[name](X, y, w), X.astype(float), y, w)


@pytest.mark.parametrize("name", WITH_GAPS)
@pytest.mark.parametrize("far", [0.0, 1e8])
def test_what_is_missing_has_no_weight(name, far):
    X, y, w = sample(3)
    X = X + far
    X[np.random.default_rng(4).random(X.shape) < 0.3] = np.nan
    X[:90, 1] = np.nan  # none of the first rows shows this column
    w[5], X[5, 0] = 0.0, 1e150
    assert_exact(SHARES[name](X, y, w), X, y, w)


@given(
    seed=st.integers(0, 2**32 - 1),
    exponents=st.lists(st.integers(-300, 8), min_size=30, max_size=30),
    far=st.sampled_from([0.0, 1e6, -1e9]),
    gaps=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_variances_are_exact_whatever_the_weights(seed, exponents, far, gaps):
    X, y, w = sample(seed, n=30, d=2)
    X = X + far
    w = w * 10.0 ** np.array(exponents)
    heavy = [np.flatnonzero(y == k)[0] for k in range(3)]
    w[heavy] = 1.0
    w[[np.flatnonzero(y == k)[1] for k in range(3)]] = 0.5
    if gaps:
        light = np.setdiff1d(np.flatnonzero(w < 0.4), heavy)
        X[light[::2], 0] = np.nan
    for name in WITH_GAPS if gaps else SHARES:
        assert_exact(SHARES[name](X, y, w), X, y, w)


# What weights may not change, for every model


MODELS = {
    "LDA svd": gauda.LinearDiscriminantAnalysis(),
    "LDA lsqr": gauda.LinearDiscriminantAnalysis(solver="lsqr"),
    "LDA eigen": gauda.LinearDiscriminantAnalysis(solver="eigen"),
    "QDA": gauda.QuadraticDiscriminantAnalysis(),
    "RDA": gauda.RegularizedDiscriminantAnalysis(alpha=0.4, gamma=0.1),
    # By default smoothed by a variance in which, as in scikit-learn, each row counts once.
    "GaussianNB": GaussianNB(var_smoothing=0),
    "GaussianNB, gaps": GaussianNB(var_smoothing=0, missing="marginalize"),
    "QDA, gaps": gauda.QuadraticDiscriminantAnalysis(missing="marginalize"),
    "LDA, gaps": gauda.LinearDiscriminantAnalysis(missing="marginalize"),
    "MixedNB": MixedNB(),
    "BernoulliNB": gauda.BernoulliNB(),
    "CategoricalNB": gauda.CategoricalNB(),
}
DISCRETE = ["BernoulliNB", "CategoricalNB"]


def data_for(name, seed):
    X, y, w = sample(seed)
    if name in DISCRETE:
        return np.clip(np.rint(X), 0, 4).astype(int), y, w
    if name.endswith("gaps"):
        X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    return X, y, w


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("value", [4, 1e5, -1e15, 1e150, np.nan])
def test_rows_of_weight_0_change_nothing_but_roundings(name, value):
    X, y, w = data_for(name, 5)
    if name in DISCRETE:
        value = 4  # a category that is there anyway
    elif np.isnan(value) and not name.endswith("gaps") and name != "MixedNB":
        return
    nothing = np.full((40, X.shape[1]), value, dtype=X.dtype)
    more = np.concatenate([nothing[:20], X, nothing[20:]])
    labels = np.concatenate([np.arange(20) % 3, y, np.arange(20) % 3])
    weights = np.concatenate([np.zeros(20), w, np.zeros(20)])
    expected = MODELS[name].fit(X, y, w).predict_log_proba(X)
    found = MODELS[name].fit(more, labels, weights).predict_log_proba(X)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


SMOOTHED = {
    "GaussianNB": GaussianNB(),
    "much": GaussianNB(var_smoothing=0.1),
    "gaps": GaussianNB(missing="marginalize"),
    "MixedNB": MixedNB(var_smoothing=0.1),
    "MixedNB, little": MixedNB(),
}


@pytest.mark.parametrize("name", SMOOTHED)
@pytest.mark.parametrize("value", [4.0, 1e10, -1e150])
@pytest.mark.parametrize("weight", [0.0, 5e-324, 1e-300, 1e-200])
def test_rows_that_do_not_count_are_not_smoothed_by(name, value, weight):
    X, y, w = sample(9)
    if abs(value) ** 2 * weight > 1e-12:
        return
    more = np.concatenate([np.full((6, X.shape[1]), value), X])
    labels, weights = np.concatenate([np.arange(6) % 3, y]), np.concatenate([np.full(6, weight), w])
    expected = SMOOTHED[name].fit(X, y, w)
    expected = expected.epsilon_, expected.predict_log_proba(X)
    found = SMOOTHED[name].fit(more, labels, weights)
    np.testing.assert_allclose(found.epsilon_, expected[0], rtol=1e-12)
    np.testing.assert_allclose(found.predict_log_proba(X), expected[1], rtol=1e-9, atol=1e-9)
    if name != "gaps":
        found = type(found)(**found.get_params()).partial_fit(
            more[:80], labels[:80], range(3), weights[:80]
        )
        found.partial_fit(more[80:], labels[80:], sample_weight=weights[80:])
        np.testing.assert_allclose(found.epsilon_, expected[0], rtol=1e-12)


def test_smoothing_by_ordinary_weights_is_that_of_scikit_learn():
    X, y, w = sample(10)
    ours = GaussianNB(var_smoothing=0.3).fit(X, y, w)
    theirs = SklearnNB(var_smoothing=0.3).fit(X, y, w)
    np.testing.assert_allclose(ours.epsilon_, theirs.epsilon_, rtol=1e-12)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "MixedNB"])
@pytest.mark.parametrize("power", [-900, -67, -1, 1, 13, 900])
def test_weights_times_a_power_of_two_change_no_bit(name, power):
    X, y, w = data_for(name, 6)
    model = MODELS[name]
    if name in DISCRETE:  # whose alpha is a count of rows
        model = type(model)(alpha=0)
        X = np.minimum(X, 1)
    expected = model.fit(X, y, w).predict_log_proba(X)
    found = model.fit(X, y, np.ldexp(w, power)).predict_log_proba(X)
    if name in DISCRETE:  # logarithms of counts
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("power", [-900, -67, -1, 1, 13, 900])
def test_weights_times_a_power_of_two_change_no_bit_of_mixed_numbers(power):
    X, y, w = data_for("MixedNB", 6)
    expected = MixedNB().fit(X, y, w).predict_log_proba(X)
    found = MixedNB().fit(X, y, np.ldexp(w, power)).predict_log_proba(X)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", MODELS)
def test_a_row_of_weight_2_is_two_rows(name):
    X, y, _ = data_for(name, 7)
    weights = 1.0 + (np.arange(len(y)) % 3 == 0)
    twice = np.repeat(np.arange(len(y)), weights.astype(int))
    expected = MODELS[name].fit(X[twice], y[twice]).predict_log_proba(X)
    found = MODELS[name].fit(X, y, weights).predict_log_proba(X)
    # MixedNB smooths by 1e-9 of a variance in which each row counts once; EM ends by its tol.
    tolerance = 1e-7 if name == "MixedNB" or name.endswith("gaps") else 1e-10
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
