"""Thresholds of shrunken centroids tried on rows that the centroids have not seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gauda import _core
from gauda._data.training import LabeledRows
from gauda._estimators.learner import Estimates
from gauda._statistics.access import with_core
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats
from gauda.discriminant_analysis._base import check_classes
from gauda.discriminant_analysis._contrasts import Contrasts
from gauda.discriminant_analysis._grid import GridScores, Split, Tally, tally

if TYPE_CHECKING:
    from gauda.discriminant_analysis._centroids import ShrunkenCentroids
    from gauda.discriminant_analysis._centroids_cv import ShrunkenCentroidsCV


@dataclass(frozen=True)
class Thresholds:
    """Thresholds as the points of a grid."""

    names: ClassVar[tuple[str, ...]] = ("threshold",)

    values: Floats

    @classmethod
    def of(cls, given: int | ArrayLike, contrasts: Contrasts) -> Thresholds:
        """Return thresholds: so many of a path, or those that are given."""
        if np.ndim(given) == 0 and isinstance(given, (int, np.integer)):
            return cls(contrasts.path(int(given)))
        needed = f"thresholds must be a number of them or a list of numbers from 0; got {given!r}."
        try:
            values = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(needed) from None
        if values.ndim != 1 or len(values) == 0 or not (np.isfinite(values) & (values >= 0)).all():
            raise ValueError(needed)
        return cls(values)

    @property
    def points(self) -> list[tuple[float, ...]]:
        """Each threshold as a point."""
        return [(value,) for value in self.values.tolist()]


@dataclass
class ThresholdScores(GridScores):
    """Thresholds tried on rows."""

    structure: ClassVar[str] = "diag"
    takes_out_rows: ClassVar[bool] = False

    model: ShrunkenCentroids = field(init=False)
    """With the parameters of all thresholds."""

    def _try_fold(
        self,
        rest: _core.Moments,
        rows: NDArray[Any],
        codes: NDArray[np.uint32],
        weights: Floats | None,
        split: Split,  # noqa: ARG002 (used by subclasses)
    ) -> list[Tally]:
        seen = with_core(self.moments, rest)
        contrasts = self.model._contrasts(seen)
        given: Floats | None = self.family[0]
        priors = seen.counts / seen.counts.sum() if given is None else given
        numbers = np.asarray(rows, dtype=np.float64)
        tallies = []
        for threshold in self.grid.values.tolist():
            found = self._posteriors(contrasts, threshold, priors, numbers)
            tallies.append(tally(found, codes, weights))
        return tallies

    def _posteriors(
        self, contrasts: Contrasts, threshold: float, priors: Floats, rows: Floats
    ) -> Floats:
        """Return the log-posteriors of rows, in the columns that a threshold leaves."""
        columns = contrasts.select_columns(threshold)
        with np.errstate(divide="ignore"):
            out = np.tile(np.log(priors), (len(rows), 1))
        if len(columns):
            with self.data.names.in_errors():
                model = contrasts.of_columns(columns).model(threshold, priors)
                some = np.ascontiguousarray(rows[:, columns])
                model.answer(some, self.data.n_threads, log_posterior=out)
        return out

    def _remedy(self) -> str:
        return "Give more rows."


def choose_threshold(
    self: ShrunkenCentroidsCV, data: LabeledRows, statistics: Moments
) -> Estimates:
    """Return the threshold that does best on rows left out, and how all did."""
    check_classes(len(data.classes))
    given = None if self.priors is None else self._class_priors(statistics)
    model = self._at(0.0)
    grid = Thresholds.of(self.thresholds, model._contrasts(statistics))
    scores = ThresholdScores(grid, (given,), data, statistics, self.scoring)
    scores.model = model
    return self._choose(scores, given)
