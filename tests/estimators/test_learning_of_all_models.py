"""What every model learns alike: batches, weights, priors, orders of rows and names of classes."""

import numpy as np
import pytest
from models import DISCRETE, LABELS, MODELS, POOLED, SEARCHES, STEPWISE, taken

N = 90
RTOL = 1e-9


def assert_same_model(model, other, X):
    np.testing.assert_array_equal(model.classes_, other.classes_)
    np.testing.assert_allclose(
        model.predict_log_proba(X), other.predict_log_proba(X), rtol=RTOL, atol=1e-12
    )
    joint, expected = model.predict_joint_log_proba(X), other.predict_joint_log_proba(X)
    np.testing.assert_allclose(joint, expected, rtol=RTOL, atol=1e-12)


def learn(entry, X, y, parts, **first):
    """Learn parts of rows one after another."""
    model = entry.make()
    for part in parts:
        model.partial_fit(taken(X, part), y[part], **first)
        first = {}
    return model


# Batches


@pytest.mark.parametrize("name", STEPWISE)
@pytest.mark.parametrize("cuts", [[1], [45], [30, 31, 89], list(range(1, N))])
def test_any_batches_give_the_model_of_one_fit(name, cuts):
    entry = MODELS[name]
    X, y = entry.data(N)
    model = learn(entry, X, y, np.split(np.arange(N), cuts), classes=LABELS)
    assert_same_model(model, entry.make().fit(X, y), X)


@pytest.mark.parametrize("name", STEPWISE)
def test_batches_of_one_class_each_give_the_model_of_one_fit(name):
    entry = MODELS[name]
    X, y = entry.data(N)
    parts = [np.flatnonzero(y == label) for label in LABELS[::-1]]
    assert_same_model(learn(entry, X, y, parts, classes=LABELS), entry.make().fit(X, y), X)


@pytest.mark.parametrize("name", STEPWISE)
def test_classes_may_appear_after_a_fit_that_was_not_told_of_them(name):
    entry = MODELS[name]
    X, y = entry.data(N)
    known = y != LABELS[1]
    model = entry.make().fit(taken(X, known), y[known])
    model.partial_fit(taken(X, ~known), y[~known])
    assert_same_model(model, entry.make().fit(X, y), X)


ASKING = {"GaussianNB", *DISCRETE} - {"MixedNB"}
"""Models that must be told the classes first, as scikit-learn's of these names."""


@pytest.mark.parametrize("name", STEPWISE)
def test_classes_may_appear_at_any_time_unless_they_were_given(name):
    entry = MODELS[name]
    X, y = entry.data(N)
    parts = [np.flatnonzero(y != LABELS[1]), np.flatnonzero(y == LABELS[1])]
    if name in ASKING:
        with pytest.raises(ValueError, match="classes must be passed on the first call"):
            learn(entry, X, y, parts)
    else:
        assert_same_model(learn(entry, X, y, parts), entry.make().fit(X, y), X)
    model = learn(entry, X, y, parts[:1], classes=LABELS[[0, 2]])
    before = model.predict_log_proba(X)
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        model.partial_fit(taken(X, parts[1]), y[parts[1]])
    np.testing.assert_array_equal(model.predict_log_proba(X), before)


@pytest.mark.parametrize("name", STEPWISE)
def test_a_fit_can_be_followed_by_batches_and_begins_anew_after_them(name):
    entry = MODELS[name]
    X, y = entry.data(N)
    whole = entry.make().fit(X, y)
    model = entry.make().fit(taken(X, slice(50)), y[:50])
    assert_same_model(model.partial_fit(taken(X, slice(50, None)), y[50:]), whole, X)
    assert_same_model(model.fit(X, y), whole, X)


@pytest.mark.parametrize("name", STEPWISE)
def test_forgetting_by_half_is_a_weight_of_a_half(name):
    entry = MODELS[name]
    X, y = entry.data(N)
    # Smoothing forgets, but does not know weights.
    exact = {"var_smoothing": 0.0} if "var_smoothing" in entry.make().get_params() else {}
    model = entry.make(**exact).partial_fit(taken(X, slice(60)), y[:60], classes=LABELS)
    model.partial_fit(taken(X, slice(60, None)), y[60:], forget=0.5)
    weights = np.where(np.arange(N) < 60, 0.5, 1.0)
    assert_same_model(model, entry.make(**exact).fit(X, y, sample_weight=weights), X)


