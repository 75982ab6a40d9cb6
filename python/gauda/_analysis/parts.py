"""Gaussians of some columns: marginal ones, and conditional ones given the values of the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauda._analysis.gaussians import Gaussians, inverse
from gauda._support.arrays import Floats, Indices
from gauda._support.lazy import linalg


@dataclass(frozen=True)
class Part:
    """Gaussians of some columns in some order, with covariances S = L L' and L lower triangular."""

    columns: Indices
    shift: Floats
    offset: Floats
    lower: Floats
    """A matrix for each class, one for all ('tied'), or for each class the diagonal ('diag')."""
    structure: str
    log_density: Floats
    """Of the values that are given, for each class."""

    @classmethod
    def of(cls, gaussians: Gaussians, columns: Indices) -> Part:
        """Return the Gaussians of some columns, of a model that has densities."""
        if gaussians.structure == "diag":
            lower = 1 / gaussians.whitening[:, columns]
        else:
            lower = np.stack([factor(matrix, columns) for matrix in gaussians.whitening])
        return cls(
            columns,
            gaussians.shift[:, columns],
            gaussians.offset[:, columns],
            lower,
            gaussians.structure,
            np.zeros(gaussians.n_classes),
        )

    def condition(self, known: Floats) -> Part:
        """Return the Gaussians of the other columns, given the values of the first."""
        first, rest = slice(len(known)), slice(len(known), None)
        away = (known - self.shift[:, first]) - self.offset[:, first]
        if self.structure == "diag":
            deviations = self.lower[:, first]
            whitened, change = away / deviations, np.zeros_like(self.offset[:, rest])
        else:
            corner = self.lower[:, first, first]
            deviations = np.diagonal(corner, axis1=1, axis2=2)
            whitened = solve(corner, away)
            # S_ra inv(S_aa) (x_a - m_a), as S_ra = L_ra L_aa' and S_aa = L_aa L_aa'
            change = (self.lower[:, rest, first] @ whitened[:, :, np.newaxis])[:, :, 0]
        with np.errstate(over="ignore"):
            squares = np.square(whitened).sum(axis=1)
        log_scale = np.log(deviations).sum(axis=1) + len(known) * np.log(2 * np.pi) / 2
        return Part(
            self.columns[rest],
            self.shift[:, rest],
            self.offset[:, rest] + change,
            self.lower[:, rest] if self.structure == "diag" else self.lower[:, rest, rest],
            self.structure,
            -(squares / 2 + log_scale),
        )

    def covariances(self) -> Floats:
        """Return covariances as `from_parameters` takes them."""
        if self.structure == "diag":
            return np.square(self.lower)
        squares = np.stack([lower @ lower.T for lower in self.lower])
        return squares[0] if self.structure == "tied" else squares


def factor(whitening: Floats, columns: Indices) -> Floats:
    """Return the lower triangular L with L L' = S on some columns, from the W with W S W' = 1."""
    upper = np.linalg.qr(inverse(whitening)[columns].T, mode="r")
    return np.asarray((upper * np.sign(np.diag(upper))[:, np.newaxis]).T)


def solve(lower: Floats, rows: Floats) -> Floats:
    """Return inv(L) times a row for each class, though there may be but one L."""
    matrices = np.broadcast_to(lower, (len(rows), *lower.shape[1:]))
    pairs = zip(matrices, rows, strict=True)
    return np.stack([linalg.solve_triangular(matrix, row, lower=True) for matrix, row in pairs])
