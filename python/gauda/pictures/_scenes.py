"""What a picture of decisions shows: regions, curves, means and rows, of two features or one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.labels import indices_among
from gauda._estimators.classifier import Classifier
from gauda._support.arrays import Floats, Indices
from gauda.pictures._curves import boundary_curves
from gauda.pictures._decisions import Decisions
from gauda.pictures._densities import DensitiesDisplay
from gauda.pictures._others import OtherClassifier
from gauda.pictures._plane import (
    AXES,
    Plane,
    Points,
    View,
    check_drawable,
    names_of,
    numeric_columns,
)


@dataclass(kw_only=True, eq=False, repr=False)
class Scene:
    """What `DecisionRegionsDisplay` shows."""

    classes: NDArray[Any]
    feature_names: list[str]
    extent: tuple[float, float, float, float]
    regions: Indices
    posteriors: Floats | None
    curves: list[tuple[Any, Any, Floats]]
    means: Floats
    points: Points
    densities: DensitiesDisplay | None = None


def scene_over(plane: Plane, points: Points, n_steps: int, *, soft: bool) -> Scene:
    """Return what is seen of two features of a model."""
    view = View.of(plane, points, n_steps)
    return scene_of(plane.model, plane.names, plane.means(), points, view, soft=soft)


def scene_of_other(other: OtherClassifier, X: Any, y: Any, n_steps: int, *, soft: bool) -> Scene:
    """Return what is seen of another library's classifier."""
    points = other.points(X, y)
    view = View.over(points.rows, n_steps)
    return scene_of(other, other.names, np.empty((0, AXES)), points, view, soft=soft)


def scene_of(  # noqa: PLR0913 (what is seen)
    model: Any, names: list[str], means: Floats, points: Points, view: View, *, soft: bool
) -> Scene:
    """Return what is seen of a model of two features."""
    centers, shape = view.centers(), (view.n_steps, view.n_steps)
    return Scene(
        classes=model.classes_,
        feature_names=names,
        extent=view.extent,
        regions=indices_among(model.predict(centers), model.classes_).reshape(shape),
        posteriors=posteriors_at(model, centers, shape) if soft else None,
        curves=named_curves(model, view),
        means=means,
        points=points,
    )


def scene_along(estimator: Any, X: Any, y: Any, n_steps: int, *, soft: bool) -> Scene:
    """Return what is seen of a model of one feature, over its densities."""
    line = Plane.of(estimator, None, n_axes=1)
    densities = DensitiesDisplay.of_line(line, line.points(estimator, X, y))
    left, right = densities.extent[:2]
    centers = left + (np.arange(n_steps) + 0.5)[:, np.newaxis] * (right - left) / n_steps
    classes = line.model.classes_
    return Scene(
        classes=classes,
        feature_names=[densities.feature_name, "density"],
        extent=densities.extent,
        regions=indices_among(line.model.predict(centers), classes)[np.newaxis],
        posteriors=posteriors_at(line.model, centers, (1, n_steps)) if soft else None,
        curves=densities.upright_lines(),
        means=np.column_stack([line.means(), np.zeros(len(classes))]),
        points=Points(np.empty((0, AXES)), np.empty(0, dtype=np.intp)),
        densities=densities,
    )


def has_one_column(estimator: Any) -> bool:
    """Tell whether a model of ours was fitted to a single column, of numbers."""
    if not isinstance(estimator, Classifier):
        return False
    check_drawable(estimator)
    return len(names_of(estimator)) == 1 == len(numeric_columns(estimator))


def refuse_choices(features: Any, given: Any) -> None:
    """Refuse what only models that can leave out columns allow to choose."""
    if features is not None or given:
        raise ValueError(
            "features and given choose columns of a model that can leave out the others, which "
            "classifiers of other libraries cannot. Fit it to two columns."
        )


def posteriors_at(model: Any, points: Floats, shape: tuple[int, int]) -> Floats:
    """Return the posteriors of points on a grid."""
    return np.asarray(np.exp(model.predict_log_proba(points))).reshape(*shape, -1)


def named_curves(model: Any, view: View) -> list[tuple[Any, Any, Floats]]:
    """Return the curves between decisions of a model, with the labels of both."""
    if not getattr(model, "has_scores", True):
        return []
    decisions = Decisions.of(model)
    labels = decisions.names.tolist()
    curves = boundary_curves(decisions, view)
    return [(labels[curve.pair[0]], labels[curve.pair[1]], curve.points) for curve in curves]
