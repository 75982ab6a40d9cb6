"""Linear and quadratic discriminant analysis, under the names of scikit-learn's module."""

from gauda._lda import LinearDiscriminantAnalysis
from gauda._qda import QuadraticDiscriminantAnalysis

__all__ = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]
