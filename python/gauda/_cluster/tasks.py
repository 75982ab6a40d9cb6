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

from gauda._cluster.block import Block
from gauda._data.gaps import rows_where, without_gaps
from gauda._data.shapes import number_of_rows
from gauda._data.training import LabeledRows
from gauda._data.twins import twin
from gauda._estimators.classifier import Classifier
from gauda._estimators.joining import Part
from gauda._estimators.learner import Learner
from gauda._estimators.parts import part_of
from gauda._estimators.streaming import evaluation_of
from gauda._scoring.answers import Classification
from gauda._scoring.evaluation import Evaluation
from gauda._statistics.access import among, moments_of
from gauda._statistics.core_sums import takes_gaps
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


def part_of_block(settings: Learner, block: Block) -> Located[Part]:
    """Return what rows give, of which there may be none."""
    part = Part()
    if number_of_rows(block.X):
        with naming(block.partition, block.first_row):
            part = part_of(in_one_thread(settings), block.X, block.y, block.sample_weight)
    return Located(part, block.partition, block.partition)


def join_parts(settings: Learner, neighbors: Sequence[Located[Part]]) -> Located[Part]:
    """Return what neighbors give together; those without rows give nothing."""
    return join_located(lambda first, second: first.join(settings, second), neighbors)


@dataclass(frozen=True)
class PartMoments:
    """The moments of some rows, None if there are no rows, and how many of them were left out."""

    moments: Moments | None = None
    n_rows: int = 0
    n_dropped: int = 0

    def join(self, other: PartMoments) -> PartMoments:
        """Return both together, this one first."""
        first, second = self.moments, other.moments
        if first is None or second is None:
            moments = second if first is None else first
        else:
            moments = first + second
        return PartMoments(moments, self.n_rows + other.n_rows, self.n_dropped + other.n_dropped)


def moments_of_block(options: Mapping[str, Any], block: Block) -> Located[PartMoments]:
    """Return the moments of rows, of which there may be none."""
    part = PartMoments()
    if number_of_rows(block.X):
        with naming(block.partition):
            part = weighted_moments(block.X, block.y, block.sample_weight, **options)
    return Located(part, block.partition, block.partition)


def weighted_moments(  # noqa: PLR0913 (what moments are told)
    X: Any, y: Any, sample_weight: Any, *, structure: str, missing: str, order: int
) -> PartMoments:
    """Return the moments of rows, all of which may have weight 0."""
    has_weight = sample_weight is None or bool(np.any(np.asarray(sample_weight)))
    data = LabeledRows.without_estimator(
        X, y, sample_weight if has_weight else None, threads_of_task()
    )
    n_rows, classes = len(data.rows), data.classes
    if not has_weight:
        check_consistent_length(X, sample_weight)
        data = rows_where(data, np.zeros(n_rows, dtype=bool))
    elif missing == "drop":
        data = without_gaps(data)
    n_dropped = data.n_dropped if has_weight else 0
    moments = moments_of(
        data, structure, unweighted=True, gaps=takes_gaps(missing, structure), order=order
    )
    return PartMoments(moments if has_weight else among(moments, classes), n_rows, n_dropped)


def join_moments(neighbors: Sequence[Located[PartMoments]]) -> Located[PartMoments]:
    """Return the moments of neighbors together; those without rows give none."""
    return join_located(PartMoments.join, neighbors)


def classify_partition(
    model: Classifier, partition: int, X: Any, outputs: Sequence[str], options: Mapping[str, Any]
) -> Classification:
    """Return answers about the rows of a partition, of which there must be some."""
    with naming(partition):
        asked = cast("Sequence[Output]", outputs)  # names that were checked before
        return in_one_thread(model).classify(X, asked, **options)


def evaluate_block(model: Classifier, block: Block) -> Evaluation:
    """Return how a model does on rows."""
    with naming(block.partition):
        return evaluation_of(in_one_thread(model), block.X, block.y)


def join_evaluations(evaluations: Sequence[Evaluation]) -> Evaluation:
    """Return how a model does on all neighbors."""
    return reduce(lambda first, second: first + second, evaluations)
