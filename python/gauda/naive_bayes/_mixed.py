"""Naive Bayes on columns of different kinds."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from gauda import _core
from gauda._core import CoreError
from gauda._data.columns import GAUSSIAN, Column, columns_of
from gauda._data.kinds import AUTO, choose_kinds, numbers_of
from gauda._data.sklearn_private import Interval, StrOptions, fit_context
from gauda._data.training import LabelledRows, plain_labels
from gauda._estimators.classifier import MOST_THREADS, drop_fitted
from gauda._estimators.lookup import LookupClassifier, classes_of_batches
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.mixed_sums import columns_of_kinds
from gauda._statistics.priors import SUM_TOLERANCE, given_priors
from gauda._storage.format import Arrays
from gauda._storage.saveable import Saveable, joined, part_of
from gauda._support.errors import Names, UnknownCategoryError
from gauda._support.remedies import NOTHING_VARIES, rows_text
from gauda._support.states import builds_aside, joins_state, reads_one_state
from gauda.naive_bayes._discrete import log_shares, logarithm


class MixedNB(Saveable, LookupClassifier, saved_as="MixedNB"):
    """Naive Bayes on columns of different kinds: numbers, truth values and categories.

    Within a class all columns are independent: numbers are normal as in GaussianNB, truth values
    Bernoulli as in BernoulliNB, and entries of other columns categories as in CategoricalNB, of any
    name. An entry that is missing (NaN, None) is left out, in the fit and when rows are scored.

    Parameters
    ----------
    alpha : float, default=1.0
        What is added to counts of levels: 0 gives maximum likelihood, 1 Laplace's rule.

    var_smoothing : float, default=1e-9
        This share of the largest variance of any column of numbers is added to all variances. In
        that variance each row of positive weight counts once, whatever the weight.

    kinds : 'auto', sequence or dict, default='auto'
        For each column 'gaussian', 'bernoulli', 'categorical' or 'auto'; a dict gives those of some
        columns, by name or index. With 'auto' the type of a column tells: numbers are 'gaussian',
        booleans 'bernoulli', and categories and strings 'categorical'. Of a column of Python
        objects, in an array or a frame, the entries that are not missing tell: all booleans are
        'bernoulli', all numbers 'gaussian', anything else 'categorical'.

    priors : array-like of shape (n_classes,), default=None
        Priors of the classes; by default the proportions of the data.

    handle_unknown : {'error', 'ignore'}, default='error'
        Whether a category that the fit did not see is refused when rows are scored, or the column
        left out for that row.

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

    feature_names_in_ : ndarray of shape (n_features_in_,)
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
        "kinds": [StrOptions({AUTO}), "array-like", dict],
        "priors": ["array-like", dict, StrOptions({"uniform"}), None],
        "handle_unknown": [StrOptions({"error", "ignore"})],
        "n_threads": [Interval(Integral, 1, MOST_THREADS, closed="both"), None],
    }

    _statistics: ClassVar[tuple[str, ...]] = ("_sums",)
    """Attributes that hold statistics of the rows seen."""
    _sums: MixedStatistics

    def __init__(  # noqa: PLR0913 (one for each thing to choose)
        self,
        alpha: float = 1.0,
        var_smoothing: float = 1e-9,
        kinds: Any = AUTO,
        *,
        priors: ArrayLike | None = None,
        handle_unknown: str = "error",
        n_threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.var_smoothing = var_smoothing
        self.kinds = kinds
        self.priors = priors
        self.handle_unknown = handle_unknown
        self.n_threads = n_threads

    @fit_context(prefer_skip_nested_validation=True)
    @builds_aside
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Until the fit is complete, other threads are answered by the model before.

        Parameters
        ----------
        X : DataFrame of pandas or polars, or array-like of shape (n_samples, n_features)
            Training rows.

        y : array-like of shape (n_samples,)
            Labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 counts like two rows.

        Returns
        -------
        Self
            The fitted estimator.

        Examples
        --------
        >>> from gauda import MixedNB
        >>> nb = MixedNB(kinds=["categorical"]).fit([[4], [9], [9]], [0, 1, 1])
        >>> nb.categories_
        {0: [4, 9]}
        """
        drop_fitted(self, {"_sums", "_models"})
        columns, data = self._labelled(X, y, sample_weight, reset=True)
        kinds = choose_kinds(self.kinds, columns, data.names)
        self._take(MixedStatistics._of(columns, data, kinds))
        return self

    @fit_context(prefer_skip_nested_validation=True)
    @joins_state
    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: Any = None
    ) -> Self:
        """Fit the model to one more batch of rows.

        Batches one after another give the model of all rows together; a batch may hold levels that
        those before did not.

        Parameters
        ----------
        X : DataFrame of pandas or polars, or array-like of shape (n_samples, n_features)
            Training rows.

        y : array-like of shape (n_samples,)
            Labels. A batch need not hold rows of every class.

        classes : array-like of shape (n_classes,), default=None
            All labels that will ever appear; must be given in the first call.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 counts like two rows.

        Returns
        -------
        Self
            The fitted estimator.

        Examples
        --------
        >>> from gauda import MixedNB
        >>> nb = MixedNB().partial_fit([["red"]], [0], classes=[0, 1])
        >>> nb.partial_fit([["blue"]], [1]).categories_
        {0: ['blue', 'red']}
        """
        first = "_sums" not in vars(self)
        known = classes_of_batches(classes, None if first else self._sums.classes)
        columns, data = self._labelled(X, y, sample_weight, reset=first)
        kinds = choose_kinds(self.kinds, columns, data.names) if first else self._sums.kinds
        batch = MixedStatistics._of(columns, data, kinds)._among(known)
        self._take(batch if first else self._sums + batch)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "_sums" in vars(self)

    def _labelled(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[list[Column], LabelledRows]:
        """Return the columns, and labels and weights of the rows."""
        if y is None:
            validate_data(self, X, y, reset=reset, skip_check_array=True)  # raises
        columns = columns_of(X)
        validate_data(self, X, reset=reset, skip_check_array=True)
        features = getattr(self, "feature_names_in_", None)
        lines = np.empty((len(columns[0].values), 0))
        return columns, LabelledRows._labelled(lines, y, sample_weight, features, self)

    def _column(self, place: int) -> str:
        features = getattr(self, "feature_names_in_", None)
        return Names("", np.empty(0), features).column(place)

    def _take(self, sums: MixedStatistics) -> None:
        """Become the model of statistics."""
        if not sums.class_count.any():
            raise ValueError("no class has rows")
        self._sums = sums
        self.kinds_ = list(sums.kinds)
        self.classes_ = plain_labels(sums.classes)
        self.class_count_ = sums.class_count
        self.class_prior_ = self._priors()
        gaussian, discrete = columns_of_kinds(sums.kinds)
        self.epsilon_ = float(self.var_smoothing) * float(
            np.max(sums.unweighted.variances(), initial=0.0)
        )
        variances = self._variances(gaussian)
        self.theta_ = {place: sums.numbers.means[:, at] for at, place in enumerate(gaussian)}
        self.var_ = {place: variances[:, at] for at, place in enumerate(gaussian)}
        self.categories_ = {
            place: list(count.levels) for place, count in zip(discrete, sums.counts, strict=True)
        }
        self.category_count_ = {
            place: count.table for place, count in zip(discrete, sums.counts, strict=True)
        }
        self.feature_log_prob_ = {
            place: log_probabilities(table, self.alpha)
            for place, table in self.category_count_.items()
        }
        self._models = {}

    def _priors(self) -> NDArray[np.float64]:
        if self.priors is None:
            proportions: NDArray[np.float64] = self.class_count_ / self.class_count_.sum()
            return proportions
        refusal = f"priors must be non-negative and sum to 1. Got {self.priors}."
        given = given_priors(self.priors, self.classes_, negative=refusal)
        if not abs(given.sum() - 1.0) <= SUM_TOLERANCE:
            raise ValueError(refusal)
        return given

    def _variances(self, gaussian: list[int]) -> NDArray[np.float64]:
        """Return smoothed variances; refuse columns that no class or model can do without."""
        numbers = self._sums.numbers
        variances = numbers.variances() + self.epsilon_
        there = self.class_count_ > 0
        unseen = np.argwhere((numbers.weights == 0) & there[:, np.newaxis])
        if len(unseen):
            code, at = unseen[0]
            raise ValueError(
                f"Column {self._column(gaussian[at])} is missing in all rows of class "
                f"{self.classes_[code]}, so that nothing is known of it there. Drop the column, "
                "or fill it in."
            )
        tiny = np.argwhere(numbers.are_tiny(variances) & there[:, np.newaxis])
        if len(tiny):
            code, at = tiny[0].tolist()
            features = getattr(self, "feature_names_in_", None)
            names = Names(type(self).__name__, self.classes_, features)
            raise names.underflow(gaussian[at], code)
        flat = np.argwhere((variances <= 0) & there[:, np.newaxis])
        if len(flat):
            code, at = flat[0]
            raise ValueError(
                f"Class {self.classes_[code]} ({rows_text(self.class_count_[code])}) has no "
                f"variance in column {self._column(gaussian[at])}. {without_variance(variances)}"
            )
        return np.where(there[:, np.newaxis], variances, 1.0)  # a class without rows has prior 0

    def _rows_to_score(self, X: Any) -> tuple[list[NDArray[Any]], int]:
        columns = columns_of(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        encoded = [
            numbers_of(column, self._column(place))
            if self.kinds_[place] == GAUSSIAN
            else column.codes(self.categories_[place])
            for place, column in enumerate(columns)
        ]
        return encoded, len(encoded[0])

    def _model_for(self, rows: Any) -> _core.ColumnModel:  # noqa: ARG002 (all rows have the same)
        model: _core.ColumnModel = self._kept_model(self.handle_unknown, self._make_model)
        return model

    def _make_model(self) -> _core.ColumnModel:
        features = [
            (self.theta_[place].tolist(), self.var_[place].tolist())
            if kind == GAUSSIAN
            else self.feature_log_prob_[place]
            for place, kind in enumerate(self.kinds_)
        ]
        return _core.ColumnModel(
            logarithm(self.class_prior_),
            features,
            may_miss=True,
            ignores_unknown=self.handle_unknown == "ignore",
        )

    def _explain(self, error: CoreError, X: Any) -> Exception:
        if error.kind != "unknown_level":
            return super()._explain(error, X)
        row, place = error.fields["row"], error.fields["column"]
        entry = columns_of(X)[place].entry(row)
        entry = entry.item() if isinstance(entry, np.generic) else entry
        return UnknownCategoryError(
            f"X holds {entry!r} at row {row}, column {self._column(place)}, which is none of the "
            f"{len(self.categories_[place])} levels of the fit. Ignore such entries with "
            "handle_unknown='ignore'."
        )

    @reads_one_state
    def _state(self) -> tuple[Arrays, dict[str, Any]]:
        check_is_fitted(self)
        arrays, metadata = self._sums._state()
        parameters = self.get_params(deep=False)
        kept: dict[str, Any] = {"statistics": metadata, "parameters": parameters}
        if isinstance(self.kinds, Mapping):  # whose keys need not be text
            parameters["kinds"] = None
            kept["kinds"] = [list(pair) for pair in self.kinds.items()]
        return joined({"statistics": arrays}), kept

    @classmethod
    def _from_state(cls, arrays: Arrays, metadata: dict[str, Any]) -> Self:
        parameters = metadata["parameters"]
        if "kinds" in metadata:
            parameters["kinds"] = dict(metadata["kinds"])
        estimator = cls(**parameters)
        estimator._validate_params()
        sums = MixedStatistics._from_state(part_of(arrays, "statistics"), metadata["statistics"])
        estimator.n_features_in_ = sums.n_features
        if sums.feature_names is not None:
            estimator.feature_names_in_ = sums.feature_names
        estimator._take(sums)
        return estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def without_variance(variances: NDArray[np.float64]) -> str:
    """Return what helps where some variances are 0."""
    if not variances.any():
        return NOTHING_VARIES
    return "Drop the column; or smooth the variances with var_smoothing=1e-9."


def log_probabilities(table: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Return the log-probabilities of levels, smoothed; where nothing was seen, equal ones."""
    smoothed = table + float(alpha)
    total = smoothed.sum(axis=1, keepdims=True)
    return np.where(total > 0, log_shares(smoothed, total), 0.0)
