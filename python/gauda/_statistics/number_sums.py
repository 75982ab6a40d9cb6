"""Sums of numeric columns, each with the weight of its observed values: missing ones count not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._core import Moments as CoreMoments
from gauda._data.discrete_rows import LabelArrays
from gauda._statistics.changing import copy_of_state
from gauda._storage.format import Arrays
from gauda._support.arrays import Floats, Indices, Mask, read_only

TINY = np.finfo(float).tiny

MIN_VARIANCE = 2.0**-1000
"""The smallest variance with all digits and a finite inverse."""

MODERATE = 2.0**1000
"""Sums of squares below it, and quotients that are, are finite doubles."""

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
        Means of the observed values; 0 where there are none. They are kept in two parts, so that
        those far from zero lose no digits when samples are joined.

    scatter : ndarray of shape (n_classes, n_columns)
        Sums of squares about the means.

    past : ndarray of shape (n_classes, n_columns)
        Sums of squares that others were removed from, whose rounding is left; 0 if none were.
    """

    n_classes: int
    core: CoreMoments | None
    """Diagonal moments; None if there are no columns."""

    __getstate__ = copy_of_state

    @classmethod
    def of(
        cls, columns: list[NDArray[Any]], labeled: LabelArrays, n_threads: int | None
    ) -> NumberSums:
        """Return the sums of columns, in one pass."""
        core = CoreMoments.from_columns(columns, labeled, n_threads) if columns else None
        return cls(labeled[1], core)

    @classmethod
    def of_parts(
        cls, class_weight: Floats, weights: Floats, means: Floats, scatter: Floats
    ) -> NumberSums:
        """Return sums of which the means are known as doubles."""
        return cls.restore(class_weight, {"": np.stack([weights, means, scatter])}, "")

    @classmethod
    def restore(cls, class_weight: Floats, arrays: Arrays, name: str) -> NumberSums:
        """Return the sums that arrays under a name were made of; some files hold no more than one.

        Where rows are not counted, whole weights are numbers of them.
        """
        weights, means, scatter = arrays[name]
        n_classes, n_columns = weights.shape
        if not n_columns:
            return cls(n_classes, None)
        past: Floats = arrays.get(f"{name}.past", np.zeros(weights.shape))
        rest: Floats = arrays.get(f"{name}.rest", np.zeros(means.shape))
        if past.shape != weights.shape or not (past >= 0).all():
            raise ValueError("its past sums of squares are not those of its columns")
        whole = np.where(class_weight == np.rint(class_weight), class_weight, 0.0)
        rows = arrays.get(f"{name}.class_rows", np.minimum(whole, 2.0**53).astype(np.uint64))
        complete = (weights == class_weight[:, np.newaxis]).all()
        core = CoreMoments(
            "diag",
            rows.tolist(),
            np.ascontiguousarray(class_weight),
            np.ascontiguousarray(means),
            np.ascontiguousarray(rest),
            np.ascontiguousarray(scatter)[:, np.newaxis],
            np.ascontiguousarray(past),
            None if complete else np.ascontiguousarray(weights),
        )
        return cls(n_classes, core)

    def store(self, name: str) -> Arrays:
        """Return the arrays that sums are made of, under a name."""
        arrays: Arrays = {name: np.stack([self.weights, self.means, self.scatter])}
        if self.core is not None:
            arrays[f"{name}.rest"] = rest_of_sum(self.core.shift, self.core.offset)
            arrays[f"{name}.class_rows"] = self.core.rows
        return arrays | ({f"{name}.past": self.past} if self.past.any() else {})

    @cached_property
    def weights(self) -> Floats:
        """Weights of the observed values."""
        if self.core is None:
            return self._nothing()
        seen, weights = self.core.seen, self.core.weights
        shape = self.n_classes, self.core.n_features
        return read_only(np.broadcast_to(weights[:, np.newaxis], shape) if seen is None else seen)

    @cached_property
    def means(self) -> Floats:
        """Means of the observed values."""
        return self._nothing() if self.core is None else read_only(self.core.means)

    @cached_property
    def scatter(self) -> Floats:
        """Sums of squares about the means."""
        return self._nothing() if self.core is None else read_only(self.core.squares)

    @cached_property
    def past(self) -> Floats:
        """Sums of squares that others were removed from."""
        past = None if self.core is None else self.core.past
        return read_only(np.zeros(self.weights.shape) if past is None else past)

    def _nothing(self) -> Floats:
        return read_only(np.zeros((self.n_classes, 0)))

    def __add__(self, other: NumberSums) -> NumberSums:
        theirs = other.core
        return self._map(lambda ours: ours if theirs is None else ours.merge(theirs))

    def join_row(self, row: NDArray[Any], code: int) -> NumberSums | None:
        """Return the sums together with one row; None if that takes the general way."""
        if self.core is None:
            return self
        joined = self.core.join_rows(row, [code], 1, may_miss=True)
        return None if joined is None else NumberSums(self.n_classes, joined)

    def subtract(self, part: NumberSums) -> NumberSums:
        """Return the sums without those of a part; the core's errors tell class and column."""
        theirs = part.core
        return self._map(lambda ours: ours if theirs is None else ours.subtract(theirs))

    def scale(self, factor: float) -> NumberSums:
        """Return the sums with every weight multiplied by a factor."""
        return self._map(lambda ours: ours.scale(factor))

    def regroup(self, indices: Indices, n_classes: int) -> NumberSums:
        """Return the sums of classes at other indices; those of the same index become one.

        What has no weight may have any.
        """
        if n_classes == 0:
            none = np.empty((0, self.weights.shape[1]))
            return NumberSums.of_parts(np.empty(0), none, none, none)
        targets = np.maximum(indices, 0).tolist()
        found = self._map(lambda ours: ours.regroup(targets, n_classes))
        return NumberSums(n_classes, found.core)

    def select(self, columns: Indices) -> NumberSums:
        """Return the sums of some columns."""
        if not len(columns):
            return NumberSums(self.n_classes, None)
        return self._map(lambda ours: ours.select(columns.tolist()))

    def total(self) -> NumberSums:
        """Return the sums of all classes together."""
        return NumberSums(1, None if self.core is None else self.core.total())

    def _map(self, change: Callable[[CoreMoments], CoreMoments]) -> NumberSums:
        return self if self.core is None else NumberSums(self.n_classes, change(self.core))

    def are_tiny(self, variances: Floats) -> Mask:
        """Return where the values vary, but a double cannot hold the (smoothed) variance."""
        lost = (self.scatter <= TINY) & (self.weights < MIN_WEIGHT)
        tiny: Mask = (self.scatter > 0) & (lost | (variances < MIN_VARIANCE))
        return tiny

    def are_moderate(self) -> bool:
        """Tell from a few totals that nothing overflows, as is usual; False if unsure."""
        if self.core is None:
            return True
        weights = self.core.weights if self.core.seen is None else self.core.seen
        least = np.minimum.reduce(weights, axis=None, where=weights > 0, initial=1.0)
        with np.errstate(over="ignore", invalid="ignore"):
            means = np.add.reduce(self.means, axis=None)
            squares = np.add.reduce(self.scatter, axis=None)
        return bool(np.isfinite(means) and squares < MODERATE * least)

    def variances(self) -> Floats:
        """Return variances; 0 where there is nothing, infinite where they overflow."""
        with np.errstate(over="ignore"):
            return np.divide(
                self.scatter, self.weights, out=np.zeros_like(self.scatter), where=self.weights > 0
            )


def rest_of_sum(a: Floats, b: Floats) -> Floats:
    """Return what rounding leaves out of a sum, exactly (Knuth)."""
    total = a + b
    added = total - a
    rest: Floats = (a - (total - added)) + (b - added)
    return rest
