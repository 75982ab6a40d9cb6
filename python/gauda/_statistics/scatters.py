"""Fisher's two scatter matrices, within and between classes, from the moments of the rows seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._statistics.moments import Moments
from gauda._statistics.separation import weighted_deviations
from gauda._support.arrays import Floats


def within_scatter(moments: Moments) -> NDArray[Any]:
    """Return S_W, the squares and products of rows about the mean of their class, summed."""
    if moments.structure == "diag":
        raise AttributeError(
            "within_scatter_ needs products of columns, which a fit with covariance_estimator= "
            "leaves to that estimator. Fit without it, or see covariance_."
        )
    return as_attribute(moments, moments._to("tied").scatter)


def between_scatter(moments: Moments) -> NDArray[Any]:
    """Return S_B, the squares and products of class means about the mean of all rows, summed."""
    return as_attribute(moments, scatter_of_means(moments))


def as_attribute(moments: Moments, sums: Floats) -> NDArray[Any]:
    """Return sums in the type of fitted attributes, or in double precision if that is too small."""
    fits = np.abs(sums).max(initial=0.0) <= np.finfo(np.float32).max
    return moments._attribute(sums) if fits else sums


def scatter_of_means(moments: Moments) -> Floats:
    """Return the sum of n_k (m_k - m)(m_k - m)' over the classes."""
    deviations = weighted_deviations(moments)
    return np.asarray(deviations.T @ deviations)
