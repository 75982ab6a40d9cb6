"""What a task does with the rows of one partition. One thread, unless more are asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any, Generic, TypeVar, cast

import numpy as np
from sklearn.utils import check_consistent_length

from gauda._data.label_columns import flat_labels
from gauda._data.labels import distinct
from gauda._data.shapes import number_of_rows
from gauda._data.sklearn_private import take
from gauda._data.twins import twin
from gauda._estimators.classifier import Classifier
from gauda._estimators.joining import Part
from gauda._estimators.learner import Learner
from gauda._estimators.parts import part_of
from gauda._estimators.streaming import evaluation_of
from gauda._scoring.answers import Classification
from gauda._scoring.evaluation import Evaluation
from gauda._statistics.access import among
from gauda._statistics.moments import Moments
from gauda.typing import Output

Model = TypeVar("Model", bound=Classifier)
Found = TypeVar("Found")

THREADS = "GAUDA_NUM_THREADS"

FAULTS = (ArithmeticError, LookupError, TypeError, ValueError)
"""Errors that rows may give."""


def in_one_thread(estimator: Model) -> Model:
    """Return an estimator that takes one thread, unless it or the environment says otherwise.

    The engine runs a task on each core already.
    """
    asked = estimator.n_threads is not None or THREADS in os.environ
    return estimator if asked else twin(estimator, n_threads=1)


def threads_of_task() -> int | None:
    """Return the number of threads where no estimator says one; None for the environment's."""
    return None if THREADS in os.environ else 1


@contextmanager
def naming(partition: int | str, first_row: int = 0) -> Iterator[None]:
    """Say in errors which partition the rows belong to, and from where there they count."""
    where = f" {partition}" if isinstance(partition, int) else f"s {partition}"
    where += f" from its row {first_row} on" if first_row else ""
    try:
        yield
    except FAULTS as error:
        if error.args and isinstance(error.args[0], str):
            error.args = (f"In partition{where}: {error.args[0]}", *error.args[1:])
        raise


@dataclass(frozen=True)
class Located(Generic[Found]):
    """What neighbors give, and which partitions they are."""

    found: Found
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"


def join_located(
    join: Callable[[Found, Found], Found], neighbors: Sequence[Located[Found]]
) -> Located[Found]:
    """Return what neighbors give together; errors name those that do not go together."""
    total = neighbors[0]
    for part in neighbors[1:]:
        with naming(f"{total} and {part}"):
            found = join(total.found, part.found)
        total = Located(found, total.first, part.last)
    return total


def part_of_partition(  # noqa: PLR0913 (what belongs to rows)
    settings: Learner,
    partition: int,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    first_row: int = 0,
) -> Located[Part]:
    """Return what rows of a partition give, of which there may be none."""
    part = Part()
    if number_of_rows(X):
        with naming(partition, first_row):
            part = part_of(in_one_thread(settings), X, y, sample_weight)
    return Located(part, partition, partition)


def join_parts(settings: Learner, neighbors: Sequence[Located[Part]]) -> Located[Part]:
    """Return what neighbors give together; those without rows give nothing."""
    return join_located(lambda first, second: first.join(settings, second), neighbors)


def moments_of_partition(
    partition: int, X: Any, y: Any, sample_weight: Any = None, **options: Any
) -> Located[Moments | None]:
    """Return the moments of a partition; None if there are no rows."""
    moments = None
    if number_of_rows(X):
        with naming(partition):
            moments = weighted_moments(X, y, sample_weight, **options)
    return Located(moments, partition, partition)


def weighted_moments(X: Any, y: Any, sample_weight: Any, **options: Any) -> Moments:
    """Return the moments of rows, all of which may have weight 0."""
    options["n_threads"] = threads_of_task()
    if sample_weight is None or np.any(np.asarray(sample_weight)):
        return Moments.from_data(X, y, sample_weight, **options)
    check_consistent_length(X, y, sample_weight)
    labels, none = flat_labels(y), np.empty(0, dtype=np.intp)
    return among(Moments.from_data(take(X, none), labels[:0], **options), distinct(labels))


def join_moments(neighbors: Sequence[Located[Moments | None]]) -> Located[Moments | None]:
    """Return the moments of neighbors together; those without rows give none."""
    return join_located(add_moments, neighbors)


def add_moments(first: Moments | None, second: Moments | None) -> Moments | None:
    """Return the moments of both."""
    if first is None or second is None:
        return second if first is None else first
    return first + second


def classify_partition(
    model: Classifier, partition: int, X: Any, outputs: Sequence[str], options: Mapping[str, Any]
) -> Classification:
    """Return answers about the rows of a partition, of which there must be some."""
    with naming(partition):
        asked = cast("Sequence[Output]", outputs)  # names that were checked before
        return in_one_thread(model).classify(X, asked, **options)


def evaluate_partition(model: Classifier, partition: int, X: Any, y: Any) -> Evaluation:
    """Return how a model does on the rows of a partition."""
    with naming(partition):
        return evaluation_of(in_one_thread(model), X, y)


def join_evaluations(evaluations: Sequence[Evaluation]) -> Evaluation:
    """Return how a model does on all neighbors."""
    return reduce(lambda first, second: first + second, evaluations)
