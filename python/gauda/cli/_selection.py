"""Comparison of models on a file that fits into memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gauda._streams.batches import Request, note_features
from gauda._streams.sources import open_source
from gauda._support.optional import need
from gauda.model_selection import select_model


def select_from(data: Path, folds: int, **columns: Any) -> str:
    """Return the table of a comparison, and what it recommends."""
    pa = need("pyarrow", extra="stream")
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
    return str(select_model(table, np.concatenate(labels), sample_weight=sample_weight, cv=folds))
