"""Files of known formats, read in bounded memory: parquet, CSV, JSON, Arrow and Feather.

Left alone, pyarrow reads whole row groups ahead, a gigabyte and more. Within a row group it
streams if asked for batches of a file that is opened with buffers; another thread then reads the
next batch while the last one is worked on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from gauda._streams.ahead import one_ahead
from gauda._streams.arrow import arrow_source, batches_of
from gauda._streams.arrow_types import is_text
from gauda._streams.batches import Request, Source
from gauda._streams.columns import Columns
from gauda._streams.delimited import DELIMITERS, open_delimited
from gauda._streams.file import File
from gauda._streams.json_lines import json_lines
from gauda._support.lazy import arrow_dataset, arrow_parquet, pa

COLUMN_BUFFER = 1 << 16
"""Bytes that are read at a time from each column of a parquet file."""

ARROW_MAGIC = b"ARROW1"
"""What a file of Arrow starts with, if it is not a stream."""


def open_file(path: Path, request: Request) -> Source:
    """Read a file of a known format, or a folder of parquet files."""
    file = file_at(path, request)
    columns = Columns.of(file.schema, request)
    if file.dtype is not None and columns.dtype is not None:
        columns = columns.with_features_of(file.dtype)
    rows = request.rows(len(columns.features))
    batches = batches_of(read_from(path, file, columns, rows), columns, rows)
    return arrow_source(one_ahead(batches), columns, file.n_rows)


def file_at(path: Path, request: Request) -> File:
    """Look into a file or folder; its rows are not read yet."""
    if not path.exists():
        advice = " Give the folder: patterns are not looked up." if "*" in path.name else ""
        raise FileNotFoundError(f"{str(path)!r} does not exist.{advice}")
    opener = parquet if path.is_dir() else OPENERS.get(suffix(path))
    if opener is None:
        known = ", ".join([*OPENERS, ".npy"])
        raise ValueError(
            f"{str(path)!r} has an unknown format; the known ones end in {known}, "
            "and a folder may hold parquet files."
        )
    if request.delimiter is not None and suffix(path) not in DELIMITERS:
        raise ValueError(
            f"delimiter must be left out for a file that does not end in "
            f"{' or '.join(DELIMITERS)}; got {request.delimiter!r} for {str(path)!r}."
        )
    with report_trouble(path):
        return opener(path.absolute(), request)  # or a colon makes pyarrow take it for an address


def read_from(path: Path, file: File, columns: Columns, rows: int) -> Generator[Any]:
    """Yield the record batches of a file; errors name it."""
    with report_trouble(path):
        yield from file.read(columns, rows)


@contextmanager
def report_trouble(path: Path) -> Iterator[None]:
    """Say which file it is that pyarrow cannot read."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise  # the system's own errors name the file
        raise ValueError(f"{str(path)!r} cannot be read: {error}") from error


def suffix(path: Path) -> str:
    """Return the ending of a file's name that tells its format."""
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix


def parquet(path: Path, _: Request) -> File:
    """Open a parquet file or a folder of them; names of subfolders such as `year=2026` count."""
    found = arrow_dataset.dataset(path, format="parquet", partitioning="hive")
    fragments = list(found.get_fragments())
    if not fragments:
        raise ValueError(f"{str(path)!r} holds no parquet files.")
    schemas = [found.schema, *(fragment.physical_schema for fragment in fragments)]
    schema = pa.unify_schemas(schemas, promote_options="permissive")

    def read(columns: Columns, rows: int) -> Generator[Any]:
        for fragment in fragments:
            yield from read_fragment(fragment, columns, rows)

    return File(schema, found.count_rows(), read)


def read_fragment(fragment: Any, columns: Columns, rows: int) -> Generator[Any]:
    """Read one parquet file; the values in the names of its folders become columns."""
    partition = arrow_dataset.get_partition_keys(fragment.partition_expression)
    stored = [name for name in columns.names if name not in partition]
    missing = [name for name in stored if name not in fragment.physical_schema.names]
    if missing:
        raise ValueError(
            f"{fragment.path!r} has no column {missing[0]!r}, but other files do. Add it there, or "
            "leave it out with exclude=[...]."
        )
    parquet_file = arrow_parquet.ParquetFile(
        fragment.path,
        filesystem=fragment.filesystem,
        read_dictionary=coded_text(columns, stored),
        buffer_size=COLUMN_BUFFER,
        pre_buffer=False,
    )
    with parquet_file as file:
        for batch in file.iter_batches(rows, columns=stored):
            yield with_constants(batch, partition, columns)


def with_constants(record_batch: Any, partition: dict[str, Any], columns: Columns) -> Any:
    """Return a batch with more columns, each of one value only."""
    added = {
        name: pa.repeat(
            pa.scalar(partition[name], columns.schema.field(name).type), len(record_batch)
        )
        for name in partition
        if name in columns.names
    }
    if not added:
        return record_batch
    names = [*record_batch.schema.names, *added]
    return pa.RecordBatch.from_arrays([*record_batch.columns, *added.values()], names=names)


def coded_text(columns: Columns, stored: list[str]) -> list[str]:
    """Return labels and features that hold strings: they are read as codes."""
    used = [*columns.features, *([] if columns.target is None else [columns.target])]
    text = [name for name in used if name in stored and is_text(columns.schema.field(name).type)]
    return [name for name in text if name not in columns.keep]


def arrow(path: Path, _: Request) -> File:
    """Open a file in one of Arrow's own two formats, also called Feather."""
    with path.open("rb") as file:
        seekable = file.read(len(ARROW_MAGIC)) == ARROW_MAGIC
    if not seekable:
        return arrow_stream(path)
    found = arrow_dataset.dataset(path, format="arrow")

    def read(columns: Columns, _: int) -> Generator[Any]:
        options = include_columns(found.schema, columns)
        with pa.OSFile(str(path)) as file, pa.ipc.open_file(file, options=options) as opened:
            for index in range(opened.num_record_batches):
                yield opened.get_batch(index)

    return File(found.schema, found.count_rows(), read)


def arrow_stream(path: Path) -> File:
    """Open a file of Arrow's format for streams, which does not tell the number of rows."""
    with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as opened:
        schema = opened.schema

    def read(columns: Columns, _: int) -> Generator[Any]:
        options = include_columns(schema, columns)
        with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file, options=options) as opened:
            yield from opened

    return File(schema, None, read)


def include_columns(schema: Any, columns: Columns) -> Any:
    """Return the option of pyarrow to read these columns only."""
    indices = sorted(map(schema.get_field_index, columns.names))
    return pa.ipc.IpcReadOptions(included_fields=indices)


OPENERS: dict[str, Callable[[Path, Request], File]] = {
    ".parquet": parquet,
    ".pq": parquet,
    **{ending: partial(open_delimited, default=comma) for ending, comma in DELIMITERS.items()},
    ".jsonl": json_lines,
    ".ndjson": json_lines,
    ".arrow": arrow,
    ".feather": arrow,
}
