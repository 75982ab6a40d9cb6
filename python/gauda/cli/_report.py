"""What the shell prints: tables with aligned columns."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gauda._data.labels import listed
from gauda._scoring.evaluation import Evaluation
from gauda._statistics.counts import Counts
from gauda._statistics.moments import Moments
from gauda._storage.format import read
from gauda._storage.loading import restore
from gauda._support.tables import aligned
from gauda.naive_bayes import BernoulliNB, CategoricalNB, MixedNB

MAX_CLASSES = 40
MAX_FEATURES = 12
"""How many are listed one by one."""

MAX_CONFUSED = 3
"""Wrong classes named beside a true one."""


def evaluation_text(evaluation: Evaluation) -> str:
    """Return the figures, then the confusion in a form that fits the terminal."""
    figures = [
        ("rows", evaluation.n_rows),
        ("accuracy", f"{evaluation.accuracy:.6g}"),
        ("log-loss", f"{evaluation.log_loss:.6g}"),
    ]
    table = confusion_table(evaluation)
    if max(map(len, table.splitlines())) > shutil.get_terminal_size((100, 24)).columns:
        table = confusion_list(evaluation)
    return f"{aligned(figures)}\n\n{table}"


def confusion_table(evaluation: Evaluation) -> str:
    """Return the counts with a line for each true label and a column for each class."""
    header = ["truth \\ predicted", *listed(evaluation.labels)]
    lines = [[label, *counts.tolist()] for label, counts in evaluation.confusion.items()]
    return aligned([header, *lines])


def confusion_list(evaluation: Evaluation) -> str:
    """Return a line for each true label: how many are right, and what the others are taken for."""
    labels = listed(evaluation.labels)
    lines = [("truth", "rows", "right", "taken for")]
    for label, counts in evaluation.confusion.items():
        right = counts[labels.index(label)] if label in labels else 0
        wrong = [
            f"{labels[code]} ({counts[code]})"
            for code in np.argsort(-counts, kind="stable").tolist()
            if counts[code] and labels[code] != label
        ]
        shown = ", ".join([*wrong[:MAX_CONFUSED], *["…"] * (len(wrong) > MAX_CONFUSED)])
        lines.append((str(label), str(counts.sum()), str(right), shown))
    width = max(len(line[-1]) for line in lines)
    return aligned([(*line[:-1], line[-1].ljust(width)) for line in lines])


class Summary(NamedTuple):
    """What moments, counts and models of them have in common."""

    structure: str
    rows: float
    n_features: int
    feature_names: NDArray[Any] | None
    classes: NDArray[Any]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, held: Any) -> Summary:
        """Return the summary of what a file holds."""
        if isinstance(held, MixedNB):
            names = getattr(held, "feature_names_in_", None)
            weights = held.class_count_
            return cls("mixed", weights.sum(), held.n_features_in_, names, held.classes_, weights)
        held = held.counts_ if isinstance(held, (BernoulliNB, CategoricalNB)) else held
        if isinstance(held, Counts):
            weights = held.class_count
            figures = held.kind, weights.sum(), held.n_features
            return cls(*figures, held.feature_names, held.classes, weights)
        held = held if isinstance(held, Moments) else held.moments_
        figures = held.structure, held.n_rows, held.n_features
        return cls(*figures, held.feature_names, held.classes, held.counts)


def info_text(path: Path) -> str:
    """Return what a file holds: figures, then the classes."""
    content = read(path)
    held = restore(path, content)
    summary = Summary.of(held)
    is_model = not isinstance(held, (Moments, Counts))
    figures = [
        ("file", path),
        ("size", f"{path.stat().st_size:,} bytes"),
        ("written by", f"gauda {content.version}, format {content.format_version}"),
        ("holds", " ".join(repr(held).split()) if is_model else content.kind),
        ("structure", summary.structure),
        ("rows", f"{summary.rows:.15g}"),
        ("features", features_text(summary)),
        ("classes", len(summary.classes)),
    ]
    return f"{aligned(figures, left=2)}\n\n{counts_text(summary)}"


def features_text(summary: Summary) -> str:
    """Return the number of columns and the names of the first."""
    if summary.feature_names is None:
        return str(summary.n_features)
    more = ["…"] * (summary.n_features > MAX_FEATURES)
    names = [*summary.feature_names[:MAX_FEATURES], *more]
    return f"{summary.n_features}: {', '.join(names)}"


def counts_text(summary: Summary) -> str:
    """Return a line for each class with its rows or weight; not too many lines."""
    pairs = zip(listed(summary.classes), summary.weights.tolist(), strict=True)
    lines = [(label, f"{count:.15g}") for label, count in pairs]
    table = aligned([("class", "weight"), *lines[:MAX_CLASSES]])
    more = len(lines) - MAX_CLASSES
    return f"{table}\n… and {more} more" if more > 0 else table
