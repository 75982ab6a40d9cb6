"""Answers as notebooks show them: the first rows, or the shapes of arrays with more dimensions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda._analysis.summary import cell_text
from gauda._support.tables import html_table

if TYPE_CHECKING:
    from gauda._scoring.answers import Classification

MAX_ROWS = 10
MAX_COLUMNS = 12
"""How many rows and columns are shown."""

N_DIMENSIONS = 2
"""Dimensions of answers about rows: the rows, and classes."""


def as_html(self: Classification) -> str:
    """Return a table of the first rows, with a column for each answer and class."""
    arrays = dict(answers(self))
    if not arrays:
        return "<p>Classification without answers</p>"
    shape = next(iter(arrays.values())).shape
    sizes = " x ".join(map(str, shape[: 1 if rows_alone(arrays) else len(shape)]))
    title = f"<p><b>Classification</b> of {sizes} rows</p>"
    if not rows_alone(arrays):
        found = [(name, array.shape, array.dtype) for name, array in arrays.items()]
        return f"<div>{title}{html_table(found, ('answer', 'shape', 'type'))}</div>"
    columns = [column for name, array in arrays.items() for column in columns_of(name, array)]
    header = ["row", *(name for name, _ in columns[:MAX_COLUMNS])]
    rows = [
        [index, *(cell_text(values[index]) for _, values in columns[:MAX_COLUMNS])]
        for index in range(min(shape[0], MAX_ROWS))
    ]
    left_out = shape[0] > MAX_ROWS or len(columns) > MAX_COLUMNS
    note = f"<p>the first {len(rows)} rows and {len(header) - 1} columns</p>" if left_out else ""
    return f"<div>{title}{html_table(rows, header)}{note}</div>"


def answers(self: Classification) -> Iterator[tuple[str, NDArray[Any]]]:
    """Give the arrays that were asked for, by name."""
    for field in fields(self):
        value = getattr(self, field.name)
        if isinstance(value, tuple):
            yield from zip((f"{field.name}.labels", f"{field.name}.proba"), value, strict=True)
        elif value is not None:
            yield field.name, np.asarray(value)


def rows_alone(arrays: dict[str, NDArray[Any]]) -> bool:
    """Return whether answers are about a list of rows, and not about a scene."""
    return all(array.ndim <= N_DIMENSIONS for array in arrays.values()) and (
        len({len(array) for array in arrays.values()}) == 1
    )


def columns_of(name: str, array: NDArray[Any]) -> list[tuple[str, NDArray[Any]]]:
    """Return the columns of an answer, those of classes with their index."""
    if array.ndim == 1:
        return [(name, array)]
    return [(f"{name}[{index}]", array[:, index]) for index in range(array.shape[1])]
