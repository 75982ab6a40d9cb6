"""Regularized discriminant analysis: covariances between those of QDA, LDA and naive Bayes."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from gauda import _core
from gauda._analysis.covariances import OF_SECOND
from gauda._analysis.gaussians import Gaussians
from gauda._data.sklearn_private import Interval, StrOptions
from gauda._data.training import LabeledRows
from gauda._estimators.family import Family
from gauda._estimators.gaussian import GaussianClassifier
from gauda._estimators.learner import Estimates
from gauda._estimators.loo import drops_directions
from gauda._estimators.problem import Problem
from gauda._estimators.state import FittedAttribute, Solution
from gauda._scoring.rules import Reject
from gauda._statistics.access import core_of, is_wide
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats
from gauda.discriminant_analysis._base import (
    STORE,
    check_size,
    decision_function,
    describe_means,
    keep_labels,
    stored_covariance,
)
from gauda.discriminant_analysis._few_rows import solve_independent, solve_wide
from gauda.discriminant_analysis._regularization import (
    PURE,
    TEST,
    Regularization,
    check_shares,
    choose_structure,
)
from gauda.typing import (
    ClassWeight,
    Costs,
    CovarianceKind,
    Missing,
    Priors,
    RejectLabel,
    ShrinkageTarget,
)


@dataclass(eq=False, repr=False)
class RegularizedDiscriminantAnalysis(
    GaussianClassifier, saved_as="RegularizedDiscriminantAnalysis"
):
    """Regularized discriminant analysis: covariances between those of QDA, LDA and naive Bayes.

    With S_k the covariance of class k and S the pooled one, the covariance of class k becomes

        (1 - gamma) B_k + gamma T_k,    B_k = (1 - alpha) S_k + alpha S,

    where T_k is the target. `alpha` = 0 and `gamma` = 0 give quadratic, `alpha` = 1 and
    `gamma` = 0 linear discriminant analysis; `gamma` = 1 gives naive Bayes with the target
    'diagonal', and classifies by the nearest mean with `alpha` = 1 and 'spherical'.

    Parameters
    ----------
    alpha : float, default=0.0
        Share of the pooled covariance, from 0 to 1.

    gamma : float, default=0.0
        Share of the target, from 0 to 1.

    target : {'spherical', 'diagonal', 'identity'}, default='spherical'
        What B_k is moved toward: the multiple of the identity with its trace, its diagonal, or
        the identity.

    pooling : {'covariance', 'scatter'}, default='covariance'
        'covariance' mixes covariances as above. 'scatter' mixes the scatters of class and all
        classes and their divisors apart, as Friedman (1989), so that small classes borrow more.

    covariance : str, default=None
        One of the pure structures 'full', 'tied', 'diag', 'tied_diag', 'spherical' and
        'tied_spherical', in place of `alpha`, `gamma` and `target`. 'test' is 'tied' unless Box's M
        rejects equal covariances at the level 0.1, as POOL=TEST in SAS, and else 'full'; 'tied'
        also where a class has too few rows for the test. It takes complete rows, and weights that
        are numbers of rows.

    shrinkage : {'ledoit_wolf', 'oas'}, default=None
        Estimate `gamma` for each class, with the target 'spherical': Ledoit and Wolf's intensity,
        or the oracle-approximating one. They are those of `sklearn.covariance`.

    priors : array-like of shape (n_classes,), dict by class or 'uniform', default=None
        Prior of each class; by default the proportions of the data. If they do not sum to 1, they
        are renormalized with a warning.

    store_covariance : bool, default=False
        Keep `covariance_`.

    tol : float, default=1e-4
        A class is singular if a singular value of its standardized data is at most `tol`. With a
        common covariance such directions are dropped.

    unbiased : bool, default=False
        Divide scatters by n_k - 1, the pooled one by n - n_classes, instead of n_k and n.

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
        exactly, and `fit` estimates by EM, whose M-step regularizes covariances as above.
        'propagate' gives such rows NaN for scores and `reject_label` for a label; `fit` refuses
        them. 'drop' leaves them out of fits, saying how many, and refuses to score them. 'raise'
        refuses them everywhere.

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
        Regularized covariances. Only if `store_covariance`.

    means_ : ndarray of shape (n_classes, n_features)
        Class means.

    priors_ : ndarray of shape (n_classes,)
        Priors.

    covariance_structure_ : {'full', 'tied'}
        What the test chose. Only with covariance='test'.

    shrinkage_ : ndarray of shape (n_classes,)
        The `gamma` that was estimated for each class. Only with `shrinkage`.

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
    LinearDiscriminantAnalysis : A common covariance.

    References
    ----------
    J. H. Friedman, "Regularized Discriminant Analysis", Journal of the American Statistical
    Association 84 (1989), 165-175.

    Examples
    --------
    >>> import numpy as np
    >>> from gauda import RegularizedDiscriminantAnalysis
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> y = np.array([1, 1, 1, 2, 2, 2])
    >>> rda = RegularizedDiscriminantAnalysis(alpha=0.5, gamma=0.1).fit(X, y)
    >>> rda.predict([[-0.8, -1]])
    array([1])
    """

    singular_advice = "regularized"
    shell_name = "rda"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **GaussianClassifier._parameter_constraints,
        "alpha": [Interval(Real, 0, 1, closed="both")],
        "gamma": [Interval(Real, 0, 1, closed="both")],
        "target": [StrOptions({"spherical", "diagonal", "identity"})],
        "pooling": [StrOptions({"covariance", "scatter"})],
        "covariance": [StrOptions({*PURE, TEST}), None],
        "shrinkage": [StrOptions({"ledoit_wolf", "oas"}), None],
        "store_covariance": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
    }
    _parameter_constraints.pop("conjugate_prior")
    _given_structure = "full"

    covariance_ = FittedAttribute[list[NDArray[Any]]](STORE)
    covariance_structure_ = FittedAttribute[str]("Fit with covariance='test', which chooses it.")
    means_ = FittedAttribute[NDArray[Any]]()
    priors_ = FittedAttribute[NDArray[Any]]()
    shrinkage_ = FittedAttribute[NDArray[Any]]("Fit with shrinkage='ledoit_wolf' or 'oas'.")

    conjugate_prior = None

    alpha: float = 0.0
    gamma: float = 0.0
    _: KW_ONLY
    target: ShrinkageTarget = "spherical"
    pooling: Literal["covariance", "scatter"] = "covariance"
    covariance: CovarianceKind | None = None
    shrinkage: Literal["ledoit_wolf", "oas"] | None = None
    priors: Priors | None = None
    store_covariance: bool = False
    tol: float = 1.0e-4
    unbiased: bool = False
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
        """Return 'diag' where columns become independent: their products would be in vain."""
        independent = self._regularization().gamma == 1 and self.shrinkage is None
        return "diag" if independent and self.missing != "marginalize" else "full"

    def _regularization(self, moments: Moments | None = None) -> Regularization:
        if self.covariance == TEST:
            return PURE["full" if moments is None else choose_structure(moments)]
        if self.covariance is not None:
            return PURE[self.covariance]
        return Regularization(float(self.alpha), float(self.gamma), self.target)

    def _mixing(self, moments: Moments) -> tuple[float, str, bool]:
        return self._regularization(moments).alpha, self.pooling, self.unbiased

    def _rank_bounds(
        self,
        class_rows: NDArray[np.uint64],
        n_features: int,  # noqa: ARG002 (used by subclasses)
    ) -> NDArray[np.int64] | None:
        shares = self._regularization()
        common = shares.structure == "tied" or self.covariance == TEST
        if self.shrinkage is not None or shares.gamma > 0 or common:
            return None  # a common covariance drops directions
        rows = class_rows.astype(np.int64)
        return np.full(len(rows), rows.sum() - len(rows)) if shares.alpha else rows - 1

    def _solve_model(self, problem: Problem) -> Solution:
        self._check_solvable(problem)
        if problem.moments.structure == "diag":
            return solve_independent(self, problem, self._family(problem))
        if is_wide(problem.moments):
            return solve_wide(self, problem, self._family(problem))
        return super()._solve_model(problem)

    def _family(self, problem: Problem) -> Family:
        regularization = self._regularization(problem.moments)
        structure, target = regularization.structure, regularization.target
        mixing = regularization.alpha, self.pooling, self.unbiased
        return Family(structure, mixing, target, self._gamma(problem), tol=self.tol)

    def _may_lose_rows(self, problem: Problem, model: _core.Model) -> bool:  # noqa: ARG002 (the model tells)
        if self.covariance == TEST:
            return False  # without a row the test may choose another
        common = self._regularization().structure == "tied" and drops_directions(model)
        return self.shrinkage is None and not common

    def _covariance_parameters(self, problem: Problem, gaussians: Gaussians) -> float:  # noqa: ARG002 (base class)
        moments = problem.moments
        n, rows = moments.n_features, moments.counts - (1 if self.unbiased else 0)
        shares = self._regularization(moments)
        return shares.free_parameters(n, rows, self.pooling, self._gamma(problem))

    def _estimates_jointly(self, estimates: Estimates) -> bool:
        regularization = self._regularization()
        spherical = regularization.target == "spherical" and regularization.gamma > 0
        return spherical or self.covariance == TEST or super()._estimates_jointly(estimates)

    _check_size = check_size
    _check_parameters = check_shares

    def _estimate(self, data: LabeledRows, moments: Moments) -> dict[str, Floats]:
        if self.shrinkage != "ledoit_wolf" or moments.order > OF_SECOND:
            return {}
        rows = data.rows, data.codes, data.weights, data.n_threads
        with data.names.in_errors():
            found = _core.ledoit_wolf_intensities(core_of(moments), self._mixing(moments), *rows)
        return {"intensities": np.array(found)}

    _describe_model = describe_means

    def _check_solvable(self, problem: Problem) -> None:
        self._check_size(len(problem.moments.classes), problem.moments.n_rows)

    def _regularizes(self) -> bool:
        regularization = self._regularization()
        return bool(regularization.alpha or regularization.gamma or self.shrinkage == "oas")

    def _gamma(self, problem: Problem) -> float | Floats:
        """Return the share of the target, where it is estimated that of each class."""
        if self.shrinkage == "ledoit_wolf":
            if "intensities" in problem.estimates:
                return np.asarray(problem.estimates["intensities"])
            core, mixing = core_of(problem.moments), self._mixing(problem.moments)
            return np.array(_core.ledoit_wolf_intensities_of_moments(core, mixing))
        if self.shrinkage == "oas":
            mixing = self._mixing(problem.moments)
            return np.array(_core.oracle_intensities(core_of(problem.moments), mixing))
        return self._regularization().gamma

    def _solved_attributes(self, problem: Problem, family: Family, found: Floats) -> dict[str, Any]:
        stored = stored_covariance(self, problem.moments, found)
        if self.covariance == TEST:
            stored |= {"covariance_structure_": family.structure}
        return stored if self.shrinkage is None else stored | {"shrinkage_": family.gamma}

    decision_function = decision_function
