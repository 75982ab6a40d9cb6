"""Errors of the core, explained with the names of classes and columns, and with remedies."""

from gauda._support.errors import _rows, _rules  # noqa: F401 (they enter their explanations)
from gauda._support.errors._covariances import no_density, too_few_rows, too_few_rows_pooled
from gauda._support.errors._names import IsNull, Names
from gauda._support.errors._rows import non_finite
from gauda._support.errors._sums import overflow, underflow
from gauda._support.errors._types import LostDigitsError, UnknownCategoryError, UnknownColumnError

__all__ = [
    "BY_LEVELS",
    "IsNull",
    "LostDigitsError",
    "Names",
    "UnknownCategoryError",
    "UnknownColumnError",
    "no_density",
    "non_finite",
    "overflow",
    "too_few_rows",
    "too_few_rows_pooled",
    "underflow",
]

BY_LEVELS = " missing='marginalize' leaves missing values out; missing='drop' their rows."
"""Who takes missing values among discrete columns."""
