"""What all Gaussian classifiers share: a core model, and the questions that can be asked of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from numbers import Integral
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from gauda import _core
from gauda._inputs import rows_to_score, score_dtype
from gauda._names import Names
from gauda._wishart import NormalInverseWishart

MOST_THREADS = 1 << 16

WORDS = frozenset({1, 2, 4, 8})
"""Sizes of labels that the core writes."""

BLOCK = 1 << 16
"""Rows whose labels are looked up together."""

Method = TypeVar("Method", bound=Callable[..., Any])


def untouched_on_failure(method: Method) -> Method:
    """Make a method that fits restore the estimator if it fails, or is interrupted."""

    @wraps(method)
    def fit(self: BaseEstimator, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return fit  # type: ignore[return-value] # the wrapper has the method's signature


class GaussianClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers: one core model answers every question in one pass over the rows."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "priors": ["array-like", None],
        "unbiased": ["boolean"],
        "prior": [NormalInverseWishart, StrOptions({"empirical"}), None],
        "n_threads": [Interval(Integral, 1, MOST_THREADS, closed="both"), None],
    }

    classes_: NDArray[Any]
    n_threads: int | None
    _model: _core.Model

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """Return the names of the parameters; scikit-learn would look them up at every fit."""
        names: list[str] = super()._get_param_names()
        return names

    def _names(self) -> Names:
        """Return how the fitted classes and columns are called."""
        features = getattr(self, "feature_names_in_", None)
        return Names(type(self).__name__, self.classes_, features)

    def _fitted_model(self) -> _core.Model:
        """Return the core model; refuse if there is none yet."""
        if "_model" not in self.__dict__:
            check_is_fitted(self)
        return self._model

    def _ask(self, rows: NDArray[Any], answers: dict[str, Any]) -> None:
        """Have the model fill arrays with answers for rows that were checked."""
        try:
            self._model.answer(rows, self.n_threads, **answers)
        except _core.CoreError as error:
            raise self._names().explain(error) from None

    def _answer(self, X: Any, question: str, *, flat: bool = False) -> NDArray[Any]:
        """Ask the model one question of each row; the result has a column per class, or is flat."""
        self._fitted_model()
        rows = rows_to_score(X, self)
        shape = len(rows) if flat else (len(rows), len(self.classes_))
        out = np.empty(shape, dtype=score_dtype(rows))
        self._ask(rows, {question: out})
        return out

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of the largest posterior for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels; of equal posteriors the first class wins.

        Examples
        --------
        >>> from gauda import GaussianNB
        >>> GaussianNB().fit([[0.0], [1.0], [5.0], [7.0]], ["a", "a", "b", "b"]).predict([[6.0]])
        array(['b'], dtype='<U1')
        """
        self._fitted_model()
        rows = rows_to_score(X, self)
        classes = self.classes_
        labels = np.empty(len(rows), dtype=classes.dtype)
        if classes.dtype.kind != "O" and classes.itemsize in WORDS:
            self._ask(rows, {"name": (classes, labels)})
            return labels
        codes = np.empty(len(rows), dtype=np.uint32)
        self._ask(rows, {"label": codes})
        for start in range(0, len(rows), BLOCK):  # numpy copies the indices it is given
            block = slice(start, start + BLOCK)
            labels[block] = classes[codes[block]]
        return labels

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the posterior of each class for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to classify.

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
        return self._answer(X, "posterior")

    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Return the logarithm of the posterior of each class for each row.

        It is computed without the detour over the posterior, and so exact far out in the tails.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to classify.

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
        return self._answer(X, "log_posterior")

    def predict_joint_log_proba(self, X: Any) -> NDArray[Any]:
        """Return log p(x, k), the logarithm of prior times density, for each row and class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to score.

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
        return self._answer(X, "joint")

    def score_samples(self, X: Any) -> NDArray[Any]:
        """Return log p(x), the log-density of each row under the mixture of all classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to score.

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
        return self._answer(X, "log_density", flat=True)

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
        n_classes = self._fitted_model().n_classes
        return self._answer(X, "decision", flat=n_classes <= 2)  # noqa: PLR2004 (two need but one)
