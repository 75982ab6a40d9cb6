"""Gaussian discriminant analysis with a Rust core, behind scikit-learn's interface."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gauda._public import *

    __version__: str

__all__ = [
    "LDA",
    "QDA",
    "RDA",
    "AdaptedPriors",
    "BernoulliNB",
    "Boundary",
    "BoxM",
    "Candidate",
    "CategoricalNB",
    "Classification",
    "ColumnImportance",
    "ComplementNB",
    "Contrast",
    "Counts",
    "Diagnostics",
    "DiscreteDiagnostics",
    "Discriminants",
    "Explanation",
    "GaussianNB",
    "HeldOut",
    "LinearDiscriminantAnalysis",
    "LostDigitsError",
    "MixedNB",
    "MixedStatistics",
    "Moments",
    "MultinomialNB",
    "NormalInverseWishart",
    "QuadraticDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysisCV",
    "Selection",
    "SeparationTests",
    "ShrunkenCentroids",
    "ShrunkenCentroidsCV",
    "Summary",
    "ThresholdPath",
    "TopK",
    "UnknownCategoryError",
    "UnknownColumnError",
    "load",
    "select_model",
]

LOADED_WITH_NAMES = ("discriminant_analysis", "model_selection", "naive_bayes", "typing")
"""Modules that need no import of their own."""


def __getattr__(name: str) -> Any:
    """Load the library when it is first asked for something: scikit-learn takes its time."""
    if name == "__version__":
        return version("gauda")
    if name in LOADED_WITH_NAMES:
        return import_module(f"gauda.{name}")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    public = import_module("gauda._public")
    globals().update({known: getattr(public, known) for known in __all__})
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *LOADED_WITH_NAMES, "__version__"})
