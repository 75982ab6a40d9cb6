"""Tables as aligned text for terminals, and in HTML for notebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

GAP = "  "
DIGITS = 4
MAX_ROWS = 20
"""How many rows of a table a notebook shows."""


def align(rows: Iterable[Sequence[Any]], left: int = 1, *, text_last: bool = False) -> str:
    """Return rows of cells as lines; the first columns start at the left, the others end right.

    The last column starts at the left too if it holds text.
    """
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = []
    for row in texts:
        cells = [
            cell.ljust(width) if starts else cell.rjust(width)
            for cell, width, starts in zip(
                row, widths, starts_left(len(row), left, text_last=text_last), strict=True
            )
        ]
        lines.append(GAP.join(cells).rstrip())
    return "\n".join(lines)


def html_table(
    rows: Iterable[Sequence[Any]],
    header: Sequence[Any] | None = None,
    left: int = 1,
    *,
    text_last: bool = False,
) -> str:
    """Return rows of cells as a table, aligned as in text."""
    head = ""
    if header is not None:
        head = f"<thead>{html_row(header, left, 'th', text_last=text_last)}</thead>"
    body = "".join(html_row(row, left, "td", text_last=text_last) for row in rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def shorten_rows(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the first rows, and one that says how many there are if that is not all."""
    if len(rows) <= MAX_ROWS:
        return list(rows)
    return [*rows[:MAX_ROWS], (f"… of {len(rows)}", *[""] * (len(rows[0]) - 1))]


def starts_left(n_columns: int, left: int, *, text_last: bool) -> list[bool]:
    """Return which columns start at the left."""
    return [index < left or (text_last and index == n_columns - 1) for index in range(n_columns)]


def html_row(cells: Sequence[Any], left: int, tag: str, *, text_last: bool) -> str:
    """Return one row."""
    starts = starts_left(len(cells), left, text_last=text_last)
    sides = ["left" if start else "right" for start in starts]
    pairs = zip(cells, sides, strict=True)
    inner = "".join(
        f'<{tag} style="text-align: {side}">{escape(str(cell))}</{tag}>' for cell, side in pairs
    )
    return f"<tr>{inner}</tr>"


def as_text(value: float) -> str:
    """Return a number with a few digits."""
    return f"{value:.{DIGITS}g}"


def format_or_explain(text: Callable[[], str]) -> str:
    """Return a text, or why it cannot be computed."""
    try:
        return text()
    except ValueError as error:
        return f"unknown. {error}"


def sizes_text(n_classes: int, n_features: int) -> str:
    """Return how many classes and columns there are, in words."""
    classes = f"{n_classes} class{'es' * (n_classes != 1)}"
    return f"{classes}, {n_features} feature{'s' * (n_features != 1)}"
