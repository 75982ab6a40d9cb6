"""Tables of any library on their way to numpy: nothing missing becomes a number, no text passes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import date, time, timedelta
from os import PathLike
from typing import Any

import numpy as np

N_AXES = 2
ENGINES = {
    "dask": "Use gauda.dask.fit(estimator, X, y), gauda.dask.predict(model, X) and the like, which "
    "leave the rows where they are; or give what its compute() returns.",
    "pyspark": "Use gauda.spark.GaudaClassifier(estimator=...).fit(X), which leaves the rows where "
    "they are; or give what its toPandas() returns.",
    "xarray": "Use gauda.dask.predict(model, X) and the like, which keep its coordinates; fits "
    "take rows, such as the pixels whose class is known.",
}
"""Libraries whose tables may lie on a cluster, and what to do with them."""

TEXT = "T"
"""The kind of numpy's type of text of any length."""

TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)


def library_of(table: Any) -> str:
    """Return the name of the library that a table or column comes from, which need not be here."""
    return type(table).__module__.partition(".")[0]


def plain_table(X: Any) -> Any:
    """Return X with NaN for what is missing, where numpy or scikit-learn would put something else.

    They take marks of pandas among objects for an error, what is missing in a categorical column
    beside integers for -2**63, and what is missing in a dictionary of pyarrow for a number of it.
    """
    refuse_sources(X)
    library = library_of(X)
    if library == "pandas" and getattr(X, "ndim", 0) == N_AXES:
        return plain_pandas(X)
    if library == "polars" and hasattr(X, "get_columns"):
        refuse_times(any(column.dtype.is_temporal() for column in X.get_columns()))
    if library == "pyarrow" and hasattr(X, "column_names"):
        return plain_arrow(X)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, np.ndarray) and X.dtype.kind == "O":
        return np.where(pandas.isna(X), np.nan, X)
    return X


def plain_text(X: Any) -> Any:
    """Return an array of text of any length as one of objects, which scikit-learn knows."""
    return X.astype(object) if isinstance(X, np.ndarray) and X.dtype.kind == TEXT else X


def nulls_in(X: Any) -> Callable[[int, int], bool] | None:
    """Return what tells whether an entry of a table is null, not NaN; None if X is no table."""
    library = library_of(X)
    if library == "pandas" and getattr(X, "ndim", 0) == N_AXES:
        return lambda row, column: is_null(X.iat[row, column])
    if library == "polars" and hasattr(X, "get_columns"):
        return lambda row, column: X[row, column] is None
    if library == "pyarrow" and hasattr(X, "column_names"):
        return lambda row, column: X.column(column)[row].as_py() is None
    return None


def is_null(entry: Any) -> bool:
    """Tell whether an entry stands for nothing, as None and the marks of pandas do, not NaN."""
    return type(entry).__name__ in {"NoneType", "NAType", "NaTType"}


def refuse_sources(X: Any) -> None:
    """Refuse what only holds rows somewhere else: a file, or a query that was not run."""
    if isinstance(X, str | PathLike):
        raise TypeError(
            f"X must be rows; got {type(X).__name__} {str(X)!r}. If it is the path of a file, read "
            "the file first; or use fit_stream and predict_stream, which take paths."
        )
    refuse_cluster(X, "X")
    if hasattr(X, "collect"):
        raise TypeError(
            f"X must be rows; got {type(X).__name__}, which is still to be computed. Give what its "
            "collect() returns."
        )


def refuse_cluster(X: Any, what: str) -> None:
    """Refuse rows of an engine, and say which function takes them."""
    if is_on_cluster(X):
        library = library_of(X)
        raise TypeError(
            f"{what} must be rows in memory; got {type(X).__name__} of {library}, which may be "
            f"larger. {ENGINES[library]}"
        )


def is_on_cluster(X: Any) -> bool:
    """Tell whether the rows may be more than fit into memory: those of an engine."""
    library = library_of(X)
    if library == "xarray":
        return bool(X.chunks)  # None or empty of what is in memory
    return library in ENGINES


def plain_pandas(X: Any) -> Any:
    """Return a frame with entries for categories, and NaN for whatever is null among objects."""
    if all(map(is_sparse_dtype, X.dtypes)) and X.shape[1]:
        X = X.sparse.to_dense()  # where something else than 0 is left out
    indices = [index for index, dtype in enumerate(X.dtypes) if dtype.kind == "O"]
    if not indices:
        return X
    columns = [X.iloc[:, index] for index in range(X.shape[1])]
    for index in indices:
        columns[index] = expand_categories(columns[index])
    return type(X)(dict(enumerate(columns)), index=X.index)


def is_sparse_dtype(dtype: Any) -> bool:
    """Tell whether a column of pandas leaves out the entries of one value."""
    return type(dtype).__name__ == "SparseDtype"


