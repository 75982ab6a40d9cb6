"""The steps of a search for columns, as a line of scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gauda._support.optional import need
from gauda.model_selection import Step
from gauda.pictures._canvas import SIZE, axes_or_new
from gauda.pictures._palette import GRAY, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from gauda.model_selection import ColumnSelector

LABELS = {
    "f": "Wilks' lambda",
    "bic": "BIC less that without columns",
    "log_loss": "log-loss of held-out rows",
    "accuracy": "accuracy on held-out rows",
}
MARKS = {"enter": "+ ", "remove": "- "}
MAX_TICKS = 40
"""How many steps are named."""


@dataclass(kw_only=True, eq=False, repr=False)
class SelectionPathDisplay:
    """Scores along the path of a search for columns.

    Made by `from_estimator`.

    Attributes
    ----------
    path : list of Step
        The steps.

    criterion : str
        What the scores are.

    ax_ : matplotlib Axes
        Axes of the last `plot`.

    figure_ : matplotlib Figure
        Their figure.

    Examples
    --------
    >>> from gauda.model_selection import Step
    >>> from gauda.pictures import SelectionPathDisplay
    >>> steps = [Step("enter", 2, "width", 34.6, 1e-9, 0.4)]
    >>> SelectionPathDisplay(path=steps, criterion="f").path[0].name
    'width'
    """

    path: list[Step]
    criterion: str
    ax_: Axes = field(init=False)
    figure_: Figure | SubFigure = field(init=False)

    @classmethod
    def from_estimator(cls, estimator: ColumnSelector, *, ax: Axes | None = None) -> Self:
        """Draw the path of a search.

        Parameters
        ----------
        estimator : ColumnSelector
            The fitted selector.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        SelectionPathDisplay
            What was drawn.

        Examples
        --------
        >>> from gauda import LDA
        >>> from gauda.model_selection import ColumnSelector
        >>> from gauda.pictures import SelectionPathDisplay
        >>> selector = ColumnSelector(LDA()).fit([[0, 7], [1, 8], [5, 7], [6, 8]], [0, 0, 1, 1])
        >>> SelectionPathDisplay.from_estimator(selector).ax_.get_ylabel()
        "Wilks' lambda"
        """
        need("matplotlib", extra="plot")
        check_is_fitted(estimator, "path_")
        return cls(path=estimator.path_, criterion=estimator.criterion).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw a point for each step.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        Self
            The display.

        Examples
        --------
        >>> from gauda.model_selection import Step
        >>> from gauda.pictures import SelectionPathDisplay
        >>> steps = [Step("enter", 2, "width", 34.6, 1e-9, 0.4)]
        >>> display = SelectionPathDisplay(path=steps, criterion="f").plot()
        >>> display.ax_.get_xticklabels()[0].get_text()
        '+ width'
        """
        width = max(SIZE[0], 0.25 * min(len(self.path), MAX_TICKS))
        axes = axes_or_new(ax, size=(width, SIZE[1]))
        steps = np.arange(1, len(self.path) + 1)
        scores = [step.score for step in self.path]
        axes.plot(steps, scores, "-", color=GRAY, lw=1, zorder=1)
        for action, code in (("enter", 0), ("remove", 1)):
            mask = np.array([step.action == action for step in self.path], dtype=bool)
            if mask.any():
                color, marker = look(code)
                label = {"enter": "enters", "remove": "leaves"}[action]
                across, up = steps[mask], np.asarray(scores)[mask]
                axes.scatter(across, up, 36, color=color, marker=marker, zorder=2, label=label)
        shown = steps[:: max(-(-len(steps) // MAX_TICKS), 1)]
        names = [MARKS[self.path[at - 1].action] + self.path[at - 1].name for at in shown]
        axes.set_xticks(shown, names, rotation=90)
        axes.set_ylabel(LABELS[self.criterion])
        axes.set_title("Columns step by step")
        if any(step.action == "remove" for step in self.path):
            axes.legend()
        self.ax_, self.figure_ = axes, axes.figure
        return self
