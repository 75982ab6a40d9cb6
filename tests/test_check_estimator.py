"""scikit-learn's estimator checks: everything its own classes pass, gauda's pass too."""

import warnings

import pytest
from sklearn import discriminant_analysis, naive_bayes
from sklearn.covariance import LedoitWolf
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from gauda import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

# scikit-learn's classes pass every check with these parameters (but `unbiased` and `n_threads`).
FLAWLESS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(n_components=1, unbiased=True, n_threads=2),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(reg_param=0.1, store_covariance=True),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.3, unbiased=True, n_threads=2),
    GaussianNB(),
    GaussianNB(unbiased=True, n_threads=2),
]


@parametrize_with_checks(FLAWLESS)
def test_scikit_learn_check_passes(estimator, check):
    check(estimator)


def failures(estimator):
    """Run all checks: the number that passed, and what each of the others raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's own classes warn here and there
        results = check_estimator(estimator, on_skip=None, on_fail=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    return sum(r["status"] == "passed" for r in results), failed


@pytest.mark.parametrize(
    ("theirs", "ours", "params"),
    [
        (discriminant_analysis.LinearDiscriminantAnalysis, LinearDiscriminantAnalysis, params)
        for params in [
            {"solver": "lsqr"},
            {"solver": "lsqr", "shrinkage": "auto"},
            {"solver": "eigen"},
            {"solver": "eigen", "shrinkage": 0.3},
            {"solver": "eigen", "covariance_estimator": LedoitWolf()},
        ]
    ]
    + [
        (
            discriminant_analysis.QuadraticDiscriminantAnalysis,
            QuadraticDiscriminantAnalysis,
            {"solver": "eigen", "covariance_estimator": LedoitWolf()},
        ),
        (naive_bayes.GaussianNB, GaussianNB, {"var_smoothing": 0.01}),
    ],
)
def test_no_check_fails_that_scikit_learn_passes(theirs, ours, params):
    _, known = failures(theirs(**params))
    passed, failed = failures(ours(**params))
    # lsqr has no transform: checks of it fail for us and, where it has them, for scikit-learn.
    new = {
        name: error
        for name, error in failed.items()
        if name not in known and "transform not implemented for 'lsqr'" not in str(error)
    }
    assert new == {}
    assert passed > 30
