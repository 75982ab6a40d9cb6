"""Streams of Arrow record batches: regrouped, then turned into arrays."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from gauda._streams.batches import Batch, Request, Source, regrouped
from gauda._streams.columns import Columns
from gauda._support.optional import need


def open_arrow(stream: Any, request: Request) -> Source:
    """Read anything that has `__arrow_c_stream__`, in the calling thread: it may belong to it."""
    reader = reader_of(stream)
    columns = Columns.of(reader.schema, request)
    rows = request.rows(len(columns.features))
    n_rows = getattr(stream, "num_rows", getattr(stream, "height", None))
    return arrow_source(batches_of(reader, columns, rows), columns, n_rows)


def reader_of(stream: Any) -> Any:
    """Return pyarrow's reader of a stream."""
    pa = need("pyarrow", extra="stream")
    if isinstance(stream, pa.Table):  # up to release 23 it crashes on its own views of strings
        return stream.to_reader()
    return pa.RecordBatchReader.from_stream(stream)


def arrow_source(batches: Generator[Batch], columns: Columns, n_rows: int | None) -> Source:
    """Return a source of batches that have names."""
    return Source(batches, len(columns.features), columns.feature_names, n_rows)


def batches_of(record_batches: Iterable[Any], columns: Columns, rows: int) -> Generator[Batch]:
    """Yield batches of about so many rows; without any row, one that is empty."""
    first_row = 0
    pieces = (piece for whole in record_batches for piece in slices(whole, columns.names, rows))
    for joined in regrouped(pieces, rows, len, join):
        yield columns.batch(joined, first_row)
        first_row += len(joined)
    if first_row == 0:
        yield columns.batch(empty(columns), 0)


def slices(record_batch: Any, names: list[str], rows: int) -> Generator[Any]:
    """Cut a batch, of these columns only, into parts of so many rows."""
    chosen = record_batch.select(names)
    return (chosen.slice(start, rows) for start in range(0, len(chosen), rows))


def join(record_batches: list[Any]) -> Any:
    """Return batches as one; files of one folder may store a column in different types."""
    if len(record_batches) == 1:
        return record_batches[0]
    pa = need("pyarrow", extra="stream")
    tables = [pa.Table.from_batches([record_batch]) for record_batch in record_batches]
    joined = pa.concat_tables(tables, promote_options="permissive").combine_chunks()
    return joined.to_batches()[0]


def empty(columns: Columns) -> Any:
    """Return a record batch without rows."""
    pa = need("pyarrow", extra="stream")
    fields = [columns.schema.field(name) for name in columns.names]
    return pa.RecordBatch.from_pylist([], schema=pa.schema(fields))