# Weights


def test_whole_weights_are_repeated_rows(name, entry):
    X, y = entry.data(N)
    weights = np.random.default_rng(0).integers(1, 4, N)
    index = np.repeat(np.arange(N), weights)
    if name in SEARCHES:
        return  # its folds are of rows
    weighted = entry.make().fit(X, y, sample_weight=weights)
    assert_same_model(weighted, entry.make().fit(taken(X, index), y[index]), X)


def test_a_row_without_weight_is_absent(entry):
    X, y = entry.data(N)
    kept = np.arange(N) % 10 != 3
    model = entry.make().fit(X, y, sample_weight=kept.astype(float))
    assert_same_model(model, entry.make().fit(taken(X, kept), y[kept]), taken(X, kept))


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_a_weight_that_is_none_is_named_by_its_row(entry, value):
    X, y = entry.data(N)
    weights = np.ones(N)
    weights[[17, 40]] = value
    model = entry.make()
    with pytest.raises(ValueError, match=r"17|infinity|NaN"):
        model.fit(X, y, sample_weight=weights)
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("weights", [np.ones(N - 1), np.ones((N, 2)), ["a"] * N, np.zeros(N)])
def test_weights_that_do_not_go_with_the_rows_are_refused(entry, weights):
    X, y = entry.data(N)
    model = entry.make()
    with pytest.raises((ValueError, TypeError)):
        model.fit(X, y, sample_weight=weights)
    assert not hasattr(model, "classes_")


# Order of rows, names of classes


def test_the_order_of_the_rows_does_not_matter(name, entry):
    if name in SEARCHES:
        return  # its folds follow the order
    X, y = entry.data(N)
    index = np.random.default_rng(0).permutation(N)
    shuffled = entry.make().fit(taken(X, index), y[index])
    assert_same_model(shuffled, entry.make().fit(X, y), X)


@pytest.mark.parametrize(
    "names",
    [
        np.array([7, 3, 5]),
        np.array([2.0, -1.0, 5.0]),
        np.array(["c", "a", "b"]),
        np.array([True, False, True]),
        np.array([2**63, 3, 2**64 - 1], dtype=np.uint64),
    ],
    ids=lambda names: names.dtype.kind,
)
def test_names_of_the_classes_do_not_change_the_model(entry, names):
    X, y = entry.data(N)
    codes = np.searchsorted(LABELS, y)
    if len(np.unique(names)) < len(names):
        X, codes = taken(X, codes < 2), codes[codes < 2]
    renamed = entry.make().fit(X, names[codes])
    plain = entry.make().fit(X, codes)
    assert renamed.classes_.dtype == names.dtype
    order = np.argsort(names[: codes.max() + 1])
    np.testing.assert_allclose(
        renamed.predict_proba(X), plain.predict_proba(X)[:, order], rtol=RTOL, atol=1e-300
    )
    np.testing.assert_array_equal(renamed.predict(X), names[plain.predict(X)])


# Priors


def prior_parameter(entry):
    return "class_prior" if "class_prior" in entry.make().get_params() else "priors"


@pytest.mark.parametrize(
    "priors", [[0.5, 0.5], [0.5, -0.1, 0.6], [np.nan, 0.5, 0.5], [0.0, 0.0, 0.0], "flat", [[1.0]]]
)
def test_impossible_priors_are_refused_and_nothing_is_fitted(entry, priors):
    X, y = entry.data(N)
    model = entry.make(**{prior_parameter(entry): priors})
    with pytest.raises((ValueError, TypeError)):
        model.fit(X, y).predict(X)
    assert not hasattr(model, "classes_")


def test_a_class_of_prior_zero_is_never_predicted(name, entry):
    if name in {*POOLED, "ComplementNB"}:
        return  # a class of weight 0 has no part in the covariance either; or priors are not used
    X, y = entry.data(N)
    model = entry.make(**{prior_parameter(entry): [0.5, 0.5, 0.0]}).fit(X, y)
    assert not (model.predict(X) == LABELS[2]).any()
    np.testing.assert_array_equal(model.predict_proba(X)[:, 2], 0.0)
