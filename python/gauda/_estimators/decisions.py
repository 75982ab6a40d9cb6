"""Decisions: expected costs, several answers in one pass, priors of rows without labels.

The functions here are methods of `Classifier`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from gauda import _core
from gauda._data.arguments import NUMBERS, is_whole
from gauda._data.frames import nulls_in
from gauda._data.shapes import priors_of_rows, unfold
from gauda._estimators.state import Current
from gauda._scoring.answers import Classification, validate_outputs
from gauda._scoring.rules import Reject, Rules, zero_one
from gauda._scoring.scorer import Scorer
from gauda._support.arrays import Floats, Indices
from gauda._support.errors import IsNull
from gauda._support.warning import warn_caller
from gauda.typing import Costs, MatrixLike, NoData, Output, Priors, RejectLabel

if TYPE_CHECKING:
    from gauda._estimators.classifier import Classifier


class AdaptedPriors(NamedTuple):
    """Priors estimated from unlabeled rows, to be given as `priors` as they are."""

    priors: Floats
    n_iter: int

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """Return the priors for numpy."""
        if copy is None:  # which numpy 1 does not take
            return np.asarray(self.priors, dtype=dtype)
        return np.array(self.priors, dtype=dtype, copy=copy)


def predict_cost(
    self: Classifier,
    X: MatrixLike,
    *,
    priors: Priors | None = None,
    cost: Costs | None = None,
    nodata: NoData = None,
) -> NDArray[Any]:
    """Return what each decision is expected to cost: the sum of cost[i, j] p(i | x) over i.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or array of shape (..., n_features)
        Rows to classify.

    priors : array-like of shape (n_classes,) or (n_samples, n_classes), or dict, default=None
        Priors for this call, or one row of them for each row of X; by default those of the fit.

    cost : array-like of shape (n_classes, n_classes or n_classes + 1), or dict, default=None
        Costs for this call, like the parameter `cost`. If that is None too, a mistake costs 1.

    nodata : float or array-like of shape (n_features,), default=None
        What stands for no data in X, or in each column of it; rows that hold it anywhere get NaN.

    Returns
    -------
    ndarray of shape (n_samples, n_classes) or (..., n_classes)
        Expected costs of the labels, in the order of `classes_`; if rejecting has a cost, it is
        in a further column.

    Examples
    --------
    >>> from gauda import LinearDiscriminantAnalysis
    >>> lda = LinearDiscriminantAnalysis()
    >>> lda = lda.fit([[-2], [-1], [1], [2]], ["well", "well", "ill", "ill"])
    >>> X = [[-0.1], [0.0]]
    >>> cost = [[0, 10], [1, 0]]  # an ill one called well, and the other way round
    >>> lda.predict_cost(X, cost=cost).round(2)
    array([[0.77, 2.31],
           [0.5 , 5.  ]])
    >>> lda.predict(X, cost=cost)
    array(['ill', 'ill'], dtype='<U4')
    """
    costs = self.classify(X, "cost", priors=priors, cost=cost, nodata=nodata).cost
    return np.asarray(costs)


def classify(  # noqa: PLR0913 (what a call may change)
    self: Classifier,
    X: MatrixLike,
    outputs: Output | Sequence[Output] = ("label", "proba"),
    *,
    top_k: int | None = None,
    out: Mapping[str, NDArray[Any]] | None = None,
    priors: Priors | None = None,
    cost: Costs | None = None,
    reject: Reject = None,
    reject_label: RejectLabel = None,
    nodata: NoData = None,
) -> Classification:
    """Answer several questions about each row in one pass over X.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or array of shape (..., n_features)
        Rows to classify.

    outputs : str or sequence of str, default=("label", "proba")
        What to compute, nothing else is: 'label', 'proba', 'log_proba', 'log_density', 'joint',
        'mahalanobis', 'typicality', 'cost', 'top_k', each as the method for it alone returns it;
        'max_proba', the largest posterior; 'label_typicality', the typicality of the label,
        NaN for a rejected row; 'min_mahalanobis', the smallest squared distance.

    top_k : int, default=None
        Number of classes for 'top_k'; by default 3, or all if there are fewer.

    out : dict of str to ndarray, default=None
        Arrays for some of the outputs, by name: of the shape and dtype that a new one would
        have (floats of the precision in which X is scored), contiguous, and apart from X. If
        the call fails on some row, they may already hold answers for others.

    priors : array-like of shape (n_classes,) or (n_samples, n_classes), or dict, default=None
        Priors for this call, or one row of them for each row of X; by default those of the fit.

    cost : array-like of shape (n_classes, n_classes or n_classes + 1), or dict, default=None
        Costs for this call, like the parameter `cost`.

    reject : float or dict, default=None
        When to reject in this call, like the parameter `reject`.

    reject_label : default=None
        Label of rejected rows in this call, like the parameter `reject_label`.

    nodata : float or array-like of shape (n_features,), default=None
        What stands for no data in X, or in each column of it; rows that hold it anywhere get
        `reject_label`, and NaN for numbers.

    Returns
    -------
    Classification
        The answers by name; None for what was not asked for. Of X of shape (..., n_features) they
        have the shape that comes before the columns, and one more axis for classes.

    Examples
    --------
    >>> from gauda import QuadraticDiscriminantAnalysis
    >>> qda = QuadraticDiscriminantAnalysis().fit([[-1], [1], [2], [4]], ["a", "a", "b", "b"])
    >>> answer = qda.classify([[0.0], [9.0]], ("label", "typicality", "top_k"), top_k=1)
    >>> answer.label
    array(['a', 'b'], dtype='<U1')
    >>> answer.typicality.round(3)
    array([[1.   , 0.003],
           [0.   , 0.   ]])
    >>> answer.top_k.proba.round(3)
    array([[0.989],
           [1.   ]])
    """
    asked = validate_outputs(outputs, top_k)
    current = self._current()
    X, shape = unfold(X)
    rows = self._rows(X, current)
    priors = priors_of_rows(priors, shape)
    decided = Decided(priors, cost, reject, reject_label, nodata)
    scorer = scorer_of(self, current, asked, decided)
    read = [("X", array) for array in self._arrays(rows)]
    return scorer.classify(
        rows, asked, top_k=top_k, out=out, read=read, shape=shape, is_null=nulls_in(X)
    )


class Decided(NamedTuple):
    """What a call says of decisions, in place of the parameters."""

    priors: Priors | None = None
    cost: Costs | None = None
    reject: Reject = None
    reject_label: RejectLabel = None
    nodata: NoData = None


def scorer_of(
    estimator: Classifier,
    current: Current,
    outputs: Sequence[str] = (),
    decided: Decided = Decided(),  # noqa: B008 (it cannot be changed)
) -> Scorer:
    """Return what answers questions about rows; costs are 1 for a mistake, if none are set."""
    rules, labels = estimator._rules(current, *decided)
    if "cost" in outputs and (rules is None or rules.cost is None):
        rules = with_zero_one(rules, len(current.classes))

    def ask(rows: Any, answers: dict[str, Any], first_row: int, is_null: IsNull) -> None:
        estimator._ask(current, rows, answers, rules, first_row, is_null)

    return Scorer(
        type(estimator).__name__,
        current.classes,
        labels,
        rules,
        current.n_features,
        current.feature_names,
        ask,
        lambda X: estimator._batch_rows(X, current),
        estimator._precision,
        estimator._reads_tables,
        estimator._text_columns(current),
    )


def adapt_priors(
    self: Classifier, X: MatrixLike, *, tol: float = 1e-8, max_iter: int = 1000
) -> AdaptedPriors:
    """Estimate the priors of rows without labels, whose classes are otherwise as in the fit.

    The priors under which the rows are likeliest, found by expectation maximization: posteriors
    under some priors are averaged to give the next. The model is left as it is; give the
    result to `predict(X, priors=...)`, or its `priors` to `set_params(priors=...)`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows. Their posteriors are kept in memory meanwhile; of very many rows a random part
        will do. Rows of which nothing is known leave the priors as they are: those without any
        value, and with missing='propagate' those with any missing one.

    tol : float, default=1e-8
        No prior changes by more than this in the last round.

    max_iter : int, default=1000
        Maximum number of rounds; after as many, a warning says that they were not enough.

    Returns
    -------
    priors : ndarray of shape (n_classes,)
        Priors, in the order of `classes_`.

    n_iter : int
        Rounds made.

    Examples
    --------
    >>> from gauda import GaussianNB
    >>> nb = GaussianNB().fit([[0.0], [1.0], [9.0], [10.0]], ["a", "a", "b", "b"])
    >>> priors, n_iter = nb.adapt_priors([[0.5], [9.1], [9.5], [9.9]])
    >>> priors.round(6)
    array([0.25, 0.75])
    """
    if not (isinstance(tol, NUMBERS) and 0 <= tol < np.inf):
        raise ValueError(f"tol must be a finite number of at least 0; got {tol!r}.")
    if not (is_whole(max_iter) and max_iter >= 1):
        raise ValueError(f"max_iter must be an integer of at least 1; got {max_iter!r}.")
    current = self._current()
    posteriors = self._answer(X, "posterior", current=current)
    if getattr(self, "missing", None) == "marginalize":
        # Their posteriors are the priors but for rounding, which rounds would add up.
        posteriors[rows_without_values(self._rows(X, current))] = np.nan
    before = np.exp(current.model.log_prior)
    priors, n_iter, converged = _core.adapt_priors(
        posteriors, before, float(tol), int(max_iter), self.n_threads
    )
    if not converged:
        warn_caller(
            f"The priors still changed by more than tol={tol:g} after max_iter={max_iter} "
            "rounds. Raise max_iter or tol.",
            ConvergenceWarning,
        )
    return AdaptedPriors(np.array(priors), n_iter)


def rows_without_values(rows: Any) -> Indices:
    """Return the indices of rows of which every value is missing."""
    held = getattr(rows, "arrays", rows)
    if isinstance(held, tuple):  # sparse rows, whose zeros are values
        return np.empty(0, dtype=np.intp)
    columns = held.T if isinstance(held, np.ndarray) else [column[:, 0] for column in held]
    empty = np.arange(len(rows))
    for column in columns:
        if column.dtype.kind != "f":
            return np.empty(0, dtype=np.intp)
        empty = empty[np.isnan(column[empty])]
    return empty


def with_zero_one(rules: Rules | None, n_classes: int) -> Rules:
    """Return the same rules, and besides that every mistake costs 1."""
    same = Rules() if rules is None else rules
    return replace(same, cost=zero_one(n_classes), by_cost=False)
