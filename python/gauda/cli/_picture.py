"""An evaluation in a picture: which classes are taken for which, and how far posteriors hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gauda._data.labels import list_labels
from gauda._scoring.evaluation import EDGES, Evaluation
from gauda._scoring.reliability import curve_of
from gauda._support.optional import need
from gauda.pictures import ReliabilityDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_WRITTEN = 12
"""Labels up to which the counts stand in the cells."""

DARK = 0.5
"""Share from which text on a cell is white."""


def draw_evaluation(evaluation: Evaluation) -> Figure:
    """Return a figure of the confusion, and of the reliability of the largest posterior."""
    figures = need("matplotlib.figure", extra="plot")
    figure: Figure = figures.Figure(figsize=(11, 5.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_confusion(left, evaluation)
    curve = curve_of(*evaluation.bins)
    ReliabilityDisplay(name="the likeliest class", edges=EDGES, **curve).plot(right)
    figure.suptitle(title_of(evaluation))
    return figure


def title_of(evaluation: Evaluation) -> str:
    """Return how many rows there are, how many of them were rejected, and the accuracy."""
    rows, accuracy = f"{evaluation.n_rows:,} rows", f"accuracy {evaluation.answered_accuracy:.4g}"
    if evaluation.n_rejected:
        return f"{rows}, {evaluation.n_rejected:,} rejected, {accuracy} of the others"
    return f"{rows}, {accuracy}"


def draw_confusion(axes: Axes, evaluation: Evaluation) -> None:
    """Draw the share of each label among the rows of each truth, with counts if there is room."""
    counts = np.array(list(evaluation.confusion.values()))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    truths, labels = (
        list(map(str, evaluation.confusion)),
        list(map(str, list_labels(evaluation.labels))),
    )
    axes.set(xlabel="predicted", ylabel="truth")
    if max(counts.shape) > MAX_WRITTEN:
        return
    axes.set_xticks(range(len(labels)), labels, rotation=30, ha="right")
    axes.set_yticks(range(len(truths)), truths)
    for (row, column), count in np.ndenumerate(counts):
        color = "white" if shares[row, column] > DARK else "black"
        axes.text(column, row, f"{count:,}", ha="center", va="center", color=color)
