"""Priors given by the user."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_prior_count(priors: NDArray[Any], n_classes: int) -> None:
    """Refuse priors that are not one number for each class."""
    if priors.shape != (n_classes,):
        raise ValueError(
            "Number of priors must match number of classes. Got priors of shape "
            f"{priors.shape} for {n_classes} classes."
        )


def check_prior_sum(priors: NDArray[Any]) -> None:
    """Refuse priors that cannot be normalised."""
    total = priors.sum()
    if not (np.isfinite(total) and total > 0):
        raise ValueError(f"priors must be finite and not all 0. Got {priors}.")
