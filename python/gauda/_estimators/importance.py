"""How much a model needs each column, and how it labels rows that it has not seen.

The functions here are methods of `Classifier`.
"""

from __future__ import annotations

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
from gauda._statistics.moments import Moments
from gauda.typing import Labels, MatrixLike, Weights

if TYPE_CHECKING:
    from gauda._estimators.classifier import Classifier

Floats = NDArray[np.float64]


def column_importance(
    self: Classifier, X: MatrixLike, y: Labels, *, sample_weight: Weights | None = None
) -> ColumnImportance:
    """Return what the model would lose without each of its columns.

    Each row is scored under the model without it, exactly and without fitting anew: with all
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
    table: Any = as_table(X)
    scores = []
    for column in range(current.n_features):
        rest = np.delete(np.arange(current.n_features), column)
        if len(rest) == 0:
            priors = np.asarray(current.model.log_prior, dtype=np.float64)
            left = np.broadcast_to(priors, whole.shape)
        else:
            part = without_columns(self, current, rest)
            left = part.loo_log_proba(take(table, rest, axis=1), y, sample_weight=sample_weight)
        scores.append(mean_scores(left, codes, shares))
    losses, hits = np.array(scores).T
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


def without_columns(self: Classifier, current: Current, rest: NDArray[np.intp]) -> Any:
    """Return the model that a fit to some of the columns would give."""
    acting = self._acting(current.settings)
    jointly = isinstance(current.statistics, Moments) and acting._estimates_jointly(
        current.estimates
    )
    if not jointly:
        return acting._marginal(current, rest)
    parameters = with_possible_components(acting, len(rest)) | {"class_weight": None}
    return type(acting).from_moments(current.statistics.select(rest), **parameters)


def truth_of(
    current: Current, y: Labels, sample_weight: Weights | None
) -> tuple[NDArray[np.intp], Floats]:
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
    """Return how rows are labeled by the model fitted without each, class by class.

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
