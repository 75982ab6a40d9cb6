"""How complex fitted models are: numbers of free parameters, pure structures, likelihoods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gauda._analysis.likelihood import NO_DENSITY
from gauda._data.columns import GAUSSIAN
from gauda._estimators.access import model_of
from gauda._estimators.gaussian import GaussianClassifier
from gauda._statistics.access import is_wide
from gauda._support.lazy import linear_model
from gauda.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    RegularizedDiscriminantAnalysisCV,
    ShrunkenCentroids,
    ShrunkenCentroidsCV,
)
from gauda.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MixedNB

COMMON, PER_CLASS, BETWEEN = "common", "per class", "between"
"""Covariances: one for all classes, one for each, or something between."""

MAX_SMOOTHING = 1e-9
"""Share of the largest variance that does not make another model."""

CORNERS = {
    (0.0, 0.0): "QDA",
    (1.0, 0.0): "LDA",
    (0.0, 1.0, "diagonal"): "GaussianNB",
    (0.0, 1.0, "spherical"): "QDA with one variance for each class",
    (1.0, 1.0, "diagonal"): "LDA with independent columns",
    (1.0, 1.0, "spherical"): "the nearest mean",
    (0.0, 1.0, "identity"): "the nearest mean with unit variances",
    (1.0, 1.0, "identity"): "the nearest mean with unit variances",
}
"""What regularized discriminant analysis is at the ends of its shares."""


TIED = LinearDiscriminantAnalysis, ShrunkenCentroids, ShrunkenCentroidsCV
"""Models with a common covariance."""


@dataclass(frozen=True)
class Complexity:
    """How many free parameters a fitted model has, and what it amounts to."""

    n_parameters: float = np.inf
    covariances: str = ""
    """`COMMON`, `PER_CLASS`, `BETWEEN`, or '' if it is not a Gaussian model."""
    same_as: str = ""
    """The simpler name of the same model."""
    remark: str = ""


def complexity(model: Any) -> Complexity:
    """Return how complex a fitted classifier is."""
    if isinstance(model, RegularizedDiscriminantAnalysis):
        return complexity_of_rda(model)
    if isinstance(model, GaussianClassifier):
        free = float(model.diagnostics().n_parameters)
        covariances = COMMON if isinstance(model, TIED) else PER_CLASS
        if isinstance(model, GaussianNB) and model.n_features_in_ == 1 and is_plain(model):
            return Complexity(free, covariances, "QDA", "one column, so this is QDA")
        return Complexity(free, covariances)
    if isinstance(model, BernoulliNB | CategoricalNB):
        return Complexity(float(model.diagnostics().n_parameters))
    if isinstance(model, MixedNB):
        return Complexity(float(mixed_parameters(model)))
    return Complexity(float(linear_parameters(model)))


def complexity_of_rda(model: Any) -> Complexity:
    """Return how complex a regularized model is, and what it is at the ends of its shares."""
    free = float(model.diagnostics().n_parameters)
    given = model.get_params()
    if given.get("shrinkage"):
        return Complexity(free, BETWEEN)
    alpha, gamma, target = shares(model)
    corner = ""
    if is_plain(model):
        own_target = model.n_features_in_ == 1 and target != "identity"  # a number is its own
        moved = 0.0 if own_target else gamma
        corner = CORNERS.get((alpha, moved)) or CORNERS.get((alpha, moved, target), "")
    setting = given.get("covariance") or f"alpha = {alpha:g}, gamma = {gamma:g}"
    return Complexity(
        free,
        {0.0: PER_CLASS, 1.0: COMMON}.get(alpha, BETWEEN),
        corner,
        f"{setting}{f', which is {corner}' if corner else ''}",
    )


def shares(model: Any) -> tuple[float, float, str]:
    """Return alpha, gamma and the target of a regularized model."""
    if isinstance(model, RegularizedDiscriminantAnalysisCV):
        return float(model.alpha_), float(model.gamma_), model.target
    if model.covariance is None:
        return float(model.alpha), float(model.gamma), model.target
    shape = model.covariance.removeprefix("tied_")
    alpha = 1.0 if model.covariance.startswith("tied") else 0.0
    if shape in {"full", "tied"}:
        return alpha, 0.0, "spherical"
    return alpha, 1.0, "diagonal" if shape == "diag" else shape


def is_plain(model: Any) -> bool:
    """Return whether a model estimates as the others do by default."""
    smoothing = getattr(model, "var_smoothing", 0.0)
    plain = model.priors is None and not model.unbiased and smoothing <= MAX_SMOOTHING
    return bool(plain and model.get_params().get("conjugate_prior") is None)


def mixed_parameters(model: MixedNB) -> int:
    """Return the free parameters of naive Bayes on mixed columns."""
    k = len(model.classes_)
    numbers: int = 2 * model.kinds_.count(GAUSSIAN)
    levels = sum(max(len(levels) - 1, 0) for levels in model.categories_.values())
    return (0 if model.priors is not None else k - 1) + k * (numbers + levels)


def linear_parameters(model: Any) -> float:
    """Return the free parameters of a linear classifier; infinity if they are not known."""
    if not (hasattr(model, "coef_") and hasattr(model, "intercept_")):
        return np.inf
    size = np.size(model.coef_) + np.size(model.intercept_)
    k = len(model.classes_)
    softmax = (
        isinstance(model, linear_model.LogisticRegression)
        and len(np.atleast_2d(model.coef_)) == k > 1
    )
    return size * (k - 1) / k if softmax else size  # only differences between classes count


def information_criterion(model: Any, rows: Any, codes: Any, weights: Any, free: float) -> float:
    """Return Schwarz's criterion of a Gaussian model, also where values were missing."""
    few = is_wide(model.moments_)  # whose covariances are no matrices
    if few and model_of(model).rank < model_of(model).n_features:
        raise ValueError(NO_DENSITY)
    diagnostics = None if few else model.diagnostics()
    if diagnostics is None or model.moments_.has_gaps:
        joint = model.predict_joint_log_proba(rows)[np.arange(len(codes)), codes]
        log_likelihood = float(np.dot(np.ones(len(codes)) if weights is None else weights, joint))
    else:
        log_likelihood = diagnostics.log_likelihood
    total = len(codes) if weights is None else weights.sum()
    return float(free * np.log(total) - 2 * log_likelihood)
