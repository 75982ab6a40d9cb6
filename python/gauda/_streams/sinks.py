"""A file of answers that is written part by part, in the format that its name tells."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from gauda._streams.delimited import DELIMITERS
from gauda._support.lazy import arrow_csv, arrow_parquet, pa

GROUP_ROWS = 1 << 20
GROUP_BYTES = 1 << 25
"""A row group is written when it has so many rows, or takes so much memory."""


def parquet(path: Path, schema: Any) -> Any:
    """Return a writer of a parquet file."""
    return arrow_parquet.ParquetWriter(path, schema)


def open_delimited(path: Path, schema: Any, delimiter: str) -> Any:
    """Return a writer of a CSV or TSV file, whose first line names the columns."""
    return arrow_csv.CSVWriter(
        path, schema, write_options=arrow_csv.WriteOptions(delimiter=delimiter)
    )


WRITERS: dict[str, Callable[[Path, Any], Any]] = {
    "": parquet,
    ".parquet": parquet,
    ".pq": parquet,
    **{ending: partial(open_delimited, delimiter=comma) for ending, comma in DELIMITERS.items()},
}
"""By the ending of a file's name."""


def check_sink(path: str | PathLike[str]) -> str:
    """Return the ending of a name, if it tells a format that can be written."""
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        known = ", ".join(filter(None, WRITERS))
        raise ValueError(
            f"Answers are written to files that end in {known}; got {str(path)!r}. Give the file "
            "one of these endings."
        )
    return ending


def check_types(record_batch: Any, ending: str) -> None:
    """Refuse a column of a type that the format has no place for; one row of each is tried."""
    write = arrow_csv.write_csv
    if ending not in DELIMITERS:
        write = arrow_parquet.write_table
    for name in record_batch.schema.names:
        try:
            write(pa.table({name: record_batch.column(name)[:1]}), pa.BufferOutputStream())
        except pa.ArrowException as error:
            kind = record_batch.schema.field(name).type
            raise ValueError(
                f"Column {name!r} must have a type that {ending or 'parquet'} files can hold; got "
                f"{kind}. Convert it, do not keep it, or write a file of another format."
            ) from error


class FileSink:
    """A file under way: batches are gathered into row groups of a decent size."""

    def __init__(self, path: Path, ending: str) -> None:
        self.n_rows = 0
        self._path = path
        self._ending = ending
        self._writer: Any = None
        self._waiting: list[Any] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._write_group()
        finally:
            if self._writer is not None:
                self._writer.close()

    def write(self, record_batch: Any) -> None:
        """Add rows; all batches must have the same columns."""
        if self._writer is None:
            check_types(record_batch, self._ending)
            self._writer = WRITERS[self._ending](self._path, record_batch.schema)
        self._waiting.append(record_batch)
        self.n_rows += len(record_batch)
        rows = sum(map(len, self._waiting))
        size = sum(waiting.nbytes for waiting in self._waiting)
        if rows >= GROUP_ROWS or size >= GROUP_BYTES:
            self._write_group()

    def _write_group(self) -> None:
        if self._waiting:
            table = pa.Table.from_batches(self._waiting)
            self._writer.write_table(table, max(len(table), 1))
            self._waiting = []
