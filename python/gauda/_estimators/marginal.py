"""Models of some columns: marginal ones, and conditional ones given the values of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from scipy.special import softmax

from gauda._analysis.gaussians import Floats, Gaussians
from gauda._analysis.parts import Columns, Part
from gauda._estimators.learner import Learner
from gauda._statistics.features import column_indices
from gauda._statistics.given import AS_GIVEN, Given
from gauda._statistics.moments import Moments

Model = TypeVar("Model", bound=Learner)


def marginal(estimator: Model, features: Any) -> Model:
    """Return the model of some columns."""
    estimator = estimator._chosen
    gaussians = Gaussians.of(estimator._fitted_model())
    columns = columns_of(estimator._moments, features)
    if is_estimated_jointly(estimator) or getattr(estimator, "reduced_rank", False):
        part = part_of(estimator, gaussians, columns)
        return estimator_of(part, estimator, gaussians.log_prior)
    selected = estimator._moments.select(columns)
    chosen = type(estimator).from_moments(selected, **parameters_on(estimator, selected))
    chosen._open = estimator._open
    return chosen


def is_estimated_jointly(estimator: Any) -> bool:
    """Tell whether the covariance of some columns depends on the others too."""
    shrunk = bool(getattr(estimator, "shrinkage", None))
    shrunk |= getattr(estimator, "_estimates_jointly", False)
    return shrunk or bool(estimator._estimated) or estimator.prior is not None


def parameters_on(estimator: Any, selected: Moments) -> dict[str, Any]:
    """Return the parameters with which moments of some columns give the marginal model."""
    parameters = with_possible_components(estimator, selected.n_features)
    if "var_smoothing" in parameters:
        total = selected.unweighted
        largest = float(total.scatter.max() / total.counts[0])
        # What is added to the variances stays the same, though it be the share of another column.
        parameters["var_smoothing"] = estimator._epsilon() / largest if largest > 0 else 0.0
    return parameters


def with_possible_components(estimator: Learner, n_features: int) -> dict[str, Any]:
    """Return an estimator's parameters, with no more components than columns."""
    parameters: dict[str, Any] = estimator.get_params(deep=False)
    if (parameters.get("n_components") or 0) > n_features:
        parameters["n_components"] = n_features
    return parameters


def conditional(estimator: Model, values: Mapping[Any, float]) -> Model:
    """Return the model of the other columns, given the values of some."""
    estimator = estimator._chosen
    gaussians = Gaussians.of(estimator._fitted_model())
    given, known = columns_and_values(estimator._moments, values)
    rest = np.setdiff1d(np.arange(gaussians.n_features), given)
    if len(rest) == 0:
        raise ValueError(
            f"All {gaussians.n_features} columns are given, so that no column is left to model; "
            "predict_proba gives the posteriors."
        )
    part = part_of(estimator, gaussians, np.concatenate([given, rest]))
    return estimator_of(part.given(known), estimator, gaussians.log_prior)


def part_of(estimator: Learner, gaussians: Gaussians, columns: Columns) -> Part:
    """Return the Gaussians of some columns; refuse a model without densities."""
    if gaussians.rank < gaussians.n_features:
        raise estimator._names()._no_density(gaussians.rank, gaussians.n_features)
    return Part.of(gaussians, columns)


def estimator_of(part: Part, whole: Model, log_prior: Floats) -> Model:
    """Return an estimator of Gaussians of some columns, otherwise like that of all columns."""
    weights = log_prior + part.log_density
    if not np.isfinite(weights.max()):
        raise ValueError(
            "The values given are so far from all classes that their densities underflow. "
            "Check their units."
        )
    parameters = with_possible_components(whole, len(part.columns))
    parameters |= {name: AS_GIVEN[name] for name in AS_GIVEN if name in parameters}
    if "covariance" in parameters:
        parameters["covariance"] = part.structure
    parameters["priors"] = softmax(weights)
    classes = whole._moments.classes
    given = Given(
        part.shift,
        part.covariances(),
        parameters["priors"],
        classes,
        np.arange(len(classes)),
        part.offset,
    )
    estimator = type(whole)(**parameters)
    moments = given.moments(part.structure, estimator._structure())
    names = whole._moments.feature_names
    names = None if names is None else names[part.columns]
    estimator._take(replace(moments, feature_names=names, _dtype=whole._moments._dtype))
    return estimator


def columns_of(moments: Moments, features: Any) -> Columns:
    """Return the indices of different columns."""
    try:
        columns = column_indices(features, moments.feature_names, moments.n_features)
    except IndexError:
        raise ValueError(
            f"There are {moments.n_features} columns, counted from 0, and none with the index "
            f"{features!r}."
        ) from None
    if len(np.unique(columns)) < len(columns):
        raise ValueError(f"A column can be chosen once only, got {features!r}.")
    return columns


def columns_and_values(moments: Moments, values: Mapping[Any, float]) -> tuple[Columns, Floats]:
    """Return the indices of different columns, and their finite values."""
    if not hasattr(values, "keys"):  # a pandas Series will do
        raise TypeError(
            "condition takes a dict of values by the names or indices of their columns, got "
            f"{type(values).__name__}."
        )
    given = dict(values)
    columns = np.array([columns_of(moments, [key])[0] for key in given], dtype=np.intp)
    if len(np.unique(columns)) < len(columns):
        raise ValueError(f"A column has one value only, got {given!r}.")
    try:
        known = np.array(list(given.values()), dtype=np.float64)
    except (TypeError, ValueError):
        known = np.array([np.nan])
    if known.ndim != 1 or not np.isfinite(known).all():
        raise ValueError(f"Each column needs one finite value, got {given!r}.")
    return columns, known
