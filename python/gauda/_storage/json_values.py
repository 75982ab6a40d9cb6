"""Python values as JSON and back, exactly: what parameters, labels and column names are made of.

Whatever JSON lacks is an object with the key `$type`, which is looked up in tables made here: text
in a file never names code to run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

TYPE = "$type"

PLAIN = frozenset({type(None), bool, int, str})
"""Types that JSON has, each value of them."""

NUMERIC = frozenset(np.dtype(code) for code in "?bBhHiIlLqQefd")
"""Types of arrays whose elements are exact as numbers of Python."""


RECORDS: dict[str, type] = {}
"""Classes of values that are made of others."""

Record = TypeVar("Record", bound=type)


def record(cls: Record) -> Record:
    """Let values of a dataclass be saved: by its name, field by field."""
    RECORDS[cls.__name__] = cls
    return cls


def is_record(value: Any) -> bool:
    """Tell whether a value is of a class that is saved by its name."""
    return RECORDS.get(type(value).__name__) is type(value)


def to_json(value: Any) -> Any:
    """Return a value in terms of JSON; refuse one that could not be read back the same."""
    if type(value) in PLAIN:
        return value
    encode = ENCODERS.get(type(value))
    if encode is not None:
        return encode(value)
    if is_record(value):
        return {TYPE: "record", "class": type(value).__name__, "fields": to_json(vars(value))}
    if isinstance(value, tuple) and hasattr(value, "__array__"):  # adapted priors
        return to_json(np.asarray(value))
    if isinstance(value, np.generic) and value.dtype in NUMERIC:
        return {TYPE: "scalar", "array": array_to_json(np.asarray(value))}
    raise TypeError(
        f"{value!r} of type {type(value).__name__} cannot be saved: use None, booleans, numbers, "
        "strings, or lists and arrays of them."
    )


def from_json(value: Any) -> Any:
    """Return the value that `to_json` was given."""
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if TYPE not in value:
        return {key: from_json(item) for key, item in value.items()}
    if value[TYPE] not in DECODERS:
        raise ValueError(f"there is no type {value[TYPE]!r}")
    return DECODERS[value[TYPE]](value)


def float_to_json(value: float) -> Any:
    """Return a float; JSON has no name for infinities and NaN."""
    return value if math.isfinite(value) else {TYPE: "float", "value": repr(value)}


def dict_to_json(value: dict[Any, Any]) -> dict[str, Any]:
    """Return a dict with the names it has, or as a list of pairs where keys are not plain text."""
    if TYPE in value or not all(type(key) is str for key in value):
        pairs = [[to_json(key), to_json(item)] for key, item in value.items()]
        return {TYPE: "dict", "items": pairs}
    return {key: to_json(item) for key, item in value.items()}


def array_to_json(array: NDArray[Any]) -> dict[str, Any]:
    """Return an array of numbers, or of Python's own values."""
    if array.dtype.newbyteorder("=") not in NUMERIC and array.dtype.kind != "O":
        raise TypeError(
            f"An array of dtype {array.dtype} cannot be saved here: use numbers up to 64 bits, or "
            "Python's own values with dtype=object."
        )
    values = [to_json(item) for item in array.ravel().tolist()]
    name = array.dtype.newbyteorder("<").str
    return {TYPE: "array", "dtype": name, "shape": list(array.shape), "values": values}


def array_from_json(value: dict[str, Any]) -> NDArray[Any]:
    """Return the array, in this machine's order of bytes."""
    dtype = np.dtype(value["dtype"]).newbyteorder("=")
    if dtype not in NUMERIC and dtype.kind != "O":
        raise ValueError(f"there are no arrays of dtype {dtype}")
    items = [from_json(item) for item in value["values"]]
    return np.fromiter(items, dtype=dtype, count=len(items)).reshape(value["shape"])


ENCODERS: dict[type, Callable[[Any], Any]] = {
    float: float_to_json,
    list: lambda value: [to_json(item) for item in value],
    tuple: lambda value: {TYPE: "tuple", "values": [to_json(item) for item in value]},
    dict: dict_to_json,
    np.ndarray: array_to_json,
    np.str_: lambda value: {TYPE: "text", "value": str(value)},
}

DECODERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "dict": lambda value: {from_json(key): from_json(item) for key, item in value["items"]},
    "float": lambda value: float(value["value"]),
    "tuple": lambda value: tuple(from_json(item) for item in value["values"]),
    "array": array_from_json,
    "record": lambda value: RECORDS[value["class"]](**from_json(value["fields"])),
    "scalar": lambda value: from_json(value["array"])[()],
    "text": lambda value: np.str_(value["value"]),
}
