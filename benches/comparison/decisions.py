"""Decisions against plain answers: several in one pass, and labels of least expected cost."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from comparison.contestants import MODELS
from comparison.data import gaussian_classes
from comparison.race import Effort, race
from comparison.table import Line, duration

SIZES = [(1_000_000, 10, 3), (200_000, 50, 10)]
OUTPUTS = ("label", "proba", "log_density", "mahalanobis")
TOGETHER, WITH_COST = 1.3, 1.2


def decisions(effort: Effort) -> Iterator[Line]:
    """Yield four answers against the dearest of them alone, and predict with costs."""
    for n, d, k in SIZES:
        table = gaussian_classes(effort.rows(n, d, k), d, k)
        cost = np.random.default_rng(0).uniform(1, 2, size=(k, k)) - np.eye(k)
        for name in MODELS:
            model = MODELS[name][0]().fit(*table)
            alone = [partial(model.classify, table.X, output) for output in OUTPUTS]
            together = partial(model.classify, table.X, OUTPUTS)
            ours, *others = race(effort, together, *alone)
            what = f"{name}, {' + '.join(OUTPUTS)}, {table.shape}"
            yield times(what, ours, max(others), TOGETHER)
            weighed = partial(model.predict, table.X, cost=cost)
            seconds = race(effort, weighed, partial(model.predict_proba, table.X))
            what = f"{name} predict with costs / predict_proba, {table.shape}"
            yield times(what, *seconds, WITH_COST)


def times(what: str, ours: float, other: float, target: float) -> Line:
    """Return a line with how many times the other's time ours may be."""
    return Line(what, duration(ours), duration(other), ours / other, target, at_most=True)
