"""Box's M test of equal covariances, and the directions in which the rows of classes vary."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.linalg import matrix_rank, slogdet

from gauda._statistics.tails import chi2_tail
from gauda._support.arrays import Floats, Indices

if TYPE_CHECKING:
    from gauda._statistics.moments import Moments


class BoxM(NamedTuple):
    """Box's M test of equal covariances, with the chi-squared approximation."""

    statistic: float
    """M times Box's correction."""
    df: int
    """Degrees of freedom."""
    p_value: float
    """Probability of a larger statistic if covariances are equal and rows Gaussian."""

    @property
    def log_p_value(self) -> float:
        """Logarithm of `p_value`, also where that underflows."""
        return float(chi2_tail(self.statistic, self.df).log_p_value)


def box_m(moments: Moments) -> BoxM:
    """Test whether the covariances of classes are equal."""
    if moments.structure != "full":
        raise ValueError(needs_full("Box's M", moments))
    moments = moments._with_classes(moments.counts > 0)
    counts, d, k = moments.counts, moments.n_features, len(moments.classes)
    if k == 1:
        raise ValueError("Box's M needs at least two classes with rows.")
    freedom = counts - 1
    few = freedom < d
    if not few.any():
        few = ranks(moments) < d
    if few.any():
        raise ValueError(
            f"Box's M needs rows in each class that vary in all {d} columns, but the covariance of "
            f"class {moments.classes[few][0]} is singular."
        )
    scatter = moments.scatter
    own = slogdet(scatter / freedom[:, np.newaxis, np.newaxis])[1]
    pooled = slogdet(scatter.sum(axis=0) / freedom.sum())[1]
    m = freedom.sum() * pooled - freedom @ own
    excess = (1 / freedom).sum() - 1 / freedom.sum()
    correction = 1 - excess * (2 * d * d + 3 * d - 1) / (6 * (d + 1) * (k - 1))
    df = d * (d + 1) * (k - 1) // 2
    statistic = float(m * correction)
    return BoxM(statistic, df, float(chi2_tail(statistic, df).p_value))


def needs_full(what: str, moments: Moments) -> str:
    """Return what to do if moments hold too little."""
    tied = "fit with store_covariance=True, or " if moments.structure == "tied" else ""
    return (
        f"{what} needs more than {moments.structure!r} moments: {tied}use "
        "diagnostics(Moments.from_data(X, y))."
    )


def ranks(moments: Moments) -> Indices:
    """Return for each class the number of directions in which its rows vary."""
    scatter = moments._core.scatter
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
