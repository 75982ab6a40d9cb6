"""Families of Gaussian models that moments determine: how covariances are mixed and regularized."""

from __future__ import annotations

from typing import Any

import numpy as np

from gauda import _core
from gauda._statistics.access import core_of
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats
from gauda._support.record import record

MIN_TARGET_SHARE = 1e-7
"""Share of all variances below which the variance of the target has too few digits beside them."""


@record
class Family:
    """What determines a Gaussian model besides moments and priors."""

    structure: str
    """Of the covariances of the model: 'full', 'tied' or 'diag'."""
    mixing: tuple[float, str, bool]
    """Share of the pooled covariance, what is mixed, and whether divisors are unbiased."""
    target: str = "spherical"
    gamma: float | Floats = 0.0
    """Share of the target, for all classes or for each."""
    weights: Floats | None = None
    """Weights of the covariances of classes in a common one."""
    tol: float = 0.0
    smoothing: float = 0.0
    """Share of the largest variance of a column that is added to the variances."""
    columns: int | None = None
    """Number of columns before rows were turned to the directions that they span, if they were."""

    @property
    def turns(self) -> bool:
        """Whether the models are the same in any orthonormal basis."""
        return self.target != "diagonal" and bool(np.all(np.asarray(self.gamma) > 0))

    def covariances(self, moments: Moments) -> Floats:
        """Return the covariance matrix of each class, before variances are smoothed."""
        n_classes = len(moments.classes)
        if isinstance(self.gamma, float):
            gammas = [self.gamma] * n_classes
        else:
            gammas = np.broadcast_to(self.gamma, n_classes).tolist()
        return _core.regularized_covariances(core_of(moments), self.mixing, self.target, gammas)

    def model(
        self, moments: Moments, covariances: Floats, priors: Floats, n_threads: int | None
    ) -> _core.Model:
        """Return the model with these covariances; of independent columns, variances will do."""
        core = core_of(moments)
        if self.structure == "tied":
            return _core.linear_of_covariance(core, covariances[0], priors, self.tol)
        if self.structure == "full":
            return _core.Model.quadratic(core, covariances, priors, self.tol, n_threads)
        matrices = covariances.ndim > 2  # noqa: PLR2004 (class x column x column)
        variances = np.diagonal(covariances, axis1=1, axis2=2) if matrices else covariances
        return _core.Model.naive(core, variances, priors)

    def of_core(self, priors: Floats | None) -> tuple[Any, ...]:
        """Return what the core takes, with priors or None for the proportions of the rows."""
        common = self.mixing, self.weights, self.target, priors
        return *common, self.tol, self.smoothing, self.columns


def hides_target(target: str, gamma: float, moments: Moments) -> bool:
    """Tell whether variances hide what a target that is the same in all directions adds to them."""
    squares, counts = moments.squares, moments.counts
    anchor = 1.0 if target == "identity" else squares.sum() / counts.sum() / squares.shape[1]
    return bool(gamma * anchor <= MIN_TARGET_SHARE * squares.sum() / counts.min())
