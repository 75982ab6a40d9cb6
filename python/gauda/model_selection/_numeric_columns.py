"""The columns of numbers of a table that also has columns of other kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from gauda._data.frames import as_table
from gauda._data.sklearn_private import take
from gauda.typing import Labels, MatrixLike


class NumericColumns(TransformerMixin, BaseEstimator):
    """Keep some columns of a table, for models that take numbers only.

    Parameters
    ----------
    columns : sequence of int
        Indices of the columns to keep.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns of the table.

    feature_names_in_ : ndarray of shape (n_features,)
        Names of its columns, if it had names.
    """

    def __init__(self, columns: Sequence[int]) -> None:
        self.columns = columns

    def fit(self, X: MatrixLike, y: Labels | None = None) -> Self:  # noqa: ARG002 (scikit-learn passes it)
        """Note number and names of the columns."""
        validate_data(self, as_table(X), reset=True, skip_check_array=True)
        return self

    def transform(self, X: MatrixLike) -> Any:
        """Return the columns of numbers, in a table of the same kind."""
        check_is_fitted(self, "n_features_in_")
        table = as_table(X)
        validate_data(self, table, reset=False, skip_check_array=True)
        return take(table, list(self.columns), axis=1)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the columns that are kept."""
        names = getattr(self, "feature_names_in_", input_features)
        if names is None:
            names = [f"x{index}" for index in range(self.n_features_in_)]
        kept: NDArray[Any] = np.asarray(names, dtype=object)[list(self.columns)]
        return kept
