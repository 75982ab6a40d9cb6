"""Estimators that share the parameters of others, or all that they hold."""

from __future__ import annotations

from operator import is_
from typing import Any, TypeVar

from sklearn.base import BaseEstimator

from gauda._data.sklearn_private import parameter_names, values_of

Estimator = TypeVar("Estimator", bound=BaseEstimator)


def unfitted_twin(estimator: Estimator) -> Estimator:
    """Return an estimator with the same parameters, the very objects, that is not fitted."""
    twin, names = object.__new__(type(estimator)), parameter_names(estimator)
    held = estimator.__dict__.copy()
    held.pop("_fitted", None)
    if held.keys() != set(names):
        held = dict(zip(names, values_of(estimator), strict=True))
    twin.__dict__ = held
    return twin


def twin(estimator: Estimator, **changes: Any) -> Estimator:
    """Return an estimator that holds the same, but for some changes."""
    other = object.__new__(type(estimator))
    other.__dict__ = estimator.__dict__ | changes
    return other


def same_parameters(first: Any, second: Any) -> bool:
    """Tell whether two estimators have the very same parameters."""
    return type(first) is type(second) and all(map(is_, values_of(first), values_of(second)))
