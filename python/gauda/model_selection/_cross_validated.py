"""Criteria of columns by rows that are held out: log-loss and accuracy of each set of columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from gauda._data.sklearn_private import take
from gauda._support.arrays import Floats, Indices, Mask
from gauda._support.lazy import special
from gauda.model_selection._changes import Changes, changes_of
from gauda.model_selection._steps import ByScore
from gauda.model_selection._trial import weight_arguments

MAX_EXPONENT = 690.0
"""Up to which sums of exponentials do not overflow."""


class HeldOutRows(ByScore):
    """Log-loss or accuracy on held-out rows, the mean over splits."""

    def __init__(self, estimator: Any, data: Any, measure: str) -> None:
        self.estimator, self.data, self.measure = estimator, data, measure
        self.inside = np.zeros(data.n_columns, dtype=bool)
        self.failure: Exception | None = None
        self.folds: list[tuple[Changes, Floats, Indices, Floats]] | None = []
        for train, test in data.splits:
            try:
                model = self._fit(train, None)
                changes = changes_of(model, take(data.table, test))
            except np.linalg.LinAlgError as error:
                changes, self.failure = None, error
            if changes is None:
                self.folds = None
                break
            joint = np.repeat(changes.log_prior[:, np.newaxis], len(test), axis=1)
            self.folds.append((changes, joint, data.codes[test], data.shares(test)))
        self.now = self._score_now()

    def _fit(self, rows: Indices, columns: Indices | None) -> Any:
        data = self.data
        table = take(data.table, rows)
        table = table if columns is None else take(table, columns, axis=1)
        weights = None if data.weights is None else data.weights[rows]
        arguments = weight_arguments(self.estimator, weights)
        return clone(self.estimator).fit(table, data.labels[rows], **arguments)

    def _score_now(self) -> float:
        if self.folds is None:
            return self._fitted_score(self.inside)
        scores = [
            shares @ self._of_rows(joint.copy(), codes) for _, joint, codes, shares in self.folds
        ]
        return float(np.mean(scores))

    def _of_rows(self, joint: Floats, codes: Indices) -> Floats:
        """Return the score of each row, from log-densities, class x row, which are overwritten."""
        if self.measure == "accuracy":
            return np.asarray(joint.argmax(axis=0) == codes, dtype=np.float64)
        own = joint[codes, np.arange(len(codes))]
        joint -= own
        if not joint.max() < MAX_EXPONENT:  # the truth is all but impossible somewhere
            return np.asarray(-special.logsumexp(joint, axis=0))
        return np.asarray(-np.log(np.exp(joint, out=joint).sum(axis=0)))

    def _scores(self, columns: Indices) -> Floats:
        """Return the scores of the set with or without each of some columns."""
        if self.folds is None:
            return np.array([self._fitted_score(toggle(self.inside, c)) for c in columns])
        scores = np.zeros(len(columns))
        for changes, joint, codes, shares in self.folds:
            for part, change in changes.blocks(self.inside):
                before, truth = joint[:, part], codes[part]
                changed = np.empty_like(before)
                for at, column in enumerate(columns.tolist()):
                    change(column, changed)
                    combine = np.subtract if self.inside[column] else np.add
                    combine(before, changed, out=changed)
                    scores[at] += shares[part] @ self._of_rows(changed, truth)
        return scores / len(self.folds)

    def _fitted_score(self, inside: Mask) -> float:
        """Return the score of models fitted to some columns; NaN if they cannot be."""
        columns, scores = np.flatnonzero(inside), []
        for train, test in self.data.splits:
            codes, shares = self.data.codes[test], self.data.shares(test)
            if len(columns) == 0:
                joint = np.repeat(self.data.log_prior(train)[:, np.newaxis], len(test), axis=1)
            else:
                try:
                    model = self._fit(train, columns)
                    table = take(take(self.data.table, test), columns, axis=1)
                    joint = np.asarray(model.predict_log_proba(table), dtype=np.float64).T
                except np.linalg.LinAlgError as error:
                    self.failure = error
                    return float("nan")
            scores.append(shares @ self._of_rows(joint, codes))
        return float(np.mean(scores))

    def to_enter(self) -> Floats:
        """Return what the score gains with each column."""
        return self._differences(np.flatnonzero(~self.inside), 1)

    def to_remove(self) -> Floats:
        """Return what the score loses without each column."""
        return self._differences(np.flatnonzero(self.inside), -1)

    def _differences(self, columns: Indices, sign: int) -> Floats:
        found = np.full(len(self.inside), np.nan)
        found[columns] = sign * (self._scores(columns) - self.now)
        if len(columns) and np.isnan(found).all() and self.failure is not None:
            raise self.failure
        return found

    def toggle(self, column: int) -> None:
        """Put a column into the set, or take it out."""
        if self.folds is not None:
            sign = -1 if self.inside[column] else 1
            for changes, joint, _, _ in self.folds:
                for part, change in changes.blocks(self.inside):
                    joint[:, part] += sign * change(column, np.empty_like(joint[:, part]))
        self.inside[column] = not self.inside[column]
        self.now = self._score_now()

    def fill(self) -> None:
        """Put all columns into the set."""
        for column in range(len(self.inside)):
            if self.folds is not None:
                self.toggle(column)
        self.inside[:] = True
        self.now = self._score_now()

    def score(self) -> float:
        """Return the mean log-loss, or the accuracy."""
        return self.now if self.measure == "accuracy" else -self.now


def toggle(inside: Mask, column: int) -> Mask:
    """Return a set with a column more, or less."""
    other = inside.copy()
    other[column] = not other[column]
    return other
