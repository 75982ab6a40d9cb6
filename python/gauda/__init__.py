"""Gaussian discriminant analysis with a Rust core, behind scikit-learn's interface."""

from importlib.metadata import version as _version

from gauda._classification import Classification
from gauda._loading import load
from gauda._moments import Moments
from gauda._wishart import NormalInverseWishart
from gauda.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from gauda.naive_bayes import GaussianNB

LDA = LinearDiscriminantAnalysis
QDA = QuadraticDiscriminantAnalysis

__version__ = _version("gauda")

__all__ = [
    "LDA",
    "QDA",
    "Classification",
    "GaussianNB",
    "LinearDiscriminantAnalysis",
    "Moments",
    "NormalInverseWishart",
    "QuadraticDiscriminantAnalysis",
    "load",
]
