"""Missing values filled in: by what a model expects of them, or by draws.

`impute` is a method of `GaussianClassifier`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length

from gauda import _core
from gauda._estimators.sampling import Random, checked_count, codes_of, seed_of
from gauda._estimators.state import Current
from gauda.typing import MatrixLike

if TYPE_CHECKING:
    from gauda._estimators.gaussian import GaussianClassifier

Filled = NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]


def impute(  # noqa: PLR0913 (what an imputation is given)
    self: GaussianClassifier,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    return_std: bool = False,
    n_samples: int = 1,
    random_state: Random = None,
) -> Filled:
    """Fill in missing values, given those that are there.

    The mean of a value under the mixture of all classes, each weighted by its posterior given
    what the row shows; or under the class that `y` names. NaN is taken for a missing value
    whatever `missing` is.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows in which NaN stands for what is missing.

    y : array-like of shape (n_samples,), default=None
        Labels of the rows, if they are known.

    return_std : bool, default=False
        Whether to return standard deviations too.

    n_samples : int, default=1
        If more than 1, so many completed copies of X are drawn (multiple imputation): for each
        row a class from its posterior, then the missing values from the Gaussian of the class
        given the observed ones.

    random_state : int, RandomState, Generator or None, default=None
        What draws depend on, as for `sample`.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), or with draws (draws, n_samples, n_features)
        The rows; what was observed is left as it is, to the bit.

    std : ndarray of shape (n_samples, n_features)
        Standard deviations of the values that were missing, 0 for others. Only if `return_std`.

    Examples
    --------
    >>> import numpy as np
    >>> from gauda import QuadraticDiscriminantAnalysis
    >>> X = [[0.0, 0.0], [1.0, 3.0], [2.0, 3.0], [9.0, 5.0], [9.0, 7.0], [8.0, 6.0]]
    >>> qda = QuadraticDiscriminantAnalysis().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> qda.impute([[2.0, np.nan], [np.nan, 6.0]]).round(2)
    array([[2.  , 3.5 ],
           [8.61, 6.  ]])
    >>> filled, std = qda.impute([[2.0, np.nan]], ["a"], return_std=True)
    >>> std.round(2)
    array([[0.  , 0.71]])
    >>> qda.impute([[2.0, np.nan]], n_samples=5, random_state=0).shape
    (5, 1, 2)
    """
    current = self._current()
    count = checked_count(n_samples)
    rows = self._rows(X, current)
    codes = None if y is None else known_codes(self, current, rows, y)
    deviations = np.zeros(rows.shape, dtype=rows.dtype) if return_std else None
    values = np.empty(rows.shape if count == 1 else (count, *rows.shape), dtype=rows.dtype)
    values[...] = rows
    if rows.dtype.kind == "f":  # others have no NaN
        with self._names(current).in_errors():
            fill(self, current.model, rows, values, deviations, codes, random_state)
    return values if deviations is None else (values, deviations)


def known_codes(
    estimator: GaussianClassifier, current: Current, rows: NDArray[Any], y: ArrayLike
) -> NDArray[np.uint32]:
    """Return the indices of the classes of rows."""
    check_consistent_length(rows, y)
    return codes_of(estimator, current, y, 1)


def fill(  # noqa: PLR0913 (what an imputation is given)
    estimator: GaussianClassifier,
    model: _core.Model,
    rows: NDArray[Any],
    values: NDArray[Any],
    deviations: NDArray[Any] | None,
    codes: NDArray[np.uint32] | None,
    random_state: Random,
) -> None:
    """Have the core write what is missing, and how uncertain it is."""
    drawn = values.ndim > rows.ndim
    if drawn:
        seed = seed_of(random_state)
        _core.impute_draws(model, rows, values, seed, codes, estimator.n_threads)
    if deviations is not None or not drawn:
        expected = rows.copy(order="C") if drawn else values
        _core.impute(model, rows, expected, deviations, codes, estimator.n_threads)
