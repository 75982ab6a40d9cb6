"""What the leaves of the package may know of fitted estimators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gauda._estimators.classifier import Classifier
from gauda._estimators.decisions import Decided, scorer_of
from gauda._estimators.state import Current
from gauda._scoring.rules import make_rules
from gauda._scoring.scorer import Scorer
from gauda._statistics.base import Statistics
from gauda._support.errors import Names

Model = TypeVar("Model", bound=Classifier)


def model_of(estimator: Classifier) -> Any:
    """Return the model of the core; refuse an estimator that is not fitted."""
    return estimator._fitted_model()


def statistics_of(estimator: Classifier) -> Statistics:
    """Return the statistics of a fit."""
    statistics: Statistics = estimator._fit_state().statistics
    return statistics


def rows_of(estimator: Classifier, X: Any) -> Any:
    """Return X as the core reads it, checked against the columns of the fit."""
    return estimator._rows(X, estimator._current())


def names_of_fit(estimator: Classifier) -> Names:
    """Return how errors call the classes and columns of a fit."""
    return estimator._names()


def scorer(estimator: Classifier) -> Scorer:
    """Return what answers questions about rows by the parameters of now."""
    return scorer_of(estimator, estimator._current())


def scorer_with(estimator: Classifier, outputs: Sequence[str], **decided: Any) -> Scorer:
    """Return what answers questions about rows by the parameters of a call."""
    return scorer_of(estimator, estimator._current(), outputs, Decided(**decided))


def posteriors_of_row(
    estimator: Classifier, make_row: Callable[[Current], Any]
) -> NDArray[np.float64]:
    """Return the posteriors of one row, made for the fit of now."""
    current = estimator._current()
    posteriors = np.empty(len(current.classes))
    estimator._ask(current, make_row(current), {"posterior": posteriors[np.newaxis]})
    return posteriors


def log_posteriors_of_row(estimator: Classifier, row: Any, index: int) -> NDArray[np.float64]:
    """Return the log-posteriors of one row, gaps left out; errors call it by its index."""
    current = estimator._current()
    posteriors = np.empty(len(current.classes))
    rules = make_rules(current, None, None, None, "marginalize")
    answers = {"log_posterior": posteriors[np.newaxis]}
    estimator._ask(current, row, answers, rules, first_row=index)
    return posteriors


def without_names(estimator: Model) -> Model:
    """Return the fitted estimator with columns that have no names."""
    return estimator._without_names()
