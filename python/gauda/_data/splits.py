"""Splits of rows into those to learn from and those held out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_classes_left(weights: NDArray[Any], classes: NDArray[Any], number: int) -> None:
    """Refuse a split in which a class vanishes; the last ones may have no weight at all."""
    gone = np.flatnonzero(np.append(weights, np.zeros(len(classes) - len(weights))) == 0)
    if len(gone):
        raise ValueError(
            f"Class {classes[gone[0]]} has no rows to learn from in split {number}: all of them "
            "are held out. Use fewer folds, stratified ones, or leave the class out."
        )
