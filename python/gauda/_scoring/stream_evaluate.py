"""Evaluate a model on a file of labeled rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.encoding import Encoded
from gauda._data.labels import list_labels
from gauda._scoring.evaluation import Evaluation
from gauda._scoring.scorer import Scorer
from gauda._scoring.stream_predict import check_features, request_of
from gauda._streams.batches import Batch, Request
from gauda._streams.files import file_at
from gauda._streams.sources import open_source
from gauda._support.errors import IsNull
from gauda._support.lazy import pa
from gauda._support.progress import counting

MAX_LISTED = 5
TEXT = "UO"
"""Kinds of numpy's types that labels of text have."""


def evaluate_stream(
    scorer: Scorer,
    path: Path,
    target: str | None = None,
    *,
    delimiter: str | None = None,
    progress: bool | None = None,
) -> Evaluation:
    """Return how a fitted classifier does on the rows of a file.

    Without a target, the only column that is not a feature holds the labels.
    """
    request = request_of(
        scorer,
        target=target,
        delimiter=delimiter,
        classes=scorer.classes,
        n_answers=len(scorer.classes),
    )
    if target is None:
        request = replace(request, target=only_other_column(path, request))
    opened = open_source(path, request)
    check_features(opened, scorer, renamed=False)
    evaluation = empty_evaluation(scorer)
    with (
        opened.reading() as batches,
        counting("evaluate", opened.n_rows, progress=progress) as counter,
    ):
        for batch in batches:
            add_batch(evaluation, scorer, batch)
            counter.update(len(batch.X))
    check_known(evaluation, request.target)
    return evaluation


def empty_evaluation(scorer: Scorer) -> Evaluation:
    """Return the counts of no rows."""
    rules = scorer.rules
    return Evaluation(scorer.classes, scorer.labels, None if rules is None else rules.cost)


def add_batch(evaluation: Evaluation, scorer: Scorer, batch: Batch) -> None:
    """Count the rows of a batch, scored in one pass."""
    if batch.labels is not None:
        rows, truth = scorer.batch_rows(batch.X), among_classes(batch.labels, scorer.classes)
        add_rows(evaluation, scorer, rows, truth, batch.first_row, batch.is_null)


def add_rows(  # noqa: PLR0913 (where the rows come from)
    evaluation: Evaluation,
    scorer: Scorer,
    rows: Any,
    truth: Encoded,
    first_row: int = 0,
    is_null: IsNull = None,
) -> None:
    """Count rows that were checked, scored in one pass."""
    codes = np.arange(len(scorer.labels), dtype=np.uint32)
    answers = scorer.classify(
        rows, ("label", "log_proba"), labels=codes, first_row=first_row, is_null=is_null
    )
    evaluation.add(truth, np.asarray(answers.label), np.asarray(answers.log_proba))


def among_classes(labels: Encoded, classes: NDArray[Any]) -> Encoded:
    """Return labels that are text or dates in the type of the classes, where they are one of them.

    Labels of a text file are text, if only some are numbers, and dates in a unit of their own.
    """
    found, codes = labels
    if found.dtype.kind == classes.dtype.kind == "M":
        dates = found.astype(classes.dtype)
        return (dates if (dates == found).all() else found), codes
    if found.dtype.kind not in TEXT or classes.dtype.kind in TEXT:
        return labels
    written = pa.array(classes).cast(pa.string()).to_pylist()
    class_of = dict(zip(written, list_labels(classes), strict=True))
    same = np.empty(len(found), dtype=object)
    same[:] = [class_of.get(text, text) for text in found.tolist()]
    return same, codes


def only_other_column(path: Path, request: Request) -> str:
    """Return the name of the column that a model does not use."""
    columns = file_at(path, request).schema.names
    others = [name for name in columns if name not in (request.fitted_features or columns)]
    if len(others) != 1:
        found = f"the columns {some_of(others)}" if others else "no column"
        raise ValueError(
            f"{str(path)!r} has {found} beside those the model uses. Name the column of labels "
            "as target."
        )
    return str(others[0])


def check_known(evaluation: Evaluation, target: Any) -> None:
    """Refuse labels of which the model knows none, such as numbers in place of text."""
    if evaluation.n_rows and not evaluation.n_known:
        classes = list_labels(evaluation.classes)
        strange = [label for label in evaluation.confusion if label not in classes]
        raise ValueError(
            f"Column {target!r} holds none of the classes of the model ({some_of(classes)}) but "
            f"{some_of(strange)}. Name the right column, or convert it."
        )
    if not evaluation.n_rows:
        raise ValueError("There are no rows to evaluate.")


def some_of(labels: Iterable[Any]) -> str:
    """Return the first labels as a list of words."""
    first = [repr(label) for label in islice(labels, MAX_LISTED + 1)]
    return ", ".join([*first[:MAX_LISTED], *["…"] * (len(first) > MAX_LISTED)])
