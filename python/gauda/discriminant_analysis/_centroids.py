"""Nearest shrunken centroids: independent columns, of which few tell the classes apart."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gauda import _core
from gauda._analysis.gaussians import Gaussians
from gauda._analysis.summary import Table
from gauda._data.sklearn_private import Interval, StrOptions
from gauda._estimators import gaps
from gauda._estimators.family import Family
from gauda._estimators.gaussian import GaussianClassifier
from gauda._estimators.problem import Problem
from gauda._estimators.state import Current, FittedAttribute, Solution
from gauda._scoring.rules import Reject
from gauda._statistics.access import attribute_of
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats, Indices
from gauda.discriminant_analysis._base import (
    check_size,
    decision_function,
    describe_means,
    keep_labels,
)
from gauda.discriminant_analysis._contrasts import MEDIAN, N_THRESHOLDS, Contrasts
from gauda.typing import ClassWeight, Costs, Labels, Missing, Priors, RejectLabel

OFFSET = [Interval(Real, 0, None, closed="left"), StrOptions({MEDIAN})]
"""What may be added to standard deviations."""


class ThresholdPath(NamedTuple):
    """Thresholds, and how many columns each leaves."""

    thresholds: Floats
    n_selected: Indices


def threshold_path(self: GaussianClassifier, n_thresholds: int = N_THRESHOLDS) -> ThresholdPath:
    """Return thresholds from 0 to the one that leaves no column, and what each leaves.

    Columns that differ between classes but not within them are left by all if `offset` is 0.

    Parameters
    ----------
    n_thresholds : int, default=30
        Number of thresholds.

    Returns
    -------
    ThresholdPath
        With `thresholds`, evenly spaced, and `n_selected`, the number of columns that each
        leaves.

    Examples
    --------
    >>> from gauda import ShrunkenCentroids
    >>> X, y = [[0, 5], [2, 3], [8, 4], [9, 5]], [0, 0, 1, 1]
    >>> ShrunkenCentroids().fit(X, y).threshold_path(3).n_selected
    array([2, 1, 0])
    """
    state = self._fit_state()
    found = state.settings._contrasts(state.statistics)
    thresholds = found.path(n_thresholds)
    return ThresholdPath(thresholds, (found.largest > thresholds[:, None]).sum(axis=1))


@dataclass(eq=False, repr=False)
class ShrunkenCentroids(GaussianClassifier, saved_as="ShrunkenCentroids"):
    """Nearest shrunken centroids: a classifier that chooses among very many columns.

    Class means are moved toward the mean of all rows by a threshold in units of their standard
    errors, and no farther than to it (soft thresholding). Columns in which no class mean is left
    to differ play no part. With c_j the overall mean, m_kj that of class k, s_j the pooled standard
    deviation within classes and s_0 their median,

        d_kj = (m_kj - c_j) / (e_k (s_j + s_0)),    e_k^2 = 1 / n_k - 1 / n,

    and the centroids are ``c_j + e_k (s_j + s_0) sign(d_kj) max(|d_kj| - threshold, 0)``.
    Posteriors are those of independent columns with these means and the standard deviations
    s_j + s_0 in all classes, as in R's pamr. Time and memory grow with classes times columns only.

    Parameters
    ----------
    threshold : float, default=0.0
        How far contrasts are moved toward 0, at least 0. See `threshold_path` for how many columns
        are left, and `ShrunkenCentroidsCV` for its choice by cross-validation.

    offset : float or 'median', default='median'
        s_0, which keeps columns of small variance from mattering by chance: a number, or the median
        of the standard deviations. With 0, a column that differs between classes but not within
        them has very large contrasts, and is left by every threshold of `threshold_path`.

    priors : array-like of shape (n_classes,), dict by class or 'uniform', default=None
        Prior of each class; by default the proportions of the data. If they do not sum to 1, they
        are renormalized with a warning.

    unbiased : bool, default=True
        Divide sums of squares by n - n_classes, as pamr does, instead of n.

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
        that are there, and standard errors by their numbers. 'propagate' gives such rows NaN for
        scores and `reject_label` for a label; `fit` refuses them. 'drop' leaves them out of fits,
        saying how many, and refuses to score them. 'raise' refuses them everywhere.

    em_max_iter : int, default=1000
        Unused, as independent columns need no EM; here for all classifiers to be set alike.

    em_tol : float, default=1e-8
        Unused, as independent columns need no EM.

    verbose : bool, default=False
        Unused, as independent columns need no EM.

    n_threads : int, default=None
        Number of threads; by default GAUDA_NUM_THREADS, RAYON_NUM_THREADS, OMP_NUM_THREADS or all
        cores. Results do not depend on it. Calls run without Python's lock: other threads may use
        the estimator meanwhile, and the same arrays, but must not write to these.

    Attributes
    ----------
    centroids_ : ndarray of shape (n_classes, n_features)
        Shrunken centroids.

    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.

    contrasts_ : ndarray of shape (n_classes, n_features)
        d_kj before thresholding: how much a column tells of a class.

    deviations_ : ndarray of shape (n_features,)
        Pooled standard deviations within classes, without s_0.

    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if the data had names.

    means_ : ndarray of shape (n_classes, n_features)
        Class means.

    n_features_in_ : int
        Number of columns.

    n_iter_, converged_, log_likelihood_
        0, True and empty: there is no EM. Only with missing='marginalize'.

    offset_ : float
        s_0.

    priors_ : ndarray of shape (n_classes,)
        Priors.

    selected_columns_ : ndarray of shape (n_selected,)
        Indices of the columns in which some centroid differs from the overall mean.

    See Also
    --------
    ShrunkenCentroidsCV : Its threshold chosen by cross-validation.
    RegularizedDiscriminantAnalysis : Columns may depend on each other.

    References
    ----------
    R. Tibshirani, T. Hastie, B. Narasimhan and G. Chu, "Diagnosis of multiple cancer types by
    shrunken centroids of gene expression", Proceedings of the National Academy of Sciences 99
    (2002), 6567-6572.

    Examples
    --------
    >>> import numpy as np
    >>> from gauda import ShrunkenCentroids
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(40, 1000)), np.arange(40) % 2
    >>> X[y == 1, :3] += 4
    >>> model = ShrunkenCentroids(threshold=3.0).fit(X, y)
    >>> model.selected_columns_
    array([0, 1, 2])
    >>> model.predict(X[:4])
    array([0, 1, 0, 1])
    """

    singular_advice = "centroids"
    shell_name = "centroids"
    _gaps_refused = "loo_log_proba"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **GaussianClassifier._parameter_constraints,
        "threshold": [Interval(Real, 0, None, closed="left")],
        "offset": OFFSET,
    }
    _parameter_constraints.pop("conjugate_prior")
    _given_structure = "tied"
    _exact: ClassVar[dict[str, Any]] = {"offset": 0.0, "unbiased": False}
    conjugate_prior = None

    centroids_ = FittedAttribute[NDArray[Any]]()
    contrasts_ = FittedAttribute[NDArray[Any]]()
    deviations_ = FittedAttribute[NDArray[Any]]()
    means_ = FittedAttribute[NDArray[Any]]()
    offset_ = FittedAttribute[float]()
    priors_ = FittedAttribute[NDArray[Any]]()
    selected_columns_ = FittedAttribute[Indices]()

    threshold: float = 0.0
    _: KW_ONLY
    offset: float | Literal["median"] = MEDIAN
    priors: Priors | None = None
    unbiased: bool = True
    class_weight: ClassWeight = None
    cost: Costs | None = None
    reject: Reject = None
    reject_label: RejectLabel = None
    missing: Missing = "raise"
    em_max_iter: int = 1000
    em_tol: float = 1e-8
    verbose: bool = False
    n_threads: int | None = None

    @classmethod
    def from_parameters(
        cls,
        means: ArrayLike,
        covariances: ArrayLike,
        priors: Priors | None = None,
        classes: Labels | None = None,
        **params: Any,
    ) -> Self:
        matrix = np.asarray(covariances, dtype=np.float64)
        if matrix.ndim == 2 and (matrix - np.diag(np.diag(matrix))).any():  # noqa: PLR2004 (a matrix)
            raise ValueError(
                "The common covariance must be diagonal, as columns are independent; got "
                "covariances of columns. Use LinearDiscriminantAnalysis."
            )
        return super().from_parameters(means, matrix, priors, classes, **params)

    _plain = staticmethod(keep_labels)

    def _structure(self) -> str:
        return "diag"

    _sums, _learn = gaps.sum_observed, gaps.learn_observed
    _check_size = check_size

    def _contrasts(self, moments: Moments) -> Contrasts:
        return Contrasts.of(moments, self.offset, unbiased=self.unbiased)

    _describe_model = describe_means

    def _solve_model(self, problem: Problem) -> Solution:
        moments = problem.moments
        self._check_size(len(moments.classes), moments.n_rows)
        found = self._contrasts(moments)
        values = {
            "centroids_": found.centroids(self.threshold),
            "contrasts_": found.values,
            "deviations_": found.deviations,
        }
        attributes: dict[str, Any] = {
            name: attribute_of(moments, value) for name, value in values.items()
        }
        attributes["offset_"] = found.added
        attributes["selected_columns_"] = found.select_columns(self.threshold)
        return Solution(found.model(self.threshold, problem.priors), attributes)

    def _family(self, problem: Problem) -> Family:  # noqa: ARG002 (parameters are all)
        mixing = 1.0, "covariance", self.unbiased
        return Family("tied", mixing, "diagonal", 1.0)

    def _may_lose_rows(self, problem: Problem, model: _core.Model) -> bool:  # noqa: ARG002 (base class)
        return False  # without a row other columns may be left

    def _regularizes(self) -> bool:
        return True

    def _covariance_parameters(self, problem: Problem, gaussians: Gaussians) -> float:
        """Return the free parameters of variances, less those of means that are shrunk away."""
        contrasts = self._contrasts(problem.moments).values
        left = int((np.abs(contrasts) > self.threshold).sum())
        overall = gaussians.n_features
        return gaussians.n_features + min(overall + left, contrasts.size) - contrasts.size

    def _parameters_of_part(self, seen: Moments, selected: Moments) -> dict[str, Any]:  # noqa: ARG002 (base class)
        return {"offset": self._contrasts(seen).added}

    def _summary_tables(self, current: Current) -> list[Table]:
        left = len(current.attributes["selected_columns_"])
        columns = ("threshold", "columns left", "of")
        row = [float(current.settings.threshold), float(left), float(current.n_features)]
        chosen = Table.of("shrunken centroids", columns, [""], [row])
        return [chosen, *super()._summary_tables(current)]

    decision_function = decision_function
    threshold_path = threshold_path
