"""Files of JSON objects, one in each line; all numbers of features are doubles."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np

from gauda._streams.batches import Request
from gauda._streams.columns import Columns
from gauda._streams.file import File
from gauda._support.lazy import arrow_json, pa

DIGITS, DECIMALS = 38, 9
"""Labels are read as decimals of so many digits: doubles would take large ones for each other."""

MAX_EXACT = 2**53
"""Up to here doubles hold every integer."""


def json_lines(path: Path, request: Request) -> File:
    """Open a file of JSON objects; the first ones tell which columns there are."""
    if not hasattr(arrow_json, "open_json"):
        installed = pa.__version__
        raise ImportError(
            f"JSON Lines must be read with pyarrow 20 or newer; got {installed}. Run pip install "
            "'pyarrow>=20', or convert the file to parquet."
        )
    with arrow_json.open_json(path) as opened:
        schema = as_written(opened.schema, request)

    def read(columns: Columns, _: int) -> Generator[Any]:
        fields = [pa.field(name, field_type(schema.field(name), columns)) for name in columns.names]
        parsing = arrow_json.ParseOptions(
            explicit_schema=pa.schema(fields), unexpected_field_behavior="ignore"
        )
        with arrow_json.open_json(path, parse_options=parsing) as opened:
            for record_batch in opened:
                for name in columns.keep:
                    check_exact(record_batch.column(name), name)
                yield record_batch

    return File(schema, None, read, np.dtype(np.float64))


def as_written(schema: Any, request: Request) -> Any:
    """Return a schema in which text is text, also that of times, and labels are exact."""
    for index, field in enumerate(schema):
        kind = field.type
        empty_text = field.name in request.text and pa.types.is_null(kind)
        if pa.types.is_timestamp(kind) or empty_text:
            kind = pa.string()
        if field.name == request.target and is_number(kind):
            kind = pa.decimal128(DIGITS, DECIMALS)
        schema = schema.set(index, field.with_type(kind))
    return schema


def field_type(field: Any, columns: Columns) -> Any:
    """Return the type in which to read a column; later rows may have fractions."""
    number = field.name in {*columns.features, columns.weight}
    return pa.float64() if number and is_number(field.type) else field.type


def is_number(kind: Any) -> bool:
    """Whether a type of Arrow is one that numbers of JSON get, or nothing but nulls."""
    return any(
        is_kind(kind) for is_kind in (pa.types.is_integer, pa.types.is_floating, pa.types.is_null)
    )


def check_exact(column: Any, name: str) -> None:
    """Refuse to carry integers along that doubles do not hold."""
    if not pa.types.is_floating(column.type):
        return
    values = column.to_numpy(zero_copy_only=False)
    if (np.abs(values) > MAX_EXACT).any():
        raise ValueError(
            f"Column {name!r} must hold numbers up to 2**53 to be kept; got larger ones, which "
            "would lose digits. Write them as text in the file."
        )
