"""Distances between the Gaussians of each two classes, and bounds on the error between them.

Coordinates in which the first class is white and the second's covariance diagonal turn all of them
into sums: over the ratios of variances, second to first, and the squares of differences of means.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauda._analysis.gaussians import Gaussians, inverse
from gauda._support.arrays import Floats, Indices
from gauda._support.lazy import special

HALVINGS = 40
"""Steps that find the exponent of Chernoff's bound; any exponent gives a bound."""


@dataclass(frozen=True)
class Pairs:
    """All pairs of classes, each once."""

    n_classes: int
    first: Indices
    second: Indices
    variance_ratio_minus_one: Floats
    """Ratios of variances less 1, for each pair a row."""
    mean_difference: Floats
    """From the first mean to the second, for each pair a row."""
    log_prior: Floats

    @classmethod
    def of(cls, gaussians: Gaussians) -> Pairs:
        """Return the pairs of a model's classes."""
        first, second = np.triu_indices(gaussians.n_classes, 1)
        mean_difference = gaussians.shift[second] - gaussians.shift[first]
        mean_difference = mean_difference + (gaussians.offset[second] - gaussians.offset[first])
        if gaussians.structure == "tied":
            mean_difference = mean_difference @ gaussians.whitening[0].T
            variance_ratio_minus_one = np.zeros_like(mean_difference)
        elif gaussians.structure == "diag":
            mean_difference = mean_difference * gaussians.whitening[first]
            ratio = gaussians.whitening[first] / gaussians.whitening[second]
            variance_ratio_minus_one = (ratio - 1) * (ratio + 1)
        else:
            variance_ratio_minus_one, mean_difference = decompose(
                gaussians.whitening, first, second, mean_difference
            )
        log_prior = special.log_softmax(gaussians.log_prior)
        return cls(
            gaussians.n_classes, first, second, variance_ratio_minus_one, mean_difference, log_prior
        )

    def mahalanobis(self) -> Floats:
        """Return squared distances from the mean of class i in the covariance of class j."""
        squares = np.square(self.mean_difference)
        to_second = (squares / (1 + self.variance_ratio_minus_one)).sum(axis=1)
        return self._matrix(to_second, squares.sum(axis=1))

    def kullback_leibler(self) -> Floats:
        """Return the divergences of class j from class i."""
        ratio, squares = 1 + self.variance_ratio_minus_one, np.square(self.mean_difference)
        log_ratio = np.log1p(self.variance_ratio_minus_one)
        to_second = (log_ratio - self.variance_ratio_minus_one / ratio + squares / ratio).sum(
            axis=1
        ) / 2
        to_first = (self.variance_ratio_minus_one - log_ratio + squares).sum(axis=1) / 2
        return self._matrix(to_second, to_first)

    def bhattacharyya(self) -> Floats:
        """Return the symmetric distances whose negative exponential is the overlap."""
        return self._matrix(*2 * [self._distance(np.full(len(self.first), 0.5))])

    def chernoff_bound(self) -> Floats:
        """Return the least bounds of this kind on the probability of taking one for the other."""
        return self._matrix(*2 * [self._bound(self._best_exponent())])

    def bhattacharyya_bound(self) -> Floats:
        """Return the bounds whose exponent is a half."""
        return self._matrix(*2 * [self._bound(np.full(len(self.first), 0.5))])

    def lower_bound(self) -> Floats:
        """Return probabilities of error that no rule gets under, by the Bhattacharyya distance."""
        priors = np.exp(self.log_prior)
        both = priors[self.first] + priors[self.second]
        overlap = np.square(2 * self._bound(np.full(len(self.first), 0.5)))
        # (both - sqrt(both^2 - overlap)) / 2 without the cancellation
        root = np.sqrt(np.maximum(both**2 - overlap, 0))
        least = np.divide(overlap, 2 * (both + root), out=np.zeros_like(both), where=both > 0)
        return self._matrix(least, least)

    def _distance(self, exponent: Floats) -> Floats:
        """Return -log of the integral of p^s q^(1 - s) for exponents s, one for each pair."""
        s = exponent[:, np.newaxis]
        mixed = 1 + s * self.variance_ratio_minus_one
        squares = s * (1 - s) * np.square(self.mean_difference) / mixed
        logarithms = np.log(mixed) - s * np.log1p(self.variance_ratio_minus_one)
        return np.asarray((squares + logarithms).sum(axis=1) / 2)

    def _slope(self, exponent: Floats) -> Floats:
        """Return the derivative of the distance by the exponent."""
        s = exponent[:, np.newaxis]
        mixed = 1 + s * self.variance_ratio_minus_one
        of_squares = (1 - 2 * s) / mixed - s * (1 - s) * self.variance_ratio_minus_one / mixed**2
        of_logarithms = self.variance_ratio_minus_one / mixed - np.log1p(
            self.variance_ratio_minus_one
        )
        return np.asarray(
            (of_squares * np.square(self.mean_difference) + of_logarithms).sum(axis=1) / 2
        )

    def _best_exponent(self) -> Floats:
        """Return the exponents of the least bounds, whose logarithms are convex in them."""
        low, high = np.zeros(len(self.first)), np.ones(len(self.first))
        with np.errstate(invalid="ignore"):  # of two classes with prior 0
            tilt = self.log_prior[self.first] - self.log_prior[self.second]
            for _ in range(HALVINGS):
                middle = (low + high) / 2
                falling = tilt < self._slope(middle)
                low, high = np.where(falling, middle, low), np.where(falling, high, middle)
        return np.asarray((low + high) / 2)

    def _bound(self, exponent: Floats) -> Floats:
        """Return the integral of (prior p)^s (prior q)^(1 - s): the minimum of both has no more."""
        log_priors = exponent * self.log_prior[self.first]
        log_priors = log_priors + (1 - exponent) * self.log_prior[self.second]
        return np.asarray(np.exp(log_priors - self._distance(exponent)))

    def _matrix(self, above: Floats, below: Floats) -> Floats:
        """Return values for (first, second) and for (second, first) as a matrix."""
        matrix = np.zeros((self.n_classes, self.n_classes))
        matrix[self.first, self.second] = above
        matrix[self.second, self.first] = below
        return matrix


def decompose(
    whitening: Floats, first: Indices, second: Indices, mean_difference: Floats
) -> tuple[Floats, Floats]:
    """Return variance ratios less 1 and mean differences of pairs with a covariance each."""
    lowers = [inverse(matrix) for matrix in whitening]
    variance_ratio_minus_one, turned = (
        np.empty_like(mean_difference),
        np.empty_like(mean_difference),
    )
    for index, (i, j) in enumerate(zip(first, second, strict=True)):
        axes, ratios, _ = np.linalg.svd(whitening[i] @ lowers[j])
        variance_ratio_minus_one[index] = (ratios - 1) * (ratios + 1)
        turned[index] = axes.T @ (whitening[i] @ mean_difference[index])
    return variance_ratio_minus_one, turned
