"""Rows of mixed columns on their way to the core, to be learned from or scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._core import CoreError
from gauda._data.columns import GAUSSIAN, Column, columns_of
from gauda._data.kinds import choose_kinds, numbers_of
from gauda._data.training import LabeledRows, check_columns, column_names, refuse_no_labels
from gauda._estimators.state import FitState
from gauda._statistics.access import names_of
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.mixed_sums import columns_of_kinds
from gauda._support.errors import Names, UnknownCategoryError
from gauda._support.warning import warn_caller

MIN_IDENTIFIERS = 20
"""Categories that are one for each row in fewer rows may be so by chance."""


@dataclass(frozen=True)
class LabeledColumns:
    """Columns to learn from, their kinds, and labels and weights of the rows."""

    columns: list[Column]
    kinds: tuple[str, ...]
    labels: LabeledRows

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
        return cls(columns, kinds_of(settings.kinds, columns, labels, before), labels)

    @classmethod
    def of_batch(cls, kinds: Any, data: LabeledRows, before: FitState | None) -> LabeledColumns:
        """Return rows of a stream, which follow those seen before."""
        columns = columns_of(data.rows)
        return cls(columns, kinds_of(kinds, columns, data, before), data)


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
        return cls(encoded, columns)


def warn_of_identifiers(statistics: MixedStatistics) -> None:
    """Warn of columns of categories in which every row has its own."""
    _, discrete = columns_of_kinds(statistics.kinds)
    for column, count in zip(discrete, statistics.counts, strict=True):
        if len(count.levels) == statistics.n_rows >= MIN_IDENTIFIERS:
            warn_caller(
                f"Column {names_of(statistics).column(column)} has another category in each of the "
                f"{statistics.n_rows} rows, as an identifier has: it tells nothing of rows to "
                "come. Leave it out."
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
