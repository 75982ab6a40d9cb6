"""All that is public, in one place: what `gauda` shows when it is first asked for a name."""

from gauda._analysis.boundary import Boundary, Discriminants
from gauda._analysis.contrast import Contrast, Explanation
from gauda._analysis.diagnostics import Diagnostics
from gauda._analysis.discrete_diagnostics import DiscreteDiagnostics
from gauda._analysis.importance import ColumnImportance
from gauda._analysis.summary import Summary
from gauda._estimators.decisions import AdaptedPriors
from gauda._scoring.answers import Classification, TopK
from gauda._statistics.conjugate_prior import NormalInverseWishart
from gauda._statistics.counts import Counts
from gauda._statistics.equal_covariances import BoxM
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.moments import Moments
from gauda._statistics.separation_tests import SeparationTests
from gauda._storage.loading import load
from gauda._support.errors import LostDigitsError, UnknownCategoryError, UnknownColumnError
from gauda.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    RegularizedDiscriminantAnalysisCV,
    ShrunkenCentroids,
    ShrunkenCentroidsCV,
    ThresholdPath,
)
from gauda.model_selection import Candidate, HeldOut, Selection, select_model
from gauda.naive_bayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MixedNB,
    MultinomialNB,
)

LDA = LinearDiscriminantAnalysis
QDA = QuadraticDiscriminantAnalysis
RDA = RegularizedDiscriminantAnalysis

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
