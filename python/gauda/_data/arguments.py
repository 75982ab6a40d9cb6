"""Numbers that methods take besides data, checked."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

NUMBERS = (int, float, np.integer, np.floating)

MAX_THREADS = 1 << 16


def is_whole(value: Any) -> bool:
    """Return whether a value is an integer, and not a boolean."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_threads(n_threads: Any) -> None:
    """Refuse what cannot be a number of threads."""
    if n_threads is not None and not (is_whole(n_threads) and n_threads >= 1):
        raise ValueError(f"n_threads must be at least 1, or None for all; got {n_threads!r}.")
    if n_threads is not None and n_threads > MAX_THREADS:
        raise ValueError(f"n_threads must be at most {MAX_THREADS}; got {n_threads!r}.")


def check_forget(forget: Any) -> None:
    """Refuse what the weight of earlier rows cannot be multiplied by."""
    a_factor = isinstance(forget, NUMBERS) and not isinstance(forget, bool) and 0 <= forget <= 1
    if not a_factor:
        raise ValueError(
            f"forget must be a factor from 0, which forgets all earlier rows, to 1, which forgets "
            f"none; got {forget!r}. To give new rows more weight, use sample_weight."
        )
