"""MAP estimates under a normal-inverse-Wishart prior, against the posterior density of scipy."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parity import blobs
from scipy.optimize import minimize
from scipy.stats import invwishart, multivariate_normal
from sklearn.base import clone
from sklearn.covariance import OAS

import gauda
from gauda import LDA, QDA, GaussianNB, NormalInverseWishart

X, y = blobs([7, 5], 2, seed=9)
PRIOR = NormalInverseWishart([0.5, -1.0], 1.7, [[3.0, 0.8], [0.8, 2.0]], 3.6)
ESTIMATORS = [LDA, QDA, GaussianNB]


# The largest posterior density


def log_posterior(groups, means, covariance, prior):
    """Return log p(means, covariance | rows) of classes that share a covariance, but a constant."""
    covariance = np.asarray(covariance)
    density = invwishart(prior.nu, prior.scale).logpdf(covariance)
    for rows, mean in zip(groups, means, strict=True):
        density += multivariate_normal(prior.mean, covariance / prior.kappa).logpdf(mean)
        density += multivariate_normal(mean, covariance).logpdf(rows).sum()
    return density


def from_parameters(parameters, n_classes, d):
    """Return means, and the covariance whose Cholesky factor has these entries."""
    means, entries = np.split(parameters, [n_classes * d])
    lower = np.zeros((d, d))
    lower[np.tril_indices(d)] = entries
    np.fill_diagonal(lower, np.exp(lower.diagonal()))
    return means.reshape(n_classes, d), lower @ lower.T


def assert_most_probable(groups, means, covariance, prior):
    """Check that a search finds these estimates, and nothing more probable."""
    n_classes, d = np.shape(means)

    def loss(parameters):
        return -log_posterior(groups, *from_parameters(parameters, n_classes, d), prior)

    start = np.zeros(n_classes * d + d * (d + 1) // 2)
    found = minimize(loss, start, method="BFGS", options={"gtol": 1e-6})
    found_means, found_covariance = from_parameters(found.x, n_classes, d)
    np.testing.assert_allclose(means, found_means, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(covariance, found_covariance, rtol=1e-4, atol=1e-4)
    assert log_posterior(groups, means, covariance, prior) >= -found.fun - 1e-9


@pytest.mark.parametrize("k", [0, 1])
def test_quadratic_estimates_are_the_most_probable(k):
    model = QDA(conjugate_prior=PRIOR, store_covariance=True).fit(X, y)
    assert_most_probable([X[y == k]], model.means_[[k]], model.covariance_[k], PRIOR)


@pytest.mark.parametrize("parameters", [{"store_covariance": True}, {"solver": "lsqr"}])
def test_linear_estimates_are_the_most_probable(parameters):
    model = LDA(conjugate_prior=PRIOR, **parameters).fit(X, y)
    groups = [X[y == k] for k in range(2)]
    assert_most_probable(groups, model.means_, model.covariance_, PRIOR)


@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize("column", [0, 1])
def test_naive_estimates_are_the_most_probable(k, column):
    model = GaussianNB(conjugate_prior=PRIOR, var_smoothing=0.0).fit(X, y)
    # The column's part of the prior: the marginal of an inverse Wishart.
    scale = [[PRIOR.scale[column][column]]]
    part = NormalInverseWishart([PRIOR.mean[column]], PRIOR.kappa, scale, PRIOR.nu - 1)
    rows = X[y == k][:, [column]]
    assert_most_probable([rows], [[model.theta_[k, column]]], [[model.var_[k, column]]], part)


def map_estimates(rows, prior):
    """Return mean and covariance by the formulas of the docstring."""
    n, d = rows.shape
    mean = rows.mean(axis=0)
    apart = mean - prior.mean
    scatter = (rows - mean).T @ (rows - mean)
    scatter += prior.scale + prior.kappa * n / (prior.kappa + n) * np.outer(apart, apart)
    return (prior.kappa * np.asarray(prior.mean) + n * mean) / (prior.kappa + n), scatter / (
        prior.nu + n + d + 2
    )


def test_means_far_from_zero_lose_no_digits():
    grid = np.round(64 * X) / 64
    near = NormalInverseWishart([0.5, -1.0], 0.5, [[3.0, 0.5], [0.5, 2.0]], 4)
    far = NormalInverseWishart([0.5 + 2**27, -1.0 + 2**27], 0.5, [[3.0, 0.5], [0.5, 2.0]], 4)
    got = QDA(conjugate_prior=far, store_covariance=True).fit(grid + 2**27, y).covariance_
    for k in range(2):
        np.testing.assert_allclose(got[k], map_estimates(grid[y == k], near)[1], rtol=1e-11)


# What the prior does not touch


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_class_proportions_count_rows_only(estimator):
    model = estimator(conjugate_prior=PRIOR).fit(X, y)
    priors = model.class_prior_ if estimator is GaussianNB else model.priors_
    np.testing.assert_array_equal(priors, [7 / 12, 5 / 12])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_moments_are_those_of_the_rows(estimator):
    model = estimator(conjugate_prior=PRIOR).fit(X, y)
    assert model.moments_ == estimator().fit(X, y).moments_


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_weights_count_as_rows(estimator):
    times = np.arange(12) % 3 + 1
    weighted = estimator(conjugate_prior=PRIOR).fit(X, y, sample_weight=times)
    repeated = estimator(conjugate_prior=PRIOR).fit(
        np.repeat(X, times, axis=0), np.repeat(y, times)
    )
    # Naive Bayes smooths by the variance of all rows, whatever their weight.
    np.testing.assert_allclose(
        weighted.predict_log_proba(X), repeated.predict_log_proba(X), rtol=1e-7, atol=1e-9
    )


def test_batches_under_a_prior_give_the_model_of_one_fit():
    model = QDA(conjugate_prior=PRIOR).partial_fit(X[:1], y[:1]).partial_fit(X[1:], y[1:])
    expected = QDA(conjugate_prior=PRIOR).fit(X, y)
    np.testing.assert_allclose(
        model.predict_log_proba(X), expected.predict_log_proba(X), rtol=1e-10
    )


def test_a_class_of_one_row_has_a_usable_covariance():
    model = QDA(conjugate_prior=PRIOR, store_covariance=True).fit(X[y == 0][:3], [0, 0, 1])
    np.testing.assert_allclose(
        model.covariance_[1], map_estimates(X[y == 0][2:3], PRIOR)[1], rtol=1e-13
    )


def test_a_class_without_rows_has_the_mode_of_the_prior():
    model = QDA(conjugate_prior=PRIOR, store_covariance=True).partial_fit(X, y, classes=[0, 1, 2])
    np.testing.assert_allclose(model.means_[2], PRIOR.mean, rtol=1e-15)
    np.testing.assert_allclose(model.covariance_[2], np.array(PRIOR.scale) / (3.6 + 4), rtol=1e-14)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_many_rows_outweigh_the_prior(estimator):
    rows, labels = blobs([20_000, 30_000], 2, seed=10)
    got = estimator(conjugate_prior=PRIOR).fit(rows, labels).mahalanobis(X)
    expected = estimator().fit(rows, labels).mahalanobis(X)
    assert 0 < np.abs(got / expected - 1).max() < 2e-3
    # Ten times the rows, a tenth of the difference.
    few = slice(0, 5000)
    early = estimator(conjugate_prior=PRIOR).fit(rows[few], labels[few]).mahalanobis(X)
    apart = np.abs(early / estimator().fit(rows[few], labels[few]).mahalanobis(X) - 1).max()
    assert np.abs(got / expected - 1).max() < apart / 3


# The empirical prior


ROWS, labels = blobs([60, 50, 3], 10, seed=11)


def pooled_scatter():
    means = np.stack([ROWS[labels == k].mean(axis=0) for k in range(3)])
    about = ROWS - means[labels]
    return about.T @ about


def test_the_empirical_prior_is_the_pooled_covariance_about_the_mean_of_all_rows():
    d, n = 10, len(ROWS)
    scale = (2 * d + 4) * pooled_scatter() / n
    prior = NormalInverseWishart(ROWS.mean(axis=0), 0.01, scale, d + 2)
    model = QDA(conjugate_prior="empirical", store_covariance=True).fit(ROWS, labels)
    for k in range(3):
        mean, covariance = map_estimates(ROWS[labels == k], prior)
        np.testing.assert_allclose(model.means_[k], mean, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(model.covariance_[k], covariance, rtol=1e-11, atol=1e-13)


def test_the_empirical_prior_of_naive_bayes_weighs_six_rows():
    model = GaussianNB(conjugate_prior="empirical", var_smoothing=0.0).fit(ROWS, labels)
    variances = pooled_scatter().diagonal() / len(ROWS)
    for k in range(3):
        rows = ROWS[labels == k]
        n, apart = len(rows), rows.mean(axis=0) - ROWS.mean(axis=0)
        scatter = n * rows.var(axis=0) + 6 * variances + 0.01 * n / (0.01 + n) * apart**2
        np.testing.assert_allclose(model.var_[k], scatter / (n + 6), rtol=1e-11)


def test_a_class_of_three_rows_in_ten_columns_predicts():
    with pytest.raises(
        np.linalg.LinAlgError, match="covariance matrix of class 2 is not full rank"
    ):
        QDA().fit(ROWS, labels)
    model = QDA(conjugate_prior="empirical").fit(ROWS, labels)
    assert np.isfinite(model.predict_joint_log_proba(ROWS)).all()
    np.testing.assert_array_equal(model.predict(ROWS[labels == 2]), [2, 2, 2])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_empirical_prior_needs_variance_only_when_asked(estimator):
    model = estimator(conjugate_prior="empirical").partial_fit(X[:1], y[:1], classes=[0, 1])
    with pytest.raises(ValueError, match=r"no class has two rows that differ\. Give a Normal"):
        model.predict(X)
    model.partial_fit(X[1:], y[1:])
    expected = estimator(conjugate_prior="empirical").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-9)


# The prior as a parameter


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])  # noqa: S301 (our own)
def test_copies_of_a_prior_are_equal(twin):
    assert twin(PRIOR) == PRIOR


def test_other_priors_are_not_equal():
    others = [(PRIOR.mean, 2, PRIOR.scale, PRIOR.nu), ([0, 0], PRIOR.kappa, PRIOR.scale, PRIOR.nu)]
    for other in others:
        assert NormalInverseWishart(*other) != PRIOR
    assert PRIOR != "empirical"


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_clone_has_the_same_prior(estimator):
    assert clone(estimator(conjugate_prior=PRIOR)).conjugate_prior == PRIOR


@pytest.mark.parametrize("prior", [PRIOR, "empirical"])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_saved_model_keeps_its_prior(estimator, prior, tmp_path):
    model = estimator(conjugate_prior=prior).fit(X, y)
    model.save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    assert loaded.conjugate_prior == prior
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


# What is refused


MEAN, SCALE = [0.0, 0.0], np.eye(2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0.0], 1, SCALE, 4), r"for 2 features mean must have shape \(2,\).*got \(1,\)"),
        ((MEAN, 1, np.eye(3), 4), r"scale \(2, 2\); got \(2,\) and \(3, 3\)"),
        ((MEAN, 0, SCALE, 4), "kappa must be a finite number above 0; got 0"),
        ((MEAN, np.inf, SCALE, 4), "kappa .* got inf"),
        ((MEAN, "one", SCALE, 4), "kappa .* got 'one'"),
        ((MEAN, 1, SCALE, 1), "nu must be a finite number above 1; got 1"),
        ((MEAN, 1, SCALE, np.nan), "nu .* got nan"),
        ((MEAN, 1, -SCALE, 4), "scale must be positive semidefinite"),
        ((MEAN, 1, [[1.0, 2.0], [2.0, 1.0]], 4), "scale must be positive semidefinite"),
        ((MEAN, 1, [[1.0, 0.5], [0.4, 1.0]], 4), "scale must be symmetric"),
        (([np.nan, 0.0], 1, SCALE, 4), "mean and scale must be finite"),
        ((MEAN, 1, np.full((2, 2), np.inf), 4), "mean and scale must be finite"),
    ],
)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_what_is_no_prior_is_refused(estimator, arguments, words):
    with pytest.raises(ValueError, match=words):
        estimator(conjugate_prior=NormalInverseWishart(*arguments)).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"unbiased": True}, "MAP estimates, to which unbiased=True does not apply"),
        ({"solver": "eigen", "shrinkage": "auto"}, "Use one of them only"),
        ({"solver": "eigen", "covariance_estimator": OAS()}, "Use one of them only"),
    ],
)
@pytest.mark.parametrize("estimator", [LDA, QDA])
def test_a_prior_goes_with_no_other_estimate(estimator, parameters, words):
    with pytest.raises(ValueError, match=words):
        estimator(conjugate_prior=PRIOR, **parameters).fit(X, y)


@pytest.mark.parametrize("prior", ["flat", 3, [0.5, 0.5]])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_other_values_are_no_prior(estimator, prior):
    with pytest.raises(ValueError, match="'conjugate_prior' parameter of"):
        estimator(conjugate_prior=prior).fit(X, y)


@pytest.mark.parametrize("parameters", [{"store_covariance": True}, {"solver": "lsqr"}])
def test_priors_in_proportion_do_not_change_the_common_map_covariance(parameters):
    expected = LDA(conjugate_prior=PRIOR).fit(X, y).coef_
    got = LDA(conjugate_prior=PRIOR, priors=[7 / 12, 5 / 12], **parameters).fit(X, y).coef_
    np.testing.assert_allclose(got, expected, rtol=1e-10)


def test_one_row_each_is_enough_for_linear_estimates_under_a_prior():
    rows = [[-5.0, -5.0], [5.0, 5.0]]
    assert LDA(conjugate_prior=PRIOR).fit(rows, [0, 1]).predict(rows).tolist() == [0, 1]


# Regularization beside a prior


PROFILE = settings(deadline=None, derandomize=True, database=None, max_examples=50)
POWERS = st.lists(st.integers(-9, 9), min_size=5, max_size=5)


@given(POWERS, st.integers(0, 2**32), st.sampled_from([0.05, 0.5, 1.0]))
@PROFILE
def test_regularization_acts_beside_a_prior_whatever_the_units(powers, seed, share):
    rng, units = np.random.default_rng(seed), 10.0 ** np.array(powers)
    rows, codes = rng.normal(size=(12, 5)) * units, np.repeat([0, 1], [3, 9])
    prior = NormalInverseWishart(np.zeros(5), 0.3, np.outer(units, units) * np.eye(5), 6.0)
    model = QDA(conjugate_prior=prior, reg_param=share, store_covariance=True).fit(rows, codes)
    for k in range(2):
        _, covariance = map_estimates(rows[codes == k], prior)
        expected = (1 - share) * covariance + share * np.eye(5)
        scales = np.sqrt(np.outer(expected.diagonal(), expected.diagonal()))
        np.testing.assert_allclose(model.covariance_[k] / scales, expected / scales, atol=1e-12)


@given(POWERS, st.integers(0, 2**32), st.integers(2, 4))
@PROFILE
def test_without_a_prior_few_rows_are_refused_whatever_the_units(powers, seed, n_rows):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n_rows + 9, 5)) * 10.0 ** np.array(powers)
    with pytest.raises(np.linalg.LinAlgError, match="class 0 is not full rank"):
        QDA(reg_param=0.5).fit(rows, np.repeat([0, 1], [n_rows, 9]))
