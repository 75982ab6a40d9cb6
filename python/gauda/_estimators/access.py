"""What the leaves of the package may know of fitted estimators."""

from __future__ import annotations

from typing import Any, TypeVar

from gauda._estimators.classifier import Classifier
from gauda._estimators.decisions import scorer_of
from gauda._scoring.scorer import Scorer
from gauda._support.errors import Names

Model = TypeVar("Model", bound=Classifier)


def model_of(estimator: Classifier) -> Any:
    """Return the model of the core; refuse an estimator that is not fitted."""
    return estimator._fitted_model()


def names_of_fit(estimator: Classifier) -> Names:
    """Return how errors call the classes and columns of a fit."""
    return estimator._names()


def scorer(estimator: Classifier) -> Scorer:
    """Return what answers questions about rows by the parameters of now."""
    return scorer_of(estimator, estimator._current())


def without_names(estimator: Model) -> Model:
    """Return the fitted estimator with columns that have no names."""
    return estimator._without_names()
