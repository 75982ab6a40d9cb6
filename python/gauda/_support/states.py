"""One state at a time, so that threads may ask an estimator that another one fits.

The state is the dictionary of the instance. A call that reads keeps the one it began with; a call
that changes it builds the next one aside and puts it in place in one step at the end. So others
find the state before or the one after, never a part of it, and a failed call has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar

from sklearn.base import BaseEstimator

State = dict[str, Any]
Estimator = TypeVar("Estimator", bound=BaseEstimator)
Method = TypeVar("Method", bound=Callable[..., Any])


def with_state(estimator: Estimator, state: State) -> Estimator:
    """Return an estimator like another, of this state, which it shares."""
    other = object.__new__(type(estimator))
    other.__dict__ = state
    return other


def snapshot(estimator: Estimator) -> Estimator:
    """Return an estimator that keeps the state of another as it is now."""
    return with_state(estimator, estimator.__dict__)


def reads_one_state(method: Method) -> Method:
    """Make a method work on the state as it was when it was called, whatever other threads do."""

    @wraps(method)
    def read(self: BaseEstimator, *args: Any, **kwargs: Any) -> Any:
        return method(snapshot(self), *args, **kwargs)

    return read  # type: ignore[return-value] # the wrapper has the method's signature


def builds_aside(method: Method, *, joins: bool = False) -> Method:
    """Make a method build the next state aside: until it returns, the one before serves.

    What joins the statistics before is done again if another thread has replaced those meanwhile;
    parameters that it has set meanwhile stay set.
    """

    @wraps(method)
    def change(self: BaseEstimator, *args: Any, **kwargs: Any) -> Any:
        while True:
            before = dict(self.__dict__)
            twin = with_state(self, dict(before))
            method(twin, *args, **kwargs)
            while same_statistics(self, before, now := self.__dict__) or not joins:
                newer = newer_parameters(self, before, now, twin.__dict__)
                if newer:
                    twin.set_params(**newer)
                    before = before | newer
                # Python switches threads at calls and loops, and there is none between these two.
                if self.__dict__ is now:
                    self.__dict__ = twin.__dict__
                    return self

    return change  # type: ignore[return-value] # the wrapper has the method's signature


joins_state = partial(builds_aside, joins=True)
"""The same for a method whose result depends on the statistics before."""


def same_statistics(estimator: Any, before: State, now: State) -> bool:
    """Tell whether what was learnt from rows is still what it was."""
    return all(now.get(name) is before.get(name) for name in estimator._statistics)


def newer_parameters(
    estimator: BaseEstimator, before: State, now: State, after: State
) -> dict[str, Any]:
    """Return parameters that others have set meanwhile, and the method that ran has not."""
    return {
        name: now[name]
        for name in estimator._get_param_names()
        if name in now and now[name] is not before.get(name) and after.get(name) is before.get(name)
    }
