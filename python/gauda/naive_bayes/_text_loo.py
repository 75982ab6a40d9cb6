"""Models of texts without each row in turn: counts less those of the row.

`leave_one_out` is a method of `MultinomialNB` and `ComplementNB`, whose `_joint_left_out` scores a
block of rows under the models without each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse as sp
from scipy.special import logsumexp

from gauda._data.discrete_rows import Rows
from gauda._data.labels import indices_among
from gauda._estimators.state import Current
from gauda._statistics.tables import ROUNDING
from gauda._support.arrays import Floats, Indices, Mask
from gauda.naive_bayes._discrete import DiscreteNB, logarithm
from gauda.naive_bayes._loo import MAX_RATIO, OtherRows, priors_are_given, rows_of_fit

BLOCK_ENTRIES = 1 << 21
"""Entries times classes that are looked at together."""


@dataclass(frozen=True)
class Block:
    """Some rows, entry by entry, and the counts of all rows."""

    rows: Indices
    """The row of each entry that is not 0, among these."""
    columns: Indices
    amounts: Floats
    codes: Indices
    """The class of each row, as its weight."""
    weights: Floats
    feature_count: Floats
    alpha: Floats
    """What is added to the counts of each column."""

    def sums(self, values: Floats) -> Floats:
        """Return the sum of values of entries, row by row."""
        sums = np.bincount(self.rows, values, minlength=len(self.codes))
        return sums.astype(np.float64, copy=False)

    def removed(self) -> Floats:
        """Return what each entry has added to the counts of its class."""
        return self.amounts * self.weights[self.rows]

    def all_removed(self) -> Floats:
        """Return what each row has added to the counts of its class, over all columns."""
        return self.sums(self.removed())


def leave_one_out(  # noqa: PLR0913 (what a call is given)
    self: DiscreteNB,
    current: Current,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    refit_priors: bool,
) -> Floats:
    """Return the log-posteriors of each row under the model without it."""
    acting, data = rows_of_fit(self, current, X, y, sample_weight)
    statistics, labels = current.statistics, data.labels
    codes = indices_among(labels.classes, statistics.classes)[labels.codes]
    weights = np.ones(len(codes)) if labels.weights is None else labels.weights
    joint = np.empty((len(codes), len(statistics.classes)))
    alpha = np.broadcast_to(acting._pseudo_counts(current.n_features), current.n_features)
    tables = statistics.feature_count, alpha
    for some, entries in blocks(data.rows, joint.shape[1]):
        block = Block(*entries, codes[some], weights[some], *tables)
        joint[some] = acting._joint_left_out(block)
    kept = not refit_priors or priors_are_given(acting) or not acting._uses_priors
    log_prior: Floats | None = current.model.log_prior if kept else None
    joint += (
        log_priors_left(statistics.class_weight, codes, weights) if log_prior is None else log_prior
    )
    heavy = weights > MAX_RATIO * np.min(weights, where=weights > 0, initial=np.inf)
    found = normalize(joint, ~heavy)
    rest = OtherRows(acting, current, data, [], log_prior)
    for row in np.flatnonzero(heavy).tolist():
        found[row] = rest.refit(row)
    return found


def normalize(joint: Floats, chosen: Mask) -> Floats:
    """Return log-posteriors; refuse rows among those chosen that have none."""
    evidence = logsumexp(joint, axis=1, keepdims=True)
    lost = chosen & ~np.isfinite(evidence[:, 0])
    if lost.any():
        raise ValueError(
            f"Row {int(lost.argmax())} of X must have a probability above 0 in some class without "
            "it; got 0 in all. Smooth the probabilities with alpha > 0."
        )
    with np.errstate(invalid="ignore"):
        found: Floats = joint - evidence
    return found


def blocks(rows: Rows, n_classes: int) -> Iterator[tuple[slice, tuple[Any, Any, Floats]]]:
    """Yield some rows at a time, with the row, the column and the value of each entry."""
    is_dense = isinstance(rows.arrays, np.ndarray)
    matrix: Any = rows.arrays if is_dense else rows.as_csr()
    entries = rows.shape[1] if is_dense else matrix.nnz / max(len(rows), 1)
    step = max(int(BLOCK_ENTRIES / (max(entries, 1) * n_classes)), 1)
    for start in range(0, len(rows), step):
        some = slice(start, start + step)
        part = sp.coo_array(matrix[some])
        part.sum_duplicates()
        seen = part.data != 0
        amounts = part.data[seen].astype(np.float64)
        yield some, (part.row[seen].astype(np.intp), part.col[seen].astype(np.intp), amounts)


def less(counts: Floats, removed: Floats) -> Floats:
    """Return counts less a part of them; what rounding leaves of a whole is nothing."""
    rest = counts - removed
    return np.where(rest <= np.where(removed > 0, ROUNDING * counts, 0), 0.0, rest)


def log_priors_left(class_weight: Floats, codes: Indices, weights: Floats) -> Floats:
    """Return the logarithms of priors counted without each row."""
    left = np.tile(class_weight, (len(codes), 1))
    own = np.arange(len(codes)), codes
    left[own] = less(left[own], weights)
    total = left.sum(axis=1, keepdims=True)
    if not total.all():
        row = int(np.flatnonzero(total == 0)[0])
        raise ValueError(f"Row {row} is all that the model has seen; without it there is none.")
    logs: Floats = logarithm(left) - np.log(total)
    return logs
