"""How much a model needs each column, and how it labels rows that it has not seen.

The functions here are methods of `Classifier`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda._analysis.importance import ColumnImportance, f_to_remove, mean_scores, title_of
from gauda._data.frames import as_table
from gauda._data.label_columns import label_values
from gauda._data.labels import indices_among, label_array
from gauda._data.sklearn_private import take
from gauda._estimators.geometry import names_in_formulas
from gauda._estimators.marginal import with_possible_components
from gauda._estimators.state import Current
from gauda._scoring.rules import make_rules
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats, Indices
from gauda._support.lazy import special
from gauda.typing import Labels, MatrixLike, Weights

if TYPE_CHECKING:
    from gauda._estimators.classifier import Classifier


BLOCK = 1 << 20
"""Log-posteriors of rows, classes and columns that are held together."""


def column_importance(
    self: Classifier, X: MatrixLike, y: Labels, *, sample_weight: Weights | None = None
) -> ColumnImportance:
    """Return what the model would lose without each of its columns.

    Each row is scored under the model without it, exactly and without refitting: with all
    columns, and without each of them in turn. Beside that stands what needs no rows: partial Wilks'
    lambda with its F to remove, or the mutual information of levels with the class.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows that the model was fitted to, as for `loo_log_proba`.

    y : array-like of shape (n_samples,)
        Their labels.

    sample_weight : array-like of shape (n_samples,), default=None
        The weights that the rows had in the fit, if they had any.

    Returns
    -------
    ColumnImportance
        With `log_loss_increase`, `accuracy_decrease`, `partial_lambda`, `f_to_remove`, `p_value`
        and `mutual_information` of each column. Printed, or shown in a notebook, it makes a table.

    See Also
    --------
    gauda.model_selection.ColumnSelector : Which columns to keep.

    Examples
    --------
    >>> from gauda import LDA
    >>> X, y = [[0, 0], [1, 2], [2, 1], [6, 1], [7, 3], [8, 2]], ["a", "a", "a", "b", "b", "b"]
    >>> found = LDA().fit(X, y).column_importance(X, y)
    >>> found.order
    array([0, 1])
    """
    current = self._current()
    codes, shares = truth_of(current, y, sample_weight)
    whole = self.loo_log_proba(X, y, sample_weight=sample_weight)
    log_loss, accuracy = mean_scores(whole, codes, shares)
    rows = FittedRows(as_table(X), label_values(y), sample_weight, codes, shares)
    found = scores_of_independent(self, current, rows) if is_independent(self, current) else None
    losses, hits = (scores_without_each(self, current, rows) if found is None else found).T
    statistics, unknown = current.statistics, np.full(current.n_features, np.nan)
    gaussian = isinstance(statistics, Moments)
    partial_lambda, f, p_value = f_to_remove(statistics) if gaussian else (unknown,) * 3
    independent = self._independent_columns
    information = self.diagnostics().mutual_information if independent else unknown
    title = title_of(type(self).__name__, len(current.classes), current.n_features)
    return ColumnImportance(
        names_in_formulas(current),
        log_loss,
        accuracy,
        losses - log_loss,
        accuracy - hits,
        partial_lambda,
        f,
        p_value,
        information,
        title,
    )


def is_independent(self: Classifier, current: Current) -> bool:
    """Tell whether a column adds its own part to log-densities, whatever the others are."""
    smoothed = isinstance(current.statistics, MixedStatistics)  # by the largest variance
    return self._independent_columns and not smoothed


@dataclass(frozen=True)
class FittedRows:
    """Rows that a model was fitted to."""

    table: Any
    labels: Any
    weights: Weights | None
    codes: Indices
    """Index of each row's class."""
    shares: Floats
    """Of the mean over rows."""

    def loo(self, part: Any, columns: Indices, block: slice = slice(None)) -> Floats:
        """Return log-posteriors under a model of some columns, of each row without it."""
        index = np.arange(len(self.codes))[block]
        rows = take(take(self.table, index), columns, axis=1)
        weights = None if self.weights is None else np.asarray(self.weights)[block]
        labels = np.asarray(self.labels)[block]
        return np.asarray(part.loo_log_proba(rows, labels, sample_weight=weights))


def scores_without_each(self: Classifier, current: Current, rows: FittedRows) -> Floats:
    """Return log-loss and accuracy without each column."""
    scores = []
    for column in range(current.n_features):
        rest = np.delete(np.arange(current.n_features), column)
        if len(rest):
            left = rows.loo(without_columns(self, current, rest, rows), rest)
        else:
            priors = np.asarray(current.model.log_prior, dtype=np.float64)
            left = np.broadcast_to(priors, (len(rows.codes), len(priors)))
        scores.append(mean_scores(left, rows.codes, rows.shares))
    return np.array(scores)


