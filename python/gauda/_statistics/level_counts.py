"""Counts of the levels of a discrete column, which need not be numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gauda._data.columns import TRUTH, in_order
from gauda._statistics.tables import Floats, Indices, regroup, scale, subtract, widen_table
from gauda._support.arrays import read_only


@dataclass(frozen=True)
class LevelCounts:
    """The levels of one column, and the weight of each class and level.

    Attributes
    ----------
    levels : list
        Distinct entries, sorted.

    table : ndarray of shape (n_classes, n_levels)
        How often each class has each level.
    """

    levels: list[Any]
    table: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", read_only(widen_table(self.table, len(self.levels))))

    def among(self, levels: list[Any]) -> LevelCounts:
        """Return the counts of these levels, all of ours among them."""
        index = {level: index for index, level in enumerate(levels)}
        table = np.zeros((len(self.table), len(levels)))
        table[:, [index[level] for level in self.levels]] = self.table
        return LevelCounts(levels, table)

    def __add__(self, other: LevelCounts) -> LevelCounts:
        levels = in_order({*self.levels, *other.levels})
        return LevelCounts(levels, self.among(levels).table + other.among(levels).table)

    def subtract(self, part: LevelCounts) -> LevelCounts:
        """Return the counts without those of a part; levels that are gone then are dropped."""
        levels = in_order({*self.levels, *part.levels})
        whole = self.among(levels).table
        rest = subtract(whole, part.among(levels).table)
        if self.levels == TRUTH:
            return LevelCounts(levels, rest)
        known = np.array([level in self.levels for level in levels], dtype=bool)
        kept = known & (rest.any(axis=0) | ~whole.any(axis=0))
        return LevelCounts(
            [level for level, keep in zip(levels, kept, strict=True) if keep], rest[:, kept]
        )

    def scale(self, factor: float) -> LevelCounts:
        """Return the counts with every weight multiplied by a factor."""
        return replace(self, table=scale(self.table, factor))

    def regroup(self, indices: Indices, n_classes: int) -> LevelCounts:
        """Return the counts of classes at other indices; those of the same index become one."""
        return replace(self, table=regroup(self.table, indices, n_classes))
