"""The lines of the table, and how they are printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from comparison.race import Effort

HEADINGS = ("", "gauda", "other", "figure", "target", "met")
WITHOUT_AIMS = 4
"""How many of the columns are about figures; the others are about aims."""

TWO_DIGITS = 10
WIDTHS = (60, 23, 13, 9, 9, 3)


@dataclass(frozen=True)
class Line:
    """What was measured, what gauda and the other needed, and the figure that has a target."""

    what: str
    ours: str
    other: str
    figure: float
    target: float
    unit: str = "x"
    at_most: bool = False

    @property
    def met(self) -> bool:
        """Whether the figure reaches its target, or stays below it."""
        return self.figure <= self.target if self.at_most else self.figure >= self.target

    def cells(self) -> tuple[str, ...]:
        """Return the texts of the line, in the order of the headings."""
        figure = f"{short(self.figure)}{self.unit}"
        limit = round(self.target, 2 if self.target < TWO_DIGITS else 0)
        target = f"{'≤' if self.at_most else '≥'} {limit:g}{self.unit}"
        return self.what, self.ours, self.other, figure, target, "yes" if self.met else "NO"

    def record(self) -> dict[str, Any]:
        """Return all of it for a file that programs read."""
        return {**asdict(self), "figure": float(self.figure), "met": bool(self.met)}


Section = Callable[[Effort], Iterator[Line]]


def faster(what: str, seconds: list[float], target: float) -> Line:
    """Return a line of two times, ours and the other's, with the ratio to reach."""
    ours, other = seconds
    return Line(what, duration(ours), duration(other), other / ours, target)


def short(value: float) -> str:
    """Return a number with three digits, without an exponent."""
    digits = next((digits for limit, digits in ((10, 2), (100, 1)) if value < limit), 0)
    return f"{value:.{digits}f}"


def duration(seconds: float) -> str:
    """Return seconds in the unit that suits them."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{short(seconds * factor)} {unit}"
    return f"{short(seconds * 1e6)} µs"


def aligned(cells: Sequence[str]) -> str:
    """Return cells in columns for the terminal: the first to the left, figures to the right."""
    first, *others = zip(cells, WIDTHS, strict=False)
    texts = [f"{first[0]:<{first[1]}}", *(f"{cell:>{width}}" for cell, width in others)]
    return "  ".join(texts).rstrip()


def markdown(title: str, lines: list[Line], n_columns: int = len(HEADINGS)) -> str:
    """Return a section as a table in Markdown, with so many of its columns."""
    rows: list[Sequence[str]] = [(title, *HEADINGS[1:n_columns]), ("-", *["-:"] * (n_columns - 1))]
    rows += [line.cells()[:n_columns] for line in lines]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows) + "\n"
