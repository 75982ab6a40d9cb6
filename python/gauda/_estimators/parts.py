"""Fits to rows that lie in parts, on any machine: their settings, and what a part gives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from sklearn.utils import check_consistent_length

from gauda._data.shapes import number_of_rows
from gauda._data.sklearn_private import validate_params
from gauda._data.training import LabeledRows
from gauda._estimators.class_weights import weigh_rows
from gauda._estimators.gaussian import GaussianClassifier
from gauda._estimators.joining import Part
from gauda._estimators.learner import Learner
from gauda._statistics.moments import Moments

Model = TypeVar("Model", bound=Learner)


def settings_for_parts(estimator: Model, caller: str) -> Model:
    """Return the checked parameters of an estimator; refuse those that need all rows at once."""
    settings = check_settings(estimator, caller)
    if (reason := settings._lack_of_rows(caller)) is not None:
        raise ValueError(reason)
    return settings


def check_settings(estimator: Model, caller: str) -> Model:
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
    data = rows_of_part(settings, X, y, sample_weight)
    return Part().with_rows(settings, data, number_of_rows(X))


def takes_squares(settings: Learner) -> bool:
    """Tell whether sums and sums of squares of columns are all that a fit takes of rows."""
    gaussian = isinstance(settings, GaussianClassifier)
    return gaussian and settings._structure() == "diag" and settings.class_weight is None


def part_of_moments(settings: Learner, moments: Moments) -> Part:
    """Return what rows give of which these are the moments."""
    return Part(settings._join(None, moments, {}, None, 1.0), moments.n_rows)


def weigh_part(settings: Learner, X: Any, y: Any, sample_weight: Any) -> Any:
    """Return the training data of a part, of which none may be left."""
    kept = rows_of_part(settings, X, y, sample_weight)
    return weigh_rows(settings.class_weight, kept)


def rows_of_part(settings: Learner, X: Any, y: Any, sample_weight: Any) -> Any:
    """Return the rows of a part that a fit takes; all may have weight 0 there, unlike in a fit."""
    if sample_weight is None or np.any(np.asarray(sample_weight)):
        return settings._kept_rows(X, y, sample_weight, None)
    check_consistent_length(sample_weight, y)
    return without_weight(settings._kept_rows(X, y, None, None))


def without_weight(data: Any) -> Any:
    """Return training data in which no row counts."""
    if isinstance(data, LabeledRows):
        return replace(data, weights=np.zeros(len(data.codes)))
    return replace(data, labels=without_weight(data.labels))
