"""What a fit knows, as one object that is replaced as a whole, and what follows from it.

A fit builds its state aside and puts it in place last, in one assignment. So other threads are
answered by the state before or by the one after, and a failed fit has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from threading import Lock
from typing import Any, Generic, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from gauda import _core
from gauda._statistics.em import EmReport
from gauda._support.record import record

T = TypeVar("T")
"""What an attribute holds."""

REPLACING = Lock()
"""Held while a state is replaced by one that was made of it; never while anything is computed."""


@record
class Solution:
    """The model that statistics give, and the fitted attributes that it takes to find it."""

    model: Any
    attributes: Mapping[str, Any]


@record
class Description:
    """Fitted attributes that are quick to find, under the decision parameters of some moment."""

    decided: Any
    """The parameters that act at once, of which the attributes were made."""
    attributes: Mapping[str, Any]


@record
class Current:
    """A fit with its solution, under the decision parameters of some moment: all that answers."""

    decided: Any
    """The parameters that act at once, of which the model was made."""
    model: Any
    attributes: Mapping[str, Any]
    settings: Any
    statistics: Any
    estimates: Mapping[str, Any]
    classes: NDArray[Any]
    n_features: int
    feature_names: NDArray[Any] | None
    open_classes: bool
    cache: dict[str, Any] = field(default_factory=dict)
    """What is computed when it is first asked for."""


class Memo:
    """What was last computed of a state; pickles hold it if the core's model can be pickled."""

    def __init__(self) -> None:
        self.description: Description | None = None
        self.current: Current | None = None
        self.codes: dict[Any, int] | None = None
        """The index of each class by its label."""

    def __getstate__(self) -> dict[str, Any]:
        current = self.current
        kept = current is not None and isinstance(current.model, _core.Model)
        return {
            "description": self.description,
            "current": current if kept else None,
            "codes": None,
        }


@record
class FitState:
    """What a fit knows."""

    statistics: Any
    """Of the rows that were seen."""
    settings: Any
    """An unfitted estimator with the parameters as they were at the fit."""
    estimates: Mapping[str, Any]
    """What takes the rows themselves: covariances of an estimator, intensities, a search."""
    open_classes: bool
    """Whether classes may still appear."""
    em: EmReport | None
    """How the estimation from rows with missing values went."""
    classes: NDArray[Any]
    n_features: int
    feature_names: NDArray[Any] | None
    memo: Memo = field(default_factory=Memo)


def state_after(before: FitState, statistics: Any) -> FitState:
    """Return the state of other statistics of the same classes, with the same parameters."""
    memo = Memo()
    memo.codes = before.memo.codes
    return FitState(
        statistics,
        before.settings,
        before.estimates,
        before.open_classes,
        None,
        before.classes,
        before.n_features,
        before.feature_names,
        memo,
    )


def same(first: Any, second: Any) -> bool:
    """Tell whether decision parameters are the same objects: one, or several in a tuple."""
    if isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second):
        return all(one is other for one, other in zip(first, second, strict=True))
    return first is second


def differ_in_priors_only(first: Any, second: Any) -> bool:
    """Tell whether decision parameters, of which priors are the first, are else the same."""
    several = isinstance(first, tuple) and isinstance(second, tuple)
    return not several or same(first[1:], second[1:])


def not_fitted(estimator: Any) -> NotFittedError:
    """Return scikit-learn's refusal of an estimator that is not fitted."""
    return NotFittedError(
        f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with appropriate "
        "arguments before using this estimator."
    )


class Deferred:
    """A fitted attribute that takes much memory: made when it is read."""

    def __init__(self, make: Callable[..., Any], *arguments: Any) -> None:
        self.make, self.arguments = make, arguments

    def __call__(self) -> Any:
        return self.make(*self.arguments)


class LazyAttributes(Mapping[str, Any]):
    """Fitted attributes that cannot be refused: found when the first of them is read."""

    def __init__(self, find: Callable[..., dict[str, Any]], *arguments: Any) -> None:
        self.find, self.arguments = find, arguments

    @cached_property
    def found(self) -> dict[str, Any]:
        """The attributes."""
        return self.find(*self.arguments)

    def __getitem__(self, name: str) -> Any:
        return self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __reduce__(self) -> Any:
        return dict, (self.found,)


class FittedAttribute(Generic[T]):
    """An attribute that follows from a fit: found when it is read, and never set."""

    def __init__(self, condition: str = "") -> None:
        self.condition = condition
        """Of attributes that not every fit makes, how to have them."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, estimator: None, owner: type) -> Self: ...

    @overload
    def __get__(self, estimator: object, owner: type | None = None) -> T: ...

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        if estimator is None:
            return self
        if estimator._fitted is None:
            raise AttributeError(
                f"{type(estimator).__name__!r} object has no attribute {self.name!r}"
            )
        found = estimator._attributes(self.name)
        if self.name not in found:
            raise AttributeError(
                f"This {type(estimator).__name__} has no {self.name}. {self.condition}".rstrip()
            )
        value = found[self.name]
        return value() if isinstance(value, Deferred) else value

    def __set__(self, estimator: Any, value: Any) -> None:
        raise AttributeError(
            f"{self.name} follows from the fit and cannot be set; fit, or see from_parameters."
        )


class StateAttribute(Generic[T]):
    """A field of the state; scikit-learn's own tests assign it where there is no state yet."""

    def __init__(self, name: str) -> None:
        self.field = name

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, estimator: None, owner: type) -> Self: ...

    @overload
    def __get__(self, estimator: object, owner: type | None = None) -> T: ...

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        if estimator is None:
            return self
        state = estimator._fitted
        value = None if state is None else getattr(state, self.field)
        if value is None:
            raise AttributeError(
                f"{type(estimator).__name__!r} object has no attribute {self.name!r}"
            )
        return value


class FixedStateAttribute(StateAttribute[T]):
    """A field of the state that cannot be set."""

    def __set__(self, estimator: Any, value: Any) -> None:
        raise AttributeError(f"{self.name} follows from the fit and cannot be set.")


def em_attributes(report: EmReport | None) -> dict[str, Any]:
    """Return how EM went as fitted attributes."""
    if report is None:
        return {}
    return {
        "n_iter_": report.n_iter,
        "converged_": report.converged,
        "log_likelihood_": np.asarray(report.log_likelihood),
    }
