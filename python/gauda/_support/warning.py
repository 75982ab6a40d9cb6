"""Warnings that point at the line which called gauda, however deep inside they are given."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import sklearn

INSIDE = tuple(
    f"{folder}{os.sep}"
    for folder in (Path(__file__).parents[1], Path(str(sklearn.__file__)).parent)
)
"""Where files lie whose lines the user did not write; scikit-learn's decorators call us."""


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Give a warning at the innermost line outside of gauda and scikit-learn."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
