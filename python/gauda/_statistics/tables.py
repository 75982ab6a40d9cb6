"""Tables of counts with a row for each class: moved, scaled, and less a part of them."""

from __future__ import annotations

import numpy as np

from gauda._support.arrays import Floats, Indices

ROUNDING = 1e-9
"""Share of a count that rounding may leave when what it was made of is subtracted."""

NOT_PART = "Subtract only what was added before, with the same weights."


def pad_alike(ours: Floats, theirs: Floats) -> tuple[Floats, Floats]:
    """Return tables of as many categories; those that one lacks do not occur in it."""
    if ours.ndim == 1:
        return ours, theirs
    width = max(ours.shape[1], theirs.shape[1])
    return widen_table(ours, width), widen_table(theirs, width)


def widen_table(table: Floats, width: int) -> Floats:
    """Return a table with room for so many categories."""
    missing = width - table.shape[1]
    return np.pad(table, [(0, 0), (0, missing)]) if missing > 0 else table


def regroup(table: Floats, indices: Indices, n_classes: int) -> Floats:
    """Return a table whose rows stand at other indices; rows of the same index are added up."""
    kept = indices >= 0
    other = np.zeros((n_classes, *table.shape[1:]))
    np.add.at(other, indices[kept], table[kept])
    return other


def scale(table: Floats, factor: float) -> Floats:
    """Return counts times a factor; refuse those that overflow."""
    with np.errstate(over="ignore", under="ignore"):
        product = table * factor
    if not np.isfinite(product).all():
        raise ValueError(
            f"The counts times {factor:g} are too large for a float. Use a smaller factor."
        )
    return product


def subtract(whole: Floats, part: Floats) -> Floats:
    """Return counts less a part of them; refuse what was not a part."""
    rest = whole - part
    slack = ROUNDING * whole
    if (rest < -slack).any():
        raise ValueError(
            f"What is subtracted was not part of the counts: some would fall below 0. {NOT_PART}"
        )
    left: Floats = np.where(rest <= np.where(part > 0, slack, 0), 0.0, rest)
    return left


def subtract_rows(whole: int, part: int) -> int:
    """Return a number of rows less a part of them; refuse what was not a part."""
    if part > whole:
        raise ValueError(
            f"What is subtracted was not part of the counts: {whole} rows less {part} would be a "
            f"negative row count. {NOT_PART}"
        )
    return whole - part


def check_entries_left(counted: Floats, n_left: Floats, n_before: Floats) -> None:
    """Refuse a rest in which a column has more entries of a class than the class has rows."""
    if (counted > (n_left + ROUNDING * n_before)[:, np.newaxis]).any():
        raise ValueError(
            "What is subtracted was not part of the counts: a column would have more entries than "
            f"there are rows. {NOT_PART}"
        )


def trim(rest: Floats, whole: Floats) -> Floats:
    """Return a table without its last categories, if all entries of the last were subtracted."""
    if not whole.shape[1] or rest[:, -1].any() or not whole[:, -1].any():
        return rest
    seen = np.flatnonzero(rest.any(axis=0))
    return rest[:, : seen[-1] + 1 if len(seen) else 0]
