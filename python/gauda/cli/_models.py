"""The models that the shell fits, by the names that they have for it."""

from __future__ import annotations

from gauda import discriminant_analysis, naive_bayes
from gauda._estimators.gaussian import GaussianClassifier

MODELS: dict[str, type[GaussianClassifier]] = {
    own.shell_name: own
    for package in (discriminant_analysis, naive_bayes)
    for own in vars(package).values()
    if isinstance(own, type) and issubclass(own, GaussianClassifier) and own.shell_name
}
