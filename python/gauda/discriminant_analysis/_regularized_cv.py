"""Regularized discriminant analysis that chooses its two shares by cross-validation."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

from numpy.typing import ArrayLike, NDArray

from gauda._analysis.summary import Table
from gauda._data.gaps import has_gaps
from gauda._data.hashed_folds import HashedKFold
from gauda._data.training import LabeledRows
from gauda._estimators.gaps import learn
from gauda._estimators.state import Current, FitState, FittedAttribute
from gauda._scoring.rules import Reject
from gauda._statistics.access import moments_of
from gauda._storage.json_values import record
from gauda.discriminant_analysis._base import STORE, check_classes
from gauda.discriminant_analysis._grid_refits import choose
from gauda.discriminant_analysis._regularized import RegularizedDiscriminantAnalysis
from gauda.discriminant_analysis._searching import ParameterSearch
from gauda.typing import ClassWeight, Costs, Missing, Priors, RejectLabel, ShrinkageTarget, Splits

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)

record(HashedKFold)


@dataclass(eq=False, repr=False)
class RegularizedDiscriminantAnalysisCV(
    ParameterSearch, saved_as="RegularizedDiscriminantAnalysisCV"
):
    """Regularized discriminant analysis whose `alpha` and `gamma` cross-validation chooses.

    Every point of the grid is tried on every fold exactly, but no model is fitted to rows: the
    moments of the other folds are added up, and for each `alpha` each class gets coordinates in
    which its covariance is tridiagonal for every `gamma`. The model is then that of all rows at the
    point chosen.

    With more columns than rows, alpha=1 and gamma=0 is a model whose posteriors on new rows are
    close to the priors. Where the search ends there, with a log-loss of about that of the priors,
    all other points were worse than that: they were sure of wrong classes. Then these columns tell
    little of the classes, or only few of them do, which `ShrunkenCentroidsCV` finds.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,), default=(0, 0.25, 0.5, 0.75, 1)
        Shares of the pooled covariance to try.

    gammas : array-like of shape (n_gammas,), default=(0, 0.25, 0.5, 0.75, 1)
        Shares of the target to try.

    target : {'spherical', 'diagonal', 'identity'}, default='spherical'
        What covariances are moved toward; see `RegularizedDiscriminantAnalysis`.

    pooling : {'covariance', 'scatter'}, default='covariance'
        What is pooled; see `RegularizedDiscriminantAnalysis`.

    cv : int, 'loo', cross-validation generator, iterable or None, default=10
        Number of stratified folds, or splits as scikit-learn takes them (None means 5 folds). 'loo'
        leaves out each row in turn, exactly, in about the time of one fold; rows with weights count
        by them, and take longer.

    scoring : {'neg_log_loss', 'accuracy', 'neg_brier_score'}, default='neg_log_loss'
        What is to be largest: scikit-learn's scores of these names.

    one_se : bool, default=False
        Choose, instead of the best point, the most regularized one (largest alpha + gamma) whose
        score is within one standard error of the best.

    priors : array-like of shape (n_classes,), dict by class or 'uniform', default=None
        Prior of each class; by default the proportions of the training rows. If they do not sum
        to 1, they are renormalized with a warning.

    store_covariance : bool, default=False
        Keep `covariance_`.

    tol : float, default=1e-4
        A class is singular if a singular value of its standardized data is at most `tol`.

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
        How NaN is handled, as for `RegularizedDiscriminantAnalysis`. With 'marginalize' and missing
        values each point is fitted by EM for each split, which takes its time.

    n_threads : int, default=None
        Number of threads; by default GAUDA_NUM_THREADS, RAYON_NUM_THREADS, OMP_NUM_THREADS or all
        cores. Results do not depend on it. Calls run without Python's lock: other threads may use
        the estimator meanwhile, and the same arrays, but must not write to these.

    Attributes
    ----------
    alpha_, gamma_ : float
        The point that was chosen.

    best_params_ : dict
        The same by name.

    best_score_ : float
        Its mean score.

    best_estimator_ : RegularizedDiscriminantAnalysis
        The model that was chosen, of all rows.

    best_index_ : int
        Its index in `cv_results_`.

    cv_results_ : dict of arrays
        Laid out as that of scikit-learn's `GridSearchCV`: 'param_alpha', 'param_gamma', 'params',
        'split0_test_score', ..., 'mean_test_score', 'std_test_score', 'rank_test_score' and times.
        Points at which a covariance is singular have NaN. With cv='loo' each row is a split, and
        there are no columns for single splits.

    n_splits_ : int
        Number of splits.

    loo_log_proba_ : ndarray of shape (n_samples, n_classes)
        With cv='loo', the log-posteriors of each row under the chosen model without it.

    covariance_, means_, priors_, classes_, n_features_in_, feature_names_in_
        As of `RegularizedDiscriminantAnalysis`.

    See Also
    --------
    RegularizedDiscriminantAnalysis : With shares that are given.
    ShrunkenCentroidsCV : Where few of many columns tell classes apart.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gauda import RegularizedDiscriminantAnalysisCV
    >>> X, y = load_iris(return_X_y=True)
    >>> rda = RegularizedDiscriminantAnalysisCV([0, 0.5, 1], [0, 0.1], cv="loo").fit(X, y)
    >>> rda.best_params_
    {'alpha': 0.5, 'gamma': 0.0}
    """

    singular_advice = "search"
    _model = RegularizedDiscriminantAnalysis
    _searched = ("alpha", "gamma")
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **ParameterSearch._parameter_constraints,
        "alphas": ["array-like"],
        "gammas": ["array-like"],
        "target": RegularizedDiscriminantAnalysis._parameter_constraints["target"],
        "pooling": RegularizedDiscriminantAnalysis._parameter_constraints["pooling"],
        "store_covariance": ["boolean"],
        "tol": RegularizedDiscriminantAnalysis._parameter_constraints["tol"],
    }

    covariance_ = FittedAttribute[list[NDArray[Any]]](STORE)
    means_ = FittedAttribute[NDArray[Any]]()
    priors_ = FittedAttribute[NDArray[Any]]()

    alphas: ArrayLike = SHARES
    gammas: ArrayLike = SHARES
    _: KW_ONLY
    target: ShrinkageTarget = "spherical"
    pooling: Literal["covariance", "scatter"] = "covariance"
    cv: Splits = 10
    scoring: Literal["neg_log_loss", "neg_brier_score", "accuracy"] = "neg_log_loss"
    one_se: bool = False
    priors: Priors | None = None
    store_covariance: bool = False
    tol: float = 1.0e-4
    unbiased: bool = False
    class_weight: ClassWeight = None
    cost: Costs | None = None
    reject: Reject = None
    reject_label: RejectLabel = None
    missing: Missing = "raise"
    n_threads: int | None = None

    @property
    def alpha_(self) -> float:
        """Share of the pooled covariance that was chosen."""
        return float(self.best_params_["alpha"])

    @property
    def gamma_(self) -> float:
        """Share of the target that was chosen."""
        return float(self.best_params_["gamma"])

    def _summary_tables(self, current: Current) -> list[Table]:
        chosen = Table.of("chosen shares", ("alpha", "gamma"), [""], [[self.alpha_, self.gamma_]])
        return [chosen, *super()._summary_tables(current)]

    def _needs_rows(self) -> str | None:
        return (
            "cross-validation needs. Use fit, or RegularizedDiscriminantAnalysis with alpha and "
            "gamma."
        )

    def _learned_state(self, data: LabeledRows) -> FitState:
        if self.missing != "marginalize" or not has_gaps(data):
            return super()._learned_state(data)
        check_classes(len(data.classes))
        observed = moments_of(data, "diag", gaps=True)  # which EM would refuse in each fit
        estimates = self._estimate(data, observed)
        moments, report = learn(self._settings(estimates), data)
        return self._state_of(moments, estimates, em=report)

    _estimate = choose
