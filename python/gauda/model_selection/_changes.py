"""How log-densities of held-out rows change with each column that enters or leaves a set.

A model is fitted once to the rows of each split, with all columns. That of fewer columns is its
marginal, so a column that enters or leaves changes the log-densities of classes by its own, given
the columns of the set: nothing is fitted again. Models whose covariances depend on all columns
together (shrinkage, priors on covariances) and those of other packages are fitted to each set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gauda._analysis.gaussians import Gaussians, inverse
from gauda._estimators import access
from gauda._estimators.gaussian import GaussianClassifier
from gauda._support.arrays import Floats, Mask
from gauda._support.lazy import linalg

BLOCK = 1 << 20
"""Log-densities of rows, classes and columns that are held together."""


class Changes(Protocol):
    """How log-densities of held-out rows change with each column."""

    @property
    def log_prior(self) -> Floats:
        """Logarithms of the priors."""

    def blocks(self, inside: Mask) -> Iterator[tuple[slice, Any]]:
        """Yield rows, and what puts the log-densities of a column, class x row, into an array."""


@dataclass(frozen=True)
class GaussianChanges:
    """Of Gaussian models, given the columns of the set."""

    rows: NDArray[Any]
    gaussians: Gaussians
    covariances: Floats
    """Of all classes, or one for all; for independent columns variances."""

    @classmethod
    def of(cls, model: Any, rows: NDArray[Any]) -> GaussianChanges:
        """Return those of rows under a fitted model."""
        gaussians = Gaussians.of(access.model_of(model))
        if gaussians.structure == "diag":
            return cls(rows, gaussians, 1 / np.square(gaussians.whitening))
        lowers = [inverse(matrix) for matrix in gaussians.whitening]
        return cls(rows, gaussians, np.stack([lower @ lower.T for lower in lowers]))

    @property
    def log_prior(self) -> Floats:
        """Logarithms of the priors."""
        return self.gaussians.log_prior

    def blocks(self, inside: Mask) -> Iterator[tuple[slice, Any]]:
        """Yield rows, and the log-densities of columns given the others of the set."""
        k, d = self.gaussians.n_classes, self.gaussians.n_features
        means = self.gaussians.centered
        diag, tied = self.gaussians.structure == "diag", self.gaussians.structure == "tied"
        makers: list[Floats] = []
        variances = self.covariances
        if not diag:
            found = [residual_maker(matrix, inside) for matrix in self.covariances]
            makers = [maker for maker, _ in found]
            variances = np.stack([variance for _, variance in found])
        step = max(BLOCK // (d * (1 if tied or diag else k)), 1)
        for start in range(0, len(self.rows), step):
            part = slice(start, start + step)
            centered = np.asarray(self.rows[part], dtype=np.float64) - self.gaussians.center
            if diag:
                yield part, Independent(centered.T, means.T, variances.T)
            elif tied:
                residuals = np.ascontiguousarray((centered @ makers[0]).T)
                points = np.ones((2, len(centered)))
                yield part, Tied(residuals, (means @ makers[0]).T, variances[0], points)
            else:
                residuals = np.stack(
                    [(centered - mean) @ maker for mean, maker in zip(means, makers, strict=True)]
                )
                yield part, Full(np.ascontiguousarray(residuals.transpose(2, 0, 1)), variances.T)


@dataclass(frozen=True)
class Independent:
    """Log-densities of independent columns."""

    values: Floats
    means: Floats
    variances: Floats

    def __call__(self, column: int, out: Floats) -> Floats:
        variances = self.variances[column][:, np.newaxis]
        np.subtract(self.values[column], self.means[column][:, np.newaxis], out=out)
        np.square(out, out=out)
        out *= -1 / (2 * variances)
        out -= np.log(variances) / 2
        return out


@dataclass(frozen=True)
class Tied:
    """Log-densities of residuals with a common variance, up to what classes have in common."""

    residuals: Floats
    means: Floats
    variances: Floats
    points: Floats
    """Room for a row of residuals, above ones."""

    def __call__(self, column: int, out: Floats) -> Floats:
        means = self.means[column] - self.means[column].mean()
        slopes = means / self.variances[column]
        line = np.stack([slopes, -slopes * (means / 2 + self.means[column].mean())], axis=1)
        self.points[0] = self.residuals[column]
        return np.asarray(np.dot(line, self.points, out=out))


@dataclass(frozen=True)
class Full:
    """Log-densities of residuals of each class."""

    residuals: Floats
    variances: Floats

    def __call__(self, column: int, out: Floats) -> Floats:
        variances = self.variances[column][:, np.newaxis]
        np.square(self.residuals[column], out=out)
        out *= -1 / (2 * variances)
        out -= np.log(variances) / 2
        return out


def residual_maker(covariance: Floats, inside: Mask) -> tuple[Floats, Floats]:
    """Return what makes rows residuals, and their variances.

    A column outside the set becomes its residual on the set, one of the set that on the others.
    """
    chosen, rest = np.flatnonzero(inside), np.flatnonzero(~inside)
    d = len(covariance)
    maker, variances = np.zeros((d, d)), np.empty(d)
    maker[rest, rest] = 1.0
    variances[rest] = covariance[rest, rest]
    if len(chosen):
        units = np.sqrt(covariance[chosen, chosen])
        corner = covariance[np.ix_(chosen, chosen)] / np.outer(units, units)
        across = covariance[np.ix_(chosen, rest)] / units[:, np.newaxis]
        factor = linalg.cho_factor(corner, lower=True)
        slopes = linalg.cho_solve(factor, across)
        maker[np.ix_(chosen, rest)] = -slopes / units[:, np.newaxis]
        variances[rest] -= (across * slopes).sum(axis=0)
        precision = linalg.cho_solve(factor, np.eye(len(chosen))) / np.outer(units, units)
        variances[chosen] = 1 / np.diag(precision)
        maker[np.ix_(chosen, chosen)] = precision * variances[chosen]
    return maker, variances


@dataclass(frozen=True)
class ColumnChanges:
    """Of naive Bayes with levels, where columns are independent."""

    log_prior: Floats
    logs: list[Floats]
    """Log-probabilities of each column, row x class."""

    def blocks(self, inside: Mask) -> Iterator[tuple[slice, Any]]:  # noqa: ARG002 (independent)
        """Yield all rows, and the log-probabilities of columns."""
        yield slice(None), Known(self.logs)


@dataclass(frozen=True)
class Known:
    """Log-probabilities that are there already."""

    logs: list[Floats]

    def __call__(self, column: int, out: Floats) -> Floats:
        np.copyto(out, self.logs[column].T)
        return out


def changes_of(model: Any, rows: Any) -> Changes | None:
    """Return how columns change the scores of rows; None if models must be fitted to each set."""
    if isinstance(model, GaussianClassifier):
        if access.estimates_jointly(model):
            return None
        gaussians = Gaussians.of(access.model_of(model))
        found = access.rows_of(model, rows)
        gaps = found.dtype.kind == "f" and not np.isfinite(found).all()
        if gaps or gaussians.rank < gaussians.n_features:
            return None
        return GaussianChanges.of(model, found)
    if access.has_independent_columns(model):
        log_prior, logs = access.column_log_likelihoods(model, rows)
        finite = all(np.isfinite(part).all() for part in logs)  # else nothing can be taken back
        return ColumnChanges(log_prior, logs) if finite else None
    return None
