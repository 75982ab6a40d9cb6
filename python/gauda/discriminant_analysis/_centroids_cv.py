"""Nearest shrunken centroids whose threshold cross-validation chooses."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal

from numpy.typing import ArrayLike, NDArray

from gauda._analysis.summary import Table
from gauda._data.sklearn_private import Interval
from gauda._data.training import LabeledRows
from gauda._estimators.state import Current, FittedAttribute
from gauda._scoring.rules import Reject
from gauda._statistics.em import EmReport
from gauda._statistics.moments import Moments
from gauda._support.arrays import Indices
from gauda.discriminant_analysis._centroids import OFFSET, ShrunkenCentroids, threshold_path
from gauda.discriminant_analysis._contrasts import MEDIAN, N_THRESHOLDS
from gauda.discriminant_analysis._searching import ParameterSearch
from gauda.discriminant_analysis._thresholds import choose_threshold
from gauda.typing import ClassWeight, Costs, Missing, Priors, RejectLabel, Splits


@dataclass(eq=False, repr=False)
class ShrunkenCentroidsCV(ParameterSearch, saved_as="ShrunkenCentroidsCV"):
    """Nearest shrunken centroids whose `threshold` cross-validation chooses.

    Every threshold is tried on every fold exactly, but no model is fitted to rows: the moments of
    the other folds are added up, and their contrasts serve all thresholds. The model is then that
    of all rows at the threshold chosen.

    Parameters
    ----------
    thresholds : int or array-like of shape (n_thresholds,), default=30
        Thresholds to try; a number means so many, evenly from 0 to the one that leaves no column of
        all rows, as in R's pamr.

    offset : float or 'median', default='median'
        What is added to standard deviations; see `ShrunkenCentroids`.

    cv : int, 'loo', cross-validation generator, iterable or None, default=10
        Number of stratified folds, or splits as scikit-learn takes them (None means 5 folds). 'loo'
        leaves out each row in turn, exactly; rows with weights count by them.

    scoring : {'neg_log_loss', 'accuracy', 'neg_brier_score'}, default='neg_log_loss'
        What is to be largest: scikit-learn's scores of these names.

    one_se : bool, default=False
        Choose, instead of the best threshold, the largest whose score is within one standard error
        of the best.

    priors : array-like of shape (n_classes,), dict by class or 'uniform', default=None
        Prior of each class; by default the proportions of the training rows. If they do not sum
        to 1, they are renormalized with a warning.

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
        How NaN is handled, as for `ShrunkenCentroids`. With 'marginalize' and missing values each
        threshold is fitted for each split, which takes its time.

    n_threads : int, default=None
        Number of threads; by default GAUDA_NUM_THREADS, RAYON_NUM_THREADS, OMP_NUM_THREADS or all
        cores. Results do not depend on it. Calls run without Python's lock: other threads may use
        the estimator meanwhile, and the same arrays, but must not write to these.

    Attributes
    ----------
    threshold_ : float
        The threshold that was chosen.

    best_params_ : dict
        The same by name.

    best_score_ : float
        Its mean score.

    best_estimator_ : ShrunkenCentroids
        The model that was chosen, of all rows.

    best_index_ : int
        Its index in `cv_results_`.

    cv_results_ : dict of arrays
        Laid out as that of scikit-learn's `GridSearchCV`: 'param_threshold', 'params',
        'split0_test_score', ..., 'mean_test_score', 'std_test_score', 'rank_test_score' and times.
        With cv='loo' each row is a split, and there are no columns for single splits.

    n_splits_ : int
        Number of splits.

    loo_log_proba_ : ndarray of shape (n_samples, n_classes)
        With cv='loo', the log-posteriors of each row under the chosen model without it.

    centroids_, contrasts_, deviations_, means_, offset_, priors_, selected_columns_, classes_, \
n_features_in_, feature_names_in_
        As of `ShrunkenCentroids`.

    See Also
    --------
    ShrunkenCentroids : With a threshold that is given.

    Examples
    --------
    >>> import numpy as np
    >>> from gauda import ShrunkenCentroidsCV
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(40, 1000)), np.arange(40) % 2
    >>> X[y == 1, :3] += 2
    >>> model = ShrunkenCentroidsCV(cv=5).fit(X, y)
    >>> len(model.selected_columns_) < 100
    True
    """

    singular_advice = "centroids"
    _model = ShrunkenCentroids
    _searched = ("threshold",)
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **ParameterSearch._parameter_constraints,
        "thresholds": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "offset": OFFSET,
    }

    centroids_ = FittedAttribute[NDArray[Any]]()
    contrasts_ = FittedAttribute[NDArray[Any]]()
    deviations_ = FittedAttribute[NDArray[Any]]()
    means_ = FittedAttribute[NDArray[Any]]()
    offset_ = FittedAttribute[float]()
    priors_ = FittedAttribute[NDArray[Any]]()
    selected_columns_ = FittedAttribute[Indices]()

    thresholds: int | ArrayLike = N_THRESHOLDS
    _: KW_ONLY
    offset: float | Literal["median"] = MEDIAN
    cv: Splits = 10
    scoring: Literal["neg_log_loss", "neg_brier_score", "accuracy"] = "neg_log_loss"
    one_se: bool = False
    priors: Priors | None = None
    unbiased: bool = True
    class_weight: ClassWeight = None
    cost: Costs | None = None
    reject: Reject = None
    reject_label: RejectLabel = None
    missing: Missing = "raise"
    n_threads: int | None = None

    @property
    def threshold_(self) -> float:
        """The threshold that was chosen."""
        return float(self.best_params_["threshold"])

    def _summary_tables(self, current: Current) -> list[Table]:
        tables: list[Table] = self.best_estimator_._summary_tables(current)
        return tables

    threshold_path = threshold_path

    def _learn(self, data: LabeledRows) -> tuple[Moments, EmReport | None]:
        centroids: ShrunkenCentroids = self._at_zero()
        return centroids._learn(data)

    def _needs_rows(self) -> str | None:
        return "cross-validation needs. Use fit, or ShrunkenCentroids with a threshold."

    _estimate = choose_threshold
