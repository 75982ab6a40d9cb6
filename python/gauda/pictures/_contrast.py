"""What columns add to the log-ratio of two classes, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from gauda._analysis.contrast import Contrast, Explanation
from gauda._estimators.classifier import Classifier
from gauda._support.arrays import Floats
from gauda._support.optional import need
from gauda.pictures._canvas import SIZE, axes_or_new, draw_legend
from gauda.pictures._palette import GRAY, INK, look
from gauda.typing import Label, MatrixLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

MAX_BARS = 20
BAR_HEIGHT = 0.28
"""Inches that a bar takes."""


@dataclass(eq=False, repr=False)
class ContrastDisplay:
    """Bars of what each column adds to the log-ratio of two classes, the largest first.

    Made by `from_estimator` (for rows to be expected) and `from_row` (for one row). The dots are
    what the log-ratio would lose without the column. Of many columns the smallest are one bar.

    Attributes
    ----------
    contrast : Contrast or Explanation
        What is drawn.

    ax_ : matplotlib Axes
        Axes of the last `plot`.

    figure_ : matplotlib Figure
        Their figure.

    Examples
    --------
    >>> from gauda import GaussianNB
    >>> from gauda.pictures import ContrastDisplay
    >>> nb = GaussianNB().fit([[0, 0], [1, 2], [5, 1], [6, 3]], ["a", "a", "b", "b"])
    >>> display = ContrastDisplay(nb.contrast("a", "b"))
    >>> display.contrast.i
    'a'
    """

    contrast: Contrast | Explanation
    ax_: Axes = field(init=False)
    figure_: Figure | SubFigure = field(init=False)

    @classmethod
    def from_estimator(
        cls, estimator: Classifier, i: Label, j: Label, *, ax: Axes | None = None
    ) -> Self:
        """Draw which columns tell one class from another.

        Parameters
        ----------
        estimator : classifier of gauda
            The fitted model.

        i, j : label
            The classes.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        ContrastDisplay
            What was drawn.

        Examples
        --------
        >>> from gauda import GaussianNB
        >>> from gauda.pictures import ContrastDisplay
        >>> nb = GaussianNB().fit([[0, 0], [1, 2], [5, 1], [6, 3]], ["a", "a", "b", "b"])
        >>> len(ContrastDisplay.from_estimator(nb, "a", "b").ax_.patches)
        2
        """
        need("matplotlib", extra="plot")
        return cls(estimator.contrast(i, j)).plot(ax=ax)

    @classmethod
    def from_row(
        cls,
        estimator: Classifier,
        x: MatrixLike,
        *,
        classes: Sequence[Label] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw why a row is of its class.

        Parameters
        ----------
        estimator : classifier of gauda
            The fitted model.

        x : array-like of shape (n_features,) or (1, n_features)
            The row.

        classes : sequence of two labels, default=None
            The classes to compare; by default the two most probable ones.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        ContrastDisplay
            What was drawn.

        Examples
        --------
        >>> from gauda import GaussianNB
        >>> from gauda.pictures import ContrastDisplay
        >>> nb = GaussianNB().fit([[0, 0], [1, 2], [5, 1], [6, 3]], ["a", "a", "b", "b"])
        >>> ContrastDisplay.from_row(nb, [0, 1]).ax_.get_xlabel()
        'part of log p(a | x) - log p(b | x)'
        """
        need("matplotlib", extra="plot")
        return cls(estimator.explain(x, classes=classes)).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the bars.

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
        >>> from gauda import GaussianNB
        >>> from gauda.pictures import ContrastDisplay
        >>> nb = GaussianNB().fit([[0, 0], [1, 2], [5, 1], [6, 3]], ["a", "a", "b", "b"])
        >>> ContrastDisplay(nb.contrast("a", "b")).plot().ax_.get_title()
        'What tells a from b'
        """
        names, parts, drops = self._bars()
        size = SIZE[0], max(BAR_HEIGHT * (len(names) + 4), 2.0)
        axes = axes_or_new(ax, size=size)
        height = np.arange(len(names))
        first, second = look(0).color, look(1).color
        colors = [first if part >= 0 else second for part in parts]
        axes.barh(height, parts, color=colors, zorder=2)
        known = np.isfinite(drops)
        if self.contrast.chain is not None:
            label = "lost without the column"
            axes.plot(drops[known], height[known], "o", c=INK, ms=4, zorder=3, ls="", label=label)
            draw_legend(axes, axes.get_legend_handles_labels()[0])
        axes.axvline(0, color=GRAY, lw=0.8, zorder=1)
        axes.set_yticks(height, names)
        axes.invert_yaxis()
        axes.set_title(self._title())
        axes.set_xlabel(self._label())
        self.ax_, self.figure_ = axes, axes.figure
        return self

    def _bars(self) -> tuple[list[str], Floats, Floats]:
        """Return names, parts and what would be lost without, of the largest and the rest."""
        found = self.contrast
        parts = found.expected if isinstance(found, Contrast) else found.contribution
        order = found.order
        shown, rest = order[:MAX_BARS], order[MAX_BARS:]
        names = [found.features[column] for column in shown.tolist()]
        values, drops = parts[shown], found.drop_one[shown]
        if len(rest):
            names.append(f"{len(rest)} more")
            values, drops = np.append(values, parts[rest].sum()), np.append(drops, np.nan)
        if isinstance(found, Explanation) and found.log_prior_ratio:
            names.append("priors")
            values, drops = np.append(values, found.log_prior_ratio), np.append(drops, np.nan)
        finite = np.abs(values[np.isfinite(values)]).max(initial=1.0)
        return names, np.clip(values, -2 * finite, 2 * finite), drops  # log-ratios may be infinite

    def _title(self) -> str:
        found = self.contrast
        if isinstance(found, Contrast):
            return f"What tells {found.i} from {found.j}"
        return f"Why {found.i} rather than {found.j}"

    def _label(self) -> str:
        found = self.contrast
        if isinstance(found, Contrast):
            return f"part of the log-ratio expected of {found.i}, {found.total:.4g} nats"
        return f"part of log p({found.i} | x) - log p({found.j} | x)"
