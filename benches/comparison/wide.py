"""Many more columns than rows, against scikit-learn, left out where it takes minutes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from threadpoolctl import threadpool_limits

from comparison.memory import peak_of
from comparison.race import Effort
from comparison.table import Line, duration, faster, short
from gauda import LDA, RDA, RegularizedDiscriminantAnalysisCV, select_model

SIZES = [(90, 1800), (300, 1500), (60, 6000), (80, 20_000)]
CLASSES = 4
SVD_TARGET = 4.0
SHRUNK_TARGET = 50.0
LARGEST_SOLVED = 2000
"""Columns up to which scikit-learn's 'lsqr' is waited for."""
FITS = {(90, 1800): 0.03, (80, 20_000): 0.3}
"""Seconds that a regularized fit may take."""
CHOICE = (80, 2000)
CHOICE_SECONDS = 2.0
SHARES = np.linspace(0, 1, 10)
MEMORY = 200.0
"""Megabytes that a fit to the widest rows may take."""


def wide(effort: Effort) -> Iterator[Line]:
    """Yield fits of one thread in CPU time, then choices among models, then memory."""
    with threadpool_limits(1):
        yield from fits(effort)
        yield from choices(effort)
    X, y = rows(*SIZES[-1])
    RDA(0.5, 0.3).fit(*rows(*SIZES[0]))
    megabytes = peak_of(lambda: RDA(0.5, 0.3).fit(X, y))
    what = f"RDA(0.5, 0.3), {SIZES[-1][0]} x {SIZES[-1][1]}, peak"
    yield Line(what, f"{short(megabytes)} MB", "", megabytes, MEMORY, " MB", at_most=True)


def fits(effort: Effort) -> Iterator[Line]:
    """Yield fits of given models."""
    for n, d in SIZES:
        X, y = rows(n, d)
        what = f"{n} x {d}, {CLASSES} classes"
        ours = LDA(n_threads=1)
        seconds = turns(effort, partial(ours.fit, X, y), partial(theirs().fit, X, y))
        yield faster(f"LDA svd, {what}", seconds, SVD_TARGET)
        for shrinkage in [0.3, "auto"]:
            params: dict[str, Any] = {"solver": "lsqr", "shrinkage": shrinkage}
            if d > LARGEST_SOLVED:
                continue
            ours = LDA(**params, n_threads=1)
            seconds = turns(effort, partial(ours.fit, X, y), partial(theirs(**params).fit, X, y))
            yield faster(f"LDA lsqr, shrinkage {shrinkage}, {what}", seconds, SHRUNK_TARGET)
        if (n, d) in FITS:
            (taken,) = turns(effort, partial(RDA(0.5, 0.3, n_threads=1).fit, X, y))
            yield at_most(f"RDA(0.5, 0.3), {what}", taken, FITS[n, d])


def choices(effort: Effort) -> Iterator[Line]:
    """Yield searches for a model."""
    X, y = rows(*CHOICE)
    grid = RegularizedDiscriminantAnalysisCV(SHARES, SHARES, cv=5, n_threads=1)
    (taken,) = turns(effort, partial(grid.fit, X, y))
    yield at_most(f"RDA, 10 x 10 grid, 5 folds, {CHOICE[0]} x {CHOICE[1]}", taken, CHOICE_SECONDS)
    (taken,) = turns(effort, partial(select_model, X, y, others=(), n_threads=1))
    yield at_most(f"select_model, {CHOICE[0]} x {CHOICE[1]}", taken, CHOICE_SECONDS)


def theirs(**params: Any) -> LinearDiscriminantAnalysis:
    """Return scikit-learn's model."""
    return LinearDiscriminantAnalysis(**params)


def rows(n: int, d: int) -> tuple[Any, Any]:
    """Return rows of classes that differ a little."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % CLASSES
    return rng.normal(size=(n, d)) + 0.2 * rng.normal(size=(CLASSES, d))[y], y


def at_most(what: str, seconds: float, allowed: float) -> Line:
    """Return a line of a time that has a bound."""
    return Line(what, duration(seconds), "", seconds, allowed, " s", at_most=True)


def turns(effort: Effort, *contestants: Callable[[], Any]) -> list[float]:
    """Return the best CPU seconds of each contestant, which take turns."""
    best = [np.inf] * len(contestants)
    for _ in range(effort.rounds):
        for place, contestant in enumerate(contestants):
            start = time.process_time()
            contestant()
            best[place] = min(best[place], time.process_time() - start)
    return best
