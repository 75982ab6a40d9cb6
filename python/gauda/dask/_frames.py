"""Answers about data frames of Dask, with their index and divisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._estimators.classifier import Classifier
from gauda._support.optional import need
from gauda.dask._questions import Question, answers_of


def answer(question: Question, X: Any, *, single: bool) -> Any:
    """Return a column for an answer of one value, and else a frame."""
    rows = columns_of_fit(question, X)
    meta = empty_answer(question, rows, single=single)
    return rows.map_partitions(
        answer_partition,
        model=question.delayed_model(),
        question=(question.outputs, question.options),
        like=meta,
        labels=question.texts(),
        meta=meta,
        transform_divisions=False,
        enforce_metadata=False,
    )


def columns_of_fit(question: Question, X: Any) -> Any:
    """Return the columns of the fit, in its order."""
    names = question.scorer.feature_names
    if names is None:
        question.check_width(len(X.columns))
        return X
    missing = [name for name in names if name not in X.columns]
    if missing:
        raise ValueError(
            f"X must have the columns of the fit; got {list(X.columns)}, without {missing}."
        )
    return X[list(names)]


def empty_answer(question: Question, X: Any, *, single: bool) -> Any:
    """Return the answers about no rows: what every partition looks like."""
    pd = need("pandas", extra="dask")
    precision = question.precision(list(X.dtypes))
    index = need("dask.dataframe.dispatch", extra="dask").make_meta(X).index[:0]
    columns: dict[Any, Any] = {}
    for output in question.outputs:
        labels = question.columns(output)
        if single and labels is None:
            dtype = question.dtype(output, precision)
            return pd.Series(np.empty(0, dtype=dtype), index=index, name=output)
        names = list(labels) if single and labels is not None else question.name_columns(output)
        for name in names:
            columns[name] = np.empty(0, dtype=question.dtype(output, precision))
    return pd.DataFrame(columns, index=index)


def answer_partition(  # noqa: PLR0913 (what a task is told)
    X: Any,
    *,
    model: Classifier,
    question: tuple[tuple[str, ...], Mapping[str, Any]],
    like: Any,
    labels: NDArray[Any] | None = None,
    partition_info: Mapping[str, Any] | None = None,
) -> Any:
    """Return the answers about a partition in the form of an empty one."""
    if len(X) == 0:
        return like.set_axis(X.index) if len(like) == len(X) else like
    index = 0 if partition_info is None else partition_info["number"]
    found = answers_of(model, question, index, X)
    pd = need("pandas", extra="dask")
    if like.ndim == 1:
        values = as_column(next(iter(found.values())), labels, like.dtype)
        return pd.Series(values, index=X.index, name=like.name).astype(like.dtype)
    tables = [values if values.ndim > 1 else values[:, np.newaxis] for values in found.values()]
    flat = [table[:, at] for table in tables for at in range(table.shape[1])]
    columns = {
        at: as_column(values, labels, dtype)
        for at, (values, dtype) in enumerate(zip(flat, like.dtypes, strict=True))
    }
    frame = pd.DataFrame(columns, index=X.index).set_axis(like.columns, axis=1)
    return frame.astype(like.dtypes)


def as_column(values: NDArray[Any], labels: NDArray[Any] | None, dtype: Any) -> Any:
    """Return answers for pandas, which takes longer to convert text than a model to find it.

    So it converts each label once.
    """
    if labels is None or values.dtype.kind != "U":
        return values
    pd = need("pandas", extra="dask")
    return pd.array(labels, dtype=dtype).take(np.searchsorted(labels, values))
