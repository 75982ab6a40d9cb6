"""How well Gaussians fit rows of which only the moments are known."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gauda._analysis.gaussians import Gaussians
from gauda._statistics.access import core_of
from gauda._statistics.equal_covariances import needs_full
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats

NO_DENSITY = "The covariance is singular, so rows have no density."


def log_likelihood(gaussians: Gaussians, moments: Moments) -> float:
    """Return the sum of log p(x, k) over the rows."""
    if gaussians.rank < gaussians.n_features:
        raise ValueError(NO_DENSITY)
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
    matching = moments.structure == "full" or gaussians.structure == "tied"
    if (
        (parts := core_of(moments).factor) is not None
        and gaussians.structure != "diag"
        and matching
    ):
        factor, bounds = parts  # of few rows, whose products are the scatter
        groups = [factor[first:last] for first, last in pairwise(bounds)]
        matrices = np.broadcast_to(
            gaussians.whitening, (len(groups), *gaussians.whitening.shape[1:])
        )
        products = zip(matrices, groups, strict=True)
        return float(sum(np.square(matrix @ rows.T).sum() for matrix, rows in products))
    scatter = moments.scatter
    if moments.structure == "diag" and gaussians.structure == "diag":
        return float((np.square(gaussians.whitening) * scatter).sum())
    if moments.structure == "diag" and is_independent(gaussians):
        return float((np.square(np.diag(gaussians.whitening[0])) * scatter).sum())
    if moments.structure == "full" and gaussians.structure == "diag":
        squares = np.diagonal(scatter, axis1=1, axis2=2)
        return float((np.square(gaussians.whitening) * squares).sum())
    if moments.structure == "full" or (moments.structure, gaussians.structure) == ("tied", "tied"):
        return float(((gaussians.whitening @ scatter) * gaussians.whitening).sum())
    raise ValueError(needs_full("The log-likelihood of this model", moments))


def is_independent(gaussians: Gaussians) -> bool:
    """Tell whether columns are independent under a common covariance."""
    return gaussians.structure == "tied" and not np.tril(gaussians.whitening[0], -1).any()


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


def condition_numbers(gaussians: Gaussians) -> Floats:
    """Return for each class the largest variance in any direction over the smallest."""
    if gaussians.structure == "diag":
        largest, smallest = gaussians.whitening.max(axis=1), gaussians.whitening.min(axis=1)
    else:
        values = np.linalg.svd(gaussians.whitening, compute_uv=False)
        largest, smallest = values[:, 0], values[:, -1]
    numbers = np.square(largest / smallest)
    return np.broadcast_to(numbers, gaussians.n_classes).copy()
