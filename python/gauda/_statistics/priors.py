"""Priors of classes: the proportions of the data, or what the user gave, by one rule for all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gauda._data.by_class import priors_in_order
from gauda._statistics.base import Statistics
from gauda._support.arrays import Floats, real_array
from gauda._support.warning import warn_caller
from gauda.typing import Priors

TOLERANCE = 1e-5
"""How far from 1 the sum of priors may be before they are renormalized, as in scikit-learn."""

SUM_TOLERANCE = 1.001e-5
"""And before they are refused, where scikit-learn's class refuses them."""


class Policy(NamedTuple):
    """Which priors are refused that others take, and in which words of scikit-learn's class."""

    name: str = "priors"
    negative: str | None = None
    other_sum: str | None = None
    """Where the sum must be 1; else priors are divided by it."""


def class_priors(priors: Priors | None, statistics: Statistics, policy: Policy) -> Floats:
    """Return priors that sum to 1: those that were given, or the shares of the classes' weights."""
    proportions = statistics._proportions()
    if priors is None:
        return proportions
    given = given_priors(priors, statistics.classes, policy)
    if policy.other_sum is not None and not abs(given.sum() - 1.0) <= SUM_TOLERANCE:
        raise ValueError(f"{policy.other_sum} Got {given.sum():g}.")
    return normalize(given)


def given_priors(priors: Priors, classes: NDArray[Any], policy: Policy) -> Floats:
    """Return a copy of priors that were given; refuse what cannot be those of these classes."""
    name = policy.name
    given = np.array(real_array(priors_in_order(priors, classes, name), name))
    if given.shape != classes.shape:
        raise ValueError(
            f"Number of priors must match number of classes. Got {name} of shape {given.shape} "
            f"for {len(classes)} classes."
        )
    if policy.negative is not None and np.any(given < 0):
        raise ValueError(policy.negative)
    impossible = ~((given >= 0) & (given < np.inf))
    if impossible.any() or not given.any():
        code = int(np.argmax(impossible))
        raise ValueError(
            f"The prior of class {classes[code]} is {given[code]:g}; {name} must be finite, at "
            "least 0, and not all 0."
        )
    with np.errstate(over="ignore"):
        total = given.sum()
    if not total < np.inf:
        raise ValueError(f"The sum of {name} is too large for a float. Got {given}.")
    return given


def normalize(priors: Floats) -> Floats:
    """Return priors divided by their sum, unless that is 1 already."""
    total = priors.sum()
    return priors / total if abs(total - 1.0) > TOLERANCE else priors


def logarithms(priors: Floats) -> Floats:
    """Return the logarithms of priors, to the bit as the core takes them."""
    return np.array([math.log(prior) if prior > 0 else -math.inf for prior in priors.tolist()])


def warn_of_priors(priors: Priors | None) -> None:
    """Say that priors, which were checked, do not sum to 1."""
    if priors is None or isinstance(priors, str):
        return
    shares = list(priors.values()) if isinstance(priors, Mapping) else priors
    if abs(np.asarray(shares, dtype=np.float64).sum() - 1.0) > TOLERANCE:
        warn_caller("The priors do not sum to 1. Renormalizing")
