"""Points of a grid of regularized models scored on rows that they have not seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gauda import _core
from gauda._data.splits import check_classes_left
from gauda._data.training import LabeledRows
from gauda._estimators.loo import refuse_single_rows
from gauda._statistics.access import core_of
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats, Indices
from gauda._support.lazy import splitting
from gauda._support.remedies import NOTHING_VARIES
from gauda.discriminant_analysis._results import columns_of, ranks

Split = tuple[Indices, Indices | None]
"""Rows to score, and those to learn from; None means all others."""
Some = tuple[NDArray[Any], NDArray[np.uint32], Floats | None]
"""Some rows, their classes and weights."""

Tally = tuple[float, float, float, float, float] | None
"""Sums of how a point does on rows, as the core has them; None where a covariance is singular."""

MIN_LOG_POSTERIOR = np.log(np.finfo(np.float64).eps)
"""Smallest log-posterior that counts, so that one row cannot cost everything."""

BINARY = 2
"""Classes for which Brier's score is halved, as in scikit-learn."""


@dataclass(frozen=True)
class Grid:
    """All pairs of two shares."""

    names: ClassVar[tuple[str, ...]] = ("alpha", "gamma")

    alphas: Floats
    gammas: Floats

    @classmethod
    def of(cls, alphas: ArrayLike, gammas: ArrayLike) -> Grid:
        """Check that there are shares, and that they are some."""
        return cls(validate_shares("alphas", alphas), validate_shares("gammas", gammas))

    @property
    def points(self) -> list[tuple[float, ...]]:
        """Pairs of alpha and gamma, in the order of scikit-learn's grids."""
        return [(alpha, gamma) for alpha in self.alphas.tolist() for gamma in self.gammas.tolist()]


