"""Linear discriminant analysis: all classes share one covariance."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from gauda import _core
from gauda._analysis.covariances import Shrinkage, check_solver, explain_need, fixed_intensity
from gauda._data.sklearn_private import HasMethods, Interval, StrOptions, available_if
from gauda._data.training import LabeledRows
from gauda._estimators.family import Family
from gauda._estimators.gaussian import GaussianClassifier
from gauda._estimators.loo import drops_directions
from gauda._estimators.problem import Problem
from gauda._estimators.state import FittedAttribute, Solution
from gauda._scoring.rules import Reject
from gauda._statistics.access import attribute_of, core_of
from gauda._statistics.conjugate_prior import NormalInverseWishart
from gauda._statistics.moments import Moments
from gauda._statistics.priors import Policy
from gauda._support.arrays import Floats
from gauda.discriminant_analysis import _reading
from gauda.discriminant_analysis._base import STORE
from gauda.discriminant_analysis._linear_solvers import (
    common_covariance,
    estimate_covariances,
    learned_state,
    moments_by_class,
    removable_moments,
    solve,
)
from gauda.discriminant_analysis._projection import (
    decision_function,
    need_density,
    of_one_fit,
    transform,
)
from gauda.typing import ClassWeight, Costs, CovarianceEstimator, Missing, Priors, RejectLabel


@dataclass(eq=False, repr=False)
class LinearDiscriminantAnalysis(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    GaussianClassifier,
    saved_as="LinearDiscriminantAnalysis",
):
    """Linear discriminant analysis: Gaussian classes with a common covariance.

    Takes the place of scikit-learn's class of this name.

    Parameters
    ----------
    solver : {'svd', 'lsqr', 'eigen'}, default='svd'
        'svd' pools the scatter of all classes and drops directions without variance within classes.
        'lsqr' and 'eigen' weight the class covariances by the priors; with both, `shrinkage` and
        `covariance_estimator` can be used. 'lsqr' gives no `transform`.

    shrinkage : 'auto' or float, default=None
        Moves the covariance toward a multiple of the identity: by Ledoit and Wolf's intensity on
        the standardized data ('auto'), or by a factor from 0 to 1. Not with 'svd'.

    priors : array-like of shape (n_classes,), dict by class or 'uniform', default=None
        Prior of each class; by default the proportions of the data.

    n_components : int, default=None
        Number of components of `transform`, at most min(n_classes - 1, n_features).

    store_covariance : bool, default=False
        Keep `covariance_` with 'svd' too, and the scatter of each class whatever its size, from
        which `diagnostics` tests equal covariances.

    tol : float, default=1e-4
        Smallest singular value of the standardized data within classes that counts as variance.
        Only for 'svd'. The moments resolve values down to about 1e-8.

    covariance_estimator : estimator, default=None
        With `fit` and `covariance_`, used for the covariance of each class. Not with 'svd'.

    unbiased : bool, default=False
        Divide the pooled scatter by n - n_classes instead of n.

    conjugate_prior : NormalInverseWishart or 'empirical', default=None
        Conjugate prior on means and covariance; 'empirical' builds it from the pooled data. The
        estimates are those of largest posterior.

    reduced_rank : bool, default=False
        Classify by the `n_components` coordinates of `transform` alone: the class whose mean is
        nearest there, given the priors. `coef_`, `intercept_`, scores and `mahalanobis` are those
        of this rule. Whole rows then have no density: there is no `score_samples` and no
        `predict_joint_log_proba`. Not with 'lsqr'.

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
        `shrinkage`, of largest posterior with `conjugate_prior`. 'propagate' gives such rows NaN
        for scores and `reject_label` for a label; `fit` refuses them. 'drop' leaves them out of
        fits, saying how many, and refuses to score them. 'raise' refuses them everywhere.

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
    coef_ : ndarray of shape (n_classes, n_features) or (1, n_features)
        Slopes of the discriminants; for two classes, of their difference.

    intercept_ : ndarray of shape (n_classes,) or (1,)
        Constants of the discriminants.

    covariance_ : ndarray of shape (n_features, n_features)
        The common covariance, class covariances weighted by the priors. With 'svd' only if
        `store_covariance`.

    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the variance between classes along each component. Not with 'lsqr'.

    means_ : ndarray of shape (n_classes, n_features)
        Class means.

    priors_ : ndarray of shape (n_classes,)
        Priors; they sum to 1.

    scalings_ : ndarray of shape (n_features, rank)
        Discriminant axes, along which the common covariance is white. Not with 'lsqr'.

    standardized_coefficients_ : ndarray of shape (n_features, n_components)
        The same for columns in units of their pooled standard deviations within classes.

    means_on_axes_ : ndarray of shape (n_classes, n_components)
        Class means in the coordinates of `transform`.

    xbar_ : ndarray of shape (n_features,)
        Mean of the class means, weighted by the priors. Only with 'svd'.

    within_scatter_ : ndarray of shape (n_features, n_features)
        S_W, the sum of (x - m_k)(x - m_k)' over all rows x, where m_k is the mean of the row's
        class. Not with `covariance_estimator`.

    between_scatter_ : ndarray of shape (n_features, n_features)
        S_B, the sum of n_k (m_k - m)(m_k - m)' over the classes, where n_k is the weight of a class
        and m the mean of all rows. S_W + S_B is the scatter of all rows about m. With the priors
        of the data the axes solve S_B v = c S_W v, the largest c first.

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
    QuadraticDiscriminantAnalysis : One covariance per class.

    Examples
    --------
    >>> import numpy as np
    >>> from gauda import LinearDiscriminantAnalysis
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> y = np.array([1, 1, 1, 2, 2, 2])
    >>> lda = LinearDiscriminantAnalysis().fit(X, y)
    >>> lda.predict([[-0.8, -1]])
    array([1])
    >>> lda.transform(X).shape
    (6, 1)
    >>> lda.within_scatter_.round(3)
    array([[4.   , 2.   ],
           [2.   , 1.333]])
    """

    shell_name = "lda"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **GaussianClassifier._parameter_constraints,
        "solver": [StrOptions({"svd", "lsqr", "eigen"})],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both"), None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "store_covariance": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "covariance_estimator": [HasMethods("fit"), None],
        "reduced_rank": ["boolean"],
    }
    _min_rows = 2
    _given_structure = "tied"
    _prior_policy = Policy(negative="priors must be non-negative")

    coef_ = FittedAttribute[NDArray[Any]]()
    covariance_ = FittedAttribute[NDArray[Any]](STORE)
    explained_variance_ratio_ = FittedAttribute[NDArray[Any]](_reading.NO_AXES)
    intercept_ = FittedAttribute[NDArray[Any]]()
    means_ = FittedAttribute[NDArray[Any]]()
    priors_ = FittedAttribute[NDArray[Any]]()
    scalings_ = FittedAttribute[NDArray[Any]](_reading.NO_AXES)
    xbar_ = FittedAttribute[NDArray[Any]]("Fit with solver='svd', which centers rows on it.")
    _max_components = FittedAttribute[int]()
    _n_features_out = FittedAttribute[int]()

    solver: Literal["svd", "lsqr", "eigen"] = "svd"
    shrinkage: Shrinkage = None
    priors: Priors | None = None
    n_components: int | None = None
    store_covariance: bool = False
    tol: float = 1e-4
    covariance_estimator: CovarianceEstimator | None = None
    _: KW_ONLY
    unbiased: bool = False
    conjugate_prior: NormalInverseWishart | Literal["empirical"] | None = None
    reduced_rank: bool = False
    class_weight: ClassWeight = None
    cost: Costs | None = None
    reject: Reject = None
    reject_label: RejectLabel = None
    missing: Missing = "raise"
    em_max_iter: int = 1000
    em_tol: float = 1e-8
    verbose: bool = False
    n_threads: int | None = None

    def _structure(self) -> str:
        """Return which moments suffice: one scatter, or one for each class."""
        if self.covariance_estimator is not None:
            return "diag"
        by_class = self.solver != "svd" or self.store_covariance
        if self.shrinkage == "auto":
            return "full"
        kept = self.priors is not None and by_class
        kept |= self.store_covariance and self.missing != "marginalize"
        return "full" if kept and self.conjugate_prior is None else "tied"

    within_scatter_ = property(_reading.within_scatter_)
    between_scatter_ = property(_reading.between_scatter_)
    _hidden_properties = _reading.hidden_properties
    standardized_coefficients_ = property(_reading.standardized_coefficients_)
    means_on_axes_ = property(_reading.means_on_axes_)
    structure_coefficients = _reading.structure_coefficients
    _summary_tables = _reading.summary_tables
    _needs_rows = explain_need

    def _check_size(self, n_classes: int, n_rows: int) -> None:
        if n_rows == n_classes and self.conjugate_prior is None:
            raise ValueError("The number of samples must be more than the number of classes.")

    def _check_parameters(self) -> None:
        refusal = "covariance estimator is not supported with svd solver. Try another solver"
        check_solver(self, refusal, "solver='lsqr' or solver='eigen'")
        if self.reduced_rank and self.solver == "lsqr":
            raise ValueError(
                "reduced_rank=True needs discriminant axes, which solver='lsqr' does not give. Use "
                "solver='svd' or 'eigen'."
            )

    def _estimate(self, data: LabeledRows, moments: Moments) -> dict[str, Floats]:
        return estimate_covariances(self, data, moments)

    def _describe_model(self, problem: Problem) -> dict[str, Any]:
        moments = problem.moments
        return {
            "priors_": attribute_of(moments, problem.priors),
            "means_": attribute_of(moments, moments.means),
        }

    def _regularizes(self) -> bool:
        shared = self._structure() == "full"  # by classes whose scatters are known one by one
        return shared or bool(fixed_intensity(self.shrinkage)) or super()._regularizes()

    def _regularize(self, problem: Problem) -> Floats:
        common = common_covariance(self, problem)
        return np.repeat(common[np.newaxis], len(core_of(problem.moments).scatter), axis=0)

    def _solve_model(self, problem: Problem) -> Solution:
        moments = problem.moments
        n_classes, n_rows = len(moments.classes), moments.n_rows
        if n_classes == n_rows and not moments.squares.any():
            self._check_size(n_classes, n_rows)
        return solve(self, problem)

    _learned_state = learned_state
    _moments_by_class = moments_by_class
    _removable_moments = removable_moments

    def _family(self, problem: Problem) -> Family:
        mixing = 1.0, "covariance", self.unbiased
        if self.solver == "svd":
            return Family("tied", mixing, tol=self.tol)
        weights = problem.priors if problem.moments.structure == "full" else None
        return Family("tied", mixing, gamma=fixed_intensity(self.shrinkage), weights=weights)

    def _may_lose_rows(self, problem: Problem, model: _core.Model) -> bool:  # noqa: ARG002 (the model tells)
        return not self.reduced_rank and not drops_directions(model)

    predict_joint_log_proba = available_if(need_density)(GaussianClassifier.predict_joint_log_proba)
    score_samples = available_if(need_density)(GaussianClassifier.score_samples)
    transform = transform
    decision_function = decision_function


# Outermost, around what scikit-learn has made of it.
LinearDiscriminantAnalysis.transform = of_one_fit(LinearDiscriminantAnalysis.transform)
