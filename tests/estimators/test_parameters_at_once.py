"""Decision parameters act at once, estimation parameters at the fit: in every model alike."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from models import DISCRETE, GAUSSIAN, LABELS, MODELS, POOLED, SEARCHES, TEXT
from sklearn.base import clone

import gauda

PRIORS = [0.6, 0.3, 0.1]
COST = [[0, 4, 1], [1, 0, 9], [2, 1, 0]]
DECISIONS = {
    "priors": PRIORS,
    "class_prior": PRIORS,
    "cost": COST,
    "reject": 0.7,
    "n_threads": 2,
    "handle_unknown": "ignore",
    "missing": "propagate",
}
ESTIMATION = {  # of each model a parameter of its estimation, with another value
    "QDA": {"reg_param": 0.5},
    "LDA": {"unbiased": True},
    "LDA, lsqr": {"shrinkage": 0.5},
    "LDA, eigen": {"shrinkage": 0.9},
    "RDA": {"alpha": 0.9},
    "RDA-CV": {"unbiased": True},
    "ShrunkenCentroids": {"threshold": 2.0},
    "ShrunkenCentroids-CV": {"offset": 0.7},
    "GaussianNB": {"var_smoothing": 0.5},
    "BernoulliNB": {"alpha": 9.0},
    "CategoricalNB": {"alpha": 9.0},
    "CategoricalNB, text": {"alpha": 9.0},
    "MixedNB": {"alpha": 9.0},
    "MultinomialNB": {"alpha": 9.0},
    "ComplementNB": {"norm": True},
}


def by_set_params(model, **parameters):
    return model.set_params(**parameters)


def by_assignment(model, **parameters):
    for name, value in parameters.items():
        setattr(model, name, value)
    return model


@pytest.fixture(params=[by_set_params, by_assignment])
def change(request):
    return request.param


def priors_of(model):
    return "class_prior" if "class_prior" in model.get_params() else "priors"


def answers(model, X):
    return model.predict(X), model.predict_log_proba(X)


def assert_alike(model, other, X):
    for got, expected in zip(answers(model, X), answers(other, X), strict=True):
        np.testing.assert_array_equal(got, expected)


def batches(entry):
    """Fit in two batches, after which the model is still to be made."""
    X, y = entry.data()
    return entry.make().partial_fit(X[:45], y[:45], classes=LABELS).partial_fit(X[45:], y[45:])


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        (name, parameter)
        for name, entry in MODELS.items()
        for parameter in DECISIONS
        if parameter in entry.make().get_params()
        and not (parameter == "priors" and name in POOLED)  # where they weight covariances
        and not (parameter == "missing" and name in TEXT)  # which answer no rows with gaps
    ],
)
def test_decision_parameters_act_at_once(name, parameter, change):
    entry = MODELS[name]
    model = entry.fitted()
    X, y = entry.data()
    changed = change(model, **{parameter: DECISIONS[parameter]})
    expected = entry.fitted(**{parameter: DECISIONS[parameter]})
    if name in SEARCHES and parameter == "priors":  # which its search would follow, too
        expected = clone(model.best_estimator_).fit(X, y)
    assert_alike(changed, expected, X)
    assert parameter in type(model).at_once


def test_a_label_for_rejected_rows_acts_at_once(name, change):
    entry = MODELS[name]
    X, _ = entry.data()
    model = change(entry.fitted(reject=0.99), reject_label="none")
    assert "none" in model.predict(X)


def test_unknown_categories_are_ignored_at_once(change):
    entry = MODELS["CategoricalNB"]
    X, _ = entry.data()
    unknown = np.where(np.eye(3, dtype=bool), 7, X[:3])
    model = entry.fitted()
    with pytest.raises(ValueError, match="knows only 0 to 2"):
        model.predict(unknown)
    expected = entry.fitted(handle_unknown="ignore").predict_proba(unknown)
    model = change(model, handle_unknown="ignore")
    np.testing.assert_array_equal(model.predict_proba(unknown), expected)


def at_once(entry):
    return entry.fitted()


@pytest.mark.parametrize(
    ("name", "fit"),
    [
        (name, fit)
        for name in MODELS
        for fit in (at_once, batches)
        if not (fit is batches and name in SEARCHES)  # which takes all rows at once
    ],
)
def test_estimation_parameters_act_at_the_fit(name, fit, change):
    entry = MODELS[name]
    X, y = entry.data()
    model, expected = fit(entry), fit(entry)
    changed = change(model, **ESTIMATION[name])
    assert_alike(changed, expected, X)
    if name not in POOLED:  # priors do not drag them along
        changed = change(model, **{priors_of(model): PRIORS})
        assert_alike(changed, by_assignment(expected, **{priors_of(model): PRIORS}), X)
    other = entry.fitted(**ESTIMATION[name], **{priors_of(model): getattr(model, priors_of(model))})
    assert (other.predict_proba(X) != expected.predict_proba(X)).any()
    assert_alike(changed.fit(X, y), other, X)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])  # noqa: S301
def test_copies_keep_both_kinds(name, again):
    entry = MODELS[name]
    X, _ = entry.data()
    model = entry.fitted().set_params(**ESTIMATION[name], n_threads=2)
    other = again(model)
    assert str(other.get_params()) == str(model.get_params())
    assert_alike(other, entry.fitted(), X)


def test_files_keep_both_kinds(name, tmp_path):
    entry = MODELS[name]
    X, _ = entry.data()
    model = entry.fitted().set_params(**ESTIMATION[name], cost=COST)
    model.save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    assert str(loaded.get_params()) == str(model.get_params())
    assert_alike(loaded, entry.fitted(cost=COST), X)


@pytest.mark.parametrize("name", POOLED)
def test_priors_that_weight_pooled_covariances_are_refused_with_the_reason(name, change):
    entry = MODELS[name]
    X, _ = entry.data()
    with pytest.raises(ValueError, match=r"which this fit has pooled.*Refit with priors"):
        change(entry.fitted(), priors=PRIORS).predict(X)


@pytest.mark.parametrize("name", [*GAUSSIAN, *DISCRETE])
def test_decisions_that_cannot_be_set_change_nothing(name):
    entry = MODELS[name]
    X, _ = entry.data()
    model = entry.fitted()
    before, expected = dict(vars(model)), answers(model, X)
    for wrong in ({priors_of(model): [1, 2]}, {"cost": [[0, 1]]}, {"reject": "often"}):
        with pytest.raises(ValueError, match=r"[Pp]rior|cost|reject"):
            model.set_params(**wrong)
        assert vars(model) == before
    for got, known in zip(answers(model, X), expected, strict=True):
        np.testing.assert_array_equal(got, known)


@pytest.mark.parametrize("name", ["LDA", "QDA", "RDA", "GaussianNB"])
def test_attributes_follow_the_priors_at_once(name, change):
    model = change(MODELS[name].fitted(), priors=PRIORS)
    attribute = "class_prior_" if name == "GaussianNB" else "priors_"
    np.testing.assert_allclose(getattr(model, attribute), PRIORS)


def test_fitted_attributes_cannot_be_set(name):
    model = MODELS[name].fitted()
    with pytest.raises(AttributeError, match="classes_ follows from the fit"):
        model.classes_ = LABELS[::-1]


def test_every_parameter_is_a_field_with_a_constraint(name):
    kind = type(MODELS[name].make())
    fields = [field.name for field in dataclasses.fields(kind)]
    assert sorted(fields) == sorted(kind._parameter_constraints)  # noqa: SLF001 - scikit-learn's name
    assert sorted(fields) == sorted(kind().get_params())


@pytest.mark.parametrize("names", [(), ("n_threads",)], ids=["none", "one"])
def test_classes_derived_may_have_few_parameters(name, names, change):
    X, y = MODELS[name].data()
    kind = type(MODELS[name].make())
    fewer = type("Fewer", (kind,), {"_get_param_names": staticmethod(lambda: list(names))})
    threads = dict.fromkeys(names, 2)
    model, plain = (change(own().fit(X, y), **threads) for own in (fewer, kind))
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
    assert str(model.summary()).replace("Fewer", kind.__name__) == str(plain.summary())
