"""EM under the regularization of the model, against plain numpy and the definitions."""

import warnings

import numpy as np
import pandas as pd
import pytest
from gaps import correlated, log_densities, plain_em, with_gaps
from numpy.linalg import LinAlgError
from scipy.stats import invwishart, multivariate_normal
from sklearn.exceptions import ConvergenceWarning

from gauda import LDA, QDA, RDA, MixedNB, NormalInverseWishart

D = 4
PRIOR = NormalInverseWishart(np.arange(D), 2.5, 3 * np.eye(D) + 1, 9.0)
PRIORS = [0.2, 0.5, 0.3]


def toward(covariances, gamma, target):
    """Return (1 - gamma) B + gamma T(B)."""
    eye = np.eye(D)
    targets = {
        "spherical": lambda b: np.trace(b) / D * eye,
        "diagonal": lambda b: b * eye,
        "identity": lambda _: eye,
    }
    return np.array([(1 - gamma) * b + gamma * targets[target](b) for b in covariances])


def friedman(alpha, gamma, target="spherical", pooling="covariance"):
    """Return the covariances of regularized discriminant analysis."""

    def regularize(means, scatters, totals):
        n = totals[:, None, None]
        pooled = scatters.sum(axis=0)
        if pooling == "scatter":
            mixed = (1 - alpha) * scatters + alpha * pooled
            mixed /= (1 - alpha) * n + alpha * n.sum()
        else:
            mixed = (1 - alpha) * scatters / n + alpha * pooled / n.sum()
        return means, toward(mixed, gamma, target)

    return regularize


def oas(means, scatters, totals):
    """Return covariances shrunk by the oracle-approximating intensity (Chen et al. 2010)."""
    covariances = scatters / totals[:, None, None]
    for k, s in enumerate(covariances):
        alpha, mu = np.mean(s**2), np.trace(s) / D
        intensity = min((alpha + mu**2) / ((totals[k] + 1) * (alpha - mu**2 / D)), 1.0)
        covariances[k] = (1 - intensity) * s + intensity * mu * np.eye(D)
    return means, covariances


def common(weights, gamma=0.0):
    """Return the covariances of classes weighted and shrunk, the same for all."""

    def regularize(means, scatters, totals):
        mixed = np.tensordot(weights, scatters / totals[:, None, None], axes=1)
        return means, toward(np.repeat(mixed[None], 3, axis=0), gamma, "spherical")

    return regularize


def most_probable(prior, *, tied=False):
    """Return means and covariances of largest posterior."""

    def regularize(means, scatters, totals):
        mean, n, kappa = np.asarray(prior.mean), totals[:, None], prior.kappa
        apart = means - mean
        moved = (kappa * mean + n * means) / (kappa + n)
        squares = np.einsum("k,ki,kj->kij", kappa * totals / (kappa + totals), apart, apart)
        if tied:
            joint = prior.scale + scatters.sum(axis=0) + squares.sum(axis=0)
            divisor = prior.nu + totals.sum() + D + 1 + 3
            return moved, np.repeat(joint[None] / divisor, 3, axis=0)
        joint = prior.scale + scatters + squares
        return moved, joint / (prior.nu + n[:, None] + D + 2)

    return regularize


def empirical(means, scatters, totals):
    """Return the estimates under the prior that is made of the moments themselves."""
    n = totals.sum()
    scale = (2 * D + 4) * scatters.sum(axis=0) / n
    prior = NormalInverseWishart(totals @ means / n, 0.01, scale, D + 2.0)
    return most_probable(prior)(means, scatters, totals)


def tied(regularize):
    """Return a function of the scatters of classes which are all a share of the pooled one."""

    def regularize_pooled(means, scatters, totals):
        shares = totals[:, None, None] / totals.sum()
        return regularize(means, shares * scatters.sum(axis=0), totals)

    return regularize_pooled


