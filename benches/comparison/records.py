"""Figures in files: written for others, and compared with those of another run."""

from __future__ import annotations

import json
from pathlib import Path

from comparison.table import Line

SLOWER = 0.97
"""A figure below this share of the other run's is worth a look."""

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


def compare(done: Done, before: Done) -> list[str]:
    """Return a text for each line that the other run has too, the worst first."""
    found = []
    for title, lines in done.items():
        old = {line.what: line for line in before.get(title, [])}
        for line in lines:
            if line.what in old and line.figure > 0 and old[line.what].figure > 0:
                share = line.figure / old[line.what].figure
                found.append((1 / share if line.at_most else share, f"{title}: {line.what}"))
    marks = {True: "  WORSE", False: ""}
    return [f"{share:6.2f}  {what}{marks[share < SLOWER]}" for share, what in sorted(found)]
