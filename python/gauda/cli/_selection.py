"""Comparison of models, and choice of columns, on a file that fits into memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda._streams.batches import Request, note_features
from gauda._streams.sources import open_source
from gauda._support.lazy import pa
from gauda.model_selection import select_model

if TYPE_CHECKING:
    from gauda.model_selection import ColumnSelector


def select_from(data: Path, folds: int, **columns: Any) -> str:
    """Return the table of a comparison, and what it recommends."""
    table, labels, sample_weight = read_all(data, **columns)
    return str(select_model(table, labels, sample_weight=sample_weight, cv=folds))


def choose_columns(selector: ColumnSelector, data: Path, **columns: Any) -> ColumnSelector:
    """Return a selector fitted to data, read into memory only if its criterion takes rows."""
    if selector.criterion in {"f", "bic"}:
        selector.fit_stream(data, **columns)
    else:
        selector.fit(*read_all(data, **columns))
    return selector


def path_text(selector: ColumnSelector) -> str:
    """Return the steps of a search, and the columns that it chose."""
    chosen = ",".join(selector.get_feature_names_out())
    return f"{selector.path_table()}\n\nchosen: {chosen or 'none'}"


def path_json(selector: ColumnSelector) -> str:
    """Return the same as one JSON object."""
    steps = [
        {name: finite_or_none(value) for name, value in step._asdict().items()}
        for step in selector.path_
    ]
    return json.dumps({"columns": list(selector.get_feature_names_out()), "path": steps})


def finite_or_none(value: Any) -> Any:
    """Return a value that JSON can hold."""
    return None if isinstance(value, float) and not np.isfinite(value) else value


def read_all(data: Path, **columns: Any) -> tuple[Any, NDArray[Any], NDArray[Any] | None]:
    """Return columns of data as a table, their labels, and weights."""
    request = Request(**columns, as_table=True)
    opened = open_source(data, request)
    note_features(request, opened)
    with opened.reading() as reading:
        batches = list(reading)
    tables = [pa.Table.from_batches([batch.X]) for batch in batches]
    labels = [batch.labels[0][batch.labels[1]] for batch in batches if batch.labels is not None]
    weights = [batch.weights for batch in batches if batch.weights is not None]
    table = pa.concat_tables(tables, promote_options="permissive").combine_chunks()
    sample_weight = np.concatenate(weights) if weights else None
    return table, np.concatenate(labels), sample_weight
