"""Rows drawn from a model, beside those it was fitted to: what it has understood of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gauda._data.labels import indices_among
from gauda._estimators.classifier import Classifier
from gauda._estimators.sampling import Random, validate_count
from gauda._support.arrays import Floats
from gauda._support.optional import need
from gauda.pictures._canvas import (
    Panels,
    axes_or_new,
    class_handles,
    draw_legend,
    draw_points,
    panels_or_new,
)
from gauda.pictures._plane import MAX_POINTS, Plane, Points, View, as_now
from gauda.typing import Labels, MatrixLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SIZE = 9.6, 4.6
ALONE = 500
"""Rows of the model that are drawn without data."""


@dataclass(kw_only=True, eq=False, repr=False)
class SamplesDisplay:
    """Rows drawn from the model, beside the data if there are some, in the plane of two features.

    Made by `from_estimator`.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels.

    feature_names : list of str
        Names of the two features.

    X, y : ndarray of shape (n_samples, 2) and ndarray of shape (n_samples,)
        Rows drawn from the model, and their labels.

    points : Points or None
        Rows of the data, if given: `rows`, and `codes`, the indices of their classes.

    ax_ : ndarray of two matplotlib Axes
        Axes of the last `plot`: the data, and the draws. Without data one, of the draws.

    figure_ : matplotlib Figure
        Their figure.

    Examples
    --------
    >>> from gauda import GaussianNB
    >>> from gauda.pictures import SamplesDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> display = SamplesDisplay.from_estimator(GaussianNB().fit(X, y), X, y, features=[2, 3])
    >>> [axes.get_title() for axes in display.ax_]
    ['150 rows of the data', '150 rows of the model']
    """

    classes: NDArray[Any]
    feature_names: list[str]
    X: Floats
    y: NDArray[Any]
    points: Points | None
    ax_: Panels = field(init=False)
    figure_: Figure | SubFigure = field(init=False)

    @classmethod
    def from_estimator(  # noqa: PLR0913 (what can be chosen)
        cls,
        estimator: Classifier,
        X: MatrixLike | None = None,
        y: Labels | None = None,
        *,
        features: ArrayLike | None = None,
        n_samples: int | None = None,
        random_state: Random = 0,
        ax: Sequence[Axes] | NDArray[Any] | None = None,
    ) -> Self:
        """Draw the data, and rows from the model beside them.

        With more than two features rows are drawn from the marginal model of two.

        Parameters
        ----------
        estimator : Gaussian classifier or MixedNB
            The fitted model.

        X : array-like of shape (n_samples, n_features), default=None
            The data, with all features; of more than 5000 as many are drawn, chosen at random.
            Without data rows of the model are drawn alone.

        y : array-like of shape (n_samples,), default=None
            Their labels; without them they are gray.

        features : pair of names or indices, default=None
            The features of the horizontal and of the vertical axis; by default the first two.

        n_samples : int, default=None
            Rows to draw from the model; by default as many as there are points of the data, or
            500 without data.

        random_state : int, RandomState, Generator or None, default=0
            What the draws depend on.

        ax : array-like of two matplotlib Axes, default=None
            Axes to draw on, one without data; by default those of a new figure.

        Returns
        -------
        SamplesDisplay
            What was drawn.

        Examples
        --------
        >>> from gauda import LDA
        >>> from gauda.pictures import SamplesDisplay
        >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0], [0, 1]])
        >>> display = SamplesDisplay.from_estimator(lda, [[0, 1], [2, 1]], [0, 1], n_samples=300)
        >>> display.X.shape
        (300, 2)
        """
        need("matplotlib", extra="plot")
        estimator = as_now(estimator)
        plane = Plane.of(estimator, features)
        points = plane.points(estimator, X, y)
        default = ALONE if X is None else max(len(points.codes), 1)
        count = default if n_samples is None else validate_count(n_samples)
        drawn, labels = plane.model.sample(min(count, MAX_POINTS), random_state)
        display = cls(
            classes=estimator.classes_,
            feature_names=plane.names,
            X=drawn,
            y=labels,
            points=None if X is None else points,
        )
        return display.plot(ax=ax)

    def plot(self, ax: Sequence[Axes] | NDArray[Any] | None = None) -> Self:
        """Draw the panels, over the same part of the plane.

        Parameters
        ----------
        ax : array-like of two matplotlib Axes, default=None
            Axes to draw on, one without data; by default those of a new figure.

        Returns
        -------
        Self
            The display, its `ax_` and `figure_` set.

        Examples
        --------
        >>> from gauda import LDA
        >>> from gauda.pictures import SamplesDisplay
        >>> from matplotlib.figure import Figure
        >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0], [0, 1]])
        >>> panels = Figure().subplots(1, 2)
        >>> display = SamplesDisplay.from_estimator(lda, [[0, 1], [2, 1]], ax=panels)
        >>> display.ax_[0] is panels[0]
        True
        """
        handles = class_handles(self.classes)
        draws = Points(self.X, indices_among(self.y, self.classes))
        shown = {"model": draws} if self.points is None else {"data": self.points, "model": draws}
        panels = self._panels(ax, handles)
        rows = np.concatenate([points.rows for points in shown.values()])
        left, right, bottom, top = View.over(rows, 1).extent
        for axes, (source, points) in zip(panels, shown.items(), strict=True):
            draw_points(axes, points)
            axes.set_title(f"{len(points.codes)} rows of the {source}")
            axes.set(xlabel=self.feature_names[0], xlim=(left, right), ylim=(bottom, top))
        panels[0].set_ylabel(self.feature_names[1])
        draw_legend(panels[-1], handles)
        self.ax_, self.figure_ = panels, panels[0].figure
        return self

    def _panels(self, ax: Any, handles: list[Any]) -> Panels:
        if self.points is not None:
            return panels_or_new(ax, handles, SIZE, sharex=True, sharey=True)
        given = None if ax is None else np.ravel(np.asarray(ax, dtype=object))[0]
        return np.array([axes_or_new(given, handles)], dtype=object)
