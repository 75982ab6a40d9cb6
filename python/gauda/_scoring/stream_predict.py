"""Score a stream and write the answers to a parquet or CSV file, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._scoring.rules import Rules
from gauda._streams.batches import Batch, Request, Source, as_names
from gauda._streams.sinks import FileSink, check_sink
from gauda._streams.sources import open_source
from gauda._support.atomic_files import replacing
from gauda._support.optional import need
from gauda._support.progress import counting

OUTPUTS = ("label", "proba", "max_proba", "log_density")


def predict_stream(  # noqa: PLR0913 (what a stream may be told)
    estimator: Any,
    source: Any,
    sink: str | PathLike[str],
    outputs: str | Sequence[str] = ("label",),
    *,
    target: Any = None,
    features: Any = None,
    keep: Sequence[Any] = (),
    batch_rows: int | None = None,
    delimiter: str | None = None,
    progress: bool | None = None,
) -> int:
    """Score all rows of a stream into a file, see `Classifier.predict_stream`."""
    ending = check_sink(sink)
    scorer = Scorer.of(estimator, outputs)
    kept = as_names(keep)
    scorer.check_names(kept)
    names = getattr(estimator, "feature_names_in_", None)
    request = Request(
        features=features,
        fitted_features=None if names is None else list(names),
        keep=tuple(kept),
        ignore=(target,),
        labelled=False,
        batch_rows=batch_rows,
        delimiter=delimiter,
        n_answers=len(scorer.names),
    )
    opened = open_source(source, request)
    check_features(opened, estimator, renamed=features is not None)
    with (
        replacing(sink) as temporary,
        FileSink(temporary, ending) as file,
        opened.reading() as batches,
        counting("predict", opened.n_rows, progress=progress) as counter,
    ):
        for batch in batches:
            file.write(record_batch({**batch.kept, **scorer.columns(batch)}))
            counter.update(len(batch.X))
    return file.n_rows


@dataclass(frozen=True)
class Scorer:
    """A fitted classifier, and the questions that it is asked of every row."""

    estimator: Any
    current: Any
    """Its fit, which answers every batch."""
    outputs: tuple[str, ...]
    rules: Rules | None
    labels: NDArray[Any]
    """Labels by their codes."""

    @classmethod
    def of(cls, estimator: Any, outputs: str | Sequence[str]) -> Scorer:
        """Check the questions, and that there is somebody to answer them."""
        asked = tuple(dict.fromkeys(as_names(outputs)))
        unknown = [output for output in asked if output not in OUTPUTS]
        if unknown or not asked:
            raise ValueError(f"outputs is {outputs!r}; it must name some of {', '.join(OUTPUTS)}.")
        current = estimator._current()
        return cls(estimator, current, asked, *estimator._rules(current.classes))

    @property
    def names(self) -> list[str]:
        """Names of the columns that are written."""
        posteriors = [f"proba_{label}" for label in self.estimator.classes_]
        named = {output: posteriors if output == "proba" else [output] for output in self.outputs}
        return [name for names in named.values() for name in names]

    def check_names(self, keep: Sequence[Any]) -> None:
        """Refuse a kept column that has the name of an answer."""
        taken = [name for name in map(str, keep) if name in self.names]
        if taken:
            raise ValueError(
                f"The kept column {taken[0]!r} has the name of an output; rename it in the source."
            )

    def columns(self, batch: Batch) -> dict[str, Any]:
        """Return the answers for a batch, found in one pass, by the names of their columns."""
        answers = self.ask(batch)
        pa = need("pyarrow", extra="stream")
        columns: list[Any] = []
        for output in self.outputs:
            if output == "label":
                codes = pa.array(answers["label"])
                columns.append(pa.array(self.labels).take(codes))
            elif output == "proba":
                columns.extend(map(pa.array, np.ascontiguousarray(answers["posterior"].T)))
            elif output == "max_proba":
                columns.append(pa.array(answers["posterior"].max(axis=1)))
            else:
                columns.append(pa.array(answers["log_density"]))
        return dict(zip(self.names, columns, strict=True))

    def ask(self, batch: Batch) -> dict[str, NDArray[Any]]:
        """Return arrays of answers by the core's names of the questions."""
        n_rows, dtype = len(batch.X), self.estimator._precision(batch.X)
        answers: dict[str, NDArray[Any]] = {}
        if "label" in self.outputs:
            answers["label"] = np.empty(n_rows, dtype=np.uint32)
        if "proba" in self.outputs or "max_proba" in self.outputs:
            answers["posterior"] = np.empty((n_rows, len(self.estimator.classes_)), dtype=dtype)
        if "log_density" in self.outputs:
            answers["log_density"] = np.empty(n_rows, dtype=dtype)
        rows = self.estimator._batch_rows(batch.X)
        self.estimator._ask(self.current, rows, answers, self.rules, batch.first_row)
        return answers


def check_features(source: Source, estimator: Any, *, renamed: bool) -> None:
    """Refuse columns that are not those of the fit."""
    expected = estimator.n_features_in_
    if source.n_features != expected:
        raise ValueError(
            f"The source gives {source.n_features} features, but {type(estimator).__name__} was "
            f"fitted with {expected}. Choose the columns with features=[...]."
        )
    fitted, found = getattr(estimator, "feature_names_in_", None), source.feature_names
    if renamed or fitted is None or found is None or list(fitted) == list(found):
        return
    raise ValueError(
        f"The source has columns {list(found)}, but {type(estimator).__name__} was fitted with "
        f"{list(fitted)}, in this order."
    )


def record_batch(columns: Mapping[str, Any]) -> Any:
    """Return columns as Arrow's record batch."""
    pa = need("pyarrow", extra="stream")
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
