"""The picture: rows per second over the number of columns, both logarithmic."""

from __future__ import annotations

from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter, ScalarFormatter
from PIL import Image

from comparison.contestants import MODELS, NUMPY
from comparison.data import gaussian_classes
from comparison.machine import machine
from comparison.race import Effort, race

COLUMNS = [4, 10, 25, 60, 150, 400]
CLASSES = 5
ENTRIES = 4_000_000
TITLES = {"QDA": "quadratic (QDA)", "LDA": "linear (LDA)", "GNB": "naive Bayes"}
# Okabe and Ito's colors: told apart by color-blind readers.
STYLES = {
    "gauda": {"color": "#0072B2", "marker": "o", "lw": 2.4},
    "scikit-learn": {"color": "#D55E00", "marker": "^", "lw": 1.6},
    "blocked numpy": {"color": "#555555", "marker": "s", "lw": 1.2, "ls": "--"},
}

Speeds = dict[tuple[str, str, str], list[float]]


def speeds(effort: Effort) -> Speeds:
    """Return rows per second for each d, by model, method and contestant."""
    found: Speeds = {}
    for d in COLUMNS:
        X, y = gaussian_classes(effort.rows(ENTRIES // d, d, CLASSES), d, CLASSES)
        for name in MODELS:
            for method, contestants in calls(name, X, y).items():
                seconds = race(effort, *contestants.values())
                for who, second in zip(contestants, seconds, strict=True):
                    found.setdefault((name, method, who), []).append(len(X) / second)
    return found


def calls(name: str, X: Any, y: Any) -> dict[str, dict[str, partial[Any]]]:
    """Return by method what each contestant calls, ours first."""
    ours, other = (model() for model in MODELS[name])
    fits = {"gauda": partial(ours.fit, X, y), "scikit-learn": partial(other.fit, X, y)}
    for fit in fits.values():
        fit()
    stored = ours.set_params(store_covariance=True).fit(X, y) if name == "QDA" else ours
    predicts = {
        "gauda": partial(stored.predict, X),
        "scikit-learn": partial(other.predict, X),
        "blocked numpy": partial(NUMPY[name](stored, X.dtype), X),
    }
    return {"fit": fits, "predict": predicts}


def draw(effort: Effort, out: Path) -> None:
    """Measure, draw a panel for each model and method, and save the picture."""
    found = speeds(effort)
    figure = Figure(figsize=(10.5, 6.4), layout="constrained")  # no pyplot: no display is needed
    panels = figure.subplots(2, len(MODELS), sharex=True, sharey="row")
    for row, method in zip(panels, ("fit", "predict"), strict=True):
        row[0].set_ylabel(f"{method}: rows per second")
        for axes, name in zip(row, MODELS, strict=True):
            draw_panel(axes, {who: found.get((name, method, who)) for who in STYLES})
    for axes, name in zip(panels[0], MODELS, strict=True):
        axes.set_title(TITLES[name])
    for axes in panels[1]:
        axes.set_xlabel("columns")
    handles, names = panels[1, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False)
    figure.suptitle(f"{CLASSES} classes, float64, {machine()}", fontsize=10, color="#555555")
    save_png(figure, out)


def draw_panel(axes: Axes, series: dict[str, list[float] | None]) -> None:
    """Draw the lines of one model and method."""
    for who, rates in series.items():
        if rates:
            axes.loglog(COLUMNS, rates, label=who, ms=5, **STYLES[who])
    axes.xaxis.set_major_locator(FixedLocator(COLUMNS))
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.minorticks_off()
    axes.grid(which="major", color="#dddddd", lw=0.7)
    axes.spines[["top", "right"]].set_visible(False)


def save_png(figure: Figure, out: Path) -> None:
    """Save with a palette of 64 colors: a third of the size, and no visible difference."""
    pixels = BytesIO()
    figure.savefig(pixels, dpi=140)
    palette = Image.open(pixels).convert("RGB").quantize(64, dither=Image.Dither.NONE)
    palette.save(out, format="png", optimize=True)
