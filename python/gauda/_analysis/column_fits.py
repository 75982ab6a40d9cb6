"""How well naive Bayes fits columns of which sums are known, and what each tells of classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from gauda._support.arrays import Floats
from gauda._support.lazy import special

REACH = np.linspace(-9, 9, 37)
"""Standard deviations from a mean between which integrals are taken piece by piece."""

NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(8)

PIECES = 512
"""Pieces that are integrated together."""


@dataclass(frozen=True, eq=False)
class ColumnFit(ABC):
    """A column, the sums of its rows, and its distribution in each class."""

    name: str
    kind: str

    @abstractmethod
    def log_likelihood(self) -> float:
        """Return the sum of log p(entry | class) over the rows that have one."""

    @abstractmethod
    def n_parameters(self) -> int:
        """Return the number of free parameters."""

    @abstractmethod
    def mutual_information(self) -> float:
        """Return how much an entry tells of the class, in nats."""

    @property
    @abstractmethod
    def n_levels(self) -> int | None:
        """How many levels there are; None for numbers."""


@dataclass(frozen=True, eq=False)
class LevelFit(ColumnFit):
    """A column of levels."""

    counts: Floats
    """Weights of the rows, class x level."""
    log_probabilities: Floats

    def log_likelihood(self) -> float:
        seen = self.counts > 0
        return float(self.counts[seen] @ self.log_probabilities[seen])

    def n_parameters(self) -> int:
        return len(self.counts) * max(self.n_levels - 1, 0)

    def mutual_information(self) -> float:
        return information(self.counts)

    @property
    def n_levels(self) -> int:
        return int(self.counts.shape[1])


@dataclass(frozen=True, eq=False)
class TermFit(ColumnFit):
    """A column that counts a term, one of those that the rows of a class are made of."""

    counts: Floats
    """How often each class has the term."""
    totals: Floats
    """How many terms each class has in all columns."""
    log_probabilities: Floats
    is_free: bool
    """Whether its probabilities do not follow from those of the other columns."""

    def log_likelihood(self) -> float:
        seen = self.counts > 0
        return float(self.counts[seen] @ self.log_probabilities[seen])

    def n_parameters(self) -> int:
        return len(self.counts) if self.is_free else 0

    def mutual_information(self) -> float:
        others = np.maximum(self.totals - self.counts, 0)
        return information(np.stack([self.counts, others], axis=1))

    @property
    def n_levels(self) -> None:
        return None


@dataclass(frozen=True, eq=False)
class NumberFit(ColumnFit):
    """A column of numbers, normal in each class."""

    weights: Floats
    """Of the rows of each class, as their means and sums of squares."""
    means: Floats
    scatter: Floats
    model_means: Floats
    model_variances: Floats

    def log_likelihood(self) -> float:
        seen = self.weights > 0
        weights, variances = self.weights[seen], self.model_variances[seen]
        away = self.means[seen] - self.model_means[seen]
        squares = (self.scatter[seen] + weights * away**2) / variances
        return float(-(weights @ np.log(2 * np.pi * variances) + squares.sum()) / 2)

    def n_parameters(self) -> int:
        return 2 * len(self.weights)

    def mutual_information(self) -> float:
        seen = self.weights > 0
        if not seen.any():
            return 0.0
        shares = self.weights[seen] / self.weights.sum()
        return normal_information(shares, self.model_means[seen], self.model_variances[seen])

    @property
    def n_levels(self) -> None:
        return None


def information(counts: Floats) -> float:
    """Return the mutual information of the rows and columns of a table of counts."""
    total = counts.sum()
    if total == 0:
        return 0.0
    joint = counts / total
    entropies = [-special.xlogy(p, p).sum() for p in (joint.sum(axis=0), joint.sum(axis=1), joint)]
    return max(float(entropies[0] + entropies[1] - entropies[2]), 0.0)


def normal_information(shares: Floats, means: Floats, variances: Floats) -> float:
    """Return the mutual information of a class and a number that is normal in each class.

    That is the sum over classes k of share[k] times the integral of p_k log(p_k / p), p their
    mixture: taken by Gauss and Legendre's rule between points half a standard deviation of some
    class apart, where all densities are smooth, it has about ten digits.
    """
    deviations = np.sqrt(variances)
    gains = [expected_gain(k, shares, means, deviations) for k in range(len(shares))]
    return max(float(shares @ gains), 0.0)


def expected_gain(k: int, shares: Floats, means: Floats, deviations: Floats) -> float:
    """Return the mean of log(p_k / p) over a class, in units of its standard deviation."""
    away, scales = (means - means[k]) / deviations[k], deviations / deviations[k]
    points = np.unique(np.clip(away + np.outer(REACH, scales), REACH[0], REACH[-1]))
    total = 0.0
    for start in range(0, len(points) - 1, PIECES):
        ends = points[start : start + PIECES + 1]
        halves = np.diff(ends)[:, np.newaxis] / 2
        z = ((ends[:-1, np.newaxis] + halves) + halves * NODES).ravel()
        with np.errstate(over="ignore"):
            squares = ((z[:, np.newaxis] - away) / scales) ** 2
        log_densities = -squares / 2 - np.log(scales)
        log_ratio = log_densities[:, k] - special.logsumexp(log_densities, axis=1, b=shares)
        density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
        total += float((halves * NODE_WEIGHTS).ravel() @ (density * log_ratio))
    return total
