"""Partial Wilks' lambda of every column, given those of a set that grows and shrinks.

The scatter W within classes and the class means M, weighted, make a matrix [[W, M'], [M, 0]] in
units in which W has a unit diagonal. Swept by the columns of a set it holds at once what is left of
the others and what each of the set alone explains: a step costs O((n_features + n_classes)^2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gauda._support.arrays import Floats

TOLERANCE = 1e-8
"""Share of its variance that a column must have left to enter, as SAS's SINGULAR=."""

MAX_SWEEPS, MIN_PIVOT = 250, 1e-3
"""The matrix is made anew after so many sweeps, or by so little of a column: rounding adds up."""


class Partial(NamedTuple):
    """Partial statistics of all columns, NaN where a column cannot enter."""

    log_lambda: Floats
    """Logarithm of the factor by which Wilks' lambda changes with the column."""
    f: Floats
    """F to enter of columns outside the set, and to remove of those inside."""
    df_num: int
    df_den: Floats


class Sweeps:
    """A set of columns, empty at first."""

    def __init__(self, scatter: Floats, deviations: Floats, n_rows: float) -> None:
        d = len(scatter)
        units = np.sqrt(np.diag(scatter))
        self.constant = ~(units > 0)
        safe = np.where(self.constant, 1.0, units)
        means = np.where(self.constant, 0.0, deviations / safe)
        within = scatter / np.outer(safe, safe)
        within[np.diag_indices(d)] = 1.0
        corner = np.zeros((len(deviations), len(deviations)))
        self.start = np.block([[within, means.T], [means, corner]])
        self.matrix, self.room = self.start.copy(), np.empty_like(self.start)
        self.inner = np.eye(len(deviations))
        self.log_lambda = 0.0
        """Logarithm of Wilks' lambda of the set."""
        self.found: Partial | None = None
        self.inside = np.zeros(d, dtype=bool)
        self.n_classes, self.n_rows = len(deviations), float(n_rows)
        self.sweeps = 0

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.inside)

    def toggle(self, column: int) -> None:
        """Put a column into the set, or take it out."""
        change = float(self.partial().log_lambda[column])
        sign = -1.0 if self.inside[column] else 1.0
        pivot, row = self.matrix[column, column], self.matrix[column].copy()
        scaled = row / pivot
        self._follow(row[self.n_features :], pivot)
        np.multiply.outer(row, scaled, out=self.room)  # BLAS's threads would take longer
        self.matrix -= self.room
        self.matrix[column] = self.matrix[:, column] = sign * scaled
        self.matrix[column, column] = -1 / pivot
        self.inside[column] = not self.inside[column]
        self.log_lambda += sign * change
        self.found = None
        self.sweeps += 1
        if self.sweeps % MAX_SWEEPS == 0 or sign * pivot < MIN_PIVOT:
            self.refresh()

    def _follow(self, means: Floats, pivot: float) -> None:
        """Change the inverse of 1 + M inv(W) M' of the set by a column, whose pivot is given."""
        along = self.inner @ means
        self.inner = self.inner - np.outer(along, along / (pivot + along @ means))

    def refresh(self) -> None:
        """Make the matrix anew."""
        chosen = np.flatnonzero(self.inside)
        inverse = np.linalg.inv(self.start[np.ix_(chosen, chosen)])
        slopes = inverse @ self.start[chosen]
        matrix = self.start - self.start[:, chosen] @ slopes
        matrix[chosen], matrix[:, chosen] = slopes, slopes.T
        matrix[np.ix_(chosen, chosen)] = -inverse
        self.matrix, self.found = matrix, None
        d = self.n_features
        inner = np.eye(self.n_classes) - matrix[d:, d:]
        self.inner = np.linalg.inv(inner)
        self.log_lambda = -float(np.linalg.slogdet(inner)[1])

    def partial(self) -> Partial:
        """Return the partial statistics of all columns."""
        if self.found is None:
            self.found = self._partial()
        return self.found

    def _partial(self) -> Partial:
        d, k, size = self.n_features, self.n_classes, int(self.inside.sum())
        left = np.diag(self.matrix)[:d] * np.where(self.inside, -1, 1)
        means = self.matrix[:d, d:]
        squares = (means * (means @ self.inner)).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.maximum(squares, 0) / left
            ratio[self.inside] = ratio[self.inside] / np.maximum(1 - ratio[self.inside], 0)
        barred = self.constant | (~self.inside & ~(left > TOLERANCE))
        ratio = np.where(barred, np.nan, ratio)
        df_den = self.n_rows - k - size + self.inside
        ratio = np.where(df_den >= 1, ratio, np.nan)
        return Partial(-np.log1p(ratio), ratio * df_den / (k - 1), k - 1, df_den)
