"""Gaussian classes in exact arithmetic: fitted to rows as they are, and the log-odds of rows."""

from fractions import Fraction

import numpy as np


def fractions_of(X):
    """Return the same numbers as exact fractions."""
    whole = X.dtype.kind in "iu"
    return [[Fraction(int(x)) if whole else Fraction(float(x)) for x in row] for row in X]


def covariance(rows, mean):
    """Return the sum of (x - m)(x - m)' over rows."""
    d = len(mean)
    apart = [[x - m for x, m in zip(row, mean, strict=True)] for row in rows]
    return [[sum(a[i] * a[j] for a in apart) for j in range(d)] for i in range(d)]


def inverse(matrix):
    """Invert by Gauss and Jordan; return the determinant too."""
    d = len(matrix)
    rows = [[*row, *(Fraction(i == j) for j in range(d))] for i, row in enumerate(matrix)]
    determinant = Fraction(1)
    for i in range(d):
        pivot = rows[i][i]
        determinant *= pivot
        rows[i] = [entry / pivot for entry in rows[i]]
        for j in range(d):
            if j != i:
                factor = rows[j][i]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [row[d:] for row in rows], determinant


def log(fraction):
    """Take the logarithm of a fraction that a double may not hold."""
    shift = fraction.numerator.bit_length() - fraction.denominator.bit_length()
    return shift * np.log(2) + float(np.log(float(fraction / Fraction(2) ** shift)))


class Exact:
    """Classes with a common covariance, one each, or independent columns; divisors n."""

    def __init__(self, X, y, structure, priors=None):
        rows = fractions_of(X)
        self.labels = np.unique(y)
        members = [
            [row for row, label in zip(rows, y, strict=True) if label == k] for k in self.labels
        ]
        self.means = [
            [sum(column) / len(part) for column in zip(*part, strict=True)] for part in members
        ]
        scatters = [covariance(part, mean) for part, mean in zip(members, self.means, strict=True)]
        counts = [len(part) for part in members]
        if structure == "tied":
            scatters = [
                [
                    [sum(entries) for entries in zip(*lines, strict=True)]
                    for lines in zip(*scatters, strict=True)
                ]
            ] * len(counts)
            counts = [len(rows)] * len(counts)
        elif structure == "diag":
            scatters = [
                [
                    [entry * (i == j) for j, entry in enumerate(line)]
                    for i, line in enumerate(scatter)
                ]
                for scatter in scatters
            ]
        inverses = [
            inverse([[entry / count for entry in line] for line in scatter])
            for scatter, count in zip(scatters, counts, strict=True)
        ]
        self.precisions = [precision for precision, _ in inverses]
        self.log_dets = np.array([log(determinant) for _, determinant in inverses])
        shares = np.array([np.mean(np.asarray(y) == k) for k in self.labels])
        self.log_prior = np.log(shares if priors is None else priors)

    def distances(self, X):
        """Return squared Mahalanobis distances as fractions."""
        return [
            [
                quadratic(row, mean, precision)
                for mean, precision in zip(self.means, self.precisions, strict=True)
            ]
            for row in fractions_of(X)
        ]

    def log_odds(self, X):
        """Return log p(k | x) less that of the likeliest class, each rounded once."""
        odds = np.empty((len(X), len(self.labels)))
        for place, distances in enumerate(self.distances(X)):
            least = min(distances)
            scores = np.array([float(least - distance) for distance in distances]) / 2
            scores += self.log_prior - (self.log_dets - self.log_dets[0]) / 2
            odds[place] = scores - scores.max()
        return odds

    def joint(self, X):
        """Return log p(x, k)."""
        distances = np.array([[float(q) for q in row] for row in self.distances(X)])
        constants = self.log_prior - (self.log_dets + len(self.means[0]) * np.log(2 * np.pi)) / 2
        return constants - distances / 2


def quadratic(row, mean, precision):
    """Return (x - m)' P (x - m)."""
    apart = [x - m for x, m in zip(row, mean, strict=True)]
    products = [sum(p * a for p, a in zip(line, apart, strict=True)) for line in precision]
    return sum(a * p for a, p in zip(apart, products, strict=True))
