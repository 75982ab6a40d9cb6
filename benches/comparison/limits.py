"""Against the machine: BLAS for arithmetic, a plain sum for reading memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from comparison.contestants import MODELS, core
from comparison.data import gaussian_classes
from comparison.race import Effort, race
from comparison.table import Line
from gauda import _core

GEMM = 2000
CLASSES = 10
SCORED_ENTRIES = 8_000_000
SCORE_SIZES = [(200_000, 50), (100_000, 200), (20_000, 784)]
SCATTER_SIZES = [(200_000, 200), (20_000, 784)]
STREAM_SIZES = [(4_000_000, 10), (200_000, 200)]
FULL_SPEED = 0.95
SCATTER_SPEED = 0.85
BANDWIDTH = 0.6


def gemm(dtype: Any) -> Callable[[], Any]:
    """Return numpy's product of two square matrices."""
    random = np.random.default_rng(0)
    left, right = (random.standard_normal((GEMM, GEMM)).astype(dtype) for _ in range(2))
    return partial(np.matmul, left, right, out=np.empty_like(left))


def rate(
    what: str, amounts: Sequence[float], seconds: Sequence[float], unit: str, target: float
) -> Line:
    """Return a line of two speeds, ours and the machine's, with the share to reach."""
    ours, other = (amount / second / 1e9 for amount, second in zip(amounts, seconds, strict=True))
    return Line(what, f"{ours:.1f} {unit}", f"{other:.1f} {unit}", ours / other, target)


def arithmetic(effort: Effort) -> Iterator[Line]:
    """QDA's scores and LDA's scatter, in useful flops, against numpy's product of matrices."""
    for n, d in SCORE_SIZES:
        table = gaussian_classes(effort.rows(n, d, CLASSES), d, CLASSES)
        model = core(MODELS["QDA"][0]().fit(*table))
        for dtype, letter in ((np.float64, "d"), (np.float32, "s")):
            X = table.X[: effort.rows(SCORED_ENTRIES // d)].astype(dtype)
            out = np.empty((len(X), CLASSES), dtype=dtype)
            scores = partial(model.answer, X, mahalanobis=out)
            flops = [len(X) * CLASSES * d**2, 2 * GEMM**3]
            seconds = race(effort, scores, gemm(dtype))
            what = f"QDA scores, d = {d}, K = {CLASSES} ({letter}gemm)"
            yield rate(what, flops, seconds, "GFLOP/s", FULL_SPEED)
    for n, d in SCATTER_SIZES:
        X, y = gaussian_classes(effort.rows(n, d), d, CLASSES)
        codes = y.astype(np.uint32)
        scatter = partial(_core.Moments.from_data, X, codes, CLASSES, "tied")
        seconds = race(effort, scatter, gemm(np.float64))
        what = f"LDA scatter, d = {d} (dgemm)"
        yield rate(what, [len(X) * d**2, 2 * GEMM**3], seconds, "GFLOP/s", SCATTER_SPEED)


def bandwidth(effort: Effort) -> Iterator[Line]:
    """Naive Bayes' fit and LDA's predict, in bytes of X, against the sum of X."""
    for n, d in STREAM_SIZES:
        table = gaussian_classes(effort.rows(n, d), d, 3)
        lda = MODELS["LDA"][0]().fit(*table)
        bayes = MODELS["GNB"][0]()
        contestants = {
            "GNB fit": partial(bayes.fit, *table),
            "LDA predict": partial(lda.predict, table.X),
        }
        for name, run in contestants.items():
            seconds = race(effort, run, table.X.sum)
            what = f"{name}, {table.shape}"
            yield rate(what, [table.X.nbytes] * 2, seconds, "GB/s", BANDWIDTH)
