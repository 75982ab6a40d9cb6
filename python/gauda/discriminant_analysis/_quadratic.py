"""Quadratic discriminant analysis: every class has its own covariance."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from gauda import _core
from gauda._analysis.covariances import (
    Shrinkage,
    are_estimated,
    check_solver,
    covariances_of_estimates,
    estimate_of_classes,
    explain_need,
    fixed_intensity,
)
from gauda._data.sklearn_private import HasMethods, Interval, StrOptions
from gauda._data.training import LabeledRows
from gauda._estimators.family import Family
from gauda._estimators.few_rows import single_row_class
from gauda._estimators.gaussian import GaussianClassifier
from gauda._estimators.problem import Problem
from gauda._estimators.state import FittedAttribute, Solution
from gauda._scoring.rules import Reject
from gauda._statistics.access import dtype_of, is_wide
from gauda._statistics.conjugate_prior import NormalInverseWishart
from gauda._statistics.equal_covariances import correlations
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats
from gauda._support.lazy import linalg
from gauda._support.remedies import Spread, for_one_row
from gauda.discriminant_analysis._base import (
    STORE,
    check_size,
    decision_function,
    describe_means,
    keep_labels,
    stored_covariance,
)
from gauda.discriminant_analysis._few_rows import solve_few_rows
from gauda.typing import ClassWeight, Costs, CovarianceEstimator, Missing, Priors, RejectLabel


@dataclass(eq=False, repr=False)
class QuadraticDiscriminantAnalysis(GaussianClassifier, saved_as="QuadraticDiscriminantAnalysis"):
    """Quadratic discriminant analysis: Gaussian classes, each with its own covariance.

    Takes the place of scikit-learn's class of this name.

    Parameters
    ----------
    solver : {'svd', 'eigen'}, default='svd'
        'svd' takes maximum-likelihood covariances and `reg_param`; 'eigen' takes `shrinkage` or a
        `covariance_estimator` instead.

    shrinkage : 'auto' or float, default=None
        Moves each covariance toward a multiple of the identity: by Ledoit and Wolf's intensity on
        the standardized data ('auto'), or by a factor from 0 to 1. Only with 'eigen'.

    priors : array-like of shape (n_classes,), dict by class or 'uniform', default=None
        Prior of each class; by default the proportions of the data. If they do not sum to 1, they
        are renormalized with a warning.

    reg_param : float, default=0.0
        Covariances become (1 - reg_param) S + reg_param I. Only with 'svd'.

    store_covariance : bool, default=False
        Keep `covariance_`.

    tol : float, default=1e-4
        A class is singular if a singular value of its standardized data is at most `tol`. The units
        of the columns do not matter. The moments resolve values down to about 1e-8.

    covariance_estimator : estimator, default=None
        With `fit` and `covariance_`, used for the covariance of each class. Only with 'eigen'.

    unbiased : bool, default=False
        Divide the scatter of a class by n_k - 1 instead of n_k.

    conjugate_prior : NormalInverseWishart or 'empirical', default=None
        Conjugate prior on means and covariances, so that classes of few rows have usable ones;
        'empirical' builds it from the pooled data. The estimates are those of largest posterior.

    class_weight : dict or 'balanced', default=None
        Weight of each class in the fit, by which those of its rows are multiplied; a class that is
        not in the dict weighs 1. With 'balanced' all classes weigh alike, which only `fit` can do.

    cost : array-like of shape (n_classes, n_classes or n_classes + 1), or dict, default=None
        `cost[i, j]` is what decision j costs where class i is the truth, in the order of
        `classes_`; `predict` then returns the label of least expected cost. A further column is the
        cost of rejecting a row. By name: {truth: {decision: cost}}, with None for rejecting.

    reject : float or dict, default=None
        When `predict` returns `reject_label`: {'posterior': t} if the posterior of the label is
        below t (a float alone means this), {'typicality': t} if the row is less typical of its
        label than t, {'cost': c} if no label is expected to cost c or less. Several may be given.

    reject_label : default=None
        Label of rejected rows; by default -1 for integers, NaN for floats, 'rejected' for text. A
        dict gives one for each class that a row would have, and under None that of rows without.

    missing : {'raise', 'marginalize', 'propagate', 'drop'}, default='raise'
        How NaN is handled. 'marginalize' takes it for a missing value: scores integrate it out
        exactly, and `fit` estimates by EM, whose M-step is that of the model: shrunken with
        `reg_param` or `shrinkage`, of largest posterior with `conjugate_prior`. 'propagate' gives
        such rows NaN for scores and `reject_label` for a label; `fit` refuses them. 'drop' leaves
        them out of fits, saying how many, and refuses to score them. 'raise' refuses them
        everywhere.

    em_max_iter : int, default=1000
        Maximum number of EM iterations.

    em_tol : float, default=1e-8
        EM ends when the log-likelihood rises by no more than this per row.

    verbose : bool, default=False
        Whether a bar on stderr counts the iterations of EM. Needs the extra `gauda[stream]`.

    n_threads : int, default=None
        Number of threads; by default GAUDA_NUM_THREADS, RAYON_NUM_THREADS, OMP_NUM_THREADS or all
        cores. Results do not depend on it. Calls run without Python's lock: other threads may use
        the estimator meanwhile, and the same arrays, but must not write to these.

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

    n_iter_ : int
        Iterations of EM; 0 if nothing was missing. Only with missing='marginalize'.

    converged_ : bool
        Whether EM ended before `em_max_iter`. Only with missing='marginalize'.

    log_likelihood_ : ndarray of shape (n_iter + 1,)
        Log-likelihood of the observed values given the labels: at the start of EM and after each
        iteration; it never falls, unless estimates are regularized. Empty if nothing was missing.
        Only with missing='marginalize'.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features,)
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

    singular_advice = "quadratic"
    shell_name = "qda"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **GaussianClassifier._parameter_constraints,
        "solver": [StrOptions({"svd", "eigen"})],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both"), None],
        "reg_param": [Interval(Real, 0, 1, closed="both")],
        "store_covariance": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "covariance_estimator": [HasMethods("fit"), None],
    }
    _given_structure = "full"

    covariance_ = FittedAttribute[list[NDArray[Any]]](STORE)
    means_ = FittedAttribute[NDArray[Any]]()
    priors_ = FittedAttribute[NDArray[Any]]()

    _: KW_ONLY
    solver: Literal["svd", "eigen"] = "svd"
    shrinkage: Shrinkage = None
    priors: Priors | None = None
    reg_param: float = 0.0
    store_covariance: bool = False
    tol: float = 1.0e-4
    covariance_estimator: CovarianceEstimator | None = None
    unbiased: bool = False
    conjugate_prior: NormalInverseWishart | Literal["empirical"] | None = None
    class_weight: ClassWeight = None
    cost: Costs | None = None
    reject: Reject = None
    reject_label: RejectLabel = None
    missing: Missing = "raise"
    em_max_iter: int = 1000
    em_tol: float = 1e-8
    verbose: bool = False
    n_threads: int | None = None

    _plain = staticmethod(keep_labels)

    def _structure(self) -> str:
        return "diag" if self.covariance_estimator is not None else "full"

    _needs_rows = explain_need

    _check_size = check_size

    def _check_parameters(self) -> None:
        other = "solver='eigen'"
        refusal = f"covariance_estimator is not supported with solver='svd'. Try {other} instead."
        check_solver(self, refusal, other)

    def _rank_bounds(
        self, class_rows: NDArray[np.uint64], n_features: int
    ) -> NDArray[np.int64] | None:
        if self.shrinkage or self.covariance_estimator is not None:
            return None
        rows = class_rows.astype(np.int64)
        if self.conjugate_prior == "empirical":  # which has the rank of all rows, and one mean
            return np.full(len(rows), rows.sum() - len(rows) + 1)
        if self.conjugate_prior is not None:
            return None
        # As scikit-learn, refuse classes of fewer rows than columns whatever the regularization.
        regular = self.solver == "svd" and self.reg_param > 0
        return np.where(regular & (rows == n_features), n_features, rows - 1)

    def _estimate(self, data: LabeledRows, moments: Moments) -> dict[str, Floats]:
        return estimate_of_classes(self, data, moments)

    _describe_model = describe_means

    def _check_solvable(self, problem: Problem) -> None:
        moments = problem.moments
        self._check_size(len(moments.classes), moments.n_rows)
        single = single_row_class(moments)
        if single is not None:
            spread = Spread.of(problem.seen, single)
            raise ValueError(
                f"y has only 1 sample in class {moments.classes[single]}, covariance is "
                f"ill defined. {for_one_row(self, spread)}"
            )

    def _solve_model(self, problem: Problem) -> Solution:
        if not is_wide(problem.moments):
            return super()._solve_model(problem)
        self._check_solvable(problem)
        return solve_few_rows(self, problem)

    def _family(self, problem: Problem) -> Family:
        mixing = 0.0, "covariance", self.unbiased
        if self.solver != "svd":
            return Family("full", mixing, gamma=fixed_intensity(self.shrinkage), tol=self.tol)
        if self.reg_param and self.conjugate_prior is None:
            # As scikit-learn, refuse classes of fewer rows than columns whatever reg_param.
            pure = Family("full", mixing, tol=self.tol)
            few = problem.moments.class_rows < problem.moments.n_features
            if few.any() and not self._have_full_rank(pure.covariances(problem.moments)[few]):
                return pure
        return Family("full", mixing, "identity", float(self.reg_param), tol=self.tol)

    def _covariances(self, problem: Problem, family: Family) -> Floats:
        if not are_estimated(self, problem.estimates):
            return family.covariances(problem.moments)
        return covariances_of_estimates(problem.moments, problem.estimates, unbiased=self.unbiased)

    def _solved_attributes(
        self,
        problem: Problem,
        family: Family,  # noqa: ARG002 (the covariances are all)
        found: Floats,
    ) -> dict[str, Any]:
        return stored_covariance(self, problem.moments, found)

    def _regularizes(self) -> bool:
        given = self.reg_param or fixed_intensity(self.shrinkage)
        return bool(given) or super()._regularizes()

    def _have_full_rank(self, covariances: Floats) -> bool:
        """Tell whether the core would take these, whatever the units of their columns."""
        n_features = covariances.shape[-1]
        least = max(self.tol**2, n_features * np.finfo(np.float64).eps)
        ranks = np.linalg.matrix_rank(correlations(covariances), tol=least, hermitian=True)
        return bool(np.all(ranks == n_features))

    def _may_lose_rows(self, problem: Problem, model: _core.Model) -> bool:  # noqa: ARG002 (rows tell)
        # Without a row a class may have too few for reg_param.
        few = problem.moments.counts.min() <= problem.moments.n_features
        return not (self.solver == "svd" and self.reg_param and few)

    @property
    def rotations_(self) -> list[NDArray[Any]]:
        """Principal axes of each class, as columns."""
        return self._principal_axes()[0]

    @property
    def scalings_(self) -> list[NDArray[Any]]:
        """Variances along the principal axes of each class, largest first."""
        return self._principal_axes()[1]

    def _principal_axes(self) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
        try:
            current = self._current()
        except ValueError as error:
            raise NotFittedError(str(error)) from error
        if "principal_axes" not in current.cache:
            dtype = dtype_of(current.statistics)
            current.cache["principal_axes"] = principal_axes(current.model, dtype)
        axes: tuple[list[NDArray[Any]], list[NDArray[Any]]] = current.cache["principal_axes"]
        return axes

    decision_function = decision_function


def principal_axes(
    model: _core.Model, dtype: np.dtype[Any]
) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
    """Return the axes of each class, and the variances along them."""
    # With S = L L' and W = inv(L), the left singular vectors of L are the axes of S.
    identity = np.eye(len(model.whitening[0]))
    lowers = [linalg.solve_triangular(w, identity, lower=True) for w in model.whitening]
    decomposed = [np.linalg.svd(lower) for lower in lowers]
    rotations = [axes.astype(dtype) for axes, _, _ in decomposed]
    return rotations, [(values**2).astype(dtype) for _, values, _ in decomposed]
