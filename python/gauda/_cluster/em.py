"""Fits to partitions in which values are missing: EM takes a pass for each of its iterations.

Where the sums of groups of rows that lack the same columns are small, one pass is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from numpy.typing import NDArray

from gauda._cluster.block import Block
from gauda._cluster.tasks import Located, in_one_thread, join_located, naming
from gauda._core import Pass
from gauda._data.shapes import number_of_rows
from gauda._estimators.gappy_parts import GappyPart, expected_of
from gauda._estimators.gaussian import GaussianClassifier
from gauda._estimators.learner import Learner

Model = TypeVar("Model", bound=Learner)

OverAll = Callable[[Any, Callable[[Any, Block], Any], Callable[[Any, Sequence[Any]], Any]], Any]
"""An engine's pass over all partitions: told what its tasks share, it returns what all give."""


@dataclass(frozen=True)
class Expectation:
    """What a pass is told: how rows are taken, their classes, and the parameters so far."""

    settings: Learner
    classes: NDArray[Any]
    one_pass: Pass


def gappy_part_of_block(settings: Learner, block: Block) -> Located[GappyPart]:
    """Return what rows give, of which there may be none."""
    part = GappyPart()
    if number_of_rows(block.X):
        with naming(block.partition, block.first_row):
            alone = in_one_thread(settings)
            part = GappyPart.of(alone, block.X, block.y, block.sample_weight)
    return Located(part, block.partition, block.partition)


def join_gappy_parts(
    settings: Learner, neighbors: Sequence[Located[GappyPart]]
) -> Located[GappyPart]:
    """Return what neighbors give together."""
    return join_located(lambda first, second: first.join(settings, second), neighbors)


def expect_block(shared: Expectation, block: Block) -> Located[Pass]:
    """Return the sums that are expected of rows, of which there may be none."""
    found = shared.one_pass.elsewhere()
    if number_of_rows(block.X):
        with naming(block.partition, block.first_row):
            rows = block.X, block.y, block.sample_weight
            found = expected_of(
                in_one_thread(shared.settings), shared.classes, shared.one_pass, rows
            )
    return Located(found, block.partition, block.partition)


def join_expected(shared: Expectation, neighbors: Sequence[Located[Pass]]) -> Located[Pass]:
    """Return the sums that are expected of all neighbors."""

    def join(first: Pass, second: Pass) -> Pass:
        total = shared.one_pass.elsewhere()
        total.join(first)
        total.join(second)
        return total

    return join_located(join, neighbors)


def fit_with_gaps(estimator: Model, settings: GaussianClassifier, over_all: OverAll) -> Model:
    """Fit an estimator to all partitions, of which values may be missing."""
    whole = over_all(settings, gappy_part_of_block, join_gappy_parts)

    def read(classes: NDArray[Any], one_pass: Pass) -> None:
        shared = Expectation(settings, classes, one_pass.elsewhere())
        one_pass.join(over_all(shared, expect_block, join_expected).found)

    part = GappyPart() if whole is None else whole.found
    return part.fit(estimator, settings, read)
