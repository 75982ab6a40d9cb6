"""The two shares of regularized discriminant analysis, and what they leave free."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gauda._statistics.equal_covariances import box_m
from gauda._statistics.moments import Moments
from gauda._statistics.separation import validate_moments
from gauda._support.arrays import Floats

if TYPE_CHECKING:
    from gauda.discriminant_analysis._regularized import RegularizedDiscriminantAnalysis


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
        rows: Floats,
        pooling: str,
        gammas: float | Floats,
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

    def _own_shares(self, rows: Floats, pooling: str) -> Floats:
        """Return for each class the coefficient of its own covariance, before the target."""
        if self.alpha == 0:
            return np.ones(len(rows))
        pooled: Floats = rows / rows.sum()
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

TEST, TEST_LEVEL = "test", 0.1
"""What chooses between 'tied' and 'full', and the p-value of Box's M below which it is 'full'."""


def choose_structure(moments: Moments) -> str:
    """Return 'full' if Box's M rejects equal covariances, else 'tied'."""
    checked = validate_moments(moments)  # which says what the test takes
    if (checked.counts <= checked.n_features).any():
        return "tied"
    try:
        return "full" if box_m(checked).p_value < TEST_LEVEL else "tied"
    except ValueError:  # a class is too small for a covariance of its own
        return "tied"


def check_shares(self: RegularizedDiscriminantAnalysis) -> None:
    """Refuse parameters of which one leaves nothing to choose for another."""
    given = [
        f"{name}={value!r}"
        for name, value in (("alpha", self.alpha), ("gamma", self.gamma))
        if value
    ]
    if self.shrinkage is not None:
        given.append(f"shrinkage={self.shrinkage!r}")
    if self.covariance is not None and given:
        raise ValueError(
            f"covariance={self.covariance!r} leaves nothing to choose, but {given[0]} is "
            "given. Leave out one of them."
        )
    if self.shrinkage is not None and (self.gamma or self.target != "spherical"):
        raise ValueError(
            f"shrinkage={self.shrinkage!r} estimates gamma for target='spherical'. Leave gamma "
            f"and target out; they are {self.gamma} and {self.target!r}."
        )
