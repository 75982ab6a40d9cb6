"""Gaussian naive Bayes, under the name of scikit-learn's module."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import _check_partial_fit_first_call

from gauda import _core
from gauda._classifier import GaussianClassifier, untouched_on_failure
from gauda._inputs import LabelledRows, plain_labels
from gauda._priors import given_or_proportions

__all__ = ["GaussianNB"]

LARGEST_EPSILON = 1e300


class GaussianNB(GaussianClassifier):
    """Gaussian naive Bayes: within a class all columns are independent.

    Takes the place of scikit-learn's class of this name.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), default=None
        Prior of each class; by default the proportions of the data.

    var_smoothing : float, default=1e-9
        This share of the largest variance of any column is added to all variances.

    unbiased : bool, default=False
        Divide sums of squares by n_k - 1 instead of n_k.

    n_threads : int, default=None
        Number of threads; by default GAUDA_NUM_THREADS, RAYON_NUM_THREADS, OMP_NUM_THREADS or all
        cores. Results do not depend on it.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or their weight.

    class_prior_ : ndarray of shape (n_classes,)
        Priors.

    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.

    epsilon_ : float
        What was added to the variances.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if the data had names.

    var_ : ndarray of shape (n_classes, n_features)
        Variance of each column in each class.

    theta_ : ndarray of shape (n_classes, n_features)
        Mean of each column in each class.

    See Also
    --------
    gauda.QuadraticDiscriminantAnalysis : Columns may depend on each other.

    Examples
    --------
    >>> import numpy as np
    >>> from gauda import GaussianNB
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> y = np.array([1, 1, 1, 2, 2, 2])
    >>> GaussianNB().fit(X, y).predict([[-0.8, -1]])
    array([1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GaussianClassifier._parameter_constraints,
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
    }
    _private_fitted = frozenset({"_lacking", "_model", "_moments", "_unlabelled"})

    theta_: NDArray[Any]
    _moments: _core.Moments
    _unlabelled: _core.Moments
    _lacking: str

    def __init__(
        self,
        *,
        priors: ArrayLike | None = None,
        var_smoothing: float = 1e-9,
        unbiased: bool = False,
        n_threads: int | None = None,
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.unbiased = unbiased
        self.n_threads = n_threads

    @_fit_context(prefer_skip_nested_validation=True)
    @untouched_on_failure
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GaussianNB:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.

        y : array-like of shape (n_samples,)
            Labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 counts like two rows.

        Returns
        -------
        GaussianNB
            The fitted estimator.

        Examples
        --------
        >>> from gauda import GaussianNB
        >>> GaussianNB().fit([[0.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1]).theta_.ravel()
        array([1., 6.])
        """
        self._forget()
        data = LabelledRows.of(self, X, y, sample_weight)
        self.classes_ = plain_labels(data.classes)
        self._update(data)
        if self._lacking:
            raise ValueError(self._lacking)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    @untouched_on_failure
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> GaussianNB:
        """Fit the model to one more batch of rows.

        Batches one after another give the model of all rows together.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.

        y : array-like of shape (n_samples,)
            Labels.

        classes : array-like of shape (n_classes,), default=None
            All labels that will ever appear; needed in the first call.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 counts like two rows.

        Returns
        -------
        GaussianNB
            The fitted estimator.

        Examples
        --------
        >>> from gauda import GaussianNB
        >>> nb = GaussianNB().partial_fit([[0.0], [5.0]], [0, 1], classes=[0, 1])
        >>> nb.partial_fit([[2.0], [7.0]], [0, 1]).theta_.ravel()
        array([1., 6.])
        """
        first = _check_partial_fit_first_call(self, classes)
        data = LabelledRows.of(self, X, y, sample_weight, reset=first).relabelled(self.classes_)
        self._update(data)
        return self

    def _update(self, data: LabelledRows) -> None:
        """Join the moments of a batch to those seen before, and make the model anew."""
        moments = data.moments("diag")
        with data.names.told():
            unlabelled = moments.total() if data.weights is None else data.unweighted_total()
            if hasattr(self, "_moments"):
                moments = self._moments.merge(moments)
                unlabelled = self._unlabelled.merge(unlabelled)
                data = replace(data, dtype=self.theta_.dtype)
            priors = self._checked_priors(moments)
            largest = unlabelled.variances(unbiased=False).max()
            epsilon = float(self.var_smoothing) * float(largest)  # of Python: overflows in silence
            if not epsilon < LARGEST_EPSILON:
                raise ValueError(
                    f"var_smoothing={self.var_smoothing} is too large: it adds {epsilon:g} to the "
                    "variances."
                )
            variances = self._make_model(data, moments, priors, epsilon)
        self._moments, self._unlabelled = moments, unlabelled
        self.epsilon_ = data.attribute(np.asarray(epsilon))[()]
        self.theta_ = data.attribute(moments.means)
        self.var_ = data.attribute(variances)
        self.class_count_ = data.attribute(moments.weights)
        self.class_prior_ = data.attribute(priors)

    def _make_model(
        self,
        data: LabelledRows,
        moments: _core.Moments,
        priors: NDArray[np.float64],
        epsilon: float,
    ) -> NDArray[np.float64]:
        """Set the model and return its variances; if rows are lacking, say so in `_lacking`."""
        self._lacking = ""
        try:
            variances = moments.variances(self.unbiased) + epsilon
            self._model = _core.Model.naive(moments, variances, priors)
        except _core.CoreError as error:
            if error.kind not in {"zero_variance", "divisor"}:
                raise
            # In a stream more rows may come: whoever asks the model before is told.
            self._lacking = str(data.names.explain(error))
            variances = moments.variances(unbiased=False) + epsilon
        return variances

    def _fitted_model(self) -> _core.Model:
        lacking = vars(self).get("_lacking")
        if lacking:
            raise ValueError(lacking)
        return super()._fitted_model()

    def _checked_priors(self, moments: _core.Moments) -> NDArray[np.float64]:
        priors = given_or_proportions(self.priors, moments)
        if not np.isclose(priors.sum(), 1.0):
            raise ValueError(f"The sum of the priors should be 1. Got {priors.sum():g}.")
        if np.any(priors < 0):
            raise ValueError("Priors must be non-negative.")
        return priors