def expand_categories(column: Any) -> Any:
    """Return the entries of a column of pandas in their own type, or with NaN."""
    missing = column.isna()
    if missing.any() or not hasattr(column.dtype, "categories"):
        return column.astype(object).mask(missing, np.nan)
    return column.astype(column.dtype.categories.dtype)


def plain_arrow(X: Any) -> Any:
    """Return a table of pyarrow without dictionaries."""
    types = sys.modules["pyarrow"].types
    refuse_times(any(types.is_temporal(column.type) for column in X.columns))
    for index, column in enumerate(X.columns):
        if types.is_dictionary(column.type):
            decoded = column.cast(column.type.value_type)
            X = X.set_column(index, X.column_names[index], decoded)
    return X


def refuse_times(found: bool) -> None:  # noqa: FBT001 (the condition of the refusal)
    """Refuse times, which numpy would take for numbers beside numbers."""
    if found:
        raise TypeError("X must hold numbers; got times. Convert them, as to days since a date.")


def name_column(X: Any, estimator: str, error: Exception) -> Exception:
    """Return an error that names an entry of X that is not a number, and its column; or `error`."""
    for name, entries in [] if is_on_cluster(X) else columns_of(X):
        for row, entry in enumerate(entries):
            found = unlike_numbers(entry)
            if found is None:
                continue
            kind, error_type, advice = found
            return error_type(
                f"Column {name} of X holds {kind}, such as {entry!r} at row {row}: {estimator} "
                f"takes numbers only. {advice}"
            )
    return error


def unlike_numbers(entry: Any) -> tuple[str, type[Exception], str] | None:
    """Return what an entry is if not a number, the type of the error, and what helps."""
    if is_text(entry):
        advice = (
            "Use MixedNB, which takes text as categories; encode the column, as with "
            "scikit-learn's OneHotEncoder or OrdinalEncoder; or drop it."
        )
        return "text", ValueError, advice
    if isinstance(entry, bytes):
        return "bytes", ValueError, "Convert the column, or drop it."
    if isinstance(entry, TIMES):
        return "times", TypeError, "Convert the column, as to days since a date; or drop it."
    if is_numeric(entry):
        return None
    kind = type(entry).__name__
    try:
        float(entry)
    except TypeError as error:  # in Python's words, which scikit-learn's checks expect
        return kind, TypeError, f"Make numbers of the column, or drop it ({error})."
    except ValueError:
        pass
    return kind, ValueError, "Make numbers of the column, or drop it."


def is_numeric(entry: Any) -> bool:
    """Whether an entry is a number, stands for one that is missing, or is the text of one."""
    if entry is None or isinstance(entry, str):
        return True
    try:
        float(entry)
    except (TypeError, ValueError):
        return isinstance(entry, complex) or type(entry).__name__.startswith("NA")
    return np.ndim(entry) == 0


def is_text(entry: Any) -> bool:
    """Whether an entry is text, and not that of a number."""
    if not isinstance(entry, str):
        return False
    try:
        float(entry)
    except ValueError:
        return True
    return False


def columns_of(X: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield the name of each column, in quotes, or its index, and its entries."""
    library = library_of(X)
    if library == "pandas" and getattr(X, "ndim", 0) == N_AXES:
        for index, name in enumerate(X.columns):
            yield repr(name), X.iloc[:, index].tolist()
    elif library == "polars" and hasattr(X, "get_columns"):
        for column in X.get_columns():
            yield repr(column.name), column.to_list()
    elif library == "pyarrow" and hasattr(X, "column_names"):
        for name, column in zip(X.column_names, X.columns, strict=True):
            yield repr(name), column.to_pylist()
    else:
        yield from columns_of_array(X)


def columns_of_array(X: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield the columns of an array, or of lists of lists."""
    try:
        entries = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    except (TypeError, ValueError):  # which is not a table either
        return
    if entries.ndim == N_AXES and entries.dtype.kind not in "biufc":
        for index, column in enumerate(entries.T):
            yield str(index), column.tolist()


def single_row(x: Any) -> Any:
    """Return one row as a table of it; a table stays what it is."""
    refuse_sources(x)
    if library_of(x) == "pandas" and getattr(x, "ndim", 0) == 1:
        return x.to_frame().T.infer_objects()
    if hasattr(x, "ndim"):
        return x[np.newaxis] if isinstance(x, np.ndarray) and x.ndim == 1 else x
    is_flat = isinstance(x, list | tuple) and not any(is_row(entry) for entry in x)
    return [list(x)] if is_flat else x


def is_row(entry: Any) -> bool:
    """Tell whether an entry of a list is itself a row."""
    return np.ndim(entry) > 0 if not isinstance(entry, str) else False


def as_table(X: Any) -> Any:
    """Return X, of which lists become an array that keeps numbers beside text."""
    return np.array(X, dtype=object) if isinstance(X, (list, tuple)) else X
