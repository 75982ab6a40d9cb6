"""Rows of levels as discrete models draw, complete and leave them out.

The functions here are methods of `DiscreteNB`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda._analysis.column_fits import ColumnFit, LevelFit
from gauda._data.discrete_rows import LabeledDiscreteRows, Rows
from gauda._data.training import as_rows
from gauda._estimators.state import Current
from gauda._statistics.counts import Counts
from gauda._support.arrays import Floats

if TYPE_CHECKING:
    from gauda.naive_bayes._discrete import DiscreteNB


def entries(self: DiscreteNB, current: Current, codes: Floats) -> NDArray[Any]:  # noqa: ARG001 (a method)
    """Return levels of columns as rows hold them."""
    return codes.astype(np.int64)


def fill_rows(
    self: DiscreteNB,
    current: Current,
    X: Any,  # noqa: ARG001 (its rows will do)
    rows: Rows,
    codes: Floats,
) -> NDArray[Any]:
    """Return rows with levels put where these are not NaN."""
    filled = np.array(rows.arrays, order="C")
    gaps = ~np.isnan(codes)
    filled[gaps] = self._entries(current, codes[gaps])
    return filled


def has_numbers(self: DiscreteNB, current: Current) -> bool:  # noqa: ARG001 (none has)
    """Tell whether some columns are of numbers."""
    return False


def row_of(self: DiscreteNB, current: Current, given: list[Any]) -> Rows:  # noqa: ARG001 (all are alike)
    """Return one row to score."""
    return Rows.dense(as_rows([given], self))


def column_fits(
    self: DiscreteNB, current: Current, statistics: Counts, names: list[str]
) -> list[ColumnFit]:
    """Return how each column fits rows of which the counts are known."""
    tables = zip(names, self._tables(current, statistics), self._log_tables(current), strict=True)
    return [LevelFit(name, self._kind, table, logs) for name, table, logs in tables]


def code_columns(
    self: DiscreteNB,  # noqa: ARG001 (a method)
    current: Current,  # noqa: ARG001 (all are alike)
    data: LabeledDiscreteRows,
) -> Iterator[Any]:
    """Yield rows, and indices of their levels."""
    yield slice(None), data.rows.arrays


def row_at(self: DiscreteNB, current: Current, data: LabeledDiscreteRows, row: int) -> Floats:  # noqa: ARG001 (a method)
    """Return the entries of one row."""
    return data.rows.entries(row)


def as_row(self: DiscreteNB, given: Floats) -> Rows:  # noqa: ARG001 (a method)
    """Return entries as one row to score."""
    return Rows.dense(given[np.newaxis])
