"""Names for kinds of arrays, arrays of floats made of others, and arrays that none may write to."""

from __future__ import annotations

from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]
"""The kinds of arrays that most of gauda is written in."""


def real_array(given: Any, name: str) -> Floats:
    """Return an array of floats; refuse what is not one."""
    try:
        array = np.asarray(given)
        if array.dtype.kind in "biufO":
            return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"{name} must be an array of real numbers; got {short(given)}.")


def divide_by_sum(weights: Floats) -> Floats:
    """Return the share of each weight in all of them; refuse weights of rows that are all 0."""
    total = np.add.reduce(weights)
    if total == 0:
        raise ValueError("sample_weight is 0 for every row; at least one must be positive.")
    shares: Floats = weights / total
    return shares


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that cannot be written to; the same one if it could not before."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view
