"""Rows in which values are missing, left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gauda._data.training import LabeledRows
from gauda._support.arrays import Mask
from gauda._support.warning import warn_caller


def has_gaps(data: LabeledRows) -> bool:
    """Tell whether values of some row are missing."""
    return data.rows.dtype.kind == "f" and bool(np.isnan(data.rows).any())


def warn_of_dropped(n_dropped: int, n_rows: int) -> None:
    """Say how many rows were left out, if any were."""
    if n_dropped:
        warn_caller(
            f"missing='drop' has left out {n_dropped} of {n_rows} rows, in which values are "
            "missing."
        )


def all_dropped(n_rows: int) -> str:
    """Say that no row is left."""
    return (
        f"missing='drop' leaves out rows with missing values, but all {n_rows} have some. Use "
        "missing='marginalize', or leave out columns."
    )


def without_gaps(data: LabeledRows) -> LabeledRows:
    """Return the rows in which no value is missing; the others are counted as dropped."""
    if data.rows.dtype.kind != "f":
        return data
    whole = ~np.isnan(data.rows).any(axis=1)
    return data if whole.all() else rows_where(data, whole)


def rows_where(data: LabeledRows, whole: Mask) -> LabeledRows:
    """Return some rows, with the classes that they have; the others are counted as dropped."""
    present, indices = np.unique(data.codes[whole], return_inverse=True)
    classes, codes = data.classes[present], np.asarray(indices, dtype=np.uint32)
    return replace(
        data,
        rows=data.rows[whole],
        classes=classes,
        codes=codes,
        weights=None if data.weights is None else data.weights[whole],
        names=replace(data.names, classes=classes, codes=codes, rows=np.flatnonzero(whole)),
        n_dropped=data.n_dropped + int(np.count_nonzero(~whole)),
    )
