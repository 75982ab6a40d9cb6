"""Priors and costs by class: in the order of the classes, and refused where a class is off."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gauda._data.by_class import costs_in_order, in_class_order, priors_in_order

CLASSES = np.array(["ant", "bee", "cicada"])
KINDS = [CLASSES, np.array([3, 5, 8]), np.array([0.5, 1.5]), np.array([False, True])]
KINDS += [np.array(["2024-01-01", "2025-01-01"], dtype="M8[ns]"), CLASSES.astype(object)]


@pytest.mark.parametrize("classes", KINDS, ids=lambda classes: str(classes.dtype))
@given(seed=st.integers(0, 2**32))
def test_values_are_in_the_order_of_the_classes(classes, seed):
    order = np.random.default_rng(seed).permutation(len(classes))
    by_class = {classes[place]: float(place) for place in order}
    assert in_class_order(by_class, classes, "priors") == list(range(len(classes)))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ant": 0.5, "bee": 0.5}, "none for 'cicada'.*'ant', 'bee', 'cicada'"),
        ({"ant": 0.5, "bee": 0.3, "cicada": 0.1, "dog": 0.1}, "'dog', which is not a class"),
        ({}, "none for 'ant'"),
    ],
)
def test_classes_that_are_off_are_listed(given, words):
    with pytest.raises(ValueError, match=words):
        priors_in_order(given, CLASSES)


def test_uniform_priors():
    np.testing.assert_array_equal(priors_in_order("uniform", CLASSES), np.full(3, 1 / 3))
    with pytest.raises(ValueError, match=r"'uniform'; got 'equal'"):
        priors_in_order("equal", CLASSES)


def test_costs_by_truth_and_decision():
    cost = {
        "bee": {"cicada": 4, "ant": 3},
        "ant": {"bee": 1, "cicada": 2},
        "cicada": {"bee": 6, "ant": 5, "cicada": -1},
    }
    assert costs_in_order(cost, CLASSES) == [[0, 1, 2], [3, 0, 4], [5, 6, -1]]


def test_the_cost_of_rejecting_has_the_key_none():
    classes = CLASSES[:2]
    cost = {"ant": {"bee": 1, None: 0.2}, "bee": {"ant": 3, None: 0.4}}
    assert costs_in_order(cost, classes) == [[0, 1, 0.2], [3, 0, 0.4]]
    del cost["bee"][None]
    with pytest.raises(ValueError, match=r"key None.*got none for 'bee'"):
        costs_in_order(cost, classes)


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        ({"ant": {"bee": 1}, "bee": 2}, r"cost\['bee'\] must be a dict"),
        ({"ant": {"dog": 1}, "bee": {"ant": 1}}, r"cost\['ant'\].*'dog', which is not a class"),
        ({"ant": {"bee": 1}, "bee": {}}, r"cost\['bee'\].*none for 'ant'"),
    ],
)
def test_costs_that_are_off_are_refused(cost, words):
    with pytest.raises((TypeError, ValueError), match=words):
        costs_in_order(cost, CLASSES[:2])


def test_arrays_stay_what_they_are():
    array = np.eye(3)
    assert costs_in_order(array, CLASSES) is array
    assert priors_in_order(array, CLASSES) is array
    assert priors_in_order(None, CLASSES) is None
