"""Figures that `benches/compare.py --json` has recorded, as tables of the page on performance."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]
NONE = "No run is recorded here yet: `make bench` measures and prints all of them.\n"
DIGITS = 3


def write_records(folder: Path, path: Path) -> None:
    """Write the tables of all runs in a folder, each a file named by its version."""
    path.parent.mkdir(parents=True, exist_ok=True)
    files = sorted(folder.glob("*.json"), key=lambda file: version_key(file.stem))
    runs = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}
    path.write_text("\n".join(pages(runs)) if runs else NONE, encoding="utf-8")


def version_key(name: str) -> tuple[int, ...]:
    """Return the numbers of a version, for their order."""
    return tuple(int(part) for part in name.split(".") if part.isdigit())


def pages(runs: dict[str, Record]) -> Iterator[str]:
    """Give the tables of the last run, then how figures were in those before."""
    last, run = list(runs.items())[-1]
    yield f"Version {last}: {'; '.join(run['machine'])}.\n"
    for title, lines in run["sections"].items():
        yield f"### {title}\n"
        rows = [(line["what"], line["ours"], line["other"], figure(line)) for line in lines]
        yield table(("", "gauda", "best other", "figure"), rows)
    if len(runs) > 1:
        yield "## History\n"
        yield table(("", *runs), list(history(runs)))


def history(runs: dict[str, Record]) -> Iterator[tuple[str, ...]]:
    """Give each figure of the last run with those of all runs."""
    found = {
        version: {
            (title, line["what"]): figure(line) for title, lines in sections for line in lines
        }
        for version, sections in ((name, run["sections"].items()) for name, run in runs.items())
    }
    for title, what in found[list(runs)[-1]]:
        yield (f"{title}: {what}", *(known.get((title, what), "") for known in found.values()))


def figure(line: Record) -> str:
    """Return what was measured, with its unit."""
    return f"{line['figure']:.{DIGITS}g}{line['unit']}"


def table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    lines = [headings, ("-",) * len(headings), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |\n" for row in lines)
