"""Against itself: two threads and one, uint16 and float32, labels alone and all scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comparison.contestants import MODELS, core
from comparison.data import SAME, Table, gaussian_classes, noisy_digits, pixels
from comparison.race import Effort, race
from comparison.table import Line, faster

TWO_THREADS = 1.8

Maker = Callable[[int, int, int], Table]


def digits(n: int, _d: int, _k: int) -> Table:
    """Return digits, whose numbers of columns and classes are given."""
    return noisy_digits(n)


alike = partial(gaussian_classes, classes=SAME)

CASES: list[tuple[str, tuple[int, int, int], float, Maker]] = [
    ("noisy digits", (100_000, 64, 10), 1.8, digits),
    ("Gaussian classes", (400_000, 16, 26), 1.4, gaussian_classes),
    ("Gaussian classes", (200_000, 35, 57), 3.0, gaussian_classes),
    ("Gaussian classes", (100_000, 200, 10), 3.0, gaussian_classes),
    ("Gaussian classes", (50_000, 128, 100), 2.0, gaussian_classes),
    ("classes all alike", (400_000, 10, 3), 0.95, alike),
    ("classes all alike", (200_000, 50, 10), 0.95, alike),
]
"""Name, rows, columns and classes, how many times faster labels should be, and the data."""


def labels(effort: Effort) -> Iterator[Line]:
    """QDA's predict against the pass that writes the joint log-density of every class."""
    for name, (n, d, k), target, table_of in CASES:
        table = table_of(effort.rows(n, d, k), d, k)
        qda = MODELS["QDA"][0]().fit(*table)
        joint = np.empty((len(table.X), k))
        scores = partial(core(qda).answer, table.X, joint=joint)
        seconds = race(effort, partial(qda.predict, table.X), scores)
        accuracy = np.mean(joint.argmax(axis=1) == table.y)
        what = f"{name}, {table.shape}, accuracy {accuracy:.2f}"
        yield faster(what, seconds, target)


def threads(effort: Effort) -> Iterator[Line]:
    """Two threads against one, on work that memory does not bound."""
    n, d, k = 100_000, 200, 10
    table = gaussian_classes(effort.rows(n, d, k), d, k)
    for name in ("QDA", "LDA"):
        fits = [partial(MODELS[name][0](n_threads=count).fit, *table) for count in (2, 1)]
        yield faster(f"{name} fit, {table.shape}", race(effort, *fits), TWO_THREADS)
    model = core(MODELS["QDA"][0]().fit(*table))
    answers: dict[str, NDArray[Any]] = {
        "label": np.empty(len(table.X), dtype=np.uint32),
        "joint": np.empty((len(table.X), k)),
    }
    for name, out in answers.items():
        passes = [partial(model.answer, table.X, count, **{name: out}) for count in (2, 1)]
        yield faster(f"QDA {name}, {table.shape}", race(effort, *passes), TWO_THREADS)


def uint16(effort: Effort) -> Iterator[Line]:
    """QDA's predict on a tenth of a satellite's tile, as uint16 and as float32."""
    table = pixels(effort.rows(10_000_000))
    qda = MODELS["QDA"][0]().fit(table.X[:100_000], table.y[:100_000])
    predicts = [partial(qda.predict, X) for X in (table.X.astype(np.uint16), table.X)]
    yield faster(f"QDA predict, {table.shape}", race(effort, *predicts), 1.0)
