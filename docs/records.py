"""Figures that `benches/compare.py --json` has recorded, as tables of the page on performance.

As a script it prints the table of README.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]
NONE = "No run is recorded here yet: `make bench` measures and prints all of them.\n"
DIGITS = 3
TWO_DIGITS = 9.95
RECORDS = Path(__file__).parents[1] / "benches" / "records"


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


SIZES = ("1M x 10 x 3", "200k x 50 x 10", "100k x 200 x 10")
SCIKIT_LEARN = "Times faster than scikit-learn"
EXPERTS = "Times faster than the best expert's code, CPU seconds (wall)"
INSTRUCTIONS = ("", ", AVX2")
OPERATIONS = {
    "QDA `fit`": ("QDA fit", "QDA fit"),
    "QDA `predict`": ("QDA predict", "QDA predict"),
    "LDA `fit`": ("LDA lsqr fit", "LDA fit"),
    "LDA `predict`": ("LDA predict", "LDA predict"),
    "naive Bayes `fit`": ("GNB fit", "GNB fit"),
    "naive Bayes `predict`": ("GNB predict", "GNB predict"),
}
"""By the words for it: an operation in the sections of scikit-learn and of experts."""


def speed_table(run: Record) -> str:
    """Return the table of README: scikit-learn and the best of all others, AVX-512 and AVX2."""
    headings = ("", *(size.replace(" x ", " × ") for size in SIZES))  # noqa: RUF001 (as printed)
    rows = [
        (name, *(speeds(run, *found, size) for size in SIZES)) for name, found in OPERATIONS.items()
    ]
    return table(headings, rows)


def speeds(run: Record, operation: str, experts_operation: str, size: str) -> str:
    """Return how many times faster an operation is than scikit-learn's, and than the best other."""
    sections = run["sections"]
    peers, others = (
        [find(sections[title + suffix], f"{what}, {size}, float64") for suffix in INSTRUCTIONS]
        for title, what in ((SCIKIT_LEARN, operation), (EXPERTS, experts_operation))
    )
    names = ", ".join(dict.fromkeys(line["other"].split()[0] for line in others))
    return f"{ratios(peers)}; {ratios(others)} ({names})"


def find(lines: list[Record], what: str) -> Record:
    """Return the first line that begins so."""
    return next(line for line in lines if line["what"].startswith(what))


def ratios(lines: list[Record]) -> str:
    """Return two digits of each figure."""
    return " / ".join(
        f"{line['figure']:.0f}" if line["figure"] >= TWO_DIGITS else f"{line['figure']:.1f}"
        for line in lines
    )


if __name__ == "__main__":
    last = max(RECORDS.glob("*.json"), key=lambda file: version_key(file.stem))
    print(speed_table(json.loads(last.read_text(encoding="utf-8"))), end="")  # noqa: T201 (a script)
