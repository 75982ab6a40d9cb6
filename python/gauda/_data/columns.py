"""Columns of pandas, polars and numpy tables, read as numbers or as codes of levels.

A missing entry (NaN, None or a library's own mark) is NaN in both; a level that is not among those
given has the number after the last.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from gauda._data.element_types import NATIVE
from gauda._data.frames import N_AXES, library_of, refuse_sources
from gauda._data.masked import fill_masked
from gauda._data.sparse import refuse_sparse
from gauda._support.arrays import Mask
from gauda._support.lazy import pandas_types as types
from gauda._support.lazy import pl

GAUSSIAN, BERNOULLI, CATEGORICAL = KINDS = ("gaussian", "bernoulli", "categorical")
MARKS = {"NoneType", "NAType", "NaTType"}
"""Types of what stands for a missing entry, besides NaN."""
TRUTH = [False, True]
"""The levels of a Bernoulli column; 0 and 1 are equal to them."""


class Column(ABC):
    """One column of a table."""

    def __init__(self, values: Any) -> None:
        self.values = values

    @abstractmethod
    def kind(self) -> str | None:
        """Return what the type of the column says it is; None if it can be nothing."""

    @abstractmethod
    def numbers(self) -> NDArray[Any]:
        """Return the entries as an array of numbers."""

    @abstractmethod
    def levels(self) -> list[Any]:
        """Return the distinct entries that are not missing, sorted."""

    @abstractmethod
    def codes(self, levels: Sequence[Any]) -> NDArray[Any]:
        """Return the index of each entry among levels."""

    def entry(self, row: int) -> Any:
        """Return one entry."""
        return self.values[row]

    def keep(self, rows: Mask) -> Column:
        """Return the column of some rows."""
        return type(self)(self.values[rows])


class ArrayColumn(Column):
    """A column of a numpy array."""

    def kind(self) -> str | None:
        kind = self.values.dtype.kind
        if kind == "O":
            return kind_of_objects(self.values.tolist())
        return dict.fromkeys("iuf", GAUSSIAN).get(kind) or {
            "b": BERNOULLI,
            "U": CATEGORICAL,
            "T": CATEGORICAL,
        }.get(kind)

    def numbers(self) -> NDArray[Any]:
        if self.values.dtype in NATIVE:
            return as_column(self.values)
        if self.values.dtype.kind == "O":
            entries = [np.nan if is_missing(entry) else entry for entry in self.values.tolist()]
            return as_column(np.array(entries, dtype=np.float64))
        return as_column(self.values.astype(np.float64))

    def levels(self) -> list[Any]:
        if self.values.dtype.kind == "O":
            return in_order(set(self.values.tolist()))
        return in_order(np.unique(self.values).tolist())

    def codes(self, levels: Sequence[Any]) -> NDArray[Any]:
        if self.values.dtype.kind in "bU":
            distinct, indices = np.unique(self.values, return_inverse=True)
            return as_column(codes_of(distinct.tolist(), levels)[indices])
        return as_column(codes_of(self.values.tolist(), levels))


class PandasColumn(Column):
    """A column of pandas."""

    def kind(self) -> str | None:
        dtype = self.values.dtype
        if types.is_bool_dtype(dtype) and not isinstance(dtype, types.CategoricalDtype):
            return BERNOULLI
        if types.is_numeric_dtype(dtype):
            return GAUSSIAN
        if types.is_object_dtype(dtype):
            return kind_of_objects(self.values.tolist())
        text = isinstance(dtype, types.CategoricalDtype) or types.is_string_dtype(dtype)
        return CATEGORICAL if text else None

    def numbers(self) -> NDArray[Any]:
        dtype = self.values.dtype
        if isinstance(dtype, np.dtype) and dtype in NATIVE:
            return as_column(self.values.to_numpy())
        return as_column(self.values.to_numpy(dtype=np.float64, na_value=np.nan))

    def levels(self) -> list[Any]:
        return in_order(self.values.dropna().unique().tolist())

    def codes(self, levels: Sequence[Any]) -> NDArray[Any]:
        indices, distinct = self.values.factorize()
        # What is missing has index -1, the last.
        codes = np.append(codes_of(distinct.tolist(), levels), np.float32(np.nan))
        return as_column(codes[indices])

    def entry(self, row: int) -> Any:
        return self.values.iloc[row]

    def keep(self, rows: Mask) -> Column:
        return type(self)(self.values.iloc[rows])


class PolarsColumn(Column):
    """A column of polars."""

    def kind(self) -> str | None:
        dtype = self.values.dtype
        if dtype.is_numeric():
            return GAUSSIAN
        if dtype == pl.Boolean:
            return BERNOULLI
        text = any(dtype == known for known in (pl.String, pl.Categorical, pl.Enum))
        return CATEGORICAL if text else None

    def numbers(self) -> NDArray[Any]:
        array = self.values.to_numpy()
        return as_column(array if array.dtype in NATIVE else array.astype(np.float64))

    def levels(self) -> list[Any]:
        return in_order(self._plain().unique().to_list())

    def codes(self, levels: Sequence[Any]) -> NDArray[Any]:
        plain = self._plain()
        distinct = plain.unique().to_list()
        codes = codes_of(distinct, levels).tolist()
        new = plain.replace_strict(distinct, codes, return_dtype=pl.Float32)
        return as_column(new.to_numpy())

    def keep(self, rows: Mask) -> Column:
        return type(self)(self.values.filter(rows))

    def _plain(self) -> Any:
        """Return the values with the texts of categories."""
        text = any(self.values.dtype == known for known in (pl.Categorical, pl.Enum))
        return self.values.cast(pl.String) if text else self.values


def columns_of(X: Any, estimator: str = "MixedNB", min_rows: int = 1) -> list[Column]:
    """Return the columns of a table, which are not copied."""
    table = table_of(X, estimator)
    library = library_of(table)
    if len(table) < min_rows or table.shape[1] == 0:
        raise ValueError(
            f"Found array with {table.shape[0]} sample(s) and {table.shape[1]} feature(s), while a "
            f"minimum of 1 is required by {estimator}."
        )
    if library == "pandas":
        return [PandasColumn(table.iloc[:, index]) for index in range(table.shape[1])]
    if library == "polars":
        return [polars_column(column) for column in table.get_columns()]
    if library == "pyarrow":
        from gauda._data.arrow_columns import ArrowColumn  # noqa: PLC0415 (it is made of this)

        return [ArrowColumn(column) for column in table.columns]
    return [ArrayColumn(column) for column in table.T]


def table_of(X: Any, estimator: str = "MixedNB") -> Any:
    """Return a table of a data frame's library as it is, and anything else as an array."""
    if type(X) is np.ndarray and X.dtype in NATIVE and X.ndim == N_AXES and X.size:
        return X  # scikit-learn would find nothing to refuse here
    refuse_sources(X)
    X = fill_masked(X)
    library = library_of(X)
    frame = library in {"pandas", "polars"} and len(getattr(X, "shape", ())) == N_AXES
    if frame or (library == "pyarrow" and hasattr(X, "num_columns")):
        return X
    if type(X) is list and any(has_objects(row) for row in X):
        X = np.array(X, dtype=object)  # or else numbers would become text
    refuse_sparse(X, estimator)
    array: NDArray[Any] = check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator)
    return array


