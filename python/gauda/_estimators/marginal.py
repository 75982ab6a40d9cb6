"""Models of some columns: marginal ones, and conditional ones given the values of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import softmax

from gauda._analysis.gaussians import Floats, Gaussians, inverse
from gauda._estimators.learner import Learner
from gauda._statistics.given import AS_GIVEN, Given
from gauda._statistics.moments import Moments

Model = TypeVar("Model", bound=Learner)

Columns = NDArray[np.intp]


def marginal(estimator: Model, features: Any) -> Model:
    """Return the model of some columns."""
    estimator = estimator._chosen
    gaussians = Gaussians.of(estimator._fitted_model())
    columns = columns_of(estimator._moments, features)
    if is_estimated_jointly(estimator) or getattr(estimator, "reduced_rank", False):
        return Part.of(estimator, gaussians, columns).estimator(estimator, gaussians.log_prior)
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
        total = selected._total()
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
    part = Part.of(estimator, gaussians, np.concatenate([given, rest]))
    return part.given(known).estimator(estimator, gaussians.log_prior)


@dataclass(frozen=True)
class Part:
    """Gaussians of some columns in some order, with covariances S = L L' and L lower triangular."""

    columns: Columns
    shift: Floats
    offset: Floats
    lower: Floats
    """A matrix for each class, one for all ('tied'), or for each class the diagonal ('diag')."""
    structure: str
    log_density: Floats
    """Of the values that are given, for each class."""

    @classmethod
    def of(cls, estimator: Learner, gaussians: Gaussians, columns: Columns) -> Part:
        """Return the Gaussians of some columns; refuse a model without densities."""
        if gaussians.rank < gaussians.n_features:
            raise estimator._names()._no_density(gaussians.rank, gaussians.n_features)
        if gaussians.structure == "diag":
            lower = 1 / gaussians.whitening[:, columns]
        else:
            lower = np.stack([factor(matrix, columns) for matrix in gaussians.whitening])
        return cls(
            columns,
            gaussians.shift[:, columns],
            gaussians.offset[:, columns],
            lower,
            gaussians.structure,
            np.zeros(gaussians.n_classes),
        )

    def given(self, known: Floats) -> Part:
        """Return the Gaussians of the other columns, given the values of the first."""
        first, rest = slice(len(known)), slice(len(known), None)
        away = (known - self.shift[:, first]) - self.offset[:, first]
        if self.structure == "diag":
            deviations = self.lower[:, first]
            whitened, change = away / deviations, np.zeros_like(self.offset[:, rest])
        else:
            corner = self.lower[:, first, first]
            deviations = np.diagonal(corner, axis1=1, axis2=2)
            whitened = solved(corner, away)
            # S_ra inv(S_aa) (x_a - m_a), as S_ra = L_ra L_aa' and S_aa = L_aa L_aa'
            change = (self.lower[:, rest, first] @ whitened[:, :, np.newaxis])[:, :, 0]
        with np.errstate(over="ignore"):
            squares = np.square(whitened).sum(axis=1)
        log_scale = np.log(deviations).sum(axis=1) + len(known) * np.log(2 * np.pi) / 2
        return Part(
            self.columns[rest],
            self.shift[:, rest],
            self.offset[:, rest] + change,
            self.lower[:, rest] if self.structure == "diag" else self.lower[:, rest, rest],
            self.structure,
            -(squares / 2 + log_scale),
        )

    def covariances(self) -> Floats:
        """Return covariances as `from_parameters` takes them."""
        if self.structure == "diag":
            return np.square(self.lower)
        squares = np.stack([lower @ lower.T for lower in self.lower])
        return squares[0] if self.structure == "tied" else squares

    def estimator(self, whole: Model, log_prior: Floats) -> Model:
        """Return an estimator of these Gaussians, otherwise like that of all columns."""
        weights = log_prior + self.log_density
        if not np.isfinite(weights.max()):
            raise ValueError(
                "The values given are so far from all classes that their densities underflow. "
                "Check their units."
            )
        parameters = with_possible_components(whole, len(self.columns))
        parameters |= {name: AS_GIVEN[name] for name in AS_GIVEN if name in parameters}
        if "covariance" in parameters:
            parameters["covariance"] = self.structure
        parameters["priors"] = softmax(weights)
        classes = whole._moments.classes
        given = Given(
            self.shift,
            self.covariances(),
            parameters["priors"],
            classes,
            np.arange(len(classes)),
            self.offset,
        )
        estimator = type(whole)(**parameters)
        moments = given.moments(self.structure, estimator._structure())
        names = whole._moments.feature_names
        names = None if names is None else names[self.columns]
        estimator._take(replace(moments, feature_names=names, _dtype=whole._moments._dtype))
        return estimator


def factor(whitening: Floats, columns: Columns) -> Floats:
    """Return the lower triangular L with L L' = S on some columns, from the W with W S W' = 1."""
    upper = np.linalg.qr(inverse(whitening)[columns].T, mode="r")
    return np.asarray((upper * np.sign(np.diag(upper))[:, np.newaxis]).T)


def solved(lower: Floats, rows: Floats) -> Floats:
    """Return inv(L) times a row for each class, though there may be but one L."""
    matrices = np.broadcast_to(lower, (len(rows), *lower.shape[1:]))
    pairs = zip(matrices, rows, strict=True)
    return np.stack([solve_triangular(matrix, row, lower=True) for matrix, row in pairs])


def columns_of(moments: Moments, features: Any) -> Columns:
    """Return the indices of different columns."""
    try:
        columns = moments._columns(features)
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
