"""Masked arrays of numpy: what is masked is missing, whatever number lies under the mask."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from gauda._data.element_types import FLOAT32, FLOAT64, SINGLE


def is_masked(X: Any) -> bool:
    """Tell whether X is a masked array; numpy loads what makes them when it is first asked."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and isinstance(X, masked.MaskedArray)


def fill_masked(X: Any) -> Any:
    """Return a masked array as a plain one: where masked, NaN beside numbers, and else None."""
    if not is_masked(X):
        return X
    array, mask = np.asarray(X.data), np.broadcast_to(X.mask, X.shape)
    if not mask.any():
        return array
    kind = array.dtype.kind
    if kind in "iu":
        array = array.astype(FLOAT32 if array.dtype in SINGLE else FLOAT64)
    elif kind != "f":
        array = array.astype(object)
    gap: Any = array.dtype.type(np.nan) if array.dtype.kind == "f" else None
    return np.where(mask, gap, array)
