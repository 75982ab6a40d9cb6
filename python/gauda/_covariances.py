"""Covariances on top of the core's: shrinkage and estimators that are not ours, as scikit-learn's `_cov` has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.covariance import shrunk_covariance

from gauda._core import Moments
from gauda._inputs import LabelledRows

Shrinkage = float | str | None


def class_covariances(
    data: LabelledRows,
    moments: Moments,
    shrinkage: Shrinkage,
    covariance_estimator: Any,
    *,
    unbiased: bool,
) -> NDArray[np.float64]:
    """Return the covariance of each class, shrunk or estimated as asked, stacked."""
    if covariance_estimator is not None:
        codes = range(len(data.classes))
        return np.stack([estimated_covariance(data.members(k), covariance_estimator) for k in codes])
    with data.names.told():
        covariances = moments.class_covariances(unbiased)
        if isinstance(shrinkage, str):
            shrunk = moments.ledoit_wolf(data.rows, data.codes, data.weights, data.n_threads)
            correction = moments.weights / (moments.weights - 1) if unbiased else np.ones(1)
            return shrunk * correction[:, np.newaxis, np.newaxis]
    return shrink(covariances, shrinkage)


def shrink(covariances: NDArray[np.float64], shrinkage: Shrinkage) -> NDArray[np.float64]:
    """Return covariances moved towards a multiple of the identity by a given intensity."""
    if not shrinkage:
        return covariances
    shrunk: NDArray[np.float64] = shrunk_covariance(covariances, shrinkage)
    return shrunk


def check_covariance_estimator(shrinkage: Shrinkage, covariance_estimator: Any) -> None:
    """Refuse two ways to estimate a covariance at once."""
    if covariance_estimator is not None and shrinkage is not None and shrinkage != 0:
        raise ValueError(
            "covariance_estimator and shrinkage parameters are not None. "
            "Only one of the two can be set."
        )


def estimated_covariance(X: NDArray[Any], covariance_estimator: Any) -> NDArray[np.float64]:
    """Return the covariance of X by somebody else's estimator."""
    covariance_estimator.fit(X)
    if not hasattr(covariance_estimator, "covariance_"):
        raise ValueError(f"{type(covariance_estimator).__name__} does not have a covariance_ attribute")
    return np.atleast_2d(np.asarray(covariance_estimator.covariance_, dtype=np.float64))
