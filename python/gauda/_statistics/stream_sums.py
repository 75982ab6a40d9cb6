"""From a stream to moments: the sum over its batches."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gauda._data.label_columns import distinct_labels
from gauda._data.training import LabelledRows
from gauda._statistics.moments import Moments
from gauda._streams.batches import Batch, Request
from gauda._streams.sources import open_source
from gauda._support.errors import Names
from gauda._support.progress import counting

LOG = logging.getLogger("gauda")
"""Tells which columns are features, if nobody has chosen them."""


def moments_of(  # noqa: PLR0913 (what a stream may be told)
    source: Any,
    *,
    target: Any = None,
    features: Any = None,
    exclude: Any = None,
    sample_weight: Any = None,
    structure: str = "full",
    classes: ArrayLike | None = None,
    batch_rows: int | None = None,
    delimiter: str | None = None,
    n_threads: int | None = None,
    progress: bool | None = None,
) -> Moments:
    """Return the moments of all rows of a stream, see `Moments.from_stream`."""
    request = Request(
        target,
        features,
        sample_weight,
        exclude=exclude,
        batch_rows=batch_rows,
        delimiter=delimiter,
    )
    batches = labelled_batches(source, request, n_threads=n_threads, progress=progress)
    with closing(batches):
        moments: Moments = reduce(add, (Moments._of(batch, structure) for batch in batches))
    return moments if classes is None else moments._among(distinct_labels(classes))


def labelled_batches(
    source: Any,
    request: Request,
    model: Any = None,
    *,
    n_threads: int | None,
    progress: bool | None,
) -> Generator[LabelledRows]:
    """Yield the batches of a stream, at least one; errors name the rows of the stream."""
    opened = open_source(source, request)
    if request.features is None and opened.feature_names is not None:
        LOG.info("Features: %s.", ", ".join(opened.feature_names))
    asker = "Moments" if model is None else type(model).__name__
    with opened.reading() as batches, counting(asker, opened.n_rows, progress=progress) as counter:
        for batch in batches:
            names = Names(
                asker, np.empty(0), opened.feature_names, model, first_row=batch.first_row
            )
            yield labelled_rows(batch, names, n_threads)
            counter.update(len(batch.X))


def labelled_rows(batch: Batch, names: Names, n_threads: int | None) -> LabelledRows:
    """Return a batch as training data."""
    if batch.labels is None:
        raise ValueError("The batch has no labels.")
    classes, codes = batch.labels
    named = replace(names, classes=classes)
    return LabelledRows(batch.X, classes, codes, batch.weights, named, n_threads)
