"""Peak memory beyond input and output, each case in a fresh process.

The kernel's mark of the highest resident memory (VmHWM) is reset through /proc/self/clear_refs
when the data are there, and read after the call.
"""

from __future__ import annotations

import multiprocessing
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from comparison.contestants import MODELS
from comparison.data import SAME, Table, gaussian_classes, pixels, shape
from comparison.race import Effort
from comparison.table import Line, short

MEGABYTE = 1e6
ALLOWED = 64
MANY_CLASSES_ALLOWED = 1000
REHEARSED_ROWS = 5000
OURS, SKLEARN = 0, 1


class Case(NamedTuple):
    """A call to measure: which model and method, on which table."""

    name: str
    method: str
    n: int
    d: int
    k: int
    pixels: bool = False

    def table(self) -> Table:
        """Return the rows."""
        if self.pixels:
            return pixels(self.n, self.d, self.k).astype(np.uint16)
        return gaussian_classes(self.n, self.d, self.k, SAME)

    def allowed(self) -> float:
        """Return the megabytes that the call may take."""
        moments = {"QDA": self.k * self.d**2, "LDA": self.d**2, "GNB": self.k * self.d}[self.name]
        return ALLOWED + moments * 8 / MEGABYTE


def peak(case: Case, contestant: int) -> float:
    """Return the megabytes that a call takes at its peak, in this process, which must be fresh."""
    X, y = case.table()
    model = MODELS[case.name][contestant]()
    rehearsal = slice(REHEARSED_ROWS)
    model.fit(X[rehearsal], y[rehearsal]).predict(X[rehearsal])
    call: Callable[[], Any]
    call = (lambda: model.fit(X, y)) if case.method == "fit" else (lambda: model.predict(X))
    return peak_of(call)


def peak_of(call: Callable[[], Any]) -> float:
    """Return the megabytes that a call takes at its peak beyond its result."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = resident("VmRSS")
    result = call()
    output = result.nbytes if isinstance(result, np.ndarray) else 0
    return max(0.0, resident("VmHWM") - before - output) / MEGABYTE


def resident(field: str) -> int:
    """Return the resident memory of this process, or its peak, in bytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    match = re.search(rf"{field}:\s+(\d+) kB", status)
    if match is None:
        raise RuntimeError(f"/proc/self/status does not tell {field}")
    return int(match[1]) * 1024


def cases(effort: Effort) -> Iterator[tuple[Case, float, bool]]:
    """Return what to measure, the megabytes allowed, and whether scikit-learn is measured too."""
    for n, d, k, both in ((10_000_000, 10, 3, True), (1_000_000, 200, 10, False)):
        for name in MODELS:
            for method in ("fit", "predict"):
                case = Case(name, method, effort.rows(n, d, k), d, k)
                yield case, case.allowed(), both
    satellite = Case("QDA", "predict", effort.rows(10_000_000), 10, 15, pixels=True)
    yield satellite, satellite.allowed(), True
    k = effort.rows(20_000)
    yield Case("LDA", "fit", effort.rows(60_000, 1, k), 400, k), MANY_CLASSES_ALLOWED, False


def memory(effort: Effort) -> Iterator[Line]:
    """Fit and predict on tables much larger than what they may take."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["gauda", "sklearn.discriminant_analysis", "sklearn.naive_bayes"]
    )
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as processes:
        for case, allowed, both in cases(effort):
            ours = processes.submit(peak, case, OURS).result()
            other = f"{short(processes.submit(peak, case, SKLEARN).result())} MB" if both else ""
            what = f"{case.name} {case.method}, {shape(case.n, case.d, case.k)}"
            what += ", uint16" if case.pixels else ""
            yield Line(what, f"{short(ours)} MB", other, ours, allowed, " MB", at_most=True)
