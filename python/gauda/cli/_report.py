"""What a file of gauda holds, in tables with aligned columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from numpy.typing import NDArray

from gauda._data.labels import list_labels
from gauda._statistics.base import Statistics
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.moments import Moments
from gauda._storage.format import read
from gauda._storage.loading import restore
from gauda._support.tables import align
from gauda.cli._models import MIXED

MAX_CLASSES = 40
MAX_FEATURES = 12
"""How many are listed one by one."""


def sums_of(held: Any) -> Any:
    """Return the sums that a model was made of; of sums, these themselves."""
    if isinstance(held, Statistics):
        return held
    return next(
        getattr(held, name)
        for name in ("moments_", "counts_", "statistics_")
        if hasattr(held, name)
    )


def info_text(path: Path) -> str:
    """Return what a file holds: figures, then the classes."""
    content = read(path)
    held = restore(path, content)
    sums = sums_of(held)
    figures = [
        ("file", path),
        ("size", f"{path.stat().st_size:,} bytes"),
        ("written by", f"gauda {content.version}, format {content.format_version}"),
        ("holds", content.kind if sums is held else " ".join(repr(held).split())),
        ("structure", getattr(sums, "structure", getattr(sums, "kind", MIXED))),
        ("rows", f"{sums.n_rows:.15g}"),
        ("features", features_text(sums)),
        ("classes", len(sums.classes)),
    ]
    if isinstance(sums, MixedStatistics):
        figures.insert(-1, ("kinds", ", ".join(first(sums.kinds))))
    return f"{align(figures, left=2)}\n\n{counts_text(sums)}"


def features_text(sums: Statistics) -> str:
    """Return the number of columns and the names of the first."""
    if sums.feature_names is None:
        return str(sums.n_features)
    return f"{sums.n_features}: {', '.join(first(sums.feature_names))}"


def first(names: Sequence[str] | NDArray[Any]) -> list[str]:
    """Return the first names, and a mark where there are more."""
    return [*names[:MAX_FEATURES], *["…"] * (len(names) > MAX_FEATURES)]


def counts_text(sums: Statistics) -> str:
    """Return a line for each class with its rows or weight; not too many lines."""
    pairs = zip(list_labels(sums.classes), sums.class_weight.tolist(), strict=True)
    lines = [(label, f"{count:.15g}") for label, count in pairs]
    table = align([("class", "weight"), *lines[:MAX_CLASSES]])
    more = len(lines) - MAX_CLASSES
    return f"{table}\n… and {more} more" if more > 0 else table


def tests_text(held: Any) -> str:
    """Return the tests of separation of moments, or of a model's; refuse what has no means."""
    sums = sums_of(held)
    if not isinstance(sums, Moments):
        raise click.UsageError(
            f"--tests compares class means, which {type(sums).__name__} does not have. Leave it "
            "out, or give moments or a Gaussian model."
        )
    return str(sums.separation_tests())
