"""Against experts: what people write who care about speed, with every library that is installed.

Contestants come in random order, and each finds X as warm as the others do: a call that is not
timed reads it first. CPU seconds decide, since threads of one contestant may wait for another's.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from comparison.contestants import MODELS
from comparison.data import Table, gaussian_classes
from comparison.expert_fits import FITS
from comparison.expert_scores import expert_calls, installed
from comparison.machine import cores
from comparison.race import Effort
from comparison.table import Line, duration

Call = Callable[[], Any]

SIZES: list[tuple[int, int, int, Any]] = [
    (1_000_000, 10, 3, np.float64),
    (200_000, 50, 10, np.float64),
    (100_000, 200, 10, np.float64),
    (12_000, 784, 10, np.float64),
    (12_000, 784, 10, np.float32),
    (100_000, 512, 200, np.float32),
]
AIMS: dict[str, tuple[float, ...]] = {
    "QDA fit": (3.5, 3.0, 2.0, 1.2, 1.0, 0.0),
    "LDA fit": (2.5, 2.0, 2.0, 1.3, 1.0, 1.5),
    "GNB fit": (2.5, 2.5, 2.5, 2.5, 2.5, 2.5),
    "LDA predict": (2.0, 2.0, 1.5, 1.2, 1.2, 1.2),
    "QDA predict": (1.5, 1.5, 1.5, 1.5, 1.5, 0.0),
    "GNB predict": (1.5, 1.5, 1.5, 1.5, 1.5, 1.5),
    "LDA predict_proba": (0.0, 2.0, 0.0, 0.0, 0.0, 0.0),
    "GNB predict_proba": (0.0, 2.0, 0.0, 0.0, 0.0, 0.0),
    "LDA mahalanobis": (0.0, 1.2, 0.0, 0.0, 0.0, 1.2),
}
"""Times faster than the best of the others, size by size; 0 where the case is left out."""

ALIKE = 0.99
"""The share of answers that must be ours; experts' short formulas round more than we do."""

LEAST_TURN = 0.02
"""Seconds: calls shorter than that are repeated."""


class Seconds(NamedTuple):
    """The best of some calls."""

    cpu: float
    wall: float


def experts(effort: Effort) -> Iterator[Line]:
    """Yield fits and answers against the best of all others, on one thread and on all."""
    counts = (1, None) if cores() > 1 else (1,)
    for place, (n, full, k, dtype) in enumerate(SIZES):
        d = effort.columns(full)
        classes = k if AIMS["QDA fit"][place] else 1
        rows = min(n, effort.rows(n, d, classes))
        table = gaussian_classes(rows, d, k, dtype=dtype)
        for case, aims in AIMS.items():
            if not aims[place]:
                continue
            for threads in counts:
                seconds = run(effort, case, table, threads)
                yield line(case, table, threads, seconds, aims[place])


def run(effort: Effort, case: str, table: Table, threads: int | None) -> dict[str, Seconds]:
    """Return the seconds of each contestant."""
    with threadpool_limits(threads):
        hold_torch(threads)
        contestants = calls(case, table, threads)
        return warm_race(effort, contestants, table)


def calls(case: str, table: Table, threads: int | None) -> dict[str, Call]:
    """Return what each contestant does, ours first; those that are not installed are left out."""
    name, method = case.split()
    ours = MODELS[name][0](n_threads=threads)
    if method == "fit":
        found: dict[str, Call] = {"gauda": partial(ours.fit, *table)}
        return found | {
            who: partial(fit, table) for who, fit in FITS[name].items() if installed(who)
        }
    stored = {} if name == "GNB" else {"store_covariance": True}
    fitted = MODELS[name][0](n_threads=threads, **stored).fit(*table)
    found = {"gauda": partial(getattr(fitted, method), table.X)}
    found |= expert_calls(name, method, fitted, table)
    check_answers(found)
    return found


def check_answers(found: dict[str, Call]) -> None:
    """Raise if a contestant's answers are not ours: a race of unlike tasks says nothing."""
    ours = found["gauda"]()
    for who, call in found.items():
        alike = np.isclose(np.asarray(call()), ours, rtol=0.01, atol=0.01).mean()
        if alike < ALIKE:
            message = f"{who} answers differently: {alike:.1%} of its answers are ours."
            raise RuntimeError(message)


def hold_torch(threads: int | None) -> None:
    """Tell torch, which has threads of its own, how many there are."""
    if installed("torch"):
        import torch  # noqa: PLC0415 (may not be installed)

        torch.set_num_threads(threads or torch.get_num_threads())


def warm_race(effort: Effort, contestants: dict[str, Call], table: Table) -> dict[str, Seconds]:
    """Return the best seconds of each, in an order that is drawn anew in each round."""
    best = dict.fromkeys(contestants, Seconds(np.inf, np.inf))
    order = list(contestants)
    drawn = random.Random(0)  # noqa: S311 (no secret)
    for _ in range(1 + effort.rounds):
        drawn.shuffle(order)
        for who in order:
            table.X.max()
            best[who] = Seconds(*map(min, best[who], timed(contestants[who], effort)))
    return best


def timed(call: Call, effort: Effort) -> Seconds:
    """Return the seconds of a call; the mean of several if it is short."""
    wall, cpu, count = time.perf_counter(), time.process_time(), 0
    while not count or time.perf_counter() - wall < min(LEAST_TURN, effort.turn):
        call()
        count += 1
    return Seconds((time.process_time() - cpu) / count, (time.perf_counter() - wall) / count)


def line(
    case: str, table: Table, threads: int | None, seconds: dict[str, Seconds], aim: float
) -> Line:
    """Return ours against the best of the others."""
    ours = seconds.pop("gauda")
    who = min(seconds, key=lambda who: seconds[who].cpu)
    many = "all threads" if threads is None else "1 thread"
    what = f"{case}, {table.shape}, {table.X.dtype}, {many}"
    measured = f"{duration(ours.cpu)} ({duration(ours.wall)})"
    return Line(
        what, measured, f"{who} {duration(seconds[who].cpu)}", seconds[who].cpu / ours.cpu, aim
    )
