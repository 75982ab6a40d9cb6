"""The three solvers of linear discriminant analysis: from moments to axes and linear functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda import _core
from gauda._analysis.covariances import estimated_by_class, shrink
from gauda._estimators.problem import Problem
from gauda._estimators.state import Solution
from gauda._statistics.access import attribute_of, core_of, total_of
from gauda._statistics.moments import Moments

if TYPE_CHECKING:
    from gauda.discriminant_analysis._linear import LinearDiscriminantAnalysis

Matrix = NDArray[np.float64]
Solved = tuple[_core.LinearFit, dict[str, Any]]


def solve(lda: LinearDiscriminantAnalysis, problem: Problem) -> Solution:
    """Return the model, and the attributes that its solver gives."""
    moments = problem.moments
    max_components = components(lda, len(moments.classes), moments.n_features)
    solvers = {"svd": solve_svd, "lsqr": solve_lsqr, "eigen": solve_eigen}
    fit, solved = solvers[lda.solver](lda, problem)
    solved |= {
        "_max_components": max_components,
        "_n_features_out": max_components,
        "coef_": attribute_of(moments, fit.coefficients),
        "intercept_": attribute_of(moments, fit.intercepts),
    }
    if lda.solver != "lsqr":
        solved |= axes_of(fit, max_components, moments)
    return Solution(fit.model, solved)


def solve_svd(lda: LinearDiscriminantAnalysis, problem: Problem) -> Solved:
    moments, priors = problem.moments, problem.priors
    fit = _core.Model.linear_svd(
        core_of(moments), priors, lda.tol, lda.unbiased, components_scored(lda, moments)
    )
    center = core_of(moments).mean_of_means(priors)
    solved = {"_center": center, "xbar_": attribute_of(moments, center)}
    if lda.store_covariance:
        solved["covariance_"] = corrected(lda, within(lda, problem), moments)
    return fit, solved


def solve_lsqr(lda: LinearDiscriminantAnalysis, problem: Problem) -> Solved:
    covariance = corrected(lda, within(lda, problem), problem.moments)
    fit = _core.Model.linear_lsqr(core_of(problem.moments), covariance, problem.priors)
    return fit, {"covariance_": covariance}


def solve_eigen(lda: LinearDiscriminantAnalysis, problem: Problem) -> Solved:
    moments, own = problem.moments, within(lda, problem)
    between = total(lda, problem) - own
    covariance = corrected(lda, own, moments)
    fit = _core.Model.linear_eigen(
        core_of(moments), covariance, between, problem.priors, components_scored(lda, moments)
    )
    return fit, {"covariance_": covariance, "_center": np.zeros(moments.n_features)}


def within(lda: LinearDiscriminantAnalysis, problem: Problem) -> Matrix:
    """Return the class covariances weighted by the priors, with divisors n_k."""
    moments = problem.moments
    if moments.structure == "tied":
        return shrink(core_of(moments).pooled_covariance(), lda.shrinkage)
    if "covariances" in problem.estimates:
        covariances = estimated_by_class(moments, problem.estimates, unbiased=False)
    else:
        covariances = shrink(core_of(moments).class_covariances(unbiased=False), lda.shrinkage)
    mixture: Matrix = np.tensordot(problem.priors, covariances, axes=1)
    return mixture


def total(lda: LinearDiscriminantAnalysis, problem: Problem) -> Matrix:
    """Return the covariance of all rows, estimated as those of the classes are."""
    if "total" in problem.estimates:
        return np.asarray(problem.estimates["total"])
    whole = core_of(total_of(problem.moments)).class_covariances(unbiased=False)
    return np.asarray(shrink(whole, lda.shrinkage)[0])


def corrected(lda: LinearDiscriminantAnalysis, covariance: Matrix, moments: Moments) -> Matrix:
    if lda.unbiased and moments.structure != "diag":  # others' estimators have divisors
        return covariance * core_of(moments).pooled_correction()
    return covariance


def components(lda: LinearDiscriminantAnalysis, n_classes: int, n_features: int) -> int:
    most = min(n_classes - 1, n_features)
    if lda.n_components is None:
        return most
    if lda.n_components > most:
        raise ValueError("n_components cannot be larger than min(n_features, n_classes - 1).")
    return lda.n_components


def components_scored(lda: LinearDiscriminantAnalysis, moments: Moments) -> int | None:
    """Return how many axes the scores are limited to, if they are."""
    if not lda.reduced_rank:
        return None
    return components(lda, len(moments.classes), moments.n_features)


def axes_of(fit: _core.LinearFit, max_components: int, moments: Moments) -> dict[str, Any]:
    """Return the discriminant axes as attributes."""
    axes = np.ascontiguousarray(fit.axes[:, :max_components])
    total = fit.between.sum()
    ratio = fit.between / total if total > 0 else np.zeros_like(fit.between)
    return {
        "_axes": axes,
        "_n_features_out": axes.shape[1],
        "scalings_": attribute_of(moments, fit.axes),
        "explained_variance_ratio_": attribute_of(moments, ratio[:max_components]),
    }
