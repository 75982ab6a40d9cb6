"""Rows that a task works on, and where they lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.hashed_folds import HashedKFold
from gauda._data.label_columns import flat_labels
from gauda._data.shapes import number_of_rows
from gauda._data.sklearn_private import take

Rows = tuple[Any, Any, Any]
"""Rows, their labels and weights."""


@dataclass(frozen=True)
class Block:
    """Some rows of a partition that follow each other, with what belongs to them."""

    partition: int
    X: Any
    y: Any
    sample_weight: Any = None
    groups: Any = None
    first_row: int = 0

    def by_fold(self, folds: HashedKFold) -> Iterator[tuple[int, Rows]]:
        """Give the rows of each fold that has some here."""
        numbers = self._folds(folds)
        labels = flat_labels(self.y)
        for fold in range(folds.n_splits):
            rows = np.flatnonzero(numbers == fold)
            if len(rows):
                weights = None if self.sample_weight is None else np.asarray(self.sample_weight)
                some = None if weights is None else weights[rows]
                yield fold, (take(self.X, rows), labels[rows], some)

    def _folds(self, folds: HashedKFold) -> NDArray[np.intp]:
        if self.groups is not None:
            return folds.of_groups(self.groups)
        return folds.of_positions(self.partition, self.first_row, number_of_rows(self.X))
