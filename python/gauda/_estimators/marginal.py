"""Models of some columns: marginal ones, and conditional ones given the values of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gauda._analysis.gaussians import Gaussians
from gauda._analysis.parts import Part
from gauda._estimators.refusals import AS_GIVEN
from gauda._estimators.state import Current
from gauda._statistics.access import name_like
from gauda._statistics.base import Statistics
from gauda._statistics.features import column_indices
from gauda._statistics.given import Given
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats, Indices
from gauda._support.errors import no_density
from gauda._support.lazy import special

if TYPE_CHECKING:
    from gauda._estimators.gaussian import GaussianClassifier

Model = TypeVar("Model", bound="GaussianClassifier")


def marginal(acting: Model, current: Current, features: Any) -> Model:
    """Return the model of some columns."""
    moments = current.statistics
    columns = columns_of(moments, features)
    if acting._estimates_jointly(current.estimates) or getattr(acting, "reduced_rank", False):
        return estimate_jointly(acting, current, columns)
    selected = moments.select(columns)
    chosen = type(acting)(**parameters_on(acting, current, selected))
    chosen._take(selected)
    state = chosen._fit_state()
    chosen._fitted = replace(state, open_classes=current.open_classes)
    return chosen


def estimate_jointly(acting: Model, current: Current, columns: Indices) -> Model:
    """Return the model of some columns, whose covariances depend on the others too."""
    names = acting._names(current)
    if current.model.rank < current.model.n_features:
        raise no_density(names, current.model.rank, current.model.n_features)
    with names.in_errors():
        some = current.model.select(columns.tolist())  # of few rows, without matrices of all
    gaussians = Gaussians.of(current.model if some is None else some)
    part = Part.of(gaussians, columns if some is None else np.arange(len(columns)))
    part = replace(part, columns=columns)
    return estimator_of(part, acting, current.statistics, gaussians.log_prior)


def parameters_on(acting: Any, current: Current, selected: Moments) -> dict[str, Any]:
    """Return the parameters with which moments of some columns give the marginal model."""
    parameters = with_possible_components(acting, selected.n_features)
    changed: dict[str, Any] = acting._parameters_of_part(current.statistics, selected)
    return parameters | changed


def with_possible_components(estimator: Any, n_features: int) -> dict[str, Any]:
    """Return an estimator's parameters, with no more components than columns."""
    parameters: dict[str, Any] = estimator.get_params(deep=False)
    if (parameters.get("n_components") or 0) > n_features:
        parameters["n_components"] = n_features
    return parameters


def conditional(acting: Model, current: Current, values: Mapping[Any, float]) -> Model:
    """Return the model of the other columns, given the values of some."""
    gaussians, moments = Gaussians.of(current.model), current.statistics
    given, known = columns_and_values(moments, values)
    rest = other_columns(moments, given)
    part = solve_part(acting, current, gaussians, np.concatenate([given, rest]))
    return estimator_of(part.condition(known), acting, moments, gaussians.log_prior)


def other_columns(statistics: Statistics, given: Indices) -> Indices:
    """Return the indices of the columns that are not given, of which there must be some."""
    rest = np.setdiff1d(np.arange(statistics.n_features), given)
    if len(rest) == 0:
        raise ValueError(
            f"All {statistics.n_features} columns are given, so no column is left to model; "
            "predict_proba gives the posteriors."
        )
    return rest


def solve_part(
    acting: GaussianClassifier, current: Current, gaussians: Gaussians, columns: Indices
) -> Part:
    """Return the Gaussians of some columns; refuse a model without densities."""
    if gaussians.rank < gaussians.n_features:
        raise no_density(acting._names(current), gaussians.rank, gaussians.n_features)
    return Part.of(gaussians, columns)


def estimator_of(part: Part, whole: Model, seen: Moments, log_prior: Floats) -> Model:
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
    parameters["priors"] = special.softmax(weights)
    classes = seen.classes
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
    names = None if seen.feature_names is None else seen.feature_names[part.columns]
    estimator._take(name_like(moments, names, seen))
    return estimator


def columns_of(statistics: Statistics, features: Any) -> Indices:
    """Return the indices of different columns."""
    columns = column_indices(features, statistics.feature_names, statistics.n_features)
    if len(np.unique(columns)) < len(columns):
        raise ValueError(f"A column can be chosen once only; got {features!r}.")
    return columns


def columns_and_values(moments: Moments, values: Mapping[Any, float]) -> tuple[Indices, Floats]:
    """Return the indices of different columns, and their finite values."""
    columns, entries = columns_and_entries(moments, values)
    try:
        known = np.array(entries, dtype=np.float64)
    except (TypeError, ValueError):
        known = np.array([np.nan])
    if known.ndim != 1 or not np.isfinite(known).all():
        raise ValueError(f"Each column needs one finite value; got {dict(values)!r}.")
    return columns, known


def columns_and_entries(
    statistics: Statistics, values: Mapping[Any, Any]
) -> tuple[Indices, list[Any]]:
    """Return the indices of different columns, and what is given of them."""
    if not hasattr(values, "keys"):  # a pandas Series will do
        raise TypeError(
            "condition takes a dict of values by the names or indices of their columns; got "
            f"{type(values).__name__}."
        )
    given = dict(values)
    columns = np.array([columns_of(statistics, [key])[0] for key in given], dtype=np.intp)
    if len(np.unique(columns)) < len(columns):
        raise ValueError(f"A column can have one value only; got {given!r}.")
    return columns, list(given.values())
