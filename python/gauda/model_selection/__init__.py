"""Comparison of classifiers on the same folds with a word of advice, choice of columns, and folds.

It uses the estimators of `discriminant_analysis` and `naive_bayes`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gauda._data.hashed_folds import HashedKFold
from gauda.model_selection._select import select_model
from gauda.model_selection._selection import Candidate, HeldOut, Selection
from gauda.model_selection._steps import Step

if TYPE_CHECKING:
    from gauda.model_selection._column_selector import ColumnSelector

__all__ = [
    "Candidate",
    "ColumnSelector",
    "HashedKFold",
    "HeldOut",
    "Selection",
    "Step",
    "select_model",
]


def __getattr__(name: str) -> Any:
    """Load the selector, which takes scikit-learn's feature selection, when it is asked for."""
    if name != "ColumnSelector":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module("gauda.model_selection._column_selector").ColumnSelector
