"""What a stream is made of: batches of rows, and how many rows a batch has."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gauda._data.encoding import Encoded
from gauda._support.arrays import Floats
from gauda._support.errors import IsNull

MAX_ROWS = 1 << 16
MIN_ROWS = 1 << 10
BATCH_ENTRIES = 1 << 22
"""Entries of X or of answers in a batch: wide rows come fewer at a time, to bound the memory."""

Piece = TypeVar("Piece")

LOG = logging.getLogger("gauda")
"""Tells which columns are features, if nobody has chosen them."""


class Batch(NamedTuple):
    """Rows that follow each other in a stream."""

    X: Any
    """Rows as an array of numbers, or as a table if that was asked for."""
    labels: Encoded | None
    weights: Floats | None
    kept: Mapping[str, Any]
    """Columns that are carried along, by name, as Arrow arrays."""
    first_row: int
    """How many rows of the stream came before."""
    is_null: IsNull = None
    """Tells whether an entry of X was null, where it comes from a table."""


@dataclass(frozen=True)
class Request:
    """What to read from a source, as the caller named it."""

    target: Any = None
    features: Any = None
    sample_weight: Any = None
    fitted_features: list[str] | None = None
    """Names that the columns had in a fit: where columns have names, they replace the default."""
    keep: tuple[Any, ...] = ()
    exclude: Any = None
    """Columns that are not features; they must exist."""
    ignore: tuple[Any, ...] = ()
    """Columns that are not features unless `features` says so; they need not exist."""
    delimiter: str | None = None
    """Character between the entries of a line, where the name of a file does not tell it."""
    classes: NDArray[Any] | None = None
    """Classes that labels are compared with: text files hold labels of their type."""
    labeled: bool = True
    as_table: bool = False
    """Whether batches hold tables with columns of any type, not arrays of numbers."""
    text: frozenset[str] = frozenset()
    """Columns that text files hold as text, also where they look like numbers."""
    batch_rows: int | None = None
    n_answers: int = 1
    """Numbers that each row leads to: posteriors of many classes take more memory than rows."""

    def __post_init__(self) -> None:
        if self.features is not None and self.exclude is not None:
            raise ValueError(
                "features and exclude must not be given together; got both. Give features=[...] "
                "alone: what it does not name is left out."
            )

    @property
    def excluded(self) -> list[Any]:
        """Return what is not to be a feature, as a list."""
        return [] if self.exclude is None else as_names(self.exclude)

    def rows(self, n_features: int) -> int:
        """Return the number of rows to read together."""
        if self.batch_rows is None:
            width = max(n_features, self.n_answers)
            return max(MIN_ROWS, min(MAX_ROWS, BATCH_ENTRIES // width))
        if not isinstance(self.batch_rows, int | np.integer) or self.batch_rows < 1:
            raise ValueError(
                f"batch_rows must be an integer of at least 1; got {self.batch_rows!r}."
            )
        return int(self.batch_rows)


@dataclass(frozen=True)
class Source:
    """A stream that was opened and whose columns were found; it can be read once."""

    batches: Generator[Batch]
    n_features: int
    feature_names: NDArray[np.object_] | None
    n_rows: int | None
    """Number of rows, where it is known before they are read."""

    def reading(self) -> closing[Generator[Batch]]:
        """Return a context in which to read; leaving it ends what reads in the background."""
        return closing(self.batches)


def note_features(request: Request, source: Source) -> None:
    """Log which columns are features, if nobody has chosen them."""
    if request.features is None and source.feature_names is not None:
        LOG.info("Features: %s.", ", ".join(map(show_name, source.feature_names)))


def show_name(name: str) -> str:
    """Return a name, in quotes if one could not tell where it ends."""
    return name if name.split() == [name] and "," not in name else repr(name)


def as_names(given: Any) -> list[Any]:
    """Return names of columns as a list; a single one need not be in a list."""
    return [given] if isinstance(given, str | int) else list(given)


def names_array(names: list[str]) -> NDArray[np.object_]:
    """Return names of columns as scikit-learn keeps them."""
    return np.array(names, dtype=object)


def regroup(
    pieces: Iterable[Piece],
    rows: int,
    size: Callable[[Piece], int],
    join: Callable[[list[Piece]], Piece],
    joinable: Callable[[Piece, Piece], bool],
) -> Generator[Piece]:
    """Join small pieces that follow each other, up to so many rows, where they can be joined."""
    waiting: list[Piece] = []
    n_waiting = 0
    for piece in pieces:
        full = n_waiting + size(piece) > rows
        if waiting and (full or not joinable(waiting[0], piece)):
            yield join(waiting)
            waiting, n_waiting = [], 0
        waiting.append(piece)
        n_waiting += size(piece)
    if waiting:
        yield join(waiting)
