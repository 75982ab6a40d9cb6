"""Statistics of mixed columns: sums of numbers and counts of levels, that batches add up to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda import _core
from gauda._data.columns import in_order
from gauda._data.discrete_rows import LabelArrays
from gauda._data.labels import places_among
from gauda._statistics.tables import widened
from gauda._storage.format import Arrays
from gauda._storage.saveable import check_sums

Table = NDArray[np.float64]

SMALLEST_VARIANCE = 2.0**-1000
"""The smallest variance with all digits and a finite inverse."""
SMALLEST_WEIGHT = 2.0**-20
"""The smallest weight of which the smallest sum of squares shows a variance below the smallest."""


@dataclass(frozen=True)
class NumberSums:
    """Weight, mean and sum of squares about it, of each class and column; missing left out."""

    weights: Table
    means: Table
    scatter: Table

    @classmethod
    def of(
        cls, columns: list[NDArray[Any]], labelled: LabelArrays, n_threads: int | None
    ) -> NumberSums:
        """Return the sums of columns, in one pass."""
        return cls(*_core.sum_numbers(columns, labelled, n_threads))

    def __add__(self, other: NumberSums) -> NumberSums:
        weights = self.weights + other.weights
        share = np.divide(other.weights, weights, out=np.zeros_like(weights), where=weights > 0)
        apart = other.means - self.means
        means = np.where(self.weights > 0, self.means + apart * share, other.means)
        scatter = self.scatter + other.scatter + apart**2 * self.weights * share
        varies = (apart != 0) & (self.weights > 0) & (other.weights > 0)
        # As in the core: what varies is positive, however small.
        scatter = np.where(varies, np.maximum(scatter, np.finfo(float).tiny), scatter)
        return NumberSums(weights, means, scatter)

    def total(self) -> NumberSums:
        """Return the sums of all classes together."""
        parts = [
            NumberSums(*(table[k : k + 1] for table in (self.weights, self.means, self.scatter)))
            for k in range(len(self.weights))
        ]
        first, *others = parts
        return sum(others, start=first)

    def are_tiny(self, variances: Table) -> NDArray[np.bool_]:
        """Return where the values vary, but a double cannot hold the (smoothed) variance."""
        lost = (self.scatter <= np.finfo(float).tiny) & (self.weights < SMALLEST_WEIGHT)
        tiny: NDArray[np.bool_] = (self.scatter > 0) & (lost | (variances < SMALLEST_VARIANCE))
        return tiny

    def variances(self) -> Table:
        """Return variances; 0 where there is nothing."""
        return np.divide(
            self.scatter, self.weights, out=np.zeros_like(self.scatter), where=self.weights > 0
        )


@dataclass(frozen=True)
class LevelCounts:
    """The levels of one column, and the weight of each class and level."""

    levels: list[Any]
    table: Table

    def among(self, levels: list[Any]) -> LevelCounts:
        """Return the counts of these levels, all of ours among them."""
        place = {level: place for place, level in enumerate(levels)}
        table = np.zeros((len(self.table), len(levels)))
        table[:, [place[level] for level in self.levels]] = widened(self.table, len(self.levels))
        return LevelCounts(levels, table)

    def __add__(self, other: LevelCounts) -> LevelCounts:
        levels = in_order({*self.levels, *other.levels})
        return LevelCounts(levels, self.among(levels).table + other.among(levels).table)


@dataclass(frozen=True)
class MixedSums:
    """All that a model of mixed columns needs of the rows."""

    classes: NDArray[Any]
    class_count: Table
    numbers: NumberSums
    unweighted: NumberSums
    """Of all rows as one class, each counted once."""
    counts: list[LevelCounts]

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Return what a file holds."""
        arrays = {"classes": self.classes, "class_count": self.class_count}
        for name, sums in (("numbers", self.numbers), ("unweighted", self.unweighted)):
            arrays[name] = np.stack([sums.weights, sums.means, sums.scatter])
        tables = [count.table for count in self.counts]
        arrays["tables"] = np.concatenate([np.empty((len(self.classes), 0)), *tables], axis=1)
        return arrays, {"levels": [count.levels for count in self.counts]}

    @classmethod
    def from_state(cls, arrays: Arrays, metadata: dict[str, Any]) -> MixedSums:
        """Return the sums that a file holds."""
        levels, joined = metadata["levels"], arrays["tables"]
        widths = [len(own) for own in levels]
        check_stored(arrays, sum(widths))
        tables = np.split(joined, np.cumsum(widths)[:-1], axis=1) if widths else []
        return cls(
            arrays["classes"],
            arrays["class_count"],
            NumberSums(*arrays["numbers"]),
            NumberSums(*arrays["unweighted"]),
            [LevelCounts(own, table.copy()) for own, table in zip(levels, tables, strict=True)],
        )

    def __add__(self, other: MixedSums) -> MixedSums:
        return replace(
            self,
            class_count=self.class_count + other.class_count,
            numbers=self.numbers + other.numbers,
            unweighted=self.unweighted + other.unweighted,
            counts=[a + b for a, b in zip(self.counts, other.counts, strict=True)],
        )

    def among(self, classes: NDArray[Any]) -> MixedSums:
        """Return the sums with these sorted classes, all of ours among them."""
        places = places_among(self.classes, classes)
        if (places < 0).any():
            raise ValueError(
                f"The target label(s) {self.classes[places < 0]} in y do not exist in the initial "
                f"classes {classes}"
            )

        def spread(table: Table) -> Table:
            wide = np.zeros((len(classes), *table.shape[1:]))
            wide[places] = table
            return wide

        numbers = self.numbers
        return replace(
            self,
            classes=classes,
            class_count=spread(self.class_count),
            numbers=NumberSums(*map(spread, (numbers.weights, numbers.means, numbers.scatter))),
            counts=[replace(count, table=spread(count.table)) for count in self.counts],
        )


def check_stored(arrays: Arrays, n_levels: int) -> None:
    """Refuse stored sums that do not fit together, or that no rows add up to."""
    classes, numbers = arrays["classes"], arrays["numbers"]
    check_sums("the counts of classes", arrays["class_count"], (len(classes),))
    if not arrays["class_count"].any():
        raise ValueError("no class has rows")
    check_sums("its tables", arrays["tables"], (len(classes), n_levels))
    for sums, rows in ((numbers, len(classes)), (arrays["unweighted"], 1)):
        weights, means, scatter = sums
        check_sums("its weights", weights, (rows, numbers.shape[-1]))
        check_sums("its sums of squares", scatter, weights.shape)
        check_sums("the sizes of its means", np.abs(means), weights.shape)
