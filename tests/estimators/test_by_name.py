"""Priors and costs by the names of classes act as arrays in the order of `classes_` do."""

import numpy as np
import pytest
from models import LABELS, MODELS

import gauda

BY_CLASS = {"cicada": 0.5, "ant": 0.2, "bee": 0.3}
IN_ORDER = [0.2, 0.3, 0.5]
COST = {
    "bee": {"ant": 3, "cicada": 4},
    "ant": {"bee": 1, "cicada": 2},
    "cicada": {"ant": 5, "bee": 6},
}
COST_IN_ORDER = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]


def with_priors(entry, priors):
    """Fit a model with priors, whatever the parameter is called."""
    name = "priors" if hasattr(entry.make(), "priors") else "class_prior"
    return entry.fitted(**{name: priors})


@pytest.fixture(params=MODELS)
def entry(request):
    return MODELS[request.param]


@pytest.mark.parametrize(
    ("named", "array"), [(BY_CLASS, IN_ORDER), ("uniform", np.full(3, 1 / 3))], ids=str
)
def test_priors_by_name_are_those_in_order(entry, named, array):
    X, _ = entry.data()
    found = with_priors(entry, named).predict_log_proba(X)
    np.testing.assert_array_equal(found, with_priors(entry, array).predict_log_proba(X))


def test_a_class_without_a_prior_is_named(entry):
    with pytest.raises(ValueError, match=r"none for 'bee'.*'ant', 'bee', 'cicada'"):
        with_priors(entry, {"ant": 0.5, "cicada": 0.5})


def test_a_prior_without_a_class_is_named(entry):
    with pytest.raises(ValueError, match=r"'dog', which is not a class.*'ant', 'bee', 'cicada'"):
        with_priors(entry, BY_CLASS | {"dog": 0.1})


def test_priors_by_name_are_kept_in_files(entry, tmp_path):
    X, _ = entry.data()
    model = with_priors(entry, BY_CLASS)
    model.save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    assert (
        loaded.get_params(deep=False)["priors" if hasattr(model, "priors") else "class_prior"]
        == BY_CLASS
    )
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_integer_classes_are_keys_in_files_too(tmp_path):
    X, y = MODELS["QDA"].data()
    codes = np.searchsorted(LABELS, y)
    model = gauda.QDA(
        priors={2: 0.5, 0: 0.2, 1: 0.3}, cost={0: {1: 1, 2: 2}, 1: {0: 3, 2: 4}, 2: {0: 5, 1: 6}}
    )
    model.fit(X, codes).save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    assert loaded.priors == model.priors
    assert loaded.cost == model.cost
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_costs_by_name_are_those_in_order():
    entry = MODELS["QDA"]
    X, _ = entry.data()
    model = entry.fitted()
    np.testing.assert_array_equal(
        model.predict_cost(X, cost=COST), model.predict_cost(X, cost=COST_IN_ORDER)
    )
    np.testing.assert_array_equal(
        entry.fitted(cost=COST).predict(X), model.predict(X, cost=COST_IN_ORDER)
    )
    np.testing.assert_array_equal(
        model.predict(X, priors=BY_CLASS), model.predict(X, priors=IN_ORDER)
    )


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
def test_rejected_rows_of_unsigned_classes_have_the_largest_label(dtype):
    X, y = MODELS["QDA"].data()
    codes = np.searchsorted(LABELS, y).astype(dtype)
    labels = gauda.QDA(reject=0.99).fit(X, codes).predict(X)
    assert labels.dtype == dtype
    assert np.iinfo(dtype).max in labels
