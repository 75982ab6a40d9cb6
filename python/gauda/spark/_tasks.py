"""What runs in the Python workers of Spark: record batches in, sums or answers out."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from gauda._cluster.tasks import classify_partition, join_states, part_of_partition
from gauda._estimators.learner import Learner
from gauda.spark._columns import Features

PARTS = "part long, state binary"
"""Columns of what partitions give: their number, and what is known of their rows."""

Batches = Iterator[pa.RecordBatch]


def sum_partitions(settings: Learner, features: Features) -> Callable[[Batches], Batches]:
    """Return the task that sums up a partition."""

    def task(batches: Batches) -> Batches:
        partition = partition_number()
        parts = [part_of_batch(settings, features, partition, batch) for batch in batches]
        yield part_batch([partition], [join_states(settings, parts)])

    return task


def part_of_batch(settings: Learner, features: Features, partition: int, batch: Any) -> Any:
    """Return what the rows of a record batch give: features, then labels, then any weights."""
    n = len(features.names)
    columns, (labels, *weights) = batch.columns[:n], batch.columns[n:]
    weight = weights[0].to_numpy(zero_copy_only=False) if weights else None
    return part_of_partition(settings, partition, features.rows(columns), labels, weight)


def join_groups(settings: Learner) -> Callable[[Any, Any], Any]:
    """Return the task that joins neighbors, which make up a group."""

    def task(key: Any, table: pa.Table) -> pa.Table:
        joined = join_states(settings, states_of(table))
        return pa.Table.from_batches([part_batch([key[0].as_py()], [joined])])

    return task


def states_of(table: pa.Table) -> list[Any]:
    """Return what partitions gave, in their order."""
    ordered = table.sort_by("part")
    return [pickle.loads(state) for state in ordered["state"].to_pylist()]  # noqa: S301 (of our own tasks)


def part_batch(numbers: list[int], states: list[Any]) -> pa.RecordBatch:
    """Return what partitions give as a record batch."""
    payloads = [pickle.dumps(state) for state in states]
    return pa.RecordBatch.from_arrays(
        [pa.array(numbers, pa.int64()), pa.array(payloads, pa.binary())], names=["part", "state"]
    )


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
