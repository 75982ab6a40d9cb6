"""Two columns of a model: the marginal Gaussians there, the rows drawn, and the part to be seen."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from gauda._analysis.gaussians import Floats, Gaussians, inverse
from gauda._data.label_columns import flat_labels
from gauda._data.labels import indices_among
from gauda._data.training import rows_to_score
from gauda._data.twins import twin
from gauda._estimators.access import model_of, names_of_fit, without_names
from gauda._estimators.classifier import Classifier
from gauda._estimators.gaussian import GaussianClassifier
from gauda._estimators.marginal import columns_of
from gauda._support.errors import no_density
from gauda.typing import Labels, MatrixLike

AXES = 2
MAX_POINTS = 5000
"""Rows that are drawn; of more, these are chosen at random."""

MARGIN = 0.06
FAR = 3.0
"""Standard deviations about the means that are seen of a model drawn without rows."""


@dataclass(frozen=True, eq=False)
class Points:
    """Rows to draw."""

    rows: Floats
    codes: NDArray[np.intp]
    """Places of their classes; -1 if labels are not known."""

    def columns(self, columns: NDArray[np.intp]) -> Points:
        """Return some columns of the rows in which none of these is missing."""
        return Points(self.rows[:, columns], self.codes).complete()

    def complete(self) -> Points:
        """Return the rows in which nothing is missing."""
        there = np.isfinite(self.rows).all(axis=1)
        return Points(self.rows[there], self.codes[there])


@dataclass(frozen=True, eq=False)
class Plane:
    """The model of two columns, their names, and their indices."""

    model: GaussianClassifier
    names: list[str]
    columns: NDArray[np.intp]

    @classmethod
    def of(cls, estimator: Any, features: Any) -> Plane:
        """Take two columns of a fitted model, by default the first two."""
        check_gaussian(estimator)
        own = names_of(estimator)
        if len(own) < AXES:
            raise ValueError(
                f"A plane takes two features, but this {type(estimator).__name__} was fitted to "
                "one. Fit it to more."
            )
        whole = features is None and len(own) == AXES
        columns = columns_of(estimator.moments_, [0, 1] if features is None else features)
        if len(columns) != AXES:
            raise ValueError(
                f"features must be two names or indices of columns; got {features!r}: "
                f"{len(columns)} of {len(own)}."
            )
        model = estimator if whole else estimator.marginal(columns)
        return cls(unnamed(model), [own[column] for column in columns], columns)

    def points(self, estimator: Any, X: MatrixLike | None, y: Labels | None) -> Points:
        """Return these columns of some of the rows; of no rows, if there are none to draw."""
        if X is None:
            return Points(np.empty((0, AXES)), np.empty(0, dtype=np.intp))
        return some_rows(estimator, X, y).columns(self.columns)

    def means(self) -> Floats:
        """Return the class means."""
        gaussians = Gaussians.of(model_of(self.model))
        return np.asarray(gaussians.shift + gaussians.offset)

    def factors(self) -> Floats:
        """Return for each class an F with F F' = S, its covariance; refuse a singular one."""
        gaussians = Gaussians.of(model_of(self.model))
        if gaussians.rank < AXES:
            raise no_density(names_of_fit(self.model), gaussians.rank, AXES)
        return np.stack([inverse(gaussians.matrix(k)) for k in range(gaussians.n_classes)])

    def around(self, radius: float) -> Floats:
        """Return the corners of the boxes about the ellipses of this Mahalanobis radius."""
        reach = radius * np.sqrt(np.square(self.factors()).sum(axis=2))
        return np.concatenate([self.means() - reach, self.means() + reach])


