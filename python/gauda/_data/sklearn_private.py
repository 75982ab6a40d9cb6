"""Every private name of scikit-learn that gauda uses, and decorators of it that lose no types.

No other module imports a private name of scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np
from sklearn import get_config
from sklearn.utils import _safe_indexing
from sklearn.utils._available_if import _AvailableIfDescriptor
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight
from sklearn.utils.validation import _get_feature_names as get_feature_names

__all__ = [
    "HasMethods",
    "InstancesOf",
    "Interval",
    "StrOptions",
    "available_if",
    "check_sample_weight",
    "checks_parameters",
    "get_feature_names",
    "parameter_names",
    "take",
    "validate_params",
    "values_of",
]

Method = TypeVar("Method", bound=Callable[..., Any])


UNCHANGEABLE = frozenset({bool, int, float, str, type(None)})
"""Types of parameters that stay what they were when they were checked."""

MAX_KNOWN = 1000
"""Sets of parameters of which it is known that they are valid."""

known_valid: set[Any] = set()


def checks_parameters(method: Method) -> Method:
    """Check the parameters of an estimator before a method runs, as scikit-learn does."""

    @wraps(method)
    def checked(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        validate_params(estimator)
        return method(estimator, *args, **kwargs)

    wrapped: Any = checked
    return wrapped  # type: ignore[no-any-return] # it has the method's type


def available_if(check: Callable[[Any], Any]) -> Callable[[Method], Method]:
    """Have a method only where the check is true; an AttributeError of it says why not."""

    def decorate(method: Method) -> Method:
        found: Method = _Available(method, check, method.__name__)
        return found

    return decorate


class _Available(_AvailableIfDescriptor):
    """Scikit-learn's descriptor, whose error tells the reason itself, not only as its cause."""

    def _check(self, obj: Any, owner: Any) -> None:
        try:
            super()._check(obj, owner)
        except AttributeError as error:
            raise AttributeError(f"{error}: {error.__cause__}") from error.__cause__


class InstancesOf(HasMethods):
    """A constraint to objects of a class of gauda, which errors call by its public name."""

    def __init__(self, kind: type) -> None:
        super().__init__(["__init__"])
        self.kind = kind

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether a value is such an object."""
        return isinstance(val, self.kind)

    def __str__(self) -> str:
        return f"an instance of 'gauda.{self.kind.__name__}'"


def take(X: Any, indices: Any, axis: int = 0) -> Any:
    """Return rows of X, or columns with `axis` 1."""
    if type(X).__module__.startswith("pyarrow"):  # scikit-learn before 1.9 cannot
        chosen = np.asarray(indices)
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        return X.select(chosen.tolist()) if axis else X.take(chosen)
    return _safe_indexing(X, indices, axis=axis)


def check_sample_weight(weights: Any, X: Any, dtype: Any) -> Any:
    """Return the weights as an array, one for each row; refuse those that are all zero."""
    checked = _check_sample_weight(weights, X, dtype=dtype)
    if not np.any(checked):  # which scikit-learn before 1.9 accepts
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return checked


def parameter_names(estimator: Any) -> list[str]:
    """Return the names of the parameters of an estimator, or of a class of them."""
    names: list[str] = estimator._get_param_names()
    return names


def values_of(estimator: Any) -> tuple[Any, ...]:
    """Return the values of the parameters of an estimator; None for what it lacks."""
    kind = type(estimator)
    try:
        found: tuple[Any, ...] = readers[kind](estimator.__dict__)
    except KeyError:
        names = estimator._get_param_names()
        if len(names) > 1:
            readers[kind] = itemgetter(*names)
        return tuple([getattr(estimator, name, None) for name in names])
    return found


readers: dict[type, Any] = {}
"""By class of estimators what reads their parameters."""


def validate_params(estimator: Any) -> None:
    """Refuse parameters that do not keep the constraints of their class.

    Valid ones are remembered, as scikit-learn takes longer to check them than a small fit takes.
    """
    values = values_of(estimator)
    types = tuple(map(type, values))
    key = (type(estimator), values, types) if UNCHANGEABLE.issuperset(types) else None
    if key in known_valid or get_config()["skip_parameter_validation"]:
        return
    estimator._validate_params()
    if key is not None and len(known_valid) < MAX_KNOWN:
        known_valid.add(key)
