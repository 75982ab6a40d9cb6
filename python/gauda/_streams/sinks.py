"""A parquet file that is written part by part."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Self

from gauda._optional import need

GROUP_ROWS = 1 << 20
GROUP_BYTES = 1 << 25
"""A row group is written when it has so many rows, or takes so much memory."""


class ParquetSink:
    """A parquet file under way: batches are gathered into row groups of a decent size."""

    def __init__(self, path: Path) -> None:
        self.n_rows = 0
        self._path = path
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
            parquet = need("pyarrow.parquet", extra="stream")
            self._writer = parquet.ParquetWriter(self._path, record_batch.schema)
        self._waiting.append(record_batch)
        self.n_rows += len(record_batch)
        rows = sum(map(len, self._waiting))
        size = sum(waiting.nbytes for waiting in self._waiting)
        if rows >= GROUP_ROWS or size >= GROUP_BYTES:
            self._write_group()

    def _write_group(self) -> None:
        if self._waiting:
            table = need("pyarrow", extra="stream").Table.from_batches(self._waiting)
            self._writer.write_table(table, row_group_size=max(len(table), 1))
            self._waiting = []