def scores_of_independent(self: Classifier, current: Current, rows: FittedRows) -> Floats | None:
    """Return the same from what each column says by itself; None if one makes rows impossible.

    The parts of the columns before and after are added: taking a part from the sum of all would
    lose the digits of others beside that of an outlier.
    """
    log_prior = np.asarray(current.model.log_prior, dtype=np.float64)
    possible = np.isfinite(log_prior)
    columns = [np.array([column]) for column in range(current.n_features)]
    models = [without_columns(self, current, column, rows) for column in columns]
    scores = np.zeros((len(columns), 2))
    step = max(BLOCK // (len(columns) * len(log_prior)), 1)
    for start in range(0, len(rows.codes), step):
        block = slice(start, start + step)
        parts = np.stack(
            [rows.loo(model, column, block) for model, column in zip(models, columns, strict=True)]
        )
        parts = parts[:, :, possible] - log_prior[possible]
        if not np.isfinite(parts).all():
            return None
        nothing = np.zeros_like(parts[:1])
        before = np.concatenate([nothing, parts[:-1]]).cumsum(axis=0)
        after = np.concatenate([nothing, parts[:0:-1]]).cumsum(axis=0)[::-1]
        joint = np.full((*parts.shape[:2], len(log_prior)), -np.inf)
        joint[:, :, possible] = before + after + log_prior[possible]
        joint -= special.logsumexp(joint, axis=2, keepdims=True)
        codes, shares = rows.codes[block], rows.shares[block]
        scores += [mean_scores(left, codes, shares) for left in joint]
    return scores


def without_columns(self: Classifier, current: Current, rest: Indices, rows: FittedRows) -> Any:
    """Return the model that a fit to some of the columns would give."""
    acting = self._acting(current.settings)
    jointly = isinstance(current.statistics, Moments) and acting._estimates_jointly(
        current.estimates
    )
    if not jointly:
        return acting._marginal(current, rest)
    parameters = with_possible_components(acting, len(rest))
    if current.statistics.order < acting._order():  # all that such a fit keeps of its rows
        table = take(rows.table, rest, axis=1)
        return type(acting)(**parameters).fit(table, rows.labels, rows.weights)
    parameters |= {"class_weight": None}
    return type(acting).from_moments(current.statistics.select(rest), **parameters)


def truth_of(current: Current, y: Labels, sample_weight: Weights | None) -> tuple[Indices, Floats]:
    """Return the index of each row's class, and its share of the mean."""
    labels = label_array(label_values(y))
    distinct, inverse = np.unique(labels, return_inverse=True)
    known = np.isin(distinct, current.classes)
    if not known.all():
        raise ValueError(
            f"y must hold labels of the fit; got {distinct[~known][0]!r}. The classes are "
            f"{current.classes.tolist()}."
        )
    codes = indices_among(distinct, current.classes)[inverse.ravel()]
    weights = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, float)
    return codes.astype(np.intp), weights / weights.sum()


def loo_confusion(
    self: Classifier,
    X: MatrixLike,
    y: Labels,
    *,
    refit_priors: bool = False,
    sample_weight: Weights | None = None,
) -> NDArray[Any]:
    """Return the confusion matrix of rows that are each labeled by the model without them.

    As `table(y, lda(..., CV = TRUE)$class)` in R, and CROSSVALIDATE in SAS. Labels are those of
    largest posterior, or of least expected cost if `cost` is set; rows are not rejected.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows that the model was fitted to, as for `loo_log_proba`.

    y : array-like of shape (n_samples,)
        Their labels.

    refit_priors : bool, default=False
        Whether priors are counted without the row too, if they were not given.

    sample_weight : array-like of shape (n_samples,), default=None
        The weights that the rows had in the fit, if they had any; entries are then sums of these.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Rows of each true class (down) that got each label (across), in the order of `classes_`.

    Examples
    --------
    >>> from gauda import LDA
    >>> X, y = [[0], [1], [2], [4], [5], [6]], ["a", "a", "b", "b", "b", "b"]
    >>> LDA().fit(X, y).loo_confusion(X, y)
    array([[2, 0],
           [1, 3]])
    """
    current = self._current()
    codes, _ = truth_of(current, y, None)
    log_posteriors = self.loo_log_proba(X, y, refit_priors, sample_weight=sample_weight)
    chosen = log_posteriors.argmax(axis=1)
    if self.cost is not None:
        cost = make_rules(current, None, self.cost, None).cost
        costs = np.exp(log_posteriors) @ np.asarray(cost, dtype=np.float64)
        chosen = costs[:, : len(current.classes)].argmin(axis=1)
    counts = np.zeros((len(current.classes),) * 2, int if sample_weight is None else float)
    np.add.at(counts, (codes, chosen), 1 if sample_weight is None else np.asarray(sample_weight))
    return counts
