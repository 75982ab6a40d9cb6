"""Classes as circles and variables as arrows, in a plane where covariances are white."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gauda._support.arrays import Floats, Indices
from gauda._support.optional import need
from gauda.pictures._palette import INK, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REACH = 0.3
"""Length of the longest arrow, as a share of the plane."""

MAX_NAMES = 15
"""Variables that can be named."""


def largest_first(sizes: Floats) -> Indices:
    """Return the indices of the largest entries, as many as can be named."""
    return np.argsort(-sizes, kind="stable")[:MAX_NAMES]


def draw_circles(axes: Axes, means: Floats, radius: float) -> None:
    """Draw a circle about each mean: in these units all covariances are white."""
    patches = need("matplotlib.patches", extra="plot")
    for code, mean in enumerate(means):
        circle = patches.Circle(mean, radius, fill=False, ec=look(code).edge, lw=1.2, zorder=4)
        axes.add_patch(circle)


def draw_arrows(axes: Axes, direction: Floats, names: list[str], side: float) -> None:
    """Draw the variables as arrows from the origin, in a plane whose shorter side is given."""
    lengths = np.hypot(*direction.T)
    scale = REACH * side / lengths.max() if lengths.max() > 0 else 0.0
    for index in largest_first(lengths):
        tip = scale * direction[index]
        axes.annotate(
            "", tip, (0, 0), zorder=6, arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 1.2}
        )
        across, up = "left" if tip[0] >= 0 else "right", "bottom" if tip[1] >= 0 else "top"
        axes.annotate(names[index], tip, color=INK, fontsize="small", zorder=6, ha=across, va=up)
