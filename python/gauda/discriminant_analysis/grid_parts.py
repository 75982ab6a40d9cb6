"""A search over rows that lie in parts: moments of each fold, then how each point does on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from gauda._data.hashed_folds import HashedKFold
from gauda._data.labels import indices_among
from gauda._data.splits import check_classes_left
from gauda._data.training import LabeledRows
from gauda._estimators.learner import Estimates
from gauda._estimators.parts import weigh_part
from gauda._statistics.access import core_of, names_of
from gauda._statistics.moments import Moments
from gauda._support.arrays import Indices
from gauda.discriminant_analysis._grid import Grid, GridScores, Tally
from gauda.discriminant_analysis._grid_refits import family_of
from gauda.discriminant_analysis._regularized import RegularizedDiscriminantAnalysis
from gauda.discriminant_analysis._regularized_cv import RegularizedDiscriminantAnalysisCV

NO_ROWS: Indices = np.empty(0, dtype=np.intp)
NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0)
"""How any point does on no rows."""

Tallies = list[list[Tally]]
"""How each point does on each fold."""


def folds_of(cv: Any) -> HashedKFold:
    """Return the folds of rows that lie in parts; refuse those that need all rows at once."""
    if isinstance(cv, HashedKFold):
        return cv
    if cv is None or isinstance(cv, Integral):
        return HashedKFold() if cv is None else HashedKFold(int(cv))
    raise ValueError(
        "cv must be a number of folds or a gauda.model_selection.HashedKFold where rows lie in "
        f"parts, for other splits need all rows at once; got {cv!r}."
    )


def settings_of_sums(
    settings: RegularizedDiscriminantAnalysisCV,
) -> RegularizedDiscriminantAnalysis:
    """Return the estimator whose sums the search takes."""
    sums: RegularizedDiscriminantAnalysis = settings._at_zero()
    return sums


@dataclass(frozen=True)
class PartSearch:
    """A search, with the moments of the rows to learn from for each fold."""

    settings: RegularizedDiscriminantAnalysisCV
    moments: Moments
    """Of all rows."""
    rest: Sequence[Moments]
    """Of all rows but those of each fold, with the classes of all."""

    weights: Sequence[float]
    """Of the rows of each fold."""

    def check(self) -> None:
        """Refuse folds without rows, or without which a class would vanish."""
        for number, (rest, weight) in enumerate(zip(self.rest, self.weights, strict=True)):
            if not weight > 0:
                raise ValueError(f"Split {number} holds out no rows, or none that have weight.")
            check_classes_left(rest.class_weight, self.moments.classes, number)

    def try_fold(self, fold: int, X: Any, y: Any, sample_weight: Any) -> list[Tally]:
        """Return how each point does on rows of a fold, of which there may be none left."""
        sums = settings_of_sums(self.settings)
        data: LabeledRows = weigh_part(sums, X, y, sample_weight)
        if not len(data.rows):
            return self.of_no_rows()
        classes = self.moments.classes
        codes = indices_among(data.classes, classes)[data.codes].astype(np.uint32)
        named = replace(data.names, classes=classes, codes=codes)
        scores = self._scores(replace(data, classes=classes, codes=codes, names=named))
        rest = core_of(self.rest[fold])
        return scores._try_fold(rest, data.rows, codes, data.weights, (NO_ROWS, None))

    def of_no_rows(self) -> list[Tally]:
        """Return how each point does on no rows."""
        return [NOTHING] * len(self._grid().points)

    def choose(self, tallies: Tallies, seconds: float) -> Estimates:
        """Return the point that does best, of how all do on the rows of each fold."""
        classes = self.moments.classes
        none = np.empty((0, self.moments.n_features)), classes, np.empty(0, np.uint32), None
        scores = self._scores(LabeledRows(*none, names_of(self.moments), None))
        times = [seconds / len(tallies) / len(scores.grid.points)]
        results = scores._of_splits(tallies, self.weights, ([0.0], times))
        index = scores.best(results, one_se=self.settings.one_se)
        return scores.choice(results, index, None)

    def _grid(self) -> Grid:
        return Grid.of(self.settings.alphas, self.settings.gammas)

    def _scores(self, data: LabeledRows) -> GridScores:
        _, family = family_of(self.settings, self.moments)
        return GridScores(self._grid(), family, data, self.moments, self.settings.scoring)


def join_tallies(first: list[Tally], second: list[Tally]) -> list[Tally]:
    """Return how each point does on both."""
    return [
        None if one is None or other is None else add(one, other)
        for one, other in zip(first, second, strict=True)
    ]


def add(one: Any, other: Any) -> Any:
    """Return sums of both."""
    return tuple(left + right for left, right in zip(one, other, strict=True))
