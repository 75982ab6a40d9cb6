"""What single columns add to the log-ratio of two Gaussians: log N(x; i) - log N(x; j).

Columns of a class depend on each other, so a column's part depends on which are known already. The
chain of conditionals takes the columns in an order: the part of each is the log-ratio of its
densities given those before it, and the parts add up to the whole. Drop-one is the log-ratio given
all other columns: what the whole loses without the column. The expectation of either over rows of
class i is a Kullback-Leibler divergence, and never negative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gauda._analysis.gaussians import Gaussians, inverse
from gauda._analysis.parts import factor
from gauda._support.arrays import Floats, Indices
from gauda._support.lazy import linalg

MAX_GREEDY = 100
"""Columns of the chain that are chosen one after another."""

Maker = tuple[Callable[[Floats], Floats], Floats]
"""A linear function of deviations, and the variances of what it gives."""


class Terms(NamedTuple):
    """What each column adds, in the order of the data."""

    chain: Floats
    """Given those before it in the chain; for independent columns, by itself."""
    drop_one: Floats
    """Given all others."""
    alone: Floats
    """Without any other."""
    order: Indices | None
    """The order of the chain; None if columns are independent."""


@dataclass(frozen=True)
class Pair:
    """Two Gaussians of the same columns, whose covariances are regular."""

    means: Floats
    """About a point near both, two rows."""
    whitening: Floats
    """Of both, W with W S W' = 1; for independent columns the diagonals, two rows."""
    tied: bool
    """Whether they are the same."""

    @classmethod
    def of(cls, gaussians: Gaussians, i: int, j: int) -> Pair:
        """Return two classes of a model that has densities."""
        both = gaussians.of_classes([i, j])
        whitening = both.whitening
        if both.structure == "tied":
            whitening = np.repeat(whitening, 2, axis=0)
        return cls(both.centered, whitening, both.structure == "tied")

    @property
    def is_diagonal(self) -> bool:
        """Whether columns are independent."""
        return self.whitening.ndim == self.means.ndim

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.means.shape[1])

    @cached_property
    def _lowers(self) -> list[Floats]:
        """The L with L L' = S of both."""
        first = inverse(self.whitening[0])
        return [first, first if self.tied else inverse(self.whitening[1])]

    @cached_property
    def _residual_makers(self) -> list[Maker]:
        """What gives the residual of each column on all others, by both."""
        first = residual_maker(self.whitening[0])
        return [first, first if self.tied else residual_maker(self.whitening[1])]

    def variances(self) -> Floats:
        """Return the variances of the columns of both."""
        if self.is_diagonal:
            return np.asarray(1 / np.square(self.whitening))
        return np.stack([np.square(lower).sum(axis=1) for lower in self._lowers])

    # The log-ratio that is expected of rows of the first

    def expect_terms(self) -> Terms:
        """Return the expected log-ratio of rows of the first by columns."""
        variances = self.variances()
        alone = divergence(variances, variances[0], self.means[0] - self.means[1])
        if self.is_diagonal:
            return independent(alone)
        order = self.greedy_order()
        return Terms(self._expected_chain(order), self._expected_drops(), alone, order)

    def _expected_chain(self, order: Indices) -> Floats:
        lower_i, lower_j = self._factors(order)
        away = (self.means[0] - self.means[1])[order]
        parts = np.square(linalg.solve_triangular(lower_j, away, lower=True)) / 2
        if not self.tied:
            ratio = linalg.solve_triangular(lower_j, lower_i, lower=True)
            parts += (np.square(np.tril(ratio)).sum(axis=1) - 1) / 2
            parts += np.log(np.diag(lower_j)) - np.log(np.diag(lower_i))
        return scatter(parts, order)

    def _expected_drops(self) -> Floats:
        (_, own), (residual, variance) = self._residual_makers
        squares = own if self.tied else np.square(residual(self._lowers[0])).sum(axis=1)
        shift = residual(self.means[0] - self.means[1])
        return divergence(np.stack([own, variance]), squares, shift)

    def greedy_order(self) -> Indices:
        """Return the columns so that each adds most to the expected log-ratio, given those before.

        What covariances are given the columns before is not made: of each step one column and the
        diagonals are enough. After MAX_GREEDY columns the others follow by what each would add
        next.
        """
        units = np.sqrt(self.variances()[0])
        lowers = [lower / units[:, np.newaxis] for lower in self._lowers]
        own = ConditionalCovariance(lowers[0])
        other = own if self.tied else ConditionalCovariance(lowers[1])
        spread, shift = own.diagonal, (self.means[0] - self.means[1]) / units
        order: list[int] = []
        while True:
            gains = divergence(np.stack([own.diagonal, other.diagonal]), spread, shift)
            gains[order] = -np.inf
            if len(order) == min(MAX_GREEDY, self.n_features):
                order += np.argsort(-gains, kind="stable")[: self.n_features - len(order)].tolist()
                return np.array(order, dtype=np.intp)
            best = int(np.argmax(gains))
            if self.tied:
                slopes = other.sweep(best)
                spread = other.diagonal
            else:
                products = other.residuals(own.times(other.weights(best, order)), order)
                own.sweep(best)
                slopes = other.sweep(best)
                spread = spread - slopes * (2 * products - slopes * products[best])
            shift = shift - slopes * shift[best]
            order.append(best)

    # The log-ratio of one row

    def of_row(self, row: Floats, order: Indices | None = None) -> Terms:
        """Return the log-ratio of a row, about the same point as the means, by columns."""
        away = row - self.means
        variances = self.variances()
        between = self.means[1] - self.means[0] if self.tied else None
        alone = log_ratio(away, variances, between)
        if self.is_diagonal:
            return independent(alone)
        order = self.greedy_order() if order is None else order
        chain = self._ratio_of(
            [solve_ordered(lower, order) for lower in self._factors(order)], away
        )
        drops = self._ratio_of(self._residual_makers, away)
        return Terms(scatter(chain, order), drops, alone, order)

    def _ratio_of(self, makers: list[Maker], away: Floats) -> Floats:
        """Return the log-ratio of residuals that linear functions of both give of deviations."""
        residuals = np.stack([make(part) for (make, _), part in zip(makers, away, strict=True)])
        variances = np.stack([variance for _, variance in makers])
        between = makers[0][0](self.means[1] - self.means[0]) if self.tied else None
        return log_ratio(residuals, variances, between)

    def of_columns(self, columns: Indices) -> Pair:
        """Return the same of some columns."""
        means = self.means[:, columns]
        if self.is_diagonal:
            return Pair(means, self.whitening[:, columns], self.tied)
        lowers = [factor(matrix, columns) for matrix in self.whitening]
        return Pair(means, np.stack([inverse(lower) for lower in lowers]), self.tied)

    def _factors(self, order: Indices) -> list[Floats]:
        """Return the lower triangular L with L L' = S of both, for columns in an order."""
        first = factor(self.whitening[0], order)
        return [first, first if self.tied else factor(self.whitening[1], order)]


