"""Colors and markers of classes, which color-blind readers tell apart too."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gauda._support.arrays import Floats, Indices

COLORS = (
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (213, 94, 0),
    (86, 180, 233),
    (240, 228, 66),
    (85, 85, 85),
)
"""Okabe and Ito's eight (2008), with dark gray for black, which has no darker shade."""

MARKERS = ("o", "^", "s", "D", "v", "<", "p", ">")

SHADES = (1.0, 0.55, 1.45)
"""How bright the colors are in the first, the second and the third round of them."""

INK = "#333333"
GRAY = "#888888"
REJECTED = np.full(3, 0.97)
TINT = 0.35
"""How much of its color the region of a class has."""

SOFT_TINT = 0.45
"""The same where a color says how probable a class is, and not only which is most probable."""


class Look(NamedTuple):
    """How a class is drawn."""

    color: tuple[float, float, float]
    marker: str

    @property
    def edge(self) -> tuple[float, float, float]:
        """A darker color, for lines over regions and points."""
        red, green, blue = (0.62 * part for part in self.color)
        return red, green, blue


def look(code: int) -> Look:
    """Return how the class of a code is drawn: the first 64 all differ, neighbors in color."""
    round_, index = divmod(code, len(COLORS))
    base = np.array(COLORS[index]) / 255
    shade = SHADES[round_ % len(SHADES)]
    red, green, blue = base * shade if shade <= 1 else 1 - (1 - base) * (2 - shade)
    return Look((float(red), float(green), float(blue)), MARKERS[(index + round_) % len(MARKERS)])


def blends(posteriors: Floats) -> Floats:
    """Return the colors of classes, mixed by their posteriors."""
    colors = np.array([look(code).color for code in range(posteriors.shape[-1])])
    return np.asarray(1 - SOFT_TINT * (1 - posteriors @ colors))


def tints(codes: Indices, n_classes: int) -> Floats:
    """Return the pale color of each code's class; of -1, which is none, gray."""
    colors = np.array([*(look(code).color for code in range(n_classes)), REJECTED])
    strength = np.array([*[TINT] * n_classes, 1.0])[:, np.newaxis]
    pale = 1 - strength * (1 - colors)
    return np.asarray(pale[codes])  # the last one is that of -1
