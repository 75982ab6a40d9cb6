"""Open whatever rows can come from."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from gauda._data.frames import library_of, refuse_cluster
from gauda._streams.arrays import open_array
from gauda._streams.arrow import open_arrow
from gauda._streams.batches import Request, Source
from gauda._streams.files import open_file, suffix
from gauda._streams.iterables import open_pairs


def open_source(source: Any, request: Request) -> Source:
    """Open a source and find the columns that are wanted of it."""
    if isinstance(source, str | PathLike):
        path = Path(source)
        return open_array(path, request) if suffix(path) == ".npy" else open_file(path, request)
    if isinstance(source, np.ndarray):
        return open_array(source, request)
    if library_of(source) == "pyarrow" and hasattr(source, "scanner"):  # a dataset
        source = source.scanner().to_reader()
    if hasattr(source, "__arrow_c_stream__"):
        return open_arrow(source, request)
    if isinstance(source, list) and source and isinstance(source[0], str | PathLike):
        raise TypeError(
            f"source must be one path; got a list of {len(source)}. Give the folder of parquet "
            "files, or pyarrow.dataset.dataset([...])."
        )
    refuse_cluster(source, "source")
    if isinstance(source, Iterable):
        return open_pairs(source, request)
    if hasattr(source, "collect"):
        raise TypeError(
            f"Rows cannot be read from {type(source).__name__}, which is still to be computed. "
            "Give what its collect() returns."
        )
    raise TypeError(
        f"Rows cannot be read from {type(source).__name__}. Give the path of a parquet, CSV, JSON "
        "Lines, Arrow or .npy file, a folder of parquet files, an array, a dataset of "
        "pyarrow, an object with __arrow_c_stream__ (of pyarrow, polars, DuckDB, ...), or an "
        "iterable of (X, y)."
    )
