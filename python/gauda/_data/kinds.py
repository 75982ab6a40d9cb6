"""Kinds of columns, given or inferred from their types, and the entries of columns by kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.columns import BERNOULLI, KINDS, TRUTH, Column
from gauda._support.errors import Names, UnknownColumnError

AUTO = "auto"


def choose_kinds(kinds: Any, columns: list[Column], names: Names) -> tuple[str, ...]:
    """Return the kind of each column, given or inferred from its type."""
    given = given_kinds(kinds, len(columns), names)
    return tuple(
        choose_kind(kind, column, names.column(index))
        for index, (kind, column) in enumerate(zip(given, columns, strict=True))
    )


def choose_kind(kind: str, column: Column, name: str) -> str:
    """Return the kind of one column."""
    chosen = column.kind() if kind == AUTO else kind
    if chosen in KINDS:
        return str(chosen)
    found = f"has the kind {chosen!r}"
    if chosen is None:
        kept = column.values
        found = f"of type {getattr(kept, 'dtype', None) or kept.type} tells no kind"
    raise ValueError(
        f"Column {name} {found}: give one of {KINDS} in kinds=, or convert the column."
    )


def given_kinds(kinds: Any, n_columns: int, names: Names) -> list[str]:
    """Return for each column what `kinds` says of it."""
    if isinstance(kinds, str):
        if kinds != AUTO:
            raise ValueError(
                f"kinds must be {AUTO!r}, a kind for each column, or a dict; got {kinds!r}."
            )
        return [AUTO] * n_columns
    if not isinstance(kinds, Mapping):
        if len(kinds) != n_columns:
            raise ValueError(
                f"kinds has {len(kinds)} entries for {n_columns} columns; give one for each, or a "
                "dict."
            )
        return [str(kind) for kind in kinds]
    known = [] if names.features is None else names.features.tolist()
    chosen = [AUTO] * n_columns
    for column, kind in kinds.items():
        index = known.index(column) if column in known else column
        if not (isinstance(index, (int, np.integer)) and 0 <= index < n_columns):
            raise UnknownColumnError(f"kinds has {column!r}, which is not a column of X.")
        chosen[index] = str(kind)
    return chosen


def numbers_of(column: Column, name: str) -> NDArray[Any]:
    """Return the entries of a numeric column."""
    try:
        return column.numbers()
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Column {name} must be numeric: {error}. Give another kind in kinds=, or convert it."
        ) from error


def levels_of(column: Column, name: str, kind: str) -> list[Any]:
    """Return the sorted levels of a discrete column."""
    try:
        levels = column.levels()
    except TypeError as error:
        raise TypeError(
            f"Column {name} cannot hold categories: {error}. Convert it to text."
        ) from error
    if kind != BERNOULLI:
        return levels
    others = [level for level in levels if level not in TRUTH]
    if others:
        raise ValueError(
            f"Column {name} of kind 'bernoulli' holds {others[0]!r}; such columns hold False and "
            "True, or 0 and 1. Compare it with a threshold first, or give another kind in kinds=."
        )
    return TRUTH
