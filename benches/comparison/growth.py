"""How time grows with rows, classes and columns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from comparison.contestants import MODELS
from comparison.data import Table, count, gaussian_classes
from comparison.race import Effort, race
from comparison.table import Line, duration, short

ROWS = [10_000, 100_000, 1_000_000, 10_000_000]
FLAT = 1.2
MANY_CLASSES = [30, 100, 300, 1000]
MANY_COLUMNS = [256, 512, 1024, 2048]
ROWS_PER_CLASS = 200
ROWS_PER_COLUMN = 4
SCORED_ROWS = 20_000
SCORED_ENTRIES = 1 << 22
NO_CLIFF = 1.25


def rows(effort: Effort) -> Iterator[Line]:
    """Time per row over the number of rows: the slowest against the fastest."""
    X, y = gaussian_classes(effort.rows(ROWS[-1]), 10, 3)
    sizes = [effort.rows(n) for n in ROWS]
    for name, (model, _) in MODELS.items():
        fitted = model().fit(X[:10_000], y[:10_000])
        contestants = {
            "fit": [partial(model().fit, X[:n], y[:n]) for n in sizes],
            "predict": [partial(fitted.predict, X[:n]) for n in sizes],
        }
        for method, runs in contestants.items():
            per_row = np.array(race(effort, *runs)) / sizes * 1e9
            times = f"{' '.join(short(time) for time in per_row)} ns"
            what = f"{name} {method}, d = 10, n = {count(sizes[0])} … {count(sizes[-1])}, time / n"
            yield Line(what, times, "", per_row.max() / per_row.min(), FLAT, at_most=True)


def classes(effort: Effort) -> Iterator[Line]:
    """From 30 to 1000 classes of 64 columns; the work to fit and to predict grows like K."""
    d = 64
    sizes = MANY_CLASSES if effort.shrink == 1 else MANY_CLASSES[:-1]
    tables = [gaussian_classes(ROWS_PER_CLASS * k, d, k) for k in sizes]
    scored = [np.resize(X, (effort.rows(SCORED_ROWS), d)) for X, _ in tables]
    for name in ("QDA", "LDA"):
        fit, predict = fit_and_predict(effort, name, tables, scored)
        yield cliff(f"{name} fit, d = {d}, K", sizes, fit, power=1)
        yield cliff(f"{name} predict, d = {d}, K", sizes, predict, power=1)


def columns(effort: Effort) -> Iterator[Line]:
    """From 256 to 2048 columns of 2 classes, with n like d to fit, and n d constant to predict."""
    sizes = MANY_COLUMNS if effort.shrink == 1 else MANY_COLUMNS[:-1]
    tables = [gaussian_classes(ROWS_PER_COLUMN * d, d, 2) for d in sizes]
    scored = [
        np.resize(X, (effort.rows(SCORED_ENTRIES // d), d))
        for (X, _), d in zip(tables, sizes, strict=True)
    ]
    for name, power in (("QDA", 1), ("LDA", 0)):
        fit, predict = fit_and_predict(effort, name, tables, scored)
        yield cliff(f"{name} fit, K = 2, d", sizes, fit, power=3)
        yield cliff(f"{name} predict, K = 2, d", sizes, predict, power=power)


def fit_and_predict(
    effort: Effort, name: str, tables: list[Table], scored: list[NDArray[np.float64]]
) -> tuple[list[float], list[float]]:
    """Return the seconds to fit each table, and to predict the rows beside it."""
    models = [MODELS[name][0]() for _ in tables]
    fits = [partial(model.fit, *table) for model, table in zip(models, tables, strict=True)]
    predicts = [partial(model.predict, X) for model, X in zip(models, scored, strict=True)]
    return race(effort, *fits), race(effort, *predicts)


def cliff(what: str, sizes: list[int], seconds: list[float], power: int) -> Line:
    """Judge the largest size against the log-log line, of known slope, through the smaller ones."""
    cost = np.log(seconds) - power * np.log(sizes)
    excess = np.exp(cost[-1] - cost[:-1].mean())
    law = ["time", f"time / {what[-1]}", f"time / {what[-1]}^{power}"][min(power, 2)]
    span = f"{what} = {sizes[0]} … {sizes[-1]}, {law}"
    return Line(span, duration(seconds[-1]), "", excess, NO_CLIFF, at_most=True)


def growth(effort: Effort) -> Iterator[Line]:
    """Rows, then classes, then columns."""
    yield from rows(effort)
    yield from classes(effort)
    yield from columns(effort)
