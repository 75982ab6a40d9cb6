"""A few rows on their way to the core, where there is nothing to say about them: the short way.

Whatever is None here goes the general way, which also says what is wrong with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.element_types import NATIVE
from gauda._data.frames import N_AXES, library_of

MAX_ROWS = 64


def few_as_array(X: Any, names: NDArray[Any] | None) -> NDArray[Any] | None:
    """Return a few rows as an array of the columns of a fit, which has these names."""
    kind = type(X)
    if kind is np.ndarray or kind is np.memmap:
        array: NDArray[Any] = X
        return array
    if kind is list or kind is dict:
        entries = few_entries(X, names)
        return None if entries is None else plain_array(entries)
    if not (is_frame(X) and 0 < len(X) <= MAX_ROWS and has_names(X, names)):
        return None
    array = X.values if library_of(X) == "pandas" else X.to_numpy()
    return array if array.dtype in NATIVE else None


def is_frame(X: Any) -> bool:
    """Tell whether X is a data frame in memory, whose rows can be counted."""
    return type(X).__name__ == "DataFrame" and library_of(X) in {"pandas", "polars"}


def few_entries(X: Any, names: NDArray[Any] | None) -> list[Any] | None:
    """Return the entries of a few rows, row by row, in the order of the columns of a fit."""
    kind = type(X)
    if kind is dict:
        return entries_by_name([X], names)
    if kind is list:
        return list_few(X, names)
    rows: list[Any] | None = None
    if kind is np.ndarray or kind is np.memmap:
        rows = X.tolist() if X.ndim == N_AXES and 0 < len(X) <= MAX_ROWS else None
    elif is_frame(X) and 0 < len(X) <= MAX_ROWS and has_names(X, names):
        rows = entries_of_pandas(X) if library_of(X) == "pandas" else X.rows()
    return rows


def entries_of_pandas(X: Any) -> list[Any]:
    """Return the entries of a frame; those of one row are soonest had one by one."""
    if len(X) > 1:
        entries: list[Any] = X.values.tolist()
        return entries
    return [[X.iat[0, column] for column in range(X.shape[1])]]


def list_few(X: list[Any], names: NDArray[Any] | None) -> list[Any] | None:
    """Return the entries of rows in a list: dictionaries, lists or tuples."""
    if not 0 < len(X) <= MAX_ROWS:
        return None
    first = type(X[0])
    if first is dict:
        return entries_by_name(X, names)
    return X if first is list or first is tuple else None


def entries_by_name(rows: list[Any], names: NDArray[Any] | None) -> list[Any] | None:
    """Return the entries of dictionaries that hold just these names."""
    if names is None:
        return None
    order = names.tolist()
    try:
        entries = [[row[name] for name in order] for row in rows]
    except (KeyError, TypeError):
        return None
    return entries if all(len(row) == len(order) for row in rows) else None


def plain_array(entries: list[Any]) -> NDArray[Any] | None:
    """Return rows of numbers as an array, as scikit-learn would."""
    try:
        array = np.array(entries)
    except (TypeError, ValueError):
        return None
    return array if array.dtype in NATIVE and array.ndim == N_AXES else None


def has_names(X: Any, names: NDArray[Any] | None) -> bool:
    """Tell whether a frame has the columns of a fit, in their order."""
    columns = X.columns
    if names is None:
        return type(columns).__name__ == "RangeIndex"
    return len(columns) == len(names) and list(columns) == names.tolist()
