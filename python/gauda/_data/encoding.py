"""Labels as codes: the sorted classes, and the index of each row's among them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets

from gauda import _core
from gauda._data.element_types import NATIVE
from gauda._data.label_columns import is_missing, refuse_missing

Encoded = tuple[NDArray[Any], NDArray[np.uint32]]
"""Sorted classes, and the index of each row's class among them."""


def encode(y: NDArray[Any], n_threads: int | None) -> Encoded:
    """Return the sorted classes of a 1-D array and the code of each row."""
    encoded = None
    if y.dtype.kind in "biufU":
        encoded = encode_in_core(y, n_threads)
    elif y.dtype.kind == "O":
        encoded = encode_strings(y)
    if encoded is not None:
        return encoded  # scikit-learn would find nothing to refuse here
    try:
        assert_all_finite(y, input_name="y")
        refuse_bytes(y)
        check_classification_targets(y)
    except (TypeError, ValueError):
        refuse_missing(is_missing(y))  # scikit-learn knows neither all marks of it, nor the row
        raise
    refuse_missing(is_missing(y))
    classes, indices = np.unique(y, return_inverse=True)
    return classes, indices.astype(np.uint32)


def refuse_bytes(y: NDArray[Any]) -> None:
    """Refuse labels of bytes, of which scikit-learn before 1.7 only warns."""
    if y.size and isinstance(y[0], bytes):
        raise TypeError(
            "Support for labels represented as bytes is not supported. Convert the labels to a "
            "string or integer format."
        )


def encode_in_core(y: NDArray[Any], n_threads: int | None) -> Encoded | None:
    """Encode integers, booleans, floats that hold integers, or text of one width; only those."""
    flags = y.flags
    ready = y.dtype.isnative and flags.c_contiguous and flags.aligned
    labels = y if ready else np.array(y, dtype=y.dtype.newbyteorder("="), order="C")
    dtype = labels.dtype
    if dtype.kind == "b":  # any byte but 0 is true
        labels = (labels.view(np.uint8) != 0).view(np.uint8)
    elif dtype.kind == "U" and dtype.itemsize > 0:
        points = labels.view(np.uint32)
        labels = points if len(points) == len(y) else points.reshape(len(y), -1)
    elif dtype not in NATIVE:
        return None
    codes = np.empty(len(y), dtype=np.uint32)
    classes = _core.encode_labels(labels, codes, n_threads)
    if classes is None:
        return None
    if labels is not y:
        classes = classes.view(dtype).astype(y.dtype, copy=False)
    return classes, codes


def encode_strings(y: NDArray[np.object_]) -> Encoded | None:
    """Encode Python strings; only those."""
    labels = y.tolist()
    try:
        distinct = set(labels)
    except TypeError:  # a label cannot be hashed
        return None
    if set(map(type, distinct)) != {str}:
        return None
    classes = sorted(distinct)
    code = {label: index for index, label in enumerate(classes)}
    codes = np.fromiter(map(code.__getitem__, labels), dtype=np.uint32, count=len(labels))
    return np.array(classes, dtype=object), codes
