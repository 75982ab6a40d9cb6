"""Criteria of columns that take sums only: F of partial Wilks' lambda, and BIC.

BIC compares two models of a column given those of the set: that it differs between classes, and
that it does not. So columns of different sets are judged on the same rows and columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gauda._analysis.sweeps import TOLERANCE, Sweeps
from gauda._statistics.equal_covariances import correlations
from gauda._statistics.moments import Moments
from gauda._statistics.separation import squares_within, validate_moments, within_and_between
from gauda._support.arrays import Floats, Mask
from gauda._support.lazy import special
from gauda.model_selection._steps import ByScore

SAS_LEVEL = 0.15
"""Significance of F to enter and to stay that PROC STEPDISC has by default."""


def sweeps_of(moments: Moments) -> Sweeps:
    """Return the empty set of columns of moments by which tests can be made."""
    seen = validate_moments(moments)
    return Sweeps(*within_and_between(seen), seen.counts.sum())


class ByF:
    """F to enter and to remove, by partial Wilks' lambda."""

    def __init__(self, moments: Moments, to_enter: float | None, to_remove: float | None) -> None:
        self.sweeps = sweeps_of(moments)
        self.limits = to_enter, to_remove

    @property
    def inside(self) -> Mask:
        """Which columns are in the set."""
        return self.sweeps.inside

    def to_enter(self) -> Floats:
        """Return F to enter."""
        return np.where(self.inside, np.nan, self.sweeps.partial().f)

    def to_remove(self) -> Floats:
        """Return F to remove."""
        return np.where(self.inside, self.sweeps.partial().f, np.nan)

    def p_value(self, statistic: float, *, inside: bool) -> float:
        """Return the p-value of an F."""
        size = int(self.inside.sum()) - inside
        df_num = self.sweeps.n_classes - 1
        df_den = self.sweeps.n_rows - self.sweeps.n_classes - size
        x = 1 / (1 + statistic * df_num / df_den)
        return float(special.betainc(df_den / 2, df_num / 2, x))  # F's upper tail

    def may_enter(self, gain: float) -> bool:
        """Tell whether F is large or significant enough."""
        limit = self.limits[0]
        return gain >= limit if limit is not None else self.p_value(gain, inside=False) <= SAS_LEVEL

    def may_leave(self, loss: float) -> bool:
        """Tell whether F is too small, or not significant enough."""
        limit = self.limits[1]
        return loss < limit if limit is not None else self.p_value(loss, inside=True) > SAS_LEVEL

    def toggle(self, column: int) -> None:
        """Put a column into the set, or take it out."""
        self.sweeps.toggle(column)

    def fill(self) -> None:
        """Put all columns into the set that others leave something of."""
        for column in range(len(self.inside)):
            if not np.isnan(self.sweeps.partial().f[column]):
                self.toggle(column)

    def score(self) -> float:
        """Return Wilks' lambda."""
        return float(np.exp(self.sweeps.log_lambda))


class Bic(ByScore):
    """BIC of models in which the columns of the set differ between classes, and no others."""

    def __init__(self, n_features: int) -> None:
        self.inside = np.zeros(n_features, dtype=bool)
        self.total = 0.0

    def gains(self) -> Floats:
        """Return by how much BIC falls with each column, given those of the set without it."""
        raise NotImplementedError

    def to_enter(self) -> Floats:
        """Return by how much BIC falls with a column."""
        return np.where(self.inside, np.nan, self.gains())

    def to_remove(self) -> Floats:
        """Return by how much BIC rises without a column."""
        return np.where(self.inside, self.gains(), np.nan)

    def toggle(self, column: int) -> None:
        """Put a column into the set, or take it out."""
        gain = float(self.gains()[column])
        self.total += gain if self.inside[column] else -gain
        self.inside[column] = not self.inside[column]

    def fill(self) -> None:
        """Put all columns into the set that can enter."""
        for column in range(len(self.inside)):
            if not np.isnan(self.gains()[column]):
                self.toggle(column)

    def score(self) -> float:
        """Return BIC less that without columns."""
        return self.total


