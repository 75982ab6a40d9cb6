"""What naive Bayes classifiers of discrete and mixed columns share: the questions asked of rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from gauda._core import CoreError
from gauda._data.label_columns import distinct_labels, label_values
from gauda._data.labels import label_array, label_question, settle_labels
from gauda._support.errors import Names
from gauda._support.states import reads_one_state


def classes_of_batches(given: ArrayLike | None, known: NDArray[Any] | None) -> NDArray[Any]:
    """Return all classes of batches: those given with the first, which the others may repeat."""
    if known is None:
        if given is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        return distinct_labels(given)
    if given is not None and not np.array_equal(known, np.sort(label_array(label_values(given)))):
        raise ValueError(
            f"`classes={given!r}` is not the same as on last call to partial_fit, was: {known!r}"
        )
    return known


class LookupClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers: a core model answers each question in one pass over the rows."""

    classes_: NDArray[Any]
    n_threads: int | None
    _models: dict[Any, Any]
    """Core models that were made, by what they were made for."""

    @abstractmethod
    def _rows_to_score(self, X: Any) -> tuple[Any, int]:
        """Return X as the core reads it, checked against the fit, and the number of rows."""

    @abstractmethod
    def _model_for(self, rows: Any) -> Any:
        """Return the core model for rows that were checked."""

    def _kept_model(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the core model for a key, made when it is first asked for."""
        models = self.__dict__.setdefault("_models", {})
        if key not in models:
            models[key] = make()
        return models[key]

    def _names(self) -> Names:
        """Return how the fitted classes and columns are called."""
        features = getattr(self, "feature_names_in_", None)
        return Names(type(self).__name__, self.classes_, features, self)

    def _explain(self, error: CoreError, X: Any) -> Exception:  # noqa: ARG002 (for others)
        """Return the exception that a user should see."""
        return self._names().explain(error)

    def _ask(self, X: Any, answers: dict[str, Any], rows: Any) -> None:
        """Have the model fill arrays with answers."""
        try:
            self._model_for(rows).answer(getattr(rows, "arrays", rows), self.n_threads, **answers)
        except CoreError as error:
            raise self._explain(error, X) from None

    @reads_one_state
    def _answer(self, X: Any, question: str, *, flat: bool = False) -> NDArray[np.float64]:
        """Ask one question of each row; the result has a column per class, or is flat."""
        check_is_fitted(self)
        rows, n = self._rows_to_score(X)
        out = np.empty(n if flat else (n, len(self.classes_)))
        self._ask(X, {question: out}, rows)
        return out

    @reads_one_state
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
        >>> from gauda import CategoricalNB
        >>> CategoricalNB().fit([[0], [0], [1]], ["a", "a", "b"]).predict([[1]])
        array(['b'], dtype='<U1')
        """
        check_is_fitted(self)
        rows, n = self._rows_to_score(X)
        classes = self.classes_
        labels = np.empty(n, dtype=classes.dtype)
        answered = label_question(classes, labels)
        self._ask(X, answered, rows)
        settle_labels(answered, classes, labels)
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
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
        >>> from gauda import BernoulliNB
        >>> BernoulliNB().fit([[1], [1], [0], [0]], [0, 0, 1, 1]).predict_proba([[1]])
        array([[0.75, 0.25]])
        """
        return self._answer(X, "posterior")

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the posterior of each class for each row.

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
        >>> from gauda import BernoulliNB
        >>> nb = BernoulliNB().fit([[1], [1], [0], [0]], [0, 0, 1, 1])
        >>> nb.predict_log_proba([[1]]).round(3)
        array([[-0.288, -1.386]])
        """
        return self._answer(X, "log_posterior")

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log p(x, k), the logarithm of prior times probability, for each row and class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to score.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Joint log-probabilities, in the order of `classes_`; -inf where a class cannot have made
            a row.

        Examples
        --------
        >>> from gauda import BernoulliNB
        >>> nb = BernoulliNB(alpha=0.0).fit([[1], [1], [0], [1]], [0, 0, 1, 1])
        >>> nb.predict_joint_log_proba([[0]]).round(3)
        array([[  -inf, -1.386]])
        """
        return self._answer(X, "joint")

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Return log p(x), the log-probability of each row under the mixture of all classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to score.

        Returns
        -------
        ndarray of shape (n_samples,)
            Log-probabilities: low for rows unlike anything seen in the fit.

        Examples
        --------
        >>> from gauda import BernoulliNB
        >>> nb = BernoulliNB().fit([[1], [1], [0], [0]], [0, 0, 1, 1])
        >>> nb.score_samples([[1]]).round(3)
        array([-0.693])
        """
        return self._answer(X, "log_density", flat=True)

    def __getstate__(self) -> dict[str, Any]:
        """Return what pickles hold: the core model is made anew when it is asked for."""
        state = dict(super().__getstate__())  # to which other threads may add a model
        state.pop("_models", None)
        return state
