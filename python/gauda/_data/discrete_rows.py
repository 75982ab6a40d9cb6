"""Rows of discrete columns on their way to the core: dense arrays in place, sparse ones as CSR."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from gauda._data.element_types import NATIVE
from gauda._data.sparse import as_csr, is_sparse, sparse_matrix
from gauda._data.training import (
    Columns,
    LabeledRows,
    as_rows,
    check_columns,
    column_names,
    refuse_no_labels,
    rows_to_score,
)
from gauda._support.arrays import Floats, Mask

BLOCK_ENTRIES = 1 << 22
"""Entries of sparse rows that are spelt out together."""

LabelArrays = tuple[NDArray[np.uint32], int, Floats | None]
"""Codes of classes, their number, and weights."""

SparseArrays = tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int64], int]
"""Entries in one column, their columns, where rows start, and the number of columns."""


Sparse = Literal["once", "added"]
"""How sparse matrices are taken: each entry given once, or added up if it is given twice."""


@dataclass(frozen=True)
class Rows:
    """Checked rows in the form that the core reads."""

    arrays: NDArray[Any] | SparseArrays
    shape: tuple[int, int]
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        return self.shape[0]

    @classmethod
    def dense(cls, rows: NDArray[Any]) -> Rows:
        """Return an array that the core reads in place."""
        return cls(rows, (rows.shape[0], rows.shape[1]), rows.dtype)

    @classmethod
    def csr(cls, matrix: Any, sparse: Sparse) -> Rows:
        """Return a sparse matrix; its entries are not copied unless some must be added up."""
        # Made again, since a matrix keeps what it knows of indices, even if these were changed.
        matrix = sp.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
        if sparse == "once" and not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        used = slice(matrix.indptr[-1])  # there may be room for more
        data = matrix.data[used]
        data = data if matrix.dtype in NATIVE else data.astype(np.float64)
        indices = matrix.indices[used].astype(np.int32, copy=False)
        starts = matrix.indptr.astype(np.int64, copy=False)
        arrays = (data.reshape(-1, 1), indices, starts, matrix.shape[1])
        return cls(arrays, matrix.shape, data.dtype)

    def as_csr(self) -> Any:
        """Return sparse rows as a matrix."""
        entries, columns, starts, _ = cast("SparseArrays", self.arrays)
        return sp.csr_array((entries.ravel(), columns, starts), shape=self.shape)

    def lacking(self) -> Mask:
        """Return which rows lack an entry."""
        lacks = np.zeros(len(self), dtype=bool)
        if self.dtype.kind != "f":
            return lacks
        if isinstance(self.arrays, np.ndarray):
            return np.asarray(np.isnan(self.arrays).any(axis=1))
        gaps = np.flatnonzero(np.isnan(self.arrays[0]))
        lacks[np.searchsorted(self.arrays[2], gaps, side="right") - 1] = True
        return lacks

    def keep(self, rows: Mask) -> Rows:
        """Return some of the rows."""
        if isinstance(self.arrays, np.ndarray):
            return Rows.dense(self.arrays[rows])
        return Rows.csr(self.as_csr()[rows], "added")

    def entries(self, row: int) -> Floats:
        """Return the entries of one row."""
        is_dense = isinstance(self.arrays, np.ndarray)
        found: Any = self.arrays[row] if is_dense else self.as_csr()[row : row + 1].toarray()[0]
        return np.array(found, dtype=np.float64)


def presence_blocks(rows: Rows, binarize: float | None) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Yield rows as 0 and 1, sparse ones some at a time; nothing if some are shares between."""
    threshold = threshold_for(rows, binarize)
    is_dense = isinstance(rows.arrays, np.ndarray)
    step = len(rows) if is_dense else max(BLOCK_ENTRIES // rows.shape[1], 1)
    matrix: Any = rows.arrays if is_dense else rows.as_csr()
    for start in range(0, len(rows), step):
        some = slice(start, start + step)
        block = matrix[some] if is_dense else matrix[some].toarray()
        if threshold is not None:
            block = np.where(np.isnan(block), np.float32(np.nan), block > threshold)
        elif not (np.isnan(block) | (block == 0) | (block == 1)).all():
            return
        yield some, block


def presence_shares(rows: Rows, binarize: float | None) -> Floats:
    """Return rows as 0 and 1, or as the shares between that they hold."""
    is_dense = isinstance(rows.arrays, np.ndarray)
    entries: Any = rows.arrays if is_dense else rows.as_csr().toarray()
    threshold = threshold_for(rows, binarize)
    return np.asarray(entries if threshold is None else entries > threshold, dtype=np.float64)


def validate_csr(X: Any, estimator: BaseEstimator | str, sparse: Sparse) -> Rows:
    """Return a sparse matrix as compressed rows; NaN is the core's to find."""
    matrix = check_array(
        as_csr(sparse_matrix(X)),
        accept_sparse="csr",
        ensure_all_finite=False,
        estimator=estimator,
        input_name="X",
    )
    return Rows.csr(matrix, sparse)


def rows_of(X: Any, estimator: BaseEstimator | str, *, sparse: Sparse | None) -> Rows:
    """Return rows that belong to no fit yet."""
    if sparse and is_sparse(X):
        return validate_csr(X, estimator, sparse)
    return Rows.dense(as_rows(X, estimator))


def rows_for(X: Any, estimator: BaseEstimator, fitted: Columns, *, sparse: Sparse | None) -> Rows:
    """Return rows to score, their columns checked against those of the fit."""
    if sparse and is_sparse(X):
        check_columns(X, estimator, fitted)
        return validate_csr(X, estimator, sparse)
    return Rows.dense(rows_to_score(estimator, X, fitted))


@dataclass(frozen=True)
class LabeledDiscreteRows:
    """Discrete rows to learn from, and their labels and weights."""

    rows: Rows
    labels: LabeledRows

    @classmethod
    def of(  # noqa: PLR0913 (what a fit is given)
        cls,
        estimator: BaseEstimator,
        X: Any,
        y: Any,
        sample_weight: Any,
        *,
        sparse: Sparse | None,
        fitted: Columns | None,
    ) -> LabeledDiscreteRows:
        """Check data for an estimator, against the columns of the fit before if there was one."""
        refuse_no_labels(estimator, X, y)
        if fitted is not None:
            rows = rows_for(X, estimator, fitted, sparse=sparse)
            features = fitted.feature_names
        else:
            features = column_names(X)
            rows = rows_of(X, estimator, sparse=sparse)
        lines = np.empty((rows.shape[0], 0))  # labels are checked against the number of rows only
        labels = LabeledRows._label_rows(lines, y, sample_weight, features, estimator)
        return cls(rows, labels.of_table(X))

    def __len__(self) -> int:
        return len(self.labels.codes)

    def lacking(self) -> Mask:
        """Return which rows lack an entry."""
        return self.rows.lacking()

    def keep(self, rows: Mask, labels: LabeledRows) -> LabeledDiscreteRows:
        """Return some of the rows, whose labels were chosen."""
        return replace(self, rows=self.rows.keep(rows), labels=labels)


def threshold_for(rows: Rows | NDArray[Any], binarize: float | None) -> float | None:
    """Return the threshold as numpy compares it: in single precision with float32."""
    if binarize is None:
        return None
    weak = rows.dtype == np.float32 and type(binarize) in {int, float}
    return float(np.float32(binarize)) if weak else float(binarize)
