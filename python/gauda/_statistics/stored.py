"""What files of statistics have in common, and whether two would hold the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._statistics.tables import ROUNDING
from gauda._storage.format import Arrays
from gauda._storage.saveable import check_sums
from gauda._support.arrays import Floats

Content = tuple[Arrays, dict[str, Any]]

NOT_COMPARED = frozenset({"class_rows", "dtype", "n_rows", "past", "past_roots", "rest"})
"""What does not make statistics differ: equal sums may come from other rows, or be a rest."""


def same_content(ours: Content, theirs: Content) -> bool:
    """Tell whether two files hold the same sums under the same labels and names."""
    (our_arrays, our_metadata), (their_arrays, their_metadata) = ours, theirs
    keys = (our_metadata.keys() | their_metadata.keys()) - NOT_COMPARED
    names, theirs_too = (
        {name for name in arrays if name.rpartition(".")[2] not in NOT_COMPARED}
        for arrays in (our_arrays, their_arrays)
    )
    return (
        all(our_metadata.get(key) == their_metadata.get(key) for key in keys)
        and names == theirs_too
        and all(np.array_equal(our_arrays[name], their_arrays[name]) for name in names)
    )


def stored_fields(arrays: Arrays, metadata: dict[str, Any]) -> dict[str, Any]:
    """Return what a file of any statistics holds besides sums."""
    classes = arrays["classes"]
    if classes.ndim != 1 or not np.array_equal(np.unique(classes), classes):
        raise ValueError("its classes must be sorted, each once")
    return {
        "classes": classes,
        "feature_names": arrays.get("feature_names"),
        "has_gaps": bool(metadata.get("has_gaps", False)),
    }


def check_names(names: NDArray[Any] | None, n_features: int) -> None:
    """Refuse more or fewer names than columns."""
    if names is not None and names.shape != (n_features,):
        raise ValueError(f"{names.shape} names cannot name {n_features} columns")


def rows_stored(metadata: dict[str, Any], class_count: Floats) -> int:
    """Return the number of rows that a file tells; where it does not, their weight."""
    n_rows = metadata.get("n_rows", round(float(class_count.sum())))
    if type(n_rows) is not int or n_rows < 0:
        raise ValueError(f"there cannot be {n_rows!r} rows")
    return n_rows


def stored_tables(arrays: Arrays, n_classes: int) -> tuple[Floats, ...]:
    """Return the tables that a file holds side by side."""
    widths, together = arrays["widths"], arrays["tables"]
    if widths.ndim != 1 or widths.dtype.kind not in "iu" or (widths < 0).any():
        raise ValueError("its tables and classes do not fit together")
    check_sums("the counts of classes", arrays["class_count"], (n_classes,))
    check_sums("its tables", together, (n_classes, int(widths.sum())))
    tables = np.split(together, np.cumsum(widths)[:-1], axis=1)
    return tuple(map(np.ascontiguousarray, tables))


def check_counted(
    class_count: Floats, tables: tuple[Floats, ...], *, each_column: bool = False
) -> None:
    """Refuse tables that count more than there are rows, in a column or in all together."""
    for table in tables:
        counted = table if each_column else table.sum(axis=1, keepdims=True)
        if (counted > (1 + ROUNDING) * class_count[:, np.newaxis]).any():
            raise ValueError("more was counted in a column than there are rows")
