"""A conjugate prior on mean and covariance, for classes of few rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gauda import _core
from gauda._data.arguments import NUMBERS
from gauda._statistics.moments import Moments
from gauda._storage.json_values import record
from gauda._support.arrays import Floats

EMPIRICAL_KAPPA = 0.01


ROUNDING = 1e-10
"""What may be missing of a semidefinite matrix on the scale of correlations."""


@record
@dataclass(frozen=True, eq=False)
class NormalInverseWishart:
    """Normal-inverse-Wishart prior: Sigma ~ IW(scale, nu), mu given Sigma ~ N(mean, Sigma / kappa).

    Estimates become those of largest posterior density of mu and Sigma together. In a class of n
    rows with mean m and scatter S (sums of squares and products about m), in d columns:

        mu    = (kappa mean + n m) / (kappa + n)
        Sigma = (scale + S + kappa n / (kappa + n) (m - mean) (m - mean)') / (nu + n + d + 2)

    A covariance common to K classes is estimated from all of them, with the divisor
    nu + n + d + 1 + K. For naive Bayes each column has its own part of the prior: d = 1, nu less
    d - 1. Class proportions count rows only.

    Parameters
    ----------
    mean : array-like of shape (n_features,)
        Where the class means are expected.

    kappa : float
        Weight of `mean`, in rows; above 0.

    scale : array-like of shape (n_features, n_features)
        Scatter that is added to each class's.

    nu : float
        Degrees of freedom; above n_features - 1.

    See Also
    --------
    QuadraticDiscriminantAnalysis : Takes it as `conjugate_prior`, or 'empirical'.

    Examples
    --------
    >>> import numpy as np
    >>> from gauda import QDA, NormalInverseWishart
    >>> prior = NormalInverseWishart(mean=[0, 0], kappa=0.1, scale=10 * np.eye(2), nu=4)
    >>> QDA(conjugate_prior=prior).fit([[1, 2], [2, 1], [5, 5]], [0, 0, 1]).predict([[4, 4]])
    array([1])
    """

    mean: ArrayLike
    kappa: float
    scale: ArrayLike
    nu: float

    @classmethod
    def empirical(cls, moments: Moments) -> NormalInverseWishart:
        """Return the prior whose mode is the pooled covariance about the mean of all rows.

        It weighs as much as 2 d + 4 rows (nu = d + 2), and the mean a hundredth of one: classes of
        few rows get nearly the common covariance, those of many nearly their own.

        Parameters
        ----------
        moments : Moments
            Of the rows that the prior is built from.

        Returns
        -------
        NormalInverseWishart
            What `conjugate_prior='empirical'` stands for.

        Examples
        --------
        >>> from gauda import Moments, NormalInverseWishart
        >>> moments = Moments.from_data([[0.0], [2.0], [5.0], [9.0]], ["a", "a", "b", "b"])
        >>> NormalInverseWishart.empirical(moments).scale
        array([[15.]])
        """
        total, d = moments.counts.sum(), moments.n_features
        if not total > 0:
            raise ValueError("conjugate_prior='empirical' needs rows; there are none yet.")
        scatter = moments.scatter
        pooled = {
            "tied": scatter,
            "full": scatter.sum(axis=0),
            "diag": np.diag(scatter.sum(axis=0)),
        }
        together = 1 if moments.structure == "diag" else d
        if moments.structure == "diag":  # of values that are there
            seen = moments.observed_counts.sum(axis=0)
            total = np.diag(np.where(seen > 0, seen, 1.0)) + (1 - np.eye(d))
        with np.errstate(over="ignore"):
            scale = (2 * together + 4) * pooled[moments.structure] / total
        if not np.isfinite(scale).all():
            raise ValueError(
                "The values of X are too large for conjugate_prior='empirical': its scale "
                "overflows a double. Rescale the columns."
            )
        return cls(moments._total().means[0], EMPIRICAL_KAPPA, scale, nu=d + 2.0)

    def update(self, moments: Moments) -> Moments:
        """Return moments with the prior's pseudo-rows, whose covariances are the estimates."""
        mean, scale = self._validate(moments.n_features)
        core, n_classes = moments._core, len(moments.classes)
        if moments.structure == "diag":
            scale = np.diag(scale)[np.newaxis]
        copies = 1 if moments.structure == "tied" else n_classes
        prior = _core.Moments(
            moments.structure,
            [0] * n_classes,
            np.full(n_classes, float(self.kappa)),
            np.tile(mean, (n_classes, 1)),
            np.zeros((n_classes, len(mean))),
            np.tile(scale, (copies, 1, 1)),
        )
        parts = core.merge(prior).parts
        parts["scatter"] *= self._factors(moments, float(self.kappa))
        joined = _core.Moments(**parts)
        return replace(moments, _core=joined)

    def _factors(self, moments: Moments, kappa: float) -> Floats:
        """Return for each scatter the weight, by which it will be divided, over the divisor."""
        d, counts = moments.n_features, moments.counts
        if moments.structure == "tied":
            divisor = self.nu + counts.sum() + d + 1 + len(counts)
            return np.array((counts + kappa).sum() / divisor)
        if moments.structure == "diag":
            seen = moments.observed_counts[:, np.newaxis]
            return np.asarray((seen + kappa) / (self.nu + seen + 4 - d))
        return np.asarray((counts + kappa) / (self.nu + counts + d + 2))[:, np.newaxis, np.newaxis]

    def _validate(self, n_features: int) -> tuple[Floats, Floats]:
        """Return mean and scale as arrays; refuse what cannot be a prior on so many columns."""
        mean = np.asarray(self.mean, dtype=np.float64)
        scale = np.asarray(self.scale, dtype=np.float64)
        if mean.shape != (n_features,) or scale.shape != (n_features, n_features):
            raise ValueError(
                f"conjugate_prior: for {n_features} features mean must have shape ({n_features},) "
                f"and scale ({n_features}, {n_features}); got {mean.shape} and {scale.shape}."
            )
        if not (np.isfinite(mean).all() and np.isfinite(scale).all()):
            raise ValueError("conjugate_prior: mean and scale must be finite.")
        if not np.allclose(scale, scale.T, rtol=1e-10, atol=0):
            raise ValueError("conjugate_prior: scale must be symmetric.")
        if not is_semidefinite(scale):
            raise ValueError("conjugate_prior: scale must be positive semidefinite.")
        check_above("kappa", self.kappa, 0)
        check_above("nu", self.nu, n_features - 1)
        return mean, scale

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NormalInverseWishart):
            return NotImplemented
        ours = (self.mean, self.kappa, self.scale, self.nu)
        theirs = (other.mean, other.kappa, other.scale, other.nu)
        return all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))

    __hash__ = None  # type: ignore[assignment] # equal priors need not be the same


def is_semidefinite(matrix: Floats) -> bool:
    """Tell whether a symmetric matrix is that of some scatter, up to rounding."""
    squares = np.diag(matrix)
    if (squares < 0).any():
        return False
    units = np.sqrt(np.where(squares > 0, squares, 1.0))
    try:
        np.linalg.cholesky(matrix / np.outer(units, units) + ROUNDING * np.eye(len(matrix)))
    except np.linalg.LinAlgError:
        return False
    return True


def check_above(name: str, value: Any, bound: float) -> None:
    """Refuse what is not a finite number above a bound."""
    if not (isinstance(value, NUMBERS) and bound < value < np.inf):
        raise ValueError(
            f"conjugate_prior: {name} must be a finite number above {bound}; got {value!r}."
        )
