"""The Gaussians of the classes in the plane of two features: ellipses and equal densities."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2

from gauda._estimators.classifier import Classifier
from gauda._support.arrays import Floats
from gauda._support.optional import need
from gauda.pictures._canvas import (
    axes_or_new,
    class_handles,
    draw_legend,
    draw_means,
    draw_points,
    line_handle,
)
from gauda.pictures._palette import GRAY, INK, look
from gauda.pictures._plane import AXES, Plane, Points, View, as_now
from gauda.typing import KnownValues, Labels, MatrixLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

ELLIPSE_POINTS = 181
CELLS = 300
DENSITY_MASS = (0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
"""Shares of all rows within the lines of equal density."""

WIDEST, THINNEST = 2.0, 0.9


@dataclass(kw_only=True, eq=False, repr=False)
class GaussiansDisplay:
    """The density of each class, and that of all together, in the plane of two features.

    Made by `from_estimator`.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels.

    feature_names : list of str
        Names of the two features.

    means : ndarray of shape (n_classes, 2)
        Class means.

    radii : ndarray of shape (n_levels,)
        Mahalanobis distances of the ellipses from the class means.

    level_names : list of str
        What the legend calls them.

    ellipses : ndarray of shape (n_classes, n_levels, n_points, 2)
        Points of the ellipses.

    density : ndarray of shape (n, n) or None
        Density p(x) on a grid over `extent`, from the lower left.

    levels : ndarray
        Densities along the lines of equal density.

    extent : tuple of four floats
        Left, right, bottom and top of the grid.

    points : Points
        The rows that are drawn: `rows`, and `codes`, the indices of their classes.

    ax_ : matplotlib Axes
        Axes of the last `plot`.

    figure_ : matplotlib Figure
        Their figure.

    See Also
    --------
    DecisionRegionsDisplay : The decisions that follow from the densities.

    Examples
    --------
    >>> from gauda import LDA
    >>> from gauda.pictures import GaussiansDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = GaussiansDisplay.from_estimator(LDA().fit(X, y), X, y, features=[2, 3])
    >>> display.ellipses.shape[:2]
    (3, 2)
    """

    classes: NDArray[Any]
    feature_names: list[str]
    level_names: list[str]
    radii: Floats
    ellipses: Floats
    density: Floats | None
    levels: Floats
    extent: tuple[float, float, float, float]
    means: Floats
    points: Points
    ax_: Axes = field(init=False)
    figure_: Figure | SubFigure = field(init=False)

    @classmethod
    def from_estimator(  # noqa: PLR0913 (what can be chosen)
        cls,
        estimator: Classifier,
        X: MatrixLike | None = None,
        y: Labels | None = None,
        *,
        features: ArrayLike | None = None,
        given: KnownValues | None = None,
        mass: ArrayLike | None = None,
        sigmas: ArrayLike | None = None,
        density: bool = True,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the Gaussians of a fitted classifier.

        With more than two features they are those of the marginal model of two, without a refit.

        Parameters
        ----------
        estimator : Gaussian classifier or MixedNB
            The fitted model.

        X : array-like of shape (n_samples, n_features), default=None
            Rows to draw as points, with all features; of more than 5000 as many, chosen at random.
            Rows with missing values are not drawn.

        y : array-like of shape (n_samples,), default=None
            Their labels; without them they are gray.

        features : pair of names or indices, default=None
            The features of the horizontal and of the vertical axis; by default the first two.

        given : mapping, default=None
            Values of other features by name or index, under which the Gaussians are drawn.

        mass : float or array-like of floats, default=None
            Shares of the rows of a class that its ellipses hold; by default 50 % and 95 %.

        sigmas : float or array-like of floats, default=None
            The ellipses' Mahalanobis distances from the mean, instead of `mass`. In two dimensions
            39 % of the rows are within 1, and 86 % within 2.

        density : bool, default=True
            Draw lines of equal density p(x) of all classes together, which hold 10, 25, 50, 75, 90
            and 99 % of all rows.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        GaussiansDisplay
            What was drawn.

        Examples
        --------
        >>> from gauda import QDA
        >>> from gauda.pictures import GaussiansDisplay
        >>> qda = QDA.from_parameters([[0, 0], [9, 0]], [[[4, 0], [0, 1]], [[1, 0], [0, 1]]])
        >>> display = GaussiansDisplay.from_estimator(qda, sigmas=[1, 2], density=False)
        >>> display.ellipses[0, 1].max(axis=0)
        array([4., 2.])
        """
        need("matplotlib", extra="plot")
        estimator = as_now(estimator)
        radii, level_names = radii_of(mass, sigmas)
        plane = Plane.of(estimator, features, given)
        points = plane.points(estimator, X, y)
        view = View.over(np.concatenate([points.rows, plane.around(max(3, radii.max()))]), CELLS)
        on_grid = density_on(view, plane) if density else None
        display = cls(
            classes=estimator.classes_,
            feature_names=plane.names,
            level_names=level_names,
            radii=radii,
            ellipses=ellipses_of(plane, radii),
            density=on_grid,
            levels=np.empty(0) if on_grid is None else levels_of(on_grid, view),
            extent=view.extent,
            means=plane.means(),
            points=points,
        )
        return display.plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw ellipses, lines of equal density, rows and class means.

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
        >>> from gauda.pictures import GaussiansDisplay
        >>> from matplotlib.figure import Figure
        >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0], [0, 1]])
        >>> axes = Figure().subplots()
        >>> GaussiansDisplay.from_estimator(lda, ax=axes).plot(ax=axes).ax_ is axes
        True
        """
        handles = class_handles(self.classes) + self._line_handles()
        axes = axes_or_new(ax, handles)
        if len(self.levels):
            axes.contour(
                self.density,
                levels=self.levels,
                colors=GRAY,
                linewidths=0.6,
                linestyles="solid",
                extent=self.extent,
                zorder=1,
            )
        draw_points(axes, self.points)
        for code, ellipses in enumerate(self.ellipses):
            for ellipse, width in zip(ellipses, self._widths(), strict=True):
                axes.plot(*ellipse.T, c=look(code).edge, lw=width, zorder=4)
        draw_means(axes, self.means)
        axes.set(xlabel=self.feature_names[0], ylabel=self.feature_names[1])
        axes.set(xlim=self.extent[:2], ylim=self.extent[2:])
        draw_legend(axes, handles)
        self.ax_, self.figure_ = axes, axes.figure
        return self

    def _widths(self) -> list[float]:
        """Return the width of the line of each ellipse, the inner ones wider."""
        return [float(width) for width in np.linspace(WIDEST, THINNEST, len(self.radii))]

    def _line_handles(self) -> list[Any]:
        pairs = zip(self.level_names, self._widths(), strict=True)
        handles = [line_handle(name, c=INK, lw=width) for name, width in pairs]
        if self.density is not None:
            handles.append(line_handle("equal density", c=GRAY, lw=0.6))
        return handles


def radii_of(mass: ArrayLike | None, sigmas: ArrayLike | None) -> tuple[Floats, list[str]]:
    """Return Mahalanobis distances in rising order, and what the ellipses there are called."""
    if sigmas is None:
        shares = np.sort(np.atleast_1d(np.asarray((0.5, 0.95) if mass is None else mass, float)))
        if shares.ndim != 1 or not len(shares) or not ((shares > 0) & (shares < 1)).all():
            raise ValueError(f"mass must be shares between 0 and 1, such as 0.95; got {mass!r}.")
        return np.sqrt(chi2.ppf(shares, AXES)), [
            f"{100 * share:g} % of a class" for share in shares
        ]
    if mass is not None:
        raise ValueError("Both mass and sigmas say which ellipses to draw. Give one of them.")
    radii = np.sort(np.atleast_1d(np.asarray(sigmas, float)))
    if radii.ndim != 1 or not len(radii) or not ((radii > 0) & np.isfinite(radii)).all():
        raise ValueError(f"sigmas must be positive distances, such as [1, 2]; got {sigmas!r}.")
    return radii, [f"{radius:g} sd from the mean" for radius in radii]


def ellipses_of(plane: Plane, radii: Floats) -> Floats:
    """Return points of each ellipse: m + r F u, where u goes round the unit circle."""
    angles = np.linspace(0, 2 * np.pi, ELLIPSE_POINTS)
    circle = np.stack([np.cos(angles), np.sin(angles)])
    round_mean = np.swapaxes(plane.factors() @ circle, 1, 2)[:, np.newaxis]
    scaled = radii[:, np.newaxis, np.newaxis] * round_mean
    return np.asarray(plane.means()[:, np.newaxis, np.newaxis] + scaled)


def density_on(view: View, plane: Plane) -> Floats:
    """Return p(x) in the cells of a grid."""
    log_density = plane.model.score_samples(view.centers())
    return np.asarray(np.exp(log_density).reshape(CELLS, CELLS))


def levels_of(density: Floats, view: View) -> Floats:
    """Return the densities above which the shares of all rows lie that lines shall hold."""
    falling = np.sort(density, axis=None)[::-1]
    held = np.cumsum(falling) * view.step.prod()
    indices = np.searchsorted(held, DENSITY_MASS)
    levels = np.unique(falling[indices[indices < len(falling)]])
    return np.asarray(levels[levels > 0])
