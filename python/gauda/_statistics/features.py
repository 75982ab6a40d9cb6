"""Columns by name, index or mask, and whether those of two samples are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._support.arrays import Indices
from gauda._support.errors import UnknownColumnError

Names = NDArray[Any] | None


def column_indices(features: Any, names: Names, n_features: int) -> Indices:
    """Return the indices of columns, given by their names, indices or a mask."""
    wanted = np.atleast_1d(np.asarray(features))
    if wanted.dtype.kind in "UT" or all(isinstance(name, str) for name in wanted.flat):
        columns = columns_named(wanted.ravel().tolist(), names)
    elif wanted.dtype.kind not in "biu":
        raise ValueError(f"features must be names, indices or a mask; got {features!r}.")
    elif wanted.dtype.kind == "b" and len(wanted) != n_features:
        raise ValueError(
            f"A mask must have one entry for each of the {n_features} columns; got {len(wanted)}."
        )
    elif wanted.dtype.kind != "b" and (beyond := indices_beyond(wanted, n_features)):
        raise UnknownColumnError(
            f"features must be indices from 0 to {n_features - 1}, as there are {n_features} "
            f"columns; got {beyond}."
        )
    else:
        columns = np.arange(n_features)[wanted]
    if columns.ndim != 1 or len(columns) == 0:
        raise ValueError(f"features must be a flat list of at least one column; got {features!r}.")
    return columns


def indices_beyond(wanted: NDArray[Any], n_features: int) -> list[int]:
    """Return the indices for which there is no column; negative ones count from the end."""
    indices: list[int] = wanted[(wanted < -n_features) | (wanted >= n_features)].tolist()
    return indices


def columns_named(wanted: list[str], names: Names) -> Indices:
    """Return the indices of columns with these names."""
    if names is None and wanted:
        raise UnknownColumnError(
            f"The columns have no names, so there are no {wanted}; select by index."
        )
    known = [] if names is None else names.tolist()
    absent = [name for name in wanted if name not in known]
    if absent:
        raise UnknownColumnError(f"There are no columns {absent}; the names are {known}.")
    return np.array([known.index(name) for name in wanted], dtype=np.intp)


def written_names(names: Names, n_features: int) -> list[str]:
    """Return what columns are called in formulas and tables."""
    if names is None:
        return [f"x{column}" for column in range(n_features)]
    return [str(name) for name in names]


def check_columns(ours: int, theirs: int, noun: str) -> None:
    """Refuse statistics of more or fewer columns."""
    if ours != theirs:
        raise ValueError(
            f"{noun} of {ours} and {theirs} features do not go together; select() the columns that "
            "both have."
        )


def joint_names(ours: Names, theirs: Names, noun: str) -> Names:
    """Return the names that either has; refuse names that differ."""
    if ours is None or theirs is None:
        return theirs if ours is None else ours
    if not np.array_equal(ours, theirs):
        raise ValueError(
            f"{noun} of different columns do not go together: {ours.tolist()} and "
            f"{theirs.tolist()}; select() the same ones in the same order."
        )
    return ours
