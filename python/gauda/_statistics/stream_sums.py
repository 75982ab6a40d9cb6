"""From a stream to batches of labeled rows, whose statistics add up."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any, TypeVar

import numpy as np

from gauda._data.arguments import check_threads
from gauda._data.dropping import Dropping
from gauda._data.labels import distinct
from gauda._data.training import LabeledRows
from gauda._statistics.base import Statistics
from gauda._streams.batches import Batch, Request, note_features
from gauda._streams.identifiers import note_identifiers
from gauda._streams.sources import open_source
from gauda._support.errors import Names
from gauda._support.progress import counting
from gauda.typing import Labels

Sums = TypeVar("Sums", bound=Statistics)


def sum_of_stream(  # noqa: PLR0913 (parameters of a stream)
    statistics_of: Callable[[Any], Sums],
    source: Any,
    request: Request,
    classes: Labels | None,
    *,
    read: Callable[[LabeledRows], Any] = lambda batch: batch,
    missing: str,
    n_threads: int | None,
    progress: bool | None,
) -> Sums:
    """Return the statistics of all batches together, with these classes if they are given.

    A batch is read as training data, of which rows with gaps are left out if `missing` says so.
    """
    check_threads(n_threads)
    wanted = None if classes is None else distinct(classes)
    batches = labeled_batches(source, request, n_threads=n_threads, progress=progress)
    dropping = Dropping(missing)
    with closing(batches):
        kept = (dropping.keep_complete(read(batch)) for batch in batches)
        statistics = reduce(add, map(statistics_of, kept))
    dropping.warn()
    return statistics if wanted is None else statistics._among(wanted)


def labeled_batches(  # noqa: PLR0913 (parameters of a stream)
    source: Any,
    request: Request,
    model: Any = None,
    *,
    n_threads: int | None,
    progress: bool | None,
    noting: bool = True,
) -> Generator[LabeledRows]:
    """Yield the batches of a stream, at least one; errors name the rows of the stream.

    What there is to note of the columns is noted, unless they have been read before.
    """
    opened = open_source(source, request)
    if noting:
        note_features(request, opened)
    asker = "Moments" if model is None else type(model).__name__
    with opened.reading() as batches, counting(asker, opened.n_rows, progress=progress) as counter:
        for batch in batches:
            if noting and batch.first_row == 0:
                note_identifiers(request, opened, batch.X, text=model is None)
            names = Names(
                asker,
                np.empty(0),
                opened.feature_names,
                model,
                first_row=batch.first_row,
                is_null=batch.is_null,
            )
            yield labeled_rows(batch, names, n_threads)
            counter.update(len(batch.X))


def labeled_rows(batch: Batch, names: Names, n_threads: int | None) -> LabeledRows:
    """Return a batch as training data."""
    if batch.labels is None:
        raise ValueError("The batch has no labels.")
    classes, codes = batch.labels
    named = replace(names, classes=classes)
    return LabeledRows(batch.X, classes, codes, batch.weights, named, n_threads)