@dataclass(frozen=True, eq=False)
class View:
    """A grid over the part of a plane that is seen; points on it are counted in steps."""

    low: Floats
    high: Floats
    n_steps: int

    @classmethod
    def over(cls, points: Floats, n_steps: int) -> View:
        """Cover points with a margin."""
        finite = points[np.isfinite(points).all(axis=1)]
        low, high = finite.min(axis=0), finite.max(axis=0)
        span = high - low
        # A column that is constant has no scale: a share of its value is one.
        span = np.where(span > 0, span, np.maximum(np.abs(high), 1.0))
        return cls(low - MARGIN * span, high + MARGIN * span, n_steps)

    @classmethod
    def of(cls, plane: Plane, points: Points, n_steps: int) -> View:
        """Cover the rows and the class means; without rows, what is not far from the means."""
        rows = points.rows if len(points.rows) else plane.around(FAR)
        return cls.over(np.concatenate([rows, plane.means()]), n_steps)

    @property
    def step(self) -> Floats:
        """Distance of neighbors on the grid."""
        return np.asarray((self.high - self.low) / self.n_steps)

    @property
    def shape(self) -> tuple[int, int]:
        """Points of the grid, up and across."""
        return self.n_steps + 1, self.n_steps + 1

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top."""
        (left, bottom), (right, top) = self.low.tolist(), self.high.tolist()
        return left, right, bottom, top

    def at(self, steps: Floats) -> Floats:
        """Return the points that are so many steps from the lower left corner."""
        return np.asarray(self.low + steps * self.step)

    def grid(self) -> Floats:
        """Return all points of the grid, row by row from the bottom."""
        counted = np.arange(self.n_steps + 1.0)
        return self.at(np.stack(np.meshgrid(counted, counted), axis=-1).reshape(-1, AXES))

    def centers(self) -> Floats:
        """Return the centers of its cells, in the same order."""
        counted = np.arange(self.n_steps) + 0.5
        return self.at(np.stack(np.meshgrid(counted, counted), axis=-1).reshape(-1, AXES))


def as_now(estimator: Any) -> Any:
    """Return a classifier of ours in the state of now, whatever other threads do; others as is."""
    return twin(estimator) if isinstance(estimator, Classifier) else estimator


def check_gaussian(estimator: Any) -> None:
    """Refuse what is not a fitted Gaussian classifier."""
    if not isinstance(estimator, GaussianClassifier):
        raise TypeError(
            f"estimator must be a Gaussian classifier of gauda; got {type(estimator).__name__}. Of "
            "a pipeline, give the last step, and the rows that it is given."
        )
    check_is_fitted(estimator)


def names_of(estimator: Any) -> list[str]:
    """Return what the columns of a fitted model are called."""
    names = estimator.moments_.feature_names
    if names is None:
        return [f"feature {column}" for column in range(estimator.moments_.n_features)]
    return [str(name) for name in names]


def unnamed(estimator: Any) -> Any:
    """Return the model without the names of its columns, to be asked about plain arrays."""
    if isinstance(estimator, Classifier):
        return without_names(estimator)
    model = copy(estimator)
    vars(model).pop("feature_names_in_", None)
    return model


def some_rows(estimator: Any, X: Any, y: Any, most: int = MAX_POINTS) -> Points:
    """Return rows with their classes; of too many some, the same ones each time."""
    rows = rows_to_score(estimator, X)
    labels = None if y is None else flat_labels(y)
    check_consistent_length(rows, labels)
    if len(rows) > most:
        chosen = np.random.default_rng(0).choice(len(rows), most, replace=False)
        rows, labels = rows[chosen], None if labels is None else labels[chosen]
    classes = estimator.classes_
    codes = np.full(len(rows), -1) if labels is None else known_indices(labels, classes)
    return Points(rows.astype(np.float64), codes)


def known_indices(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the index of each label among the classes; refuse others."""
    codes = indices_among(labels, classes)
    if (codes < 0).any():
        unknown = np.unique(labels[codes < 0]).tolist()
        raise ValueError(
            f"y holds labels that are none of the model's: {unknown}. It knows {classes.tolist()}."
        )
    return codes
