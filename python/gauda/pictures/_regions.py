"""Decision regions in the plane of two features, with the exact curves between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from gauda._analysis.gaussians import Floats
from gauda._data.labels import indices_among
from gauda._data.training import is_whole
from gauda._support.optional import need
from gauda.pictures._canvas import (
    axes_or_new,
    class_handles,
    draw_legend,
    draw_means,
    draw_points,
)
from gauda.pictures._curves import boundary_curves
from gauda.pictures._decisions import Decisions
from gauda.pictures._palette import GRAY, INK, REJECTED, tints
from gauda.pictures._plane import Plane, Points, View, as_now
from gauda.typing import Labels, MatrixLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

HATCH = "////"


class DecisionRegionsDisplay:
    """What a classifier decides in the plane of two features.

    Made by `from_estimator`.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels.

    feature_names : list of str
        Names of the two features.

    extent : tuple of four floats
        Left, right, bottom and top of the part of the plane that is seen.

    regions : ndarray of shape (grid_points, grid_points)
        Place of the decision among the classes in each cell of a grid, from the lower left; -1
        where `predict` returns none of them, as for rejected rows.

    means : ndarray of shape (n_classes, 2)
        Class means.

    curves : list of (label, label, ndarray of shape (n_points, 2))
        The boundaries: two decisions, and points on which these tie ahead of all others, exact
        but for rounding. With `reject` one of the two may be `reject_label`.

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

    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(  # noqa: PLR0913 (what there is to draw)
        self,
        *,
        classes: NDArray[Any],
        feature_names: list[str],
        extent: tuple[float, float, float, float],
        regions: NDArray[np.intp],
        curves: list[tuple[Any, Any, Floats]],
        means: Floats,
        points: Points,
    ) -> None:
        self.classes = classes
        self.feature_names = feature_names
        self.extent = extent
        self.regions = regions
        self.curves = curves
        self.means = means
        self._points = points

    @classmethod
    def from_estimator(  # noqa: PLR0913 (what can be chosen)
        cls,
        estimator: Any,
        X: MatrixLike | None = None,
        y: Labels | None = None,
        *,
        features: Any = None,
        grid_points: int = 300,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the decisions of a fitted Gaussian classifier.

        With more than two features they are those of the marginal model of two, without a refit.

        Parameters
        ----------
        estimator : Gaussian classifier
            The fitted model.

        X : array-like of shape (n_samples, n_features), default=None
            Rows to draw as points, with all features; of more than 5000 as many, chosen at random.
            Rows with missing values are not drawn. Without rows the plane is seen about the class
            means.

        y : array-like of shape (n_samples,), default=None
            Their labels; without them they are gray.

        features : pair of names or indices, default=None
            The features of the horizontal and of the vertical axis; by default the first two.

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
        estimator = as_now(estimator)
        plane = Plane.of(estimator, features)
        points = plane.points(estimator, X, y)
        view = View.of(plane, points, validate_grid(grid_points))
        classes = estimator.classes_
        decided = indices_among(plane.model.predict(view.centers()), classes)
        display = cls(
            classes=classes,
            feature_names=plane.names,
            extent=view.extent,
            regions=decided.reshape(view.n_steps, view.n_steps),
            curves=named_curves(plane.model, view),
            means=plane.means(),
            points=points,
        )
        return display.plot(ax=ax)

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
        self._draw_regions(axes)
        for _, _, curve in self.curves:
            axes.plot(*curve.T, c=INK, lw=1.3, solid_capstyle="round", zorder=2)
        draw_points(axes, self._points)
        draw_means(axes, self.means)
        axes.set(xlabel=self.feature_names[0], ylabel=self.feature_names[1])
        axes.set(xlim=self.extent[:2], ylim=self.extent[2:])
        draw_legend(axes, handles)
        self.ax_, self.figure_ = axes, axes.figure
        return self

    def _draw_regions(self, axes: Axes) -> None:
        colors = tints(self.regions, len(self.classes))
        axes.imshow(colors, extent=self.extent, origin="lower", aspect="auto", zorder=0)
        rejected = self.regions < 0
        if rejected.any():
            hatched = axes.contourf(
                rejected, [0.5, 1.5], colors="none", hatches=[HATCH], extent=self.extent, zorder=1
            )
            hatched.set(edgecolor=GRAY, linewidth=0)

    def _rejected_handle(self) -> list[Any]:
        if not (self.regions < 0).any():
            return []
        patches = need("matplotlib.patches", extra="plot")
        return [patches.Patch(fc=tuple(REJECTED), ec=GRAY, hatch=HATCH, lw=0, label="rejected")]


def named_curves(model: Any, view: View) -> list[tuple[Any, Any, Floats]]:
    """Return the curves between decisions of a model, with the labels of both."""
    decisions = Decisions.of(model)
    labels = decisions.names.tolist()
    curves = boundary_curves(decisions, view)
    return [(labels[curve.pair[0]], labels[curve.pair[1]], curve.points) for curve in curves]


def validate_grid(grid_points: int) -> int:
    """Return a number of cells; refuse what is none, or too few to see anything."""
    if not is_whole(grid_points) or grid_points < 2:  # noqa: PLR2004 (a grid has two sides)
        raise ValueError(f"grid_points must be an integer of at least 2; got {grid_points!r}.")
    return grid_points
