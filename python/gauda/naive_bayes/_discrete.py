"""How discrete naive Bayes learns: every model is a function of counts, wherever they came from."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gauda._data.discrete_rows import LabeledDiscreteRows, Rows, Sparse, rows_for
from gauda._data.dropping import take_rows
from gauda._data.element_types import FLOAT64
from gauda._data.label_columns import label_values
from gauda._data.labels import label_array
from gauda._data.sklearn_private import Interval, StrOptions
from gauda._data.sparse import is_sparse
from gauda._data.training import Codes, LabeledRows
from gauda._estimators.classifier import Classifier
from gauda._estimators.learner import Estimates
from gauda._estimators.making import estimates_in, make_of, restore
from gauda._estimators.state import Current, FitState, FittedAttribute, Solution
from gauda._statistics.access import counts_of, join_counts
from gauda._statistics.counts import Counts
from gauda._statistics.priors import Policy
from gauda._storage.format import Arrays
from gauda._storage.saveable import part_of, prefix_names
from gauda._support.arrays import Floats, Indices
from gauda._support.warning import warn_caller
from gauda.naive_bayes import _gaps, _level_rows, _reading
from gauda.naive_bayes._non_gaussian import NonGaussianNB
from gauda.typing import Labels, Priors

MIN_ALPHA = 1e-10

TOO_LARGE = "Counts and what is added to them are too large for a float. Use smaller ones."


class DiscreteNB(NonGaussianNB):
    """Base of the classifiers: rows become counts, counts become the model."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Classifier._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        "force_alpha": ["boolean"],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", dict, StrOptions({"uniform"}), None],
        "missing": [StrOptions(set(_gaps.WAYS))],
    }

    _kind: ClassVar[str]
    """Of the counts."""
    _takes_sparse: ClassVar[Sparse | None] = None
    _takes_gaps: ClassVar[bool] = True
    """Whether entries may be left out of a row."""
    _leaves_out: ClassVar[bool] = False
    """Whether the model of the core leaves out missing entries by itself."""
    _asks_classes = True
    _solves_at_once = True
    _prior_parameter = "class_prior"
    _prior_policy = Policy("class_prior")
    _decided = staticmethod(attrgetter("class_prior"))

    alpha: float | ArrayLike
    force_alpha: bool
    fit_prior: bool
    class_prior: Priors | None

    class_count_ = FittedAttribute[Floats]()
    class_log_prior_ = FittedAttribute[Floats]()
    feature_log_prob_ = FittedAttribute[Any]()

    @classmethod
    def from_counts(cls, counts: Counts, **params: Any) -> Self:
        """Return an estimator fitted to counts: the same as `fit` on their rows.

        Parameters
        ----------
        counts : Counts
            Of the kind that the model needs.

        **params
            Parameters of the estimator.

        Returns
        -------
        Self
            The fitted estimator.

        Examples
        --------
        >>> from gauda import BernoulliNB, Counts
        >>> counts = Counts.from_data([[1, 0], [0, 1]], [7, 8], kind="bernoulli")
        >>> BernoulliNB.from_counts(counts, alpha=0.5).predict([[0, 1]])
        array([8])
        """
        if not isinstance(counts, Counts):
            raise TypeError(
                f"from_counts takes gauda.Counts; got {type(counts).__name__}. Make them with "
                "Counts.from_data."
            )
        cls._check_counts(counts)
        return make_of(cls, "from_counts", counts, params)

    @property
    def counts_(self) -> Counts:
        """Counts of the rows that were seen."""
        counts: Counts = self._fit_state().statistics
        return counts

    @classmethod
    def _check_counts(cls, counts: Counts) -> None:
        """Refuse counts of other rows, or of none."""
        if counts.kind != cls._kind:
            raise ValueError(
                f"{cls.__name__} needs counts of kind {cls._kind!r}; got {counts.kind!r} ones. "
                f"Make them with kind={cls._kind!r}."
            )
        if not counts.class_count.any():
            raise ValueError("The counts hold no rows; add some before a model is made of them.")

    def _check_rows(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        before: FitState | None,
        min_rows: int = 1,  # noqa: ARG002 (one will do)
    ) -> Any:
        sparse = self._takes_sparse
        return LabeledDiscreteRows.of(self, X, y, sample_weight, sparse=sparse, fitted=before)

    @staticmethod
    def _same_classes(known: NDArray[Any], given: Labels) -> bool:
        return np.array_equal(known, np.sort(label_array(label_values(given))))

    def _batch(self, data: LabeledRows, before: FitState | None) -> Any:  # noqa: ARG002 (all are alike)
        return take_rows(self.missing, LabeledDiscreteRows(Rows.dense(data.rows), data))

    def _sums(self, data: Any) -> Counts:
        return counts_of(data, self._kind, gaps=self.missing == "marginalize")

    def _join_rows(self, before: FitState, rows: NDArray[Any], codes: Codes) -> Counts | None:
        return join_counts(before.statistics, rows, codes, n_threads=self.n_threads)

    def _describe(self, statistics: Counts, estimates: Estimates) -> dict[str, Any]:  # noqa: ARG002 (counts are all)
        return {
            "class_count_": statistics.class_count,
            "class_log_prior_": self._log_prior(statistics),
        }

    def _log_prior(self, counts: Counts) -> Floats:
        """Return the logarithms of the priors, as they are given or counted."""
        n_classes = len(counts.classes)
        if self.class_prior is not None:
            return logarithm(self._class_priors(counts))
        if self.fit_prior:
            total = counts.class_count.sum()
            return logarithm(counts.class_count) - float(np.log(total))
        return np.full(n_classes, -np.log(n_classes))

    def _class_priors(self, statistics: Counts) -> Floats:
        if self.class_prior is None:
            return np.exp(self._log_prior(statistics))
        return super()._class_priors(statistics)

    def _check_alpha(self, n_features: int | None = None) -> Any:
        """Return alpha, with a warning if it was too small; scikit-learn's tests call this."""
        alpha = self._usable_alpha(n_features)
        self._warn_of_alpha()
        return alpha

    def _usable_alpha(self, n_features: int | None = None) -> Any:
        """Return alpha as a number or an array of one for each column, not too small."""
        if isinstance(self.alpha, Real):
            return self._large_enough(self.alpha)
        alpha = numbers("alpha", self.alpha)
        if alpha.ndim:
            check_columns("alpha", len(alpha), n_features or self.n_features_in_)
        check_pseudo_counts("alpha", alpha)
        return self._large_enough(alpha)

    def _large_enough(self, alpha: Any) -> Any:
        """Return alpha, raised if it is tiny and may be raised."""
        return alpha if self.force_alpha else np.maximum(alpha, MIN_ALPHA)

    def _warn_of_parameters(self) -> None:
        super()._warn_of_parameters()
        if self._uses_alpha():
            self._warn_of_alpha()

    def _uses_alpha(self) -> bool:
        """Tell whether alpha is what is added to counts."""
        return getattr(self, "prior_a", None) is None and getattr(self, "prior_b", None) is None

    def _warn_of_alpha(self) -> None:
        """Warn of an alpha that is raised."""
        given: Any = [self.alpha] if isinstance(self.alpha, Real) else self.alpha
        if not self.force_alpha and min(map(np.min, given)) < MIN_ALPHA:
            warn_caller(
                "alpha too small will result in numeric errors, setting alpha = "
                f"{MIN_ALPHA:.1e}. Use `force_alpha=True` to keep alpha unchanged."
            )

    def _rows(self, X: Any, current: Current) -> Any:
        return rows_for(X, self, current, sparse=self._takes_sparse)

    def _few_rows(self, X: Any, current: Current) -> NDArray[Any] | None:
        if type(X) is not np.ndarray and self._takes_sparse and is_sparse(X):
            return None  # few rows get the bits of many
        return super()._few_rows(X, current)

    def _batch_rows(self, X: Any, current: Current) -> Any:  # noqa: ARG002 (all are alike)
        return Rows.dense(X)

    def _no_rows(self, current: Current) -> Any:
        return Rows.dense(np.empty((0, current.n_features)))

    def _precision(self, rows: Rows) -> np.dtype[Any]:  # noqa: ARG002 (the same for all)
        return FLOAT64

    def _pair(self, current: Current, codes: list[int]) -> tuple[Any, Any]:
        A, b, c = self._forms(current)
        form = A[0], b[codes[1]] - b[codes[0]], float(c[codes[1]] - c[codes[0]])
        return current.model.of_classes(codes), form

    def _decide(self, X: Any) -> NDArray[Any]:
        """Return the log-odds of two classes, for their boundary."""
        joint = self._answer(X, "joint")
        return np.asarray(joint[:, 1] - joint[:, 0])

    # Draws, gaps, and models of some columns; here of levels, which are independent in a class

    _entries: Any = _level_rows.entries
    _completed: Any = _level_rows.fill_rows
    _has_numbers = _level_rows.has_numbers
    _row_of: Any = _level_rows.row_of
    _column_fits: Any = _level_rows.column_fits
    _code_columns: Any = _level_rows.code_columns
    _row_at = _level_rows.row_at
    _as_row: Any = _level_rows.as_row
    _unseen: ClassVar[float] = -np.inf
    """The log-probability of levels in a class of which nothing was counted."""

    _level_names: Any = _reading.level_names
    _column_log_likelihoods: Any = _reading.column_log_likelihoods

    _tables: Any
    """Returns the counts of each column, class x level, of levels known: (current, counts)."""

    _log_tables: Any
    """Returns the log-probabilities of each column, likewise: (current)."""

    _column_sums: Any
    """Returns counts of each column, what is added, and levels that go with a row: (current)."""

    @abstractmethod
    def _parameters_of_part(self, current: Current, columns: Indices) -> dict[str, Any]:
        """Return parameters that must be others for the same model of some columns."""

    def _state(self) -> tuple[Arrays, dict[str, Any]]:
        state = self._fit_state()
        arrays, metadata = state.statistics._state()
        return prefix_names({"counts": arrays}), {
            **state.estimates,
            "counts": metadata,
            "parameters": self.get_params(deep=False),
            "settings": self._changed_settings(state),
            "open": state.open_classes,
        }

    @classmethod
    def _from_state(cls, arrays: Arrays, metadata: dict[str, Any]) -> Self:
        counts = Counts._from_state(part_of(arrays, "counts"), metadata["counts"])
        cls._check_counts(counts)
        is_open = bool(metadata["open"])
        return restore(cls, metadata, counts, estimates_in(metadata), open_classes=is_open)

    @abstractmethod
    def _solve(self, statistics: Counts, estimates: Estimates) -> Solution:
        """Return the model, and the probabilities of levels."""


