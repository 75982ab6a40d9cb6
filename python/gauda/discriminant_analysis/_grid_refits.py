"""Points of a grid tried by fits of their own: where rows have gaps, or weights and no folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.linalg import LinAlgError

from gauda._data.splits import check_classes_left
from gauda._data.training import LabeledRows
from gauda._estimators.family import Family
from gauda._estimators.learner import Estimates
from gauda._estimators.loo import refuse_single_rows, without_row
from gauda._statistics.access import core_of, is_wide
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats, Indices
from gauda.discriminant_analysis._grid import Grid, GridScores, Tally, tally
from gauda.discriminant_analysis._wide_grid import scores_of_few_rows

if TYPE_CHECKING:
    from gauda.discriminant_analysis._regularized_cv import RegularizedDiscriminantAnalysisCV

Make = Callable[..., Any]
"""Makes an estimator of a point, which takes rows with gaps."""


def choose(
    self: RegularizedDiscriminantAnalysisCV, data: LabeledRows, statistics: Moments
) -> Estimates:
    """Return the point that does best on rows left out, and how all did."""
    grid = Grid.of(self.alphas, self.gammas)
    given, family = family_of(self, statistics)
    tried = grid, family, data, statistics, self.scoring
    few = is_wide(statistics) and not statistics.has_gaps
    scores = scores_of_few_rows(*tried, self._at(0.0, 0.0)) if few else GridScores(*tried)

    return self._choose(scores, given)


def family_of(
    self: RegularizedDiscriminantAnalysisCV, statistics: Moments
) -> tuple[Floats | None, tuple[Any, ...]]:
    """Return priors, if they are given, and what all models have in common."""
    given = None if self.priors is None else self._class_priors(statistics)
    mixing = 0.0, self.pooling, self.unbiased
    return given, Family("full", mixing, self.target, tol=self.tol).of_core(given)


def by_weighted_rows(scores: GridScores) -> dict[str, Any]:
    """Return the results of leaving out each row with its weight, by which it is scored too."""
    data, moments = scores.data, scores.moments
    refuse_single_rows(data, moments.counts, moments.classes)
    start = perf_counter()
    rows: list[Sequence[Tally]] = []
    for index in np.flatnonzero(weights_of(data)).tolist():
        rest, one = core_of(without_row(moments, data, index)), np.array([index])
        rows.append(scores._try_fold(rest, *scores._some(one), (one, None)))
    return lay_out_rows(scores, rows, perf_counter() - start)


def by_fits(scores: GridScores, cv: Any, make: Make) -> dict[str, Any]:
    """Return the results of splits, for each of which each point is fitted, gaps and all."""
    data = scores.data
    refuse_single_rows(data, class_weights(data), data.classes)
    splits = list(all_splits(scores, cv))
    start = perf_counter()
    tallies: list[Sequence[Tally]] = []
    for number, (test, train) in enumerate(splits):
        check_classes_left(class_weights(data, train), data.classes, number)
        tallies.append([tally_of(make(*point), data, test, train) for point in scores.grid.points])
    if is_by_row(cv):
        return lay_out_rows(scores, tallies, perf_counter() - start)
    totals = [weights_of(data)[test].sum() for test, _ in splits]
    times = [(perf_counter() - start) / len(splits) / len(scores.grid.points)]
    return scores._of_splits(tallies, totals, (times, [0.0]))


def leave_out_by_fits(data: LabeledRows, estimator: Any) -> Floats:
    """Return the log-posteriors of each row under a model that is fitted to the others."""
    out = np.empty((len(data.codes), len(data.classes)))
    everything = np.arange(len(data.codes))
    for index in everything:
        fit(estimator, data, np.delete(everything, index))
        out[index] = estimator.predict_log_proba(data.rows[index : index + 1])[0]
    return out


def lay_out_rows(
    scores: GridScores, rows: Sequence[Sequence[Tally]], seconds: float
) -> dict[str, Any]:
    """Return the results of rows that were left out one by one."""
    totals = [
        None if any(tally is None for tally in point) else tuple(np.sum(point, axis=0))
        for point in zip(*rows, strict=True)
    ]
    return scores._of_rows(totals, len(rows), weights_of(scores.data).sum(), seconds)


def all_splits(scores: GridScores, cv: Any) -> Iterator[tuple[Indices, Indices]]:
    """Give the rows to score, and those to learn from."""
    everything = np.arange(len(scores.data.codes))
    if is_by_row(cv):
        for index in np.flatnonzero(weights_of(scores.data)):
            yield everything[index : index + 1], np.delete(everything, index)
        return
    for test, train in scores._splits(cv):
        yield test, np.setdiff1d(everything, test) if train is None else train


def tally_of(estimator: Any, data: LabeledRows, test: Indices, train: Indices) -> Tally:
    """Return how an estimator does on rows that it has not seen; None if it cannot be fitted."""
    try:
        fit(estimator, data, train)
        log_proba = estimator.predict_log_proba(data.rows[test])
    except LinAlgError:
        return None
    return tally(np.asarray(log_proba, np.float64), data.codes[test], weights_of(data)[test])


def fit(estimator: Any, data: LabeledRows, train: Indices) -> None:
    """Fit an estimator to some rows."""
    weights = None if data.weights is None else data.weights[train]
    estimator.fit(data.rows[train], data.codes[train], sample_weight=weights)


def is_by_row(cv: Any) -> bool:
    """Tell whether each row is left out in turn."""
    return isinstance(cv, str) and cv == "loo"


def weights_of(data: LabeledRows) -> Floats:
    """Return the weight of each row."""
    return np.ones(len(data.codes)) if data.weights is None else data.weights


def class_weights(data: LabeledRows, rows: Indices | slice = slice(None)) -> Floats:
    """Return the weight of each class among some rows."""
    counts = np.bincount(data.codes[rows], weights_of(data)[rows], len(data.classes))
    return np.asarray(counts, dtype=np.float64)
