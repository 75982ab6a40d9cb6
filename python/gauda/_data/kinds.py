"""Kinds of columns, given or inferred from their types, and the entries of columns by kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.columns import BERNOULLI, CATEGORICAL, KINDS, TRUTH, Column
from gauda._support.errors import Names, UnknownColumnError

AUTO = "auto"
NUMBERED = "numbered"
"""The kind of a column whose levels are the numbers 0, 1, 2, ..., not what it holds."""

Levels = list[Any] | None
"""The levels of a column, sorted; None if they are the numbers 0, 1, 2, ..."""


GIVE_KIND = (
    f"give one of {KINDS} in kinds=, convert the column (dates, for example, to days since a fixed "
    "one), or leave it out"
)


def choose_kinds(kinds: Any, columns: list[Column], names: Names) -> tuple[str, ...]:
    """Return the kind of each column, given or inferred from its type."""
    given = given_kinds(kinds, len(columns), names)
    return tuple(
        choose_kind(kind, column, names.column(index))
        for index, (kind, column) in enumerate(zip(given, columns, strict=True))
    )


def choose_kind(kind: str, column: Column, name: str, advice: str = GIVE_KIND) -> str:
    """Return the kind of one column."""
    chosen = column.kind() if kind == AUTO else kind
    if chosen in KINDS:
        return str(chosen)
    found = f"got {chosen!r}"
    if chosen is None:
        kept = column.values
        found = f"its type, {getattr(kept, 'dtype', None) or kept.type}, tells none"
    raise ValueError(f"Column {name} must be of a known kind; {found}: {advice}.")


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
                f"kinds must have an entry for each of the {n_columns} columns; got {len(kinds)}. "
                "Or give a dict by column."
            )
        return [str(kind) for kind in kinds]
    known = [] if names.features is None else names.features.tolist()
    chosen = [AUTO] * n_columns
    for column, kind in kinds.items():
        index = known.index(column) if column in known else column
        if not (isinstance(index, (int, np.integer)) and 0 <= index < n_columns):
            raise UnknownColumnError(
                f"kinds must name columns of X; got {column!r}, which is not a column."
            )
        chosen[index] = str(kind)
    return chosen


def level_kinds(
    columns: list[Column], names: Names, known: Sequence[Levels] | None = None
) -> tuple[str, ...]:
    """Return for each column of levels whether they have names: as before, or by its type."""
    before: Sequence[Levels] = [[]] * len(columns) if known is None else known
    return tuple(
        level_kind(column, names.column(index), levels)
        for index, (column, levels) in enumerate(zip(columns, before, strict=True))
    )


def level_kind(column: Column, name: str, known: Levels) -> str:
    """Return the kind of one column; where no level was known before, its type tells."""
    if known != []:
        return NUMBERED if known is None else CATEGORICAL
    return CATEGORICAL if choose_kind(AUTO, column, name, ADVICE) == CATEGORICAL else NUMBERED


ADVICE = "convert it to text or numbers, or leave it out"
"""What to do about a column that cannot hold levels."""


def numbers_of(
    column: Column, name: str, advice: str = "Give another kind in kinds=, or convert it"
) -> NDArray[Any]:
    """Return the entries of a numeric column."""
    try:
        return column.numbers()
    except (TypeError, ValueError) as error:
        raise ValueError(f"Column {name} must be numeric: {error}. {advice}.") from error


def level_numbers_of(column: Column, name: str) -> NDArray[Any]:
    """Return the entries of a column whose levels are 0, 1, 2, ...."""
    return numbers_of(
        column, name, "Its levels were numbers in the fit: give numbers, or refit with text"
    )


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
