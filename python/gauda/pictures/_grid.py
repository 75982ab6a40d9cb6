"""The grid of a search over the two regularization parameters, as a heat map."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from gauda._support.arrays import Floats
from gauda._support.optional import need
from gauda.pictures._canvas import axes_or_new
from gauda.pictures._palette import GRAY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

COLUMNS = ("param_alpha", "param_gamma", "mean_test_score")
MAX_TICKS = 11
SHOWN = 90
"""Percentile of the losses up to which colors differ: a few hopeless corners may be far above."""


@dataclass(kw_only=True, eq=False, repr=False)
class GridDisplay:
    """Scores of a search over `alpha` and `gamma`, with the chosen point.

    Made by `from_estimator`.

    Attributes
    ----------
    alphas, gammas : ndarray
        Values of the parameters, rising.

    scores : ndarray of shape (n_alphas, n_gammas)
        Mean scores, as losses if `scoring` begins with `neg_`; NaN where there is none.

    name : str
        What the scores are.

    best : tuple of two floats
        The chosen `alpha` and `gamma`.

    is_loss : bool
        Whether the smallest score is the best.

    ax_ : matplotlib Axes
        Axes of the last `plot`.

    figure_ : matplotlib Figure
        Their figure.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from gauda.pictures import GridDisplay
    >>> results = {"param_alpha": [0, 0, 1, 1], "param_gamma": [0, 1, 0, 1]}
    >>> results["mean_test_score"] = [-0.5, -0.4, -0.2, -0.3]
    >>> best = {"alpha": 1, "gamma": 0}
    >>> search = SimpleNamespace(cv_results_=results, best_params_=best, scoring="neg_log_loss")
    >>> GridDisplay.from_estimator(search).scores
    array([[0.5, 0.4],
           [0.2, 0.3]])
    """

    alphas: Floats
    gammas: Floats
    scores: Floats
    name: str
    best: tuple[float, float]
    is_loss: bool
    ax_: Axes = field(init=False)
    figure_: Figure | SubFigure = field(init=False)

    @classmethod
    def from_estimator(cls, estimator: BaseEstimator, *, ax: Axes | None = None) -> Self:
        """Draw the scores of a search.

        Parameters
        ----------
        estimator : RegularizedDiscriminantAnalysisCV, or GridSearchCV over `alpha` and `gamma`
            The fitted search.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        GridDisplay
            What was drawn.

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> from gauda.pictures import GridDisplay
        >>> results = {"param_alpha": [0, 1], "param_gamma": [0, 0], "mean_test_score": [0.7, 0.9]}
        >>> best = {"alpha": 1, "gamma": 0}
        >>> search = SimpleNamespace(cv_results_=results, best_params_=best, scoring="accuracy")
        >>> GridDisplay.from_estimator(search).name
        'accuracy'
        """
        need("matplotlib", extra="plot")
        alpha, gamma, score = columns_of(estimator)
        alphas, rows = np.unique(alpha, return_inverse=True)
        gammas, columns = np.unique(gamma, return_inverse=True)
        scoring = getattr(estimator, "scoring", None)
        scoring = scoring if isinstance(scoring, str) else "score"
        is_loss = scoring.startswith("neg_")
        scores = np.full((len(alphas), len(gammas)), np.nan)
        scores[rows, columns] = -score if is_loss else score
        best = estimator.best_params_
        display = cls(
            alphas=alphas,
            gammas=gammas,
            scores=scores,
            name=scoring.removeprefix("neg_").replace("_", " "),
            best=(float(best["alpha"]), float(best["gamma"])),
            is_loss=is_loss,
        )
        return display.plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the heat map, and mark the chosen point.

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
        >>> from types import SimpleNamespace
        >>> from gauda.pictures import GridDisplay
        >>> results = {"param_alpha": [0, 1], "param_gamma": [0, 0], "mean_test_score": [0.7, 0.9]}
        >>> best = {"alpha": 1, "gamma": 0}
        >>> search = SimpleNamespace(cv_results_=results, best_params_=best, scoring="accuracy")
        >>> GridDisplay.from_estimator(search).plot().ax_.get_xlabel()
        'gamma'
        """
        axes = axes_or_new(ax)
        colors = need("matplotlib", extra="plot").colormaps["cividis"].with_extremes(bad=GRAY)
        low, high = self._range()
        image = axes.imshow(
            np.ma.masked_invalid(self.scores),
            origin="lower",
            aspect="auto",
            cmap=colors.reversed() if self.is_loss else colors,
            vmin=low,
            vmax=high,
        )
        label_ticks(axes.set_xticks, self.gammas)
        label_ticks(axes.set_yticks, self.alphas)
        axes.set(xlabel="gamma", ylabel="alpha")
        self._mark_best(axes)
        bar = axes.figure.colorbar(image, ax=axes, extend="max" if self.is_loss else "min")
        bar.set_label(f"mean {self.name}")
        self.ax_, self.figure_ = axes, axes.figure
        return self

    def _mark_best(self, axes: Axes) -> None:
        alpha, gamma = self.best
        row = int(np.abs(self.alphas - alpha).argmin())
        column = int(np.abs(self.gammas - gamma).argmin())
        label = f"alpha = {alpha:.3g}, gamma = {gamma:.3g}: {self.scores[row, column]:.4g}"
        axes.plot(column, row, "*", ms=18, c="white", mec=INK, mew=1.2, ls="", label=label)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)

    def _range(self) -> tuple[float, float]:
        """Return the scores between which colors differ."""
        finite = self.scores[np.isfinite(self.scores)]
        if self.is_loss:
            return float(finite.min()), float(np.percentile(finite, SHOWN))
        return float(np.percentile(finite, 100 - SHOWN)), float(finite.max())


def columns_of(estimator: Any) -> tuple[Floats, Floats, Floats]:
    """Return alphas, gammas and scores of all points of a search; refuse others."""
    if not hasattr(estimator, "cv_results_"):
        if not hasattr(estimator, "cv"):
            raise TypeError(
                "A grid is that of RegularizedDiscriminantAnalysisCV, or of GridSearchCV over "
                f"alpha and gamma; got {type(estimator).__name__}."
            )
        check_is_fitted(estimator, "cv_results_")
    results = estimator.cv_results_
    missing = [column for column in COLUMNS if column not in results]
    if missing:
        raise ValueError(
            f"A search over alpha and gamma has cv_results_ with {', '.join(COLUMNS)}; here "
            f"{', '.join(missing)} is missing. Use RegularizedDiscriminantAnalysisCV."
        )
    alpha, gamma, score = (np.asarray(results[column], dtype=np.float64) for column in COLUMNS)
    if not np.isfinite(score).any():
        raise ValueError("No point of the grid has a finite score, so there is nothing to draw.")
    return alpha, gamma, score


def label_ticks(set_ticks: Any, values: Floats) -> None:
    """Write the values of a parameter along an axis, not too many of them."""
    shown = range(0, len(values), -(-len(values) // MAX_TICKS))
    set_ticks(list(shown), [f"{values[index]:.2g}" for index in shown])
