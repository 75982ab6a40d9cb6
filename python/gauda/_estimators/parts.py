"""Fits to rows that lie in parts, on any machine: what a part gives, and how parts become a fit."""

from __future__ import annotations

from typing import Any, TypeVar

from gauda._data.sklearn_private import validate_params
from gauda._estimators.class_weights import check_classes, weigh_rows
from gauda._estimators.learner import Learner
from gauda._estimators.state import FitState

Model = TypeVar("Model", bound=Learner)


def settings_for_parts(estimator: Model, caller: str) -> Model:
    """Return the checked parameters of an estimator; refuse those that need all rows at once."""
    if not isinstance(estimator, Learner):
        raise TypeError(
            f"{caller} fits the estimators of gauda; got {type(estimator).__name__}. Give one, "
            "such as gauda.QDA()."
        )
    settings = estimator._twin()
    validate_params(settings)
    settings._check_parameters()
    try:
        settings._refuse_rows_needed(caller)
    except AttributeError as error:
        raise ValueError(str(error)) from None
    return settings


def part_of(settings: Learner, X: Any, y: Any, sample_weight: Any = None) -> FitState:
    """Return what one part of the rows gives; it must hold some."""
    data = weigh_rows(settings.class_weight, settings._labeled(X, y, sample_weight, None))
    batch = settings._sums(data)
    return settings._joined(None, batch, settings._estimate(data, batch), None, 1.0)


def join_parts(settings: Learner, first: FitState, second: FitState) -> FitState:
    """Return what two parts give together, the first one first."""
    return settings._joined(first, second.statistics, second.estimates, None, 1.0)


def adopt_parts(estimator: Model, settings: Model, state: FitState | None) -> Model:
    """Fit an estimator to what all parts give together."""
    if state is None:
        raise ValueError("The source has no rows; there is nothing to fit.")
    check_classes(settings.class_weight, state.statistics.classes)
    settings._check_size(len(state.classes), state.statistics.n_rows)
    estimator._adopt(settings._state_of(state.statistics, state.estimates))
    return estimator
