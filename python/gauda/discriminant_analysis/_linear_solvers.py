"""The three solvers of linear discriminant analysis: from moments to axes and linear functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gauda import _core
from gauda._analysis.covariances import (
    are_estimated,
    covariances_of_estimates,
    estimate_of_classes,
    estimate_with,
    ledoit_wolf,
    ledoit_wolf_of_moments,
    shrink,
)
from gauda._data.training import LabeledRows
from gauda._estimators.gaussian import GaussianClassifier
from gauda._estimators.problem import Problem, holds_doubles
from gauda._estimators.state import Current, Deferred, FitState, LazyAttributes, Solution
from gauda._statistics.access import (
    attribute_of,
    core_of,
    is_wide,
    moments_of,
    names_of,
    total_of,
    with_core,
)
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats
from gauda._support.errors import too_few_rows_pooled

if TYPE_CHECKING:
    from gauda.discriminant_analysis._linear import LinearDiscriminantAnalysis


SCATTERS = "scatters"
"""What the estimates of a fit call the scatters of the classes."""

Solved = tuple[_core.LinearFit, dict[str, Any]]


def estimate_covariances(
    lda: LinearDiscriminantAnalysis, data: LabeledRows, moments: Moments
) -> dict[str, Floats]:
    """Return covariances that take the rows to estimate: of the classes, and of all rows."""
    found = estimate_of_classes(lda, data, moments, matrices=lda.solver == "eigen")
    if found and lda.solver == "eigen":
        if lda.covariance_estimator is not None:
            found["total"] = estimate_with(data, lda.covariance_estimator)
        else:
            found["total"] = ledoit_wolf(data.as_one_class(), total_of(moments))[0]
    return found


def learned_state(self: LinearDiscriminantAnalysis, data: LabeledRows) -> FitState:
    """Return the state of a fit to all rows, with the scatter of each class where it costs little.

    The model takes one scatter for all; with those of the classes Box's M can be told.
    """
    sizes = len(data.rows), len(data.classes), data.n_features
    pools = self.missing != "marginalize" and self._structure() == "tied"
    if not (pools and _core.Moments.sums_by_class(*sizes)):
        return GaussianClassifier._learned_state(self, data)
    self._check_size(len(data.classes), len(data.rows))
    try:
        by_class = moments_of(data, "full")
    except ValueError:  # all classes together may be summed up all the same
        return GaussianClassifier._learned_state(self, data)
    core = core_of(by_class)
    return self._state_of(with_core(by_class, core.to("tied")), {SCATTERS: core.scatter})


def moments_by_class(self: LinearDiscriminantAnalysis, state: Current | FitState) -> Moments:  # noqa: ARG001 (a method)
    """Return moments with the scatter of each class, if the fit has kept it; else those seen."""
    moments: Moments = state.statistics
    if SCATTERS not in state.estimates:
        return moments
    core, scatters = core_of(moments), state.estimates[SCATTERS]
    numbers = core.rows.tolist(), core.weights, core.shift, core.offset
    return with_core(moments, _core.Moments("full", *numbers, np.asarray(scatters)))


def removable_moments(
    self: LinearDiscriminantAnalysis, data: LabeledRows, seen: Moments, priors: Floats | None
) -> Moments:
    """Return moments that rows can be taken out of while these priors stay.

    Then they weight the covariances of the classes, so each of these is needed.
    """
    by_class = self.solver != "svd" and priors is not None and self.conjugate_prior is None
    if not by_class or seen.structure == "full":
        return seen
    if data.n_counted != seen.n_rows:
        raise ValueError(
            f"With solver={self.solver!r} priors weight the covariances of the classes, which "
            f"a model fitted without priors does not keep. Pass all {seen.n_rows} rows of "
            f"the fit, not {data.n_counted}, or use refit_priors=True."
        )
    return moments_of(data, "full").widen(seen.classes)


def solve(lda: LinearDiscriminantAnalysis, problem: Problem) -> Solution:
    """Return the model, and the attributes that its solver gives."""
    moments = problem.moments
    max_components = count_components(lda, len(moments.classes), moments.n_features)
    fit, solved = SOLVERS[lda.solver](lda, problem)
    found = LazyAttributes(attributes_of, lda, problem, fit, max_components, solved)
    later = holds_doubles(lda, moments)
    return Solution(fit.model, found if later else dict(found))


def attributes_of(
    lda: LinearDiscriminantAnalysis,
    problem: Problem,
    fit: _core.LinearFit,
    max_components: int,
    solved: dict[str, Any],
) -> dict[str, Any]:
    """Return all attributes that a solver gives."""
    moments = problem.moments
    found = solved | {
        "_max_components": max_components,
        "_n_features_out": max_components,
        "coef_": attribute_of(moments, fit.coefficients),
        "intercept_": attribute_of(moments, fit.intercepts),
    }
    if lda.solver == "svd":
        center = core_of(moments).mean_of_means(problem.priors)
        found |= {"_center": center, "xbar_": attribute_of(moments, center)}
    if lda.solver != "lsqr":
        found |= axes_of(fit, max_components, moments)
    return found


def solve_svd(lda: LinearDiscriminantAnalysis, problem: Problem) -> Solved:
    moments = problem.moments
    scored = count_scored_components(lda, moments)
    core = core_of(moments)
    fit = _core.Model.linear_svd(core, problem.priors, lda.tol, lda.unbiased, scored)
    if not lda.store_covariance:
        return fit, {}
    if is_wide(moments):
        return fit, {"covariance_": Deferred(given_covariance, lda, problem)}
    return fit, {"covariance_": given_covariance(lda, problem)}


def solve_lsqr(lda: LinearDiscriminantAnalysis, problem: Problem) -> Solved:
    if is_wide(problem.moments):
        return solve_wide(lda, problem, with_axes=False)
    covariance = correct_bias(lda, within(lda, problem), problem.moments)
    fit = _core.Model.linear_lsqr(core_of(problem.moments), covariance, problem.priors)
    return fit, {"covariance_": covariance}


def solve_eigen(lda: LinearDiscriminantAnalysis, problem: Problem) -> Solved:
    if is_wide(problem.moments) and "covariances" not in problem.estimates:
        fit, solved = solve_wide(lda, problem, with_axes=True)
        return fit, solved | {"_center": np.zeros(problem.moments.n_features)}
    moments, own = problem.moments, within(lda, problem)
    between = total(lda, problem) - own
    covariance = correct_bias(lda, own, moments)
    fit = _core.Model.linear_eigen(
        core_of(moments), covariance, between, problem.priors, count_scored_components(lda, moments)
    )
    return fit, {"covariance_": covariance, "_center": np.zeros(moments.n_features)}


SOLVERS = {"svd": solve_svd, "lsqr": solve_lsqr, "eigen": solve_eigen}


def solve_wide(lda: LinearDiscriminantAnalysis, problem: Problem, *, with_axes: bool) -> Solved:
    """Solve from few rows, in the directions that they span and their complement."""
    moments, priors, estimates = problem.moments, problem.priors, problem.estimates
    core = core_of(moments)
    if "diagonals" in estimates:
        shrunk = estimates["intensities"].tolist(), estimates["diagonals"]
        fit = _core.wide_linear_standardized(core, *shrunk, priors, lda.unbiased)
    elif lda.shrinkage:
        scored = count_scored_components(lda, moments) if with_axes else None
        share = float(lda.shrinkage)
        fit = _core.wide_linear_shrunk(core, priors, share, lda.unbiased, with_axes, scored)
    elif with_axes:
        raise too_few_rows_pooled(lda, moments.n_rows, len(moments.classes), moments.n_features)
    else:
        fit = _core.wide_linear_lsqr(core, priors, lda.unbiased)
    if fit.model.is_wide:
        return fit, {"covariance_": Deferred(covariance_of, moments, fit.model)}
    return fit, {"covariance_": Deferred(given_covariance, lda, problem)}


def covariance_of(moments: Moments, model: _core.Model) -> Floats:
    """Return the common covariance of a model of wide data."""
    with names_of(moments).in_errors():
        covariance: Floats = model.wide_covariances()[0]
    return covariance


def given_covariance(lda: LinearDiscriminantAnalysis, problem: Problem) -> Floats:
    """Return the common covariance, with the divisors that were asked for."""
    with names_of(problem.moments).in_errors():
        return correct_bias(lda, within(lda, problem), problem.moments)


def within(lda: LinearDiscriminantAnalysis, problem: Problem) -> Floats:
    """Return the class covariances weighted by the priors, with divisors n_k."""
    moments = problem.moments
    if moments.structure == "tied":
        return shrink(core_of(moments).pooled_covariance(), lda.shrinkage)
    if are_estimated(lda, problem.estimates):
        covariances = covariances_of_estimates(moments, problem.estimates, unbiased=False)
    else:
        covariances = shrink(core_of(moments).class_covariances(unbiased=False), lda.shrinkage)
    mixture: Floats = np.tensordot(problem.priors, covariances, axes=1)
    return mixture


def common_covariance(lda: LinearDiscriminantAnalysis, problem: Problem) -> Floats:
    """Return the covariance that all classes share, with divisors n_k."""
    moments = problem.moments
    if lda.solver == "svd" and moments.structure == "full":
        pooled: Floats = moments.scatter.sum(axis=0) / moments.counts.sum()
        return pooled
    return within(lda, problem)


def total(lda: LinearDiscriminantAnalysis, problem: Problem) -> Floats:
    """Return the covariance of all rows, estimated as those of the classes are."""
    if "total" in problem.estimates:
        return np.asarray(problem.estimates["total"])
    if isinstance(lda.shrinkage, str):
        shrunk: Floats = ledoit_wolf_of_moments(total_of(problem.moments))[0]
        return shrunk
    whole = core_of(total_of(problem.moments)).class_covariances(unbiased=False)
    return np.asarray(shrink(whole, lda.shrinkage)[0])


def correct_bias(lda: LinearDiscriminantAnalysis, covariance: Floats, moments: Moments) -> Floats:
    if lda.unbiased and moments.structure != "diag":  # others' estimators have divisors
        return covariance * core_of(moments).pooled_correction()
    return covariance


def count_components(lda: LinearDiscriminantAnalysis, n_classes: int, n_features: int) -> int:
    most = min(n_classes - 1, n_features)
    if lda.n_components is None:
        return most
    if lda.n_components > most:
        raise ValueError("n_components cannot be larger than min(n_features, n_classes - 1).")
    return lda.n_components


def count_scored_components(lda: LinearDiscriminantAnalysis, moments: Moments) -> int | None:
    """Return how many axes the scores are limited to, if they are."""
    if not lda.reduced_rank:
        return None
    return count_components(lda, len(moments.classes), moments.n_features)


def axes_of(fit: _core.LinearFit, max_components: int, moments: Moments) -> dict[str, Any]:
    """Return the discriminant axes as attributes."""
    with names_of(moments).in_errors():
        scalings, between = fit.axes()
    axes = np.ascontiguousarray(scalings[:, :max_components])
    total = np.add.reduce(between)
    ratio = between / total if total > 0 else np.zeros_like(between)
    return {
        "_axes": axes,
        "_n_features_out": axes.shape[1],
        "scalings_": attribute_of(moments, scalings),
        "explained_variance_ratio_": attribute_of(moments, ratio[:max_components]),
    }
