"""Predictions for rows with missing values: against complete rows, and against a loop in numpy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comparison.contestants import MODELS
from comparison.data import gaussian_classes
from comparison.race import Effort, race
from comparison.table import Line, duration, faster

PATTERNS = 20
SHARE = 0.3
"""Of the values, how many are missing."""

SIZES = [(200_000, 20, 5), (100_000, 50, 10)]
MOST = 3.0
"""Times that complete rows take."""

LOOP_ROWS = 2000
"""Rows in which no two lack the same columns."""
LOOP_SIZES = [(20, 5), (50, 10)]
LOOP_TARGET = 10.0


def missing(effort: Effort) -> Iterator[Line]:
    """Yield few patterns against complete rows, then one pattern for each row against numpy."""
    for n, d, k in SIZES:
        table = gaussian_classes(effort.rows(n, d, k), d, k)
        rows = with_patterns(table.X)
        for name, (ours, _) in MODELS.items():
            model = ours(missing="marginalize").fit(*table)
            predict = [partial(model.predict, X) for X in (rows, table.X)]
            gapped, complete = race(effort, *predict)
            what = f"{name} predict, {PATTERNS} patterns / complete, {table.shape}"
            times = duration(gapped), duration(complete)
            yield Line(what, *times, gapped / complete, MOST, at_most=True)
    for d, k in LOOP_SIZES:
        table = gaussian_classes(10 * LOOP_ROWS, d, k)
        rows = with_gaps(table.X[: effort.rows(LOOP_ROWS)])
        model = MODELS["QDA"][0](missing="marginalize", store_covariance=True).fit(*table)
        seconds = race(effort, partial(model.predict, rows), partial(loop, model, rows))
        what = f"QDA predict, {len(rows)} patterns / numpy, {len(rows)} x {d} x {k}"
        yield faster(what, seconds, LOOP_TARGET)


def with_gaps(X: NDArray[Any]) -> NDArray[Any]:
    """Return a copy in which values are missing by chance, but never all of a row."""
    gaps = np.random.default_rng(0).random(X.shape) < SHARE
    gaps[:, 0] &= ~gaps.all(axis=1)
    return np.where(gaps, np.nan, X)


def with_patterns(X: NDArray[Any]) -> NDArray[Any]:
    """Return a copy whose rows each have one of a few patterns."""
    random = np.random.default_rng(0)
    patterns = np.isnan(with_gaps(np.zeros((PATTERNS, X.shape[1]))))
    return np.where(patterns[random.integers(PATTERNS, size=len(X))], np.nan, X)


def loop(model: Any, X: NDArray[Any]) -> NDArray[Any]:
    """Predict row by row, for all classes at once."""
    means, covariances = model.means_, np.stack(model.covariance_)
    log_prior = np.log(model.priors_)
    best = np.empty(len(X), dtype=np.intp)
    for i, x in enumerate(X):
        there = np.flatnonzero(~np.isnan(x))
        lower = np.linalg.cholesky(covariances[:, there[:, np.newaxis], there])
        apart = (x[there] - means[:, there])[:, :, np.newaxis]
        whitened = np.linalg.solve(lower, apart)[:, :, 0]
        log_volume = np.log(np.einsum("kii->ki", lower)).sum(axis=1)
        best[i] = np.argmax(log_prior - log_volume - np.square(whitened).sum(axis=1) / 2)
    labels: NDArray[Any] = model.classes_[best]
    return labels
