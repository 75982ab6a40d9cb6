"""Columns of a model: the marginal Gaussians there, the rows drawn, and the part to be seen."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from gauda._analysis.gaussians import Gaussians, inverse
from gauda._data.columns import GAUSSIAN
from gauda._data.label_columns import flat_labels
from gauda._data.labels import indices_among
from gauda._data.training import rows_to_score
from gauda._data.twins import twin
from gauda._estimators.access import (
    model_of,
    names_of_fit,
    rows_of,
    statistics_of,
    without_names,
)
from gauda._estimators.classifier import Classifier
from gauda._estimators.gaussian import GaussianClassifier
from gauda._estimators.marginal import columns_of
from gauda._support.arrays import Floats, Indices
from gauda._support.errors import no_density
from gauda.naive_bayes import GaussianNB, MixedNB
from gauda.typing import KnownValues, Labels, MatrixLike

AXES = 2
MAX_POINTS = 5000
"""Rows that are drawn; of more, these are chosen at random."""

MARGIN = 0.1
"""Of the range of a column, what is shown beyond either end."""

DECISIONS = ("cost", "reject", "reject_label")
"""Parameters that say how to decide, given the posteriors."""

FAR = 3.0
"""Standard deviations about the means that are seen of a model drawn without rows."""


@dataclass(frozen=True, eq=False)
class Points:
    """Rows to draw."""

    rows: Floats
    codes: Indices
    """Indices of their classes; -1 if labels are not known."""

    def columns(self, columns: Indices) -> Points:
        """Return some columns of the rows in which none of these is missing."""
        return Points(self.rows[:, columns], self.codes).complete()

    def complete(self) -> Points:
        """Return the rows in which nothing is missing."""
        mask = np.isfinite(self.rows).all(axis=1)
        return Points(self.rows[mask], self.codes[mask])


@dataclass(frozen=True, eq=False)
class Plane:
    """The model of two columns, their names, and their indices; of one column, a line."""

    model: GaussianClassifier
    names: list[str]
    columns: Indices

    @classmethod
    def of(
        cls,
        estimator: Any,
        features: Any,
        given: KnownValues | None = None,
        n_axes: int = AXES,
    ) -> Plane:
        """Take columns of a fitted model, by default the first ones, given the values of others."""
        check_drawable(estimator)
        names, numeric = names_of(estimator), numeric_columns(estimator)
        check_room(estimator, numeric, n_axes)
        statistics = statistics_of(estimator)
        known = columns_of(statistics, list(given)) if given else np.empty(0, dtype=np.intp)
        first = np.setdiff1d(numeric, known)[:n_axes]
        columns = first if features is None else columns_of(statistics, features)
        check_columns(features, columns, names, n_axes)
        check_numeric(columns, numeric, names)
        if np.isin(columns, known).any() or len(columns) < n_axes:
            raise ValueError(
                f"given must leave the columns of the axes free; got values of {list(given or ())}."
            )
        model = estimator if not given else estimator.condition(given)
        free = np.setdiff1d(np.arange(len(names)), known)
        if not np.array_equal(columns, free):
            model = model.marginal(np.searchsorted(free, columns))
        return cls(drop_names(as_gaussian(model)), [names[column] for column in columns], columns)

    def points(self, estimator: Any, X: MatrixLike | None, y: Labels | None) -> Points:
        """Return these columns of some of the rows; of no rows, if there are none to draw."""
        if X is None:
            return Points(np.empty((0, len(self.columns))), np.empty(0, dtype=np.intp))
        return some_rows(estimator, X, y).columns(self.columns)

    def means(self) -> Floats:
        """Return the class means."""
        gaussians = Gaussians.of(model_of(self.model))
        return np.asarray(gaussians.shift + gaussians.offset)

    def factors(self) -> Floats:
        """Return for each class an F with F F' = S, its covariance; refuse a singular one."""
        gaussians = Gaussians.of(model_of(self.model))
        if gaussians.rank < len(self.columns):
            raise no_density(names_of_fit(self.model), gaussians.rank, len(self.columns))
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


def check_drawable(estimator: Any) -> None:
    """Refuse what is neither a Gaussian classifier nor one of mixed columns, fitted."""
    if isinstance(estimator, MixedNB):
        check_is_fitted(estimator)
    else:
        check_gaussian(estimator)


