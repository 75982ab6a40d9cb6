"""Columns of Arrow data: which of them are wanted, and how they become arrays of numpy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.element_types import FLOAT32, FLOAT64, SINGLE
from gauda._streams.arrow_labels import check_labels, encode_labels
from gauda._streams.arrow_types import is_text, value_type
from gauda._streams.batches import Batch, Request, as_names, names_array
from gauda._support.errors import UnknownColumnError
from gauda._support.lazy import pa


@dataclass(frozen=True)
class Columns:
    """The columns that are read, by name, and the types that they are given."""

    features: list[str]
    target: str | None
    weight: str | None
    keep: list[str]
    schema: Any
    dtype: np.dtype[Any] | None
    """Of the features together; None if each keeps its own."""

    @classmethod
    def of(cls, schema: Any, request: Request) -> Columns:
        """Find what was asked for among the columns of an Arrow schema."""
        if request.labeled and request.target is None:
            raise ValueError(
                f"target is missing; name the column of labels. {there_are(schema.names)}"
            )
        keep = list(request.keep)
        asked = [name for name in (request.target, request.sample_weight) if name is not None]
        check_named(request)
        check_exist([*asked, *keep, *request.excluded], schema.names)
        features = choose_features(schema, request)
        check_apart(features, request)
        check_exist(features, schema.names)
        check_features(features, schema.names, request)
        if request.target is not None:
            check_labels(schema.field(request.target))
        if request.sample_weight is not None:
            weight_dtype(schema.field(request.sample_weight))  # refuses what is not a number
        fields = [schema.field(name) for name in features]
        dtype = None if request.as_table else common_dtype(fields, request)
        return cls(features, request.target, request.sample_weight, keep, schema, dtype)

    def with_features_of(self, dtype: np.dtype[Any]) -> Columns:
        """Return the same columns, their features as numbers of a type, but for booleans."""
        schema = self.schema
        for name in self.features:
            if schema.field(name).type != pa.bool_():
                index = schema.get_field_index(name)
                schema = schema.set(index, pa.field(name, pa.from_numpy_dtype(dtype)))
        return replace(self, dtype=dtype, schema=schema)

    @property
    def names(self) -> list[str]:
        """All names, each once."""
        special = [name for name in (self.target, self.weight) if name is not None]
        return list(dict.fromkeys([*self.features, *special, *self.keep]))

    @property
    def feature_names(self) -> NDArray[np.object_]:
        """The names of the features, as scikit-learn keeps them."""
        return names_array(self.features)

    def batch(self, record_batch: Any, first_row: int) -> Batch:
        """Turn a record batch into arrays of numpy."""
        labels = weights = None
        if self.target is not None:
            labels = encode_labels(record_batch.column(self.target), self.target, first_row)
        if self.weight is not None:
            column = numbers(record_batch.column(self.weight))
            weights = np.ascontiguousarray(column, dtype=np.float64)
        kept = {name: self._cast(record_batch.column(name), name) for name in self.keep}
        X = record_batch.select(self.features)
        if self.dtype is not None:
            X = self.matrix(record_batch, self.dtype)
        return Batch(
            X, labels, weights, kept, first_row, partial(is_null, record_batch, self.features)
        )

    def _cast(self, column: Any, name: str) -> Any:
        """Return a column to carry along in the type of the schema; views become plain text."""
        column = column.cast(self.schema.field(name).type)
        # Views are not written to CSV files.
        if column.type == pa.string_view():
            return column.cast(pa.large_string())
        if value_type(column.type) == pa.string_view():
            entries = column.dictionary.cast(pa.large_string())
            return pa.DictionaryArray.from_arrays(column.indices, entries)
        return column

    def matrix(self, record_batch: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return the features as rows, column after column in memory: each is copied but once."""
        columns = [record_batch.column(name) for name in self.features]
        if dtype.kind != "f" and any(map(has_nulls, columns)):
            dtype = FLOAT32 if dtype in SINGLE else FLOAT64  # as rows without nulls are scored
        out = np.empty((len(columns), record_batch.num_rows), dtype=dtype)
        for row, column in zip(out, columns, strict=True):
            # The common type holds every number of every column; nulls alone come as doubles.
            np.copyto(row, numbers(column), casting="same_kind")
        return out.T


def choose_features(schema: Any, request: Request) -> list[str]:
    """Return the features: those asked for, or those of a fit, or all that have no other use.

    What was the index of a data frame is not a feature: it would not be in a fit to the frame.
    """
    for chosen in (request.features, request.fitted_features):
        if chosen is not None:
            return as_names(chosen)
    described = schema.pandas_metadata or {}
    index = [name for name in described.get("index_columns", ()) if isinstance(name, str)]
    other = {request.target, request.sample_weight, *request.keep, *request.ignore, *index}
    other.update(request.excluded)
    return [name for name in schema.names if name not in other]


def there_are(names: Sequence[str]) -> str:
    """Say which columns there are."""
    return f"The columns are {', '.join(map(repr, names))}." if names else "There are no columns."


