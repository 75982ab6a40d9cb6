"""Priors, costs and labels of rejected rows by the names of classes."""

import numpy as np
import pandas as pd
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


MAYBE = {"cicada": "a cicada?", "ant": "an ant?", "bee": "a bee?"}


def named_rejected(entry, X, least, priors=None):
    """Return labels, with those of small posteriors replaced by what `MAYBE` has for them."""
    model = entry.fitted()
    labels = model.predict(X, priors=priors)
    small = model.predict_proba(X, priors=priors).max(axis=1) < least
    return np.where(small, [MAYBE[label] for label in labels], labels)


def test_rejected_rows_have_the_label_of_their_class(entry):
    X, _ = entry.data()
    expected = named_rejected(entry, X, 0.8)
    assert set(MAYBE.values()) <= set(expected)
    model = entry.fitted(reject=0.8, reject_label=MAYBE)
    np.testing.assert_array_equal(model.predict(X), expected)
    answer = model.classify(X, ("label", "proba"))
    np.testing.assert_array_equal(answer.label, expected)
    np.testing.assert_array_equal(answer.proba, entry.fitted().predict_proba(X))
    called = entry.fitted().predict(X, reject=0.8, reject_label=MAYBE)
    np.testing.assert_array_equal(called, expected)


def test_rejected_rows_have_it_under_priors_of_each_row(entry):
    X, _ = entry.data()
    priors = np.random.default_rng(0).dirichlet([1, 1, 1], len(X))
    found = entry.fitted(reject_label=MAYBE).predict(X, priors=priors, reject=0.8)
    np.testing.assert_array_equal(found, named_rejected(entry, X, 0.8, priors))


def test_rejected_rows_have_the_label_of_least_cost(entry):
    X, _ = entry.data()
    model = entry.fitted()
    costs = model.predict_cost(X, cost=COST)
    labels = LABELS[costs.argmin(axis=1)]
    expected = np.where(costs.min(axis=1) > 0.7, [MAYBE[label] for label in labels], labels)
    found = model.predict(X, cost=COST, reject={"cost": 0.7}, reject_label=MAYBE)
    np.testing.assert_array_equal(found, expected)
    assert len(set(found)) > len(LABELS)


def test_labels_of_rejected_rows_by_class_are_kept_in_files(entry, tmp_path):
    X, _ = entry.data()
    model = entry.fitted(reject=0.8, reject_label=MAYBE)
    model.save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    assert loaded.reject_label == MAYBE
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_streams_name_rejected_rows_by_class(entry, tmp_path):
    X, _ = entry.data()
    entry.fitted(reject=0.8, reject_label=MAYBE).predict_stream(X, tmp_path / "out.parquet")
    found = pd.read_parquet(tmp_path / "out.parquet")["label"]
    np.testing.assert_array_equal(found, named_rejected(entry, X, 0.8))


def test_the_typicality_of_a_rejected_label_is_not_known():
    X, _ = MODELS["QDA"].data()
    model = gauda.QDA(reject=0.8, reject_label=MAYBE).fit(X, MODELS["QDA"].data()[1])
    answer = model.classify(X, ("label", "label_typicality"))
    np.testing.assert_array_equal(
        np.isnan(answer.label_typicality), np.isin(answer.label, list(MAYBE.values()))
    )


@pytest.mark.parametrize(("given", "expected"), [({}, "rejected"), ({None: "unknown"}, "unknown")])
def test_rows_without_a_class_have_a_label_of_their_own(given, expected):
    X, y = MODELS["QDA"].data()
    gaps = X.copy()
    gaps[3, 1] = np.nan
    model = gauda.QDA(missing="propagate", reject=0.8, reject_label=MAYBE | given).fit(X, y)
    labels = model.predict(gaps)
    assert labels[3] == expected
    assert expected not in np.delete(labels, 3)
    assert "a bee?" in labels


def test_numbers_label_rejected_rows_by_class():
    X, y = MODELS["QDA"].data()
    codes = np.searchsorted(LABELS, y).astype(np.int8)
    model = gauda.QDA(reject=0.8).fit(X, codes)
    labels = model.predict(X, reject_label={0: 1000, 1: 1001, 2: 1002})
    plain = model.predict(X, reject=0.0)
    rejected = model.predict(X) == -1
    np.testing.assert_array_equal(labels, np.where(rejected, plain.astype(int) + 1000, plain))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"ant": "x", "bee": "y"}, r"none for 'cicada'.*'ant', 'bee', 'cicada'"),
        (MAYBE | {"dog": "z"}, r"'dog', which is not a class.*'ant', 'bee', 'cicada'"),
        (MAYBE | {"ant": "bee"}, "reject_label='bee' is a class"),
        (MAYBE | {"ant": 3}, "reject_label=3 is not of the kind of the classes"),
    ],
)
def test_labels_by_class_that_will_not_do_are_refused(entry, labels, message):
    X, _ = entry.data()
    model = entry.fitted(reject=0.8)
    before = model.predict(X)
    with pytest.raises(ValueError, match=message):
        model.set_params(reject_label=labels)
    with pytest.raises(ValueError, match=message):
        model.predict(X, reject_label=labels)
    np.testing.assert_array_equal(model.predict(X), before)
