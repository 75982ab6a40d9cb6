"""Missing values filled in: by what a model expects of them, or by draws.

`impute` and `sample_missing` are methods of `Classifier`, the others of `GaussianClassifier`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length

from gauda import _core
from gauda._estimators.sampling import Random, codes_of, seed_of, validate_count
from gauda._estimators.state import Current
from gauda.typing import MatrixLike

if TYPE_CHECKING:
    from gauda._estimators.classifier import Classifier
    from gauda._estimators.gaussian import GaussianClassifier

Filled = NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]


@overload
def impute(
    self: GaussianClassifier,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    return_std: Literal[False] = False,
) -> NDArray[Any]: ...
@overload
def impute(
    self: GaussianClassifier,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    return_std: Literal[True],
) -> tuple[NDArray[Any], NDArray[Any]]: ...
@overload
def impute(
    self: Classifier, X: MatrixLike, y: ArrayLike | None = None, *, return_std: bool = False
) -> Any: ...
def impute(
    self: Classifier, X: MatrixLike, y: ArrayLike | None = None, *, return_std: bool = False
) -> Any:
    """Fill in missing values by what is expected of them, given those that are there.

    That is the mean of a number, and the most probable level of a discrete column, under the
    mixture of all classes, each weighted by its posterior given what the row shows; or under the
    class that `y` names. NaN, and None of frames, is taken for a missing value whatever `missing`
    is.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows in which NaN stands for what is missing.

    y : array-like of shape (n_samples,), default=None
        Labels of the rows, if they are known.

    return_std : bool, default=False
        Whether to return standard deviations too; not with `BernoulliNB` and `CategoricalNB`, as
        levels have none.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), or of `MixedNB` a data frame if X is one
        The rows; what was observed is left as it is, to the bit.

    std : ndarray of shape (n_samples, n_features)
        Standard deviations of the values that were missing (NaN for levels), 0 for others. Only if
        `return_std`.

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
    return self._fill_gaps(self._current(), X, y, return_std=return_std)


def fill_gaussian_gaps(
    self: GaussianClassifier,
    current: Current,
    X: MatrixLike,
    y: ArrayLike | None,
    *,
    return_std: bool,
) -> Filled:
    """Fill in missing values by their means."""
    rows = self._rows(X, current)
    codes = None if y is None else known_codes(self, current, rows, y)
    deviations = np.zeros(rows.shape, dtype=rows.dtype) if return_std else None
    values = np.array(rows, order="C")
    if rows.dtype.kind == "f":  # others have no NaN
        with self._names(current).in_errors():
            _core.impute(current.model, rows, values, deviations, codes, self.n_threads)
    return values if deviations is None else (values, deviations)


def sample_missing(
    self: Classifier,
    X: MatrixLike,
    n_samples: int = 1,
    random_state: Random = None,
    *,
    y: ArrayLike | None = None,
) -> Any:
    """Draw missing values, given those that are there: multiple imputation.

    For each row a class is drawn from its posterior given what the row shows, or is the one that
    `y` names; then the missing values from the distribution of the class given the observed ones.
    NaN is taken for a missing value whatever `missing` is, and None of frames.

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
    ndarray of shape (n_samples, n_rows, n_features), or of `MixedNB` a list if X is a data frame
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
    count = validate_count(n_samples)
    return self._draw_gaps(self._current(), X, y, count, seed_of(random_state))


def draw_gaussian_gaps(  # noqa: PLR0913 (what a call is given)
    self: GaussianClassifier,
    current: Current,
    X: MatrixLike,
    y: ArrayLike | None,
    count: int,
    seed: int,
) -> NDArray[Any]:
    """Draw missing values from Gaussians."""
    rows = self._rows(X, current)
    codes = None if y is None else known_codes(self, current, rows, y)
    draws = np.empty((count, *rows.shape), dtype=rows.dtype)
    draws[...] = rows
    if rows.dtype.kind == "f":  # others have no NaN
        with self._names(current).in_errors():
            _core.impute_draws(current.model, rows, draws, seed, codes, self.n_threads)
    return draws


def known_codes(
    estimator: Classifier, current: Current, rows: Any, y: ArrayLike
) -> NDArray[np.uint32]:
    """Return the indices of the classes of rows."""
    check_consistent_length(rows, y)
    return codes_of(estimator, current, y, 1)
