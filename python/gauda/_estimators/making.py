"""Estimators that come about without `fit`: made of statistics, or restored from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from gauda._data.sklearn_private import validate_params
from gauda._estimators.refusals import refuse_changes

if TYPE_CHECKING:
    from gauda._estimators.learner import Estimates, Learner
    from gauda._estimators.state import Current
    from gauda._statistics.em import EmReport

Model = TypeVar("Model", bound="Learner")


def with_parameters(cls: type[Model], params: dict[str, Any]) -> Model:
    """Return an estimator whose parameters are checked."""
    estimator = cls(**params)
    validate_params(estimator)
    return estimator


def without_rows(cls: type[Model], method: str, params: dict[str, Any]) -> Model:
    """Return an estimator whose parameters are checked, and need no rows."""
    estimator = with_parameters(cls, params)
    if (reason := estimator._lack_of_rows(method)) is not None:
        raise ValueError(reason)
    if estimator.class_weight is not None:
        raise ValueError(
            f"class_weight acts on rows, of which {method} has none; got "
            f"{estimator.class_weight!r}. "
            "Multiply the statistics of each class before they are added, or use fit."
        )
    return estimator


def make_of(cls: type[Model], method: str, statistics: Any, params: dict[str, Any]) -> Model:
    """Return an estimator fitted to statistics."""
    estimator = without_rows(cls, method, params)
    estimator._adopt(estimator._twin()._state_of(statistics, {}))
    return estimator


def make_from_given(  # noqa: PLR0913 (what a model is made of)
    cls: type[Model],
    statistics: Any,
    priors: Any,
    exact: dict[str, Any],
    params: dict[str, Any],
    what: str,
) -> Model:
    """Return an estimator of statistics with given parameters, which nothing must change."""
    given = {cls._prior_parameter: priors}
    estimator = without_rows(cls, "from_parameters", exact | given | params)
    refuse_changes(estimator, what)
    estimator._adopt(estimator._twin()._state_of(statistics, {}))
    return estimator


def make_like(
    cls: type[Model],
    statistics: Any,
    params: dict[str, Any],
    current: Current,
) -> Model:
    """Return an estimator of other statistics, otherwise fitted like one with these parameters."""
    estimator = with_parameters(cls, params)
    settings, open_classes = estimator._twin(), current.open_classes
    estimator._adopt(settings._state_of(statistics, current.estimates, open_classes=open_classes))
    return estimator


def estimates_in(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return what a file knows of rows besides statistics: the library of their table."""
    return {"library": str(metadata["library"])} if "library" in metadata else {}


def restore(  # noqa: PLR0913 (what a fit knows)
    cls: type[Model],
    metadata: dict[str, Any],
    statistics: Any,
    estimates: Estimates,
    *,
    open_classes: bool = True,
    em: EmReport | None = None,
    settled: bool = True,
) -> Model:
    """Return an estimator fitted as a file says: with its parameters, by those of the fit."""
    estimator = with_parameters(cls, metadata["parameters"])
    settings = with_parameters(cls, metadata["parameters"] | metadata["settings"])
    estimator._fitted = settings._state_of(statistics, estimates, open_classes=open_classes, em=em)
    if settled:
        estimator._check_rules(estimator._current())
    return estimator
