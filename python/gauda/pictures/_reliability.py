"""Reliability of posteriors: how often rows of posterior p belong to the class, with intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_array, check_is_fitted

from gauda._data.arguments import is_whole
from gauda._data.label_columns import flat_labels
from gauda._scoring.reliability import curve_of, sums_in_bins
from gauda._support.arrays import Floats, Indices, Mask
from gauda._support.optional import need
from gauda.pictures._canvas import axes_or_new
from gauda.pictures._palette import GRAY, INK, look
from gauda.pictures._plane import as_now, known_indices
from gauda.typing import Label, Labels, MatrixLike, Predictor

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

TWO = 2
SIZE = 5.4, 5.4
ABOVE = (0.0, 1.03, 1.0, 0.22)
ABOVE_ALL = (0.5, 1.26)
"""Where the histogram and the legend stand, in units of the axes."""


@dataclass(kw_only=True, eq=False, repr=False)
class ReliabilityDisplay:
    """Observed frequencies against posteriors, which are reliable where both are the same.

    Made by `from_estimator` or `from_predictions`.

    Attributes
    ----------
    name : str
        Whose posterior is judged.

    prob_pred, prob_true : ndarray of shape (n_bins_used,)
        Mean posterior and observed frequency in each bin that holds rows.

    lower, upper : ndarray of shape (n_bins_used,)
        Wilson's interval for the frequency, of 95 %.

    counts : ndarray of shape (n_bins,)
        Rows in each bin.

    edges : ndarray of shape (n_bins + 1,)
        Ends of the bins.

    ax_ : matplotlib Axes
        Axes of the last `plot`.

    histogram_ax_ : matplotlib Axes
        Axes of the histogram above them.

    figure_ : matplotlib Figure
        Their figure.

    Examples
    --------
    >>> from gauda import GaussianNB
    >>> from gauda.pictures import ReliabilityDisplay
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> nb = GaussianNB().fit(X[::2], y[::2])
    >>> display = ReliabilityDisplay.from_estimator(nb, X[1::2], y[1::2])
    >>> int(display.counts.sum())
    284
    """

    name: str
    prob_true: Floats
    prob_pred: Floats
    lower: Floats
    upper: Floats
    counts: Indices
    edges: Floats
    ax_: Axes = field(init=False)
    histogram_ax_: Axes = field(init=False)
    figure_: Figure | SubFigure = field(init=False)

    @classmethod
    def from_estimator(  # noqa: PLR0913 (what can be chosen)
        cls,
        estimator: Predictor,
        X: MatrixLike,
        y: ArrayLike,
        *,
        label: Label = None,
        n_bins: int = 10,
        strategy: Literal["uniform", "quantile"] = "uniform",
        ax: Axes | None = None,
    ) -> Self:
        """Judge the posteriors of a fitted classifier, best on rows that it was not fitted to.

        Parameters
        ----------
        estimator : classifier
            The fitted model; any with `predict_proba` and `classes_`.

        X : array-like of shape (n_samples, n_features)
            Rows.

        y : array-like of shape (n_samples,)
            Their labels.

        label : label, default=None
            The class whose posterior is judged. By default the second of two classes; of more, in
            each row the class of the largest posterior.

        n_bins : int, default=10
            Number of bins.

        strategy : {'uniform', 'quantile'}, default='uniform'
            Bins of equal width, or of equal numbers of rows.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        ReliabilityDisplay
            What was drawn.

        Examples
        --------
        >>> from gauda import LDA
        >>> from gauda.pictures import ReliabilityDisplay
        >>> lda = LDA.from_parameters([[0], [2]], [[1]], classes=["a", "b"])
        >>> ReliabilityDisplay.from_estimator(lda, [[0], [1], [2]], ["a", "b", "b"]).name
        'b'
        """
        check_is_fitted(estimator)
        model = as_now(estimator)
        posteriors = model.predict_proba(X)
        return cls.from_predictions(
            y,
            posteriors,
            classes=model.classes_,
            label=label,
            n_bins=n_bins,
            strategy=strategy,
            ax=ax,
        )

    @classmethod
    def from_predictions(  # noqa: PLR0913 (what can be chosen)
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike,
        *,
        classes: Labels | None = None,
        label: Label = None,
        n_bins: int = 10,
        strategy: Literal["uniform", "quantile"] = "uniform",
        ax: Axes | None = None,
    ) -> Self:
        """Judge posteriors that were computed before.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels.

        y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
            Posteriors; of two classes those of the second will do.

        classes : array-like of shape (n_classes,), default=None
            Labels in the order of the columns; by default those of `y_true`, sorted.

        label : label, default=None
            The class whose posterior is judged. By default the second of two classes; of more, in
            each row the class of the largest posterior.

        n_bins : int, default=10
            Number of bins.

        strategy : {'uniform', 'quantile'}, default='uniform'
            Bins of equal width, or of equal numbers of rows.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        ReliabilityDisplay
            What was drawn.

        Examples
        --------
        >>> from gauda.pictures import ReliabilityDisplay
        >>> posteriors = [[0.8, 0.2], [0.7, 0.3], [0.1, 0.9]]
        >>> ReliabilityDisplay.from_predictions([0, 1, 1], posteriors, n_bins=2).prob_true
        array([0.5, 1. ])
        """
        need("matplotlib", extra="plot")
        labels = flat_labels(y_true)
        known = np.unique(labels) if classes is None else flat_labels(classes)
        posteriors = validate_posteriors(y_prob, labels, known)
        codes = known_indices(labels, known)
        name, probability, hit = select_posteriors(posteriors, codes, known, label)
        edges = edges_of(probability, n_bins, strategy)
        display = cls(name=name, edges=edges, **curve_of(*sums_in_bins(probability, hit, edges)))
        return display.plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw frequencies with their intervals, and above them how many rows each bin holds.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        Self
            The display, its `ax_`, `histogram_ax_` and `figure_` set.

        Examples
        --------
        >>> from gauda.pictures import ReliabilityDisplay
        >>> from matplotlib.figure import Figure
        >>> axes = Figure().subplots()
        >>> display = ReliabilityDisplay.from_predictions([0, 1], [[0.8, 0.2], [0.3, 0.7]], ax=axes)
        >>> display.plot(ax=Figure().subplots()).ax_ is axes
        False
        """
        axes = axes_or_new(ax, size=SIZE)
        axes.plot([0, 1], [0, 1], c=GRAY, lw=1, ls="--", label="reliable")
        intervals = np.maximum([self.prob_true - self.lower, self.upper - self.prob_true], 0)
        axes.errorbar(
            self.prob_pred,
            self.prob_true,
            yerr=intervals,
            fmt="o-",
            c=look(0).color,
            ecolor=look(0).edge,
            capsize=3,
            label="observed, 95 % interval",
        )
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        axes.set(xlabel=f"mean posterior of {self.name}", ylabel=f"frequency of {self.name}")
        axes.legend(
            loc="lower center", bbox_to_anchor=ABOVE_ALL, ncols=2, frameon=False, fontsize="small"
        )
        self.histogram_ax_ = self._draw_histogram(axes)
        self.ax_, self.figure_ = axes, axes.figure
        return self

    def _draw_histogram(self, axes: Axes) -> Axes:
        above = axes.inset_axes(ABOVE, sharex=axes)
        above.stairs(self.counts, self.edges, fill=True, color=look(5).color, ec=INK, lw=0.6)
        above.set(ylabel="rows", yscale="log", ylim=(0.7, 2 * self.counts.max()))
        above.tick_params(labelbottom=False)
        above.spines[["top", "right"]].set_visible(False)
        return above


