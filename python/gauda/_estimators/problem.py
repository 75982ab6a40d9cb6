"""What a Gaussian model is solved from, and how parameters say that values may be missing."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.sklearn_private import Interval, StrOptions
from gauda._estimators.learner import Estimates
from gauda._statistics.moments import Moments

Floats = NDArray[np.float64]

MISSING_CONSTRAINTS: dict[str, Any] = {
    "missing": [StrOptions({"raise", "marginalize", "propagate"})],
    "em_max_iter": [Interval(Integral, 1, None, closed="left")],
    "em_tol": [Interval(Real, 0, None, closed="left")],
    "verbose": ["boolean"],
}
"""Of the parameters that say how missing values are handled."""

OF_ROWS = frozenset({"covariances", "intensities"})
"""Estimates that moments alone do not give."""

MARGINALIZED = "Fit with missing='marginalize', which estimates by EM."


@dataclass(frozen=True)
class Problem:
    """What a model is solved from."""

    seen: Moments
    """Of the rows alone."""
    moments: Moments
    """Of rows and conjugate prior together, whose covariances are the estimates."""
    priors: Floats
    estimates: Estimates
