"""Rows drawn from QDA, against numpy's drawing from the same Gaussians class by class."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from comparison.data import class_means, shape
from comparison.race import Effort, race
from comparison.table import Line, faster
from gauda import QDA

CLASSES = 5
SIZES = [(1_000_000, 10), (200_000, 50)]
TARGETS = {2: 5.0, 1: 2.5}
"""By number of threads; numpy's matrix product has all cores."""

Matrix = NDArray[np.float64]


def sampling(effort: Effort) -> Iterator[Line]:
    """Yield QDA's sample with one thread and with two, against both of numpy's factorisations."""
    for n, d in SIZES:
        rows = effort.rows(n, d, CLASSES)
        means, covariances = gaussians(d)
        for method in ("svd", "cholesky"):
            theirs = partial(by_numpy, rows, means, covariances, method)
            for threads, target in TARGETS.items():
                model = QDA.from_parameters(means, covariances, n_threads=threads)
                what = f"sample, {threads} threads / {method}, {shape(rows, d, CLASSES)}"
                yield faster(what, race(effort, partial(model.sample, rows, 0), theirs), target)


def gaussians(d: int) -> tuple[Matrix, Matrix]:
    """Return means and covariances."""
    random = np.random.default_rng(0)
    mixing = np.eye(d) + 0.3 / np.sqrt(d) * random.standard_normal((CLASSES, d, d))
    return class_means(random, CLASSES, d, apart=2.0), mixing @ mixing.transpose(0, 2, 1)


def by_numpy(n: int, means: Matrix, covariances: Matrix, method: str) -> tuple[Matrix, Matrix]:
    """Draw how many rows each class has, then the rows of each; their order is left sorted."""
    random = np.random.default_rng(0)
    counts = random.multinomial(n, np.full(CLASSES, 1 / CLASSES))
    parts = zip(means, covariances, counts, strict=True)
    drawn = [random.multivariate_normal(*part, method=method) for part in parts]
    return np.concatenate(drawn), np.repeat(np.arange(CLASSES), counts)
