"""Missing values filled in: by what a model expects of them, or by draws.

The functions here are methods of `GaussianClassifier`.
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


def impute(
    self: GaussianClassifier,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    return_std: bool = False,
) -> Filled:
    """Fill in missing values by their means, given those that are there.

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

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows; what was observed is left as it is, to the bit.

    std : ndarray of shape (n_samples, n_features)
        Standard deviations of the values that were missing, 0 for others. Only if `return_std`.

    See Also
    --------
    sample_missing : Draws of what is missing.

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
    """
    current = self._current()
    rows = self._rows(X, current)
    codes = None if y is None else known_codes(self, current, rows, y)
    deviations = np.zeros(rows.shape, dtype=rows.dtype) if return_std else None
    values = np.array(rows, order="C")
    if rows.dtype.kind == "f":  # others have no NaN
        with self._names(current).in_errors():
            _core.impute(current.model, rows, values, deviations, codes, self.n_threads)
    return values if deviations is None else (values, deviations)


def sample_missing(
    self: GaussianClassifier,
    X: MatrixLike,
    n_samples: int = 1,
    random_state: Random = None,
    *,
    y: ArrayLike | None = None,
) -> NDArray[Any]:
    """Draw missing values, given those that are there: multiple imputation.

    For each row a class is drawn from its posterior given what the row shows, or is the one that
    `y` names; then the missing values from the Gaussian of the class given the observed ones. NaN
    is taken for a missing value whatever `missing` is.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Rows in which NaN stands for what is missing.

    n_samples : int, default=1
        Number of completed copies of X.

    random_state : int, RandomState, Generator or None, default=None
        What the draws depend on, as for `sample`.

    y : array-like of shape (n_rows,), default=None
        Labels of the rows, if they are known.

    Returns
    -------
    ndarray of shape (n_samples, n_rows, n_features)
        The copies; what was observed is left as it is, to the bit.

    See Also
    --------
    impute : Means and standard deviations of what is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from gauda import QuadraticDiscriminantAnalysis
    >>> X = [[0.0, 0.0], [1.0, 3.0], [2.0, 3.0], [9.0, 5.0], [9.0, 7.0], [8.0, 6.0]]
    >>> qda = QuadraticDiscriminantAnalysis().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> qda.sample_missing([[2.0, np.nan]], 5, random_state=0).shape
    (5, 1, 2)
    """
    current = self._current()
    count = checked_count(n_samples)
    rows = self._rows(X, current)
    codes = None if y is None else known_codes(self, current, rows, y)
    draws = np.empty((count, *rows.shape), dtype=rows.dtype)
    draws[...] = rows
    if rows.dtype.kind == "f":  # others have no NaN
        with self._names(current).in_errors():
            seed = seed_of(random_state)
            _core.impute_draws(current.model, rows, draws, seed, codes, self.n_threads)
    return draws


def known_codes(
    estimator: GaussianClassifier, current: Current, rows: NDArray[Any], y: ArrayLike
) -> NDArray[np.uint32]:
    """Return the indices of the classes of rows."""
    check_consistent_length(rows, y)
    return codes_of(estimator, current, y, 1)
