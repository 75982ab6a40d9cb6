"""One large array of numpy, perhaps mapped from a file, read part by part."""

from __future__ import annotations

import mmap
import operator
from collections.abc import Generator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.encoding import encode
from gauda._data.training import as_rows
from gauda._streams.batches import Batch, Request, Source, as_names
from gauda._support.errors import UnknownColumnError
from gauda._support.lazy import pa

N_AXES = 2


@dataclass(frozen=True)
class Array:
    """An array, and whether it was mapped from a file here."""

    values: NDArray[Any]
    mapped: bool

    @classmethod
    def of(cls, given: Any) -> Array:
        """Take an array, or map a `.npy` file into memory."""
        if not isinstance(given, str | PathLike):
            return cls(np.asarray(given), mapped=False)
        try:
            values = np.load(given, mmap_mode="r", allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise ValueError(f"{str(given)!r} cannot be read: {error}") from error
        if not isinstance(values, np.memmap):
            raise TypeError(f"{str(given)!r} does not hold one array; save it with numpy.save.")
        return cls(values, mapped=True)

    def part(self, rows: slice) -> NDArray[Any]:
        """Return some of the rows; pages of the file that were read before leave the memory."""
        pages: Any = self.values.base
        if self.mapped and isinstance(pages, mmap.mmap):
            pages.madvise(mmap.MADV_DONTNEED)
        return np.asarray(self.values[rows])


@dataclass(frozen=True)
class Column:
    """One of the columns, of the rows or of another array: labels, weights."""

    array: Array
    index: int | None

    @classmethod
    def of(cls, given: Any, rows: Array, name: str) -> Column | None:
        """Take the index of a column, an array of one value per row, or a `.npy` file of it."""
        if given is None:
            return None
        if isinstance(given, int | np.integer):
            return cls(rows, column_index(given, rows))
        if isinstance(given, str | PathLike) and not Path(given).exists():
            raise ValueError(
                f"{name}={given!r} is not a file; name the columns of an array by their index."
            )
        array = Array.of(given)
        if array.values.shape != rows.values.shape[:1]:
            raise ValueError(
                f"{name} must have a value for each of the {len(rows.values)} rows; got shape "
                f"{array.values.shape}. Or give the index of a column."
            )
        return cls(array, None)

    def part(self, rows: slice) -> NDArray[Any]:
        """Return the values of some of the rows."""
        part = self.array.part(rows)
        return np.ascontiguousarray(part if self.index is None else part[:, self.index])


def open_array(given: Any, request: Request) -> Source:
    """Read an array or a `.npy` file; its columns are named by their index."""
    array = Array.of(given)
    if array.values.ndim != N_AXES:
        raise ValueError(
            "An array must have two axes, of rows and columns; got "
            f"{array.values.ndim}. Reshape it."
        )
    if request.labeled and request.target is None:
        raise ValueError(
            "target is missing: give the index of the column of labels, an array of labels, or the "
            "path of a .npy file."
        )
    labels = Column.of(request.target, array, "target")
    weights = Column.of(request.sample_weight, array, "sample_weight")
    kept = {str(name): Column(array, column_index(name, array)) for name in request.keep}
    features = feature_indices(array, request)
    n_rows = len(array.values)
    step = request.rows(len(features))

    def batches() -> Generator[Batch]:
        for start in range(0, max(n_rows, 1), step):
            rows = slice(start, start + step)
            X = array.part(rows)[:, as_slice(features)]
            yield Batch(
                X if request.as_table else as_rows(X, "Moments", 0),
                None if labels is None else encode(labels.part(rows), 1),
                None if weights is None else weights.part(rows).astype(np.float64),
                {name: arrow_array(column.part(rows)) for name, column in kept.items()},
                start,
            )

    return Source(batches(), len(features), None, n_rows)


def column_index(column: Any, array: Array) -> int:
    """Return the index of a column, counted from the front."""
    n_columns = array.values.shape[1]
    try:
        return range(n_columns)[operator.index(column)]
    except (IndexError, TypeError):
        raise UnknownColumnError(
            f"Column {column!r} does not exist: the array has {n_columns} columns, "
            "which are named by their index."
        ) from None


def feature_indices(array: Array, request: Request) -> list[int]:
    """Return the columns that are features: by default all that have no other use."""
    if request.features is not None:
        return [column_index(column, array) for column in as_names(request.features)]
    uses = [request.target, request.sample_weight, *request.keep, *request.ignore]
    other = {column_index(use, array) for use in uses if isinstance(use, int | np.integer)}
    other |= {column_index(column, array) for column in request.excluded}
    left = [column for column in range(array.values.shape[1]) if column not in other]
    if not left:
        raise ValueError(
            f"No column is left as a feature: the array has {array.values.shape[1]} columns. "
            "Exclude fewer, or give an array with more."
        )
    return left


def as_slice(indices: list[int]) -> slice | list[int]:
    """Return neighbors as a slice, which numpy does not copy."""
    neighbors = indices == list(range(indices[0], indices[0] + len(indices))) if indices else False
    return slice(indices[0], indices[0] + len(indices)) if neighbors else indices


def arrow_array(values: NDArray[Any]) -> Any:
    """Return a column as Arrow has it."""
    return pa.array(values)
