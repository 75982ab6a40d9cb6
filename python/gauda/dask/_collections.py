"""What users hand over on a cluster → partitions that belong together."""

from __future__ import annotations

import pickle
from hashlib import sha256
from numbers import Integral
from typing import Any

import numpy as np

from gauda._data.frames import library_of
from gauda._estimators.classifier import Classifier
from gauda._estimators.naming import name_of
from gauda._support.optional import need

TWO = 2


def is_array(X: Any) -> bool:
    """Tell whether X is an array of Dask."""
    return isinstance(X, need("dask.array", extra="dask").Array)


def is_frame(X: Any) -> bool:
    """Tell whether X is a data frame of Dask."""
    return isinstance(X, need("dask.dataframe", extra="dask").DataFrame)


def is_series(X: Any) -> bool:
    """Tell whether X is a column of Dask."""
    return isinstance(X, need("dask.dataframe", extra="dask").Series)


def as_task(value: Any) -> Any:
    """Return an estimator, or what tasks need of several, as one task, named by all that it holds.

    Dask would name it by its parameters alone, and take two fits with the same ones for each other.
    """
    if isinstance(value, Classifier):
        name = name_of(value)
    else:
        name = f"{type(value).__name__}-{sha256(pickle.dumps(value)).hexdigest()}"
    return need("dask", extra="dask").delayed(value, name=name, traverse=False)


def check_collection(X: Any, caller: str) -> None:
    """Refuse what is not an array or a data frame of Dask."""
    if is_array(X) or is_frame(X):
        return
    advice = "For data in memory call the method of the estimator."
    if library_of(X) == "xarray":
        advice = "Call X.to_dataarray('band'), which makes one array of its variables."
        if hasattr(X, "data"):
            advice = "Give rows, such as the pixels of X.data whose class is known."
    raise TypeError(
        f"X of {caller} must be an array or a data frame of Dask; got {type(X).__name__}. {advice}"
    )


def in_one_column_chunk(X: Any) -> Any:
    """Return an array of Dask whose rows are not cut: its last axis is one chunk."""
    if X.ndim < TWO:
        raise ValueError(
            f"X must have rows and columns; got an array of shape {X.shape}. Reshape it."
        )
    return X if X.numblocks[-1] == 1 else X.rechunk({X.ndim - 1: -1})


def join_columns(X: Any, columns: dict[str, Any]) -> Any:
    """Return a frame with further columns, where Dask can tell which rows belong together."""
    for key, column in columns.items():
        if key in X.columns:
            raise ValueError(
                f"X has a column named {key!r} beside the {key} given. Rename it, or give its name."
            )
        try:
            X = X.assign(**{key: column})
        except ValueError:  # divisions are unknown: partitions must be as many
            continue
    return X


def check_roles(given: dict[str, Any], features: list[Any]) -> None:
    """Refuse a column that is to be two things: a feature and labels, or labels and weights."""
    roles = dict.fromkeys(features, "a feature")
    for key, values in given.items():
        name = values.name if is_series(values) else values
        if name is None or not (is_series(values) or is_column_name(values)):
            continue
        if name in roles:
            raise ValueError(
                f"The column {name!r} must be one thing; got it as {roles[name]} and as {key}. "
                "Leave it out of X, or name another."
            )
        roles[name] = key


def is_column_name(given: Any) -> bool:
    """Tell whether labels or weights are given by the name of a column."""
    return isinstance(given, (str, Integral))


def check_column(X: Any, name: Any) -> None:
    """Refuse a name that no column of a frame has."""
    if name not in X.columns:
        raise ValueError(f"There is no column {name!r}; the columns are {list(X.columns)}.")


def beside_array(values: Any, rows: Any, what: str) -> Any:
    """Return labels or weights with a part for each chunk of rows."""
    da = need("dask.array", extra="dask")
    n_blocks = rows.numblocks[0]
    if is_series(values):
        return with_as_many_parts(settle(values), n_blocks, what)
    if library_of(values) == "xarray":
        values = values.data
    if not is_array(values):
        if is_frame(values) or np.ndim(values) == 0:
            raise TypeError(
                f"{what} of an array of Dask must be an array or a column with an entry for each "
                f"row; got {type(values).__name__}."
            )
        values = np.asarray(values)
        check_length(len(values), rows.shape[0], what)
        values = da.from_array(values, chunks=(chunks_or_all(rows.chunks[0], len(values)),))
    if values.ndim != 1:
        if values.ndim != TWO or values.shape[1] != 1:
            raise ValueError(f"{what} must have one axis; got an array of shape {values.shape}.")
        values = values[:, 0]
    known = not (np.isnan(rows.shape[0]) or np.isnan(values.shape[0]))
    if known:
        check_length(values.shape[0], rows.shape[0], what)
        values = values.rechunk((rows.chunks[0],))
    return with_as_many_parts(values, n_blocks, what)


def settle(frame: Any) -> Any:
    """Return a frame or column with the partitions that it will be read in.

    Dask reads files of which few columns are needed in larger parts.
    """
    return frame.optimize(fuse=False)


def with_as_many_parts(values: Any, expected: int, what: str) -> Any:
    """Return labels or weights, which must have as many parts as the rows."""
    if values.npartitions != expected:
        raise ValueError(
            f"{what} must have as many partitions as X, for their lengths are unknown; got "
            f"{values.npartitions} and {expected}. Take both from the same frame, repartition them "
            "alike, or call compute_chunk_sizes() on arrays."
        )
    return values


def chunks_or_all(chunks: tuple[Any, ...], length: int) -> tuple[Any, ...]:
    """Return known lengths of chunks; refuse to cut an array where they are unknown."""
    if np.isnan(chunks).any():
        if len(chunks) == 1:
            return (length,)
        raise ValueError(
            "The lengths of the chunks of X are unknown, so an array in memory cannot be cut "
            "to match. Call X.compute_chunk_sizes() first, or give labels of Dask."
        )
    return chunks


def check_length(length: Any, expected: Any, what: str) -> None:
    """Refuse another number of labels or weights than of rows, if both are known."""
    if not np.isnan(expected) and length != expected:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {expected} rows, "
            f"{what} has {length}."
        )


def beside_frame(values: Any, X: Any, n_partitions: int, what: str) -> Any:
    """Return labels or weights with a part for each partition of a frame."""
    if not (is_series(values) or is_array(values)):
        raise TypeError(
            f"{what} of a data frame of Dask must be the name of a column, a column or an array of "
            f"Dask; got {type(values).__name__}."
        )
    known = is_series(values) and values.known_divisions and X.known_divisions
    if known and values.divisions != X.divisions:
        values = values.repartition(divisions=X.divisions, force=True)
    if is_series(values):
        values = settle(values)
    return with_as_many_parts(values, n_partitions, what)
