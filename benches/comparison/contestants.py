"""Who competes: gauda's estimators, scikit-learn's, and what a careful user writes with numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import discriminant_analysis, naive_bayes

import gauda
from gauda import _core

MODELS: dict[str, tuple[type, type]] = {
    "QDA": (
        gauda.QuadraticDiscriminantAnalysis,
        discriminant_analysis.QuadraticDiscriminantAnalysis,
    ),
    "LDA": (gauda.LinearDiscriminantAnalysis, discriminant_analysis.LinearDiscriminantAnalysis),
    "GNB": (gauda.GaussianNB, naive_bayes.GaussianNB),
}
"""By name: ours, scikit-learn's."""

BLOCK_ROWS = 2048

Function = Callable[[NDArray[Any]], NDArray[Any]]


def core(estimator: Any) -> _core.Model:
    """Return the core model of a fitted estimator: what it answers goes to memory at hand."""
    # Estimators allocate what they return.
    model: _core.Model = estimator._current().model  # noqa: SLF001 (see above)
    return model


def blocked(scores: Function) -> Function:
    """Return a function that predicts block by block, so that scores stay in cache."""

    def predict(X: NDArray[Any]) -> NDArray[Any]:
        labels = np.empty(len(X), dtype=np.intp)
        for start in range(0, len(X), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            labels[rows] = scores(X[rows]).argmax(axis=1)
        return labels

    return predict


def quadratic_parts(model: Any) -> tuple[NDArray[Any], ...]:
    """Return what QDA's scores take: center, whitening side by side, whitened means, constants.

    The model must have been fitted with `store_covariance`.
    """
    k, d = model.means_.shape
    center = model.means_.mean(axis=0)
    whitening = np.linalg.inv(np.linalg.cholesky(model.covariance_))
    offsets = np.einsum("kij,kj->ki", whitening, model.means_ - center).ravel()
    log_det = -2 * np.log(np.einsum("kii->ki", whitening)).sum(axis=1)
    stacked = whitening.reshape(k * d, d).T
    return center, stacked, offsets, np.log(model.priors_) - log_det / 2


def numpy_qda(model: Any, dtype: Any) -> Function:
    """Return QDA's prediction in numpy: one product for all classes, then sums of squares."""
    k, d = model.means_.shape
    parts = (np.ascontiguousarray(part, dtype=dtype) for part in quadratic_parts(model))
    center, stacked, offsets, constants = parts

    def scores(block: NDArray[Any]) -> NDArray[Any]:
        whitened = (block - center) @ stacked
        whitened -= offsets
        whitened = whitened.reshape(len(block), k, d)
        squares: NDArray[Any] = np.einsum("nkd,nkd->nk", whitened, whitened)
        return constants - squares / 2

    return blocked(scores)


def numpy_lda(model: Any, dtype: Any) -> Function:
    """Return LDA's prediction in numpy, for three classes or more."""
    slopes, constants = model.coef_.T.astype(dtype), model.intercept_.astype(dtype)
    return blocked(lambda block: block @ slopes + constants)


def numpy_gnb(model: Any, dtype: Any) -> Function:
    """Return naive Bayes' prediction in numpy."""
    precisions = (1 / model.var_).astype(dtype)
    log_det = np.log(model.var_).sum(axis=1)
    constants = (np.log(model.class_prior_) - log_det / 2).astype(dtype)
    means = model.theta_.astype(dtype)

    def scores(block: NDArray[Any]) -> NDArray[Any]:
        pairs = zip(means, precisions, strict=True)
        squares = np.column_stack([((block - mean) ** 2) @ weight for mean, weight in pairs])
        return constants - squares / 2

    return blocked(scores)


NUMPY = {"QDA": numpy_qda, "LDA": numpy_lda, "GNB": numpy_gnb}
