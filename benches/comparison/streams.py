"""Streams from parquet: a fit against pyarrow's mere reading, and the memory that it takes."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset  # loaded before memory is measured
import pyarrow.parquet as pq

from comparison.contestants import MODELS
from comparison.data import count
from comparison.memory import MEGABYTE, resident
from comparison.race import Effort, race
from comparison.table import Line, faster, short

ROWS, COLUMNS, CLASSES = 20_000_000, 10, 3
ROW_GROUP = 1 << 20
SHARE_OF_READING = 0.6
ALLOWED = 300
TARGET = "y"


def write_rows(path: Path, n: int) -> None:
    """Write rows of Gaussian classes in the row groups that pyarrow makes by default."""
    random = np.random.default_rng(0)
    schema = pa.schema(
        [*((f"x{place}", pa.float64()) for place in range(COLUMNS)), (TARGET, pa.int64())]
    )
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n, ROW_GROUP):
            y = random.integers(CLASSES, size=min(ROW_GROUP, n - start))
            columns = [random.standard_normal(len(y)) + y for _ in range(COLUMNS)]
            writer.write_table(pa.table([*columns, y], schema=schema))


def read(path: Path) -> None:
    """Read all columns to numpy, without a copy, batch by batch."""
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches():
            for column in batch.columns:
                column.to_numpy()


def fit(path: Path, name: str) -> None:
    """Fit a model of ours."""
    MODELS[name][0]().fit_stream(path, target=TARGET, progress=False)


def peak(path: Path, name: str) -> float:
    """Return the megabytes that a fit takes at its peak, in this process, which must be fresh."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = resident("VmRSS")
    fit(path, name)
    return (resident("VmHWM") - before) / MEGABYTE


def streams(effort: Effort) -> Iterator[Line]:
    """Fit every model to one parquet file; then see what memory a fit takes in a new process."""
    n = effort.rows(ROWS)
    shape = f"{count(n)} x {COLUMNS} x {CLASSES}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        write_rows(path, n)
        for name in MODELS:
            seconds = race(effort, partial(fit, path, name), partial(read, path))
            yield faster(f"{name} fit_stream, {shape} (pyarrow reads)", seconds, SHARE_OF_READING)
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["comparison.streams"])
        with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as processes:
            for name in MODELS:
                ours = processes.submit(peak, path, name).result()
                what = f"{name} fit_stream, {shape}, peak memory"
                yield Line(what, f"{short(ours)} MB", "", ours, ALLOWED, " MB", at_most=True)