CASES = {
    "RDA": (RDA(0.3, 0.2), friedman(0.3, 0.2)),
    "RDA alpha=1": (RDA(1.0), friedman(1.0, 0.0)),
    "RDA diagonal": (RDA(0.1, 0.4, target="diagonal"), friedman(0.1, 0.4, "diagonal")),
    "RDA identity": (RDA(0.0, 0.4, target="identity"), friedman(0.0, 0.4, "identity")),
    "RDA scatter": (RDA(0.3, 0.2, pooling="scatter"), friedman(0.3, 0.2, pooling="scatter")),
    "RDA diag": (RDA(covariance="diag"), friedman(0.0, 1.0, "diagonal")),
    "RDA spherical": (RDA(covariance="tied_spherical"), friedman(1.0, 1.0)),
    "RDA oas": (RDA(shrinkage="oas"), oas),
    "QDA reg_param": (QDA(reg_param=0.3), friedman(0.0, 0.3, "identity")),
    "QDA shrinkage": (QDA(solver="eigen", shrinkage=0.3), friedman(0.0, 0.3)),
    "QDA prior": (QDA(conjugate_prior=PRIOR), most_probable(PRIOR)),
    "QDA empirical": (QDA(conjugate_prior="empirical"), empirical),
    "LDA shrinkage": (LDA("lsqr", 0.3), tied(friedman(1.0, 0.3))),
    "LDA priors": (LDA("eigen", 0.1, priors=PRIORS), common(PRIORS, 0.1)),
    "LDA prior": (LDA(conjugate_prior=PRIOR), tied(most_probable(PRIOR, tied=True))),
}
"""Estimators, and what they make of means, scatters and weights."""


ROWS_COUNT = {"prior", "empirical", "oas"}


def fitted(model, X, y, weights=None, **parameters):
    """Fit a model that takes missing values and keeps its covariances."""
    return model.set_params(missing="marginalize", store_covariance=True, **parameters).fit(
        X, y, sample_weight=weights
    )


def covariances(model):
    """Return the covariance of each class."""
    return np.broadcast_to(model.covariance_, (3, D, D))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_iter", [1, 4])
