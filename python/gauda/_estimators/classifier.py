"""What all Gaussian classifiers share: a core model, and the questions that can be asked of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from gauda import _core
from gauda._data.labels import label_question, settle_labels
from gauda._data.sklearn_private import Interval, StrOptions
from gauda._data.training import SINGLE, rows_to_score, score_dtype
from gauda._scoring.rules import Reject, Rules, decision_names, make_rules
from gauda._statistics.conjugate_prior import NormalInverseWishart
from gauda._support.errors import Names
from gauda._support.states import State, snapshot, with_state

MOST_THREADS = 1 << 16

MISSING_CONSTRAINTS: dict[str, Any] = {
    "missing": [StrOptions({"raise", "marginalize", "propagate"})],
    "em_max_iter": [Interval(Integral, 1, None, closed="left")],
    "em_tol": [Interval(Real, 0, None, closed="left")],
    "verbose": ["boolean"],
}
"""Of the parameters that say what becomes of missing values."""


def drop_fitted(estimator: BaseEstimator, private: Iterable[str]) -> None:
    """Drop what an earlier fit left: nothing stale survives a fit with other parameters."""
    for name in list(vars(estimator)):
        if (name.endswith("_") and not name.endswith("__")) or name in private:
            delattr(estimator, name)


class GaussianClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers: one core model answers every question in one pass over the rows."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "priors": ["array-like", dict, StrOptions({"uniform"}), None],
        "unbiased": ["boolean"],
        "prior": [NormalInverseWishart, StrOptions({"empirical"}), None],
        "cost": ["array-like", dict, None],
        "reject": [Real, dict, None],
        "reject_label": "no_validation",
        **MISSING_CONSTRAINTS,
        "n_threads": [Interval(Integral, 1, MOST_THREADS, closed="both"), None],
    }

    classes_: NDArray[Any]
    cost: ArrayLike | None
    reject: Reject
    reject_label: Any
    missing: str
    n_threads: int | None
    _model: _core.Model

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """Return the names of the parameters; scikit-learn would look them up at every fit."""
        names: list[str] = super()._get_param_names()
        return names

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn whether NaN is taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "raise"
        return tags

    def _names(self) -> Names:
        """Return how the fitted classes and columns are called."""
        features = getattr(self, "feature_names_in_", None)
        return Names(type(self).__name__, self.classes_, features, self)

    def _fitted_model(self) -> _core.Model:
        """Return the core model; refuse if there is none yet."""
        if "_model" not in self.__dict__:
            check_is_fitted(self)
        return self._model

    def _settled(self) -> State:
        """Return the state as it is now, with the model made."""
        now = snapshot(self)
        now._fitted_model()
        return now.__dict__

    def _ask(
        self,
        rows: NDArray[Any],
        answers: dict[str, Any],
        rules: Rules | None = None,
        first_row: int = 0,
        state: State | None = None,
    ) -> None:
        """Have the model of a state fill arrays with answers for rows that were checked."""
        if state is None:
            state = self.__dict__
        if rules is not None:
            rules.check_rows(len(rows))
        try:
            state["_model"].answer(rows, state["n_threads"], rules, **answers)
        except _core.CoreError as error:
            names = with_state(self, state)._names()
            names = replace(names, first_row=first_row, single=rows.dtype in SINGLE)
            raise names.explain(error) from None

    def _answer(
        self,
        X: Any,
        question: str,
        priors: ArrayLike | None = None,
        *,
        flat: bool = False,
        state: State | None = None,
    ) -> NDArray[Any]:
        """Ask the model one question of each row; the result has a column per class, or is flat."""
        if state is None:
            state = self.__dict__
        if "_model" not in state:  # asked here: a single row takes but 3 µs in all
            state = self._settled()
        rows = rows_to_score(X, self, state)
        rules = None
        if priors is not None or state["missing"] != "raise":
            rules = make_rules(state["classes_"], priors, None, None, state["missing"])
        shape = len(rows) if flat else (len(rows), len(state["classes_"]))
        out = np.empty(shape, score_dtype(rows))
        self._ask(rows, {question: out}, rules, state=state)
        return out

    def _rules(
        self,
        priors: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        reject: Reject = None,
        state: State | None = None,
    ) -> tuple[Rules | None, NDArray[Any]]:
        """Return how labels are found, and the labels; what is not given for a call is as set."""
        if state is None:
            state = self.__dict__
        if cost is None:
            cost = state["cost"]
        if reject is None:
            reject = state["reject"]
        classes, missing = state["classes_"], state["missing"]
        if cost is reject is priors is None and missing == "raise":
            return None, classes
        rules = make_rules(classes, priors, cost, reject, missing)
        if rules.may_reject:
            return rules, decision_names(classes, state["reject_label"])
        return rules, classes

    def predict(
        self,
        X: Any,
        *,
        priors: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        reject: Reject = None,
    ) -> NDArray[Any]:
        """Return the label of the largest posterior, or of the least expected cost, for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to classify.

        priors : array-like of shape (n_classes,) or (n_samples, n_classes), default=None
            Priors for this call, or one row of them for each row of X; by default those of the fit.

        cost : array-like of shape (n_classes, n_classes or n_classes + 1), default=None
            Costs for this call, like the parameter `cost`.

        reject : float or dict, default=None
            When to reject in this call, like the parameter `reject`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels, `reject_label` where a row is rejected; of equal ones the first class wins.

        Examples
        --------
        >>> from gauda import GaussianNB
        >>> GaussianNB().fit([[0.0], [1.0], [5.0], [7.0]], ["a", "a", "b", "b"]).predict([[6.0]])
        array(['b'], dtype='<U1')
        """
        state = self.__dict__
        if "_model" not in state:
            state = self._settled()
        rows = rows_to_score(X, self, state)
        rules, names = self._rules(priors, cost, reject, state)
        labels = np.empty(len(rows), names.dtype)
        question = label_question(names, labels)
        self._ask(rows, question, rules, state=state)
        if "label" in question:
            settle_labels(question, names, labels)
        return labels

    def predict_proba(self, X: Any, *, priors: ArrayLike | None = None) -> NDArray[Any]:
        """Return the posterior of each class for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to classify.

        priors : array-like of shape (n_classes,) or (n_samples, n_classes), default=None
            Priors for this call, or one row of them for each row of X; by default those of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Posteriors, in the order of `classes_`; each row sums to 1.

        Examples
        --------
        >>> from gauda import LinearDiscriminantAnalysis
        >>> lda = LinearDiscriminantAnalysis().fit([[-2], [-1], [1], [2]], [0, 0, 1, 1])
        >>> lda.predict_proba([[0.0]])
        array([[0.5, 0.5]])
        """
        return self._answer(X, "posterior", priors)

    def predict_log_proba(self, X: Any, *, priors: ArrayLike | None = None) -> NDArray[Any]:
        """Return the logarithm of the posterior of each class for each row.

        It is computed without the detour over the posterior, and so exact far out in the tails.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to classify.

        priors : array-like of shape (n_classes,) or (n_samples, n_classes), default=None
            Priors for this call, or one row of them for each row of X; by default those of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of the posteriors, in the order of `classes_`.

        Examples
        --------
        >>> from gauda import LinearDiscriminantAnalysis
        >>> lda = LinearDiscriminantAnalysis().fit([[-2], [-1], [1], [2]], [0, 0, 1, 1])
        >>> lda.predict_log_proba([[100.0]])
        array([[-1200.,     0.]])
        """
        return self._answer(X, "log_posterior", priors)

    def predict_joint_log_proba(self, X: Any, *, priors: ArrayLike | None = None) -> NDArray[Any]:
        """Return log p(x, k), the logarithm of prior times density, for each row and class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to score.

        priors : array-like of shape (n_classes,) or (n_samples, n_classes), default=None
            Priors for this call, or one row of them for each row of X; by default those of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Joint log-densities, in the order of `classes_`.

        Examples
        --------
        >>> from gauda import QuadraticDiscriminantAnalysis
        >>> qda = QuadraticDiscriminantAnalysis().fit([[-1], [1], [2], [4]], [0, 0, 1, 1])
        >>> qda.predict_joint_log_proba([[0.0]]).round(3)
        array([[-1.612, -6.112]])
        """
        return self._answer(X, "joint", priors)

    def score_samples(self, X: Any, *, priors: ArrayLike | None = None) -> NDArray[Any]:
        """Return log p(x), the log-density of each row under the mixture of all classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to score.

        priors : array-like of shape (n_classes,) or (n_samples, n_classes), default=None
            Priors for this call, or one row of them for each row of X; by default those of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
            Log-densities: low for rows unlike anything seen in the fit.

        Examples
        --------
        >>> from gauda import QuadraticDiscriminantAnalysis
        >>> qda = QuadraticDiscriminantAnalysis().fit([[-1], [1], [2], [4]], [0, 0, 1, 1])
        >>> qda.score_samples([[0.0], [30.0]]).round(1)
        array([  -1.6, -366.1])
        """
        return self._answer(X, "log_density", priors, flat=True)

    def mahalanobis(self, X: Any) -> NDArray[Any]:
        """Return the squared Mahalanobis distance of each row to each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to measure.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Squared distances (x - m)' S^-1 (x - m), in the order of `classes_`.

        Examples
        --------
        >>> from gauda import QuadraticDiscriminantAnalysis
        >>> qda = QuadraticDiscriminantAnalysis().fit([[-1], [1], [2], [4]], [0, 0, 1, 1])
        >>> qda.mahalanobis([[0.0]])
        array([[0., 9.]])
        """
        return self._answer(X, "mahalanobis")

    def _decide(self, X: Any) -> NDArray[Any]:
        """Return discriminants: a flat difference for two classes, flat for one as well."""
        state = self.__dict__
        if "_model" not in state:
            state = self._settled()
        flat = state["_model"].n_classes <= 2  # noqa: PLR2004 (two need but one)
        return self._answer(X, "decision", flat=flat, state=state)

    def __getstate__(self) -> State:
        """Return what pickles and copies hold: a state that other threads do not add to."""
        return dict(super().__getstate__())
