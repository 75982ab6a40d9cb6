"""Naive Bayes on columns of different kinds."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from operator import attrgetter
from typing import Any, ClassVar, Self

from sklearn.utils import Tags

from gauda import _core
from gauda._data.columns import GAUSSIAN
from gauda._data.dropping import refuse_missing, take_rows
from gauda._data.kinds import AUTO
from gauda._data.labeled_columns import LabeledColumns
from gauda._data.sklearn_private import Interval, StrOptions
from gauda._data.training import LabeledRows
from gauda._estimators.classifier import Classifier
from gauda._estimators.learner import Estimates
from gauda._estimators.state import FitState, FittedAttribute, Solution
from gauda._scoring.rules import Reject
from gauda._statistics.access import mixed_of
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.mixed_sums import columns_of_kinds
from gauda._statistics.priors import Policy
from gauda._storage.format import Arrays
from gauda._support.arrays import Floats
from gauda.naive_bayes import (
    _column_rows,
    _gaps,
    _mixed_columns,
    _mixed_files,
    _mixed_rows,
    _reading,
)
from gauda.naive_bayes._column_rows import ModelOfColumns
from gauda.naive_bayes._discrete import logarithm
from gauda.naive_bayes._mixed_estimates import (
    added_variance,
    log_probabilities,
    smoothed_variances,
)
from gauda.naive_bayes._mixed_given import GivenColumns
from gauda.naive_bayes._mixed_rows import by_kinds, warn_of_identifiers
from gauda.typing import ClassWeight, Costs, HandleUnknown, Kinds, Missing, Priors, RejectLabel


@dataclass(eq=False, repr=False)
class MixedNB(GivenColumns, saved_as="MixedNB"):
    """Naive Bayes on columns of different kinds: numbers, truth values and categories.

    Within a class all columns are independent: numbers are normal as in GaussianNB, truth values
    Bernoulli as in BernoulliNB, and entries of other columns categories as in CategoricalNB, of any
    name. An entry that is missing (NaN, None) is left out, in the fit and when rows are scored,
    unless `missing` says otherwise.

    Parameters
    ----------
    alpha : float, default=1.0
        What is added to counts of levels: 0 gives maximum likelihood, 1 Laplace's rule.

    var_smoothing : float, default=1e-9
        This share of the largest variance of any column of numbers is added to all variances. In
        that variance each row counts once, whatever its weight, but for rows of weight 0 or
        below 2^-100 of the largest weight, which do not count.

    kinds : 'auto', sequence or dict, default='auto'
        For each column 'gaussian', 'bernoulli', 'categorical' or 'auto'; a dict gives those of some
        columns, by name or index. With 'auto' the type of a column tells: numbers are 'gaussian',
        booleans 'bernoulli', and categories and strings 'categorical'. Of a column of Python
        objects, in an array or a frame, the entries that are not missing tell: all booleans are
        'bernoulli', all numbers 'gaussian', anything else 'categorical'.

    priors : array-like of shape (n_classes,), dict by class or 'uniform', default=None
        Priors of the classes; by default the proportions of the data.

    handle_unknown : {'error', 'ignore'}, default='error'
        Whether a category that the fit did not see is refused when rows are scored, or the column
        left out for that row.

    missing : {'marginalize', 'raise', 'propagate', 'drop'}, default='marginalize'
        How missing entries (NaN, None) are handled. 'marginalize' leaves them out of the sums of
        their columns, and of scores; 'raise' refuses them; 'propagate' answers NaN, and the reject
        label, for a row with any when it is scored, and refuses them in fits; 'drop' leaves rows
        with any out of fits, and says how many, and refuses them when rows are scored.

    class_weight : dict or 'balanced', default=None
        Weight of each class in the fit, by which those of its rows are multiplied; a class that is
        not in the dict weighs 1. With 'balanced' all classes weigh alike, which only `fit` can do.

    cost : array-like of shape (n_classes, n_classes or n_classes + 1), or dict, default=None
        `cost[i, j]` is what decision j costs where class i is the truth, in the order of
        `classes_`; `predict` then returns the label of least expected cost. A further column is the
        cost of rejecting a row. By name: {truth: {decision: cost}}, with None for rejecting.

    reject : float or dict, default=None
        When `predict` returns `reject_label`: {'posterior': t} if the posterior of the label is
        below t (a float alone means this), {'cost': c} if no label is expected to cost c or less.
        Both may be given.

    reject_label : default=None
        Label of rejected rows; by default -1 for integers, NaN for floats, 'rejected' for text. A
        dict gives one for each class that a row would have, and under None that of rows without.

    n_threads : int, default=None
        Number of threads; by default GAUDA_NUM_THREADS, RAYON_NUM_THREADS, OMP_NUM_THREADS or all
        cores. Results do not depend on it. Calls run without Python's lock: other threads may use
        the estimator meanwhile, and the same arrays, but must not write to these.

    Attributes
    ----------
    categories_ : dict
        By index of a column its levels, sorted: those that the fit saw.

    category_count_ : dict
        By index of a column the weight of each class and level.

    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or their weight.

    class_prior_ : ndarray of shape (n_classes,)
        Priors.

    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.

    epsilon_ : float
        What was added to the variances.

    feature_log_prob_ : dict
        By index of a column the log-probability of each class and level.

    kinds_ : list of str
        The kind of each column.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if the data had names.

    theta_, var_ : dict
        By index of a column of numbers its mean and variance in each class.

    See Also
    --------
    gauda.GaussianNB : All columns are numbers.
    gauda.BernoulliNB : All columns are present or absent.
    gauda.CategoricalNB : All columns are numbered categories.

    Examples
    --------
    >>> from gauda import MixedNB
    >>> X = [[1.7, "red"], [1.6, "red"], [3.1, "blue"], [None, "green"]]
    >>> nb = MixedNB().fit(X, ["a", "a", "b", "b"])
    >>> nb.kinds_
    ['gaussian', 'categorical']
    >>> nb.predict([[1.8, None], [None, "green"]])
    array(['a', 'b'], dtype='<U1')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Classifier._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left")],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
        "kinds": [StrOptions({AUTO}), "array-like", dict],
        "priors": ["array-like", dict, StrOptions({"uniform"}), None],
        "handle_unknown": [StrOptions({"error", "ignore"})],
        "missing": [StrOptions(set(_gaps.WAYS))],
    }

    shell_name = "mixed"
    _reads_tables = True
    _has_polynomials = False
    _independent_columns = True
    _takes_gaps = True
    _leaves_out = True
    _decided = staticmethod(attrgetter("priors", "handle_unknown", "missing"))
    _prior_policy = Policy(
        negative="priors must be non-negative and sum to 1.",
        other_sum="priors must be non-negative and sum to 1.",
    )

    categories_ = FittedAttribute[dict[Any, list[Any]]]()
    category_count_ = FittedAttribute[dict[Any, Floats]]()
    class_count_ = FittedAttribute[Floats]()
    class_prior_ = FittedAttribute[Floats]()
    epsilon_ = FittedAttribute[float]()
    feature_log_prob_ = FittedAttribute[dict[Any, Floats]]()
    kinds_ = FittedAttribute[list[str]]()
    theta_ = FittedAttribute[dict[Any, Floats]]()
    var_ = FittedAttribute[dict[Any, Floats]]()

    alpha: float = 1.0
    var_smoothing: float = 1e-9
    kinds: Kinds = AUTO
    _: KW_ONLY
    priors: Priors | None = None
    handle_unknown: HandleUnknown = "error"
    missing: Missing = "marginalize"
    class_weight: ClassWeight = None
    cost: Costs | None = None
    reject: Reject = None
    reject_label: RejectLabel = None
    n_threads: int | None = None

    @property
    def statistics_(self) -> MixedStatistics:
        """Statistics of the rows that were seen."""
        statistics: MixedStatistics = self._fit_state().statistics
        return statistics

    def _check_rows(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        before: FitState | None,
        min_rows: int = 1,  # noqa: ARG002 (one will do)
    ) -> LabeledColumns:
        choose = by_kinds(self.kinds, before)
        return LabeledColumns.of(self, X, y, sample_weight, before, choose)

    def _batch(self, data: LabeledRows, before: FitState | None) -> LabeledColumns:
        batch: LabeledColumns = LabeledColumns.of_batch(data, by_kinds(self.kinds, before))
        rest: LabeledColumns = take_rows(self.missing, batch)
        return rest

    def _sums(self, data: LabeledColumns) -> MixedStatistics:
        if self.missing != "marginalize":
            refuse_missing(data)
        return mixed_of(data.columns, data.labels, data.kinds)

    def _describe(self, statistics: MixedStatistics, estimates: Estimates) -> dict[str, Any]:  # noqa: ARG002 (sums are all)
        if not statistics.class_count.any():
            raise ValueError("MixedNB must be given rows of some weight; got none.")
        gaussian, discrete = columns_of_kinds(statistics.kinds)
        means, counts = statistics.numbers.means, statistics.counts
        return {
            "kinds_": list(statistics.kinds),
            "class_count_": statistics.class_count,
            "class_prior_": self._class_priors(statistics),
            "epsilon_": added_variance(statistics, self.var_smoothing),
            "theta_": {column: means[:, at] for at, column in enumerate(gaussian)},
            "categories_": {
                column: list(count.levels or ())
                for column, count in zip(discrete, counts, strict=True)
            },
            "category_count_": {
                column: count.table for column, count in zip(discrete, counts, strict=True)
            },
        }

    def _solve(self, statistics: MixedStatistics, estimates: Estimates) -> Solution:
        described = self._describe(statistics, estimates)
        variances = smoothed_variances(statistics, described["epsilon_"])
        gaussian, _ = columns_of_kinds(statistics.kinds)
        var = {column: variances[:, at] for at, column in enumerate(gaussian)}
        log_prob = {
            column: log_probabilities(table, self.alpha)
            for column, table in described["category_count_"].items()
        }
        features = [
            (described["theta_"][column].tolist(), var[column].tolist())
            if kind == GAUSSIAN
            else log_prob[column]
            for column, kind in enumerate(statistics.kinds)
        ]
        log_prior = self._log_prior(statistics)
        ignores = self.handle_unknown == "ignore"
        gaps = self.missing == "marginalize"
        core = _core.ColumnModel(log_prior, features, may_miss=gaps, ignores_unknown=ignores)
        kept = {name: found for name, found in described.items() if name != "class_prior_"}
        attributes = kept | {"var_": var, "feature_log_prob_": log_prob}
        return Solution(ModelOfColumns(core), attributes)

    def _log_prior(self, statistics: MixedStatistics) -> Floats:
        return logarithm(self._class_priors(statistics))

    def _warn_of_parameters(self) -> None:
        super()._warn_of_parameters()
        warn_of_identifiers(self._fit_state().statistics)

    _join_rows = _mixed_rows.join_row
    _rows = _column_rows.rows_of
    _batch_rows = _column_rows.rows_of_batch
    _few_rows = _column_rows.few_rows
    _text_columns = _column_rows.text_columns_of
    _no_rows = _column_rows.no_rows
    _explain = _column_rows.explain
    _precision = _column_rows.precision
    _unseen = 0.0
    _column_fits = _mixed_columns.column_fits
    _column_sums = _mixed_columns.column_sums
    _code_columns = _column_rows.code_columns
    _row_at = _column_rows.row_at
    _as_row = _column_rows.as_row
    _level_names = _reading.mixed_level_names
    _column_log_likelihoods = _reading.mixed_column_log_likelihoods
    _estimate = _column_rows.library_of_fit
    _entries = _column_rows.entries
    _completed = _column_rows.fill_rows
    _has_numbers = _mixed_rows.has_numbers
    _row_of = _column_rows.row_of
    _parameters_of_part = _mixed_rows.parameters_of_part

    _state = _mixed_files.state_of

    @classmethod
    def _from_state(cls, arrays: Arrays, metadata: dict[str, Any]) -> Self:
        return _mixed_files.estimator_from(cls, arrays, metadata)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "raise"
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
