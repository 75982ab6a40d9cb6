"""Moments of rows with missing values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from gauda import _core
from gauda._data.training import LabelledRows
from gauda._statistics.moment_sums import unless_refused
from gauda._statistics.moments import Moments
from gauda._support.progress import counting
from gauda._support.warning import warn_caller


class EmReport(NamedTuple):
    """How EM went."""

    n_iter: int
    converged: bool
    log_likelihood: NDArray[np.float64]


class Estimate(NamedTuple):
    """Moments, and how they were found."""

    moments: Moments
    log_likelihood: NDArray[np.float64]
    converged: bool
    complete: bool


def estimate(  # noqa: PLR0913 (what a fit is given)
    data: LabelledRows,
    structure: str,
    *,
    unbiased: bool = False,
    max_iter: int = 1,
    tol: float = 0.0,
    report: Callable[[], object] | None = None,
) -> Estimate:
    """Return the moments of rows in which NaN stands for what is missing."""
    with data.names.told():
        core, log_likelihood, converged, complete = _core.estimate_moments(
            data.rows,
            data.codes,
            len(data.classes),
            structure,
            data.weights,
            unbiased,
            max_iter,
            tol,
            report,
            data.n_threads,
        )
    once = None
    if structure == "diag" and not (complete and data.weights is None):
        codes = np.zeros_like(data.codes)
        once = unless_refused(
            lambda: _core.estimate_moments(
                data.rows,
                codes,
                1,
                structure,
                None,
                unbiased=False,
                max_iter=1,
                tol=0.0,
                n_threads=data.n_threads,
            )[0]
        )
    moments = Moments(
        classes=data.classes,
        feature_names=data.names.features,
        has_gaps=not complete,
        _core=core,
        _dtype=data.dtype,
        _unweighted=once,
    )
    return Estimate(moments, np.array(log_likelihood), converged, complete)


def estimated_moments(estimator: Any, data: LabelledRows) -> tuple[Moments, EmReport]:
    """Return the moments that an estimator needs, and how they were found."""
    most, tol = int(estimator.em_max_iter), float(estimator.em_tol)
    with counting("EM", most, progress=estimator.verbose, unit="iterations") as counter:
        found = estimate(
            data,
            estimator._structure(),
            unbiased=estimator.unbiased,
            max_iter=most,
            tol=tol,
            report=(lambda: counter.update(1)) if estimator.verbose else None,
        )
    if not found.complete:
        refuse_other_estimates(estimator)
    if not found.converged:
        warn_caller(
            f"EM for missing values did not converge in em_max_iter={most} iterations. Allow more, "
            f"or a larger em_tol than {tol:g}.",
            ConvergenceWarning,
        )
    n_iter = max(len(found.log_likelihood) - 1, 0)
    return found.moments, EmReport(n_iter, found.converged, found.log_likelihood)


def refuse_other_estimates(estimator: Any) -> None:
    """Refuse ways to estimate that take complete rows, or a prior that EM leaves out."""
    automatic = isinstance(getattr(estimator, "shrinkage", None), str)
    refused = {
        f"shrinkage={getattr(estimator, 'shrinkage', None)!r}": automatic,
        "covariance_estimator": getattr(estimator, "covariance_estimator", None) is not None,
        "prior": estimator.prior is not None,
        "cross-validation": hasattr(estimator, "cv"),
    }
    for given, refuse in refused.items():
        if refuse:
            raise ValueError(
                f"Values of X are missing, from which {type(estimator).__name__} estimates "
                f"covariances of largest likelihood; with {given} it cannot. Leave that out, or "
                "fill X in first, as with impute."
            )
