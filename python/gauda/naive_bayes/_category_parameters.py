"""Parameters of categories: what is added to their counts, and how many there are at least.

The functions after the first are methods of `CategoricalNB`.
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda._support.arrays import Floats
from gauda.naive_bayes._discrete import check_columns, check_pseudo_counts, numbers

if TYPE_CHECKING:
    from gauda.naive_bayes._categorical import CategoricalNB

MAX_COUNTS = 1 << 28
"""Counts that all columns together may have, as many as those of rows."""


def per_column(name: str, value: Any, n_features: int) -> list[Floats]:
    """Return a number for all columns as many, or what each column was given."""
    if isinstance(value, Real) or getattr(value, "ndim", 1) == 0:
        return [np.asarray(value, dtype=np.float64)] * n_features
    check_columns(name, len(value), n_features)
    columns = [numbers(name, column) for column in value]
    for column in columns:
        if column.ndim > 1 or column.size == 0:
            raise ValueError(
                f"{name} must hold for each column a number, or one for each category; got an "
                f"array of shape {column.shape}."
            )
        check_pseudo_counts(name, column)
    return columns


def min_categories(self: CategoricalNB, n_features: int) -> NDArray[np.int64]:
    """Return the minimum number of categories of each column."""
    if self.min_categories is None:
        return np.ones(n_features, dtype=np.int64)
    least = np.array(self.min_categories)
    if not np.issubdtype(least.dtype, np.signedinteger):
        raise ValueError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
    if least.shape not in {(), (n_features,)}:
        raise ValueError(
            f"'min_categories' should have shape ({n_features},) when an array-like "
            f"is provided. Got {least.shape} instead."
        )
    return np.broadcast_to(least, (n_features,))


def refuse_too_many(n_categories: NDArray[np.int64], n_classes: int) -> None:
    """Refuse tables that would take more memory than there is, before they are made."""
    n_counts = n_classes * sum(n_categories.tolist())
    if n_counts > MAX_COUNTS:
        raise ValueError(
            f"min_categories must leave room for the counts of all classes and categories, up to "
            f"{MAX_COUNTS}; got {n_counts}. Use fewer categories."
        )


def pseudo_counts(self: CategoricalNB, n_features: int) -> list[Floats]:
    """Return what is added to the counts of each column: a number, or one for each category."""
    if self.prior_a is None:
        alphas = per_column("alpha", self.alpha, n_features)
        return [self._large_enough(alpha) for alpha in alphas]
    parameters = per_column("prior_a", self.prior_a, n_features)
    if any(np.any(parameter < 1) for parameter in parameters):
        raise ValueError(
            "prior_a must be at least 1, so that there is an estimate of largest posterior; "
            f"got {self.prior_a!r}."
        )
    return [parameter - 1.0 for parameter in parameters]


def fitting(self: CategoricalNB, alpha: Floats, width: int, column: str) -> Floats:
    """Return what is added to the counts of a column; refuse too few for its categories."""
    if alpha.ndim and len(alpha) != width:
        name = "alpha" if self.prior_a is None else "prior_a"
        raise ValueError(
            f"Column {column} has {width} categories, but {name} has {len(alpha)} values for "
            "it. Give one for each category, or one for all."
        )
    return alpha
