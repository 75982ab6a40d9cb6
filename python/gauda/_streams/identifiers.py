"""Columns that look like identifiers: those who let all columns be features should hear of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gauda._data.frames import library_of
from gauda._streams.arrow_types import is_text, value_type
from gauda._streams.batches import LOG, Request, Source, show_name
from gauda._streams.columns import numbers
from gauda._support.lazy import pa

MIN_ROWS = 20
"""Fewer rows may well differ by chance."""

PROBE = 200
"""Rows that are looked at first: they tell most columns of measurements."""


def note_identifiers(request: Request, source: Source, X: Any, *, text: bool) -> None:
    """Log which of the columns that nobody has chosen differ in all rows of the first batch.

    Columns of text are left out where a model warns of them itself.
    """
    is_known = isinstance(X, np.ndarray) or library_of(X) == "pyarrow"  # not a frame of an iterable
    names = source.feature_names
    if request.features is not None or names is None or not is_known or len(X) < MIN_ROWS:
        return
    for index, name in enumerate(names):
        column = X[:, index] if isinstance(X, np.ndarray) else X.column(index)
        if is_identifier(column, text=text):
            LOG.info(
                "Column %s has another value in each of the first %d rows, as an identifier has. "
                "Leave it out with exclude=[%r] if it is one.",
                show_name(name),
                len(X),
                name,
            )


def is_identifier(column: Any, *, text: bool) -> bool:
    """Whether a column holds whole numbers, or perhaps text, all different."""
    if not isinstance(column, np.ndarray):
        kind = value_type(column.type)
        if is_text(kind):
            return text and not column.null_count and len(column.unique()) == len(column)
        if not pa.types.is_primitive(kind):
            return False
        column = numbers(column)
    return all(are_distinct_integers(part) for part in (column[:PROBE], column))


def are_distinct_integers(values: Any) -> bool:
    """Whether numbers are whole and all different."""
    if values.dtype.kind == "f" and not (np.floor(values) == values).all():
        return False
    return values.dtype.kind in "iuf" and len(np.unique(values)) == len(values)
