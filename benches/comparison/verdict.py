"""The end of a run: each section in a line, and what got slower than in another run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from comparison.records import Change, Done, changes, noise, slower

WIDTH = 64
Measure = Callable[[set[str]], Done]
"""Measures the sections of these titles again."""


def totals(done: Done, found: list[Change], limit: float) -> Iterator[str]:
    """Give a table with a line for each section: aims that are met, and changes."""
    heads = ["lines", "aims met", *(["median change", "slower"] if found else [])]
    yield row("", heads)
    for title, lines in done.items():
        met = sum(line.met for line in lines)
        cells = [str(len(lines)), f"{met}"]
        if found:
            shares = [change.share for change in found if change.title == title]
            worse = slower([change for change in found if change.title == title], limit)
            change = f"{np.median(shares) - 1:+.1%}" if shares else "new"
            cells += [change, str(len(worse)) if shares else ""]
        yield row(title, cells)


def row(title: str, cells: list[str]) -> str:
    """Return a line of the table."""
    return f"{title[:WIDTH]:<{WIDTH}}" + "".join(f"{cell:>15}" for cell in cells)


def judge(done: Done, before: Done, again: Measure) -> tuple[list[Change], float]:
    """Return the changes since another run, and how large noise is.

    Sections with a line that seems slower are measured once more, and the better figure of a line
    counts: who was disturbed once is not blamed.
    """
    found = changes(done, before)
    limit = noise(found)
    suspects = {change.title for change in slower(found, limit)}
    if suspects:
        repeated = changes(again(suspects), before)
        better = {(change.title, change.what): change.share for change in repeated}
        found = sorted(
            (
                Change(one.title, one.what, max(one.share, better.get((one.title, one.what), 0)))
                for one in found
            ),
            key=lambda change: change.share,
        )
    return found, limit


def verdict(found: list[Change], limit: float) -> Iterator[str]:
    """Say what got slower beyond noise."""
    worse = slower(found, limit)
    if not worse:
        yield f"Nothing got slower beyond noise ({limit:.0%}) in {len(found)} figures."
        return
    yield f"Slower beyond noise ({limit:.0%}), measured twice: {len(worse)} of {len(found)} figures"
    for change in worse:
        yield f"{change.share - 1:+7.1%}  {change.title}: {change.what}"
