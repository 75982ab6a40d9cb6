"""What the methods of gauda take, by name, for the annotations of programs that call them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "ArrowStream",
    "Batch",
    "ClassWeight",
    "Columns",
    "Costs",
    "CountKind",
    "CovarianceEstimator",
    "CovarianceKind",
    "DaskCollection",
    "DaskColumn",
    "HandleUnknown",
    "Kinds",
    "KnownValues",
    "Label",
    "Labels",
    "MatrixLike",
    "Missing",
    "NoData",
    "Output",
    "Predictor",
    "Priors",
    "Reject",
    "RejectLabel",
    "ShrinkageTarget",
    "Source",
    "SparseMatrix",
    "Splits",
    "Splitter",
    "Structure",
    "Target",
    "Weights",
]


class SparseMatrix(Protocol):
    """A sparse matrix or array of scipy."""

    def tocsr(self, copy: bool = ...) -> Any:  # noqa: D102, FBT001 (scipy's method)
        ...


class ArrowStream(Protocol):
    """A table, frame or query that hands out Arrow data: pyarrow, polars, pandas, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class DaskCollection(Protocol):
    """An array, a data frame or a series of Dask, or an array of xarray that Dask backs."""

    def __dask_graph__(self) -> Any: ...


class CovarianceEstimator(Protocol):
    """An estimator of covariances as scikit-learn's, whose `fit` makes its `covariance_`."""

    def fit(self, X: Any, /) -> Any: ...  # noqa: D102 (scikit-learn's method)


class Predictor(Protocol):
    """A fitted classifier with scikit-learn's interface, of gauda or not."""

    def predict(self, X: Any, /) -> Any: ...  # noqa: D102 (scikit-learn's method)


class Splitter(Protocol):
    """A generator of splits as scikit-learn's, such as `GroupKFold`."""

    def split(self, X: Any, y: Any, groups: Any, /) -> Iterator[Any]: ...  # noqa: D102 (likewise)

    def get_n_splits(self, X: Any, y: Any, groups: Any, /) -> int: ...  # noqa: D102 (likewise)


MatrixLike: TypeAlias = ArrayLike | ArrowStream | SparseMatrix
"""Rows: an array, a list of lists, a frame of pandas or polars; sparse where that is taken."""

Label: TypeAlias = Hashable
"""The label of a class: a number, text, a truth value, a date or time."""

Labels: TypeAlias = ArrayLike | ArrowStream
"""A label for each row: an array, a list, a series or an Arrow array."""

DaskColumn: TypeAlias = DaskCollection | ArrayLike | str
"""A value for each row of a collection of Dask: a collection, an array, or a column's name."""

Weights: TypeAlias = ArrayLike
"""A weight for each row, or one for all."""

Priors: TypeAlias = ArrayLike | Mapping[Any, float] | str
"""Priors by class, in the order of `classes_`, one row of them for each row, or 'uniform'."""

ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None
"""Weights by class, which are 1 where there is none, or 'balanced'."""

Costs: TypeAlias = ArrayLike | Mapping[Any, Mapping[Any, float]]
"""Costs by truth and decision, or as a matrix in the order of `classes_`."""

Missing: TypeAlias = Literal["raise", "drop", "marginalize", "propagate"]
"""How NaN is handled: refused, left out row by row, integrated out, or answered with NaN."""

HandleUnknown: TypeAlias = Literal["error", "ignore"]
"""How levels that the fit did not see are handled."""

Structure: TypeAlias = Literal["full", "tied", "diag"]
"""Which scatters moments keep: one for each class, one for all, or diagonals."""

CountKind: TypeAlias = Literal["categorical", "bernoulli", "multinomial"]
"""What counts are of: levels of columns, presence, or terms."""

ShrinkageTarget: TypeAlias = Literal["spherical", "diagonal", "identity"]
"""What covariances are shrunk towards."""

CovarianceKind: TypeAlias = Literal[
    "full", "tied", "diag", "tied_diag", "spherical", "tied_spherical", "test"
]
"""What is alike between classes and columns; 'test' asks Box's M whether classes are."""

Output: TypeAlias = Literal[
    "label",
    "proba",
    "log_proba",
    "log_density",
    "joint",
    "mahalanobis",
    "typicality",
    "cost",
    "top_k",
    "max_proba",
    "label_typicality",
    "min_mahalanobis",
]
"""What `classify` answers about each row."""

Reject: TypeAlias = float | Mapping[str, float] | None
"""When to reject a row: below a posterior, or by 'posterior', 'typicality' and 'cost'."""

RejectLabel: TypeAlias = Label | Mapping[Any, Label]
"""The label of rejected rows, or one for each class that a row would have; None for the default."""

Kinds: TypeAlias = Literal["auto"] | Sequence[str] | Mapping[Any, str]
"""The kind of each column, of some by name or index, or 'auto'."""

Splits: TypeAlias = (
    int | Literal["loo"] | Splitter | Iterable[tuple[ArrayLike, ArrayLike]] | ArrayLike | None
)
"""How rows are held out: a number of folds, each row in turn, or splits as scikit-learn's."""

NoData: TypeAlias = float | ArrayLike | None
"""What stands for no data: a number, or one for each column."""

Columns: TypeAlias = Sequence[str] | Sequence[int]
"""Columns by their names, or by their indices."""

KnownValues: TypeAlias = Mapping[str, object] | Mapping[int, object]
"""What is known of columns, by their names or indices."""

Target: TypeAlias = str | int | ArrayLike | PathLike[str] | None
"""The column of labels, or the labels themselves."""

Batch: TypeAlias = (
    NDArray[Any] | tuple[MatrixLike, Labels] | tuple[MatrixLike, Labels, Weights | None]
)
"""Some rows of a stream, with their labels and perhaps weights."""

Source: TypeAlias = str | PathLike[str] | NDArray[np.generic] | ArrowStream | Iterable[Batch]
"""Rows to be read batch by batch: a file, an array, an Arrow stream, or an iterable of batches."""
