"""Rows of columns with levels on their way to the core, to be scored, drawn or completed.

The functions after the first few are methods of `MixedNB` and `CategoricalNB`, whose `categories_`
hold the levels of columns by index; entries of other columns are numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gauda._core import CoreError
from gauda._data.columns import Column, columns_of, is_missing
from gauda._data.element_types import FLOAT64
from gauda._data.few_rows import few_entries
from gauda._data.filling import levels_at, library_at_hand, replace_entries, table_of_columns
from gauda._data.kinds import numbers_of
from gauda._data.labeled_columns import LabeledColumns, row_of_entries
from gauda._data.shapes import by_name, rows_by_name
from gauda._data.training import check_columns
from gauda._estimators.state import Current
from gauda._support.arrays import Floats
from gauda._support.errors import Names, UnknownCategoryError
from gauda.naive_bayes._models_of_rows import ModelOfRows

NO_LEVEL = -1.0
"""The index of what is no level."""


if TYPE_CHECKING:
    from gauda.naive_bayes._categorical import CategoricalNB
    from gauda.naive_bayes._mixed import MixedNB

    Model: TypeAlias = CategoricalNB | MixedNB


@dataclass(frozen=True)
class ScoredColumns:
    """Columns as the core reads them, and as they were given."""

    arrays: list[NDArray[Any]]
    columns: list[Column]
    named: frozenset[int] = frozenset()
    """Columns whose entries are indices of levels."""

    dtype = FLOAT64

    def __len__(self) -> int:
        return len(self.arrays[0])

    @classmethod
    def of(cls, columns: list[Column], current: Current) -> ScoredColumns:
        """Return numbers as they are, and entries of other columns as indices of their levels."""
        categories = current.attributes["categories_"]
        names = Names("", current.classes, current.feature_names)
        encoded = [
            column.codes(categories[index])
            if index in categories
            else numbers_of(column, names.column(index), "Give numbers, as the fit was given")
            for index, column in enumerate(columns)
        ]
        return cls(encoded, columns, frozenset(categories))


class ModelOfColumns(ModelOfRows):
    """A model of the core, given numbers and indices of levels."""

    def __init__(self, core: Any) -> None:
        self.core = core

    @property
    def log_prior(self) -> Floats:
        """Logarithms of the priors."""
        return np.asarray(self.core.log_prior)

    @property
    def columns(self) -> Any:
        """The model of the core column by column, which draws rows and fills gaps."""
        return self.core

    def with_log_prior(self, log_prior: Floats) -> ModelOfColumns:
        """Return the same model under other priors."""
        return ModelOfColumns(self.core.with_log_prior(log_prior))

    def model_for(self, rows: Any) -> Any:  # noqa: ARG002 (one for all)
        """Return the model of the core."""
        return self.core

    def answer(self, rows: Any, n_threads: int | None, rules: Any, **answers: Any) -> None:
        """Fill arrays with answers."""
        marked = rules is not None and rules.no_data is not None
        if marked and isinstance(rows, ScoredColumns):
            rows, values = mark_no_data(rows, rules.no_data)
            rules = replace(rules, no_data=values)
        super().answer(rows, n_threads, rules, **answers)


def mark_no_data(rows: ScoredColumns, no_data: Floats) -> tuple[ScoredColumns, Floats]:
    """Return rows with an index of no level where an entry stands for no data, and this index."""
    arrays, values = list(rows.arrays), no_data.copy()
    for index, column in enumerate(rows.columns):
        if index in rows.named:
            found = column.codes([no_data[index].item()]) == 0
            arrays[index], values[index] = (
                np.where(found, np.float32(NO_LEVEL), arrays[index]),
                NO_LEVEL,
            )
    return replace(rows, arrays=arrays), values


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


# Methods


def rows_of(self: Model, X: Any, current: Current) -> ScoredColumns:
    """Return X as rows that the core reads, checked against the columns of the fit."""
    who = type(self).__name__
    if by_name(X):
        columns = columns_of(rows_by_name(X, current.feature_names, who), who)
    else:
        columns = columns_of(X, who)
        check_columns(X, self, current)
    return ScoredColumns.of(columns, current)


def few_rows(self: Model, X: Any, current: Current) -> NDArray[Any] | None:  # noqa: ARG001 (a method)
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


def rows_of_batch(self: Model, X: Any, current: Current) -> ScoredColumns:
    """Return a batch of a stream as rows that the core reads."""
    if not len(X):
        return no_rows(self, current)
    return ScoredColumns.of(columns_of(X), current)


def no_rows(self: Model, current: Current) -> ScoredColumns:  # noqa: ARG001 (a method)
    """Return rows, of which there are none."""
    return ScoredColumns([np.empty((0, 1))] * current.n_features, [])


def precision(self: Model, rows: ScoredColumns) -> np.dtype[Any]:  # noqa: ARG001 (the same for all)
    """Return the type in which the core scores rows."""
    return FLOAT64


def text_columns_of(self: Model, current: Current) -> frozenset[str]:  # noqa: ARG001 (a method)
    """Return the names of columns that a stream must read as text."""
    return text_columns(current.feature_names, current.attributes["categories_"])


def explain(self: Model, error: CoreError, names: Names, rows: Any) -> Exception:  # noqa: ARG001 (a method)
    """Return the exception that a user should see."""
    if error.kind == "unknown_level" and error.fields["column"] in getattr(rows, "named", ()):
        return unknown_category(error, names, rows)
    return names.explain(error)


def entries(self: Model, current: Current, drawn: Floats) -> Any:
    """Return indices of levels and numbers as a table like that of the fit."""
    names = current.feature_names
    library = current.estimates.get("library") or library_at_hand(names)
    each = range(drawn.shape[1])
    columns = [entries_at(self, current, column, drawn[:, column]) for column in each]
    return table_of_columns(library, names, columns)


def entries_at(self: Model, current: Current, column: int, drawn: Floats) -> NDArray[Any]:
    """Return indices of levels as these; of other columns numbers, which may be whole."""
    levels = current.attributes["categories_"].get(column)
    if levels is not None:
        return levels_at(levels, drawn)
    return drawn if self._has_numbers(current) else drawn.astype(np.int64)


def fill_rows(
    self: Model,
    current: Current,
    X: Any,
    rows: ScoredColumns,  # noqa: ARG001 (of which X has the levels)
    values: Floats,
) -> Any:
    """Return a table like X with entries put where values are not NaN."""
    changes = {}
    for column in range(values.shape[1]):
        gaps = np.flatnonzero(~np.isnan(values[:, column]))
        if len(gaps):
            filled = entries_at(self, current, column, values[gaps, column])
            changes[column] = gaps, filled.tolist()
    return replace_entries(X, changes)


def row_of(self: Model, current: Current, given: list[Any]) -> ScoredColumns:  # noqa: ARG001 (a method)
    """Return one row to score."""
    return ScoredColumns.of(row_of_entries(given), current)


def code_columns(self: Model, current: Current, data: LabeledColumns) -> Iterator[Any]:  # noqa: ARG001 (a method)
    """Yield all rows: numbers, and indices of levels."""
    yield slice(None), ScoredColumns.of(data.columns, current).arrays


def row_at(self: Model, current: Current, data: LabeledColumns, row: int) -> Floats:  # noqa: ARG001 (a method)
    """Return the entries of one row: numbers, and indices of levels."""
    columns = ScoredColumns.of(data.columns, current).arrays
    return np.array([column[row, 0] for column in columns], dtype=np.float64)


def as_row(self: Model, given: Floats) -> ScoredColumns:  # noqa: ARG001 (a method)
    """Return entries as one row to score."""
    return ScoredColumns([np.full((1, 1), entry) for entry in given], [])


def library_of_fit(
    self: Model,  # noqa: ARG001 (a method)
    data: LabeledColumns,
    statistics: Any,  # noqa: ARG001 (rows tell)
) -> dict[str, Any]:
    """Return what statistics do not tell: the library of the rows, in which others are drawn."""
    return {"library": data.library}
