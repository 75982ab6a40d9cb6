"""Rows on the discriminant axes, and the linear functions of them.

The functions are methods of `LinearDiscriminantAnalysis`.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda import _core
from gauda._data.training import score_dtype
from gauda._data.twins import twin
from gauda.typing import MatrixLike

if TYPE_CHECKING:
    from gauda.discriminant_analysis._linear import LinearDiscriminantAnalysis


def transform(self: LinearDiscriminantAnalysis, X: MatrixLike) -> NDArray[Any]:
    """Project rows on the axes that separate the classes best.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows to project.

    Returns
    -------
    ndarray of shape (n_samples, n_components)
        Coordinates; with 'svd' at most `rank` of them, centered on `xbar_`. In tables, as by
        `set_output`, scikit-learn names the columns after the class; the example gives them
        the names LD1, LD2, ... that R has for them.

    Examples
    --------
    >>> from gauda import LinearDiscriminantAnalysis
    >>> lda = LinearDiscriminantAnalysis().fit([[-2], [-1], [1], [2]], [0, 0, 1, 1])
    >>> lda.transform([[0.5]])
    array([[1.]])
    >>> table = lda.set_output(transform="pandas").transform([[0.5]])
    >>> table.set_axis([f"LD{axis + 1}" for axis in range(table.shape[1])], axis=1)
       LD1
    0  1.0
    """
    settings = self if self._fitted is None else self._fitted.settings
    if settings.solver == "lsqr":
        raise NotImplementedError(
            "transform not implemented for 'lsqr' solver (use 'svd' or 'eigen')."
        )
    current = self._current()
    rows = self._rows(X, current)
    axes, center = current.attributes["_axes"], current.attributes["_center"]
    out = np.empty((len(rows), axes.shape[1]), dtype=score_dtype(rows))
    with self._names(current).in_errors():
        _core.project(axes, center, rows, out, self.n_threads)
    return out


def decision_function(self: LinearDiscriminantAnalysis, X: MatrixLike) -> NDArray[Any]:
    """Return the linear discriminants of each row.

    They equal log p(k | x) up to a term common to the classes.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows to score.

    Returns
    -------
    ndarray of shape (n_samples, n_classes) or (n_samples,)
        `X @ coef_.T + intercept_`; for two classes log p(1 | x) - log p(0 | x). Of more classes
        that lie so far apart, or so far from 0, that rounding of these sums would hide what
        tells classes apart, the differences between columns are the same, but exact: a term
        common to the classes is left out.

    Examples
    --------
    >>> from gauda import LinearDiscriminantAnalysis
    >>> lda = LinearDiscriminantAnalysis().fit([[-2], [-1], [1], [2]], [0, 0, 1, 1])
    >>> lda.decision_function([[0.5]])
    array([6.])
    """
    return self._decide(X)


def of_one_fit(transform: Any) -> Any:
    """Make scikit-learn name the columns of `transform`, as by set_output, after the same fit."""

    @wraps(transform)
    def transform_by_one_fit(self: LinearDiscriminantAnalysis, X: MatrixLike) -> Any:
        return transform(twin(self), X)

    return transform_by_one_fit


def need_density(self: LinearDiscriminantAnalysis) -> bool:
    """Refuse what takes a density of rows where only some of their coordinates count."""
    settings = self if self._fitted is None else self._fitted.settings
    if settings.reduced_rank:
        raise AttributeError(
            "With reduced_rank=True only coordinates along discriminant axes count, so rows have "
            "no density. Use reduced_rank=False, or fit a model to what transform returns."
        )
    return True
