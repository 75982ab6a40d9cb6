"""Scores know every direction in which classes differ, beside far classes, whatever the priors."""

import numpy as np
import pytest

import gauda

MEANS = {
    "a far class": [(0, 0, 0), (0, 6, 0), (1e5, 0, 0)],
    "a farther class": [(0, 0, 0), (0, 6, 0), (1e8, 0, 0)],
    "two scales": [(0, 0, 0), (0, 6, 0), (1e3, 0, 0), (0, 0, 1e6)],
    "near classes": [(0, 0, 0), (7, 0, 0), (0, 7, 0), (0, 0, 7)],
}
COMMON = {
    "lda svd": gauda.LDA,
    "lda lsqr": lambda **params: gauda.LDA(solver="lsqr", **params),
    "lda eigen": lambda **params: gauda.LDA(solver="eigen", **params),
    "lda reduced": lambda **params: gauda.LDA(reduced_rank=True, **params),
    "rda alpha": lambda **params: gauda.RDA(alpha=1, **params),
    "rda identity": lambda **params: gauda.RDA(gamma=1, target="identity", **params),
    "rda tied": lambda **params: gauda.RDA(covariance="tied", **params),
}
EVERY = COMMON | {
    "rda": lambda **params: gauda.RDA(alpha=0.999, **params),
    "qda": gauda.QDA,
    "nb": lambda **params: gauda.GaussianNB(var_smoothing=0, **params),
}


def drawn(means, dtype="f8", n=1500):
    """Draw classes of unit variance about these means."""
    rng = np.random.default_rng(0)
    y = rng.integers(len(means), size=n)
    return (rng.normal(size=(n, 3)) + np.array(means)[y]).astype(dtype), y


def nearest(X, means, priors):
    """Classify by the nearest mean, the exact rule of these classes."""
    squares = np.square(X[:, np.newaxis].astype("f8") - np.array(means)).sum(axis=2)
    return np.argmax(np.log(priors) - squares / 2, axis=1)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("means", MEANS.values(), ids=MEANS)
def test_no_class_is_lost_beside_far_ones(name, means):
    X, y = drawn(means)
    model = EVERY[name]().fit(X, y)
    best = np.mean(nearest(X, means, np.full(len(means), 1 / len(means))) == y)
    assert np.mean(model.predict(X) == y) > best - 0.005


@pytest.mark.parametrize("name", sorted(EVERY.keys() - {"lda reduced"}))
@pytest.mark.parametrize("tiny", [0.0, 1e-300, 1e-15, 1e-12, 1e-9, 1e-7])
@pytest.mark.parametrize(
    "means", [MEANS["near classes"], MEANS["a far class"]], ids=["near", "far"]
)
def test_priors_after_a_fit_with_tiny_ones_are_as_good_as_in_the_fit(name, tiny, means):
    X, y = drawn(means)
    k = len(means)
    small = np.array([1 - tiny, tiny, *[0.0] * (k - 2)])
    even = np.full(k, 1 / k)
    fit_with = EVERY[name](priors=small).fit(X, y)
    best = np.mean(nearest(X, means, even) == y)
    cost = 1 - np.eye(k)
    for labels in [
        fit_with.predict(X, priors=even),
        fit_with.predict(X, priors=np.tile(even, (len(X), 1))),
        fit_with.classify(X, "label", priors=even).label,
        fit_with.predict(X, priors=even, cost=cost),
        fit_with.set_params(priors=even).predict(X),
    ]:
        assert np.mean(labels == y) > best - 0.005


@pytest.mark.parametrize("name", ["lda svd", "rda alpha", "rda identity", "rda tied"])
def test_tiny_priors_do_not_change_the_odds_of_the_classes(name):
    """Where no prior weights the covariance, odds change by the ratio of the priors alone."""
    X, y = drawn(MEANS["near classes"])
    even = np.full(4, 0.25)
    expected = EVERY[name](priors=even).fit(X, y).predict_log_proba(X)
    for tiny in [0.0, 1e-300, 1e-12]:
        fitted = EVERY[name](priors=[0.5, 0.5 - tiny, tiny, 0]).fit(X, y)
        np.testing.assert_allclose(
            fitted.classify(X, "log_proba", priors=even).log_proba, expected, rtol=1e-9, atol=1e-10
        )


@pytest.mark.parametrize("far", [1e2, 1e4, 1e6, 1e9, 1e12])
def test_axes_span_all_means_however_far_one_is(far):
    X, y = drawn([(0, 0, 0), (0, 6, 0), (far, 0, 0)])
    lda = gauda.LDA().fit(X, y)
    assert lda.scalings_.shape == (3, 2)
    second = lda.transform(X)[:, 1]
    gap = abs(second[y == 1].mean() - second[y == 0].mean())
    assert gap == pytest.approx(6, rel=0.05)


def test_means_on_a_line_have_one_axis():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 4))
    means = np.outer([0.0, 1, 2, 5], [1.0, -2, 0.3, 7])
    X, y = np.concatenate([rows + mean for mean in means]), np.repeat(np.arange(4), 50)
    assert gauda.LDA().fit(X, y).scalings_.shape == (4, 1)
    assert gauda.LDA().fit(X * 1e-8 + 1, y).scalings_.shape[1] >= 1
