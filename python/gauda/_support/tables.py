"""Tables as aligned text for terminals, and in HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

GAP = "  "


def aligned(rows: Iterable[Sequence[Any]], left: int = 1) -> str:
    """Return rows of cells as lines; the first columns start at the left, the others end right."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = []
    for row in texts:
        cells = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(GAP.join(cells).rstrip())
    return "\n".join(lines)


def html_table(
    rows: Iterable[Sequence[Any]], header: Sequence[Any] | None = None, left: int = 1
) -> str:
    """Return rows of cells as a table, aligned as in text."""
    head = "" if header is None else f"<thead>{html_row(header, left, 'th')}</thead>"
    body = "".join(html_row(row, left, "td") for row in rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def html_row(cells: Sequence[Any], left: int, tag: str) -> str:
    """Return one row."""
    sides = ["left" if place < left else "right" for place in range(len(cells))]
    pairs = zip(cells, sides, strict=True)
    inner = "".join(
        f'<{tag} style="text-align: {side}">{escape(str(cell))}</{tag}>' for cell, side in pairs
    )
    return f"<tr>{inner}</tr>"
