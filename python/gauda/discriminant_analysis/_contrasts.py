"""How far class means differ from the mean of all rows, and what a threshold leaves of that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from gauda import _core
from gauda._estimators.few_rows import COUNTED
from gauda._statistics.access import core_of, names_of
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats, Indices

MEDIAN: Literal["median"] = "median"
"""What is added to standard deviations by default: the median of all."""

N_THRESHOLDS = 30
"""Thresholds from none to the largest contrast, as many as in pamr."""

EXACT = np.finfo(np.float64).eps ** 0.75
"""Deviation of columns that do not vary within classes, in parts of what class means differ by."""


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Class means about the mean of all rows, in units of their standard errors.

    With c_j the mean of column j over all rows, s_j its pooled standard deviation within classes
    and s_0 what is added to that, the contrast of class k is

        d_kj = (m_kj - c_j) / (e_kj (s_j + s_0)),    e_kj^2 = 1 / n_kj - 1 / n_j.
    """

    shift: Floats
    offset: Floats
    """The overall mean, in two parts: far from zero, one double would lose digits."""
    class_shift: Floats
    class_offset: Floats
    """The class means, likewise: the overall mean would cost those far from it their digits."""
    deviations: Floats
    """Pooled standard deviations within classes."""
    added: float
    """What is added to them."""
    errors: Floats
    """Standard errors of the class means in units of the deviations, class x column."""
    values: Floats
    floors: Floats
    """Deviations of columns that tell classes apart without varying within them; 0 of others."""

    @classmethod
    def of(cls, moments: Moments, offset: float | str, *, unbiased: bool) -> Contrasts:
        """Return the contrasts of moments."""
        core, counts = core_of(moments), moments.observed_counts
        if moments.has_gaps:
            with names_of(moments).in_errors():
                core.variances(unbiased=False)  # refuses columns never observed in a class
        total = counts.sum(axis=0)
        divisor = total - len(counts) if unbiased else total
        if not (divisor > 0).all():
            raise ValueError(
                "unbiased=True divides squares by rows less classes, which must be positive; got "
                f"{total.min():g} rows of {len(counts)} classes. Give more rows, or use "
                "unbiased=False."
            )
        shift = core.shift[np.argmax(counts, axis=0), np.arange(moments.n_features)]
        with np.errstate(over="ignore", invalid="ignore"):
            away = (core.shift - shift) + core.offset
            middle = (counts * away).sum(axis=0) / total
            deviations = np.sqrt(moments.squares.sum(axis=0) / divisor)
        check_finite(moments, middle + deviations)
        deviations[deviations <= np.finfo(np.float64).eps * np.abs(moments.means).min(axis=0)] = 0.0
        added = float(np.median(deviations)) if isinstance(offset, str) else float(offset)
        with np.errstate(divide="ignore"):
            errors = np.sqrt(np.maximum(1 / counts - 1 / total, 0.0))
        floors = np.where(deviations + added > 0, 0.0, floors_of(away - middle, moments.means))
        units = errors * np.maximum(deviations + added, floors)
        known = (units > 0) & np.isfinite(units)
        values = np.divide(away - middle, units, out=np.zeros_like(units), where=known)
        errors = np.where(known, errors, 0.0)
        means = core.shift, core.offset
        return cls(shift, middle, *means, deviations, added, errors, values, floors)

    @property
    def units(self) -> Floats:
        """Standard deviations of the columns of the model, the same in all classes."""
        return np.maximum(self.deviations + self.added, self.floors)

    @cached_property
    def largest(self) -> Floats:
        """The largest contrast of each column, whatever its sign."""
        return np.asarray(np.abs(self.values).max(axis=0))

    def path(self, n_thresholds: int = N_THRESHOLDS) -> Floats:
        """Return thresholds from 0, which changes nothing, to the one that leaves no column.

        Columns that tell classes apart without varying within them are left by all.
        """
        largest = self.largest.max(initial=0.0, where=self.floors == 0)
        return np.linspace(0.0, largest, n_thresholds)

    def select_columns(self, threshold: float) -> Indices:
        """Return the columns in which some class differs by more than a threshold."""
        return np.flatnonzero(self.largest > threshold)

    def of_columns(self, columns: Indices) -> Contrasts:
        """Return the contrasts of some columns."""
        parts = ("shift", "offset", "deviations", "floors")
        tables = ("class_shift", "class_offset", "errors", "values")
        chosen = {name: getattr(self, name)[columns] for name in parts}
        return replace(self, **chosen, **{name: getattr(self, name)[:, columns] for name in tables})

    def shrink_means(self, threshold: float) -> tuple[Floats, Floats]:
        """Return the shrunken centroids in two parts: class means, moved, or the overall mean."""
        differs = np.abs(self.values) > threshold
        moved = np.sign(self.values) * threshold * self.errors * self.units
        shift = np.where(differs, self.class_shift, self.shift)
        return shift, np.where(differs, self.class_offset - moved, self.offset)

    def centroids(self, threshold: float) -> Floats:
        """Return the shrunken centroids of the classes."""
        shift, offset = self.shrink_means(threshold)
        return np.asarray(shift + offset)

    def model(self, threshold: float, priors: Floats, tol: float = 0.0) -> _core.Model:
        """Return the model of shrunken centroids with common variances."""
        n_classes, d = self.values.shape
        core = _core.Moments(
            "diag",
            [1] * n_classes,
            np.ones(n_classes),
            *self.shrink_means(threshold),
            np.zeros((n_classes, 1, d)),
        )
        return model_of_variances(core, np.square(self.units), priors, tol)


def floors_of(away: Floats, means: Floats) -> Floats:
    """Return deviations for columns without any, where class means differ by more than rounding."""
    apart = np.abs(away).max(axis=0)
    rounding = 2 * np.finfo(np.float64).eps * np.abs(means).max(axis=0)
    return np.where(apart > 8 * rounding, np.maximum(EXACT * apart, rounding), 0.0)


def model_of_variances(
    core: _core.Moments, variances: Floats, priors: Floats, tol: float
) -> _core.Model:
    """Return the model of independent columns with common variances, by its linear functions."""
    if core.n_features < COUNTED:
        return _core.linear_of_covariance(core, np.diag(variances), priors, tol)
    return _core.wide_linear_of_variances(core, variances, priors).model


def check_finite(moments: Moments, sums: Floats) -> None:
    """Refuse classes so far apart that sums overflow."""
    if not np.isfinite(sums).all():
        column = int(np.flatnonzero(~np.isfinite(sums))[0])
        raise ValueError(
            f"Values of column {names_of(moments).column(column)} must be small enough for their "
            "squares to be doubles; got larger ones. Check the units, or rescale the column."
        )
