"""Decisions of every model: costs, rejection and priors as algebra makes them of posteriors."""

import numpy as np
import pytest
from models import LABELS, MODELS, POOLED, SEARCHES
from scipy.special import logsumexp, softmax

import gauda

N_CLASSES = len(LABELS)
COST = np.random.default_rng(3).uniform(0, 4, size=(N_CLASSES, N_CLASSES + 1))
PRIORS = np.array([0.2, 0.7, 0.1])


def with_rejected(codes):
    """Return labels of codes, of which the one after the last class is that of no class."""
    return np.append(LABELS, "rejected")[codes]


def priors_of(model):
    """Return the priors of the fit and the name of the parameter that gives them."""
    parameter = "class_prior" if "class_prior" in model.get_params() else "priors"
    if isinstance(model, gauda.ComplementNB):  # whose scores have none
        return np.ones(N_CLASSES), parameter
    if hasattr(model, "class_log_prior_"):
        return np.exp(model.class_log_prior_), parameter
    return (model.priors_ if hasattr(model, "priors_") else model.class_prior_), parameter


def test_the_label_of_least_expected_cost_is_chosen(entry):
    X, _ = entry.data()
    model = entry.fitted()
    expected = model.predict_proba(X) @ COST
    np.testing.assert_allclose(model.predict_cost(X, cost=COST), expected, rtol=1e-12)
    labels = with_rejected(expected.argmin(axis=1))
    assert len(set(labels)) > 1
    np.testing.assert_array_equal(model.predict(X, cost=COST), labels)
    as_parameter = entry.fitted(cost=COST)
    np.testing.assert_array_equal(as_parameter.predict(X), labels)
    np.testing.assert_array_equal(as_parameter.predict_cost(X), model.predict_cost(X, cost=COST))


def test_without_costs_mistakes_cost_one(entry):
    X, _ = entry.data()
    model = entry.fitted()
    np.testing.assert_allclose(model.predict_cost(X), 1 - model.predict_proba(X), atol=1e-15)


@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_a_label_of_small_posterior_is_rejected(entry, threshold):
    X, _ = entry.data()
    model = entry.fitted()
    proba = model.predict_proba(X)
    labels = with_rejected(np.where(proba.max(axis=1) < threshold, 3, proba.argmax(axis=1)))
    assert "rejected" in labels
    for reject in (threshold, {"posterior": threshold}):
        np.testing.assert_array_equal(model.predict(X, reject=reject), labels)
    other = entry.fitted(reject=threshold, reject_label="?")
    np.testing.assert_array_equal(other.predict(X), np.where(labels == "rejected", "?", labels))


def test_chows_rule_is_a_cost_of_rejecting(entry):
    X, _ = entry.data()
    model = entry.fitted()
    by_posterior = model.predict(X, reject={"posterior": 0.75})
    np.testing.assert_array_equal(model.predict(X, reject={"cost": 0.25}), by_posterior)
    with_column = np.column_stack([1 - np.eye(3), np.full(3, 0.25)])
    np.testing.assert_array_equal(model.predict(X, cost=with_column), by_posterior)


def test_a_cost_and_a_threshold_act_together(entry):
    X, _ = entry.data()
    model = entry.fitted()
    proba = model.predict_proba(X)
    codes = (proba @ COST[:, :3]).argmin(axis=1)
    small = proba[np.arange(len(X)), codes] < 0.6
    expected = with_rejected(np.where(small, 3, codes))
    assert set(expected) > {"rejected"}
    np.testing.assert_array_equal(model.predict(X, cost=COST[:, :3], reject=0.6), expected)


def test_priors_for_a_call_are_bayes_rule(entry):
    """Other priors multiply joint densities by their ratio to those of the fit."""
    X, _ = entry.data()
    model = entry.fitted()
    joint = model.predict_joint_log_proba(X) + np.log(PRIORS / priors_of(model)[0])
    close = {"rtol": 1e-10, "atol": 1e-12}
    np.testing.assert_allclose(model.predict_joint_log_proba(X, priors=PRIORS), joint, **close)
    np.testing.assert_allclose(
        model.predict_proba(X, priors=PRIORS), softmax(joint, axis=1), **close
    )
    if hasattr(model, "score_samples"):
        found = model.score_samples(X, priors=PRIORS)
        np.testing.assert_allclose(found, logsumexp(joint, axis=1), **close)
    np.testing.assert_array_equal(model.predict(X, priors=PRIORS), LABELS[joint.argmax(axis=1)])


