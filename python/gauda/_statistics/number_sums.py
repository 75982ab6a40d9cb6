"""Sums of numeric columns, each with the weight of its observed values: missing ones count not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda import _core
from gauda._data.discrete_rows import LabelArrays
from gauda._statistics.tables import Floats
from gauda._support.arrays import read_only

TINY = np.finfo(float).tiny

MIN_VARIANCE = 2.0**-1000
"""The smallest variance with all digits and a finite inverse."""
MAX_ROWS = 2.0**53
"""Below it a sum of weights may be a number of rows."""

MIN_WEIGHT = 2.0**-20
"""The smallest weight of which the smallest sum of squares shows a variance below the smallest."""


@dataclass(frozen=True)
class NumberSums:
    """Weight, mean and sum of squares about it, of each class and column; missing left out.

    Attributes
    ----------
    weights : ndarray of shape (n_classes, n_columns)
        Weights of the observed values.

    means : ndarray of shape (n_classes, n_columns)
        Means of the observed values; 0 where there are none.

    scatter : ndarray of shape (n_classes, n_columns)
        Sums of squares about the means.

    past : ndarray of shape (n_classes, n_columns)
        Sums of squares that others were removed from, whose rounding is left; 0 if none were.
    """

    weights: Floats
    means: Floats
    scatter: Floats
    past: Floats = field(default_factory=lambda: np.zeros(()))

    def __post_init__(self) -> None:
        object.__setattr__(self, "past", np.broadcast_to(self.past, self.weights.shape))
        for name in ("weights", "means", "scatter", "past"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def of(
        cls, columns: list[NDArray[Any]], labeled: LabelArrays, n_threads: int | None
    ) -> NumberSums:
        """Return the sums of columns, in one pass."""
        return cls(*_core.sum_numbers(columns, labeled, n_threads))

    @classmethod
    def nothing(cls, n_classes: int, n_columns: int) -> NumberSums:
        """Return the sums of no rows."""
        return cls(*(np.zeros((n_classes, n_columns)) for _ in range(3)))

    def __add__(self, other: NumberSums) -> NumberSums:
        weights = self.weights + other.weights
        share = np.divide(other.weights, weights, out=np.zeros_like(weights), where=weights > 0)
        both = (self.weights > 0) & (other.weights > 0)
        with np.errstate(over="ignore"):
            apart = np.where(both, other.means - self.means, 0.0)
            means = np.where(self.weights > 0, self.means + apart * share, other.means)
            scatter = self.scatter + other.scatter + apart**2 * self.weights * share
            past = np.hypot(self.past, other.past)
        # As in the core: what varies is positive, however small.
        scatter = np.where(apart != 0, np.maximum(scatter, TINY), scatter)
        return NumberSums(weights, means, scatter, past)

    def subtract(self, part: NumberSums) -> NumberSums:
        """Return the sums without those of a part; the core's errors tell class and column."""
        counted = all(np.array_equal(sums.weights, np.rint(sums.weights)) for sums in (self, part))
        counted &= bool(self.weights.max(initial=0.0) < MAX_ROWS)
        columns = zip(self._columns(counted=counted), part._columns(counted=counted), strict=True)
        tables = [np.zeros_like(self.weights) for _ in range(4)]
        for column, (ours, theirs) in enumerate(columns):
            left = subtract_column(ours, theirs, column)
            past = 0.0 if left.past is None else left.past
            sums = (left.weights, left.means, left.scatter, past)
            for table, values in zip(tables, sums, strict=True):
                table[:, column] = np.ravel(values)
        return NumberSums(*tables)

    def _columns(self, *, counted: bool) -> Iterator[_core.Moments]:
        """Yield each column as moments; whole weights are numbers of rows if they are counted."""
        for weights, means, scatter, past in zip(
            self.weights.T, self.means.T, self.scatter.T, self.past.T, strict=True
        ):
            yield _core.Moments(
                "diag",
                weights.astype(int).tolist() if counted else [0] * len(weights),
                np.ascontiguousarray(weights),
                np.ascontiguousarray(means)[:, np.newaxis],
                np.zeros((len(means), 1)),
                np.ascontiguousarray(scatter)[:, np.newaxis, np.newaxis],
                np.ascontiguousarray(past)[:, np.newaxis],
            )

    def scale(self, factor: float) -> NumberSums:
        """Return the sums with every weight multiplied by a factor."""
        with np.errstate(over="ignore", under="ignore"):
            weights, scatter = self.weights * factor, self.scatter * factor
            past = np.where(weights > 0, self.past * factor, 0)
        scatter = np.where((self.scatter > 0) & (weights > 0), np.maximum(scatter, TINY), scatter)
        mask = weights > 0
        return NumberSums(weights, np.where(mask, self.means, 0), np.where(mask, scatter, 0), past)

    def regroup(self, indices: NDArray[np.intp], n_classes: int) -> NumberSums:
        """Return the sums of classes at other indices; those of the same index become one."""
        sums = NumberSums.nothing(n_classes, self.weights.shape[1])
        kept = np.flatnonzero(indices >= 0)
        while len(kept):  # the first class of each index, then the second …
            targets, first = np.unique(indices[kept], return_index=True)
            sources = kept[first]
            sums += self._map(
                lambda table, at=targets, of=sources: spread(table[of], at, n_classes)
            )
            kept = np.delete(kept, first)
        return sums

    def select(self, columns: NDArray[np.intp]) -> NumberSums:
        """Return the sums of some columns."""
        return self._map(lambda table: table[:, columns])

    def total(self) -> NumberSums:
        """Return the sums of all classes together."""
        return self.regroup(np.zeros(len(self.weights), dtype=np.intp), 1)

    def _map(self, change: Callable[..., Floats]) -> NumberSums:
        return NumberSums(*map(change, (self.weights, self.means, self.scatter, self.past)))

    def are_tiny(self, variances: Floats) -> NDArray[np.bool_]:
        """Return where the values vary, but a double cannot hold the (smoothed) variance."""
        lost = (self.scatter <= TINY) & (self.weights < MIN_WEIGHT)
        tiny: NDArray[np.bool_] = (self.scatter > 0) & (lost | (variances < MIN_VARIANCE))
        return tiny

    def variances(self) -> Floats:
        """Return variances; 0 where there is nothing, infinite where they overflow."""
        with np.errstate(over="ignore"):
            return np.divide(
                self.scatter, self.weights, out=np.zeros_like(self.scatter), where=self.weights > 0
            )


def subtract_column(ours: _core.Moments, theirs: _core.Moments, column: int) -> _core.Moments:
    """Return the moments of one column without a part; errors tell which column it is."""
    try:
        return ours.subtract(theirs)
    except _core.CoreError as error:
        error.fields["column"] = column
        raise


def spread(table: Floats, indices: NDArray[np.intp], n_classes: int) -> Floats:
    """Return a table with its rows at these indices, each once, and 0 elsewhere."""
    wide = np.zeros((n_classes, *table.shape[1:]))
    wide[indices] = table
    return wide
