"""Score a stream and write the answers to a parquet or CSV file, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._scoring.answers import FLAT, validate_top_k
from gauda._scoring.scorer import Scorer
from gauda._streams.batches import Batch, Request, Source, as_names, note_features
from gauda._streams.sinks import FileSink, check_sink
from gauda._streams.sources import open_source
from gauda._support.atomic_files import replacing
from gauda._support.lazy import pa
from gauda._support.progress import counting
from gauda.typing import Columns


def predict_stream(  # noqa: PLR0913 (parameters of a stream)
    scorer: Scorer,
    source: Any,
    sink: str | PathLike[str],
    outputs: tuple[str, ...] = ("label",),
    *,
    target: Any = None,
    features: Any = None,
    exclude: Any = None,
    keep: Columns = (),
    top_k: int | None = None,
    batch_rows: int | None = None,
    delimiter: str | None = None,
    progress: bool | None = None,
) -> int:
    """Score all rows of a stream into a file, see `Classifier.predict_stream`."""
    ending = check_sink(sink)
    columns = AnswerColumns(scorer, outputs, validate_top_k(top_k, len(scorer.classes)))
    kept = as_names(keep)
    columns.check_names(kept)
    request = request_of(
        scorer,
        features=features,
        exclude=exclude,
        keep=tuple(kept),
        ignore=(target,),
        labeled=False,
        batch_rows=batch_rows,
        delimiter=delimiter,
        n_answers=len(columns.names),
    )
    opened = open_source(source, request)
    check_features(opened, scorer, renamed=features is not None)
    if scorer.feature_names is None:
        note_features(request, opened)
    with (
        replacing(sink) as temporary,
        FileSink(temporary, ending) as file,
        opened.reading() as batches,
        counting("predict", opened.n_rows, progress=progress) as counter,
    ):
        for batch in batches:
            file.write(record_batch({**batch.kept, **columns.of(batch)}))
            counter.update(len(batch.X))
    return file.n_rows


@dataclass(frozen=True)
class AnswerColumns:
    """The answers about each row as columns of a file."""

    scorer: Scorer
    outputs: tuple[str, ...]
    top_k: int

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [name for output in self.outputs for name in self._names_of(output)]

    def _names_of(self, output: str) -> list[str]:
        if output in FLAT:
            return [output]
        if output == "top_k":
            ranks = range(1, self.top_k + 1)
            return [f"top_{rank}{what}" for what in ("", "_proba") for rank in ranks]
        decisions = self.scorer.labels[: self.scorer.n_decisions]
        labels = decisions if output == "cost" else self.scorer.classes
        return [f"{output}_{label}" for label in labels]

    def check_names(self, keep: Sequence[Any]) -> None:
        """Refuse a kept column that has the name of an answer."""
        taken = [name for name in map(str, keep) if name in self.names]
        if taken:
            raise ValueError(
                f"The kept column {taken[0]!r} has the name of an output; rename it in the source."
            )

    def of(self, batch: Batch) -> dict[str, Any]:
        """Return the answers about a batch, found in one pass, by the names of their columns."""
        codes = np.arange(len(self.scorer.labels), dtype=np.uint32)  # written as labels below
        answers = self.scorer.classify(
            self.scorer.batch_rows(batch.X),
            self.outputs,
            top_k=self.top_k,
            labels=codes,
            first_row=batch.first_row,
            is_null=batch.is_null,
        )
        labels = pa.array(self.scorer.labels)
        columns: list[Any] = []
        for output in self.outputs:
            found = getattr(answers, output)
            if output == "label":
                columns.append(labels.take(pa.array(found)))
            elif output == "top_k":
                columns += [labels.take(pa.array(column)) for column in by_column(found.labels)]
                columns += map(pa.array, by_column(found.proba))
            elif output in FLAT:
                columns.append(pa.array(found))
            else:
                columns += map(pa.array, by_column(found))
        return dict(zip(self.names, columns, strict=True))


def request_of(scorer: Scorer, **asked: Any) -> Request:
    """Return what to read from a source for a model."""
    names = scorer.feature_names
    return Request(
        fitted_features=None if names is None else list(names),
        as_table=scorer.reads_tables,
        text=scorer.text_columns,
        **asked,
    )


def by_column(table: NDArray[Any]) -> NDArray[Any]:
    """Return the columns of a table, each contiguous."""
    return np.ascontiguousarray(table.T)


def check_features(source: Source, scorer: Scorer, *, renamed: bool) -> None:
    """Refuse columns that are not those of the fit."""
    expected = scorer.n_features
    if source.n_features != expected:
        raise ValueError(
            f"The source must have the {expected} features that {scorer.estimator} was fitted to; "
            f"got {source.n_features}. Choose the columns with features=[...]."
        )
    fitted, found = scorer.feature_names, source.feature_names
    if renamed or fitted is None or found is None or list(fitted) == list(found):
        return
    raise ValueError(
        f"The source must have the columns that {scorer.estimator} was fitted to, {list(fitted)}, "
        f"in this order; got {list(found)}. Choose them with features=[...]."
    )


def record_batch(columns: Mapping[str, Any]) -> Any:
    """Return columns as Arrow's record batch."""
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
