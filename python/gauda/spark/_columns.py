"""Columns of a Spark frame → the few that leave the JVM, as Arrow has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.ml.functions import vector_to_array
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    CharType,
    NullType,
    NumericType,
    StringType,
    VarcharType,
)

from gauda.spark._params import GaudaParams

NUMBERS = (NumericType, BooleanType, NullType)
NAMES = (*NUMBERS, StringType, CharType, VarcharType)
KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "labelCol": (NAMES, "numbers or text"),
    "weightCol": (NUMBERS, "numbers"),
    "groupCol": (NAMES, "numbers or text"),
}
"""Types of columns that are not features, and how errors call them."""


@dataclass(frozen=True)
class Features:
    """Where the features of a row are: in columns of their own, or in one of vectors or arrays."""

    names: tuple[str, ...]
    is_list: bool

    @classmethod
    def of(cls, frame: DataFrame, params: GaudaParams) -> Features:
        """Look the columns up."""
        if params.isSet("featuresCols"):
            names = tuple(params.getFeaturesCols())
            if not names or len(set(names)) < len(names):
                raise ValueError(
                    f"featuresCols must name columns, each of them once; got {list(names)}."
                )
            for name in names:
                check_column(frame, name)
            return cls(names, is_list=False)
        name = params.getFeaturesCol()
        check_column(frame, name)
        return cls((name,), is_list=True)

    def columns(self, frame: DataFrame) -> list[Column]:
        """Return the columns as Arrow can carry them."""
        if not self.is_list:
            return [frame[quote(name)] for name in self.names]
        return [as_array(frame, self.names[0])]

    def incomplete(self, frame: DataFrame) -> Column:
        """Return whether a row lacks a value."""
        if self.is_list:
            array = as_array(frame, self.names[0])
            return array.isNull() | sql.exists(
                array, lambda entry: entry.isNull() | sql.isnan(entry)
            )
        lacks = [lacks_value(frame, name) for name in self.names]
        found = lacks[0]
        for other in lacks[1:]:
            found = found | other
        return found

    def rows(self, columns: list[pa.Array]) -> Any:
        """Return features as rows: an array, or a table with the names of the columns."""
        if not self.is_list:
            return pa.table(dict(zip(self.names, columns, strict=True)))
        return rows_of_lists(columns[0])


def check_column(frame: DataFrame, name: str) -> None:
    """Refuse a name that no column has."""
    if name not in frame.columns:
        raise ValueError(f"There is no column {name!r}; the columns are {frame.columns}.")


def check_roles(frame: DataFrame, features: tuple[str, ...], roles: dict[str, str]) -> None:
    """Refuse labels, weights and groups in a column of another type, or that is something else."""
    known = dict.fromkeys(features, "a feature")
    for role, name in roles.items():
        check_column(frame, name)
        if name in known:
            raise ValueError(
                f"The column {name!r} must be one thing; got it as {known[name]} and as {role}."
            )
        known[name] = role
        kind, (kinds, words) = frame.schema[name].dataType, KINDS[role]
        if not isinstance(kind, kinds):
            raise TypeError(
                f"{role} must hold {words}; got {name!r} of type {kind.simpleString()}."
            )


def quote(name: str) -> str:
    """Return a name that Spark does not take apart at points."""
    return f"`{name.replace('`', '``')}`"


def as_array(frame: DataFrame, name: str) -> Column:
    """Return a column of vectors or arrays as one of arrays of doubles."""
    kind = frame.schema[name].dataType
    column = frame[quote(name)]
    if isinstance(kind, ArrayType) and isinstance(kind.elementType, NumericType):
        return column.cast("array<double>")
    if kind.typeName() in {"udt", "vector"} or hasattr(kind, "sqlType"):
        return vector_to_array(column)
    raise TypeError(
        f"featuresCol must hold vectors or arrays of numbers; got {name!r} of type "
        f"{kind.simpleString()}. Name columns of numbers as featuresCols."
    )


def lacks_value(frame: DataFrame, name: str) -> Column:
    """Return whether a column is null, or NaN where it can be."""
    column = frame[quote(name)]
    floating = frame.schema[name].dataType.typeName() in {"double", "float"}
    return column.isNull() | sql.isnan(column) if floating else column.isNull()


def rows_of_lists(lists: pa.Array) -> np.ndarray[Any, Any]:
    """Return lists of equal length as rows of an array; nulls are NaN."""
    if lists.null_count:
        raise ValueError("A row has no features but null. Use handleInvalid='skip'.")
    lengths = np.diff(lists.offsets.to_numpy())
    if len(np.unique(lengths)) > 1:
        raise ValueError(
            f"All rows must have as many features; got {lengths.min()} to {lengths.max()}."
        )
    entries = lists.flatten().to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
    return np.asarray(entries).reshape(len(lists), -1)
