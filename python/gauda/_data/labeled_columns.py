"""Columns of a table to learn from, each of a kind, with the labels and weights of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from gauda._data.columns import (
    CATEGORICAL,
    GAUSSIAN,
    ArrayColumn,
    Column,
    columns_of,
    table_of,
)
from gauda._data.discrete_rows import LabeledDiscreteRows, Rows, Sparse, rows_of
from gauda._data.filling import library_at_hand, library_of_table
from gauda._data.frames import N_AXES, library_of
from gauda._data.kinds import NUMBERED, Levels, level_kinds, numbers_of
from gauda._data.training import (
    Columns,
    LabeledRows,
    as_rows,
    check_columns,
    column_names,
    refuse_no_labels,
)
from gauda._support.arrays import Mask
from gauda._support.errors import Names

ChooseKinds = Callable[[list[Column], Names], tuple[str, ...]]
"""Returns the kinds of columns."""


@dataclass(frozen=True)
class LabeledColumns:
    """Columns to learn from, their kinds, and labels and weights of the rows."""

    columns: list[Column]
    kinds: tuple[str, ...]
    labels: LabeledRows
    library: str
    """Of the table that they come from."""

    @classmethod
    def of(  # noqa: PLR0913 (what a fit is given)
        cls,
        estimator: BaseEstimator,
        X: Any,
        y: Any,
        sample_weight: Any,
        fitted: Columns | None,
        choose: ChooseKinds,
    ) -> LabeledColumns:
        """Check data for an estimator, against the columns of the fit before if there was one."""
        refuse_no_labels(estimator, X, y)
        columns = columns_of(X, type(estimator).__name__)
        if fitted is None:
            features = column_names(X)
        else:
            check_columns(X, estimator, fitted)
            features = fitted.feature_names
        lines = np.empty((len(columns[0].values), 0))
        labels = LabeledRows._label_rows(lines, y, sample_weight, features, estimator).of_table(X)
        return cls(columns, choose(columns, labels.names), labels, library_of_table(X))

    @classmethod
    def of_batch(cls, data: LabeledRows, choose: ChooseKinds, min_rows: int = 0) -> LabeledColumns:
        """Return rows of a stream, whose tables need not be of one library."""
        columns = columns_of(data.rows, data.names.estimator, min_rows)
        kinds = choose(columns, data.names)
        labels = replace(data, rows=np.empty((len(data.rows), 0)))
        return cls(columns, kinds, labels, library_at_hand(data.names.features))

    def __len__(self) -> int:
        return len(self.labels.codes)

    def lacking(self) -> Mask:
        """Return which rows lack an entry."""
        lacks = np.zeros(len(self), dtype=bool)
        for index, column in enumerate(self.columns):
            if self.kinds[index] in {GAUSSIAN, NUMBERED}:
                entries = numbers_of(column, self.labels.names.column(index))
            else:
                entries = column.codes(())
            if entries.dtype.kind == "f":
                lacks |= np.isnan(entries[:, 0])
        return lacks

    def keep(self, rows: Mask, labels: LabeledRows) -> LabeledColumns:
        """Return some of the rows, whose labels were chosen."""
        return replace(self, columns=[column.keep(rows) for column in self.columns], labels=labels)


DiscreteData = LabeledDiscreteRows | LabeledColumns
"""Training data of discrete models."""


def discrete_data(  # noqa: PLR0913 (what is counted)
    X: Any,
    y: Any,
    sample_weight: Any,
    n_threads: int | None,
    *,
    by_level: bool,
    sparse: Sparse | None,
) -> DiscreteData:
    """Check data that belong to no estimator."""
    names = column_names(X)
    if by_level and holds_levels(X):
        columns = columns_of(X, "Counts")
        n_rows = len(columns[0].values)
        labels = LabeledRows.of_labels(n_rows, y, sample_weight, names, n_threads).of_table(X)
        kinds = level_kinds(columns, labels.names)
        return LabeledColumns(columns, kinds, labels, library_of_table(X))
    rows = rows_of(X, "Counts", sparse=sparse)
    labels = LabeledRows.of_labels(len(rows), y, sample_weight, names, n_threads)
    return LabeledDiscreteRows(rows, labels.of_table(X))


def discrete_batch(data: LabeledRows, known: Sequence[Levels] | None = None) -> DiscreteData:
    """Return rows of a stream; levels are those known before, and what else there is."""
    rows: Any = data.rows
    if isinstance(rows, np.ndarray) and rows.dtype.kind in "biuf" and not are_named(known):
        return LabeledDiscreteRows(Rows.dense(as_rows(rows, data.names.estimator, 0)), data)
    return LabeledColumns.of_batch(data, by_levels(known))


def by_levels(known: Sequence[Levels] | None) -> ChooseKinds:
    """Return how columns of levels are read: as before, or by their types."""
    return partial(level_kinds, known=known)


def are_named(known: Sequence[Levels] | None) -> bool:
    """Tell whether levels of some column have names."""
    return known is not None and any(levels is not None for levels in known)


def holds_levels(X: Any) -> bool:
    """Tell whether X is a table, or an array, in which some column holds levels by their names."""
    library = library_of(X)
    if isinstance(X, np.ndarray):
        return X.dtype.kind in "UT" or (X.dtype.kind == "O" and has_level_column(X))
    if library == "pandas" and getattr(X, "ndim", 0) == N_AXES:
        return any(dtype.kind not in "biufmM" for dtype in X.dtypes) and has_level_column(X)
    if library == "polars" and hasattr(X, "get_columns"):
        return any(not dtype.is_numeric() for dtype in X.dtypes) and has_level_column(X)
    if library == "pyarrow" and hasattr(X, "num_columns"):
        return has_level_column(X)
    table = table_of(X) if isinstance(X, (list, tuple)) and holds_text(X) else None
    return table is not None and has_level_column(table)


def holds_text(rows: Sequence[Any]) -> bool:
    """Tell whether rows of a list hold text."""
    return any(
        isinstance(row, (list, tuple)) and any(isinstance(entry, str) for entry in row)
        for row in rows
    )


def has_level_column(table: Any) -> bool:
    """Tell whether some column of a table holds levels by their names."""
    if 0 in table.shape or len(table.shape) != N_AXES:
        return False
    return any(column.kind() == CATEGORICAL for column in columns_of(table))


def row_of_entries(entries: list[Any]) -> list[Column]:
    """Return one row as columns."""
    return [ArrayColumn(np.array([entry, None])[:1]) for entry in entries]
