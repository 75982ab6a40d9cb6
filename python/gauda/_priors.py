"""Priors given by the user."""

from typing import Any

from numpy.typing import NDArray


def check_prior_count(priors: NDArray[Any], n_classes: int) -> None:
    """Refuse priors that are not one number for each class."""
    if priors.shape != (n_classes,):
        raise ValueError(
            "Number of priors must match number of classes. Got priors of shape "
            f"{priors.shape} for {n_classes} classes."
        )
