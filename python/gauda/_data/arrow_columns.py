"""Columns of pyarrow tables, read as numbers or as codes of levels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
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
from gauda._data.element_types import NATIVE
from gauda._support.arrays import Mask
from gauda._support.lazy import pa

MAX_BYTE = 255


class ArrowColumn(Column):
    """A column of pyarrow."""

    def __init__(self, values: Any) -> None:
        whole = values.combine_chunks() if hasattr(values, "combine_chunks") else values
        view = whole.type == pa.string_view()  # of which pyarrow takes nulls for empty text
        super().__init__(whole.cast(pa.large_string()) if view else whole)

    def kind(self) -> str | None:
        kind = self.values.type
        numbers = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
        levels = (
            pa.types.is_dictionary,
            pa.types.is_string,
            pa.types.is_large_string,
            pa.types.is_null,
        )
        if pa.types.is_boolean(kind):
            return BERNOULLI
        if any(is_number(kind) for is_number in numbers):
            return GAUSSIAN
        return CATEGORICAL if any(is_level(kind) for is_level in levels) else None

    def numbers(self) -> NDArray[Any]:
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
        entries, indices = self._coded
        used = np.flatnonzero(np.bincount(indices, minlength=len(entries))).tolist()
        # A dictionary may hold an entry twice.
        return in_order({entries[index] for index in used if index < len(entries)})

    def codes(self, levels: Sequence[Any]) -> NDArray[Any]:
        entries, indices = self._coded
        codes = codes_of(entries, levels)
        if self.values.null_count or np.isnan(codes).any():
            return as_column(np.append(codes, np.float32(np.nan)).take(indices))
        if indices.dtype in NATIVE and np.array_equal(codes, np.arange(len(codes))):
            return as_column(indices)
        small = np.uint8 if len(levels) <= MAX_BYTE else np.float32  # bytes are read faster
        return as_column(codes.astype(small).take(indices))

    @cached_property
    def _coded(self) -> tuple[list[Any], NDArray[Any]]:
        """The distinct entries, and the index of each row's; that after the last is missing."""
        coded = self.values
        if not pa.types.is_dictionary(coded.type):
            coded = coded.dictionary_encode()
        entries, indices = coded.dictionary.to_pylist(), coded.indices
        if indices.null_count:
            indices = indices.cast(pa.int64()).fill_null(len(entries))
        return entries, indices.to_numpy()

    def entry(self, row: int) -> Any:
        return self.values[row].as_py()

    def keep(self, rows: Mask) -> Column:
        return type(self)(self.values.filter(pa.array(rows)))
