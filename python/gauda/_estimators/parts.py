"""Fits to rows that lie in parts, on any machine: their settings, and what a part gives."""

from __future__ import annotations

from typing import Any, TypeVar

from gauda._data.sklearn_private import validate_params
from gauda._estimators.class_weights import weigh_rows
from gauda._estimators.joining import Part
from gauda._estimators.learner import Learner

Model = TypeVar("Model", bound=Learner)


def settings_for_parts(estimator: Model, caller: str) -> Model:
    """Return the checked parameters of an estimator; refuse those that need all rows at once."""
    settings = checked_settings(estimator, caller)
    try:
        settings._refuse_rows_needed(caller)
    except AttributeError as error:
        raise ValueError(str(error)) from None
    return settings


def checked_settings(estimator: Model, caller: str) -> Model:
    """Return the checked parameters of an estimator."""
    if not isinstance(estimator, Learner):
        raise TypeError(
            f"{caller} fits the estimators of gauda; got {type(estimator).__name__}. Give one, "
            "such as gauda.QDA()."
        )
    settings = estimator._twin()
    validate_params(settings)
    settings._check_parameters()
    return settings


def part_of(settings: Learner, X: Any, y: Any, sample_weight: Any = None) -> Part:
    """Return what one part of the rows gives; it must hold some."""
    return Part().with_rows(settings, settings._kept_rows(X, y, sample_weight, None), len(X))


def weighed_rows(settings: Learner, X: Any, y: Any, sample_weight: Any) -> Any:
    """Return the training data of a part, of which none may be left."""
    kept = settings._kept_rows(X, y, sample_weight, None)
    return weigh_rows(settings.class_weight, kept)
