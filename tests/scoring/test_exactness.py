"""Every number of the three models on iris, banknote and skulls, against 60-digit arithmetic."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone

from gauda import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

DATASETS = ["iris", "banknote", "skulls"]
DIVISORS = [("ml", False), ("unbiased", True)]
DISCRIMINANTS = [
    (f"{oracle}_{divisor}", Estimator(solver=solver, store_covariance=True, unbiased=unbiased))
    for divisor, unbiased in DIVISORS
    for oracle, Estimator, solvers in [
        ("qda", QuadraticDiscriminantAnalysis, ["svd", "eigen"]),
        ("lda", LinearDiscriminantAnalysis, ["svd", "lsqr", "eigen"]),
    ]
    for solver in solvers
]
NAIVE_BAYES = [
    *((f"gnb_{name}", GaussianNB(var_smoothing=0, unbiased=flag)) for name, flag in DIVISORS),
    ("gnb_sklearn", GaussianNB(var_smoothing=1e-9)),
]


def cases(models):
    """Cross the data sets with (oracle, estimator) pairs."""
    return [
        pytest.param(
            (dataset, oracle, estimator),
            id=f"{dataset}-{oracle}-{getattr(estimator, 'solver', '')}",
        )
        for dataset in DATASETS
        for oracle, estimator in models
    ]


@pytest.fixture(scope="module", params=cases(DISCRIMINANTS + NAIVE_BAYES))
def case(request, load_data, load_oracle):
    """Give one estimator fitted on one data set, its training rows, and the exact answers."""
    dataset, oracle, estimator = request.param
    X, y = load_data(dataset)
    return SimpleNamespace(
        model=clone(estimator).fit(X, y), X=X, exact=load_oracle(dataset, oracle)
    )


def assert_exact(values, exact):
    """Check that absolute errors stay within 1e-9 + 1e-12 |value|."""
    assert values.dtype == np.float64
    np.testing.assert_allclose(values, exact, atol=1e-9, rtol=1e-12)


def test_log_posteriors_are_exact(case):
    assert_exact(case.model.predict_log_proba(case.X), case.exact.log_posterior)


def test_log_densities_are_exact(case):
    assert_exact(case.model.score_samples(case.X), case.exact.log_density)


def test_joint_log_probabilities_are_exact(case):
    joint = case.exact.log_posterior + case.exact.log_density[:, None]
    assert_exact(case.model.predict_joint_log_proba(case.X), joint)


def test_posteriors_are_exact_down_to_the_smallest_doubles(case):
    posterior = np.exp(case.exact.log_posterior)
    np.testing.assert_allclose(
        case.model.predict_proba(case.X), posterior, rtol=2e-9, atol=np.finfo(float).tiny
    )


def test_predicted_label_has_the_largest_exact_posterior(case):
    expected = case.exact.classes[case.exact.log_posterior.argmax(axis=1)]
    np.testing.assert_array_equal(case.model.predict(case.X), expected)


def test_mahalanobis_distances_are_exact(case):
    # log p(x, k) = log prior_k - (d log 2 pi + log det_k + q_k) / 2, solved for q_k.
    exact = case.exact
    joint = exact.log_posterior + exact.log_density[:, None]
    constant = case.X.shape[1] * np.log(2 * np.pi) + exact.log_determinants
    assert_exact(case.model.mahalanobis(case.X), 2 * (np.log(exact.priors) - joint) - constant)


@pytest.mark.parametrize("case", cases(DISCRIMINANTS), indirect=True)
def test_decision_function_holds_the_exact_log_odds(case):
    log_odds = case.exact.log_posterior - case.exact.log_posterior[:, :1]
    decision = case.model.decision_function(case.X)
    if decision.ndim == 1:
        assert_exact(decision, log_odds[:, 1])
    else:
        assert_exact(decision - decision[:, :1], log_odds)


def test_priors_are_exact(case):
    attribute = "class_prior_" if isinstance(case.model, GaussianNB) else "priors_"
    np.testing.assert_allclose(getattr(case.model, attribute), case.exact.priors, rtol=1e-15)


def test_means_are_exact(case):
    attribute = "theta_" if isinstance(case.model, GaussianNB) else "means_"
    np.testing.assert_allclose(getattr(case.model, attribute), case.exact.means, rtol=5e-16)


@pytest.mark.parametrize("case", cases(DISCRIMINANTS), indirect=True)
def test_covariances_are_exact(case):
    covariances = np.reshape(case.model.covariance_, case.exact.covariances.shape)
    sd = np.sqrt(np.diagonal(case.exact.covariances, axis1=1, axis2=2))
    error = (covariances - case.exact.covariances) / (sd[:, :, None] * sd[:, None, :])
    assert np.abs(error).max() < 1e-13


@pytest.mark.parametrize("case", cases(NAIVE_BAYES), indirect=True)
def test_variances_are_exact(case):
    variances = np.diagonal(case.exact.covariances, axis1=1, axis2=2)
    np.testing.assert_allclose(case.model.var_, variances, rtol=1e-13)
