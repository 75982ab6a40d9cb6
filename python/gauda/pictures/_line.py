"""Along one column: densities of classes, and the points at which the decision changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gauda._support.arrays import Floats
from gauda.pictures._plane import Plane, View

POINTS = 2001
"""Points along the axis at which decisions are compared."""

HALVINGS = 60
REACH = np.linspace(-4.0, 4.0, 81)
"""Points about each mean, in standard deviations, where a narrow density is followed."""


@dataclass(frozen=True, eq=False)
class Curves:
    """Densities along one column: of each class times its prior, and of all together."""

    x: Floats
    of_classes: Floats
    total: Floats

    @classmethod
    def along(cls, line: Plane, low: float, high: float) -> Curves:
        """Follow the densities between two ends."""
        deviations = line.factors()[:, :, 0]
        near_means = (line.means() + np.abs(deviations) * REACH).ravel()
        inside = near_means[(near_means > low) & (near_means < high)]
        x = np.unique(np.concatenate([np.linspace(low, high, POINTS), inside]))
        rows = x[:, np.newaxis]
        total = np.asarray(line.model.score_samples(rows))
        joint = line.model.predict_log_proba(rows) + total[:, np.newaxis]
        return cls(x, np.exp(joint).T, np.exp(total))

    @property
    def top(self) -> float:
        """The largest density of finite height."""
        return float(self.total[np.isfinite(self.total)].max())


def ends_of(line: Plane, rows: Floats, radius: float) -> tuple[float, float]:
    """Return the ends of what is seen: of the rows and the means, or what is not far from these."""
    points = np.concatenate([rows, line.means(), line.around(radius)])
    view = View.over(points, 1)
    return float(view.low[0]), float(view.high[0])


def changes_along(
    model: Any, means: Floats, low: float, high: float
) -> list[tuple[Any, Any, float]]:
    """Return the decisions before and after each change along one column, and where it is.

    Points are exact but for rounding. A region is found if it holds a class mean or is not
    narrower than 1/2000 of the axis.
    """
    inside = means[(means > low) & (means < high)]
    along = np.unique(np.concatenate([np.linspace(low, high, POINTS), inside]))
    decided = model.predict(along[:, np.newaxis])
    changes = np.flatnonzero(decided[1:] != decided[:-1])
    left, right, before = along[changes], along[changes + 1], decided[changes]
    for _ in range(HALVINGS if len(changes) else 0):
        middle = (left + right) / 2
        same = model.predict(middle[:, np.newaxis]) == before
        left, right = np.where(same, middle, left), np.where(same, right, middle)
    after = model.predict(right[:, np.newaxis]) if len(changes) else before
    points = ((left + right) / 2).tolist()
    return list(zip(before.tolist(), after.tolist(), points, strict=True))
