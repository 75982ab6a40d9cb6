"""Answers about arrays of Dask, whose last axis holds the features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._estimators.classifier import Classifier
from gauda._support.optional import need
from gauda.dask._collections import in_one_column_chunk
from gauda.dask._questions import Question, answers_of


def answers(question: Question, X: Any) -> dict[str, Any]:
    """Return an array of Dask for each output; all come of the same tasks."""
    da = need("dask.array", extra="dask")
    rows = in_one_column_chunk(X)
    question.check_width(rows.shape[-1])
    precision = question.precision([X.dtype])
    found = da.map_blocks(
        answer_block,
        rows,
        model=question.delayed_model(),
        question=(question.outputs, question.options),
        drop_axis=rows.ndim - 1,
        dtype=object,
        meta=np.empty((0,) * (rows.ndim - 1), dtype=object),
    )
    return {output: part(question, found, output, precision) for output in question.outputs}


def part(question: Question, found: Any, output: str, precision: np.dtype[Any]) -> Any:
    """Return one of the answers as an array of its own."""
    da = need("dask.array", extra="dask")
    dtype, labels = question.dtype(output, precision), question.columns(output)
    options: dict[str, Any] = {"name_of_answer": output, "type_of_answer": dtype, "dtype": dtype}
    if labels is None:
        return da.map_blocks(take, found, meta=np.empty((0,) * found.ndim, dtype=dtype), **options)
    return da.map_blocks(
        take,
        found,
        new_axis=found.ndim,
        chunks=(*found.chunks, (len(labels),)),
        meta=np.empty((0,) * (found.ndim + 1), dtype=dtype),
        width=len(labels),
        **options,
    )


def answer_block(
    block: NDArray[Any],
    *,
    model: Classifier,
    question: tuple[tuple[str, ...], Mapping[str, Any]],
    block_id: tuple[int, ...] = (),
) -> Any:
    """Return the answers about a block, by name, and its shape without the features."""
    shape = block.shape[:-1]
    if 0 in shape:
        return shape, None
    rows = block.reshape(-1, block.shape[-1])
    return shape, answers_of(model, question, block_id[0] if block_id else 0, rows)


def take(
    found: Any, *, name_of_answer: str, type_of_answer: np.dtype[Any], width: int | None = None
) -> NDArray[Any]:
    """Return one of the answers about a block."""
    shape, by_name = found
    whole = shape if width is None else (*shape, width)
    if by_name is None:
        return np.empty(whole, dtype=type_of_answer)
    return np.asarray(by_name[name_of_answer], dtype=type_of_answer).reshape(whole)
