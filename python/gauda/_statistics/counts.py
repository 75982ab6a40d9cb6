"""Sufficient statistics of discrete columns: counts to be added, subtracted, forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gauda._data.arguments import check_threads
from gauda._data.discrete_rows import Rows, rows_of
from gauda._data.labels import distinct
from gauda._data.training import LabeledRows, column_names
from gauda._statistics.base import Statistics
from gauda._statistics.count_kinds import (
    SPARSE,
    check_kind,
    check_rest,
    check_stored,
    count,
    is_by_level,
)
from gauda._statistics.stored import rows_stored, stored_tables
from gauda._statistics.stream_sums import sum_of_stream
from gauda._statistics.tables import (
    Floats,
    Indices,
    pad_alike,
    regroup,
    scale,
    subtract,
    subtract_rows,
    trim,
)
from gauda._storage.format import Arrays
from gauda._streams.batches import Request
from gauda.typing import Columns, CountKind, Labels, MatrixLike, Source, Target, Weights


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Counts(Statistics, saved_as="Counts"):
    """How often each class and category occurs: all that a discrete model needs of the rows.

    `from_data` counts in one pass. Counts of disjoint samples add up to those of all rows, also if
    some classes or categories occur in one of them only, and a sample that was added can be
    subtracted again.

    Attributes
    ----------
    kind : {'categorical', 'bernoulli', 'multinomial'}
        Whether columns hold categories 0, 1, 2, ..., something that is present or not, or how often
        it occurs.

    classes : ndarray of shape (n_classes,)
        Labels, sorted.

    class_count : ndarray of shape (n_classes,)
        Sum of the weights of each class; without weights, its rows.

    n_rows : int
        Rows of positive weight.

    n_features : int
        Number of columns.

    feature_names : ndarray of shape (n_features,) or None
        Names of the columns, if the data had names.

    has_gaps : bool
        Whether values of the rows were missing; those that are there are counted.

    Examples
    --------
    >>> from gauda import CategoricalNB, Counts
    >>> monday = Counts.from_data([[0], [1], [1]], ["a", "a", "b"])
    >>> tuesday = Counts.from_data([[2], [1]], ["a", "b"])
    >>> week = monday + tuesday
    >>> week.category_count
    [array([[1., 1., 1.],
           [0., 2., 0.]])]
    >>> CategoricalNB.from_counts(week).predict([[2]])
    array(['a'], dtype='<U1')
    """

    _noun: ClassVar[str] = "Counts"

    kind: str
    class_count: Floats
    _tables: tuple[Floats, ...]
    """Of each column class x category; for other kinds one table, class x column."""
    _n_rows: int

    @classmethod
    def from_data(  # noqa: PLR0913 (what a fit is given)
        cls,
        X: MatrixLike,
        y: Labels,
        sample_weight: Weights | None = None,
        kind: CountKind = "categorical",
        *,
        binarize: float | None = 0.0,
        classes: Labels | None = None,
        n_threads: int | None = None,
    ) -> Counts:
        """Return the counts of rows, in one parallel pass.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; for 'bernoulli' and 'multinomial' also a sparse matrix.

        y : array-like of shape (n_samples,)
            Labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 counts like two rows.

        kind : {'categorical', 'bernoulli', 'multinomial'}, default='categorical'
            Count categories 0, 1, 2, ..., what is above a threshold, or add up the entries.

        binarize : float or None, default=0.0
            The threshold for 'bernoulli'. None if X is made of 0 and 1, or of shares between them.

        classes : array-like of shape (n_classes,), default=None
            Labels that there may be; by default those in `y`.

        n_threads : int, default=None
            Number of threads; the result does not depend on it.

        Returns
        -------
        Counts
            The counts.

        Examples
        --------
        >>> from gauda import Counts
        >>> Counts.from_data([[3, 0], [0, 0], [1, 9]], [0, 0, 1], kind="bernoulli").feature_count
        array([[1., 0.],
               [1., 1.]])
        """
        check_kind(kind)
        check_threads(n_threads)
        wanted = None if classes is None else distinct(classes)
        rows = rows_of(X, "Counts", sparse=SPARSE.get(kind))
        data = LabeledRows.of_labels(rows.shape[0], y, sample_weight, column_names(X), n_threads)
        counts = cls._of(rows, data, kind, binarize)
        return counts if wanted is None else counts._among(wanted)

    @classmethod
    def from_stream(  # noqa: PLR0913 (parameters of a stream)
        cls,
        source: Source,
        *,
        target: Target = None,
        features: Columns | None = None,
        exclude: Columns | None = None,
        sample_weight: Weights | None = None,
        kind: CountKind = "categorical",
        binarize: float | None = 0.0,
        classes: Labels | None = None,
        batch_rows: int | None = None,
        delimiter: str | None = None,
        n_threads: int | None = None,
        progress: bool | None = None,
    ) -> Counts:
        """Return the counts of a stream of rows that need not fit into memory.

        Parameters
        ----------
        source : path, array, Arrow stream or iterable
            As for `Moments.from_stream`, as are the columns and how they are read.

        target : str, int or array-like, default=None
            The column of labels.

        features : sequence of str or int, default=None
            The columns to use; by default all but those of labels and weights.

        exclude : sequence of str or int, default=None
            Columns that are not features, such as an identifier; instead of `features`.

        sample_weight : str, int or array-like, default=None
            The column of weights.

        kind : {'categorical', 'bernoulli', 'multinomial'}, default='categorical'
            Count categories 0, 1, 2, ..., what is above a threshold, or add up the entries.

        binarize : float or None, default=0.0
            The threshold for 'bernoulli', as for `from_data`.

        classes : array-like of shape (n_classes,), default=None
            Labels that there may be; by default those that appear.

        batch_rows : int, default=None
            Rows to read together.

        delimiter : str, default=None
            The character between the entries of a CSV file.

        n_threads : int, default=None
            Number of threads; the result does not depend on it.

        progress : bool, default=None
            Whether a bar on stderr counts rows; by default if that is a terminal.

        Returns
        -------
        Counts
            The counts.

        Examples
        --------
        >>> from gauda import Counts
        >>> Counts.from_stream(([[row % 3]], [row % 2]) for row in range(90)).category_count
        [array([[15., 15., 15.],
               [15., 15., 15.]])]
        """
        check_kind(kind)
        rows: dict[str, Any] = {"batch_rows": batch_rows, "delimiter": delimiter}
        request = Request(target, features, sample_weight, exclude=exclude, **rows)

        def counts_of(batch: LabeledRows) -> Counts:
            return cls._of(Rows.dense(batch.rows), batch, kind, binarize)

        return sum_of_stream(
            counts_of, source, request, classes, n_threads=n_threads, progress=progress
        )

    @classmethod
    def _of(cls, rows: Rows, data: LabeledRows, kind: str, binarize: float | None = 0.0) -> Counts:
        """Return the counts of rows that were checked."""
        class_count, tables = count(rows, data, kind, binarize)
        return cls(
            kind=kind,
            classes=data.classes,
            class_count=class_count,
            feature_names=data.names.features,
            _tables=tables,
            _n_rows=data.n_counted,
        )

    @property
    def _kind(self) -> str:
        return self.kind

    @property
    def class_weight(self) -> Floats:
        """Sum of the weights of each class, as `class_count`."""
        return self.class_count

    @property
    def n_rows(self) -> int:
        """Rows of positive weight."""
        return self._n_rows

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self._tables) if is_by_level(self.kind) else self._tables[0].shape[1]

    @property
    def category_count(self) -> list[NDArray[np.float64]]:
        """For each column the count of each class and category."""
        if not is_by_level(self.kind):
            raise AttributeError(f"Counts of kind {self.kind!r} have a feature_count.")
        return [table.copy() for table in self._tables]

    @property
    def feature_count(self) -> NDArray[np.float64]:
        """For each class and column how often something is present, or occurs."""
        if is_by_level(self.kind):
            raise AttributeError("Counts of kind 'categorical' have a category_count.")
        return self._tables[0].copy()

    def _merge(self, other: Self) -> Self:
        return replace(self._combined(other, np.add), _n_rows=self.n_rows + other.n_rows)

    def _subtract(self, part: Self) -> Self:
        rest = self._combined(part, subtract)
        if is_by_level(self.kind):
            pairs = zip(rest._tables, self._tables, strict=True)
            rest = replace(rest, _tables=tuple(trim(left, whole) for left, whole in pairs))
        else:
            check_rest(self.kind, rest._tables[0], rest.class_count, self.class_count)
        return replace(rest, _n_rows=subtract_rows(self.n_rows, part.n_rows))

    def _scale(self, factor: float) -> Self:
        change = self._mapped(lambda table: scale(table, factor))
        return replace(change, _n_rows=self.n_rows if factor else 0)

    def _regroup(self, indices: Indices, classes: NDArray[Any]) -> Self:
        counts = self._mapped(lambda table: regroup(table, indices, len(classes)))
        return replace(counts, classes=classes)

    def _select(self, columns: Indices) -> Self:
        if not is_by_level(self.kind):
            return replace(self, _tables=(self._tables[0][:, columns],))
        return replace(self, _tables=tuple(self._tables[column] for column in columns))

    def _mapped(self, change: Callable[[Floats], Floats]) -> Self:
        """Return the counts with a function applied to every table, whose rows are classes."""
        tables = tuple(change(table) for table in self._tables)
        return replace(self, class_count=change(self.class_count), _tables=tables)

    def _combined(self, other: Self, combine: Callable[..., Floats]) -> Self:
        """Return the counts combined with others of the same classes, table by table."""
        pairs = zip(self._tables, other._tables, strict=True)
        tables = tuple(combine(*pad_alike(ours, theirs)) for ours, theirs in pairs)
        class_count = combine(self.class_count, other.class_count)
        return replace(self, class_count=class_count, _tables=tables)

    def _sums(self) -> tuple[Arrays, dict[str, Any]]:
        arrays = {
            "class_count": self.class_count,
            "widths": np.array([table.shape[1] for table in self._tables]),
            "tables": np.concatenate([np.empty((len(self.classes), 0)), *self._tables], axis=1),
        }
        return arrays, {"kind": self.kind, "n_rows": self.n_rows}

    @classmethod
    def _from_sums(cls, arrays: Arrays, metadata: dict[str, Any], **shared: Any) -> Self:
        kind, class_count = metadata["kind"], arrays["class_count"]
        tables = stored_tables(arrays, len(shared["classes"]))
        check_stored(kind, class_count, tables)
        n_rows = rows_stored(metadata, class_count)
        return cls(kind=kind, class_count=class_count, _tables=tables, _n_rows=n_rows, **shared)
