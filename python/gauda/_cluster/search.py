"""A search over a grid on partitions: one pass for the moments of folds, one for all points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from sklearn.base import clone

from gauda._cluster.block import Block
from gauda._cluster.folds import join_all, join_others
from gauda._cluster.tasks import in_one_thread, naming
from gauda._data.hashed_folds import HashedKFold
from gauda._data.shapes import number_of_rows
from gauda._estimators.joining import Part, adopt, state_of
from gauda._estimators.learner import Estimates, Learner
from gauda._estimators.parts import check_settings, settings_for_parts
from gauda._statistics.access import among
from gauda.discriminant_analysis import RegularizedDiscriminantAnalysisCV
from gauda.discriminant_analysis.grid_parts import (
    PartSearch,
    Tallies,
    folds_of,
    join_tallies,
    settings_of_sums,
)


@dataclass(frozen=True)
class Search:
    """What is searched for, with the estimator of the sums and the folds."""

    settings: RegularizedDiscriminantAnalysisCV
    sums: Learner
    folds: HashedKFold

    @classmethod
    def of(cls, estimator: Any, caller: str) -> Search | None:
        """Return the search of an estimator that chooses by cross-validation; None of others."""
        if not isinstance(estimator, RegularizedDiscriminantAnalysisCV):
            return None
        settings = check_settings(estimator, caller)
        sums = settings_for_parts(settings_of_sums(settings), caller)
        return cls(settings, sums, folds_of(settings.cv))

    def learn(self, parts: Sequence[Part]) -> PartSearch:
        """Return the search with the moments of folds, ready for the pass over held-out rows."""
        moments = state_of(join_all(self.sums, parts)).statistics
        states = [part.state for part in parts]
        weights = [
            0.0 if state is None else state.statistics.class_weight.sum() for state in states
        ]
        if sum(weight > 0 for weight in weights) == 1:
            raise ValueError(
                "All rows fall into one fold. Use another seed of HashedKFold, more groups, or "
                "more rows."
            )
        rest = [
            among(state_of(part).statistics, moments.classes)
            for part in join_others(self.sums, parts)
        ]
        search = PartSearch(self.settings, moments, rest, weights)
        search.check()
        return search

    def fit(self, estimator: Any, parts: Sequence[Part], estimates: Estimates) -> Any:
        """Return the estimator fitted to all rows at the point that was chosen."""
        whole = join_all(self.sums, parts)
        state = replace(state_of(whole), estimates=estimates)
        return adopt(clone(estimator), self.settings, replace(whole, state=state))


def try_folds(search: PartSearch, folds: HashedKFold, block: Block) -> Tallies:
    """Return how each point does on the rows of each fold."""
    tallies = [search.of_no_rows() for _ in range(folds.n_splits)]
    if not number_of_rows(block.X):
        return tallies
    alone = replace(search, settings=in_one_thread(search.settings))
    with naming(block.partition, block.first_row):
        for fold, rows in block.by_fold(folds):
            tallies[fold] = alone.try_fold(fold, *rows)
    return tallies


def join_tried_folds(neighbors: Sequence[Tallies]) -> Tallies:
    """Return how each point does on all rows of each fold."""
    return [reduce(join_tallies, tallies) for tallies in zip(*neighbors, strict=True)]
