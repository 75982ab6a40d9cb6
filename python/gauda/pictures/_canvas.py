"""Axes to draw on, points of classes, and legends that still fit with twenty classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda._support.arrays import Floats
from gauda._support.optional import need
from gauda.pictures._palette import GRAY, INK, look
from gauda.pictures._plane import Points

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Panels = NDArray[Any]
"""Axes side by side."""

MAX_INSIDE = 5
"""Entries of a legend that leave room for the data beside it."""

COLUMN = 16
"""Entries in a column of a legend."""

SIZE = 6.4, 4.8
MARK_WIDTH, LETTER_WIDTH = 0.5, 0.085
"""Of a figure without a legend beside the axes, and of what an entry there takes, in inches."""

POINT_SIZES = 5.0, 30.0
"""Areas of points: of many, and of few."""

EDGED = 12.0
"""Area from which points have a white edge, which sets them off from each other."""


def axes_or_new(
    ax: Axes | None, handles: Sequence[Artist] = (), size: tuple[float, float] = SIZE
) -> Axes:
    """Return the axes given, or those of a new figure with room for a legend."""
    if ax is None:
        pyplot = need("matplotlib.pyplot", extra="plot")
        width = size[0] + width_beside(handles)
        _, ax = pyplot.subplots(figsize=(width, size[1]), layout="constrained")
    return ax


def panels_or_new(
    ax: Any, handles: Sequence[Artist], size: tuple[float, float], **options: Any
) -> Panels:
    """Return two axes side by side, those given or those of a new figure."""
    if ax is None:
        pyplot = need("matplotlib.pyplot", extra="plot")
        width = size[0] + width_beside(handles)
        _, ax = pyplot.subplots(1, 2, figsize=(width, size[1]), layout="constrained", **options)
    panels = np.ravel(np.asarray(ax, dtype=object))
    if len(panels) != 2:  # noqa: PLR2004 (side by side)
        raise ValueError(f"ax must hold two axes, one for each panel; got {len(panels)}.")
    return panels


def draw_points(axes: Axes, points: Points) -> None:
    """Draw rows, each in the look of its class; gray ones have none."""
    size = float(np.clip(20000 / max(len(points.codes), 1), *POINT_SIZES))
    for code in np.unique(points.codes):
        rows = points.rows[points.codes == code]
        color, marker = look(int(code)) if code >= 0 else (GRAY, "o")
        width = 0.5 if size > EDGED else 0.0
        across, up = rows.T
        axes.scatter(across, up, size, color=color, marker=marker, ec="white", lw=width, zorder=3)


def draw_means(axes: Axes, means: Floats) -> None:
    """Mark class means by large markers with a dark edge."""
    for code, mean in enumerate(means):
        color, marker = look(code)
        axes.scatter(mean[0], mean[1], 90, color=color, marker=marker, ec=INK, lw=1.4, zorder=5)


def class_handles(classes: NDArray[Any]) -> list[Artist]:
    """Return an entry of a legend for each class."""
    lines = need("matplotlib.lines", extra="plot")
    handles = []
    for code, label in enumerate(classes.tolist()):
        color, marker = look(code)
        handles.append(
            lines.Line2D(
                [], [], ls="", marker=marker, c=color, mec="white", mew=0.5, ms=8, label=str(label)
            )
        )
    return handles


def line_handle(label: str, **style: Any) -> Artist:
    """Return an entry of a legend for a curve."""
    handle: Artist = need("matplotlib.lines", extra="plot").Line2D([], [], label=label, **style)
    return handle


def draw_legend(axes: Axes, handles: Sequence[Artist]) -> None:
    """Say what colors and lines mean: inside where few entries fit, else beside the axes."""
    columns = columns_beside(len(handles))
    if columns == 0:
        axes.legend(handles=handles, loc="best", framealpha=0.85)
        return
    axes.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0,
        frameon=False,
        ncols=columns,
    )


def width_beside(handles: Sequence[Artist]) -> float:
    """Return how wide a legend beside the axes is about, in inches."""
    longest = max((len(str(handle.get_label())) for handle in handles), default=0)
    return columns_beside(len(handles)) * (MARK_WIDTH + LETTER_WIDTH * longest)


def columns_beside(n_entries: int) -> int:
    """Return how many columns of a legend stand beside the axes; few entries fit inside."""
    return 0 if n_entries <= MAX_INSIDE else -(-n_entries // COLUMN)
