"""The textbook's picture of one feature: densities of classes, and where the decision changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from gauda._estimators.classifier import Classifier
from gauda._support.arrays import Floats
from gauda._support.optional import need
from gauda.pictures._canvas import axes_or_new, class_handles, draw_legend, line_handle
from gauda.pictures._line import Curves, changes_along, ends_of
from gauda.pictures._palette import GRAY, INK, look
from gauda.pictures._plane import FAR, Plane, Points, as_now
from gauda.typing import KnownValues, Labels, MatrixLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

RUG = 0.03
"""Height of the marks of rows, as a share of the axis."""

HEADROOM = 1.06
MIXTURE: dict[str, Any] = {"c": INK, "lw": 1.2, "ls": "--"}
THRESHOLD: dict[str, Any] = {"c": INK, "lw": 1.6}


@dataclass(kw_only=True, eq=False, repr=False)
class DensitiesDisplay:
    """The density of each class along one feature, that of all, and where the decision changes.

    Made by `from_estimator`.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels.

    feature_name : str
        Name of the feature.

    x : ndarray of shape (n_points,)
        Points along the feature.

    densities : ndarray of shape (n_classes, n_points)
        Density of each class there, times its prior.

    density : ndarray of shape (n_points,)
        Density of all classes together, the sum of these.

    decisions : list of (label, label, float)
        The decisions before and after each point at which they change, exact but for rounding.

    top : float
        Upper end of the axis of densities.

    points : Points
        The rows that are drawn: `rows`, and `codes`, the indices of their classes.

    ax_ : matplotlib Axes
        Axes of the last `plot`.

    figure_ : matplotlib Figure
        Their figure.

    See Also
    --------
    GaussiansDisplay : Two features.
    LevelsDisplay : A feature of categories.

    Examples
    --------
    >>> from gauda import QDA
    >>> from gauda.pictures import DensitiesDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = DensitiesDisplay.from_estimator(QDA().fit(X, y), X, y, feature="petal width (cm)")
    >>> [(i, j, round(x, 3)) for i, j, x in display.decisions]
    [(0, 1, 0.633), (1, 2, 1.644)]
    """

    classes: NDArray[Any]
    feature_name: str
    x: Floats
    densities: Floats
    density: Floats
    decisions: list[tuple[Any, Any, float]]
    top: float
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
        feature: str | int | None = None,
        given: KnownValues | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw one feature of a fitted model.

        Parameters
        ----------
        estimator : Gaussian classifier or MixedNB
            The fitted model. With more features the others are summed out, without a refit.

        X : array-like of shape (n_samples, n_features), default=None
            Rows to mark below the curves, with all features; of more than 5000 as many, chosen at
            random.

        y : array-like of shape (n_samples,), default=None
            Their labels; without them they are gray.

        feature : name or index, default=None
            The feature; by default the first one of numbers.

        given : mapping, default=None
            Values of other features by name or index, under which the densities are drawn.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        DensitiesDisplay
            What was drawn.

        Examples
        --------
        >>> from gauda import LDA
        >>> from gauda.pictures import DensitiesDisplay
        >>> lda = LDA.from_parameters([[0.0], [2.0]], [[1.0]], classes=["a", "b"])
        >>> DensitiesDisplay.from_estimator(lda).decisions
        [('a', 'b', 1.0)]
        """
        need("matplotlib", extra="plot")
        estimator = as_now(estimator)
        line = Plane.of(estimator, None if feature is None else [feature], given, n_axes=1)
        return cls.of_line(line, line.points(estimator, X, y)).plot(ax=ax)

    @classmethod
    def of_line(cls, line: Plane, points: Points) -> Self:
        """Return the display of a model of one feature, which nothing is drawn of yet."""
        low, high = ends_of(line, points.rows, FAR)
        curves = Curves.along(line, low, high)
        return cls(
            classes=line.model.classes_,
            feature_name=line.names[0],
            x=curves.x,
            densities=curves.of_classes,
            density=curves.total,
            decisions=changes_along(line.model, line.means().ravel(), low, high),
            top=HEADROOM * curves.top,
            points=points,
        )

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top of what is seen."""
        return float(self.x[0]), float(self.x[-1]), 0.0, self.top

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw densities, rows, and where the decision changes.

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
        >>> from gauda.pictures import DensitiesDisplay
        >>> from matplotlib.figure import Figure
        >>> lda = LDA.from_parameters([[0.0], [2.0]], [[1.0]])
        >>> axes = Figure().subplots()
        >>> DensitiesDisplay.from_estimator(lda, ax=axes).plot(ax=axes).ax_ is axes
        True
        """
        handles = [*class_handles(self.classes), *self.line_handles()]
        axes = axes_or_new(ax, handles)
        self.draw_curves(axes, filled=True)
        for _, _, at in self.decisions:
            axes.axvline(at, **THRESHOLD, zorder=4)
        axes.set(xlabel=self.feature_name, ylabel="density")
        left, right, bottom, top = self.extent
        axes.set(xlim=(left, right), ylim=(bottom, top))
        draw_legend(axes, handles)
        self.ax_, self.figure_ = axes, axes.figure
        return self

    def draw_curves(self, axes: Axes, *, filled: bool) -> None:
        """Draw the densities, and mark the rows."""
        for code, density in enumerate(self.densities):
            axes.plot(self.x, density, c=look(code).edge, lw=1.6, zorder=3)
            if filled:
                axes.fill_between(self.x, density, color=look(code).color, alpha=0.3, lw=0)
        if len(self.densities) > 1:
            axes.plot(self.x, self.density, **MIXTURE, zorder=3)
        for code in np.unique(self.points.codes):
            rows = self.points.rows[self.points.codes == code, 0]
            color = look(int(code)).edge if code >= 0 else GRAY
            axes.vlines(rows, 0, RUG * self.top, color=color, lw=0.6, zorder=5)

    def line_handles(self) -> list[Any]:
        """Return the entries of the legend for lines."""
        handles = []
        if len(self.densities) > 1:
            handles.append(line_handle("all classes", **MIXTURE))
        if self.decisions:
            points = ", ".join(f"{at:.4g}" for _, _, at in self.decisions)
            handles.append(line_handle(f"decision changes at {points}", **THRESHOLD))
        return handles

    def upright_lines(self) -> list[tuple[Any, Any, Floats]]:
        """Return a line over each point at which the decision changes, and its two decisions."""
        bottom, top = self.extent[2:]
        return [(i, j, np.array([[at, bottom], [at, top]])) for i, j, at in self.decisions]
