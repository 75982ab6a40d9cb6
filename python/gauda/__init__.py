"""Gaussian discriminant analysis with a Rust core, behind scikit-learn's interface."""

from importlib.metadata import version as _version

from gauda._classification import Classification
from gauda._loading import load
from gauda._moments import Moments
from gauda._select import select_model
from gauda._wishart import NormalInverseWishart
from gauda.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    RegularizedDiscriminantAnalysisCV,
)
from gauda.naive_bayes import GaussianNB

LDA = LinearDiscriminantAnalysis
QDA = QuadraticDiscriminantAnalysis
RDA = RegularizedDiscriminantAnalysis

__version__ = _version("gauda")

__all__ = [
    "LDA",
    "QDA",
    "RDA",
    "Classification",
    "GaussianNB",
    "LinearDiscriminantAnalysis",
    "Moments",
    "NormalInverseWishart",
    "QuadraticDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysisCV",
    "load",
    "select_model",
]
