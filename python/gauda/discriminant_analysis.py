"""Discriminant analyses, linear and quadratic ones under the names of scikit-learn's module."""

from gauda._lda import LinearDiscriminantAnalysis
from gauda._qda import QuadraticDiscriminantAnalysis
from gauda._rda import RegularizedDiscriminantAnalysis
from gauda._rda_cv import RegularizedDiscriminantAnalysisCV

__all__ = [
    "LinearDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysisCV",
]
