"""The models that the shell fits, by the names that it has for them."""

from __future__ import annotations

from gauda._estimators.gaussian import GaussianClassifier
from gauda.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)
from gauda.naive_bayes import GaussianNB

MODELS: dict[str, type[GaussianClassifier]] = {
    "qda": QuadraticDiscriminantAnalysis,
    "lda": LinearDiscriminantAnalysis,
    "rda": RegularizedDiscriminantAnalysis,
    "gnb": GaussianNB,
}
