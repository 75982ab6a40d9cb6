"""Time contestants side by side: they take turns, and of each the best time counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from timeit import Timer
from typing import Any

import numpy as np

MAX_QUICK_COLUMNS = 100


@dataclass(frozen=True)
class Effort:
    """How long to measure, and on how much data."""

    rounds: int
    turn: float
    """Seconds; a contestant is called again until its turn is over."""
    rest: float
    """Seconds before each round: OpenBLAS's threads spin for 0.1 s before they free their core."""
    shrink: int
    """Tables have this many times fewer rows."""
    scene_share: int = 10
    """Whole scenes have this many times fewer rows than real ones."""

    def rows(self, n: int, d: int = 1, k: int = 1) -> int:
        """Return the number of rows to use instead of n; each class has more rows than columns."""
        return n if self.shrink == 1 else max(n // self.shrink, 2 * d * k)

    def columns(self, d: int) -> int:
        """Return the number of columns to use instead of d: few of them take few rows too."""
        return d if self.shrink == 1 else min(d, MAX_QUICK_COLUMNS)


FULL = Effort(rounds=4, turn=0.1, rest=0.12, shrink=1)
QUICK = Effort(rounds=1, turn=0.0, rest=0.0, shrink=100)


def race(effort: Effort, *contestants: Callable[[], Any], calls: int = 1) -> list[float]:
    """Return the best seconds per call of each contestant; name ours first, it starts rested."""
    best = np.full(len(contestants), np.inf)
    for _ in range(effort.rounds):
        time.sleep(effort.rest)
        turns = [best_call(contestant, effort.turn, calls) for contestant in contestants]
        best = np.minimum(best, turns)
    return list(best)


def best_call(contestant: Callable[[], Any], turn: float, calls: int) -> float:
    """Return the best seconds per call, of `calls` together, while the turn lasts."""
    timer = Timer(contestant)
    best = np.inf
    end = time.perf_counter() + turn
    while True:
        best = min(best, timer.timeit(calls) / calls)
        if time.perf_counter() >= end:
            return best
