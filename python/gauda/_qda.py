"""Quadratic discriminant analysis: every class has its own covariance."""

from __future__ import annotations

from functools import cached_property
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from gauda import _core
from gauda._classifier import GaussianClassifier, untouched_on_failure
from gauda._covariances import Shrinkage, check_solver, class_covariances
from gauda._inputs import LabelledRows
from gauda._priors import given_or_proportions


class QuadraticDiscriminantAnalysis(GaussianClassifier):
    """Quadratic discriminant analysis: Gaussian classes, each with its own covariance.

    Takes the place of scikit-learn's class of this name.

    Parameters
    ----------
    solver : {'svd', 'eigen'}, default='svd'
        'svd' takes maximum-likelihood covariances and `reg_param`; 'eigen' takes `shrinkage` or a
        `covariance_estimator` instead.

    shrinkage : 'auto' or float, default=None
        Moves each covariance towards a multiple of the identity: by Ledoit and Wolf's intensity on
        the standardised data ('auto'), or by a factor from 0 to 1. Only with 'eigen'.

    priors : array-like of shape (n_classes,), default=None
        Prior of each class, used as given; by default the proportions of the data.

    reg_param : float, default=0.0
        Covariances become (1 - reg_param) S + reg_param I. Only with 'svd'.

    store_covariance : bool, default=False
        Keep `covariance_`.

    tol : float, default=1e-4
        A class is singular if a singular value of its standardised data is at most `tol`. The units
        of the columns do not matter. The moments resolve values down to about 1e-8.

    covariance_estimator : estimator, default=None
        With `fit` and `covariance_`, used for the covariance of each class. Only with 'eigen'.

    unbiased : bool, default=False
        Divide the scatter of a class by n_k - 1 instead of n_k.

    n_threads : int, default=None
        Number of threads; by default GAUDA_NUM_THREADS, RAYON_NUM_THREADS, OMP_NUM_THREADS or all
        cores. Results do not depend on it.

    Attributes
    ----------
    covariance_ : list of n_classes ndarrays of shape (n_features, n_features)
        Covariances. Only if `store_covariance`.

    means_ : ndarray of shape (n_classes, n_features)
        Class means.

    priors_ : ndarray of shape (n_classes,)
        Priors.

    rotations_ : list of n_classes ndarrays of shape (n_features, n_features)
        Principal axes of each class, as columns. Computed when first read.

    scalings_ : list of n_classes ndarrays of shape (n_features,)
        Variances along the principal axes, largest first. Computed when first read.

    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if the data had names.

    See Also
    --------
    LinearDiscriminantAnalysis : A common covariance.

    Examples
    --------
    >>> import numpy as np
    >>> from gauda import QuadraticDiscriminantAnalysis
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> y = np.array([1, 1, 1, 2, 2, 2])
    >>> qda = QuadraticDiscriminantAnalysis().fit(X, y)
    >>> qda.predict([[-0.8, -1]])
    array([1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GaussianClassifier._parameter_constraints,
        "solver": [StrOptions({"svd", "eigen"})],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both"), None],
        "reg_param": [Interval(Real, 0, 1, closed="both")],
        "store_covariance": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "covariance_estimator": [HasMethods("fit"), None],
    }
    _private_fitted = frozenset({"_model", "_principal_axes"})

    def __init__(  # noqa: PLR0913 (scikit-learn's parameters)
        self,
        *,
        solver: str = "svd",
        shrinkage: Shrinkage = None,
        priors: ArrayLike | None = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1.0e-4,
        covariance_estimator: Any = None,
        unbiased: bool = False,
        n_threads: int | None = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.unbiased = unbiased
        self.n_threads = n_threads

    @_fit_context(prefer_skip_nested_validation=True)
    @untouched_on_failure
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> QuadraticDiscriminantAnalysis:
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
        QuadraticDiscriminantAnalysis
            The fitted estimator.

        Examples
        --------
        >>> from gauda import QuadraticDiscriminantAnalysis
        >>> X, y = [[-2], [-1], [1], [2], [9]], [0, 0, 1, 1, 1]
        >>> qda = QuadraticDiscriminantAnalysis().fit(X, y, sample_weight=[1, 1, 1, 1, 0])
        >>> qda.means_.ravel()
        array([-1.5,  1.5])
        """
        self._forget()
        data = LabelledRows.of(self, X, y, sample_weight)
        n_classes = len(data.classes)
        if n_classes < 2:  # noqa: PLR2004 (there is nothing to discriminate)
            raise ValueError(
                f"The number of classes has to be greater than one. Got {n_classes} class."
            )
        check_solver(
            self,
            "covariance_estimator is not supported with solver='svd'. Try solver='eigen' instead.",
        )
        moments = data.moments("diag" if self.covariance_estimator is not None else "full")
        lonely = data.classes[moments.rows == 1]
        if len(lonely):
            raise ValueError(
                f"y has only 1 sample in class {lonely[0]}, covariance is ill defined."
            )
        priors = given_or_proportions(self.priors, moments)
        covariances = self._covariances(data, moments)
        with data.names.told():
            self._model = _core.Model.quadratic(
                moments, covariances, priors, self.tol, self.n_threads
            )
        self.classes_ = data.classes
        self.priors_ = priors
        self.means_ = data.attribute(moments.means)
        if self.store_covariance:
            self.covariance_ = list(data.attribute(covariances))
        return self

    def _covariances(self, data: LabelledRows, moments: _core.Moments) -> NDArray[np.float64]:
        covariances = class_covariances(
            data, moments, self.shrinkage, self.covariance_estimator, unbiased=self.unbiased
        )
        # As scikit-learn, refuse classes of fewer rows than columns whatever the regularisation.
        if self.solver == "svd" and self.reg_param > 0 and moments.rows.min() >= data.n_features:
            covariances *= 1 - self.reg_param
            covariances += self.reg_param * np.eye(data.n_features)
        return covariances

    @cached_property
    def _principal_axes(self) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
        check_is_fitted(self)
        # With S = L L' and W = inv(L), the left singular vectors of L are the axes of S.
        identity = np.eye(self.n_features_in_)
        lowers = [solve_triangular(w, identity, lower=True) for w in self._model.whitening]
        decomposed = [np.linalg.svd(lower) for lower in lowers]
        dtype = self.means_.dtype
        rotations = [axes.astype(dtype) for axes, _, _ in decomposed]
        return rotations, [(values**2).astype(dtype) for _, values, _ in decomposed]

    @property
    def rotations_(self) -> list[NDArray[np.float64]]:
        """Principal axes of each class, as columns."""
        return self._principal_axes[0]

    @property
    def scalings_(self) -> list[NDArray[np.float64]]:
        """Variances along the principal axes of each class, largest first."""
        return self._principal_axes[1]

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the quadratic discriminants of each row.

        They equal log p(k | x) up to a term common to the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to score.

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or (n_samples,)
            Discriminants; for two classes log p(1 | x) - log p(0 | x).

        Examples
        --------
        >>> from gauda import QuadraticDiscriminantAnalysis
        >>> qda = QuadraticDiscriminantAnalysis().fit([[-1], [1], [2], [4]], [0, 0, 1, 1])
        >>> qda.decision_function([[0.0]])
        array([-4.5])
        """
        return self._decide(X)