class ConditionalCovariance:
    """A covariance S = L L', and what it is given some columns: S - T'T with a row for each."""

    def __init__(self, lower: Floats) -> None:
        self.lower = lower
        self.diagonal: Floats = np.square(lower).sum(axis=1)
        self.rows = np.empty((0, len(lower)))

    def sweep(self, column: int) -> Floats:
        """Take a column as given too; return the slopes of all others on it."""
        products = self.lower @ self.lower[column] - self.rows.T @ self.rows[:, column]
        slopes = products / self.diagonal[column]
        self.rows = np.vstack([self.rows, products / np.sqrt(self.diagonal[column])])
        left = self.diagonal - slopes * products
        self.diagonal = np.maximum(left, np.finfo(np.float64).tiny)
        return np.asarray(slopes)

    def times(self, vector: Floats) -> Floats:
        """Return S times a vector."""
        return np.asarray(self.lower @ (vector @ self.lower))

    def weights(self, column: int, given: list[int]) -> Floats:
        """Return by what a row is multiplied for the residual of a column on those given."""
        weights = np.zeros(len(self.lower))
        weights[column] = 1.0
        weights[given] = -linalg.solve_triangular(self.rows[:, given], self.rows[:, column])
        return weights

    def residuals(self, vector: Floats, given: list[int]) -> Floats:
        """Return the residuals of a row on the columns given."""
        known = linalg.solve_triangular(self.rows[:, given], vector[given], trans=1)
        return np.asarray(vector - known @ self.rows)


def independent(terms: Floats) -> Terms:
    """Return what columns add that do not depend on each other."""
    return Terms(terms, terms, terms, None)


def divergence(variances: Floats, squares: Floats, shift: Floats) -> Floats:
    """Return the expected log-ratios of normal numbers of the first of two variances.

    Their squared deviations from what the second expects are `squares` and, of the mean, `shift`.
    """
    own, other = variances
    with np.errstate(over="ignore"):
        return np.asarray(
            (np.log(other) - np.log(own) + (squares - other + np.square(shift)) / other) / 2
        )


def log_ratio(away: Floats, variances: Floats, between: Floats | None = None) -> Floats:
    """Return log N(first) - log N(second) of deviations from both means.

    Of equal variances, what is between the deviations is given: far from both means the difference
    of their squares would lose it.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if between is not None:
            return np.asarray(-between * (away[0] + away[1]) / (2 * variances[0]))
        logs = -(np.log(variances) + np.square(away) / variances) / 2
        return np.asarray(logs[0] - logs[1])


def residual_maker(whitening: Floats) -> Maker:
    """Return what gives the residual of each column on all others, and its variance."""
    precision = whitening.T @ whitening
    variances = 1 / np.diag(precision)
    to_residual = precision * variances[:, np.newaxis]
    return (lambda away: to_residual @ away), variances


def solve_ordered(lower: Floats, order: Indices) -> Maker:
    """Return what gives the residual of each column on those before it, and its variance."""
    scales = np.diag(lower)
    return (
        lambda away: scales * linalg.solve_triangular(lower, away[order], lower=True)
    ), np.square(scales)


def scatter(values: Floats, order: Indices) -> Floats:
    """Return values in an order of columns in that of the data."""
    result = np.empty_like(values)
    result[order] = values
    return result
