"""Naive Bayes in batches and with weights, against scikit-learn; its densities against scipy."""

import numpy as np
import pytest
from parity import DATASETS, FULL_RANK, assert_same, priors
from peers import theirs
from scipy.special import logsumexp
from scipy.stats import norm
from support import fitted, ours

RTOL = 1e-11
BATCHES = {"two batches": [37], "many batches": range(5, 60, 5), "single rows": range(20, 65)}


def in_batches(model, X, y, cuts, weights=None):
    """Call partial_fit on consecutive pieces of the data, naming the classes at the first."""
    classes = np.unique(y)
    for rows in np.split(np.arange(len(y)), list(cuts)):
        weight = None if weights is None else weights[rows]
        model.partial_fit(X[rows], y[rows], classes=classes, sample_weight=weight)
        classes = None
    return model


def assert_same_fit(model, reference):
    expected = fitted(reference)
    actual = fitted(model)
    assert actual.keys() >= expected.keys()
    for attribute, value in expected.items():
        assert_same(actual[attribute], value, RTOL)


@pytest.mark.parametrize("cuts", BATCHES.values(), ids=BATCHES)
@pytest.mark.parametrize("dataset", FULL_RANK)
def test_batches_give_scikit_learns_fit_of_the_whole(cuts, dataset):
    # scikit-learn smooths by the variance of the last batch; the whole is what is meant.
    X, y = DATASETS[dataset]
    assert_same_fit(in_batches(ours("GaussianNB"), X, y, cuts), theirs("GaussianNB").fit(X, y))


@pytest.mark.parametrize("cuts", BATCHES.values(), ids=BATCHES)
def test_unsmoothed_batches_are_scikit_learns(cuts):
    X, y = DATASETS["two classes"]
    model, reference = (
        in_batches(make("GaussianNB", var_smoothing=0), X, y, cuts) for make in [ours, theirs]
    )
    assert_same_fit(model, reference)


def test_classes_may_be_named_again_with_every_batch():
    X, y = DATASETS["three classes"]
    model = ours("GaussianNB")
    for rows in [slice(0, 40), slice(40, None)]:
        model.partial_fit(X[rows], y[rows], classes=np.unique(y))
    assert_same_fit(model, theirs("GaussianNB").fit(X, y))


@pytest.mark.parametrize("cuts", BATCHES.values(), ids=BATCHES)
def test_weighted_batches_are_scikit_learns(cuts):
    X, y = DATASETS["two classes"]
    weights = np.linspace(0.1, 3, len(y))
    model, reference = (
        in_batches(make("GaussianNB", var_smoothing=0), X, y, cuts, weights)
        for make in [ours, theirs]
    )
    assert_same_fit(model, reference)


def test_given_priors_stay_through_the_batches():
    X, y = DATASETS["three classes"]
    model = in_batches(ours("GaussianNB", priors=priors(y)), X, y, [30, 60])
    assert_same_fit(model, theirs("GaussianNB", priors=priors(y)).fit(X, y))


def test_class_that_comes_in_a_later_batch_is_learnt():
    X, y = DATASETS["three classes"]
    order = np.argsort(y, kind="stable")  # one class after the other
    X, y = X[order], y[order]
    counts = np.unique(y, return_counts=True)[1]
    model = in_batches(ours("GaussianNB"), X, y, np.cumsum(counts)[:-1])
    assert_same_fit(model, theirs("GaussianNB").fit(X, y))


def test_class_not_seen_yet_is_as_in_scikit_learn():
    X, y = DATASETS["three classes"]
    some = y != "virginica"
    model, reference = (
        make("GaussianNB").partial_fit(X[some], y[some], classes=np.unique(y))
        for make in [ours, theirs]
    )
    assert_same_fit(model, reference)
    assert set(model.predict(X)) == {"a", "setosa"}


def test_fit_forgets_the_batches_before():
    X, y = DATASETS["three classes"]
    model = in_batches(ours("GaussianNB"), X + 5, y, [50]).fit(X, y)
    assert_same_fit(model, theirs("GaussianNB").fit(X, y))


@pytest.mark.parametrize("var_smoothing", [0, 1e-9, 0.1])
@pytest.mark.parametrize("dataset", FULL_RANK)
def test_weighted_fits_are_scikit_learns(var_smoothing, dataset):
    X, y = DATASETS[dataset]
    weights = np.linspace(0, 3, len(y) + 1)[1:]  # rows of weight 0 count there, but not here
    model, reference = (
        make("GaussianNB", var_smoothing=var_smoothing).fit(X, y, sample_weight=weights)
        for make in [ours, theirs]
    )
    assert_same_fit(model, reference)
    assert_same(model.predict_log_proba(X), reference.predict_log_proba(X), RTOL)


@pytest.mark.parametrize("far", [1e3, 1e9])
def test_rows_of_weight_zero_cost_no_accuracy_however_far_they_lie(far):
    X, y = DATASETS["three classes"]
    reference = theirs("GaussianNB", var_smoothing=0).fit(X, y)
    far_first = np.vstack([np.full_like(X, far), X])
    weights = np.repeat([0, 1], len(y))
    model = ours("GaussianNB", var_smoothing=0).fit(far_first, np.tile(y, 2), weights)
    assert_same(model.theta_, reference.theta_, RTOL)
    assert_same(model.var_, reference.var_, RTOL)


@pytest.mark.parametrize("weighted", [False, True])
def test_unbiased_variances_divide_by_one_less(weighted):
    X, y = DATASETS["three classes"]
    weights = np.arange(len(y)) % 4 if weighted else np.ones(len(y), dtype=int)
    model = ours("GaussianNB", var_smoothing=0, unbiased=True).fit(X, y, sample_weight=weights)
    expected = [np.diag(np.cov(X[y == k].T, fweights=weights[y == k])) for k in model.classes_]
    assert_same(model.var_, np.array(expected), RTOL)


@pytest.mark.parametrize("var_smoothing", [0, 0.1])
@pytest.mark.parametrize("dataset", FULL_RANK)
def test_densities_are_scipys_for_scikit_learns_parameters(var_smoothing, dataset):
    X, y = DATASETS[dataset]
    reference = theirs("GaussianNB", var_smoothing=var_smoothing).fit(X, y)
    sd = np.sqrt(reference.var_)
    log_densities = norm(reference.theta_, sd).logpdf(X[:, None, :]).sum(axis=2)
    model = ours("GaussianNB", var_smoothing=var_smoothing).fit(X, y)
    joint = log_densities + np.log(reference.class_prior_)
    assert_same(model.score_samples(X), logsumexp(joint, axis=1), RTOL)
    distances = np.sum(((X[:, None, :] - reference.theta_) / sd) ** 2, axis=2)
    assert_same(model.mahalanobis(X), distances, RTOL)
