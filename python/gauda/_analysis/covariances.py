"""Covariances beyond the core's: shrinkage, and estimators that are not ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from gauda import _core
from gauda._data.training import LabeledRows
from gauda._statistics.access import core_of, is_wide, names_of
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats, Mask
from gauda._support.lazy import covariance

Shrinkage = float | Literal["auto"] | None
ALL = slice(None)
OF_SECOND = 2
"""Order of moments that do not tell Ledoit and Wolf's intensity without the rows."""


def estimate_of_classes(
    estimator: Any, data: LabeledRows, moments: Moments, *, matrices: bool = False
) -> dict[str, Floats]:
    """Return the covariance of each class where it takes the rows to estimate it.

    Of few rows it is told by an intensity and a diagonal, unless matrices are needed.
    """
    if estimator.covariance_estimator is not None:
        groups = [data.codes == code for code in range(len(data.classes))]
        estimates = [estimate_with(data, estimator.covariance_estimator, group) for group in groups]
        return {"covariances": np.stack(estimates)}
    if isinstance(estimator.shrinkage, str) and moments.order == OF_SECOND:
        if is_wide(moments) and not matrices:
            return estimate_intensities(data, moments)
        return {"covariances": ledoit_wolf(data, moments)}
    return {}


def estimate_intensities(data: LabeledRows, moments: Moments) -> dict[str, Floats]:
    """Return for each class Ledoit and Wolf's intensity, and the diagonal it moves towards."""
    rows = data.rows, data.codes, data.weights, data.n_threads
    with data.names.in_errors():
        intensities, diagonals = _core.standardized(core_of(moments), *rows)
    return {"intensities": np.array(intensities), "diagonals": diagonals}


def ledoit_wolf(data: LabeledRows, moments: Moments) -> Floats:
    """Return the covariance of each class, shrunk by Ledoit and Wolf's intensity."""
    with data.names.in_errors():
        return core_of(moments).ledoit_wolf(data.rows, data.codes, data.weights, data.n_threads)


def ledoit_wolf_of_moments(moments: Moments) -> Floats:
    """Return the same from moments of fourth order."""
    with names_of(moments).in_errors():
        return core_of(moments).ledoit_wolf_of_moments()


def are_estimated(estimator: Any, estimated: Mapping[str, Floats]) -> bool:
    """Tell whether covariances of the classes are others than scatters and a number give."""
    return "covariances" in estimated or isinstance(estimator.shrinkage, str)


def covariances_of_estimates(
    moments: Moments, estimated: Mapping[str, Floats], *, unbiased: bool
) -> Floats:
    """Return the covariances that the rows of each class have given, stacked."""
    if "covariances" in estimated:
        covariances = estimated["covariances"].copy()
    else:
        covariances = ledoit_wolf_of_moments(moments)
    if unbiased and moments.structure == "full":  # an estimator of others has its own divisor
        core_of(moments).class_covariances(unbiased)  # refuses classes of one row
        covariances *= (moments.counts / (moments.counts - 1))[:, np.newaxis, np.newaxis]
    return covariances


def shrink(covariances: Floats, shrinkage: Shrinkage) -> Floats:
    """Return covariances moved toward a multiple of the identity by a given intensity."""
    if not shrinkage:
        return covariances
    shrunk: Floats = covariance.shrunk_covariance(covariances, shrinkage)
    return shrunk


def fixed_intensity(shrinkage: Shrinkage) -> float:
    """Return the share of a multiple of the identity, 0 where it is estimated from rows."""
    return 0.0 if isinstance(shrinkage, str) else float(shrinkage or 0)


def check_solver(estimator: Any, refusal: str, solvers: str) -> None:
    """Refuse ways to estimate a covariance that the solver lacks, or two at once.

    The refusal is in scikit-learn's words; the solvers are those that have them all.
    """
    if estimator.solver == "svd":
        if estimator.shrinkage is not None:
            raise NotImplementedError(f"shrinkage not supported with 'svd' solver. Use {solvers}.")
        if estimator.covariance_estimator is not None:
            raise ValueError(refusal)
    if estimator.covariance_estimator is not None and estimator.shrinkage not in {None, 0}:
        raise ValueError(
            "covariance_estimator and shrinkage parameters are not None. "
            "Only one of the two can be set."
        )


def explain_need(estimator: Any) -> str | None:
    """Return which way to estimate a covariance needs all rows, and what else there is."""
    if estimator.covariance_estimator is None:
        return None
    return "covariance_estimator needs to estimate covariances. Use shrinkage, or fit."


def estimate_with(
    data: LabeledRows, covariance_estimator: Any, members: Mask | slice = ALL
) -> Floats:
    """Return the covariance of some rows by somebody else's estimator."""
    name = type(covariance_estimator).__name__
    if data.weights is None:
        covariance_estimator.fit(data.rows[members])
    elif has_fit_parameter(covariance_estimator, "sample_weight"):
        covariance_estimator.fit(data.rows[members], sample_weight=data.weights[members])
    else:
        raise ValueError(
            f"The covariance_estimator {name} takes no sample_weight; use one that does, "
            "shrinkage, or repeated rows."
        )
    if not hasattr(covariance_estimator, "covariance_"):
        raise ValueError(f"{name} does not have a covariance_ attribute")
    covariance = np.atleast_2d(np.asarray(covariance_estimator.covariance_, dtype=np.float64))
    expected = (data.n_features, data.n_features)
    if covariance.shape != expected or not np.isfinite(covariance).all():
        raise ValueError(
            f"The covariance_ of {name} must be finite and of shape {expected}. Got shape "
            f"{covariance.shape}:\n{covariance}"
        )
    return covariance
