"""Counts of the levels of a discrete column, which need not be numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda import _core
from gauda._data.columns import TRUTH, Column, in_order, is_missing
from gauda._data.kinds import NUMBERED, Levels, level_numbers_of, levels_of
from gauda._data.training import LabeledRows
from gauda._statistics.changing import copy_of_state
from gauda._statistics.tables import pad_alike, regroup, scale, subtract, trim, widen_table
from gauda._support.arrays import Floats, Indices, read_only


@dataclass(frozen=True)
class LevelCounts:
    """The levels of one column, and the weight of each class and level.

    Attributes
    ----------
    levels : list or None
        Distinct entries, sorted; None if levels are the numbers 0, 1, 2, ....

    table : ndarray of shape (n_classes, n_levels)
        How often each class has each level.
    """

    levels: Levels
    table: Floats

    __getstate__ = copy_of_state

    def __post_init__(self) -> None:
        width = 0 if self.levels is None else len(self.levels)
        object.__setattr__(self, "table", read_only(widen_table(self.table, width)))

    @property
    def is_empty(self) -> bool:
        """Whether there are no levels as yet, so that they may be of any kind."""
        return not self.table.shape[1]

    def goes_with(self, other: LevelCounts) -> bool:
        """Tell whether levels of both are numbers, or of both are named."""
        alike = (self.levels is None) == (other.levels is None)
        return alike or self.is_empty or other.is_empty

    @classmethod
    def of_numbers(cls, table: Floats) -> LevelCounts:
        """Return the counts of levels 0, 1, 2, ... in a table that nobody else holds."""
        counts = object.__new__(cls)
        table.flags.writeable = False
        held = counts.__dict__
        held["levels"], held["table"] = None, table
        return counts

    @cached_property
    def index(self) -> dict[Any, int]:
        """The index of each level."""
        known = range(self.table.shape[1]) if self.levels is None else self.levels
        return {level: index for index, level in enumerate(known)}

    def join(self, code: int, level: Any) -> LevelCounts | None:
        """Return the counts with one more of a class, unless it is missing; None if it is new."""
        if is_missing(level):
            return self
        index = self.index.get(level)
        if index is None:
            return None
        table = self.table.copy()
        table[code, index] += 1
        joined = object.__new__(LevelCounts)
        vars(joined).update(vars(self), table=read_only(table))
        return joined

    def among(self, levels: list[Any]) -> LevelCounts:
        """Return the counts of these levels, all of ours among them."""
        if levels == self.levels:
            return self
        index = {level: index for index, level in enumerate(levels)}
        table = np.zeros((len(self.table), len(levels)))
        table[:, [index[level] for level in self.levels or ()]] = self.table
        return LevelCounts(levels, table)

    def _alike(self, other: LevelCounts) -> tuple[LevelCounts, LevelCounts]:
        """Return both with the levels of both."""
        named = [count.levels for count in (self, other) if count.levels]
        if not named:
            levels = None if self.levels is None or other.levels is None else self.levels
            pair = pad_alike(self.table, other.table)
            return LevelCounts(levels, pair[0]), LevelCounts(levels, pair[1])
        if self.levels == other.levels:
            return self, other
        joint = in_order(set().union(*named))
        return self.among(joint), other.among(joint)

    def __add__(self, other: LevelCounts) -> LevelCounts:
        ours, theirs = self._alike(other)
        return LevelCounts(ours.levels, ours.table + theirs.table)

    def subtract(self, part: LevelCounts) -> LevelCounts:
        """Return the counts without those of a part; levels that are gone then are dropped."""
        ours, theirs = self._alike(part)
        rest = subtract(ours.table, theirs.table)
        if ours.levels is None:
            return LevelCounts(None, trim(rest, self.table))
        if self.levels == TRUTH:
            return LevelCounts(ours.levels, rest)
        known = np.array([level in (self.levels or ()) for level in ours.levels], dtype=bool)
        kept = known & (rest.any(axis=0) | ~ours.table.any(axis=0))
        return LevelCounts(
            [level for level, keep in zip(ours.levels, kept, strict=True) if keep], rest[:, kept]
        )

    def scale(self, factor: float) -> LevelCounts:
        """Return the counts with every weight multiplied by a factor."""
        return replace(self, table=scale(self.table, factor))

    def regroup(self, indices: Indices, n_classes: int) -> LevelCounts:
        """Return the counts of classes at other indices; those of the same index become one."""
        return replace(self, table=regroup(self.table, indices, n_classes))


@dataclass(frozen=True)
class CountedColumns:
    """The counts of some columns of levels."""

    class_count: Floats
    counts: tuple[LevelCounts, ...]
    has_gaps: bool
    absent: Floats | None = None
    """Of presence, the weight of rows with nothing there, where a difference may not tell it."""


def count_columns(
    columns: list[Column], data: LabeledRows, kinds: list[str], *, may_miss: bool
) -> CountedColumns:
    """Count levels, found in the same pass; names of columns are those of the labels."""
    names = data.names
    levels: list[Levels] = [
        None if kind == NUMBERED else levels_of(column, names.column(index), kind)
        for index, (column, kind) in enumerate(zip(columns, kinds, strict=True))
    ]
    codes = [
        level_numbers_of(column, names.column(index)) if own is None else column.codes(own)
        for index, (column, own) in enumerate(zip(columns, levels, strict=True))
    ]
    labeled = (data.codes, len(data.classes), data.weights)
    with names.in_errors():
        class_count, tables = _core.count_levels(
            codes, labeled, may_miss=may_miss, n_threads=data.n_threads
        )
    counts = tuple(map(LevelCounts, levels, tables))
    gaps = may_miss and has_gaps(class_count, counts, codes, data.weights)
    return CountedColumns(class_count, counts, gaps)


def has_gaps(
    class_count: Floats,
    counts: tuple[LevelCounts, ...],
    columns: Iterable[NDArray[Any]],
    weights: Floats | None,
) -> bool:
    """Tell whether entries are missing in rows of positive weight: then fewer were counted.

    Weights are not all counted to the last digit, so that entries must tell.
    """
    if weights is None:
        return any((count.table.sum(axis=1) < class_count).any() for count in counts)
    seen = weights > 0
    floats = (column for column in columns if column.dtype.kind == "f")
    return any(bool((np.isnan(column).any(axis=1) & seen).any()) for column in floats)
