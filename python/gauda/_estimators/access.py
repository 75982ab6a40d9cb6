"""What the leaves of the package may know of fitted estimators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from gauda._analysis.column_fits import ColumnFit
from gauda._estimators.classifier import Classifier
from gauda._estimators.decisions import Decided, scorer_of
from gauda._estimators.gaussian import GaussianClassifier
from gauda._estimators.geometry import names_in_formulas
from gauda._estimators.state import Current
from gauda._scoring.rules import make_rules
from gauda._scoring.scorer import Scorer
from gauda._statistics.base import Statistics
from gauda._support.arrays import Floats
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


def posteriors_of_row(estimator: Classifier, make_row: Callable[[Current], Any]) -> Floats:
    """Return the posteriors of one row, made for the fit of now."""
    current = estimator._current()
    posteriors = np.empty(len(current.classes))
    estimator._ask(current, make_row(current), {"posterior": posteriors[np.newaxis]})
    return posteriors


def log_posteriors_of_row(estimator: Classifier, row: Any, index: int) -> Floats:
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


def estimates_jointly(estimator: GaussianClassifier) -> bool:
    """Tell whether the model of some columns is another than the marginal of this one."""
    current = estimator._current()
    acting = estimator._acting(current.settings)
    needs_rows = estimator._needs_rows() is not None
    return needs_rows or acting._estimates_jointly(current.estimates)


def has_independent_columns(estimator: Any) -> bool:
    """Tell whether log p(x | class) is a sum over columns of levels or numbers."""
    return isinstance(estimator, Classifier) and estimator._independent_columns


def column_log_likelihoods(estimator: Classifier, X: Any) -> tuple[Floats, list[Floats]]:
    """Return log-priors, and log p(entry | class) of each independent column, row x class."""
    current = estimator._current()
    rows = estimator._rows(X, current)
    estimator._ask(current, rows, {"joint": np.empty((len(rows), len(current.classes)))})
    log_prior = np.asarray(current.model.log_prior, dtype=np.float64)
    return log_prior, estimator._column_log_likelihoods(current, rows)


def column_fits(estimator: Classifier) -> list[ColumnFit]:
    """Return how each independent column fits the rows seen."""
    current = estimator._current()
    acting = estimator._acting(current.settings)
    names = names_in_formulas(current)
    fits: list[ColumnFit] = acting._column_fits(current, current.statistics, names)
    return fits
