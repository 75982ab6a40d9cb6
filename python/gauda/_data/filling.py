"""Tables with some entries replaced, or made of columns, in the library that they come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.columns import table_of
from gauda._data.frames import library_of
from gauda._support.arrays import Floats, Indices
from gauda._support.lazy import pa, pl

Entries = Mapping[int, tuple[Indices, list[Any]]]
"""By index of a column rows, and the entries that these get."""


def replace_entries(X: Any, changes: Entries) -> Any:
    """Return a table like X with some entries replaced; integers of such columns become floats."""
    table = table_of(X)
    fill: dict[str, Callable[[Any, Entries], Any]]
    fill = {"pandas": fill_pandas, "polars": fill_polars, "pyarrow": fill_arrow}
    chosen = fill.get(library_of(table))
    return fill_array(table, changes) if chosen is None else chosen(table, changes)


def fill_array(table: NDArray[Any], changes: Entries) -> NDArray[Any]:
    """Replace entries of an array."""
    filled = table.copy()
    for column, (rows, entries) in changes.items():
        filled[rows, column] = entries
    return filled


def fill_pandas(table: Any, changes: Entries) -> Any:
    """Replace entries of a frame of pandas."""
    filled = table.copy()
    for column, (rows, entries) in changes.items():
        series = table.iloc[:, column].copy()
        if hasattr(series.dtype, "categories"):
            new = [entry for entry in dict.fromkeys(entries) if entry not in series.cat.categories]
            series = series.cat.add_categories(new)
        elif series.dtype.kind in "iu":  # of pandas' own, which may miss some
            series = series.astype("Float64")
        series.iloc[rows] = entries
        filled.isetitem(column, series)
    return filled


def fill_polars(table: Any, changes: Entries) -> Any:
    """Replace entries of a frame of polars."""
    columns = []
    for column, (rows, entries) in changes.items():
        series = table.to_series(column)
        new = pl.Series(series.name, with_entries(series.to_list(), rows, entries), strict=False)
        if not (
            series.dtype.is_integer() or (series.dtype == pl.Enum and is_unlisted(series, new))
        ):
            new = new.cast(series.dtype)
        columns.append(new)
    return table.with_columns(columns)


def is_unlisted(series: Any, new: Any) -> bool:
    """Tell whether entries are none of those that a column of polars may hold."""
    return not set(new.to_list()) <= set(series.dtype.categories.to_list())


def fill_arrow(table: Any, changes: Entries) -> Any:
    """Replace entries of a table of pyarrow."""
    for column, (rows, entries) in changes.items():
        old = table.column(column)
        kind = pa.float64() if pa.types.is_integer(old.type) else old.type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        new = pa.array(with_entries(old.to_pylist(), rows, entries), type=kind)
        new = new.dictionary_encode() if pa.types.is_dictionary(old.type) else new
        table = table.set_column(column, table.column_names[column], new)
        if new.type != old.type:  # of which pandas has taken a note
            table = table.replace_schema_metadata(None)
    return table


def with_entries(values: list[Any], rows: Indices, entries: list[Any]) -> list[Any]:
    """Return a list with some entries replaced."""
    for row, entry in zip(rows.tolist(), entries, strict=True):
        values[row] = entry
    return values


def library_of_table(X: Any) -> str:
    """Return the library of a data frame or table; that of an array is numpy."""
    return library_of(table_of(X))


def table_of_columns(library: str, names: NDArray[Any] | None, columns: list[NDArray[Any]]) -> Any:
    """Return columns as a table of a library, or as an array."""
    if library == "pandas":
        keys = range(len(columns)) if names is None else names.tolist()
        return import_module("pandas").DataFrame(dict(zip(keys, columns, strict=True)))
    if library in {"polars", "pyarrow"} and names is not None:
        named = {name: column.tolist() for name, column in zip(names, columns, strict=True)}
        module = import_module(library)
        return module.DataFrame(named) if library == "polars" else module.table(named)
    dtype = object if any(column.dtype.kind in "OU" for column in columns) else None
    return np.stack([column.astype(dtype or column.dtype) for column in columns], axis=1)


def library_at_hand(names: NDArray[Any] | None) -> str:
    """Return a library for columns of which it is not known where they came from."""
    return "pandas" if names is not None and find_spec("pandas") is not None else "numpy"


def levels_at(levels: list[Any], codes: Floats) -> NDArray[Any]:
    """Return the levels with these indices, of their own type if they are of one; None of none."""
    if not levels:
        return np.full(len(codes), None)
    indices = np.minimum(codes.astype(np.intp), len(levels))
    named = not (indices == len(levels)).any()
    alike = len({type(level) for level in levels}) == 1 and not isinstance(levels[0], str)
    known = np.array(levels) if alike and named else np.array([*levels, None], dtype=object)
    return known[indices]
