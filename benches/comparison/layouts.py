"""Against itself: rows in Fortran order, and every second column, over rows in C order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from comparison.contestants import MODELS
from comparison.data import gaussian_classes
from comparison.race import Effort, race
from comparison.table import Line, duration

SIZES = [(300_000, 10, 3), (60_000, 50, 10), (20_000, 200, 10)]
QUESTIONS = [("LDA", "predict"), ("QDA", "predict"), ("GNB", "fit")]
FORTRAN, STRIDED = 1.2, 1.4


def layouts(effort: Effort) -> Iterator[Line]:
    """Yield the times that each order of memory takes, on one thread."""
    for n, d, k in SIZES:
        table = gaussian_classes(effort.rows(n, d, k), d, k)
        for dtype in (np.float64, np.float32):
            X = table.X.astype(dtype)
            wide = np.repeat(X, 2, axis=1)
            orders = [X, np.asfortranarray(X), wide[:, ::2]]
            for name, question in QUESTIONS:
                model = MODELS[name][0](n_threads=1).fit(X, table.y)
                seconds = race(
                    effort, *(call_of(model, question, rows, table.y) for rows in orders)
                )
                what = f"{name} {question}, {table.shape}, {np.dtype(dtype).name}"
                for order, other, limit in (
                    ("Fortran", seconds[1], FORTRAN),
                    ("strided", seconds[2], STRIDED),
                ):
                    times = duration(other), duration(seconds[0])
                    ratio = other / seconds[0]
                    yield Line(f"{what}: {order} / C", *times, ratio, limit, at_most=True)


def call_of(model: Any, question: str, rows: Any, y: Any) -> Any:
    """Return the call that answers a question."""
    return partial(model.fit, rows, y) if question == "fit" else partial(model.predict, rows)
