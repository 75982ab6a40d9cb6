"""Imputed against true values: some that are known are hidden, and filled in from the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from gauda._estimators.classifier import Classifier
from gauda._estimators.marginal import columns_of
from gauda._support.arrays import Floats, Indices, Mask
from gauda._support.optional import need
from gauda.pictures._canvas import axes_or_new, class_handles, draw_legend, line_handle
from gauda.pictures._densities import DensitiesDisplay
from gauda.pictures._gaussians import GaussiansDisplay
from gauda.pictures._palette import GRAY, look
from gauda.pictures._plane import (
    AXES,
    as_now,
    check_gaussian,
    drop_names,
    names_of,
    numbers_of,
    some_rows,
)
from gauda.typing import Labels, MatrixLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

MAX_VALUES = 600
"""Values that are drawn; of more, the first ones, which are of random rows."""

MAX_NAMES = 20
ROOM = 0.25
"""Of the range of the values, above and below them: longer intervals leave the axes."""

NORMAL_95 = 1.959963984540054


@dataclass(kw_only=True, eq=False, repr=False)
class ImputationDisplay:
    """Values that a model fills in, against the true ones that were hidden from it.

    Made by `from_estimator`.

    Attributes
    ----------
    feature_names : list of str
        Names of the features of which values were hidden.

    feature : ndarray of shape (n_hidden,)
        Place of each hidden value's feature among them.

    true, imputed, std : ndarray of shape (n_hidden,)
        The hidden values, what was filled in, and its standard deviation.

    coverage : float
        Share of the true values within 1.96 standard deviations of the imputed ones.

    ax_ : matplotlib Axes
        Axes of the last `plot`.

    figure_ : matplotlib Figure
        Their figure.

    Examples
    --------
    >>> from gauda import QDA
    >>> from gauda.pictures import ImputationDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> display = ImputationDisplay.from_estimator(QDA().fit(X, y), X, features=[2, 3])
    >>> display.feature_names
    ['feature 2', 'feature 3']
    """

    feature_names: list[str]
    feature: Indices
    true: Floats
    imputed: Floats
    std: Floats
    ax_: Axes = field(init=False)
    figure_: Figure | SubFigure = field(init=False)

    @property
    def coverage(self) -> float:
        """Share of the true values within 1.96 standard deviations of the imputed ones."""
        return float(np.mean(np.abs(self.true - self.imputed) <= NORMAL_95 * self.std))

    @classmethod
    def from_estimator(  # noqa: PLR0913 (what can be chosen)
        cls,
        estimator: Classifier,
        X: MatrixLike,
        y: Labels | None = None,
        *,
        features: ArrayLike | None = None,
        fraction: float = 0.2,
        random_state: int | np.random.RandomState | None = 0,
        ax: Axes | None = None,
    ) -> Self:
        """Hide known values at random, fill them in, and draw both.

        Parameters
        ----------
        estimator : Gaussian classifier
            The fitted model.

        X : array-like of shape (n_samples, n_features)
            Rows; of more than 5000 as many, chosen at random. Values that are missing in them stay
            missing.

        y : array-like of shape (n_samples,), default=None
            Their labels, if values shall be filled in as under the known class.

        features : array-like of names or indices, default=None
            Features of which values are hidden; by default all.

        fraction : float, default=0.2
            Share of their values that is hidden.

        random_state : int, RandomState or None, default=0
            Which values are hidden.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        ImputationDisplay
            What was drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from gauda import LDA
        >>> from gauda.pictures import ImputationDisplay
        >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0.5], [0.5, 1]])
        >>> X, y = lda.sample(500, random_state=0)
        >>> display = ImputationDisplay.from_estimator(lda, X, y, features=[1])
        >>> np.unique(display.std.round(3))
        array([0.866])
        """
        need("matplotlib", extra="plot")
        estimator = as_now(estimator)
        check_gaussian(estimator)
        if not 0 < fraction <= 1:
            raise ValueError(f"fraction must be above 0 and at most 1; got {fraction!r}.")
        names = names_of(estimator)
        everything = np.arange(len(names))
        columns = everything if features is None else columns_of(estimator.moments_, features)
        points = some_rows(estimator, X, y)
        holes = hidden_entries(points.rows, columns, fraction, random_state)
        labels = None if y is None else estimator.classes_[points.codes]
        filled, std = drop_names(estimator).impute(
            np.where(holes, np.nan, points.rows), labels, return_std=True
        )
        index = np.zeros(len(names), dtype=np.intp)
        index[columns] = np.arange(len(columns))
        display = cls(
            feature_names=[names[column] for column in columns],
            feature=index[np.nonzero(holes)[1]],
            true=points.rows[holes],
            imputed=filled[holes],
            std=std[holes],
        )
        return display.plot(ax=ax)

    @staticmethod
    def from_row(
        estimator: Classifier,
        row: ArrayLike,
        *,
        features: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> DensitiesDisplay | GaussiansDisplay:
        """Draw where the missing values of a row may lie, given those that are known.

        Parameters
        ----------
        estimator : Gaussian classifier
            The fitted model.

        row : array-like of shape (n_features,) or (1, n_features)
            A row in which values are missing.

        features : one or two names or indices, default=None
            Which of its missing values to draw; by default the first two.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        DensitiesDisplay or GaussiansDisplay
            The density of one missing value, or of two, under each class and of all together. The
            classes weigh as much as the known values make them probable.

        Examples
        --------
        >>> import numpy as np
        >>> from gauda import LDA
        >>> from gauda.pictures import ImputationDisplay
        >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0.5], [0.5, 1]])
        >>> display = ImputationDisplay.from_row(lda, [1.0, np.nan])
        >>> float(display.x[display.densities[0].argmax()].round(2))
        0.5
        """
        need("matplotlib", extra="plot")
        estimator = as_now(estimator)
        check_gaussian(estimator)
        known, missing = known_and_missing(estimator, row)
        columns = missing[:AXES]
        if features is not None:
            columns = columns_of(estimator.moments_, features)
            refuse_known(columns[~np.isin(columns, missing)], names_of(estimator))
        if len(columns) == 1:
            return DensitiesDisplay.from_estimator(
                estimator, feature=int(columns[0]), given=known, ax=ax
            )
        return GaussiansDisplay.from_estimator(estimator, features=columns, given=known, ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw imputed values with their 95 % intervals against the true ones.

        Several features are drawn in units of the deviation of their true values.

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
        >>> from gauda.pictures import ImputationDisplay
        >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0.5], [0.5, 1]])
        >>> X, _ = lda.sample(50, random_state=0)
        >>> display = ImputationDisplay.from_estimator(lda, X, features=[1])
        >>> display.plot().ax_.get_xlabel()
        'true feature 1'
        """
        handles = self._handles()
        axes = axes_or_new(ax, handles)
        drawn = slice(MAX_VALUES)
        true, imputed, std = (values[drawn] for values in self._in_units())
        for index in np.unique(self.feature[drawn]):
            chosen = self.feature[drawn] == index
            color, marker = look(int(index)) if len(handles) > 1 else look(0)
            axes.errorbar(
                true[chosen],
                imputed[chosen],
                NORMAL_95 * std[chosen],
                fmt=marker,
                c=color,
                ms=4,
                elinewidth=0.5,
                mec="white",
                mew=0.3,
            )
        ends = [min(true.min(), imputed.min()), max(true.max(), imputed.max())]
        room = ROOM * (ends[1] - ends[0])
        axes.set_ylim(ends[0] - room, ends[1] + room)
        axes.plot(ends, ends, c=GRAY, lw=1, ls="--", zorder=5)
        one = len(self.feature_names) == 1
        what = self.feature_names[0] if one else "value, in standard deviations"
        axes.set(xlabel=f"true {what}", ylabel=f"imputed {what}, 95 % interval")
        axes.set_title(
            f"{self.coverage:.0%} of {len(self.true)} true values are within the interval"
        )
        draw_legend(axes, handles)
        self.ax_, self.figure_ = axes, axes.figure
        return self

    def _in_units(self) -> tuple[Floats, Floats, Floats]:
        """Return true and imputed values and deviations; of several features in common units."""
        if len(self.feature_names) == 1:
            return self.true, self.imputed, self.std
        of_feature = [self.true[self.feature == k] for k in range(len(self.feature_names))]
        centers = np.array([values.mean() if len(values) else 0.0 for values in of_feature])
        scales = np.array([values.std() if len(values) else 1.0 for values in of_feature])
        scales[scales == 0] = 1.0
        center, scale = centers[self.feature], scales[self.feature]
        return (self.true - center) / scale, (self.imputed - center) / scale, self.std / scale

    def _handles(self) -> list[Any]:
        same = line_handle("imputed = true", c=GRAY, lw=1, ls="--")
        if 1 < len(self.feature_names) <= MAX_NAMES:
            return [*class_handles(np.array(self.feature_names)), same]
        return [same]


