"""Models of few rows in the directions that they span, and of independent columns from squares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda import _core
from gauda._estimators.family import Family
from gauda._estimators.problem import Problem
from gauda._estimators.state import Deferred, Solution
from gauda._statistics.access import attribute_of, core_of, names_of
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats
from gauda.discriminant_analysis._base import wide_covariances
from gauda.discriminant_analysis._contrasts import model_of_variances

if TYPE_CHECKING:
    from gauda.discriminant_analysis._quadratic import QuadraticDiscriminantAnalysis
    from gauda.discriminant_analysis._regularized import RegularizedDiscriminantAnalysis


def solve_few_rows(qda: QuadraticDiscriminantAnalysis, problem: Problem) -> Solution:
    """Return the model of shrunk covariances; any other has been refused from counts."""
    core, estimates = core_of(problem.moments), problem.estimates
    if "diagonals" in estimates:
        shrunk = estimates["intensities"].tolist(), estimates["diagonals"]
        model = _core.wide_quadratic_standardized(
            core, *shrunk, problem.priors, qda.unbiased, qda.n_threads
        )
    else:
        mixing = 0.0, "covariance", qda.unbiased
        gammas = [float(qda.shrinkage or 0)] * len(problem.priors)
        model = _core.wide_regularized(
            core, mixing, "spherical", gammas, problem.priors, qda.tol, qda.n_threads
        )
    return Solution(model, wide_covariances(qda, problem.moments, model))


def solve_independent(
    rda: RegularizedDiscriminantAnalysis, problem: Problem, family: Family
) -> Solution:
    """Return the model of independent columns, from diagonal moments."""
    moments, priors = problem.moments, problem.priors
    core = core_of(moments)
    variances = _core.mixed_variances(core, family.mixing)
    if family.target == "spherical":
        variances = np.tile(variances.mean(axis=1, keepdims=True), moments.n_features)
    elif family.target == "identity":
        variances = np.ones_like(variances)
    if family.structure != "tied":
        model = _core.Model.naive(core, variances, priors)
    else:
        model = model_of_variances(core, variances[0], priors, rda.tol)
    kept = {"covariance_": Deferred(diagonal_covariances, moments, variances)}
    return Solution(model, kept if rda.store_covariance else {})


def solve_wide(rda: RegularizedDiscriminantAnalysis, problem: Problem, family: Family) -> Solution:
    """Return the model of few rows, in the directions that they span and their complement."""
    moments, priors = problem.moments, problem.priors
    core, mixing, target = core_of(moments), family.mixing, family.target
    gammas = np.broadcast_to(family.gamma, len(priors))
    kept: dict[str, Any] = {} if rda.shrinkage is None else {"shrinkage_": family.gamma}
    gamma = float(gammas[0])
    if family.structure == "tied" and gamma == 0:
        model = _core.Model.linear_svd(core, priors, rda.tol, rda.unbiased).model
        if rda.store_covariance:
            kept["covariance_"] = Deferred(pooled_covariances, moments, mixing)
        return Solution(model, kept)
    if family.structure == "tied":
        model = _core.wide_regularized_common(core, mixing, target, gamma, priors).model
    else:
        model = _core.wide_regularized(
            core, mixing, target, gammas.tolist(), priors, rda.tol, rda.n_threads
        )
    return Solution(model, kept | wide_covariances(rda, moments, model))


def diagonal_covariances(moments: Moments, variances: Floats) -> list[NDArray[Any]]:
    """Return covariances of independent columns."""
    return [attribute_of(moments, np.diag(row)) for row in variances]


def pooled_covariances(moments: Moments, mixing: tuple[float, str, bool]) -> list[NDArray[Any]]:
    """Return the pooled covariance, once for each class."""
    with names_of(moments).in_errors():
        found = _core.regularized_covariances(
            core_of(moments), mixing, "spherical", [0.0] * len(moments.classes)
        )
    return list(attribute_of(moments, found))
