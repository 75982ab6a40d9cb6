"""Rows drawn from discrete and mixed models, and gaps filled in.

The functions here are methods of `DiscreteNB` and `MixedNB`. Within a class columns are
independent, so that a missing entry depends on the others through the posteriors only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gauda import _core
from gauda._estimators.imputing import known_codes
from gauda._estimators.state import Current
from gauda._scoring.rules import make_rules
from gauda._support.arrays import Floats

if TYPE_CHECKING:
    from gauda.naive_bayes._discrete import DiscreteNB
    from gauda.naive_bayes._mixed import MixedNB


def draw_rows(
    self: DiscreteNB | MixedNB, current: Current, codes: NDArray[np.uint32], seed: int
) -> Any:
    """Draw a row of each class: levels as the fit was given them, and numbers."""
    drawn = np.empty((len(codes), current.n_features))
    _core.sample_columns(current.model.columns, codes, drawn, seed, self.n_threads)
    return self._entries(current, drawn)


def fill_gaps(
    self: DiscreteNB | MixedNB,
    current: Current,
    X: Any,
    y: ArrayLike | None,
    *,
    return_std: bool,
) -> Any:
    """Fill in missing entries by the most probable level, or the mean of a number."""
    if return_std and not self._has_numbers(current):
        raise ValueError(
            f"return_std must be False for a {type(self).__name__} without columns of numbers; got "
            "True, but levels have no standard deviation. See sample_missing for draws."
        )
    rows: Any = self._rows(X, current)
    posteriors = posteriors_of(self, current, rows, y)
    values = np.full((len(rows), current.n_features), np.nan)
    deviations = np.zeros_like(values) if return_std else None
    _core.impute_columns(
        current.model.columns, rows.arrays, posteriors, values, deviations, self.n_threads
    )
    filled = self._completed(current, X, rows, values)
    return filled if deviations is None else (filled, deviations)


def draw_gaps(  # noqa: PLR0913 (what a call is given)
    self: DiscreteNB | MixedNB,
    current: Current,
    X: Any,
    y: ArrayLike | None,
    count: int,
    seed: int,
) -> Any:
    """Draw missing entries of copies of rows."""
    rows: Any = self._rows(X, current)
    posteriors = posteriors_of(self, current, rows, y)
    values = np.full((count, len(rows), current.n_features), np.nan)
    _core.impute_column_draws(
        current.model.columns, rows.arrays, posteriors, values, seed, self.n_threads
    )
    copies = [self._completed(current, X, rows, drawn) for drawn in values]
    return np.stack(copies) if isinstance(copies[0], np.ndarray) else copies


def posteriors_of(
    self: DiscreteNB | MixedNB, current: Current, rows: Any, y: ArrayLike | None
) -> Floats:
    """Return the probability of each class given what rows show, or certainty of those named."""
    if isinstance(rows.arrays, tuple):
        raise TypeError(
            f"X must be dense for {type(self).__name__} to fill in gaps; got a sparse matrix, "
            "whose entries are all known. Give an array with NaN for what is missing."
        )
    posteriors = np.zeros((len(rows), len(current.classes)))
    if y is not None:
        posteriors[np.arange(len(rows)), known_codes(self, current, rows, y)] = 1.0
        return posteriors
    rules = make_rules(current, None, None, None, "marginalize")
    self._ask(current, rows, {"posterior": posteriors}, rules)
    return posteriors
