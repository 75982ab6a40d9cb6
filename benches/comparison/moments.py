"""Moments at work: merged, joined batch by batch, and turned into models without the rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comparison.contestants import MODELS
from comparison.data import Table, gaussian_classes
from comparison.race import Effort, race
from comparison.table import Line, duration, faster
from gauda import Moments

MERGE_MS = 1.0
BATCH = 4096
BATCH_OVERHEAD = 1.3
REFIT = 100.0


def moments(effort: Effort) -> Iterator[Line]:
    """Yield what merging costs, batches against one fit, and refits against scikit-learn's fit."""
    n, d, k = 100_000, 200, 10
    table = gaussian_classes(effort.rows(n, d, k), d, k)
    whole = Moments.from_data(*table)
    yield from merging(effort, whole)
    yield from batches(effort)
    yield from refits(effort, table, whole)


def merging(effort: Effort, half: Moments) -> Iterator[Line]:
    """Yield the milliseconds of adding moments."""
    (seconds,) = race(effort, lambda: half + half)
    what = f"merge, d = {half.n_features}, K = {len(half.classes)}"
    yield Line(what, duration(seconds), "", 1e3 * seconds, MERGE_MS, " ms", at_most=True)


def batches(effort: Effort) -> Iterator[Line]:
    """Yield partial_fit over all batches of a table, against one fit."""
    d, k = 50, 10
    table = gaussian_classes(effort.rows(100 * BATCH, d, k), d, k)
    for name, (ours, _) in MODELS.items():
        by_batch = partial(in_batches, ours, table, np.arange(k))
        seconds = race(effort, by_batch, partial(ours().fit, *table))
        ratio = seconds[0] / seconds[1]
        what = f"{name} partial_fit by {BATCH} rows / one fit, {table.shape}"
        times = [duration(time) for time in seconds]
        yield Line(what, *times, ratio, BATCH_OVERHEAD, at_most=True)


def in_batches(estimator: Any, table: Table, classes: NDArray[Any]) -> Any:
    """Return an estimator that saw a table batch by batch."""
    model = estimator()
    for start in range(0, len(table.y), BATCH):
        rows = slice(start, start + BATCH)
        model.partial_fit(table.X[rows], table.y[rows], None if start else classes)
    return model


def refits(effort: Effort, table: Table, whole: Moments) -> Iterator[Line]:
    """Yield models made of moments, against scikit-learn's made of the rows."""
    for name, (ours, theirs) in MODELS.items():
        refit = partial(ours.from_moments, whole)
        seconds = race(effort, refit, partial(theirs().fit, *table))
        yield faster(f"{name} from moments / scikit-learn's fit, {table.shape}", seconds, REFIT)
