"""Decisions against plain answers: several in one pass, and labels of least expected cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comparison.contestants import MODELS
from comparison.data import gaussian_classes
from comparison.race import Effort, race
from comparison.table import Line, duration

SIZES = [(1_000_000, 10, 3), (200_000, 50, 10)]
OUTPUTS = ("label", "proba", "log_density", "mahalanobis")
TOGETHER, WITH_COST = 1.3, 1.2


def decisions(effort: Effort) -> Iterator[Line]:
    """Yield four answers against the dearest of them alone, and predict with costs.

    New arrays take most of the time where rows are short: their pages are touched first.
    """
    for n, d, k in SIZES:
        table = gaussian_classes(effort.rows(n, d, k), d, k)
        cost = np.random.default_rng(0).uniform(1, 2, size=(k, k)) - np.eye(k)
        for name in MODELS:
            model = MODELS[name][0]().fit(*table)
            out = arrays(len(table.X), k)
            for given, arrived in ((out, "given"), (None, "new")):
                parts = [(*OUTPUTS,), *((output,) for output in OUTPUTS)]
                asked = [partial(answer, model, table.X, part, given) for part in parts]
                ours, *others = race(effort, *asked)
                what = f"{name}, four answers in {arrived} arrays, {table.shape}"
                yield times(what, ours, max(others), TOGETHER)
            weighed = partial(model.predict, table.X, cost=cost)
            seconds = race(effort, weighed, partial(model.predict_proba, table.X))
            what = f"{name} predict with costs / predict_proba, {table.shape}"
            yield times(what, *seconds, WITH_COST)


def arrays(n: int, k: int) -> dict[str, NDArray[Any]]:
    """Return arrays for the answers, their pages touched."""
    return {
        "label": np.zeros(n, dtype=np.int64),
        "proba": np.ones((n, k)),
        "log_density": np.ones(n),
        "mahalanobis": np.ones((n, k)),
    }


def answer(
    model: Any, X: NDArray[Any], outputs: Sequence[str], out: dict[str, NDArray[Any]] | None
) -> None:
    """Ask for some answers, in given arrays if there are any."""
    model.classify(X, outputs, out=out and {output: out[output] for output in outputs})


def times(what: str, ours: float, other: float, target: float) -> Line:
    """Return a line with how many times the other's time ours may be."""
    return Line(what, duration(ours), duration(other), ours / other, target, at_most=True)
