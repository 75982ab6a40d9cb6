"""Decision regions in the plane of two features, or along one, with the exact curves between."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from gauda._data.arguments import is_whole
from gauda._estimators.classifier import Classifier
from gauda._support.optional import need
from gauda.pictures._canvas import (
    axes_or_new,
    class_handles,
    draw_legend,
    draw_means,
    draw_points,
)
from gauda.pictures._others import OtherClassifier
from gauda.pictures._palette import GRAY, INK, REJECTED, blends, tints
from gauda.pictures._plane import Plane, Points, as_now
from gauda.pictures._scenes import (
    Scene,
    has_one_column,
    refuse_choices,
    scene_along,
    scene_of_other,
    scene_over,
)
from gauda.typing import KnownValues, Labels, MatrixLike, Predictor

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

HATCH = "////"


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionRegionsDisplay(Scene):
    """What a classifier decides in the plane of two features, or along a single one.

    Made by `from_estimator`. Of a model of one feature the second axis is the density.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels.

    feature_names : list of str
        Names of the two features.

    extent : tuple of four floats
        Left, right, bottom and top of the part of the plane that is seen.

    regions : ndarray of shape (grid_points, grid_points)
        Index of the decision among the classes in each cell of a grid, from the lower left; -1
        where `predict` returns none of them, as for rejected rows. One row for a single feature.

    posteriors : ndarray of shape (grid_points, grid_points, n_classes) or None
        Posteriors in each cell, if regions are colored by them.

    means : ndarray of shape (n_classes, 2)
        Class means; none of a classifier that does not know them.

    curves : list of (label, label, ndarray of shape (n_points, 2))
        The boundaries: two decisions, and points on which these tie ahead of all others, exact
        but for rounding. With `reject` one of the two may be `reject_label`.

    points : Points
        The rows that are drawn: `rows`, and `codes`, the indices of their classes.

    densities : DensitiesDisplay or None
        For a single feature: what is drawn above it.

    show_regions : bool
        Whether regions are colored.

    ax_ : matplotlib Axes
        Axes of the last `plot`.

    figure_ : matplotlib Figure
        Their figure.

    See Also
    --------
    GaussiansDisplay : The densities behind the decisions.

    Examples
    --------
    >>> from gauda import QDA
    >>> from gauda.pictures import DecisionRegionsDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> petals = ["petal length (cm)", "petal width (cm)"]
    >>> display = DecisionRegionsDisplay.from_estimator(QDA().fit(X, y), X, y, features=petals)
    >>> display.ax_.get_xlabel()
    'petal length (cm)'
    """

    show_regions: bool = True
    ax_: Axes = field(init=False)
    figure_: Figure | SubFigure = field(init=False)

    @classmethod
    def from_estimator(  # noqa: PLR0913 (what can be chosen)
        cls,
        estimator: Predictor,
        X: MatrixLike | None = None,
        y: Labels | None = None,
        *,
        features: ArrayLike | None = None,
        given: KnownValues | None = None,
        soft: bool = False,
        regions: bool = True,
        grid_points: int = 300,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the decisions of a fitted classifier.

        With more than two features they are those of the marginal model of two, without a refit.

        Parameters
        ----------
        estimator : Gaussian classifier, MixedNB, or any classifier of two features
            The fitted model. Of a `MixedNB` the plane is that of two columns of numbers.

        X : array-like of shape (n_samples, n_features), default=None
            Rows to draw as points, with all features; of more than 5000 as many, chosen at random.
            Rows with missing values are not drawn. Without rows the plane is seen about the class
            means.

        y : array-like of shape (n_samples,), default=None
            Their labels; without them they are gray.

        features : pair of names or indices, default=None
            The features of the horizontal and of the vertical axis; by default the first two.

        given : mapping, default=None
            Values of other features by name or index, under which decisions are made; those that
            are neither drawn nor given are summed out.

        soft : bool, default=False
            Color by the posteriors: the colors of the classes, mixed.

        regions : bool, default=True
            Color the regions; without, only boundaries, rows and means are drawn.

        grid_points : int, default=300
            Cells of the grid along each axis. Between cells boundaries are exact.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        DecisionRegionsDisplay
            What was drawn.

        Examples
        --------
        >>> from gauda import LDA
        >>> from gauda.pictures import DecisionRegionsDisplay
        >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0], [0, 1]], classes=["a", "b"])
        >>> display = DecisionRegionsDisplay.from_estimator(lda)
        >>> [(i, j, points[:, 0].round(9).tolist()[0]) for i, j, points in display.curves]
        [('a', 'b', 1.0)]
        """
        need("matplotlib", extra="plot")
        n_steps = validate_grid(grid_points)
        estimator = as_now(estimator)
        if features is None and not given and has_one_column(estimator):
            scene = scene_along(estimator, X, y, n_steps, soft=soft)
        elif isinstance(estimator, Classifier):
            plane = Plane.of(estimator, features, given)
            scene = scene_over(plane, plane.points(estimator, X, y), n_steps, soft=soft)
        else:
            refuse_choices(features, given)
            scene = scene_of_other(OtherClassifier.of(estimator), X, y, n_steps, soft=soft)
        return cls(**vars(scene), show_regions=regions).plot(ax=ax)

    @classmethod
    def of_plane(cls, plane: Plane, points: Points, grid_points: int) -> Self:
        """Return the display of a model of two features, which nothing is drawn of yet."""
        return cls(**vars(scene_over(plane, points, validate_grid(grid_points), soft=False)))

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw regions, boundaries, rows and class means.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        Self
            The display, its `ax_` and `figure_` set.

        Examples
        --------
        >>> from gauda import LDA
        >>> from gauda.pictures import DecisionRegionsDisplay
        >>> from matplotlib.figure import Figure
        >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0], [0, 1]])
        >>> axes = Figure().subplots()
        >>> DecisionRegionsDisplay.from_estimator(lda, ax=axes).plot(ax=axes).ax_ is axes
        True
        """
        handles = class_handles(self.classes) + self._rejected_handle()
        axes = axes_or_new(ax, handles)
        if self.show_regions:
            self._draw_regions(axes)
        for _, _, curve in self.curves:
            axes.plot(*curve.T, c=INK, lw=1.3, solid_capstyle="round", zorder=2)
        if self.densities is None:
            draw_points(axes, self.points)
        else:
            self.densities.draw_curves(axes, filled=False)
        draw_means(axes, self.means)
        axes.set(xlabel=self.feature_names[0], ylabel=self.feature_names[1])
        axes.set(xlim=self.extent[:2], ylim=self.extent[2:])
        draw_legend(axes, handles)
        self.ax_, self.figure_ = axes, axes.figure
        return self

    def _draw_regions(self, axes: Axes) -> None:
        if self.posteriors is None:
            colors = tints(self.regions, len(self.classes))
        else:
            colors = blends(self.posteriors)
        axes.imshow(colors, extent=self.extent, origin="lower", aspect="auto", zorder=0)
        rejected = self.regions < 0
        if rejected.any():
            height = max(len(rejected), 2)  # contours need two rows
            hatched = axes.contourf(
                np.broadcast_to(rejected, (height, rejected.shape[1])),
                [0.5, 1.5],
                colors="none",
                hatches=[HATCH],
                extent=self.extent,
                zorder=1,
            )
            hatched.set(edgecolor=GRAY, linewidth=0)

    def _rejected_handle(self) -> list[Any]:
        if not (self.regions < 0).any():
            return []
        patches = need("matplotlib.patches", extra="plot")
        return [patches.Patch(fc=tuple(REJECTED), ec=GRAY, hatch=HATCH, lw=0, label="rejected")]


def validate_grid(grid_points: int) -> int:
    """Return a number of cells; refuse what is none, or too few to see anything."""
    if not is_whole(grid_points) or grid_points < 2:  # noqa: PLR2004 (a grid has two sides)
        raise ValueError(f"grid_points must be an integer of at least 2; got {grid_points!r}.")
    return grid_points