def polars_column(values: Any) -> Column:
    """Return a column of polars; one of Python objects is read as an array's."""
    is_object = values.dtype == pl.Object
    return ArrayColumn(values.to_numpy()) if is_object else PolarsColumn(values)


def has_objects(row: Any) -> bool:
    """Return whether a row of a list holds text or nothing."""
    return isinstance(row, (list, tuple)) and any(
        entry is None or isinstance(entry, str) for entry in row
    )


def is_missing(entry: Any) -> bool:
    """Return whether an entry is None, NaN, or a mark of pandas."""
    return type(entry).__name__ in MARKS or entry != entry  # noqa: PLR0124 (NaN is not)


def in_order(entries: Iterable[Any]) -> list[Any]:
    """Return entries that are not missing, those of one type sorted, after those of another."""
    kept = [entry for entry in entries if not is_missing(entry)]
    try:
        return sorted(kept)
    except TypeError:
        return sorted(kept, key=lambda entry: (type(entry).__name__, str(entry)))


def codes_of(entries: list[Any], levels: Sequence[Any]) -> NDArray[np.float32]:
    """Return the index of each entry among levels, by Python's equality."""
    index: dict[Any, float] = {level: index for index, level in enumerate(levels)}
    unknown = float(len(levels))
    return np.array(
        [np.nan if is_missing(entry) else index.get(entry, unknown) for entry in entries],
        dtype=np.float32,
    )


def kind_of_objects(entries: list[Any]) -> str:
    """Return what Python objects are: all truth values, all numbers, or anything, or nothing."""
    truth, numbers = (bool, np.bool_), (int, float, np.integer, np.floating)
    types = {kind for kind in set(map(type, entries)) if kind.__name__ not in MARKS}
    if not all(issubclass(kind, truth + numbers) for kind in types):
        return CATEGORICAL
    kept = [entry for entry in entries if not is_missing(entry)]
    if not kept:
        return CATEGORICAL
    return BERNOULLI if all(isinstance(entry, truth) for entry in kept) else GAUSSIAN


def as_column(values: NDArray[Any]) -> NDArray[Any]:
    """Return a flat array as the one column of a table that the core reads in place."""
    aligned = values.flags.aligned and values.strides[0] % values.itemsize == 0
    return (values if aligned else values.copy())[:, np.newaxis]
