"""Bars of the probabilities that the levels of a column have in each class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from gauda._data.columns import GAUSSIAN
from gauda._estimators.access import statistics_of
from gauda._estimators.classifier import Classifier
from gauda._estimators.marginal import columns_of
from gauda._support.arrays import Floats
from gauda._support.optional import need
from gauda.naive_bayes import BernoulliNB, CategoricalNB, MixedNB
from gauda.pictures._canvas import axes_or_new, draw_legend
from gauda.pictures._palette import INK, look
from gauda.pictures._plane import as_now, names_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

ROOM = 0.8
"""Share of a level's place that its bars take."""

MAX_UPRIGHT = 6
"""Names of levels that stand beside each other; more are turned."""


@dataclass(kw_only=True, eq=False, repr=False)
class LevelsDisplay:
    """How probable each level of a column is in each class: bars side by side.

    Made by `from_estimator`.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels.

    feature_name : str
        Name of the column.

    levels : list
        Its levels.

    probabilities : ndarray of shape (n_classes, n_levels)
        P(level | class).

    ax_ : matplotlib Axes
        Axes of the last `plot`.

    figure_ : matplotlib Figure
        Their figure.

    See Also
    --------
    DensitiesDisplay : A column of numbers.

    Examples
    --------
    >>> from gauda import MixedNB
    >>> from gauda.pictures import LevelsDisplay
    >>> nb = MixedNB(alpha=0).fit([[1.5, "red"], [1.7, "blue"], [3.0, "red"]], ["a", "a", "b"])
    >>> display = LevelsDisplay.from_estimator(nb, feature=1)
    >>> display.levels, display.probabilities.tolist()
    (['blue', 'red'], [[0.5, 0.5], [0.0, 1.0]])
    """

    classes: NDArray[Any]
    feature_name: str
    levels: list[Any]
    probabilities: Floats
    ax_: Axes = field(init=False)
    figure_: Figure | SubFigure = field(init=False)

    @classmethod
    def from_estimator(
        cls, estimator: Classifier, *, feature: str | int | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw a column of levels of a fitted model.

        Parameters
        ----------
        estimator : BernoulliNB, CategoricalNB or MixedNB
            The fitted model.

        feature : name or index, default=None
            The column; by default the first one of levels.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        LevelsDisplay
            What was drawn.

        Examples
        --------
        >>> from gauda import BernoulliNB
        >>> from gauda.pictures import LevelsDisplay
        >>> nb = BernoulliNB(alpha=0).fit([[1, 0], [1, 1], [0, 1]], ["a", "a", "b"])
        >>> LevelsDisplay.from_estimator(nb, feature=1).probabilities.tolist()
        [[0.5, 0.5], [0.0, 1.0]]
        """
        need("matplotlib", extra="plot")
        estimator = as_now(estimator)
        check_discrete(estimator)
        column = column_of(estimator, feature)
        levels, logs = levels_of(estimator, column)
        display = cls(
            classes=estimator.classes_,
            feature_name=names_of(estimator)[column],
            levels=levels,
            probabilities=np.exp(logs),
        )
        return display.plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the bars.

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
        >>> from gauda import BernoulliNB
        >>> from gauda.pictures import LevelsDisplay
        >>> from matplotlib.figure import Figure
        >>> nb = BernoulliNB().fit([[1, 0], [1, 1], [0, 1]], ["a", "a", "b"])
        >>> axes = Figure().subplots()
        >>> LevelsDisplay.from_estimator(nb, ax=axes).plot(ax=axes).ax_ is axes
        True
        """
        axes = axes_or_new(ax)
        width = ROOM / len(self.classes)
        at = np.arange(len(self.levels))
        handles: list[Any] = []
        for code, (label, shares) in enumerate(zip(self.classes, self.probabilities, strict=True)):
            shift = (code - (len(self.classes) - 1) / 2) * width
            bars = axes.bar(
                at + shift, shares, width, color=look(code).color, ec=INK, lw=0.5, label=str(label)
            )
            handles.append(bars)
        turned: dict[str, Any] = (
            {"rotation": 45, "ha": "right"} if len(self.levels) > MAX_UPRIGHT else {}
        )
        axes.set_xticks(at, [str(level) for level in self.levels], **turned)
        axes.set(xlabel=self.feature_name, ylabel="probability in the class", ylim=(0, 1))
        draw_legend(axes, handles)
        self.ax_, self.figure_ = axes, axes.figure
        return self


def check_discrete(estimator: Any) -> None:
    """Refuse a model without columns of levels."""
    if not isinstance(estimator, (BernoulliNB, CategoricalNB, MixedNB)):
        raise TypeError(
            "estimator must be a BernoulliNB, CategoricalNB or MixedNB, which have columns of "
            f"levels; got {type(estimator).__name__}. DensitiesDisplay draws columns of numbers."
        )
    check_is_fitted(estimator)


def column_of(estimator: Any, feature: Any) -> int:
    """Return the index of a column of levels, by default the first one."""
    n_columns = statistics_of(estimator).n_features
    kinds = estimator.kinds_ if isinstance(estimator, MixedNB) else [""] * n_columns
    discrete = [column for column in range(n_columns) if kinds[column] != GAUSSIAN]
    if not discrete:
        raise ValueError("This MixedNB has columns of numbers only. Use DensitiesDisplay.")
    if feature is None:
        return discrete[0]
    (column,) = columns_of(statistics_of(estimator), [feature])
    if column not in discrete:
        raise ValueError(
            f"feature must be a column of levels; got {feature!r}, of numbers. Use "
            "DensitiesDisplay."
        )
    return int(column)


def levels_of(estimator: Any, column: int) -> tuple[list[Any], Floats]:
    """Return the levels of a column, and their log-probabilities in each class."""
    logs = estimator.feature_log_prob_
    if isinstance(estimator, MixedNB | CategoricalNB):
        table = logs[column]
        named = estimator.categories_.get(column, range(table.shape[1]))
        free = [f"free {index + 1}" for index in range(table.shape[1] - len(named))]
        return [*named, *free], table
    present = logs[:, column]
    with np.errstate(divide="ignore"):
        absent = np.log1p(-np.exp(present))
    return [0, 1], np.stack([absent, present], axis=1)
