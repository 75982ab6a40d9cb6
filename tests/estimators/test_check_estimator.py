"""scikit-learn's estimator checks: everything its own classes pass, gauda's pass too."""

import warnings

import numpy as np
import peers
import pytest
from sklearn import naive_bayes
from sklearn.covariance import LedoitWolf
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

from gauda import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    LinearDiscriminantAnalysis,
    MixedNB,
    MultinomialNB,
    QuadraticDiscriminantAnalysis,
)

FLAWLESS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(n_components=1, unbiased=True, n_threads=2),
    LinearDiscriminantAnalysis(reduced_rank=True),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(reg_param=0.1, store_covariance=True),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.3, unbiased=True, n_threads=2),
    GaussianNB(),
    GaussianNB(unbiased=True, n_threads=2),
    BernoulliNB(),
    BernoulliNB(binarize=0.5, prior_a=2.0, prior_b=3.0, n_threads=2),
    CategoricalNB(),
    MixedNB(),
    MultinomialNB(),
    ComplementNB(norm=True, n_threads=2),
]
# Checks of weights on data that leave a class without a covariance: QDA has to refuse them. The
# last test makes sure that scikit-learn's refuses them, too.
SINGULAR = {
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
}
if peers.is_lacking("QDA's checks"):
    SINGULAR |= {"check_n_features_in_after_fitting", "check_dtype_object"}
# Checks of weights that give fractions for categories: CategoricalNB has to refuse them.
FRACTIONAL = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_classifiers_one_label_sample_weights",
    "check_class_weight_classifiers",
}
if peers.is_lacking("negative categories"):
    FRACTIONAL |= {"check_positive_only_tag_during_fit"}
# A check on negative numbers, of which there are no counts.
NEGATIVE = {"check_class_weight_classifiers"}
# A check that weighs a class with less than one row in all: n - 1 is no divisor then.
LIGHT = {"check_class_weight_classifiers"}
# Runs only if the environment asks for it, and then on data for which LDA has no density.
ARRAY_API = {"check_array_api_input"}


def checks(estimator):
    """List scikit-learn's checks that apply to an estimator."""
    unfit = SINGULAR if isinstance(estimator, QuadraticDiscriminantAnalysis) else set()
    unfit |= FRACTIONAL if isinstance(estimator, CategoricalNB) else set()
    unfit |= NEGATIVE if isinstance(estimator, MultinomialNB | ComplementNB) else set()
    own_divisors = (QuadraticDiscriminantAnalysis, GaussianNB)
    unfit |= LIGHT if isinstance(estimator, own_divisors) and estimator.unbiased else set()
    name = "".join(str(estimator).split())
    return [
        pytest.param(estimator, check, id=f"{name}-{check.func.__name__}-{check.keywords}")
        for _, check in estimator_checks_generator(estimator)
        if check.func.__name__ not in unfit | ARRAY_API
    ]


@pytest.mark.parametrize(
    ("estimator", "check"), [case for estimator in FLAWLESS for case in checks(estimator)]
)
def test_scikit_learn_check_passes(estimator, check):
    check(estimator)


class CountingRows:
    """Gives scikit-learn's discriminants weights: rows are repeated."""

    def fit(self, X, y, sample_weight=None):
        if sample_weight is None:
            return super().fit(X, y)
        times = np.asarray(sample_weight, dtype=int)
        return super().fit(np.repeat(X, times, axis=0), np.repeat(y, times))


class CountingLDA(CountingRows, peers.LinearDiscriminantAnalysis):
    pass


class CountingQDA(CountingRows, peers.QuadraticDiscriminantAnalysis):
    pass


SETTINGS = [
    (LinearDiscriminantAnalysis, CountingLDA, {"solver": "lsqr"}),
    (LinearDiscriminantAnalysis, CountingLDA, {"solver": "lsqr", "shrinkage": "auto"}),
    (LinearDiscriminantAnalysis, CountingLDA, {"solver": "eigen"}),
    (LinearDiscriminantAnalysis, CountingLDA, {"solver": "eigen", "shrinkage": 0.3}),
    (
        LinearDiscriminantAnalysis,
        CountingLDA,
        {"solver": "eigen", "covariance_estimator": LedoitWolf()},
    ),
    (QuadraticDiscriminantAnalysis, CountingQDA, {}),
    (QuadraticDiscriminantAnalysis, CountingQDA, {"reg_param": 0.1}),
    (QuadraticDiscriminantAnalysis, CountingQDA, {"solver": "eigen", "shrinkage": "auto"}),
    (QuadraticDiscriminantAnalysis, CountingQDA, {"solver": "eigen", "shrinkage": 0.3}),
    (
        QuadraticDiscriminantAnalysis,
        CountingQDA,
        {"solver": "eigen", "covariance_estimator": LedoitWolf()},
    ),
    (GaussianNB, naive_bayes.GaussianNB, {"var_smoothing": 0.01}),
    (BernoulliNB, naive_bayes.BernoulliNB, {"alpha": 0.5}),
]


def failures(estimator):
    """Run all checks: the number that passed, and what each of the others raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's own classes warn here and there
        results = check_estimator(estimator, on_skip=None, on_fail=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    return sum(r["status"] == "passed" for r in results), failed


@pytest.mark.parametrize(("ours", "theirs", "params"), SETTINGS)
def test_no_check_fails_that_scikit_learns_class_passes(ours, theirs, params):
    _, known = failures(theirs(**params))
    passed, failed = failures(ours(**params))
    # Somebody else's covariance estimator has no use for weights.
    apart = ("sample_weight", "class_weight") if "covariance_estimator" in params else ()
    new = [name for name in failed.keys() - known.keys() if not any(a in name for a in apart)]
    assert {name: failed[name] for name in new} == {}
    assert passed > 30
