"""Priors: the proportions of the data, or what the user gave."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._moments import Moments


def given_or_proportions(priors: Any, moments: Moments) -> NDArray[np.float64]:
    """Return a copy of the given priors, one for each class, or the proportions of the data."""
    weights = moments.counts
    if not weights.any():
        raise ValueError("sample_weight is 0 for every row; at least one must be positive.")
    if priors is None:
        proportions: NDArray[np.float64] = weights / weights.sum()
        return proportions
    given = np.array(priors, dtype=np.float64)
    if given.shape != weights.shape:
        raise ValueError(
            "Number of priors must match number of classes. Got priors of shape "
            f"{given.shape} for {len(weights)} classes."
        )
    return given


def normalised(priors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the priors divided by their sum."""
    total = priors.sum()
    if not (np.isfinite(total) and total > 0):
        raise ValueError(f"priors must be finite and not all 0. Got {priors}.")
    scaled: NDArray[np.float64] = priors / total
    return scaled
