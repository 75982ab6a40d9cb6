"""Rows, labels, weights and splits by which sets of columns are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.training import LabeledRows
from gauda._support.arrays import Floats, Indices
from gauda.model_selection._comparison import check_classes, check_weights, make_splits

MIN_ROWS = 2


@dataclass(frozen=True)
class SelectionData:
    """Rows, labels, weights and splits by which sets of columns are judged."""

    table: Any
    n_columns: int
    classes: NDArray[Any]
    codes: Indices
    weights: Floats | None
    splits: list[Any]

    @classmethod
    def of(cls, table: Any, y: Any, sample_weight: Any, cv: Any) -> SelectionData:
        """Check labels and weights, and split the rows."""
        n_rows, n_columns = table.shape
        if n_rows < MIN_ROWS:
            raise ValueError(
                f"Found array with {n_rows} sample(s) (shape={tuple(table.shape)}) while a minimum "
                f"of {MIN_ROWS} is required by ColumnSelector."
            )
        data = LabeledRows.of_labels(n_rows, y, sample_weight, None, None)
        check_weights(data.weights)
        check_classes(data.classes)
        splits, _ = make_splits(cv, data)
        codes = data.codes.astype(np.intp)
        return cls(table, n_columns, data.classes, codes, data.weights, splits)

    @property
    def labels(self) -> NDArray[Any]:
        """Labels of the rows."""
        labels: NDArray[Any] = self.classes[self.codes]
        return labels

    def shares(self, rows: Indices) -> Floats:
        """Return how much each of some rows counts in their mean."""
        weights = np.ones(len(rows)) if self.weights is None else self.weights[rows]
        return np.asarray(weights / weights.sum())

    def log_prior(self, rows: Indices) -> Floats:
        """Return the logarithms of the proportions of classes among some rows."""
        counts = np.bincount(self.codes[rows], self.shares(rows), len(self.classes))
        return np.asarray(np.log(counts))
