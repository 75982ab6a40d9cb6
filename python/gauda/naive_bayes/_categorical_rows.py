"""Rows of categories, which are numbers or have names.

The functions are methods of `CategoricalNB`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda._core import CoreError
from gauda._data.discrete_rows import LabeledDiscreteRows, Rows
from gauda._data.dropping import take_rows
from gauda._data.few_rows import few_as_array
from gauda._data.labeled_columns import (
    DiscreteData,
    LabeledColumns,
    are_named,
    by_levels,
    discrete_batch,
    holds_levels,
)
from gauda._data.training import LabeledRows, as_rows
from gauda._estimators.classifier import Classifier
from gauda._estimators.state import Current, FitState
from gauda._statistics.access import tables_among
from gauda._statistics.counts import Counts
from gauda._statistics.tables import widen_table
from gauda._support.arrays import Floats
from gauda._support.errors import Names
from gauda.naive_bayes import _column_rows, _level_rows
from gauda.naive_bayes._column_rows import ScoredColumns
from gauda.naive_bayes._discrete import DiscreteNB

if TYPE_CHECKING:
    from gauda.naive_bayes._categorical import CategoricalNB


def named_levels(statistics: Counts) -> dict[int, list[Any]]:
    """Return the levels of columns by index, where they have names."""
    return {column: own for column, own in enumerate(statistics.levels) if own is not None}


def has_names(current: Current) -> bool:
    """Tell whether levels of some column have names."""
    return bool(current.attributes["categories_"])


def check_rows(  # noqa: PLR0913 (what a fit is given)
    self: CategoricalNB,
    X: Any,
    y: Any,
    sample_weight: Any,
    before: FitState | None,
    min_rows: int = 1,  # noqa: ARG001 (one will do)
) -> DiscreteData:
    """Return training data with all rows."""
    known = None if before is None else before.statistics.levels
    if are_named(known) or holds_levels(X):
        return LabeledColumns.of(self, X, y, sample_weight, before, by_levels(known))
    return LabeledDiscreteRows.of(self, X, y, sample_weight, sparse=None, fitted=before)


def batch(self: CategoricalNB, data: LabeledRows, before: FitState | None) -> DiscreteData:
    """Return the rows of a stream that a fit takes."""
    known = None if before is None else before.statistics.levels
    rows: DiscreteData = take_rows(self.missing, discrete_batch(data, known))
    return rows


def estimate(self: CategoricalNB, data: DiscreteData, statistics: Counts) -> dict[str, Any]:
    """Return the library of the table, where others are to be drawn as such."""
    if isinstance(data, LabeledColumns) and are_named(statistics.levels):
        return _column_rows.library_of_fit(self, data, statistics)
    return {}


def rows_of(self: CategoricalNB, X: Any, current: Current) -> Any:
    """Return X as rows that the core reads, checked against the columns of the fit."""
    if has_names(current) or holds_levels(X):
        return _column_rows.rows_of(self, X, current)
    return DiscreteNB._rows(self, X, current)


def batch_rows(self: CategoricalNB, X: Any, current: Current) -> Rows | ScoredColumns:
    """Return a batch of a stream as rows that the core reads."""
    if isinstance(X, np.ndarray) and X.dtype.kind in "biuf" and not has_names(current):
        return Rows.dense(as_rows(X, self, 0))
    return _column_rows.rows_of_batch(self, X, current)


def few_rows(self: CategoricalNB, X: Any, current: Current) -> NDArray[Any] | None:
    """Return a few rows as an array that the core reads; None if they need another look."""
    if has_names(current):
        return _column_rows.few_rows(self, X, current)
    return few_as_array(X, current.feature_names)


def explain(self: CategoricalNB, error: CoreError, names: Names, rows: Any) -> Exception:
    """Return the exception that a user should see."""
    if isinstance(rows, ScoredColumns):
        return _column_rows.explain(self, error, names, rows)
    return Classifier._explain(self, error, names, rows)


def entries(self: CategoricalNB, current: Current, codes: Floats) -> Any:
    """Return levels of columns as rows hold them."""
    chosen: Any = _column_rows if has_names(current) else _level_rows
    return chosen.entries(self, current, codes)


def fill_rows(self: CategoricalNB, current: Current, X: Any, rows: Any, codes: Floats) -> Any:
    """Return rows with levels put where these are not NaN."""
    chosen: Any = _column_rows if isinstance(rows, ScoredColumns) else _level_rows
    return chosen.fill_rows(self, current, X, rows, codes)


def row_of(self: CategoricalNB, current: Current, given: list[Any]) -> Any:
    """Return one row to score."""
    chosen: Any = _column_rows if has_names(current) else _level_rows
    return chosen.row_of(self, current, given)


def code_columns(self: CategoricalNB, current: Current, data: DiscreteData) -> Iterator[Any]:
    """Yield rows, and indices of their levels."""
    chosen: Any = _column_rows if isinstance(data, LabeledColumns) else _level_rows
    yield from chosen.code_columns(self, current, data)


def row_at(self: CategoricalNB, current: Current, data: DiscreteData, row: int) -> Floats:
    """Return the entries of one row."""
    chosen: Any = _column_rows if isinstance(data, LabeledColumns) else _level_rows
    found: Floats = chosen.row_at(self, current, data, row)
    return found


def level_names(self: CategoricalNB, current: Current) -> list[list[str] | None]:
    """Return what the levels of each column are called."""
    names: list[list[str] | None] = []
    for column, table in enumerate(self._log_tables(current)):
        width = table.shape[1]
        named = current.attributes["categories_"].get(column, range(width))
        free = [f"free {index + 1}" for index in range(width - len(named))]
        names.append([*map(str, named), *free])
    return names


def tables(self: CategoricalNB, current: Current, statistics: Counts) -> list[Floats]:  # noqa: ARG001 (a method)
    """Return the counts of each column, class x level, of levels known; refuse others."""
    widths = current.attributes["n_categories_"].tolist()
    known = current.attributes["categories_"]
    found = tables_among(statistics, [known.get(column) for column in range(len(widths))])
    wide: list[Floats] = []
    for column, (table, width) in enumerate(zip(found, widths, strict=True)):
        if table is None or table.shape[1] > width:
            name = Names("", current.classes, current.feature_names).column(column)
            raise ValueError(
                f"Counts must be of the categories of the model; got others in column {name}. "
                "Fit to rows that have them, or with a larger min_categories."
            )
        wide.append(widen_table(table, width))
    return wide
