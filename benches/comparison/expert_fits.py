"""Fits as experts write them: sums, factors and nothing else, with no check of the input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from comparison.data import Table

Fit = Callable[[Table], Any]


def numpy_qda(table: Table) -> Any:
    """Return means and whitening matrices of the classes."""
    parts = []
    for k in range(table.y.max() + 1):
        rows = table.X[table.y == k]
        mean = rows.mean(axis=0)
        rows -= mean
        lower = np.linalg.cholesky(rows.T @ rows / len(rows))
        parts.append((mean, np.linalg.inv(lower)))
    return parts


def numpy_lda(table: Table) -> Any:
    """Return the means of the classes and the slopes of their discriminants."""
    X, y = table
    counts = np.bincount(y)
    members = np.argsort(y, kind="stable")
    starts = np.r_[0, np.cumsum(counts)[:-1]]
    ordered = X[members]
    means = np.add.reduceat(ordered, starts, axis=0) / counts[:, np.newaxis]
    means = means.astype(X.dtype)
    ordered -= np.repeat(means, counts, axis=0)
    return means, np.linalg.solve(ordered.T @ ordered / len(X), means.T)


def numpy_gnb(table: Table) -> Any:
    """Return means and variances of the classes."""
    parts = []
    for k in range(table.y.max() + 1):
        rows = table.X[table.y == k]
        parts.append((rows.mean(axis=0), rows.var(axis=0)))
    return parts


def torch_qda(table: Table) -> Any:
    """Return the same with torch."""
    import torch  # noqa: PLC0415 (may not be installed)

    X, y = torch.from_numpy(table.X), torch.from_numpy(table.y)
    parts = []
    for k in range(int(y.max()) + 1):
        rows = X[y == k]
        lower = torch.linalg.cholesky(torch.cov(rows.T, correction=0))
        identity = torch.eye(len(lower), dtype=X.dtype)
        whitening = torch.linalg.solve_triangular(lower, identity, upper=False)
        parts.append((rows.mean(dim=0), whitening))
    return parts


def torch_lda(table: Table) -> Any:
    """Return the same with torch."""
    import torch  # noqa: PLC0415 (may not be installed)

    X, y = torch.from_numpy(table.X), torch.from_numpy(table.y)
    counts = torch.bincount(y)
    means = torch.zeros(len(counts), X.shape[1], dtype=X.dtype).index_add_(0, y, X)
    means /= counts[:, None]
    centered = X - means[y]
    return means, torch.linalg.solve(centered.T @ centered / len(X), means.T)


def torch_gnb(table: Table) -> Any:
    """Return the same with torch."""
    import torch  # noqa: PLC0415 (may not be installed)

    X, y = torch.from_numpy(table.X), torch.from_numpy(table.y)
    return [torch.var_mean(X[y == k], dim=0, correction=0) for k in range(int(y.max()) + 1)]


def daal4py_qda(table: Table) -> Any:
    """Return means and whitening matrices with oneDAL's covariance."""
    import daal4py  # noqa: PLC0415 (may not be installed)

    parts = []
    for k in range(table.y.max() + 1):
        found = daal4py.covariance(fptype=fptype(table)).compute(table.X[table.y == k])
        parts.append((found.mean, np.linalg.inv(np.linalg.cholesky(found.covariance))))
    return parts


def fptype(table: Table) -> str:
    """Return how oneDAL calls the type of X."""
    return "float" if table.X.dtype == np.float32 else "double"


def mlpack_gnb(table: Table) -> Any:
    """Return mlpack's naive Bayes."""
    from mlpack import nbc  # noqa: PLC0415 (may not be installed)

    return nbc(training=table.X, labels=table.y)


FITS: dict[str, dict[str, Fit]] = {
    "QDA": {"numpy": numpy_qda, "torch": torch_qda, "daal4py": daal4py_qda},
    "LDA": {"numpy": numpy_lda, "torch": torch_lda},
    "GNB": {"numpy": numpy_gnb, "torch": torch_gnb, "mlpack": mlpack_gnb},
}
"""By model and library."""
