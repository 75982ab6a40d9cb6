"""What the shell prints: tables with aligned columns."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from gauda._evaluation import Evaluation
from gauda._files import read
from gauda._loading import restore
from gauda._moments import Moments
from gauda._tables import aligned

MOST_CLASSES = 40
MOST_FEATURES = 12
"""How many are listed one by one."""

MOST_CONFUSED = 3
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
    header = ["truth \\ predicted", *evaluation.labels.tolist()]
    lines = [[label, *counts.tolist()] for label, counts in evaluation.confusion.items()]
    return aligned([header, *lines])


def confusion_list(evaluation: Evaluation) -> str:
    """Return a line for each true label: how many are right, and what the others are taken for."""
    labels = evaluation.labels.tolist()
    lines = [("truth", "rows", "right", "taken for")]
    for label, counts in evaluation.confusion.items():
        right = counts[labels.index(label)] if label in labels else 0
        wrong = [
            f"{labels[code]} ({counts[code]})"
            for code in np.argsort(-counts, kind="stable").tolist()
            if counts[code] and labels[code] != label
        ]
        shown = ", ".join([*wrong[:MOST_CONFUSED], *["…"] * (len(wrong) > MOST_CONFUSED)])
        lines.append((str(label), str(counts.sum()), str(right), shown))
    width = max(len(line[-1]) for line in lines)
    return aligned([(*line[:-1], line[-1].ljust(width)) for line in lines])


def info_text(path: Path) -> str:
    """Return what a file holds: figures, then the classes."""
    content = read(path)
    held = restore(path, content)
    moments = held if isinstance(held, Moments) else held.moments_
    figures = [
        ("file", path),
        ("size", f"{path.stat().st_size:,} bytes"),
        ("written by", f"gauda {content.version}, format {content.format_version}"),
        ("holds", content.kind if held is moments else " ".join(repr(held).split())),
        ("structure", moments.structure),
        ("rows", moments.n_rows),
        ("features", features_text(moments)),
        ("classes", len(moments.classes)),
    ]
    return f"{aligned(figures, left=2)}\n\n{counts_text(moments)}"


def features_text(moments: Moments) -> str:
    """Return the number of columns and the names of the first."""
    if moments.feature_names is None:
        return str(moments.n_features)
    more = ["…"] * (moments.n_features > MOST_FEATURES)
    names = [*moments.feature_names[:MOST_FEATURES], *more]
    return f"{moments.n_features}: {', '.join(names)}"


def counts_text(moments: Moments) -> str:
    """Return a line for each class with its rows or weight; not too many lines."""
    pairs = zip(moments.classes.tolist(), moments.counts.tolist(), strict=True)
    lines = [(label, f"{count:.15g}") for label, count in pairs]
    table = aligned([("class", "weight"), *lines[:MOST_CLASSES]])
    more = len(lines) - MOST_CLASSES
    return f"{table}\n… and {more} more" if more > 0 else table
