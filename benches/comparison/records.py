"""Figures in files: written for others, and compared with those of another run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from comparison.table import Line

MIN_NOISE = 0.03
"""Two runs of the same code differ by this share at least."""

DEVIATIONS = 4
"""Figures that differ by more standard deviations than these differ beyond noise."""

DEVIATION_OF_MAD = 1.4826
"""The standard deviation of normal numbers whose median absolute deviation is 1."""

Done = dict[str, list[Line]]


def write_records(path: Path, where: list[str], done: Done) -> None:
    """Write the lines of all sections as JSON."""
    sections = {title: [line.record() for line in lines] for title, lines in done.items()}
    text = json.dumps({"machine": where, "sections": sections}, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def read_records(path: Path) -> Done:
    """Read the lines of all sections."""
    sections = json.loads(path.read_text(encoding="utf-8"))["sections"]
    return {
        title: [
            Line(**{name: value for name, value in record.items() if name != "met"})
            for record in records
        ]
        for title, records in sections.items()
    }


@dataclass(frozen=True)
class Change:
    """A line that two runs have, and how its figure changed."""

    title: str
    what: str
    share: float
    """The figure over that of the other run, or the inverse where less is better."""


def changes(done: Done, before: Done) -> list[Change]:
    """Return the lines that the other run has too, the worst first."""
    found = []
    for title, lines in done.items():
        old = {line.what: line for line in before.get(title, [])}
        for line in lines:
            if line.what in old and line.figure > 0 and old[line.what].figure > 0:
                share = line.figure / old[line.what].figure
                found.append(Change(title, line.what, 1 / share if line.at_most else share))
    return sorted(found, key=lambda change: change.share)


def noise(found: list[Change]) -> float:
    """Return by which share figures differ between runs without a cause.

    Most lines are about code that did not change, so their spread about the median is that of the
    measurement; the few that did change do not move a median.
    """
    if not found:
        return MIN_NOISE
    logarithms = np.log([change.share for change in found])
    spread = np.median(np.abs(logarithms - np.median(logarithms)))
    return max(MIN_NOISE, float(np.expm1(DEVIATIONS * DEVIATION_OF_MAD * spread)))


def slower(found: list[Change], limit: float) -> list[Change]:
    """Return the changes for the worse that noise does not explain."""
    return [change for change in found if change.share < 1 / (1 + limit)]