def validate_posteriors(y_prob: ArrayLike, labels: NDArray[Any], known: NDArray[Any]) -> Floats:
    """Return posteriors with a row for each label and a column for each class."""
    posteriors: Floats = check_array(y_prob, dtype=np.float64, ensure_2d=False, input_name="y_prob")
    if posteriors.ndim == 1:
        posteriors = np.column_stack([1 - posteriors, posteriors])
    check_consistent_length(labels, posteriors)
    if posteriors.shape[1] != len(known):
        raise ValueError(
            f"y_prob must have a column for each class, {known.tolist()}; got "
            f"{posteriors.shape[1]} columns. Give classes= if y_true lacks some."
        )
    if posteriors.min() < 0 or posteriors.max() > 1:
        raise ValueError(
            f"y_prob must be between 0 and 1; got values from {posteriors.min():g} to "
            f"{posteriors.max():g}. Give what predict_proba returns."
        )
    return posteriors


def select_posteriors(
    posteriors: Floats, codes: Indices, known: NDArray[Any], label: Any
) -> tuple[str, Floats, Mask]:
    """Return whose posterior is judged, that posterior, and whether it was the class."""
    if label is None and len(known) > TWO:
        best = posteriors.argmax(axis=1)
        return "the predicted class", posteriors.max(axis=1), codes == best
    if label is None:
        index = len(known) - 1
    elif label in (names := known.tolist()):
        index = names.index(label)
    else:
        raise ValueError(f"label must be a class; got {label!r}. The classes are {names}.")
    return str(known[index]), posteriors[:, index], codes == index


def edges_of(probability: Floats, n_bins: int, strategy: str) -> Floats:
    """Return the ends of bins, as scikit-learn's `calibration_curve` has them."""
    if not is_whole(n_bins) or n_bins < 1:
        raise ValueError(f"n_bins must be an integer of at least 1; got {n_bins!r}.")
    shares = np.linspace(0, 1, n_bins + 1)
    if strategy == "uniform":
        return shares
    if strategy == "quantile":
        return np.asarray(np.quantile(probability, shares))
    raise ValueError(f"strategy must be 'uniform' or 'quantile'; got {strategy!r}.")
