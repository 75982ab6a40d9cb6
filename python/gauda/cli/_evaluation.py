"""How well a model does, as the shell shows it: printed, in JSON, or drawn."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gauda._data.labels import list_labels
from gauda._scoring.evaluation import REJECTING, Evaluation
from gauda._support.atomic_files import check_replaceable, replacing
from gauda._support.optional import need
from gauda._support.tables import align

MAX_CONFUSED = 3
"""Wrong classes named beside a true one."""

PICTURES = (".png", ".pdf", ".svg")


def evaluation_text(evaluation: Evaluation) -> str:
    """Return the figures, then the confusion in a form that fits the terminal."""
    figures = [("rows", str(evaluation.n_rows))]
    if evaluation.may_reject:
        figures.append(("rejected", f"{evaluation.n_rejected / evaluation.n_rows:.6g}"))
    figures += [
        ("accuracy", f"{evaluation.answered_accuracy:.6g}"),
        ("log-loss", f"{evaluation.log_loss:.6g}"),
    ]
    if evaluation.cost is not None and not evaluation.cost_gap:
        figures.append(("mean cost", f"{evaluation.mean_cost:.6g}"))
    table = confusion_table(evaluation)
    if max(map(len, table.splitlines())) > shutil.get_terminal_size((100, 24)).columns:
        table = confusion_list(evaluation)
    return "\n".join([align(figures), *notes_on(evaluation), "", table])


def notes_on(evaluation: Evaluation) -> Iterator[str]:
    """Give lines that say which rows a figure is about, and why there is no mean cost."""
    if evaluation.n_rejected:
        yield "accuracy is that of the rows that were not rejected"
    if evaluation.cost is not None and evaluation.cost_gap:
        remedy = "; give it with --reject cost=NUMBER" if evaluation.cost_gap == REJECTING else ""
        yield f"no mean cost: {evaluation.cost_gap}{remedy}"


def confusion_table(evaluation: Evaluation) -> str:
    """Return the counts with a line for each true label and a column for each class."""
    header = ["truth \\ predicted", *list_labels(evaluation.labels)]
    lines = [[label, *counts.tolist()] for label, counts in evaluation.confusion.items()]
    return align([header, *lines])


def confusion_list(evaluation: Evaluation) -> str:
    """Return a line for each true label: how many are right, and what the others are taken for."""
    labels = list_labels(evaluation.labels)
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
    return align([(*line[:-1], line[-1].ljust(width)) for line in lines])


def evaluation_json(evaluation: Evaluation) -> str:
    """Return the same as one object of JSON; what is infinite or unknown is null."""
    figures = {"accuracy": evaluation.answered_accuracy, "log_loss": evaluation.log_loss}
    if evaluation.may_reject:
        figures["rejected"] = evaluation.n_rejected / evaluation.n_rows
    if evaluation.cost is not None:
        figures["mean_cost"] = evaluation.mean_cost
    notes = list(notes_on(evaluation))
    found = {
        "rows": evaluation.n_rows,
        **{name: value if math.isfinite(value) else None for name, value in figures.items()},
        **({"notes": notes} if notes else {}),
        "labels": list_labels(evaluation.labels),
        "truths": list(evaluation.confusion),
        "confusion": [counts.tolist() for counts in evaluation.confusion.values()],
    }
    return json.dumps(found, default=str, ensure_ascii=False)


def check_picture(path: Path) -> None:
    """Refuse a picture that could not be drawn or saved, before any work is done for it."""
    if path.suffix.lower() not in PICTURES:
        raise ValueError(f"--plot must end in {', '.join(PICTURES)}; got {str(path)!r}.")
    check_replaceable(path)
    need("matplotlib", extra="plot")


def save_picture(evaluation: Evaluation, path: Path) -> None:
    """Draw an evaluation into a file, which appears when it is complete."""
    from gauda.cli._picture import draw_evaluation  # noqa: PLC0415 (it needs matplotlib)

    figure = draw_evaluation(evaluation)
    with replacing(path) as temporary:
        figure.savefig(temporary, format=path.suffix.lower().removeprefix("."))
