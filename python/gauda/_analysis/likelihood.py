"""How well Gaussians fit rows of which only the moments are known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.linalg import matrix_rank, slogdet
from numpy.typing import NDArray
from scipy.stats import chi2

from gauda._analysis.gaussians import Floats, Gaussians
from gauda._statistics.access import core_of, without_empty_classes
from gauda._statistics.moments import Moments


class BoxM(NamedTuple):
    """Box's M test of equal covariances, with the chi-squared approximation."""

    statistic: float
    """M times Box's correction."""
    df: int
    """Degrees of freedom."""
    p_value: float
    """Probability of a larger statistic if covariances are equal and rows Gaussian."""


def log_likelihood(gaussians: Gaussians, moments: Moments) -> float:
    """Return the sum of log p(x, k) over the rows."""
    if gaussians.rank < gaussians.n_features:
        raise ValueError("The covariance is singular, so rows have no density.")
    counts = moments.counts
    core = core_of(moments)
    away = (core.shift - gaussians.shift) + (core.offset - gaussians.offset)
    squares = scatter_squares(gaussians, moments)
    squares += counts @ np.square(gaussians.whiten(away)).sum(axis=1)
    seen = counts > 0
    log_scale = gaussians.log_det + gaussians.n_features * np.log(2 * np.pi)
    weighed = counts[seen] @ (gaussians.log_prior - log_scale / 2)[seen]
    return float(weighed - squares / 2)


def scatter_squares(gaussians: Gaussians, moments: Moments) -> float:
    """Return the squared Mahalanobis distances of all rows to the means of their classes."""
    scatter = moments.scatter
    if moments.structure == "diag" and gaussians.structure == "diag":
        return float((np.square(gaussians.whitening) * scatter).sum())
    if moments.structure == "full" and gaussians.structure == "diag":
        squares = np.diagonal(scatter, axis1=1, axis2=2)
        return float((np.square(gaussians.whitening) * squares).sum())
    if moments.structure == "full" or (moments.structure, gaussians.structure) == ("tied", "tied"):
        return float(((gaussians.whitening @ scatter) * gaussians.whitening).sum())
    raise ValueError(needs_full("The log-likelihood of this model", moments))


def n_parameters(gaussians: Gaussians, covariances: float, *, priors_given: bool) -> float:
    """Return the number of free parameters: priors that were estimated, means and covariances."""
    k, d = gaussians.n_classes, gaussians.n_features
    free = (0 if priors_given else k - 1) + k * d + covariances
    return int(free) if free == int(free) else free


def covariance_parameters(gaussians: Gaussians) -> int:
    """Return the number of free parameters of covariances of a pure structure."""
    k, d = gaussians.n_classes, gaussians.n_features
    matrix = d * (d + 1) // 2
    return {"full": k * matrix, "tied": matrix, "diag": k * d}[gaussians.structure]


def box_m(moments: Moments) -> BoxM:
    """Test whether the covariances of classes are equal."""
    if moments.structure != "full":
        raise ValueError(needs_full("Box's M", moments))
    moments = without_empty_classes(moments)
    counts, d, k = moments.counts, moments.n_features, len(moments.classes)
    if k == 1:
        raise ValueError("Box's M needs two classes with rows at least.")
    freedom, scatter = counts - 1, moments.scatter
    few = (freedom < d) | (ranks(moments) < d)
    if few.any():
        raise ValueError(
            f"Box's M needs rows in each class that vary in all {d} columns, but the covariance of "
            f"class {moments.classes[few][0]} is singular."
        )
    own = slogdet(scatter / freedom[:, np.newaxis, np.newaxis])[1]
    pooled = slogdet(scatter.sum(axis=0) / freedom.sum())[1]
    m = freedom.sum() * pooled - freedom @ own
    excess = (1 / freedom).sum() - 1 / freedom.sum()
    correction = 1 - excess * (2 * d * d + 3 * d - 1) / (6 * (d + 1) * (k - 1))
    df = d * (d + 1) * (k - 1) // 2
    statistic = float(m * correction)
    return BoxM(statistic, df, float(chi2.sf(statistic, df)))


def needs_full(what: str, moments: Moments) -> str:
    """Return what to do if moments hold too little."""
    return (
        f"{what} needs more than {moments.structure!r} moments: use "
        "diagnostics(Moments.from_data(X, y))."
    )


def ranks(moments: Moments) -> NDArray[np.intp]:
    """Return for each class the number of directions in which its rows vary."""
    scatter = core_of(moments).scatter
    if moments.structure == "diag":
        return np.asarray(np.count_nonzero(scatter[:, 0] > 0, axis=1))
    found = matrix_rank(correlations(scatter), hermitian=True)
    return np.broadcast_to(found, len(moments.classes)).astype(np.intp)


def correlations(scatter: Floats) -> Floats:
    """Return matrices on the scale on which units of columns do not matter."""
    deviations = np.sqrt(np.diagonal(scatter, axis1=1, axis2=2))
    units = np.where(deviations > 0, deviations, 1.0)
    scaled: Floats = scatter / units[:, :, np.newaxis] / units[:, np.newaxis, :]
    return scaled


def condition_numbers(gaussians: Gaussians) -> Floats:
    """Return for each class the largest variance in any direction over the smallest."""
    if gaussians.structure == "diag":
        largest, smallest = gaussians.whitening.max(axis=1), gaussians.whitening.min(axis=1)
    else:
        values = np.linalg.svd(gaussians.whitening, compute_uv=False)
        largest, smallest = values[:, 0], values[:, -1]
    numbers = np.square(largest / smallest)
    return np.broadcast_to(numbers, gaussians.n_classes).copy()
