"""Partitions with what belongs to their rows. Reading one and summing it up are one task.

So a worker holds the partition that it works on, and none that waits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauda._cluster.block import Block
from gauda._cluster.tasks import naming
from gauda._cluster.tree import join_by_tree
from gauda._support.optional import need
from gauda.dask._collections import (
    TWO,
    as_task,
    beside_array,
    beside_frame,
    check_collection,
    check_column,
    check_roles,
    in_one_column_chunk,
    is_array,
    is_column_name,
    is_frame,
    is_series,
    join_columns,
    settle,
)

LABEL, WEIGHT, GROUP = "y", "sample_weight", "groups"
ROW, COLUMN = "i", "j"


@dataclass(frozen=True)
class LabeledPartitions:
    """A collection of rows; their labels, weights and groups are columns of it, or lie beside."""

    rows: Any
    beside: Mapping[str, Any]
    """Collections with as many parts as the rows."""
    features: list[Any] | None = None
    columns: Mapping[str, Any] | None = None
    """Columns of a frame that are not features; None of an array."""

    @classmethod
    def of(  # noqa: PLR0913 (what belongs to rows)
        cls,
        X: Any,
        y: Any,
        sample_weight: Any,
        caller: str,
        features: Any = None,
        groups: Any = None,
    ) -> LabeledPartitions:
        """Take a collection and what belongs to its rows; of a frame all columns, or some."""
        check_collection(X, caller)
        given = {LABEL: y, WEIGHT: sample_weight, GROUP: groups}
        given = {key: values for key, values in given.items() if values is not None or key == LABEL}
        if is_frame(X):
            return cls._of_frame(X, given, features)
        if X.ndim != TWO:
            raise ValueError(
                f"X must have rows and columns; got an array of shape {X.shape}. Reshape it, "
                "pixels of a raster to rows."
            )
        rows = in_one_column_chunk(X)
        return cls(rows, {key: beside_array(values, rows, key) for key, values in given.items()})

    @classmethod
    def _of_frame(cls, X: Any, given: dict[str, Any], features: Any) -> LabeledPartitions:
        named = {key: name for key, name in given.items() if is_column_name(name)}
        for name in named.values():
            check_column(X, name)
        if features is None:
            features = [column for column in X.columns if column not in named.values()]
        else:
            for name in features:
                check_column(X, name)
        check_roles(given, features)
        series = {key: values for key, values in given.items() if is_series(values)}
        joined = join_columns(X, series)
        named |= {key: key for key in given if key in joined.columns}
        needed = [*features, *named.values()]
        rows = settle(joined if len(needed) == len(joined.columns) else joined[needed])
        beside = {
            key: beside_frame(values, X, rows.npartitions, key)
            for key, values in given.items()
            if key not in named
        }
        return cls(rows, beside, features, named)

    def map(self, function: Callable[..., Any], shared: Any, *given: Any) -> list[Any]:
        """Return a task for each partition, in their order.

        It calls the function with what all share, which may be a task, what else is given, and the
        block of rows.
        """
        work: dict[str, Any] = {"function": function, "shared": shared, "given": given}
        if self.columns is not None:
            work |= {"features": self.features, "columns": self.columns}
            if not self.beside:
                return self._over_frame(work)
        elif all(is_array(values) for values in self.beside.values()):
            return self._over_array(work)
        task = need("dask", extra="dask").delayed(work_on_part, pure=True)
        beside = {key: list(values.to_delayed()) for key, values in self.beside.items()}
        return [
            task(
                rows,
                **work,
                beside={key: parts[number] for key, parts in beside.items()},
                partition_info={"number": number},
            )
            for number, rows in enumerate(np.ravel(self.rows.to_delayed()).tolist())
        ]

    def total(
        self,
        shared: Any,
        function: Callable[..., Any],
        join: Callable[[Any, Sequence[Any]], Any],
        *given: Any,
    ) -> Any:
        """Return what all partitions give together, by a pass over them.

        Both functions are called with what all tasks share.
        """
        task = as_task(shared)
        joined = need("dask", extra="dask").delayed(join, pure=True)
        found = self.map(function, task, *given)
        return join_by_tree(found, lambda few: joined(task, few)).compute()

    def _over_frame(self, work: dict[str, Any]) -> list[Any]:
        found = self.rows.map_partitions(
            work_on_part,
            **work,
            meta=("found", object),
            enforce_metadata=False,
            clear_divisions=True,
        )
        parts: list[Any] = found.to_delayed()
        return parts

    def _over_array(self, work: dict[str, Any]) -> list[Any]:
        da = need("dask.array", extra="dask")
        numbers = da.arange(self.rows.numblocks[0], chunks=1)
        beside = [each for values in self.beside.values() for each in (values, ROW)]
        found = da.blockwise(
            work_on_chunk,
            (ROW, COLUMN),  # which Dask makes one task with what gives the rows
            self.rows,
            (ROW, COLUMN),
            numbers,
            ROW,
            *beside,
            **work,
            keys=tuple(self.beside),
            dtype=object,
            meta=np.empty((0, 0), dtype=object),
            align_arrays=False,
        )
        parts: list[Any] = found.to_delayed()[:, 0].tolist()
        return parts


def work_on_part(  # noqa: PLR0913 (what a task is told)
    part: Any,
    *,
    function: Callable[..., Any],
    shared: Any,
    given: tuple[Any, ...],
    features: list[Any] | None = None,
    columns: Mapping[str, Any] | None = None,
    beside: Mapping[str, Any] | None = None,
    partition_info: Mapping[str, Any],
) -> Any:
    """Do the work on a partition: a frame, or an array with the rest beside it."""
    number, values = partition_info["number"], dict(beside or {})
    if columns is not None:
        values |= {key: take(part, name, number) for key, name in columns.items()}
        part = take(part, features, number)
    block = Block(number, part, values[LABEL], values.get(WEIGHT), values.get(GROUP))
    return function(shared, *given, block)


def work_on_chunk(
    chunk: Any, numbers: Any, *beside: Any, keys: tuple[str, ...], **work: Any
) -> Any:
    """Do the work on a chunk of an array."""
    info = {"number": int(numbers[0])}
    return work_on_part(
        chunk, **work, beside=dict(zip(keys, beside, strict=True)), partition_info=info
    )


def take(part: Any, columns: Any, partition: int) -> Any:
    """Return columns of a partition, or one."""
    with naming(partition):
        lacking = [name for name in np.atleast_1d(columns).tolist() if name not in part.columns]
        if lacking:
            raise ValueError(
                f"There is no column {lacking[0]!r}; the columns are {list(part.columns)}. All "
                "partitions must have the columns of the first."
            )
        return part[columns]
