"""Gaussian naive Bayes: within a class all columns are independent."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from gauda._data.sklearn_private import Interval
from gauda._estimators import gaps
from gauda._estimators.family import Family
from gauda._estimators.gaussian import GaussianClassifier
from gauda._estimators.problem import Problem
from gauda._estimators.state import FitState, FittedAttribute
from gauda._scoring.rules import Reject
from gauda._statistics.access import attribute_of, core_of, largest_variance, names_of
from gauda._statistics.conjugate_prior import NormalInverseWishart
from gauda._statistics.moments import Moments
from gauda._statistics.priors import Policy
from gauda._support.arrays import Floats
from gauda.typing import ClassWeight, Costs, Missing, Priors, RejectLabel

MAX_EPSILON = 1e300


@dataclass(eq=False, repr=False)
class GaussianNB(GaussianClassifier, saved_as="GaussianNB"):
    """Gaussian naive Bayes: within a class all columns are independent.

    Takes the place of scikit-learn's class of this name.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), dict by class or 'uniform', default=None
        Prior of each class; by default the proportions of the data.

    var_smoothing : float, default=1e-9
        This share of the largest variance of any column is added to all variances. In that
        variance each row counts once, whatever its weight, as in scikit-learn; but rows of weight
        0, or below 2^-100 of the largest weight, are absent here too, and count in scikit-learn.

    unbiased : bool, default=False
        Divide sums of squares by n_k - 1 instead of n_k.

    conjugate_prior : NormalInverseWishart or 'empirical', default=None
        Conjugate prior on means and variances; 'empirical' builds it from the pooled data. The
        estimates are those of largest posterior.

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
        exactly, and `fit`, `partial_fit` and `fit_stream` take means and variances of the values
        that are there. 'propagate' gives such rows NaN for scores and `reject_label` for a label;
        `fit` refuses them. 'drop' leaves them out of fits, saying how many, and refuses to score
        them. 'raise' refuses them everywhere.

    em_max_iter : int, default=1000
        Unused, as naive Bayes needs no EM; here for all classifiers to be set alike.

    em_tol : float, default=1e-8
        Unused, as naive Bayes needs no EM.

    verbose : bool, default=False
        Unused, as naive Bayes needs no EM.

    n_threads : int, default=None
        Number of threads; by default GAUDA_NUM_THREADS, RAYON_NUM_THREADS, OMP_NUM_THREADS or all
        cores. Results do not depend on it. Calls run without Python's lock: other threads may use
        the estimator meanwhile, and the same arrays, but must not write to these.

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

    n_iter_, converged_, log_likelihood_
        0, True and empty: there is no EM. Only with missing='marginalize'.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features,)
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

    singular_advice = "naive"
    _gaps_refused = "loo_log_proba"
    shell_name = "gnb"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **GaussianClassifier._parameter_constraints,
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
    }
    _given_structure = "diag"
    _exact: ClassVar[dict[str, Any]] = {"var_smoothing": 0.0}
    _prior_policy = Policy(
        negative="Priors must be non-negative.", other_sum="The sum of the priors should be 1."
    )
    _asks_classes = True

    class_count_ = FittedAttribute[NDArray[Any]]()
    class_prior_ = FittedAttribute[NDArray[Any]]()
    epsilon_ = FittedAttribute[float]()
    theta_ = FittedAttribute[NDArray[Any]]()
    var_ = FittedAttribute[NDArray[Any]]()

    _: KW_ONLY
    priors: Priors | None = None
    var_smoothing: float = 1e-9
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

    def _structure(self) -> str:
        return "diag"

    _sums, _learn = gaps.sum_observed, gaps.learn_observed

    def _join(self, *args: Any) -> FitState:
        state = super()._join(*args)
        with names_of(state.statistics).in_errors():
            core_of(state.statistics).total()  # refuses classes so far apart that squares overflow
        return state

    def _describe_model(self, problem: Problem) -> dict[str, Any]:
        moments = problem.moments
        epsilon = self._epsilon(problem.seen)
        described = {
            "epsilon_": attribute_of(moments, np.asarray(epsilon))[()],
            "class_count_": attribute_of(moments, problem.seen.counts),
            "class_prior_": attribute_of(moments, problem.priors),
        }
        counts = moments.counts[:, np.newaxis]
        if ((moments.observed_counts == 0) & (counts > 0)).any():
            return described  # another batch may show more of a column
        described["theta_"] = attribute_of(moments, moments.means)
        if not self.unbiased:  # which rows may not yet be enough for
            described["var_"] = attribute_of(moments, self._variances(problem, epsilon))
        return described

    def _family(self, problem: Problem) -> Family:  # noqa: ARG002 (parameters are all)
        mixing = 0.0, "covariance", self.unbiased
        return Family("diag", mixing, "diagonal", 1.0, smoothing=float(self.var_smoothing))

    def _covariances(self, problem: Problem, family: Family) -> Floats:  # noqa: ARG002 (variances are all)
        return self._variances(problem, self._epsilon(problem.seen))

    def _solved_attributes(
        self,
        problem: Problem,
        family: Family,  # noqa: ARG002 (variances are all)
        found: Floats,
    ) -> dict[str, Any]:
        return {"var_": attribute_of(problem.moments, found)}

    def _variances(self, problem: Problem, epsilon: float) -> Floats:
        return core_of(problem.moments).variances(self.unbiased) + epsilon

    def _parameters_of_part(self, seen: Moments, selected: Moments) -> dict[str, Any]:
        largest = largest_variance(selected)
        # What is added to the variances stays the same, as another share of another variance.
        return {"var_smoothing": self._epsilon(seen) / largest if largest > 0 else 0.0}

    def _epsilon(self, seen: Moments) -> float:
        """Return what is added to the variances."""
        return smoothing(self.var_smoothing, largest_variance(seen))


def smoothing(var_smoothing: float, largest: float) -> float:
    """Return what is added to variances; refuse what a double cannot hold."""
    epsilon = float(var_smoothing) * largest  # of Python: overflows in silence
    if not epsilon < MAX_EPSILON:
        raise ValueError(
            f"var_smoothing={var_smoothing} is too large: it adds {epsilon:g} to the variances."
        )
    return epsilon
