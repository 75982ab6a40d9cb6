"""Cross-validation over partitions: sums of each fold, then how models do on the rows held out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from sklearn.base import clone

from gauda._cluster.block import Block
from gauda._cluster.tasks import FAULTS, Located, in_one_thread, join_located, naming
from gauda._data.hashed_folds import HashedKFold
from gauda._data.shapes import number_of_rows
from gauda._data.sklearn_private import take
from gauda._estimators.classifier import Classifier
from gauda._estimators.joining import Part, adopt
from gauda._estimators.learner import Learner
from gauda._estimators.parts import part_of
from gauda._estimators.streaming import evaluation_of
from gauda._scoring.evaluation import Evaluation


def parts_of_folds(settings: Learner, folds: HashedKFold, block: Block) -> Located[list[Part]]:
    """Return what the rows of each fold give."""
    parts = [Part()] * folds.n_splits
    located = Located(parts, block.partition, block.partition)
    if not number_of_rows(block.X):
        return located
    alone = in_one_thread(settings)
    with naming(block.partition, block.first_row):
        try:
            for fold, rows in block.by_fold(folds):
                parts[fold] = part_of(alone, *rows)
        except FAULTS:
            part_of(alone, block.X, block.y, block.sample_weight)  # which names the row rightly
            raise
    return located


def join_folds(settings: Learner, neighbors: Sequence[Located[list[Part]]]) -> Located[list[Part]]:
    """Return what the rows of each fold give in all neighbors."""

    def join(first: list[Part], second: list[Part]) -> list[Part]:
        return [one.join(settings, other) for one, other in zip(first, second, strict=True)]

    return join_located(join, neighbors)


def join_all(settings: Learner, parts: Sequence[Part]) -> Part:
    """Return what all parts give together."""
    return reduce(lambda first, second: first.join(settings, second), parts)


def join_others(settings: Learner, parts: Sequence[Part]) -> list[Part]:
    """Return, for each part, what all others give: nothing is subtracted."""
    if len(parts) == 1:
        return [Part()]
    middle = len(parts) // 2
    halves = parts[:middle], parts[middle:]
    whole = [join_all(settings, half) for half in halves]
    return [
        other.join(settings, rest)
        for half, other in zip(halves, reversed(whole), strict=True)
        for rest in join_others(settings, half)
    ]


def fit_without_each(estimator: Learner, settings: Learner, parts: Sequence[Part]) -> list[Any]:
    """Return, for each fold, the estimator fitted to all others."""
    models = []
    for number, rest in enumerate(join_others(settings, parts)):
        if not parts[number].n_rows:
            raise ValueError(f"Split {number} holds out no rows.")
        models.append(adopt(clone(estimator), settings, rest))
    return models


def evaluate_folds(
    models: Sequence[Classifier], folds: HashedKFold, block: Block
) -> list[Evaluation]:
    """Return how the model of each fold does on its rows."""
    none = take(block.X, np.empty(0, dtype=np.intp)), np.empty(0)
    found = [evaluation_of(model, *none) for model in models]
    if not number_of_rows(block.X):
        return found
    with naming(block.partition, block.first_row):
        for fold, (X, y, _) in block.by_fold(folds):
            found[fold] = evaluation_of(in_one_thread(models[fold]), X, y)
    return found


def join_evaluated_folds(neighbors: Sequence[Sequence[Evaluation]]) -> list[Evaluation]:
    """Return how the model of each fold does on all of its rows."""
    return [sum(found[1:], found[0]) for found in zip(*neighbors, strict=True)]
