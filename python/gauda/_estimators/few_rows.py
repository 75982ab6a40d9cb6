"""Classes of too few rows for their covariance, refused from counts before anything is summed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.training import LabeledRows
from gauda._statistics.moments import Moments
from gauda._support.errors import Names, too_few_rows
from gauda._support.remedies import Spread

if TYPE_CHECKING:
    from gauda._estimators.gaussian import GaussianClassifier

COUNTED = 100
"""Columns from which on counts alone refuse; for fewer, sums tell more and cost next to nothing."""

Few = tuple[int, int]
"""A class of too few rows, and the rank that its covariance has at most."""


def refuse_few_rows(self: GaussianClassifier, data: LabeledRows) -> None:
    """Refuse rows of which a class has too few, whatever they hold."""
    if data.n_features < COUNTED:
        return
    weights = None if data.weights is None else data.weights > 0
    counts = np.bincount(data.codes, weights, len(data.classes)).astype(np.uint64)
    if (few := class_of_few(self, counts, data.n_features)) is not None:
        varying = np.array([varies(data.rows[data.codes == k]) for k in range(len(counts))])
        spread = Spread.of_counts(counts, data.n_features, varying, few[0])
        raise too_few_rows(self, data.names, spread, *few)


def refuse_few_counted(self: GaussianClassifier, seen: Moments, names: Names) -> None:
    """Refuse moments in which a class has too few rows."""
    counts = seen.class_rows
    if (few := class_of_few(self, counts, seen.n_features)) is not None:
        varying = np.broadcast_to(seen.squares.any(axis=1), len(counts))
        spread = Spread.of_counts(counts, seen.n_features, varying, few[0])
        raise too_few_rows(self, names, spread, *few)


def no_rank_bounds(
    self: GaussianClassifier,  # noqa: ARG001 (others bound them)
    class_rows: NDArray[np.uint64],  # noqa: ARG001
    n_features: int,  # noqa: ARG001
) -> NDArray[np.int64] | None:
    """Return the rank that the covariance of each class has at most, if rows bound it."""
    return None


def class_of_few(
    self: GaussianClassifier, counts: NDArray[np.uint64], n_features: int
) -> Few | None:
    """Return the first class of one row among those of too few, else the first of these."""
    bounds = self._rank_bounds(counts, n_features)
    if bounds is None or not counts.all():
        return None
    few = np.flatnonzero(bounds < n_features)
    single = few[counts[few] == 1]
    found = single if len(single) else few
    return (int(found[0]), int(bounds[found[0]])) if len(found) else None


def varies(rows: NDArray[Any]) -> bool:
    """Tell whether rows differ."""
    return any(bool((row != rows[0]).any()) for row in rows[1:])


def single_row_class(moments: Moments) -> int | None:
    """Return the index of the first class of one row that has no variance in any column."""
    rows = moments.class_rows.tolist()
    if 1 not in rows:
        return None
    single = np.equal(rows, 1) & ~moments.squares.any(axis=1)
    return int(single.argmax()) if single.any() else None
