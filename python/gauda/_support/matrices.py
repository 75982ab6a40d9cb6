"""Matrices of columns by columns, refused where columns are too many for them."""

from __future__ import annotations

MAX_BYTES = 1 << 29
"""What matrices may take that are made for a question only, as in the core."""


def check_room(what: str, n_features: int, count: int) -> None:
    """Refuse so many matrices of n_features x n_features if they would take too much memory."""
    size = count * n_features * n_features * 8
    if size > MAX_BYTES:
        raise MemoryError(
            f"{what} of {n_features} columns take {size} bytes, and must take at most {MAX_BYTES}. "
            "Take some columns, as model.marginal([0, 1]), or columns that are independent."
        )
