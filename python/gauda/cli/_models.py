"""The models that the shell fits, by the names that it has for them."""

from __future__ import annotations

from gauda import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)
from gauda._estimators.classifier import GaussianClassifier

MODELS: dict[str, type[GaussianClassifier]] = {
    "qda": QuadraticDiscriminantAnalysis,
    "lda": LinearDiscriminantAnalysis,
    "rda": RegularizedDiscriminantAnalysis,
    "gnb": GaussianNB,
}
