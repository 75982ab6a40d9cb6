"""Columns of pyarrow tables, read as numbers or as codes of levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.columns import (
    BERNOULLI,
    CATEGORICAL,
    GAUSSIAN,
    Column,
    as_column,
    codes_of,
    in_order,
)
from gauda._data.training import NATIVE
from gauda._support.optional import need


class ArrowColumn(Column):
    """A column of pyarrow."""

    def __init__(self, values: Any) -> None:
        pa = need("pyarrow", extra="stream")
        whole = values.combine_chunks() if hasattr(values, "combine_chunks") else values
        view = whole.type == pa.string_view()  # of which pyarrow takes nulls for empty text
        super().__init__(whole.cast(pa.large_string()) if view else whole)

    def kind(self) -> str | None:
        types = need("pyarrow", extra="stream").types
        kind = self.values.type
        numbers = (types.is_integer, types.is_floating, types.is_decimal)
        levels = (types.is_dictionary, types.is_string, types.is_large_string, types.is_null)
        if types.is_boolean(kind):
            return BERNOULLI
        if any(is_number(kind) for is_number in numbers):
            return GAUSSIAN
        return CATEGORICAL if any(is_level(kind) for is_level in levels) else None

    def numbers(self) -> NDArray[Any]:
        pa = need("pyarrow", extra="stream")
        values = self.values
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        if values.null_count or not (
            pa.types.is_integer(values.type) or pa.types.is_floating(values.type)
        ):
            values = values.cast(pa.float64())
        array = values.to_numpy(zero_copy_only=False)
        return as_column(array if array.dtype in NATIVE else array.astype(np.float64))

    def levels(self) -> list[Any]:
        return in_order(self.values.unique().to_pylist())

    def codes(self, levels: Sequence[Any]) -> NDArray[Any]:
        pa = need("pyarrow", extra="stream")
        coded = self.values
        if not pa.types.is_dictionary(coded.type):
            coded = coded.dictionary_encode()
        distinct = coded.dictionary.to_pylist()
        # What is missing has the index after the last.
        codes = np.append(codes_of(distinct, levels), np.float32(np.nan))
        indices = coded.indices.cast(pa.int64()).fill_null(len(distinct)).to_numpy()
        return as_column(codes[indices])

    def entry(self, row: int) -> Any:
        return self.values[row].as_py()