def numeric_columns(estimator: Any) -> Indices:
    """Return the indices of the columns of numbers."""
    if isinstance(estimator, MixedNB):
        return np.flatnonzero(np.array(estimator.kinds_) == GAUSSIAN)
    return np.arange(statistics_of(estimator).n_features)


def check_room(estimator: Any, numeric: Indices, n_axes: int) -> None:
    """Refuse a model of fewer columns of numbers than there are axes."""
    if len(numeric) >= n_axes:
        return
    if len(numeric) == 0:
        raise ValueError(
            f"A density takes a column of numbers, but this {type(estimator).__name__} has none; "
            "LevelsDisplay draws columns of categories."
        )
    raise ValueError(
        f"A plane takes two features, but this {type(estimator).__name__} was fitted to one. "
        "Fit it to more, or draw it with DensitiesDisplay."
    )


def check_columns(features: Any, columns: Indices, names: list[str], n_axes: int) -> None:
    """Refuse another number of columns than there are axes."""
    if features is not None and len(columns) != n_axes:
        wanted = "two names or indices of columns" if n_axes == AXES else "the name of one column"
        raise ValueError(
            f"features must be {wanted}; got {features!r}: {len(columns)} of {len(names)}."
        )


def check_numeric(columns: Indices, numeric: Indices, names: list[str]) -> None:
    """Refuse columns of categories."""
    others = np.setdiff1d(columns, numeric)
    if len(others):
        raise ValueError(
            f"The axes must be columns of numbers; got {names[others[0]]!r}, which holds "
            f"categories. Choose from {[names[column] for column in numeric]}."
        )


def as_gaussian(model: Any) -> GaussianClassifier:
    """Return a model of columns of numbers as a Gaussian one that decides the same."""
    if isinstance(model, GaussianClassifier):
        return model
    means, variances = (
        np.stack(list(part.values()), axis=1) for part in (model.theta_, model.var_)
    )
    decisions = {name: getattr(model, name) for name in DECISIONS}
    return GaussianNB.from_parameters(
        means, variances, model.class_prior_, model.classes_, **decisions
    )


def names_of(estimator: Any) -> list[str]:
    """Return what the columns of a fitted model are called."""
    statistics = statistics_of(estimator)
    if statistics.feature_names is None:
        return [f"feature {column}" for column in range(statistics.n_features)]
    return [str(name) for name in statistics.feature_names]


def drop_names(estimator: Any) -> Any:
    """Return the model without the names of its columns, to be asked about plain arrays."""
    if isinstance(estimator, Classifier):
        return without_names(estimator)
    model = copy(estimator)
    vars(model).pop("feature_names_in_", None)
    return model


def some_rows(estimator: Any, X: Any, y: Any, most: int = MAX_POINTS) -> Points:
    """Return rows with their classes; of too many some, the same ones each time."""
    rows = numbers_of(estimator, X)
    labels = None if y is None else flat_labels(y)
    check_consistent_length(rows, labels)
    chosen = choose_rows(len(rows), most)
    rows, labels = rows[chosen], None if labels is None else labels[chosen]
    classes = estimator.classes_
    codes = np.full(len(rows), -1) if labels is None else known_indices(labels, classes)
    return Points(rows.astype(np.float64), codes)


def choose_rows(n_rows: int, most: int = MAX_POINTS) -> slice | Indices:
    """Return what selects all rows, or of too many some, the same ones each time."""
    if n_rows <= most:
        return slice(None)
    return np.random.default_rng(0).choice(n_rows, most, replace=False)


def numbers_of(estimator: Any, X: Any) -> NDArray[Any]:
    """Return rows as an array; entries of columns of categories are the indices of levels."""
    if isinstance(estimator, MixedNB):
        return np.hstack(rows_of(estimator, X).arrays)
    return rows_to_score(estimator, X)


def known_indices(labels: NDArray[Any], classes: NDArray[Any]) -> Indices:
    """Return the index of each label among the classes; refuse others."""
    codes = indices_among(labels, classes)
    if (codes < 0).any():
        unknown = np.unique(labels[codes < 0]).tolist()
        raise ValueError(
            f"y holds labels that are none of the model's: {unknown}. It knows {classes.tolist()}."
        )
    return codes
