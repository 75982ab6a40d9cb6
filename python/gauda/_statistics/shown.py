"""Statistics as people see them: a line of text, and a table in notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from gauda._support.tables import html_table, shorten_rows

if TYPE_CHECKING:
    from gauda._statistics.base import Statistics

MAX_CLASSES_SHOWN = 8
DIGITS_SHOWN = 12


def as_line(self: Statistics) -> str:
    """Return kind, sizes, and weights of the first classes."""
    shown = zip(self.classes[:MAX_CLASSES_SHOWN], self.class_weight, strict=False)
    weights = [f"{label}: {weight:.{DIGITS_SHOWN}g}" for label, weight in shown]
    if len(self.classes) > MAX_CLASSES_SHOWN:
        weights.append(f"… ({len(self.classes)} classes)")
    classes = ", ".join(weights) or "no classes"
    return f"{type(self).__name__}({self._kind!r}, {sizes(self)}; {classes})"


def as_html(self: Statistics) -> str:
    """Return kind and sizes, and a table of the classes with their weights and shares."""
    weights = np.asarray(self.class_weight, dtype=np.float64)
    total = weights.sum()
    shares = weights / total if total > 0 else np.zeros_like(weights)
    rows = [
        (str(label), f"{weight:.{DIGITS_SHOWN}g}", f"{share:.2%}")
        for label, weight, share in zip(self.classes.tolist(), weights, shares, strict=True)
    ]
    title = f"<b>{escape(type(self).__name__)}</b> of {escape(self._kind)} kind, {sizes(self)}"
    return (
        f"<div><p>{title}</p>{html_table(shorten_rows(rows), ('class', 'weight', 'share'))}</div>"
    )


def sizes(self: Statistics) -> str:
    """Return how many rows and columns there are, in words."""
    rows = f"{self.n_rows} row{'s' * (self.n_rows != 1)}{' with gaps' * self.has_gaps}"
    return f"{rows}, {self.n_features} feature{'s' * (self.n_features != 1)}"