def known_and_missing(estimator: Any, row: Any) -> tuple[dict[int, float], Indices]:
    """Return the known values of a row by their columns, and the columns of the missing ones."""
    values = numbers_of(estimator, np.reshape(row, (1, -1)) if np.ndim(row) == 1 else row)
    if len(values) != 1:
        raise ValueError(f"row must be one row; got {len(values)} of them.")
    gaps = np.isnan(values[0])
    if not gaps.any():
        raise ValueError("row must lack a value; got one in which nothing is missing.")
    known = {int(column): float(values[0, column]) for column in np.flatnonzero(~gaps)}
    return known, np.flatnonzero(gaps)


def refuse_known(columns: Indices, names: list[str]) -> None:
    """Refuse features of which the row has a value."""
    if len(columns):
        known = [names[column] for column in columns]
        raise ValueError(f"features must be missing in the row; got {known}, which it has.")


def hidden_entries(rows: Floats, columns: Indices, fraction: float, random_state: Any) -> Mask:
    """Return which known values are hidden; at least one is."""
    draws = check_random_state(random_state).uniform(size=(len(rows), len(columns)))
    known = np.isfinite(rows[:, columns])
    if not known.any():
        raise ValueError("All values of these features are missing, so none can be hidden.")
    draws[~known] = np.inf
    hidden = np.zeros(rows.shape, dtype=bool)
    hidden[:, columns] = (draws < fraction) | (draws == draws.min())
    return hidden