def test_each_row_may_have_priors_of_its_own(entry):
    X, _ = entry.data()
    model = entry.fitted()
    priors = np.random.default_rng(0).dirichlet(np.ones(3), size=len(X))
    priors[::7] = [0, 0.5, 0.5]
    with np.errstate(divide="ignore"):
        ratio = np.log(priors / priors_of(model)[0])
    joint = model.predict_joint_log_proba(X) + ratio
    expected = softmax(joint, axis=1)
    densities = ("log_density",) * hasattr(model, "score_samples")
    found = model.classify(X, ("label", "proba", "joint", "cost", *densities), priors=priors)
    np.testing.assert_allclose(found.proba, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.joint, joint, rtol=1e-10, atol=1e-12)
    if densities:
        log_density = logsumexp(joint, axis=1)
        np.testing.assert_allclose(found.log_density, log_density, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.cost, 1 - expected, atol=1e-12)
    np.testing.assert_array_equal(found.label, LABELS[expected.argmax(axis=1)])
    np.testing.assert_array_equal(model.predict_proba(X, priors=priors), found.proba)
    np.testing.assert_array_equal(model.predict(X, priors=priors), found.label)


@pytest.mark.parametrize(
    "name",
    # Priors of the others weight the covariances too, or the errors by which they choose, or are
    # not used.
    [name for name in MODELS if name not in {*POOLED, *SEARCHES, "ComplementNB"}],
)
def test_priors_of_a_fit_are_those_of_a_call(name):
    entry = MODELS[name]
    X, _ = entry.data()
    model = entry.fitted()
    other = entry.fitted(**{priors_of(model)[1]: PRIORS})
    np.testing.assert_allclose(
        model.predict_proba(X, priors=PRIORS), other.predict_proba(X), rtol=1e-9, atol=1e-13
    )


def test_adapted_priors_are_a_fixed_point_of_their_posteriors(entry):
    """Saerens' rule: where the likelihood is largest, priors are the mean of their posteriors."""
    X, y = entry.data(n=300, seed=5)
    shifted = X[(y == "bee") | (np.arange(300) % 4 == 0)]
    model = entry.fitted(n=300)
    priors, n_iter = model.adapt_priors(shifted, tol=1e-10, max_iter=20_000)
    joint = np.exp(model.predict_joint_log_proba(shifted)) * (priors / priors_of(model)[0])
    posteriors = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(posteriors.mean(axis=0), priors, atol=1e-6)
    assert n_iter > 1
    assert priors[1] > 0.5  # two in three of these rows are bees, of all rows one in three


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cost": np.ones((2, 2))}, r"cost must have shape \(3, 3\)"),
        ({"cost": [[0, 1, 1], [1, 0, np.nan], [1, 1, 0]]}, r"truth bee, decision cicada\) is nan"),
        ({"reject": 1.5}, "threshold must lie between 0 and 1"),
        ({"reject": {"density": 0.1}}, "got {'density': 0.1}"),
        ({"cost": np.ones((3, 4)), "reject": {"cost": 1}}, "Give one of them"),
        ({"priors": [0.5, 0.5]}, r"priors must have shape \(3,\)"),
        ({"priors": [1.5, -0.5, 0]}, "prior of class bee is -0.5"),
        ({"priors": np.full((7, 3), 1 / 3)}, "priors has 7 rows, X has 90"),
        ({"priors": np.full((90, 3), 0.3)}, "The priors of row 0 sum to 0.9"),
    ],
)
def test_rules_that_cannot_be_are_refused(entry, arguments, message):
    X, _ = entry.data()
    model = entry.fitted()
    before = dict(vars(model))
    with pytest.raises(ValueError, match=message):
        model.predict(X, **arguments)
    assert vars(model) == before


@pytest.mark.parametrize(
    "reject", [{"typicality": 0.1}, {"typicality": 0.1, "posterior": 0.9}], ids=str
)
def test_typicality_rejects_or_is_refused(entry, reject):
    X, _ = entry.data()
    model = entry.fitted()
    if not hasattr(model, "typicality"):
        with pytest.raises(ValueError, match="typicalities are not defined"):
            model.predict(X, reject=reject)
        return
    proba, tails = model.predict_proba(X), model.typicality(X)
    codes = proba.argmax(axis=1)
    rows = np.arange(len(X))
    rejected = (tails[rows, codes] < 0.1) | (proba[rows, codes] < reject.get("posterior", 0))
    np.testing.assert_array_equal(
        model.predict(X, reject=reject), with_rejected(np.where(rejected, 3, codes))
    )
