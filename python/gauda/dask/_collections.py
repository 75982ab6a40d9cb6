"""What users hand over on a cluster → partitions that belong together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

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


def check_collection(X: Any, caller: str) -> None:
    """Refuse what is not an array or a data frame of Dask."""
    if not (is_array(X) or is_frame(X)):
        raise TypeError(
            f"X of {caller} must be an array or a data frame of Dask; got {type(X).__name__}. For "
            "data in memory call the method of the estimator."
        )


def in_one_column_chunk(X: Any) -> Any:
    """Return an array of Dask whose rows are not cut: its last axis is one chunk."""
    if X.ndim < TWO:
        raise ValueError(
            f"X must have rows and columns; got an array of shape {X.shape}. Reshape it."
        )
    return X if X.numblocks[-1] == 1 else X.rechunk({X.ndim - 1: -1})


@dataclass(frozen=True)
class LabeledPartitions:
    """Tasks that give the rows, labels and weights of each partition."""

    rows: list[Any]
    labels: list[Any]
    weights: list[Any]

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any, caller: str) -> LabeledPartitions:
        """Take a collection and what belongs to its rows."""
        check_collection(X, caller)
        if is_frame(X):
            return cls._of_frame(X, y, sample_weight)
        if X.ndim != TWO:
            raise ValueError(
                f"X must have rows and columns; got an array of shape {X.shape}. Reshape it, "
                "pixels of a raster to rows."
            )
        rows = in_one_column_chunk(X)
        blocks = rows.to_delayed().ravel().tolist()
        labels = beside_array(y, rows, "y")
        weights = [None] * len(blocks)
        if sample_weight is not None:
            weights = beside_array(sample_weight, rows, "sample_weight")
        return cls(blocks, labels, weights)

    @classmethod
    def _of_frame(cls, X: Any, y: Any, sample_weight: Any) -> LabeledPartitions:
        named = [name for name in (y, sample_weight) if is_column_name(name)]
        for name in named:
            check_column(X, name)
        features = X[[column for column in X.columns if column not in named]]
        columns = [X[given] if is_column_name(given) else given for given in (y, sample_weight)]
        rows = features.to_delayed()
        labels = beside_frame(columns[0], features, len(rows), "y")
        weights: list[Any] = [None] * len(rows)
        if columns[1] is not None:
            weights = beside_frame(columns[1], features, len(rows), "sample_weight")
        return cls(rows, labels, weights)

    def __iter__(self) -> Iterator[tuple[int, Any, Any, Any]]:
        triples = zip(self.rows, self.labels, self.weights, strict=True)
        return ((index, *triple) for index, triple in enumerate(triples))


def is_column_name(given: Any) -> bool:
    """Tell whether labels or weights are given by the name of a column."""
    return isinstance(given, str)


def check_column(X: Any, name: Any) -> None:
    """Refuse a name that no column of a frame has."""
    if name not in X.columns:
        raise ValueError(f"There is no column {name!r}; the columns are {list(X.columns)}.")


def beside_array(values: Any, rows: Any, what: str) -> list[Any]:
    """Return the parts of labels or weights that belong to the chunks of rows."""
    da = need("dask.array", extra="dask")
    n_blocks = rows.numblocks[0]
    if is_series(values):
        return as_many_parts(values, n_blocks, what)
    if not is_array(values):
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
    return as_many_parts(values, n_blocks, what)


def as_many_parts(values: Any, expected: int, what: str) -> list[Any]:
    """Return the parts of labels or weights, which must be as many as those of the rows."""
    parts = list(values.to_delayed())
    if len(parts) != expected:
        raise ValueError(
            f"{what} must have as many partitions as X, for their lengths are unknown; got "
            f"{len(parts)} and {expected}. Take both from the same frame, repartition them alike, "
            "or call compute_chunk_sizes() on arrays."
        )
    return parts


def chunks_or_all(chunks: tuple[Any, ...], length: int) -> tuple[Any, ...]:
    """Return known lengths of chunks; refuse to cut an array where they are unknown."""
    if np.isnan(chunks).any():
        if len(chunks) == 1:
            return (length,)
        raise ValueError(
            "The lengths of the chunks of X are unknown, so that an array in memory cannot be cut "
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


def beside_frame(values: Any, X: Any, n_partitions: int, what: str) -> list[Any]:
    """Return the parts of labels or weights that belong to the partitions of a frame."""
    if not (is_series(values) or is_array(values)):
        raise TypeError(
            f"{what} of a data frame of Dask must be the name of a column, a column or an array of "
            f"Dask; got {type(values).__name__}."
        )
    known = is_series(values) and values.known_divisions and X.known_divisions
    if known and values.divisions != X.divisions:
        values = values.repartition(divisions=X.divisions, force=True)
    return as_many_parts(values, n_partitions, what)