@pytest.mark.parametrize("case", CASES)
def test_each_iteration_is_that_of_plain_em(case, n_iter, weighted):
    model, regularize = CASES[case]
    X, y = correlated(90, D, 3)
    X = with_gaps(X)
    weights = np.arange(90) % 4 / 2 + 0.5 if weighted else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted(model, X, y, weights, em_max_iter=n_iter, em_tol=0)
    pooled = case.startswith("LDA") and case != "LDA priors"
    means, expected = plain_em(X, y, n_iter, tied=pooled, weights=weights, regularize=regularize)
    np.testing.assert_allclose(model.means_, means, rtol=1e-11)
    np.testing.assert_allclose(covariances(model), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_iterations_end_where_another_changes_nothing(case):
    model, regularize = CASES[case]
    X, y = correlated(90, D, 3, seed=5)
    X = with_gaps(X, 0.3, seed=5)
    fitted(model, X, y, em_max_iter=5000, em_tol=1e-13)
    assert model.converged_
    pooled = case.startswith("LDA") and case != "LDA priors"
    means, expected = plain_em(X, y, model.n_iter_ + 3, tied=pooled, regularize=regularize)
    np.testing.assert_allclose(model.means_, means, rtol=1e-6)
    np.testing.assert_allclose(covariances(model), expected, rtol=1e-5, atol=1e-7)
    likelihood = log_densities(X, model.means_, covariances(model))[np.arange(90), y].sum()
    assert model.log_likelihood_[-1] == pytest.approx(likelihood, rel=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_iterations_end_without_a_tolerance_too(case):
    X, y = correlated(60, D, 3, seed=2)
    model = fitted(CASES[case][0], with_gaps(X, 0.2), y, em_tol=0.0, em_max_iter=5000)
    assert model.converged_


def test_the_posterior_of_the_parameters_never_falls():
    X, y = correlated(45, D, 3)
    X = with_gaps(X, 0.4)

    def log_posterior(n_iter):
        model = QDA(conjugate_prior=PRIOR)
        with pytest.warns(ConvergenceWarning):
            fitted(model, X, y, em_max_iter=n_iter, em_tol=0)
        total = log_densities(X, model.means_, model.covariance_)[np.arange(45), y].sum()
        for mean, covariance in zip(model.means_, model.covariance_, strict=True):
            total += invwishart(PRIOR.nu, PRIOR.scale).logpdf(covariance)
            total += multivariate_normal(PRIOR.mean, covariance / PRIOR.kappa).logpdf(mean)
        return total

    assert (np.diff([log_posterior(n_iter) for n_iter in range(1, 12)]) > 0).all()


def test_independent_columns_have_the_moments_of_what_is_observed():
    X, y = correlated(90, D, 3)
    X = with_gaps(X, 0.3)
    rda = fitted(RDA(covariance="diag"), X, y, em_tol=1e-14, em_max_iter=5000)
    for k in range(3):
        np.testing.assert_allclose(rda.means_[k], np.nanmean(X[y == k], axis=0), rtol=1e-7)
        variances = np.nanvar(X[y == k], axis=0)
        np.testing.assert_allclose(np.diag(rda.covariance_[k]), variances, rtol=1e-6)


def test_unbiased_divisors_come_last():
    X, y = correlated(90, D, 3)
    X = with_gaps(X)
    plain = fitted(RDA(0.0, 0.3), X, y)
    unbiased = fitted(RDA(0.0, 0.3, unbiased=True), X, y)
    for ours, theirs in zip(unbiased.covariance_, plain.covariance_, strict=True):
        np.testing.assert_allclose(ours, theirs * 30 / 29, rtol=1e-12)


def everyday():
    """Return a frame with one-hot columns of which some never vary in a class, and gaps."""
    random = np.random.default_rng(3)
    y = np.repeat(["Adelie", "Chinstrap", "Gentoo"], 40)
    island = np.where(
        y == "Chinstrap",
        "Dream",
        np.where(y == "Gentoo", "Biscoe", random.choice(["Torgersen", "Dream"], 120)),
    )
    numbers = random.standard_normal((120, 3)) + np.repeat([[0.0], [1.0], [2.0]], 40, axis=0)
    frame = pd.DataFrame(numbers, columns=["bill", "flipper", "mass"])
    frame = frame.join(pd.get_dummies(pd.Series(island, name="island"), dtype=float))
    return frame.mask(np.random.default_rng(4).random(frame.shape) < 0.05), y


@pytest.mark.parametrize(
    "model",
    [
        RDA(0.3, 0.1),
        RDA(shrinkage="oas"),
        QDA(reg_param=0.1),
        QDA(solver="eigen", shrinkage=0.1),
        QDA(conjugate_prior=NormalInverseWishart(np.zeros(6), 0.1, np.eye(6), 9.0)),
        LDA("lsqr", 0.1),
        LDA("eigen", 0.1, priors=PRIORS),
        LDA(conjugate_prior=NormalInverseWishart(np.zeros(6), 0.1, np.eye(6), 9.0)),
    ],
)
def test_a_frame_with_categories_as_0_and_1_is_learned_if_the_model_is_regularized(model):
    X, y = everyday()
    model.set_params(missing="marginalize", em_max_iter=5000).fit(X, y)
    assert model.converged_
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize(
    ("model", "remedy"),
    [
        (QDA(), r"RegularizedDiscriminantAnalysis\(alpha=0.5, gamma=0.1\)"),
        (LDA(), "solver='lsqr' with shrinkage=0.1"),
        (RDA(), "gamma=0.1"),
        (RDA(0.3, 0.1, target="diagonal"), "gamma=0.1, target='spherical'"),
    ],
)
def test_what_is_singular_without_leads_to_what_helps(model, remedy):
    X, y = everyday()
    with pytest.raises(LinAlgError, match=f"EM for missing values .* singular .*{remedy}.*MixedNB"):
        model.set_params(missing="marginalize").fit(X, y)
    MixedNB().fit(X, y)


# a prior, and the intensity of Chen et al., count rows by their weights
@pytest.mark.parametrize("case", [name for name in CASES if name.split()[-1] not in ROWS_COUNT])
def test_weights_of_any_size_give_the_same_shrunken_estimates(case):
    X, y = correlated(90, D, 3)
    X = with_gaps(X)
    model, found = CASES[case][0], {}
    for scale in (1.0, 2.0**-500):
        fitted(model, X, y, np.full(90, scale), em_tol=1e-10, em_max_iter=1000)
        found[scale] = covariances(model).copy()
    np.testing.assert_allclose(found[2.0**-500], found[1.0], rtol=1e-9)