class TiedBic(Bic):
    """BIC of linear discriminant analysis."""

    def __init__(self, moments: Moments) -> None:
        self.sweeps = sweeps_of(moments)
        super().__init__(moments.n_features)

    def gains(self) -> Floats:
        """Return -n log(partial lambda) less log n for each further mean."""
        n, k = self.sweeps.n_rows, self.sweeps.n_classes
        return np.asarray(-n * self.sweeps.partial().log_lambda - (k - 1) * np.log(n))

    def toggle(self, column: int) -> None:
        """Put a column into the set, or take it out."""
        super().toggle(column)
        self.sweeps.toggle(column)


class IndependentBic(Bic):
    """BIC of naive Bayes, where each column has its own part."""

    def __init__(self, gains: Floats) -> None:
        self.parts = gains
        super().__init__(len(gains))

    def gains(self) -> Floats:
        """Return the parts of the columns."""
        return self.parts


class FullBic(Bic):
    """BIC of quadratic discriminant analysis."""

    def __init__(self, moments: Moments) -> None:
        seen = validate_moments(moments)
        self.counts = seen.counts
        scatters = np.concatenate([seen.scatter, seen.total().scatter])
        self.constant = ~(np.diagonal(scatters, axis1=1, axis2=2) > 0).all(axis=0)
        units = np.sqrt(np.where(self.constant, 1.0, squares_within(seen)))
        self.scatters = scatters / np.outer(units, units)
        self.correlations = correlations(scatters)
        super().__init__(seen.n_features)

    def gains(self) -> Floats:
        """Return the gain of log-likelihood less log n for each further parameter."""
        n, k = self.counts.sum(), len(self.counts)
        left = self._left()
        rows = np.append(self.counts, n)[:, np.newaxis]
        size = self.inside.sum() - self.inside
        enough = (self.counts.min() > size + 1) & ~self.constant
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = rows * (np.log(left) - np.log(rows))
        gains = logs[-1] - logs[:-1].sum(axis=0) - (k - 1) * (size + 2) * np.log(n)
        barred = ~enough | ~(left > 0).all(axis=0)
        return np.where(barred, np.nan, gains)

    def _left(self) -> Floats:
        """Return what the set, without the column itself, leaves of the scatter of each column."""
        chosen = np.flatnonzero(self.inside)
        left = np.diagonal(self.scatters, axis1=1, axis2=2).copy()
        if len(chosen) == 0:
            return left
        corner = self.scatters[:, chosen[:, np.newaxis], chosen]
        inverse = np.linalg.inv(corner)
        across = self.scatters[:, chosen]
        explained = (across * (inverse @ across)).sum(axis=1)
        share = np.where(self.inside, 1.0, 1 - explained / left)
        left = np.where(share > TOLERANCE, left - explained, 0.0)
        left[:, chosen] = 1 / np.diagonal(inverse, axis1=1, axis2=2)
        return left


def number_bic(weights: Floats, squares: Floats, total: Floats) -> Floats:
    """Return the gains of BIC by numbers that are normal in each class, for each column."""
    n, k = weights.sum(axis=0), len(weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = (weights * np.log(squares / weights)).sum(axis=0)
        gains = n * np.log(total / n) - own - 2 * (k - 1) * np.log(n)
    return np.where((squares > 0).all(axis=0) & (total > 0), gains, np.nan)


def level_bic(fit: Any, n_rows: float) -> float:
    """Return the gain of BIC by a column of levels."""
    seen = int((fit.counts.sum(axis=0) > 0).sum())
    further = (len(fit.counts) - 1) * max(seen - 1, 0)
    return float(2 * fit.counts.sum() * fit.mutual_information() - further * np.log(n_rows))
