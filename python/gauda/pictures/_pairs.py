"""All pairs of features at once: decision regions below, densities along the diagonal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gauda._data.label_columns import flat_labels
from gauda._estimators.access import statistics_of
from gauda._estimators.classifier import Classifier
from gauda._estimators.marginal import columns_of
from gauda._support.arrays import Indices
from gauda._support.optional import need
from gauda.pictures._canvas import class_handles
from gauda.pictures._densities import DensitiesDisplay
from gauda.pictures._plane import (
    Plane,
    Points,
    as_now,
    check_drawable,
    names_of,
    numeric_columns,
    some_rows,
)
from gauda.pictures._regions import DecisionRegionsDisplay
from gauda.typing import Labels, MatrixLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

MAX_FEATURES = 8
"""Features of which all pairs can still be seen."""

PANEL = 2.1
"""Inches that a panel takes."""


@dataclass(kw_only=True, eq=False, repr=False)
class PairsDisplay:
    """What a classifier decides by each pair of features, as klaR's `partimat` draws it.

    Made by `from_estimator`. Each panel below the diagonal shows the marginal model of two
    features, without a refit, and how many of the rows it gets wrong; on the diagonal are the
    densities along each feature.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels.

    feature_names : list of str
        Names of the features.

    regions : dict of (int, int) to DecisionRegionsDisplay
        What is drawn, by the row and column of the panel.

    densities : list of DensitiesDisplay
        What is drawn on the diagonal.

    errors : dict of (int, int) to float
        Share of the rows that the marginal model gets wrong, if labels are known.

    ax_ : ndarray of matplotlib Axes of shape (n_features, n_features)
        Axes of the last `plot`; those above the diagonal are empty.

    figure_ : matplotlib Figure
        Their figure.

    See Also
    --------
    DecisionRegionsDisplay : One pair.

    Examples
    --------
    >>> from gauda import QDA
    >>> from gauda.pictures import PairsDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> display = PairsDisplay.from_estimator(QDA().fit(X, y), X, y, features=[0, 2, 3])
    >>> round(display.errors[2, 1], 3)
    0.02
    """

    classes: NDArray[Any]
    feature_names: list[str]
    regions: dict[tuple[int, int], DecisionRegionsDisplay]
    densities: list[DensitiesDisplay]
    errors: dict[tuple[int, int], float]
    ax_: NDArray[Any] = field(init=False)
    figure_: Figure | SubFigure = field(init=False)

    @classmethod
    def from_estimator(  # noqa: PLR0913 (what can be chosen)
        cls,
        estimator: Classifier,
        X: MatrixLike,
        y: Labels | None = None,
        *,
        features: ArrayLike | None = None,
        grid_points: int = 100,
        ax: Sequence[Sequence[Axes]] | NDArray[Any] | None = None,
    ) -> Self:
        """Draw all pairs of some features of a fitted model.

        Parameters
        ----------
        estimator : Gaussian classifier or MixedNB
            The fitted model.

        X : array-like of shape (n_samples, n_features)
            Rows to draw as points, with all features; of more than 5000 as many, chosen at random.

        y : array-like of shape (n_samples,), default=None
            Their labels; without them they are gray, and no errors are counted.

        features : array-like of names or indices, default=None
            From two to eight features; by default all of numbers.

        grid_points : int, default=100
            Cells of the grid of each panel along each axis.

        ax : array-like of matplotlib Axes, default=None
            As many axes as there are pairs of a row and a column; by default those of a new figure.

        Returns
        -------
        PairsDisplay
            What was drawn.

        Examples
        --------
        >>> from gauda import LDA
        >>> from gauda.pictures import PairsDisplay
        >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0], [0, 1]])
        >>> X, y = lda.sample(50, random_state=0)
        >>> PairsDisplay.from_estimator(lda, X, y).ax_.shape
        (2, 2)
        """
        need("matplotlib", extra="plot")
        estimator = as_now(estimator)
        check_drawable(estimator)
        columns = chosen_columns(estimator, features)
        rows = some_rows(estimator, X, None if y is None else flat_labels(y))
        regions, errors = {}, {}
        for below, vertical in enumerate(columns):
            for beside, horizontal in enumerate(columns[:below]):
                plane = Plane.of(estimator, [horizontal, vertical])
                points = rows.columns(plane.columns)
                regions[below, beside] = DecisionRegionsDisplay.of_plane(plane, points, grid_points)
                if y is not None and len(points.codes):
                    errors[below, beside] = error_of(plane, points)
        lines = [Plane.of(estimator, [column], n_axes=1) for column in columns]
        display = cls(
            classes=estimator.classes_,
            feature_names=[names_of(estimator)[column] for column in columns],
            regions=regions,
            densities=[DensitiesDisplay.of_line(line, no_points()) for line in lines],
            errors=errors,
        )
        return display.plot(ax=ax)

    def plot(self, ax: Sequence[Sequence[Axes]] | NDArray[Any] | None = None) -> Self:
        """Draw the panels.

        Parameters
        ----------
        ax : array-like of matplotlib Axes, default=None
            As many axes as there are pairs of a row and a column; by default those of a new figure.

        Returns
        -------
        Self
            The display, its `ax_` and `figure_` set.

        Examples
        --------
        >>> from gauda import LDA
        >>> from gauda.pictures import PairsDisplay
        >>> from matplotlib.figure import Figure
        >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0], [0, 1]])
        >>> X, y = lda.sample(50, random_state=0)
        >>> panels = Figure().subplots(2, 2)
        >>> PairsDisplay.from_estimator(lda, X, y, ax=panels).ax_[1, 0] is panels[1, 0]
        True
        """
        panels = self._panels(ax)
        for (below, beside), display in self.regions.items():
            axes = panels[below, beside]
            display.plot(ax=axes)
            if (below, beside) in self.errors:
                axes.set_title(f"{self.errors[below, beside]:.1%} wrong", fontsize="small")
        for index, densities in enumerate(self.densities):
            densities.plot(ax=panels[index, index])
        self._tidy(panels)
        self.ax_, self.figure_ = panels, panels[0, 0].figure
        return self

    def _panels(self, ax: Any) -> NDArray[Any]:
        n = len(self.feature_names)
        if ax is None:
            pyplot = need("matplotlib.pyplot", extra="plot")
            _, ax = pyplot.subplots(n, n, figsize=(PANEL * n, PANEL * n), layout="constrained")
        panels = np.asarray(ax, dtype=object)
        if panels.shape != (n, n):
            raise ValueError(
                f"ax must hold {n} x {n} axes, a panel for each pair; got {panels.shape}."
            )
        return panels

    def _tidy(self, panels: NDArray[Any]) -> None:
        """Leave names at the edges only, and one legend."""
        n = len(panels)
        for (below, beside), axes in np.ndenumerate(panels):
            if beside > below:
                axes.set_axis_off()
                continue
            if axes.get_legend() is not None:
                axes.get_legend().remove()
            axes.set_xlabel(self.feature_names[beside] if below == n - 1 else "")
            axes.set_ylabel(self.feature_names[below] if beside == 0 and below else "")
            axes.tick_params(labelsize="x-small")
        panels[0, -1].legend(handles=class_handles(self.classes), loc="upper right", frameon=False)


def no_points() -> Points:
    """Return rows along one feature, of which there are none."""
    return Points(np.empty((0, 1)), np.empty(0, dtype=np.intp))


def chosen_columns(estimator: Any, features: Any) -> Indices:
    """Return the columns of numbers to draw: two to eight."""
    columns = numeric_columns(estimator)
    if features is not None:
        columns = columns_of(statistics_of(estimator), features)
    if not 1 < len(columns) <= MAX_FEATURES:
        raise ValueError(
            f"features must be 2 to {MAX_FEATURES} columns of numbers; got {len(columns)}. Choose "
            "some by name or index."
        )
    return columns


def error_of(plane: Plane, points: Points) -> float:
    """Return the share of rows that a model of two features gets wrong; rejected rows are."""
    right = plane.model.classes_[points.codes]
    return float(np.mean(plane.model.predict(points.rows) != right))
