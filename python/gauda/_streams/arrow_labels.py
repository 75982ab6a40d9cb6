"""Columns of labels in Arrow's types: which can be labels, and how they become codes of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.encoding import Encoded, encode
from gauda._data.label_columns import ZONES, whole_numbers
from gauda._streams.arrow_types import is_bytes, is_extension, is_text, value_type
from gauda._support.lazy import pa


def check_labels(field: Any) -> None:
    """Refuse a type of which labels cannot be."""
    kind = value_type(field.type)
    others = (pa.types.is_nested, is_bytes, pa.types.is_time, pa.types.is_interval, is_extension)
    if any(is_other(kind) for is_other in others):
        raise ValueError(
            f"Column {field.name!r} holds {field.type}, which cannot be labels. Name a column of "
            "text, numbers, booleans or dates as target."
        )
    zone = kind.tz if pa.types.is_timestamp(kind) else None
    if zone is not None:
        raise ValueError(
            f"Labels must be times without a zone; column {field.name!r} has zone {zone!r}. {ZONES}"
        )


def encode_labels(column: Any, name: str, first_row: int) -> Encoded:
    """Return the sorted classes of a column of labels, and their codes."""
    if pa.types.is_dictionary(column.type) and column.dictionary.null_count:
        column = column.dictionary_decode()  # which shows the nulls
    missing = column.is_null(nan_is_null=True)
    if missing.true_count:
        row = first_row + int(np.argmax(missing.to_numpy(zero_copy_only=False)))
        raise ValueError(
            f"The label in column {name!r} is missing at row {row}. Drop such rows first."
        )
    if is_text(column.type):
        column = column.cast(pa.large_string()).dictionary_encode()
    if pa.types.is_dictionary(column.type):
        return encode_dictionary(column, name)
    labels = label_numbers(column)
    refuse_fractions(labels, name)
    return encode(labels, 1)


def refuse_fractions(labels: NDArray[Any], name: str) -> None:
    """Refuse numbers that are not integers as labels."""
    if labels.dtype.kind == "f" and (fractions := labels != np.floor(labels)).any():
        raise ValueError(
            f"Column {name!r} must hold labels; got numbers with fractions, such as "
            f"{labels[fractions.argmax()]}. Name another column as target, or convert it to text."
        )


def label_numbers(column: Any) -> NDArray[Any]:
    """Return labels other than text as an array of numpy; decimals become integers."""
    if pa.types.is_decimal(column.type):
        column = decimal_labels(column)
    labels: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return labels


def decimal_labels(column: Any) -> Any:
    """Return decimals as integers of 64 bits: doubles would take large ones for each other."""
    for kind in (pa.int64(), pa.uint64()):
        try:
            return column.cast(kind)
        except pa.ArrowInvalid:
            continue
    return pa.array(whole_numbers(column.to_pylist()))  # which says what is wrong


def encode_dictionary(column: Any, name: str) -> Encoded:
    """Return the sorted classes that a dictionary-encoded column uses, and their codes."""
    entries = column.dictionary
    if is_text(entries.type):
        labels = entries.to_numpy(zero_copy_only=False).astype(str)
    else:
        labels = label_numbers(entries)
    indices = column.indices.to_numpy().astype(np.intp, copy=False)
    used = np.flatnonzero(np.bincount(indices, minlength=len(labels)))
    refuse_fractions(labels[used], name)
    classes, codes = np.unique(labels[used], return_inverse=True)
    code = np.zeros(len(labels), dtype=np.uint32)
    code[used] = codes
    return classes, code[indices]
