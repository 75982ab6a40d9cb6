"""Points of a grid tried on few rows of many columns, in the directions that the rows span."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda import _core
from gauda._core import CoreError
from gauda._data.training import LabeledRows
from gauda._data.twins import twin
from gauda._estimators.family import hides_target
from gauda._estimators.problem import Problem
from gauda._statistics.access import core_of, moments_of, with_core
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats, Indices
from gauda.discriminant_analysis._grid import Grid, GridScores, Split, Tally, core_of_rows, tally

if TYPE_CHECKING:
    from gauda.discriminant_analysis._regularized import RegularizedDiscriminantAnalysis

SINGULAR = frozenset({"singular", "zero_variance", "left_out", "no_convergence"})
"""Errors of the core that tell of singular covariances."""

RESOLVED = 4.0
"""A covariance is refitted where the share of the target is below so many times the smallest
one that is not singular."""


def scores_of_few_rows(  # noqa: PLR0913 (what scores are made of)
    grid: Grid,
    family: tuple[Any, ...],
    data: LabeledRows,
    moments: Moments,
    scoring: str,
    model: RegularizedDiscriminantAnalysis,
) -> WideGridScores:
    """Return scores from rows in an orthonormal basis, in which models and distances are alike.

    With the target 'diagonal' they are not, and rows stay as they are; so they do where classes are
    so far apart that coordinates would lose digits.
    """
    turned, seen, rows = data, moments, None
    if model.target != "diagonal":
        with data.names.in_errors():
            rows = _core.turn(core_of(moments), data.rows, data.codes, data.n_threads)
    if rows is not None:
        turned = replace(data, rows=rows)
        family, seen = (*family[:-1], moments.n_features), moments_of(turned, "full")
    scores = WideGridScores(grid, family, turned, seen, scoring)
    scores.model, scores.plain, scores.plain_moments = model, data, moments
    scores.turned = rows is not None
    return scores


@dataclass
class WideGridScores(GridScores):
    """The points of a grid tried on few rows; some by models that are made for each split."""

    model: RegularizedDiscriminantAnalysis = field(init=False)
    """With the parameters of all points but the shares."""
    plain: LabeledRows = field(init=False)
    """The rows as they were given."""
    plain_moments: Moments = field(init=False)
    turned: bool = field(init=False)
    """Whether rows are in an orthonormal basis."""
    known: dict[tuple[float, ...], Floats | None] = field(default_factory=dict, init=False)
    """Log-posteriors of rows that were left out, by points: the best is asked for again."""

    def _refits(self, alpha: float, gamma: float) -> bool:
        """Tell whether a point takes models of the columns themselves.

        So it does if it depends on the units of columns, which are lost in other axes, if all
        variances hide the target's, or if a common covariance has so little of the target that
        directions would be dropped.
        """
        if not self.turned:
            return True
        if gamma == 0:
            return alpha == 1
        if hides_target(self.model.target, gamma, self.plain_moments):
            return True
        variances = self.plain_moments.squares.sum(axis=0)
        anchor = variances.mean()
        if self.model.target == "identity":
            anchor = self.plain_moments.counts.sum()
        tol = self.model.tol
        return bool(gamma * anchor <= RESOLVED * (tol * tol) * variances.max())

    def _try_fold(
        self,
        rest: _core.Moments,
        rows: NDArray[Any],
        codes: NDArray[np.uint32],
        weights: Floats | None,
        split: Split,
    ) -> list[Tally]:
        points = self.grid.points
        tallies: list[Tally] = [None] * len(points)
        if self.turned:
            tallies = super()._try_fold(rest, rows, codes, weights, split)
        if not any(self._refits(*point) for point in points):
            return tallies
        test, train = split
        chosen = np.setdiff1d(np.arange(len(self.plain.codes)), test) if train is None else train
        seen = self._moments_of_plain(chosen)
        for index, point in enumerate(points):
            if self._refits(*point):
                posteriors = self._posteriors(seen, self.plain.rows[test], *point)
                tallies[index] = None if posteriors is None else tally(posteriors, codes, weights)
        return tallies

    def _try_rows(self) -> list[Tally]:
        points = self.grid.points
        tallies: list[Tally] = [None] * len(points)
        if self.turned:
            tallies = super()._try_rows()
        for index, point in enumerate(points):
            if self._refits(*point):
                found = self._each_left_out(*point)
                tallies[index] = None if found is None else tally(found, self.data.codes, None)
        return tallies

    def leave_out(self, index: int) -> Floats:
        point = self.grid.points[index]
        found = self._each_left_out(*point) if self._refits(*point) else None
        return super().leave_out(index) if found is None else found

    def _each_left_out(self, alpha: float, gamma: float) -> Floats | None:
        """Return the log-posteriors of each row under the model without it; None if singular."""
        point = alpha, gamma
        if point not in self.known:
            self.known[point] = self._leave_out_each(*point)
        return self.known[point]

    def _leave_out_each(self, alpha: float, gamma: float) -> Floats | None:
        found = []
        everything = np.arange(len(self.plain.codes))
        for row in everything:
            seen = self._moments_of_plain(np.delete(everything, row))
            posteriors = self._posteriors(seen, self.plain.rows[row : row + 1], alpha, gamma)
            if posteriors is None:
                return None
            found.append(posteriors[0])
        return np.array(found)

    def _moments_of_plain(self, chosen: Indices) -> Moments:
        return with_core(self.plain_moments, core_of_rows(self.plain, chosen, "full"))

    def _posteriors(
        self, seen: Moments, rows: NDArray[Any], alpha: float, gamma: float
    ) -> Floats | None:
        """Return the log-posteriors of rows under a point; None if a covariance is singular."""
        model = twin(self.model, alpha=alpha, gamma=gamma)
        moments = seen.to("diag") if gamma == 1 else seen
        out = np.empty((len(rows), len(seen.classes)))
        try:
            given: Floats | None = self.family[3]
            priors = seen.counts / seen.counts.sum() if given is None else given
            solved = model._solve_model(Problem(moments, moments, priors, {}))
            solved.model.answer(rows.astype(np.float64), self.data.n_threads, log_posterior=out)
        except CoreError as error:
            if error.kind in SINGULAR:
                return None
            raise self.data.names.explain(error) from None
        return out
