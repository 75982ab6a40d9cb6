"""A fitted model on a page: what R's `print` and `summary` show of one, as text and in HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gauda._support.arrays import Floats
from gauda._support.tables import align, as_text, html_table

MAX_ROWS = 20
MAX_COLUMNS = 10
"""How many rows and columns of a table are shown."""


class Table(NamedTuple):
    """A table of a summary."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]

    @classmethod
    def of(
        cls, title: str, across: Sequence[Any], down: Sequence[Any], values: Any, corner: str = ""
    ) -> Table:
        """Return the first rows and columns of a matrix; the title says if there are more."""
        header = (corner, *(str(label) for label in list(across)[:MAX_COLUMNS]))
        pairs = zip(list(down)[:MAX_ROWS], values, strict=False)
        rows = [
            (str(label), *(cell_text(value) for value in list(row)[:MAX_COLUMNS]))
            for label, row in pairs
        ]
        shown = [
            f"{most} of {len(labels)} {noun}"
            for labels, most, noun in ((down, MAX_ROWS, "rows"), (across, MAX_COLUMNS, "columns"))
            if len(labels) > most
        ]
        return cls(f"{title} (first {', '.join(shown)})" if shown else title, header, rows)


def cell_text(value: Any) -> str:
    """Return an entry of a table; numbers have a few digits."""
    return as_text(float(value)) if isinstance(value, float | np.floating) else str(value)


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """A fitted model on a page; printed, or shown in a notebook, it makes tables.

    Attributes
    ----------
    title : str
        The estimator with its parameters, and how many classes, columns and rows it has.

    tables : list of Table
        Each with `title`, `header` and `rows`, entries as text.
    """

    title: str
    tables: list[Table]

    def __repr__(self) -> str:
        return f"<Summary of {self.title}>"

    def __str__(self) -> str:
        parts = [f"{table.title}\n{align([table.header, *table.rows])}" for table in self.tables]
        return "\n\n".join([self.title, *parts])

    def _repr_html_(self) -> str:
        parts = [f"<b>{escape(self.title)}</b>"]
        for table in self.tables:
            parts += [f"<p>{escape(table.title)}</p>", html_table(table.rows, table.header)]
        return "<div>" + "\n".join(parts) + "</div>"


def class_table(classes: NDArray[Any], weights: Floats, log_prior: Floats) -> Table:
    """Return weights and priors of the classes."""
    values = [
        (f"{weight:.15g}", as_text(prior))
        for weight, prior in zip(weights, np.exp(log_prior), strict=True)
    ]
    return Table.of("classes", ("weight", "prior"), classes.tolist(), values, "class")
