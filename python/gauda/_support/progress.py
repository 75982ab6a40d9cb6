"""A bar on stderr that counts rows: on a terminal, or when asked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Protocol

from gauda._support.optional import need


class Counter(Protocol):
    """Receives how many rows are done."""

    def update(self, n: int, /) -> Any:
        """Count n more rows."""


class Silent:
    """Counts nothing."""

    def update(self, n: int, /) -> None:
        """Count n more rows."""


@contextmanager
def counting(
    what: str, n_rows: int | None, *, progress: bool | None, unit: str = "rows"
) -> Iterator[Counter]:
    """Return a counter of rows, or of something else, that shows a bar, or does not."""
    wanted = on_terminal() if progress is None else progress
    if not wanted:
        yield Silent()
        return
    tqdm = need("tqdm", extra="stream").tqdm
    large = unit == "rows"  # which are written as 1.5M
    with tqdm(total=n_rows, desc=what, unit=f" {unit}", unit_scale=large, file=sys.stderr) as bar:
        yield bar


def on_terminal() -> bool:
    """Whether stderr is a terminal and tqdm is installed; no bar is needed unless asked for."""
    return sys.stderr is not None and sys.stderr.isatty() and find_spec("tqdm") is not None
