"""Compare gauda with scikit-learn, with numpy scripts and with the machine's limits.

Run by ``make bench``; alone, ``python benches/compare.py --quick`` tries everything in seconds.
"""

# ruff: noqa: INP001, T201 (a script, which prints its results)

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from comparison.choosing import choosing
from comparison.clusters import clusters
from comparison.columns import columns
from comparison.decisions import decisions
from comparison.discrete import discrete
from comparison.experts import experts
from comparison.growth import growth
from comparison.instructions import AVX2, run_on_avx2, use_all_instructions
from comparison.itself import labels, threads, uint16
from comparison.layouts import layouts
from comparison.limits import arithmetic, bandwidth
from comparison.machine import description
from comparison.memory import memory
from comparison.missing import missing
from comparison.moments import moments
from comparison.peers import against_numpy, against_sklearn, one_row, string_labels
from comparison.race import FULL, QUICK, Effort
from comparison.records import Done, read_records, write_records
from comparison.sampling import sampling
from comparison.scenes import scenes
from comparison.small import small
from comparison.streams import streams
from comparison.table import HEADINGS, WITHOUT_AIMS, Line, Section, aligned, markdown
from comparison.verdict import judge, totals, verdict
from comparison.wide import wide
from threadpoolctl import threadpool_limits

SECTIONS: dict[str, tuple[str, Section]] = {
    "sklearn": ("Times faster than scikit-learn", against_sklearn),
    "numpy": ("Times faster than blocked numpy", against_numpy),
    "experts": ("Times faster than the best expert's code, CPU seconds (wall)", experts),
    "arithmetic": ("Arithmetic, as a share of numpy's matrix product", arithmetic),
    "bandwidth": ("Reading, as a share of X.sum()", bandwidth),
    "layouts": ("Orders of memory: times as long as C order", layouts),
    "threads": ("Times faster with two threads", threads),
    "uint16": ("Times faster on uint16 than on float32", uint16),
    "labels": ("Times faster for labels alone than for all scores", labels),
    "one-row": ("One row", one_row),
    "small": ("Learning one row; times faster than others' small fits", small),
    "strings": ("Times faster than np.unique", string_labels),
    "memory": ("Peak memory beyond input and output (VmHWM)", memory),
    "moments": ("Moments: merged, by batches, and models made of them", moments),
    "decisions": ("Decisions: times as long as the plain answer", decisions),
    "choosing": ("Times faster than scikit-learn's, a few values or rows scaled", choosing),
    "columns": ("Columns: all steps over one fit; times faster than scikit-learn's", columns),
    "sampling": ("Times faster than numpy's multivariate_normal", sampling),
    "discrete": ("Discrete naive Bayes: times faster than scikit-learn; peak memory", discrete),
    "missing": ("Gaps: few patterns over complete rows; times faster than numpy", missing),
    "streams": ("Streams: pyarrow's reading over ours; peak memory (VmHWM)", streams),
    "clusters": ("Clusters on one machine: two workers of Dask, two cores of Spark", clusters),
    "wide": ("Wide data: times faster than scikit-learn, in CPU time of one thread", wide),
    "scenes": ("Whole scenes, against what people write today", scenes),
    "growth": ("Growth: slowest over fastest; largest size over the line", growth),
}
PICTURE = "picture"
PICTURE_PATH = Path(__file__).with_name("speed.png")


def run(title: str, section: Section, effort: Effort) -> list[Line]:
    """Measure a section; each line is printed as soon as it is there."""
    shown = columns_shown(effort)
    print(f"\n{aligned((title, *HEADINGS[1:shown]))}")
    lines = []
    for line in section(effort):
        print(aligned(line.cells()[:shown]), flush=True)
        lines.append(line)
    return lines


def columns_shown(effort: Effort) -> int:
    """Return how many columns are shown: figures of small tables have no aims."""
    return len(HEADINGS) if effort.shrink == 1 else WITHOUT_AIMS


def draw_picture(effort: Effort) -> None:
    """Draw the picture; a quick one goes to the temporary folder."""
    from comparison.picture import draw  # noqa: PLC0415 (nothing else needs matplotlib)

    quick = Path(tempfile.gettempdir(), "speed-quick.png")
    path = PICTURE_PATH if effort.shrink == 1 else quick
    draw(effort, path)
    print(f"\nPicture of rows per second over columns saved to {path}")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small tables, to try it out")
    names = [*SECTIONS, PICTURE]
    parser.add_argument(
        "--only",
        nargs="+",
        choices=names,
        default=names,
        metavar="NAME",
        help=f"only these sections: {', '.join(names)}",
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables there too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--baseline", type=Path, metavar="FILE", help="compare with such figures")
    parser.add_argument("--full", action="store_true", help="scenes and clusters of real size")
    asked = parser.parse_args()
    if asked.quick and asked.baseline:
        parser.error("figures of --quick are worth nothing; leave out --quick or --baseline.")
    return asked


def main() -> None:
    """Print where this runs, then the sections, then what became better or worse."""
    asked = arguments()
    use_all_instructions()
    effort = QUICK if asked.quick else FULL
    if asked.full:
        effort = replace(effort, scene_share=1)
    start = time.perf_counter()
    where = description()
    print(*where, sep="\n")
    if asked.quick:
        print("Quick: the tables are small, and the figures worth nothing.")
    done = measure([name for name in SECTIONS if name in asked.only], effort)
    if PICTURE in asked.only:
        draw_picture(effort)
    if asked.json:
        write_records(asked.json, where, done)
    if asked.markdown:
        tables = [markdown(title, lines, columns_shown(effort)) for title, lines in done.items()]
        asked.markdown.write_text("\n".join(["  \n".join(where), "", *tables]), encoding="utf-8")
    print(f"\nDone in {time.perf_counter() - start:.0f} s")
    if not asked.quick:
        conclude(done, asked.baseline, effort)


def measure(names: list[str], effort: Effort) -> Done:
    """Measure some sections, and their kernels once more with AVX2 only."""
    quick = effort.shrink != 1
    # On a busy machine OpenBLAS's threads wait long for each other: a try shall be quick there too.
    with threadpool_limits(1 if quick else None):
        done = {SECTIONS[name][0]: run(*SECTIONS[name], effort) for name in names}
    return done | run_on_avx2(Path(__file__), names, ["--quick"] if quick else [])


def conclude(done: Done, baseline: Path | None, effort: Effort) -> None:
    """Print a table of all sections and, given figures of another run, what got slower."""

    def again(titles: set[str]) -> Done:
        print("\nAgain, what seems slower")
        plain = {title.removesuffix(AVX2) for title in titles}
        return measure([name for name, (title, _) in SECTIONS.items() if title in plain], effort)

    found, limit = judge(done, read_records(baseline), again) if baseline else ([], 0.0)
    print("", *totals(done, found, limit), sep="\n")
    if baseline:
        print("", *verdict(found, limit), sep="\n")


if __name__ == "__main__":
    main()
