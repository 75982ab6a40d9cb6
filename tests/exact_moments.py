"""Moments in exact arithmetic: of rows on a grid, so that integers hold every sum."""

from fractions import Fraction

import numpy as np

STRUCTURES = ["full", "tied", "diag"]
GRID = 64


class Sample:
    """Rows on a grid of 1/64 about a center, labels, and whole weights; all exact as doubles."""

    def __init__(self, size, seed, *, far=0, weighted=False):
        n, d, n_classes = size
        rng = np.random.default_rng(seed)
        self.y = rng.permutation(np.arange(n) % n_classes)
        self.center = far
        mixing = np.eye(d, dtype=int) + np.tri(d, k=-1, dtype=int)
        noise = rng.integers(-100, 100, (n, d)) @ mixing
        self.grid = noise + rng.integers(-60, 60, (n_classes, d))[self.y]
        self.X = self.grid / GRID + far
        self.weights = rng.integers(1, 5, n).astype(float) if weighted else None

    def __repr__(self):
        return f"Sample({self.X.shape}, about {self.center}, weighted={self.weights is not None})"

    def part(self, rows):
        """Return X, y and weights of some rows."""
        X, y = self.X[rows], self.y[rows]
        return X, y, self.weights[rows] if self.weights is not None and len(y) else None

    def exact(self, rows=slice(None)):
        """Return labels, counts, means less the center, and scatters of some rows."""
        y = self.y[rows]
        weights = np.ones(len(y)) if self.weights is None else self.weights[rows]
        labels = np.unique(y)
        classes = [exact_class(self.grid[rows][y == k], weights[y == k]) for k in labels]
        counts, means, scatters = zip(*classes, strict=True)
        return labels, np.array(counts, float), np.array(means), np.array(scatters)


def exact_class(grid, weights):
    """Return weight, mean and scatter of rows, rounded once at the end."""
    Z, w = grid.astype(object), weights.astype(int).astype(object)
    weight = sum(w)
    sums, products = w @ Z, (w[:, np.newaxis] * Z).T @ Z
    # Multiplied by the weight, so that everything is whole until the last division.
    scatter = weight * products - np.outer(sums, sums)
    mean = [float(Fraction(int(s), int(weight) * GRID)) for s in sums]
    rounded = [float(Fraction(int(s), int(weight) * GRID**2)) for s in scatter.flat]
    return int(weight), np.array(mean), np.array(rounded).reshape(scatter.shape)


def structured(scatters, structure):
    """Return class scatters as moments of this structure hold them."""
    if structure == "full":
        return scatters
    return scatters.sum(axis=0) if structure == "tied" else np.einsum("kii->ki", scatters)


def spreads(scatters, structure):
    """Return what errors of each entry are compared with: products of roots of the diagonal."""
    roots = np.sqrt(np.einsum("...ii->...i", scatters))
    return structured(roots[..., :, np.newaxis] * roots[..., np.newaxis, :], structure)


def assert_exact(moments, sample, rows=slice(None), rtol=1e-12):
    """Hold moments against exact ones, each entry relative to the spread of its columns."""
    labels, counts, means, scatters = sample.exact(rows)
    np.testing.assert_array_equal(moments.classes, labels)
    np.testing.assert_array_equal(moments.counts, counts)
    size = np.abs(means + sample.center).max() + 1
    np.testing.assert_allclose(moments.means, means + sample.center, rtol=0, atol=rtol * size)
    expected = structured(scatters, moments.structure)
    error = np.abs(moments.scatter - expected)
    assert (error <= rtol * spreads(scatters, moments.structure)).all(), error.max()
