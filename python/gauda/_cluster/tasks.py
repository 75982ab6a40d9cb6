"""What a task does with the rows of one partition. One thread, unless more are asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, TypeVar, cast

from gauda._data.twins import twin
from gauda._estimators.classifier import Classifier
from gauda._estimators.joining import Part
from gauda._estimators.learner import Learner
from gauda._estimators.parts import part_of
from gauda._estimators.streaming import evaluation_of
from gauda._scoring.answers import Classification
from gauda._scoring.evaluation import Evaluation
from gauda._statistics.moments import Moments
from gauda.typing import Output

Model = TypeVar("Model", bound=Classifier)

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
def naming(partition: int, first_row: int = 0) -> Iterator[None]:
    """Say in errors which partition the rows belong to, and from where there they count."""
    where = f" from its row {first_row} on" if first_row else ""
    try:
        yield
    except FAULTS as error:
        if error.args and isinstance(error.args[0], str):
            error.args = (f"In partition {partition}{where}: {error.args[0]}", *error.args[1:])
        raise


def part_of_partition(  # noqa: PLR0913 (what belongs to rows)
    settings: Learner,
    partition: int,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    first_row: int = 0,
) -> Part:
    """Return what rows of a partition give, of which there may be none."""
    if len(X) == 0:
        return Part()
    with naming(partition, first_row):
        return part_of(in_one_thread(settings), X, y, sample_weight)


def join_parts(settings: Learner, parts: Sequence[Part]) -> Part:
    """Return what neighbors give together; those without rows give nothing."""
    return reduce(lambda first, second: first.joined(settings, second), parts)


def moments_of_partition(
    partition: int, X: Any, y: Any, sample_weight: Any = None, **options: Any
) -> Moments | None:
    """Return the moments of a partition; None if there are no rows."""
    if len(X) == 0:
        return None
    with naming(partition):
        return Moments.from_data(X, y, sample_weight, n_threads=threads_of_task(), **options)


def join_moments(moments: Sequence[Moments | None]) -> Moments | None:
    """Return the moments of neighbors together; those without rows give none."""
    some = [part for part in moments if part is not None]
    return sum(some[1:], some[0]) if some else None


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
