"""Discriminant analyses, linear and quadratic ones under the names of scikit-learn's module.

It uses `_estimators` and the rooms before that, and never `naive_bayes`.
"""

from gauda.discriminant_analysis._centroids import ShrunkenCentroids, ThresholdPath
from gauda.discriminant_analysis._centroids_cv import ShrunkenCentroidsCV
from gauda.discriminant_analysis._linear import LinearDiscriminantAnalysis
from gauda.discriminant_analysis._quadratic import QuadraticDiscriminantAnalysis
from gauda.discriminant_analysis._regularized import RegularizedDiscriminantAnalysis
from gauda.discriminant_analysis._regularized_cv import RegularizedDiscriminantAnalysisCV

__all__ = [
    "LinearDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysisCV",
    "ShrunkenCentroids",
    "ShrunkenCentroidsCV",
    "ThresholdPath",
]
