"""A call that fails changes nothing, in every model: answers and statistics are those of before."""

import copy
import pickle

import numpy as np
import pytest
from models import MODELS, STEPWISE


def bad_weights(X, y):
    return X, y, np.full(len(y), -1.0)


def too_few_labels(X, y):
    return X, y[:-1], None


def a_label_that_is_missing(X, y):
    return X, np.where(np.arange(len(y)) == 3, None, y.astype(object)), None


def no_rows(X, y):
    return X[:0], y[:0], None


def no_weight(X, y):
    return X, y, np.zeros(len(y))


FAULTS = [bad_weights, too_few_labels, a_label_that_is_missing, no_rows, no_weight]
UNNOTICED = {(no_weight, "partial_fit")}
"""A batch without weight is one that adds nothing; scikit-learn takes it too."""


def answers(model, X):
    return [model.predict(X), model.predict_log_proba(X), model.predict_joint_log_proba(X)]


def assert_same(model, before, X):
    for got, expected in zip(answers(model, X), before, strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", MODELS)
def test_a_failed_fit_leaves_the_model_before(name, fault):
    X, y = MODELS[name].data()
    model = MODELS[name].fitted()
    before, held = answers(model, X), pickle.dumps(model)
    other_X, other_y, weights = fault(X, y)
    with pytest.raises((TypeError, ValueError)):
        model.fit(other_X, other_y, sample_weight=weights)
    assert_same(model, before, X)
    assert pickle.dumps(model) == held


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        (name, fault)
        for name in STEPWISE
        for fault in FAULTS
        if (fault, "partial_fit") not in UNNOTICED
    ],
)
def test_a_failed_batch_leaves_the_model_before(name, fault):
    X, y = MODELS[name].data()
    model = MODELS[name].fitted()
    before = answers(model, X)
    other_X, other_y, weights = fault(X, y)
    with pytest.raises((TypeError, ValueError)):
        model.partial_fit(other_X, other_y, sample_weight=weights)
    assert_same(model, before, X)
    # The next batch is learned as if the failed call had not been made.
    untouched = copy.deepcopy(MODELS[name].fitted())
    assert_same(model.partial_fit(X, y), answers(untouched.partial_fit(X, y), X), X)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", MODELS)
def test_a_first_fit_that_fails_leaves_the_estimator_unfitted(name, fault):
    X, y = MODELS[name].data()
    model = MODELS[name].make()
    before = dict(vars(model))
    other_X, other_y, weights = fault(X, y)
    with pytest.raises((TypeError, ValueError)):
        model.fit(other_X, other_y, sample_weight=weights)
    assert vars(model) == before
