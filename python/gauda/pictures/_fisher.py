"""Fisher's projection: rows along the axes that separate the classes best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from gauda._estimators.access import model_of
from gauda._estimators.classifier import Classifier
from gauda._support.arrays import Floats
from gauda._support.optional import need
from gauda.discriminant_analysis import LinearDiscriminantAnalysis
from gauda.pictures._biplot import MAX_NAMES, draw_arrows, draw_circles, largest_first
from gauda.pictures._canvas import (
    axes_or_new,
    class_handles,
    draw_legend,
    draw_means,
    draw_points,
    line_handle,
    panels_or_new,
)
from gauda.pictures._line import changes_along
from gauda.pictures._palette import GRAY, INK, look
from gauda.pictures._plane import (
    DECISIONS,
    MAX_POINTS,
    Points,
    View,
    as_now,
    check_gaussian,
    drop_names,
    names_of,
    some_rows,
)
from gauda.pictures._scenes import named_curves
from gauda.typing import Labels, MatrixLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

TWO = 2
CELLS = 300
BINS = 40
MAX_COUNTED = 100_000
"""Rows that a histogram counts; of more, these are chosen at random."""

HELD = 0.95
"""Share of the rows of a class that its circle holds."""

RADIUS = float(np.sqrt(chi2.ppf(HELD, TWO)))


SIZE = 10.0, 4.6


@dataclass(kw_only=True, eq=False, repr=False)
class FisherDisplay:
    """Rows along Fisher's axes, as `LinearDiscriminantAnalysis.transform` gives them.

    Of two classes there is one axis: a histogram along it with the threshold, and beside it the
    direction. Of more, the first two axes, the class means and the boundaries there, the ellipses
    that hold 95 % of each class, circles in these units, and the variables as arrows.

    Made by `from_estimator`.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels.

    feature_names : list of str
        Names of all features.

    direction : ndarray of shape (n_features, n_axes)
        Coefficients of the axes, times the standard deviation of each feature within classes: how
        far a typical change of the feature moves a row.

    explained : ndarray of shape (n_axes,)
        Share of the variance between classes along each axis.

    means : ndarray of shape (n_classes, n_axes)
        Projected class means.

    thresholds : ndarray
        Along a single axis: where the decision by it changes.

    curves : list of (label, label, ndarray of shape (n_points, 2))
        In the plane of the first two axes: the boundaries of decisions by both.

    points : Points
        The rows that are drawn: `rows`, and `codes`, the indices of their classes.

    ellipses, arrows : bool
        What is drawn besides.

    ax_ : matplotlib Axes, or ndarray of two
        Axes of the last `plot`.

    figure_ : matplotlib Figure
        Their figure.

    Examples
    --------
    >>> from gauda import LDA
    >>> from gauda.pictures import FisherDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> display = FisherDisplay.from_estimator(LDA().fit(X, y), X, y)
    >>> display.ax_.get_xlabel()
    'axis 1 (99.1 % of the variance between classes)'
    """

    classes: NDArray[Any]
    feature_names: list[str]
    direction: Floats
    explained: Floats
    means: Floats
    thresholds: Floats
    curves: list[tuple[Any, Any, Floats]]
    points: Points
    ellipses: bool = True
    arrows: bool = True
    ax_: Any = field(init=False)
    figure_: Figure | SubFigure = field(init=False)

    @classmethod
    def from_estimator(  # noqa: PLR0913 (what can be chosen)
        cls,
        estimator: Classifier,
        X: MatrixLike,
        y: Labels | None = None,
        *,
        ellipses: bool = True,
        arrows: bool = True,
        ax: Axes | Sequence[Axes] | NDArray[Any] | None = None,
    ) -> Self:
        """Draw rows along the axes of a fitted linear discriminant analysis.

        Parameters
        ----------
        estimator : LinearDiscriminantAnalysis
            The fitted model, of solver 'svd' or 'eigen'.

        X : array-like of shape (n_samples, n_features)
            Rows. Of more than 5000 as many are drawn, chosen at random; a histogram counts 100,000.

        y : array-like of shape (n_samples,), default=None
            Their labels; without them they are gray.

        ellipses : bool, default=True
            Draw the circles that hold 95 % of each class, in the plane of two axes.

        arrows : bool, default=True
            Draw variables as arrows there: where a row moves when one of them rises by a standard
            deviation within classes, all arrows lengthened alike. Of many, the 15 longest.

        ax : matplotlib Axes, or array-like of two, default=None
            Axes to draw on; by default those of a new figure. Of two classes the second shows the
            direction, and is left out if one is given.

        Returns
        -------
        FisherDisplay
            What was drawn.

        Examples
        --------
        >>> from gauda import LDA
        >>> from gauda.pictures import FisherDisplay
        >>> lda = LDA.from_parameters([[0, 0], [4, 0]], [[4, 0], [0, 1]])
        >>> display = FisherDisplay.from_estimator(lda, [[0, 1], [4, 1]], [0, 1])
        >>> display.direction.ravel().round(9).tolist(), display.thresholds.round(9).tolist()
        ([1.0, 0.0], [0.0])
        """
        need("matplotlib", extra="plot")
        estimator = as_now(estimator)
        check_linear(estimator)
        model = plane_of(estimator)
        n_axes = model.n_features_in_
        rows = some_rows(estimator, X, y, MAX_COUNTED if n_axes == 1 else MAX_POINTS).complete()
        projected = Points(project(estimator, rows.rows), rows.codes)
        display = cls(
            classes=estimator.classes_,
            feature_names=names_of(estimator),
            direction=direction_of(estimator, n_axes),
            explained=estimator.explained_variance_ratio_[:TWO],
            means=model.means_,
            thresholds=thresholds_of(model, projected.rows) if n_axes == 1 else np.empty(0),
            curves=named_curves(model, view_of(model.means_, projected)) if n_axes > 1 else [],
            points=projected,
            ellipses=ellipses,
            arrows=arrows,
        )
        return display.plot(ax=ax)

    def plot(self, ax: Axes | Sequence[Axes] | NDArray[Any] | None = None) -> Self:
        """Draw the projection.

        Parameters
        ----------
        ax : matplotlib Axes, or array-like of two, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        Self
            The display, its `ax_` and `figure_` set.

        Examples
        --------
        >>> from gauda import LDA
        >>> from gauda.pictures import FisherDisplay
        >>> from matplotlib.figure import Figure
        >>> lda = LDA.from_parameters([[0, 0], [4, 0]], [[4, 0], [0, 1]])
        >>> axes = Figure().subplots()
        >>> FisherDisplay.from_estimator(lda, [[0, 1], [4, 1]], [0, 1], ax=axes).ax_ is axes
        True
        """
        given: Any = ax
        if self.means.shape[1] == TWO:
            self.ax_ = axes_or_new(given, class_handles(self.classes))
            self._draw_plane(self.ax_)
            self.figure_ = self.ax_.figure
        elif given is not None and np.ndim(given) == 0:
            self.ax_ = given
            self._draw_histogram(given)
            self.figure_ = given.figure
        else:
            self.ax_ = panels_or_new(given, class_handles(self.classes), SIZE, width_ratios=[3, 2])
            self._draw_histogram(self.ax_[0])
            self._draw_direction(self.ax_[1])
            self.figure_ = self.ax_[0].figure
        return self

    def _axis_name(self, axis: int) -> str:
        return (
            f"axis {axis + 1} ({100 * self.explained[axis]:.1f} % of the variance between classes)"
        )

    def _draw_plane(self, axes: Axes) -> None:
        for _, _, curve in self.curves:
            axes.plot(*curve.T, c=INK, lw=1.2, zorder=2)
        draw_points(axes, self.points)
        draw_means(axes, self.means)
        if self.ellipses:
            draw_circles(axes, self.means, RADIUS)
        left, right, bottom, top = view_of(self.means, self.points).extent
        if self.arrows:
            draw_arrows(axes, self.direction, self.feature_names, min(right - left, top - bottom))
        axes.set(xlim=(left, right), ylim=(bottom, top))
        axes.set(xlabel=self._axis_name(0), ylabel=self._axis_name(1))
        draw_legend(axes, class_handles(self.classes))

    def _draw_histogram(self, axes: Axes) -> None:
        projected = self.points.rows[:, 0]
        ends = np.concatenate([projected, self.means[:, 0]])
        edges = np.linspace(ends.min(), ends.max(), BINS + 1).tolist()
        for code in np.unique(self.points.codes):
            counted = projected[self.points.codes == code]
            color = look(int(code)).color if code >= 0 else GRAY
            label = str(self.classes[code]) if code >= 0 else "rows"
            axes.hist(counted, edges, label=label, color=color, alpha=0.6, ec="white", lw=0.4)
        for code, mean in enumerate(self.means[:, 0]):
            axes.axvline(mean, c=look(code).edge, lw=1.2, ls=":")
        handles = axes.get_legend_handles_labels()[0]
        handles.append(line_handle("class means", c=INK, lw=1.2, ls=":"))
        for threshold in self.thresholds:
            axes.axvline(threshold, c=INK, lw=1.8)
        if len(self.thresholds):
            values = ", ".join(f"{threshold:z.2f}" for threshold in self.thresholds)
            handles.append(line_handle(f"threshold {values}", c=INK, lw=1.8))
        axes.set(xlabel="projection on Fisher's direction", ylabel="rows")
        draw_legend(axes, handles)

    def _draw_direction(self, axes: Axes) -> None:
        weights = self.direction[:, 0]
        largest = largest_first(np.abs(weights))
        names = [self.feature_names[index] for index in largest]
        axes.barh(range(len(largest)), weights[largest], color=look(5).color, ec=INK, lw=0.6)
        axes.set_yticks(range(len(largest)), names)
        axes.invert_yaxis()
        axes.axvline(0, c=INK, lw=0.8)
        axes.set_xlabel("weight, per standard deviation within classes")
        most = (
            "" if len(largest) == len(weights) else f" (the {MAX_NAMES} largest of {len(weights)})"
        )
        axes.set_title(f"Fisher's direction{most}", fontsize="medium")


def check_linear(estimator: Any) -> None:
    """Refuse a model without discriminant axes."""
    if not isinstance(estimator, LinearDiscriminantAnalysis):
        raise TypeError(
            f"estimator must be a LinearDiscriminantAnalysis, which has Fisher's axes; got "
            f"{type(estimator).__name__}. Fit one to the same rows, or make it with from_moments."
        )
    check_gaussian(estimator)
    if estimator.solver == "lsqr":
        raise ValueError("solver='lsqr' gives no discriminant axes. Use 'svd' or 'eigen'.")
    if len(estimator.classes_) < TWO:
        raise ValueError("Fisher's axes separate classes, but the model knows only one.")


def project(estimator: Any, rows: Floats) -> Floats:
    """Return the first two coordinates of rows, or the only one."""
    return np.asarray(drop_names(estimator).transform(rows))[:, :TWO]


def plane_of(estimator: Any) -> LinearDiscriminantAnalysis:
    """Return the model of these coordinates, along which the common covariance is white."""
    means = project(estimator, np.asarray(estimator.means_, dtype=np.float64))
    decisions = {name: value for name, value in estimator.get_params().items() if name in DECISIONS}
    return LinearDiscriminantAnalysis.from_parameters(
        means,
        np.eye(means.shape[1]),
        np.exp(model_of(estimator).log_prior),
        estimator.classes_,
        **decisions,
    )


def direction_of(estimator: Any, n_axes: int) -> Floats:
    """Return the coefficients of the axes, times the deviations within classes."""
    moments = estimator.moments_
    tied = moments.structure == "tied"
    within = moments.scatter if tied else moments.scatter.sum(axis=0)
    squares = within if moments.structure == "diag" else np.diag(within)
    deviations = np.sqrt(squares / moments.counts.sum())
    return np.asarray(deviations[:, np.newaxis] * estimator.scalings_[:, :n_axes])


def thresholds_of(line: LinearDiscriminantAnalysis, rows: Floats) -> Floats:
    """Return where along the axis the decision changes."""
    ends = np.concatenate([rows, line.means_])
    changes = changes_along(line, line.means_.ravel(), float(ends.min()), float(ends.max()))
    return np.array([at for _, _, at in changes])


def view_of(means: Floats, points: Points) -> View:
    """Return the part of the plane of two axes that is seen: rows, and the circles of classes."""
    return View.over(np.concatenate([points.rows, means - RADIUS, means + RADIUS]), CELLS)