def logarithm(values: Floats) -> Floats:
    """Return logarithms; that of 0 is -inf, without a warning."""
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(values)
    return logs


def log_shares(counts: Floats, total: Floats) -> Floats:
    """Return log(counts / total); where nothing was counted at all, -inf."""
    if not np.all(total < np.inf):
        raise ValueError(TOO_LARGE)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs: Floats = np.log(counts)
        logs -= np.log(total)
    return logs if np.all(total > 0) else np.where(total > 0, logs, -np.inf)


def numbers(name: str, value: Any) -> Floats:
    """Return a parameter as an array of numbers."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be made of numbers, as many in each row: {error}") from error


def check_columns(name: str, given: int, needed: int) -> None:
    """Refuse another number of entries than of columns, in scikit-learn's words."""
    if given != needed:
        raise ValueError(
            f"When {name} is an array, it should contains `n_features`. Got {given} elements "
            f"instead of {needed}."
        )


def check_pseudo_counts(name: str, values: Any) -> None:
    """Refuse what no counts can be."""
    values = np.asarray(values, dtype=np.float64)
    if not np.all((values >= 0) & (values < np.inf)):
        raise ValueError(
            f"All values in {name} must be greater than 0. They must be finite, and 0 is allowed; "
            f"the smallest is {values.min():g}, the largest {values.max():g}."
        )
