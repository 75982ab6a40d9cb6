"""Decisions: expected costs, several answers in one pass, priors that change after the fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from gauda import _core
from gauda._data.training import NUMBERS, is_whole, rows_to_score
from gauda._estimators.learner import Learner
from gauda._scoring.answers import Classification, Sheet, checked_outputs, checked_top_k
from gauda._scoring.rules import Reject, Rules, zero_one
from gauda._statistics.priors import warn_of_priors
from gauda._support.states import joins_state, reads_one_state
from gauda._support.warning import warn_caller

READ_AT_ONCE = frozenset({"priors", "cost", "reject", "reject_label"})
"""Parameters that work without another fit."""


class AdaptedPriors(NamedTuple):
    """Priors that rows without labels speak for."""

    priors: NDArray[np.float64]
    n_iter: int


class Deciding(Learner):
    """A classifier that weighs what its decisions cost."""

    def predict_cost(
        self, X: Any, *, priors: ArrayLike | None = None, cost: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Return what each decision is expected to cost: the sum of cost[i, j] p(i | x) over i.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to classify.

        priors : array-like of shape (n_classes,) or (n_samples, n_classes), default=None
            Priors for this call, or one row of them for each row of X; by default those of the fit.

        cost : array-like of shape (n_classes, n_classes or n_classes + 1), default=None
            Costs for this call, like the parameter `cost`. If that is None too, a mistake costs 1.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
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
        costs = self.classify(X, "cost", priors=priors, cost=cost).cost
        return np.asarray(costs)

    @reads_one_state
    def classify(  # noqa: PLR0913 (what a call may change)
        self,
        X: Any,
        outputs: str | Sequence[str] = ("label", "proba"),
        *,
        top_k: int | None = None,
        out: Mapping[str, NDArray[Any]] | None = None,
        priors: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        reject: Reject = None,
    ) -> Classification:
        """Answer several questions about each row in one pass over X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to classify.

        outputs : str or sequence of str, default=("label", "proba")
            What to compute, nothing else is: 'label', 'proba', 'log_proba', 'log_density', 'joint',
            'mahalanobis', 'typicality', 'cost', 'top_k'. Each equals what the method for it alone
            returns.

        top_k : int, default=None
            Number of classes for 'top_k'; by default 3, or all if there are fewer.

        out : dict of str to ndarray, default=None
            Arrays for some of the outputs, by name: of the shape and dtype that a new one would
            have (floats of the precision in which X is scored), contiguous, and apart from X. If
            the call fails on some row, they may already hold answers for others.

        priors : array-like of shape (n_classes,) or (n_samples, n_classes), default=None
            Priors for this call, or one row of them for each row of X; by default those of the fit.

        cost : array-like of shape (n_classes, n_classes or n_classes + 1), default=None
            Costs for this call, like the parameter `cost`.

        reject : float or dict, default=None
            When to reject in this call, like the parameter `reject`.

        Returns
        -------
        Classification
            The answers by name; None for what was not asked for.

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
        asked = checked_outputs(outputs)
        self._fitted_model()
        rows = rows_to_score(X, self)
        n_classes = len(self.classes_)
        rules, names = self._rules(priors, cost, reject)
        if "cost" in asked and (rules is None or rules.cost is None):
            rules = with_zero_one(rules, n_classes)
        n_decisions = n_classes if rules is None or rules.cost is None else rules.cost.shape[1]
        widths = dict.fromkeys(asked, n_classes) | {"cost": n_decisions}
        widths.pop("log_density", None)
        read = {"X": rows} | ({} if rules is None else rules.arrays())
        sheet = Sheet.of(read, asked, out)
        return sheet.fill(
            lambda answers: self._ask(rows, answers, rules),
            names,
            widths,
            checked_top_k(top_k, n_classes),
        )

    @reads_one_state
    def adapt_priors(self, X: Any, *, tol: Any = 1e-8, max_iter: Any = 1000) -> AdaptedPriors:
        """Estimate the priors of rows without labels, whose classes are otherwise as in the fit.

        The priors under which the rows are likeliest, found by expectation maximisation: posteriors
        under some priors are averaged to give the next. The model is left as it is; use the result
        in `predict(X, priors=...)` or `set_params(priors=...)`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows. Their posteriors are kept in memory meanwhile; of very many rows a random part
            will do. Rows of which nothing is known leave the priors as they are: those without any
            value, and with missing='propagate' those with any missing one.

        tol : float, default=1e-8
            No prior changes by more than this in the last round.

        max_iter : int, default=1000
            Most rounds; after as many, a warning says that they were not enough.

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
            raise ValueError(f"tol must be a finite number of at least 0, got {tol!r}.")
        if not (is_whole(max_iter) and max_iter >= 1):
            raise ValueError(f"max_iter must be a whole number of at least 1, got {max_iter!r}.")
        posteriors = self._answer(X, "posterior")
        if self.missing == "marginalize":
            # Their posteriors are the priors but for rounding, which rounds would add up.
            posteriors[rows_without_values(rows_to_score(X, self))] = np.nan
        before = np.exp(self._model.log_prior)
        priors, n_iter, converged = _core.adapt_priors(
            posteriors, before, float(tol), int(max_iter), self.n_threads
        )
        if not converged:
            warn_caller(
                f"The priors still changed by more than tol={tol:g} after max_iter={max_iter} "
                "rounds. Allow more, or a larger change.",
                ConvergenceWarning,
            )
        return AdaptedPriors(np.array(priors), n_iter)

    @joins_state
    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator.

        After a fit `priors`, `cost`, `reject` and `reject_label` work at once, without the data;
        others with the next fit, or when `priors` makes the model anew.

        Parameters
        ----------
        **params
            Parameters.

        Returns
        -------
        Self
            The estimator; if anything fails, it is what it was before.

        Examples
        --------
        >>> from gauda import LinearDiscriminantAnalysis
        >>> lda = LinearDiscriminantAnalysis().fit([[-2], [-1], [1], [2]], [0, 0, 1, 1])
        >>> lda.set_params(priors=[0.01, 0.99]).predict([[-0.1]])
        array([1])
        """
        settled = "_model" in vars(self)
        super().set_params(**params)
        if "_moments" not in vars(self) or not READ_AT_ONCE.intersection(params):
            return self
        self._validate_params()
        if "priors" in params:
            self._reweight(settled=settled)
        elif settled:
            self._check_rules()
        return self

    def _reweight(self, *, settled: bool) -> None:
        """Make the model of other priors."""
        self._check_reweighting()
        self._outdate()
        if settled:
            self._settle()
        else:  # rows may not yet be enough for a model
            self._describe(self._fitted_moments())
        warn_of_priors(self.priors)

    def _check_reweighting(self) -> None:
        """Refuse priors that weight covariances of classes which were pooled in the fit."""
        if self._structure() == "full" and self._moments.structure == "tied":
            raise ValueError(
                f"With {type(self).__name__}'s parameters, priors weight the covariances of the "
                "classes, which this fit has pooled. Fit anew with priors, or give them to predict."
            )

    def _settle(self) -> None:
        super()._settle()
        self._check_rules()

    def _check_rules(self) -> None:
        """Refuse costs and thresholds that do not fit the classes."""
        rules, _ = self._rules()
        if rules is not None:
            self._fitted_model()
            self._ask(np.empty((0, self._moments.n_features)), {}, rules)


def rows_without_values(rows: NDArray[Any]) -> NDArray[np.intp]:
    """Return the indices of rows of which every value is missing."""
    candidates = np.flatnonzero(np.isnan(rows[:, 0]))
    empty: NDArray[np.intp] = candidates[np.isnan(rows[candidates]).all(axis=1)]
    return empty


def with_zero_one(rules: Rules | None, n_classes: int) -> Rules:
    """Return the same rules, and besides that every mistake costs 1."""
    same = Rules() if rules is None else rules
    return replace(same, cost=zero_one(n_classes), by_cost=False)
