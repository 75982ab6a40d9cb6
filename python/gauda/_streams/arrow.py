"""Streams of Arrow record batches: regroup, then turned into arrays."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from gauda._data.frames import library_of
from gauda._streams.batches import Batch, Request, Source, as_names, regroup
from gauda._streams.columns import Columns, check_named
from gauda._support.lazy import pa


def open_arrow(stream: Any, request: Request) -> Source:
    """Read anything that has `__arrow_c_stream__`, in the calling thread: it may belong to it."""
    check_named(request)
    stream, request = drop_unused_columns(stream, request)
    reader = reader_of(stream)
    columns = Columns.of(reader.schema, request)
    rows = request.rows(len(columns.features))
    n_rows = getattr(stream, "num_rows", getattr(stream, "height", None))
    return arrow_source(batches_of(reader, columns, rows), columns, n_rows)


def drop_unused_columns(table: Any, request: Request) -> tuple[Any, Request]:
    """Return a frame of pandas or polars without the columns that were left out.

    Arrow cannot hold some columns; those who left them out should not hear of it.
    """
    names = list(getattr(table, "columns", ()))
    is_frame = library_of(table) in {"pandas", "polars"} and len(set(names)) == len(names) > 0
    if is_frame and request.features is not None:
        used = [*as_names(request.features), request.target, request.sample_weight, *request.keep]
        return table[[name for name in names if name in used]], request
    if is_frame and request.excluded:
        unknown = [name for name in request.excluded if name not in names]
        rest = table[[name for name in names if name not in request.excluded]]
        return rest, replace(request, exclude=unknown)
    return table, request


def reader_of(stream: Any) -> Any:
    """Return pyarrow's reader of a stream."""
    if isinstance(stream, pa.Table):  # up to release 23 it crashes on its own views of strings
        return stream.to_reader()
    try:
        return pa.RecordBatchReader.from_stream(stream)
    except (pa.ArrowException, TypeError, OverflowError) as error:
        parts = error.args if all(isinstance(part, str) for part in error.args) else [str(error)]
        reason = "; ".join(parts).rstrip(".")
        raise ValueError(
            f"A {type(stream).__name__} must have columns that Arrow can hold; got one that it "
            f"cannot: {reason}. Convert the column to numbers or text; or leave it out with "
            "exclude=[...]."
        ) from error


def arrow_source(batches: Generator[Batch], columns: Columns, n_rows: int | None) -> Source:
    """Return a source of batches that have names."""
    return Source(batches, len(columns.features), columns.feature_names, n_rows)


def batches_of(record_batches: Iterable[Any], columns: Columns, rows: int) -> Generator[Batch]:
    """Yield batches of about so many rows; without any row, one that is empty."""
    first_row = 0
    pieces = (piece for whole in record_batches for piece in slices(whole, columns.names, rows))
    for joined in regroup(pieces, rows, len, join, partial(have_same_label_type, columns.target)):
        yield columns.batch(joined, first_row)
        first_row += len(joined)
    if first_row == 0:
        yield columns.batch(empty(columns), 0)


def slices(record_batch: Any, names: list[str], rows: int) -> Generator[Any]:
    """Cut a batch, of these columns only, into parts of so many rows."""
    chosen = record_batch.select(names)
    return (chosen.slice(start, rows) for start in range(0, len(chosen), rows))


def have_same_label_type(target: str | None, first: Any, second: Any) -> bool:
    """Whether two batches hold labels of one type; a common type might change some."""
    if target is None:
        return True
    return bool(first.schema.field(target).type == second.schema.field(target).type)


def join(record_batches: list[Any]) -> Any:
    """Return batches as one; files of one folder may store a column in different types."""
    if len(record_batches) == 1:
        return record_batches[0]
    tables = [pa.Table.from_batches([wide_indices(batch)]) for batch in record_batches]
    joined = pa.concat_tables(tables, promote_options="permissive").combine_chunks()
    return joined.to_batches()[0]


def wide_indices(record_batch: Any) -> Any:
    """Return a batch whose dictionaries have room for the entries of others."""
    for index, column in enumerate(record_batch.columns):
        if pa.types.is_dictionary(column.type) and column.type.index_type != pa.int32():
            indices = column.indices.cast(pa.int32())
            wide = pa.DictionaryArray.from_arrays(indices, column.dictionary)
            name = record_batch.schema.names[index]
            record_batch = record_batch.set_column(index, name, wide)
    return record_batch


def empty(columns: Columns) -> Any:
    """Return a record batch without rows."""
    fields = [columns.schema.field(name) for name in columns.names]
    return pa.RecordBatch.from_pylist([], schema=pa.schema(fields))
