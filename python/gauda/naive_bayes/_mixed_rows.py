"""Rows of mixed columns on their way to the core, to be learned from or scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda._core import CoreError
from gauda._data.columns import GAUSSIAN, ArrayColumn, Column, columns_of, is_missing
from gauda._data.element_types import FLOAT64
from gauda._data.few_rows import few_entries
from gauda._data.filling import (
    levels_at,
    library_at_hand,
    library_of_table,
    replace_entries,
    table_of_columns,
)
from gauda._data.kinds import choose_kinds, numbers_of
from gauda._data.shapes import by_name, rows_by_name
from gauda._data.training import LabeledRows, check_columns, column_names, refuse_no_labels
from gauda._estimators.state import Current, FitState
from gauda._statistics.access import names_of
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.mixed_sums import columns_of_kinds
from gauda._support.errors import Names, UnknownCategoryError
from gauda._support.warning import warn_caller
from gauda.naive_bayes._discrete import ModelOfRows

NO_LEVEL = -1.0
"""The index of what is no level."""

MIN_IDENTIFIERS = 20
"""Categories that are one for each row in fewer rows may be so by chance."""

if TYPE_CHECKING:
    from gauda.naive_bayes._mixed import MixedNB


@dataclass(frozen=True)
class LabeledColumns:
    """Columns to learn from, their kinds, and labels and weights of the rows."""

    columns: list[Column]
    kinds: tuple[str, ...]
    labels: LabeledRows
    library: str
    """Of the table that they come from."""

    @classmethod
    def of(
        cls, settings: Any, X: Any, y: Any, sample_weight: Any, before: FitState | None
    ) -> LabeledColumns:
        """Check data for an estimator, against the columns of the fit before if there was one."""
        refuse_no_labels(settings, X, y)
        columns = columns_of(X)
        if before is None:
            features = column_names(X)
        else:
            check_columns(X, settings, before)
            features = before.feature_names
        lines = np.empty((len(columns[0].values), 0))
        labels = LabeledRows._labeled(lines, y, sample_weight, features, settings)
        kinds = kinds_of(settings.kinds, columns, labels, before)
        return cls(columns, kinds, labels, library_of_table(X))

    @classmethod
    def of_batch(cls, kinds: Any, data: LabeledRows, before: FitState | None) -> LabeledColumns:
        """Return rows of a stream, which follow those seen before."""
        columns = columns_of(data.rows)
        kinds = kinds_of(kinds, columns, data, before)
        return cls(columns, kinds, data, library_at_hand(data.names.features))


def kinds_of(
    kinds: Any, columns: list[Column], labels: LabeledRows, before: FitState | None
) -> tuple[str, ...]:
    """Return the kinds of columns: those of the fit before, or what is given and found."""
    if before is None:
        return choose_kinds(kinds, columns, labels.names)
    known: tuple[str, ...] = before.statistics.kinds
    return known


@dataclass(frozen=True)
class ScoredColumns:
    """Columns as the core reads them, and as they were given."""

    arrays: list[NDArray[Any]]
    columns: list[Column]
    kinds: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.arrays[0])

    @classmethod
    def of(
        cls,
        columns: list[Column],
        statistics: MixedStatistics,
        categories: Mapping[int, list[Any]],
    ) -> ScoredColumns:
        """Return numbers as they are, and entries of other columns as indices of their levels."""
        names = names_of(statistics)
        encoded = [
            numbers_of(column, names.column(index))
            if statistics.kinds[index] == GAUSSIAN
            else column.codes(categories[index])
            for index, column in enumerate(columns)
        ]
        return cls(encoded, columns, statistics.kinds)


class ModelOfColumns(ModelOfRows):
    """A model of the core, given numbers and indices of levels."""

    def answer(
        self, rows: ScoredColumns, n_threads: int | None, rules: Any, **answers: Any
    ) -> None:
        """Fill arrays with answers."""
        if rules is not None and rules.no_data is not None:
            rows, values = mark_no_data(rows, rules.no_data)
            rules = replace(rules, no_data=values)
        super().answer(rows, n_threads, rules, **answers)


def mark_no_data(
    rows: ScoredColumns, no_data: NDArray[np.float64]
) -> tuple[ScoredColumns, NDArray[np.float64]]:
    """Return rows with an index of no level where an entry stands for no data, and this index."""
    arrays, values = list(rows.arrays), no_data.copy()
    for index, column in enumerate(rows.columns):
        if rows.kinds[index] != GAUSSIAN:
            found = column.codes([no_data[index].item()]) == 0
            arrays[index], values[index] = (
                np.where(found, np.float32(NO_LEVEL), arrays[index]),
                NO_LEVEL,
            )
    return replace(rows, arrays=arrays), values


def warn_of_identifiers(statistics: MixedStatistics) -> None:
    """Warn of columns of categories in which every row has its own."""
    _, discrete = columns_of_kinds(statistics.kinds)
    for column, count in zip(discrete, statistics.counts, strict=True):
        if len(count.levels) == statistics.n_rows >= MIN_IDENTIFIERS:
            warn_caller(
                f"Column {names_of(statistics).column(column)} has another category in each of the "
                f"{statistics.n_rows} rows, as an identifier has: it says nothing about "
                "other rows. Leave it out."
            )


def text_columns(names: NDArray[Any] | None, categories: Mapping[int, list[Any]]) -> frozenset[str]:
    """Return the names of columns whose levels are all text."""
    if names is None:
        return frozenset()
    return frozenset(
        str(names[column])
        for column, levels in categories.items()
        if levels and all(isinstance(level, str) for level in levels)
    )


def unknown_category(error: CoreError, names: Names, rows: ScoredColumns) -> UnknownCategoryError:
    """Return the refusal of an entry that is none of the levels of the fit."""
    row, column = error.fields["row"], error.fields["column"]
    entry = rows.columns[column].entry(row)
    row = names.row(row)
    entry = entry.item() if isinstance(entry, np.generic) else entry
    return UnknownCategoryError(
        f"X holds {entry!r} at row {row}, column {names.column(column)}, which is none of the "
        f"{error.fields['levels']} levels of the fit. Ignore such entries with "
        "handle_unknown='ignore', or fit without the column if it tells rows apart, not classes."
    )


# Methods of MixedNB


def rows_of(self: MixedNB, X: Any, current: Current) -> ScoredColumns:
    """Return X as rows that the core reads, checked against the columns of the fit."""
    if by_name(X):
        columns = columns_of(rows_by_name(X, current.feature_names, type(self).__name__))
    else:
        columns = columns_of(X)
        check_columns(X, self, current)
    return ScoredColumns.of(columns, current.statistics, current.attributes["categories_"])


def few_rows(self: MixedNB, X: Any, current: Current) -> NDArray[Any] | None:  # noqa: ARG001 (a method)
    """Return a few rows of numbers and indices of levels; None if they need another look."""
    entries = few_entries(X, current.feature_names)
    if entries is None:
        return None
    readers = current.cache.get("readers")
    if readers is None:
        levels = current.attributes["categories_"]
        readers = [reader_of(levels.get(column)) for column in range(current.n_features)]
        current.cache["readers"] = readers
    try:
        return np.array(
            [[read(entry) for read, entry in zip(readers, row, strict=True)] for row in entries]
        )
    except (TypeError, ValueError):
        return None


def reader_of(levels: list[Any] | None) -> Callable[[Any], float]:
    """Return what makes a number of an entry: itself, or the index of a level."""
    if levels is None:
        return lambda entry: np.nan if is_missing(entry) else float(entry)
    index: dict[Any, float] = {level: float(index) for index, level in enumerate(levels)}
    unknown = float(len(levels))
    return lambda entry: np.nan if is_missing(entry) else index.get(entry, unknown)


def rows_of_batch(self: MixedNB, X: Any, current: Current) -> ScoredColumns:
    """Return a batch of a stream as rows that the core reads."""
    if not len(X):
        return no_rows(self, current)
    levels = current.attributes["categories_"]
    return ScoredColumns.of(columns_of(X), current.statistics, levels)


def no_rows(self: MixedNB, current: Current) -> ScoredColumns:  # noqa: ARG001 (a method)
    """Return rows, of which there are none."""
    return ScoredColumns([np.empty((0, 1))] * current.n_features, [])


def precision(self: MixedNB, rows: ScoredColumns) -> np.dtype[Any]:  # noqa: ARG001 (the same for all)
    """Return the type in which the core scores rows."""
    return FLOAT64


def text_columns_of(self: MixedNB, current: Current) -> frozenset[str]:  # noqa: ARG001 (a method)
    """Return the names of columns that a stream must read as text."""
    return text_columns(current.feature_names, current.attributes["categories_"])


def explain(self: MixedNB, error: CoreError, names: Names, rows: ScoredColumns) -> Exception:  # noqa: ARG001 (a method)
    """Return the exception that a user should see."""
    if error.kind != "unknown_level":
        return names.explain(error)
    return unknown_category(error, names, rows)


def entries(self: MixedNB, current: Current, drawn: NDArray[np.float64]) -> Any:  # noqa: ARG001 (a method)
    """Return indices of levels and numbers as a table like that of the fit."""
    names = current.feature_names
    library = current.estimates.get("library") or library_at_hand(names)
    columns = [entries_at(current, column, drawn[:, column]) for column in range(drawn.shape[1])]
    return table_of_columns(library, names, columns)


def entries_at(current: Current, column: int, drawn: NDArray[np.float64]) -> NDArray[Any]:
    """Return indices of levels as these; numbers stay."""
    levels = current.attributes["categories_"].get(column)
    return drawn if levels is None else levels_at(levels, drawn)


def completed(
    self: MixedNB,  # noqa: ARG001 (a method)
    current: Current,
    X: Any,
    rows: ScoredColumns,  # noqa: ARG001 (of which X has the levels)
    values: NDArray[np.float64],
) -> Any:
    """Return a table like X with entries put where values are not NaN."""
    changes = {}
    for column in range(values.shape[1]):
        gaps = np.flatnonzero(~np.isnan(values[:, column]))
        if len(gaps):
            changes[column] = gaps, entries_at(current, column, values[gaps, column]).tolist()
    return replace_entries(X, changes)


def has_numbers(self: MixedNB, current: Current) -> bool:  # noqa: ARG001 (a method)
    """Tell whether some columns are of numbers."""
    return GAUSSIAN in current.statistics.kinds


def row_of(self: MixedNB, current: Current, given: list[Any]) -> ScoredColumns:  # noqa: ARG001 (a method)
    """Return one row to score."""
    columns: list[Column] = [ArrayColumn(np.array([entry, None])[:1]) for entry in given]
    return ScoredColumns.of(columns, current.statistics, current.attributes["categories_"])


def parameters_of_part(
    self: MixedNB, current: Current, columns: NDArray[np.intp]
) -> dict[str, Any]:
    """Return parameters that must be others for the same model of some columns."""
    selected = current.statistics.select(columns)
    changed: dict[str, Any] = {} if isinstance(self.kinds, str) else {"kinds": list(selected.kinds)}
    if GAUSSIAN in selected.kinds:
        # What is added to the variances stays the same, as another share of another variance.
        largest = float(np.max(selected.unweighted.variances()))
        epsilon = current.attributes["epsilon_"]
        changed["var_smoothing"] = epsilon / largest if largest > 0 else 0.0
    return changed


def library_of_fit(
    self: MixedNB,  # noqa: ARG001 (a method)
    data: LabeledColumns,
    statistics: MixedStatistics,  # noqa: ARG001 (rows tell)
) -> dict[str, Any]:
    """Return what statistics do not tell: the library of the rows, in which others are drawn."""
    return {"library": data.library}
