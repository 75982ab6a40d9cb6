"""Sparse matrices whose parts fit together: loops of scipy trust them, or crash."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse as sp

from gauda._data.frames import N_AXES, is_sparse_dtype, library_of

COMPRESSED = {"csr": 0, "csc": 1, "bsr": 0}
"""Formats that list entries line by line, and the axis of the lines."""

BLOCK_AXES = 3
"""Of the entries of blocks: which block, its rows, its columns."""

REMEDY = "Make it again from rows and columns, as scipy.sparse.coo_array does."


def refuse_sparse(X: Any, estimator: str) -> None:
    """Refuse a sparse matrix where zeros are values like others."""
    if is_sparse(X):
        raise TypeError(
            f"{estimator} must be given a dense X, where zeros are values like others; got a "
            f"sparse {type(X).__name__} of shape {X.shape}. Counts of terms, as of texts, are for "
            "MultinomialNB, ComplementNB or BernoulliNB, which take sparse matrices; columns of "
            "numbers, categories and truth values in a data frame are for MixedNB."
        )


def is_sparse(X: Any) -> bool:
    """Tell a sparse matrix, and a frame of pandas that has sparse columns only."""
    if sp.issparse(X):
        return True
    if library_of(X) != "pandas" or getattr(X, "ndim", 0) != N_AXES or not X.shape[1]:
        return False
    return all(is_sparse_dtype(dtype) and dtype.fill_value == 0 for dtype in X.dtypes)


def sparse_matrix(X: Any) -> Any:
    """Return a sparse matrix, or that which a frame of sparse columns holds."""
    return X if sp.issparse(X) else X.sparse.to_coo()


def as_csr(X: Any) -> Any:
    """Return a sparse matrix as compressed rows, after a look at all that scipy will trust."""
    if X.ndim != N_AXES:
        raise ValueError(f"Expected 2D array, got sparse array with {X.ndim} axes instead.")
    if X.format in COMPRESSED:
        check_compressed(X)
    else:
        CHECKS.get(X.format, lambda _: None)(X)
        X = X if X.format == "coo" else X.tocoo()
        check_coordinates(X)
    rows = X.tocsr()
    # What is known of the order of its entries may be out of date.
    return sp.csr_matrix((rows.data, rows.indices, rows.indptr), shape=rows.shape)


def check_compressed(X: Any) -> None:
    """Refuse compressed lines that do not start where others end, or leave the matrix."""
    check_axes(X.data, BLOCK_AXES if X.format == "bsr" else 1)
    block = X.data.shape[1:] if X.format == "bsr" else (1, 1)
    shape = [size // edge for size, edge in zip(X.shape, block, strict=True)]
    axis = COMPRESSED[X.format]
    starts, indices, entries = X.indptr, X.indices, len(X.data)
    check_integers("indptr", starts)
    check_integers("indices", indices)
    if len(starts) != shape[axis] + 1:
        refuse(f"an indptr of length {shape[axis] + 1}", f"{len(starts)}")
    if len(indices) != entries:
        refuse(f"as many indices as entries, {entries}", f"{len(indices)}")
    if starts[0] != 0 or starts[-1] > entries or (starts[1:] < starts[:-1]).any():
        refuse(f"an indptr that rises from 0 to at most {entries}", f"{np.array(starts)}")
    check_range(indices[: starts[-1]], shape[1 - axis])


def check_coordinates(X: Any) -> None:
    """Refuse entries whose coordinates are incomplete, or leave the matrix."""
    for indices, size in zip((X.row, X.col), X.shape, strict=True):
        check_integers("coordinates", indices)
        if len(indices) != len(X.data):
            refuse(f"as many coordinates as entries, {len(X.data)}", f"{len(indices)}")
        check_range(indices, size)


def check_lists(X: Any) -> None:
    """Refuse rows of lists that do not name a column for each entry."""
    if not len(X.rows) == len(X.data) == X.shape[0]:
        refuse(f"{X.shape[0]} lists of columns and of entries", f"{len(X.rows)} and {len(X.data)}")
    for row, (indices, entries) in enumerate(zip(X.rows, X.data, strict=True)):
        fit = (
            isinstance(indices, list) and isinstance(entries, list) and len(indices) == len(entries)
        )
        if not fit or not all(isinstance(index, Integral) for index in indices):
            refuse("an integer column for each entry", f"{indices} for {entries} in row {row}")


def check_diagonals(X: Any) -> None:
    """Refuse diagonals whose offsets are not all given, or which are given twice."""
    check_axes(X.data, N_AXES)
    check_integers("offsets", X.offsets)
    if len(X.offsets) != len(X.data) or len(set(X.offsets.tolist())) < len(X.offsets):
        refuse(f"{len(X.data)} different offsets", f"{X.offsets}")


def check_keys(X: Any) -> None:
    """Refuse keys that are not a row and a column."""
    for key in X.keys():  # noqa: SIM118 (a sparse matrix is not a dictionary)
        if not all(isinstance(index, Integral) for index in key):
            refuse("integers for rows and columns", f"{key}")


CHECKS = {"lil": check_lists, "dia": check_diagonals, "dok": check_keys}
"""What is looked at before scipy makes coordinates of a format."""


def check_axes(entries: NDArray[Any], n_axes: int) -> None:
    """Refuse entries that are laid out otherwise."""
    if np.ndim(entries) != n_axes:
        refuse(f"entries along {n_axes} axes", f"{np.ndim(entries)}")


def check_integers(what: str, indices: NDArray[Any]) -> None:
    """Refuse what is not a flat array of integers."""
    if not isinstance(indices, np.ndarray) or indices.ndim != 1 or indices.dtype.kind not in "iu":
        kind = (
            f"{indices.ndim}-D {indices.dtype}"
            if isinstance(indices, np.ndarray)
            else type(indices)
        )
        refuse(f"{what} in a 1-D array of integers", f"{kind}")


def check_range(indices: NDArray[Any], size: int) -> None:
    """Refuse indices outside the matrix."""
    # Seen without a sign, negative ones are larger than all others: one look instead of two.
    unsigned = indices.view(f"{indices.dtype.byteorder}u{indices.itemsize}")
    limit = min(size, np.iinfo(indices.dtype).max + 1)
    if len(unsigned) and int(unsigned.max()) >= limit:
        refuse(f"indices from 0 to {size - 1}", f"{indices.min()} to {indices.max()}")


def refuse(expected: str, given: str) -> None:
    """Raise an error that says what does not fit."""
    raise ValueError(f"Sparse X must have {expected}; got {given}. {REMEDY}")
