"""What runs in the Python workers of Spark: record batches in, sums or answers out."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from gauda._cluster.block import Block
from gauda._cluster.tasks import classify_partition, naming
from gauda.spark._columns import Features

PARTS = "part long, found binary"
"""Columns of what partitions give: their number, and what was found of their rows."""

BLOCK_BYTES = 8 * 2**20
"""Of the rows that are summed up together; Spark's batches of ten thousand rows may be less."""

Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True)
class Layout:
    """What the columns of a record batch hold: features, labels, any weights, any groups."""

    features: Features
    has_weights: bool
    has_groups: bool

    def block(self, partition: int, first_row: int, batch: Any) -> Block:
        """Return the rows of a record batch."""
        n = len(self.features.names)
        columns, (labels, *others) = batch.columns[:n], batch.columns[n:]
        weights = others.pop(0).to_numpy(zero_copy_only=False) if self.has_weights else None
        groups = others.pop(0) if self.has_groups else None
        with naming(partition, first_row):
            rows = self.features.rows(columns)
        return Block(partition, rows, labels, weights, groups, first_row)


@dataclass(frozen=True)
class Pass:
    """A pass over all partitions: what a block of rows gives, and how neighbors are joined."""

    of_block: Callable[[Block], Any]
    join: Callable[[list[Any]], Any]

    def join_some(self, found: Sequence[Any]) -> Any:
        """Return what neighbors give together; None if there are no rows."""
        some = [part for part in found if part is not None]
        return self.join(some) if some else None

    def over(self, layout: Layout) -> Callable[[Batches], Batches]:
        """Return the task for a partition."""

        def task(batches: Batches) -> Batches:
            partition, first_row, found = partition_number(), 0, None
            for batch in gather(batches):
                block = layout.block(partition, first_row, batch)
                found = self.join_some([found, self.of_block(block)])
                first_row += len(batch)
            yield part_batch(partition, found)

        return task

    def over_groups(self) -> Callable[[Any, Any], Any]:
        """Return the task that joins neighbors, which make up a group."""

        def task(key: Any, table: pa.Table) -> pa.Table:
            return pa.Table.from_batches(
                [part_batch(key[0].as_py(), self.join_some(parts_in(table)))]
            )

        return task


def gather(batches: Batches) -> Batches:
    """Yield record batches that neighbors make up, as small ones take longer than their rows."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(each.nbytes for each in waiting) >= BLOCK_BYTES:
            yield pa.concat_batches(waiting)
            waiting = []
    if waiting:
        yield pa.concat_batches(waiting)


def parts_in(table: pa.Table) -> list[Any]:
    """Return what partitions gave, in their order."""
    ordered = table.sort_by("part")
    return [pickle.loads(found) for found in ordered["found"].to_pylist()]  # noqa: S301 (of our own tasks)


def part_batch(number: int, found: Any) -> pa.RecordBatch:
    """Return what a partition gives as a record batch."""
    columns = pa.array([number], pa.int64()), pa.array([pickle.dumps(found)], pa.binary())
    return pa.RecordBatch.from_arrays(list(columns), names=["part", "found"])


def partition_number() -> int:
    """Return the number of the partition that this task works on."""
    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


@lru_cache(maxsize=4)
def model_from(payload: bytes) -> Any:
    """Return a model, made once in each worker."""
    return pickle.loads(payload)  # noqa: S301 (of our own driver)


def answer_batches(
    payload: bytes, features: Features, outputs: tuple[str, ...]
) -> Callable[[Iterator[Any]], Iterator[pa.Array]]:
    """Return the function that answers for batches of the columns of features."""

    def answer(batches: Iterator[Any]) -> Iterator[pa.Array]:
        model = model_from(payload)
        for batch in batches:
            columns = list(batch) if isinstance(batch, tuple) else [batch]
            yield answers_as_struct(model, features, columns, outputs)

    return answer


def answers_as_struct(
    model: Any, features: Features, columns: list[pa.Array], outputs: tuple[str, ...]
) -> pa.Array:
    """Return answers about rows as structures."""
    if len(columns[0]) == 0:
        return pa.array([], type=struct_type(model, outputs))
    rows = features.rows(columns)
    found = classify_partition(model, partition_number(), rows, outputs, {})
    kind = struct_type(model, outputs)
    fields = [as_arrow(getattr(found, name), kind.field(name).type) for name in outputs]
    return pa.StructArray.from_arrays(fields, names=list(outputs))


def as_arrow(values: Any, kind: pa.DataType) -> pa.Array:
    """Return an answer as an array of Arrow, tables as lists."""
    if values.ndim == 1:
        return pa.array(values.tolist() if values.dtype.kind in "UO" else values).cast(kind)
    entries = pa.array(np.ascontiguousarray(values, dtype=np.float64).ravel())
    offsets = np.arange(len(values) + 1, dtype=np.int32) * values.shape[1]
    return pa.ListArray.from_arrays(pa.array(offsets), entries)


def struct_type(model: Any, outputs: tuple[str, ...]) -> pa.DataType:
    """Return the type of the answers about a row."""
    label = pa.float64() if model.classes_.dtype.kind in "biuf" else pa.string()
    kinds = {"label": label}
    lists = pa.list_(pa.float64())
    return pa.struct([(name, kinds.get(name, lists)) for name in outputs])
