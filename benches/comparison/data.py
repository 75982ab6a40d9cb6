"""The tables to fit and to score: Gaussian classes, digits, pixels. The same on every run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits


class Table(NamedTuple):
    """Rows in random order, and their classes."""

    X: NDArray[Any]
    y: NDArray[np.int64]

    @property
    def shape(self) -> str:
        """Rows x columns x classes, as text."""
        n, d = self.X.shape
        return shape(n, d, self.y.max() + 1)

    def astype(self, dtype: Any) -> Table:
        """Return the same values in another type."""
        return Table(self.X.astype(dtype, copy=False), self.y)


class Classes(NamedTuple):
    """How far classes lie apart: per column, in standard deviations, and in their covariances."""

    apart: float
    unlike: float


def shape(n: int, d: int, k: int) -> str:
    """Return rows x columns x classes, as text."""
    return f"{count(n)} x {d} x {k}"


def count(n: int) -> str:
    """Return 10M for ten million."""
    for unit, size in (("M", 10**6), ("k", 10**3)):
        if n % size == 0:
            return f"{n // size}{unit}"
    return str(n)


SEPARATED = Classes(apart=2.0, unlike=0.3)
CLOSE = Classes(apart=0.1, unlike=0.0)
SAME = Classes(apart=0.0, unlike=0.0)

DIRECTIONS = 16
PART = 1 << 14


def class_means(random: np.random.Generator, k: int, d: int, apart: float) -> NDArray[np.float64]:
    """Return means that differ most along a few directions, as in real data.

    So most pairs of classes lie far apart and a few close together.
    """
    weights = random.standard_normal((k, DIRECTIONS)) / np.arange(1, DIRECTIONS + 1)
    means: NDArray[np.float64] = weights @ random.standard_normal((DIRECTIONS, d))
    means -= means.mean(axis=0)
    means *= apart / np.sqrt(2 * np.mean(means**2))
    return means


def gaussian_classes(
    n: int, d: int, k: int, classes: Classes = SEPARATED, dtype: Any = np.float64
) -> Table:
    """Return n rows of d columns from k Gaussian classes."""
    random = np.random.default_rng(0)
    y = random.integers(k, size=n)
    y[-k:] = np.arange(k)  # no class is empty
    means = class_means(random, k, d, classes.apart).astype(dtype)
    X = random.standard_normal((n, d), dtype=dtype)
    if classes.unlike:
        ends = np.cumsum(np.bincount(y, minlength=k))[:-1]
        for rows in np.split(np.argsort(y, kind="stable"), ends):
            mixing = np.eye(d) + classes.unlike / np.sqrt(d) * random.standard_normal((d, d))
            X[rows] = X[rows] @ mixing.astype(dtype)
    for start in range(0, n, PART):  # no second table
        X[start : start + PART] += means[y[start : start + PART]]
    return Table(X, y)


def noisy_digits(n: int) -> Table:
    """Return n noisy copies of scikit-learn's 1797 digits of 8 x 8 pixels."""
    random = np.random.default_rng(0)
    X, y = load_digits(return_X_y=True)
    chosen = random.integers(len(X), size=n)
    return Table(X[chosen] + random.standard_normal((n, X.shape[1])), y[chosen])


def pixels(n: int, d: int = 10, k: int = 15) -> Table:
    """Return counts of a satellite's bands over k kinds of ground, as float32 of whole numbers."""
    X, y = gaussian_classes(n, d, k, dtype=np.float32)
    X *= 200
    X += 4000
    np.rint(X, out=X)
    return Table(X, y)