def validate_shares(name: str, shares: ArrayLike) -> Floats:
    """Return shares as an array; refuse what is not a number from 0 to 1."""
    needed = f"{name} must be a list of numbers from 0 to 1; got {shares!r}."
    try:
        array = np.asarray(shares, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(needed) from None
    if array.ndim != 1 or len(array) == 0:
        raise ValueError(needed)
    wrong = array[~((array >= 0) & (array <= 1))]
    if len(wrong):
        raise ValueError(f"{name} must be numbers from 0 to 1; got {wrong[0]:g} among them.")
    return array


@dataclass(frozen=True, eq=False)
class Search:
    """How a choice fell."""

    results: dict[str, Any]
    n_splits: int
    index: int
    """Of the point that was chosen."""
    score: float
    loo_log_proba: Floats | None
    """Log-posteriors of each row under the chosen model without it, if each was left out."""


@dataclass
class GridScores:
    """The points of a grid tried on rows."""

    structure: ClassVar[str] = "full"
    """Of the moments that models are made of."""

    takes_out_rows: ClassVar[bool] = True
    """Whether formulas of the core take single rows out of the models."""

    grid: Any
    """The points, and the names of their parameters."""
    family: tuple[Any, ...]
    """What the models have in common, as the core takes it; priors of None are counted."""
    data: LabeledRows
    moments: Moments
    scoring: str
    n_splits: int = field(default=0, init=False)

    def by_folds(self, cv: Any) -> dict[str, Any]:
        """Return the results of splits, laid out as GridSearchCV's."""
        tried: list[Sequence[Tally]] = []
        totals, fit_times, score_times = [], [], []
        splits = list(self._splits(cv))
        if not splits:
            raise ValueError(f"cv must give at least one split; got {cv!r}, which gives none.")
        start = perf_counter()
        for number, (test, rest) in enumerate(self._iterate_training(splits)):
            rows, codes, weights = self._some(test)
            total = len(test) if weights is None else float(weights.sum())
            if not total > 0:
                raise ValueError(f"Split {number} holds out no rows, or none that have weight.")
            check_classes_left(rest.weights, self.data.classes, number)
            made = perf_counter()
            tallies = self._try_fold(rest, rows, codes, weights, splits[number])
            tried.append(tallies)
            totals.append(total)
            fit_times.append((made - start) / len(tallies))
            start = perf_counter()
            score_times.append((start - made) / len(tallies))
        return self._of_splits(tried, totals, (fit_times, score_times))

    def by_rows(self) -> dict[str, Any]:
        """Return the results of leaving out each row; a row is a split."""
        refuse_single_rows(self.data, self.moments.counts, self.data.classes)
        start = perf_counter()
        tallies = self._try_rows()
        n_rows = len(self.data.codes)
        return self._of_rows(tallies, n_rows, n_rows, perf_counter() - start)

    def _try_fold(
        self,
        rest: _core.Moments,
        rows: NDArray[Any],
        codes: NDArray[np.uint32],
        weights: Floats | None,
        split: Split,  # noqa: ARG002 (used by subclasses)
    ) -> list[Tally]:
        """Return how each point does on rows, made of the moments of others."""
        grid = self.grid.alphas, self.grid.gammas
        with self.data.names.in_errors():
            return _core.cross_validate(
                rest, rows, codes, weights, self.family, *grid, self.data.n_threads
            )

    def _try_rows(self) -> list[Tally]:
        """Return how each point does on rows that are left out one by one."""
        tallies: list[Tally] = []
        with self.data.names.in_errors():
            for alpha in self.grid.alphas.tolist():
                tallies += _core.tally_left_out(
                    core_of(self.moments),
                    self.data.rows,
                    self.data.codes,
                    self._family_at(alpha),
                    self.grid.gammas,
                    self.data.n_threads,
                )
        return tallies

    def leave_out(self, index: int) -> Floats:
        """Return the log-posteriors of each row under a model of the grid without it."""
        alpha, gamma = self.grid.points[index]
        out = np.empty((len(self.data.codes), len(self.data.classes)))
        with self.data.names.in_errors():
            _core.leave_one_out(
                core_of(self.moments),
                self.data.rows,
                self.data.codes,
                self._family_at(alpha),
                gamma,
                out,
                self.data.n_threads,
            )
        return out

    def best(self, results: dict[str, Any], *, one_se: bool) -> int:
        """Return the index of the best point, or of the most regularized that is about as good."""
        means = results["mean_test_score"]
        if np.isnan(means).all():
            raise np.linalg.LinAlgError(
                "At every point of the grid some covariance is not full rank, with all rows or "
                f"without those of a split. {self._remedy()}"
            )
        best = int(np.nanargmax(means))
        if not one_se:
            return best
        error = results["std_test_score"][best] / np.sqrt(self.n_splits)
        near = [index for index, mean in enumerate(means) if mean >= means[best] - error]
        points = self.grid.points
        return max(near, key=lambda index: (sum(points[index]), points[index][0]))

    def choice(
        self, results: dict[str, Any], index: int, left_out: Floats | None
    ) -> dict[str, Any]:
        """Return a point that was chosen and how the choice fell, as estimates of a fit."""
        score = float(results["mean_test_score"][index])
        search = Search(results, self.n_splits, index, score, left_out)
        return {"point": np.array(self.grid.points[index]), "search": search}

    def _remedy(self) -> str:
        """Return what helps where no point of the grid will do."""
        if not self.moments.squares.any():
            return NOTHING_VARIES
        largest = np.max(self.grid.points, axis=0)
        if not (largest > 0).all():
            return "Try larger alphas or gammas."
        return "Use fewer columns, or fewer and larger splits."

    def _family_at(self, alpha: float) -> tuple[Any, ...]:
        (_, pooling, unbiased), *rest = self.family
        return (alpha, pooling, unbiased), *rest

    def _splits(self, cv: Any) -> Iterator[Split]:
        """Give the rows to score, and those to learn from if they are not all others."""
        splitter = splitting.check_cv(cv, self.data.codes, classifier=True)
        splits: Iterable[Any] = splitter.split(self.data.rows, self.data.codes)
        indices = np.arange(len(self.data.codes))
        for train, test in splits:  # which may be masks
            times = np.bincount(indices[train], minlength=len(indices))
            times += np.bincount(indices[test], minlength=len(indices))
            yield indices[test], None if (times == 1).all() else indices[train]

    def _iterate_training(self, splits: list[Split]) -> Iterator[tuple[Indices, _core.Moments]]:
        """Give the rows to score with the moments of those to learn from.

        Nothing is subtracted: a row far off would hide what it leaves.
        """
        tests = [test for test, _ in splits]
        times = np.bincount(np.concatenate([np.empty(0, np.intp), *tests]))
        if all(train is None for _, train in splits) and (times == 1).all():
            yield from self._without_each(tests, None)
            return
        everything = np.arange(len(self.data.codes))
        for test, train in splits:
            others = np.setdiff1d(everything, test) if train is None else train
            yield test, self._moments_of(others)

    def _without_each(
        self, folds: list[Indices], outside: _core.Moments | None
    ) -> Iterator[tuple[Indices, _core.Moments]]:
        """Give each fold with the moments of all others, of which those outside are known."""
        if len(folds) == 1:
            yield folds[0], self._moments_of(folds[0][:0]) if outside is None else outside
            return
        middle = len(folds) // 2
        for these, others in ((folds[:middle], folds[middle:]), (folds[middle:], folds[:middle])):
            added = self._moments_of(np.concatenate(others))
            with self.data.names.in_errors():
                known = added if outside is None else outside.merge(added)
            yield from self._without_each(these, known)

    def _moments_of(self, rows: Indices) -> _core.Moments:
        return core_of_rows(self.data, rows, self.structure)

    def _some(self, rows: Indices) -> Some:
        """Return some rows with their classes and weights."""
        weights = self.data.weights
        kept = None if weights is None else weights[rows]
        return self.data.rows[rows], self.data.codes[rows], kept

    def _score(self, tally: Tally, rows: float) -> tuple[float, float]:
        """Return mean and standard deviation of the score of a point over rows."""
        if tally is None:
            return np.nan, np.nan
        log_loss, squared_log_loss, hits, brier, squared_brier = np.array(tally) / rows
        half = 0.5 if len(self.data.classes) == BINARY else 1.0
        mean, square = {
            "neg_log_loss": (-log_loss, squared_log_loss),
            "accuracy": (hits, hits),
            "neg_brier_score": (-half * brier, half * half * squared_brier),
        }[self.scoring]
        return float(mean), float(np.sqrt(max(square - mean * mean, 0.0)))

    def _of_rows(
        self, tallies: Sequence[Tally], n_rows: int, total: float, seconds: float
    ) -> dict[str, Any]:
        """Return the results of rows that were left out one by one, which weigh so much."""
        self.n_splits = n_rows
        pairs = np.array([self._score(tally, total) for tally in tallies])
        times = [seconds / len(tallies) / n_rows]
        return self._lay_out(pairs[:, 0], pairs[:, 1], {}, ([0.0], times))

    def _of_splits(
        self,
        tried: Sequence[Sequence[Tally]],
        totals: Sequence[float],
        times: tuple[list[float], list[float]],
    ) -> dict[str, Any]:
        """Return the results of how each point does on each split, whose rows have such weights."""
        self.n_splits = len(tried)
        scores = np.array(
            [
                [self._score(tally, total)[0] for tally in tallies]
                for tallies, total in zip(tried, totals, strict=True)
            ]
        )
        named = {f"split{index}_test_score": column for index, column in enumerate(scores)}
        return self._lay_out(scores.mean(axis=0), scores.std(axis=0), named, times)

    def _lay_out(
        self,
        means: Floats,
        deviations: Floats,
        splits: dict[str, Floats],
        times: tuple[list[float], list[float]],
    ) -> dict[str, Any]:
        points = self.grid.points
        timed = {
            f"{figure}_{what}_time": np.full(len(points), value)
            for what, taken in zip(("fit", "score"), times, strict=True)
            for figure, value in (("mean", np.mean(taken)), ("std", np.std(taken)))
        }
        return {
            **timed,
            **columns_of(self.grid.names, points),
            **splits,
            "mean_test_score": means,
            "std_test_score": deviations,
            "rank_test_score": ranks(means),
        }


def core_of_rows(data: LabeledRows, rows: Indices, structure: str) -> _core.Moments:
    """Return the core's moments of some rows."""
    weights = None if data.weights is None else data.weights[rows]
    with data.names.in_errors():
        return _core.Moments.from_data(
            data.rows[rows], data.codes[rows], len(data.classes), structure, weights, data.n_threads
        )


def tally(posteriors: Floats, codes: NDArray[np.uint32], weights: Floats | None) -> Tally:
    """Return what the core tells of a point, from the log-posteriors of rows."""
    own = posteriors[np.arange(len(codes)), codes]
    loss = -np.maximum(own, MIN_LOG_POSTERIOR)
    hits = posteriors.argmax(axis=1) == codes
    brier = np.exp(2 * posteriors).sum(axis=1) - 2 * np.exp(own) + 1
    counted = np.ones(len(codes)) if weights is None else weights
    sums = [float(counted @ values) for values in (loss, loss**2, hits, brier, brier**2)]
    return sums[0], sums[1], sums[2], sums[3], sums[4]