def check_apart(features: Sequence[str], request: Request) -> None:
    """Refuse features that are labels or weights, or that were excluded."""
    for role, name in (("target", request.target), ("sample_weight", request.sample_weight)):
        if name is not None and name in features:
            what = "is a feature of the model" if request.features is None else "is in features"
            raise ValueError(
                f"Column {name!r} {what} and must not be the {role}; name another one."
            )
    for name in request.excluded:
        if name in features:
            raise ValueError(
                f"Column {name!r} is a feature of the model and must not be excluded. Leave it out "
                "of exclude=[...]."
            )


def check_named(request: Request) -> None:
    """Refuse labels or weights that lie beside a table."""
    for role, given in (("target", request.target), ("sample_weight", request.sample_weight)):
        if getattr(given, "ndim", 0) > 0:
            raise ValueError(
                f"{role} must be the name of a column of the table; got {type(given).__name__}. "
                "Add it to the table as a column."
            )


def check_exist(wanted: Sequence[Any], names: Sequence[str]) -> None:
    """Refuse a name that no column has, or more than one."""
    times = Counter(names)
    for name in wanted:
        found = times[name] if isinstance(name, str) else 0
        if found > 1:
            raise ValueError(f"Column {name!r} appears more than once. {there_are(names)}")
        if not found:
            raise UnknownColumnError(f"Column {name!r} does not exist. {there_are(names)}")


def check_features(features: Sequence[str], names: Sequence[str], request: Request) -> None:
    """Refuse to learn from nothing, from a column twice, or unasked from one without a name."""
    if not features:
        raise ValueError(f"No column is left as a feature. {there_are(names)}")
    if "" in features and request.features is None and request.fitted_features is None:
        raise ValueError(
            f"Column {names.index('')} must have a name to be a feature; got none, as where pandas "
            "writes the index of a frame. Name the columns to use with features=[...]."
        )
    name, times = Counter(features).most_common(1)[0]
    if times > 1:
        raise ValueError(f"features names column {name!r} {times} times. Name it once.")


def common_dtype(fields: Sequence[Any], request: Request) -> np.dtype[Any]:
    """Return the type that numpy gives these columns together; refuse what is not a number."""
    dtypes = [field_dtype(field) for field in fields]
    for field, dtype in zip(fields, dtypes, strict=True):
        if dtype is None:
            raise ValueError(
                f"Column {field.name!r} holds {field.type}, not numbers: {ways_out(field, request)}"
            )
    common: np.dtype[Any] = np.result_type(*dtypes)
    return np.dtype(np.float32) if common == np.float16 else common


def weight_dtype(field: Any) -> np.dtype[Any]:
    """Return the type of a column of weights; refuse what is not a number."""
    dtype = field_dtype(field)
    if dtype is None:
        raise ValueError(
            f"Column {field.name!r} holds {field.type}, not numbers: weights must be numbers. Name "
            "another column as sample_weight."
        )
    return dtype


def field_dtype(field: Any) -> np.dtype[Any] | None:
    """Return the type of a column in numpy, if it holds numbers."""
    types = pa.types
    kind = value_type(field.type)
    if types.is_decimal(kind) or types.is_null(kind):
        return np.dtype(np.float64)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        # Not kind.to_pandas_dtype(), which older releases of pyarrow need pandas for.
        native: np.dtype[Any] = pa.array([], kind).to_numpy(zero_copy_only=False).dtype
        return native
    return None


def ways_out(field: Any, request: Request) -> str:
    """Say what can be done about a feature that is not a number."""
    kind = value_type(field.type)
    leave = f"leave it out with exclude=[{field.name!r}]"
    if request.features is not None:
        leave = "leave it out of features=[...]"
    if request.fitted_features is not None:  # and the model needs it
        leave = "give the column that the model was fitted to"
    if is_text(kind):
        return (
            f"features must be numeric. Encode it as numbers, as with scikit-learn's OneHotEncoder "
            f"or OrdinalEncoder; {leave}; or give the table to MixedNB, which takes text as "
            "categories."
        )
    if pa.types.is_temporal(kind):
        return f"features must be numeric. Convert it, as to days since a date; or {leave}."
    if pa.types.is_run_end_encoded(kind):
        return f"it must be decoded, as by pyarrow.compute.run_end_decode. Do so; or {leave}."
    if pa.types.is_nested(kind):
        return f"features must be numeric. Make a column of each of its entries; or {leave}."
    return f"features must be numeric. Convert it; or {leave}."


def numbers(column: Any) -> NDArray[Any]:
    """Return a column as an array of numpy; nulls become NaN."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    plain = pa.types.is_floating(column.type) or not column.null_count
    if not plain or pa.types.is_decimal(column.type) or pa.types.is_null(column.type):
        column = column.cast(pa.float64(), safe=False)
    values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return values


def is_null(record_batch: Any, names: Sequence[str], row: int, column: int) -> bool:
    """Tell whether an entry of one of these columns is null, not NaN."""
    return bool(record_batch.column(names[column])[row].as_py() is None)


def has_nulls(column: Any) -> bool:
    """Whether entries of a column are null, themselves or by the dictionary."""
    by_dictionary = pa.types.is_dictionary(column.type) and column.dictionary.null_count
    return bool(column.null_count or by_dictionary)
