"""Gaussian discriminant analysis with a Rust core, behind scikit-learn's interface."""

from importlib.metadata import version as _version

from gauda._scoring.answers import Classification
from gauda._statistics.conjugate_prior import NormalInverseWishart
from gauda._statistics.counts import Counts
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.moments import Moments
from gauda._storage.loading import load
from gauda.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    RegularizedDiscriminantAnalysisCV,
)
from gauda.model_selection import select_model
from gauda.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MixedNB

LDA = LinearDiscriminantAnalysis
QDA = QuadraticDiscriminantAnalysis
RDA = RegularizedDiscriminantAnalysis

__version__ = _version("gauda")

__all__ = [
    "LDA",
    "QDA",
    "RDA",
    "BernoulliNB",
    "CategoricalNB",
    "Classification",
    "Counts",
    "GaussianNB",
    "LinearDiscriminantAnalysis",
    "MixedNB",
    "MixedStatistics",
    "Moments",
    "NormalInverseWishart",
    "QuadraticDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysisCV",
    "load",
    "select_model",
]
