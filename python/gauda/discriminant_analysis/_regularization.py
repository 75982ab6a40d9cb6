"""The two shares of regularized discriminant analysis, and what they leave free."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Regularization(NamedTuple):
    """How much covariances are pooled, and how much they are moved toward which target."""

    alpha: float
    gamma: float
    target: str

    @property
    def structure(self) -> str:
        """The simplest structure of covariances: a common one, of variances only, or any."""
        if self.alpha == 1 or (self.gamma == 1 and self.target == "identity"):
            return "tied"
        return "diag" if self.gamma == 1 else "full"

    def free_parameters(
        self,
        n_features: int,
        rows: NDArray[np.float64],
        pooling: str,
        gammas: float | NDArray[np.float64],
    ) -> float:
        """Return the effective number of free parameters of the covariances.

        They are linear in the covariances of the classes, and the trace of that map is the number,
        as for any linear smoother: each class counts by the coefficient of its own covariance, and
        a matrix by what is not moved to the target. At the ends of the shares these are the free
        parameters of the pure structure.
        """
        own = self._own_shares(rows, pooling)
        matrix = n_features * (n_features + 1) / 2
        target = {"spherical": 1, "diagonal": n_features, "identity": 0}[self.target]
        return float(np.sum(own * ((1 - gammas) * matrix + gammas * target)))

    def _own_shares(self, rows: NDArray[np.float64], pooling: str) -> NDArray[np.float64]:
        """Return for each class the coefficient of its own covariance, before the target."""
        if self.alpha == 0:
            return np.ones(len(rows))
        pooled: NDArray[np.float64] = rows / rows.sum()
        if pooling == "scatter":
            return pooled / ((1 - self.alpha) * pooled + self.alpha)
        return (1 - self.alpha) + self.alpha * pooled


PURE = {
    "full": Regularization(0.0, 0.0, "spherical"),
    "tied": Regularization(1.0, 0.0, "spherical"),
    "diag": Regularization(0.0, 1.0, "diagonal"),
    "tied_diag": Regularization(1.0, 1.0, "diagonal"),
    "spherical": Regularization(0.0, 1.0, "spherical"),
    "tied_spherical": Regularization(1.0, 1.0, "spherical"),
}
"""What `covariance` stands for."""
