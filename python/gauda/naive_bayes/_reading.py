"""What columns add to the log-ratio of two classes where they are independent within classes.

The functions here are methods of `DiscreteNB` and `MixedNB`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda._analysis.chains import Terms, divergence, independent
from gauda._analysis.column_fits import ColumnFit, LevelFit, NumberFit
from gauda._estimators.geometry import names_in_formulas
from gauda._estimators.reading import Texts, mean_and_deviation
from gauda._estimators.state import Current
from gauda._support.arrays import Floats

if TYPE_CHECKING:
    from gauda.naive_bayes._discrete import DiscreteNB
    from gauda.naive_bayes._mixed import MixedNB


def contrast_terms(
    self: DiscreteNB | MixedNB, current: Current, codes: Sequence[int]
) -> tuple[Terms, Texts]:
    """Return what columns are expected to add, and what both classes have in each."""
    acting = self._acting(current.settings)
    fits = acting._column_fits(current, current.statistics, names_in_formulas(current))
    both = list(codes)
    terms = np.array([expected_ratio(fit, both) for fit in fits])
    levels = self._level_names(current)
    texts = [describe(fit, both, levels[column]) for column, fit in enumerate(fits)]
    return independent(terms), texts


def row_terms(
    self: DiscreteNB | MixedNB, current: Current, rows: Any, codes: Sequence[int]
) -> tuple[Terms, Texts]:
    """Return what the columns of a row add."""
    logs = self._column_log_likelihoods(current, rows)
    i, j = codes
    terms = np.array([log_difference(found[0, i], found[0, j]) for found in logs])
    return independent(terms), [(text,) for text in row_texts(rows)]


def row_texts(rows: Any) -> list[str]:
    """Return the entries of a row as they were given."""
    if hasattr(rows, "columns"):
        entries = [column.entry(0) for column in rows.columns]
        return [f"{entry:.6g}" if isinstance(entry, float) else str(entry) for entry in entries]
    return [f"{entry:g}" for entry in rows.entries(0).tolist()]


def expected_ratio(fit: ColumnFit, codes: list[int]) -> float:
    """Return the log-ratio of a column that is expected of the first of two classes."""
    if isinstance(fit, NumberFit):
        means, variances = fit.model_means[codes], fit.model_variances[codes]
        with np.errstate(invalid="ignore"):
            return float(divergence(variances, variances[0], means[0] - means[1]))
    own, other = log_tables_of(fit)[codes]
    seen = own > -np.inf
    with np.errstate(over="ignore"):
        return max(float((np.exp(own[seen]) * (own[seen] - other[seen])).sum()), 0.0)


def describe(fit: ColumnFit, codes: list[int], levels: list[str] | None) -> tuple[str, ...]:
    """Return what two classes have in a column: mean and deviation, or the level that tells."""
    if isinstance(fit, NumberFit):
        means, deviations = fit.model_means[codes], np.sqrt(fit.model_variances[codes])
        return tuple(map(mean_and_deviation, means.tolist(), deviations.tolist()))
    own, other = np.exp(log_tables_of(fit)[codes])
    if not levels:
        return "no level", "no level"
    telling = len(levels) - 1 - int(np.argmax(np.abs(own - other)[::-1]))
    return tuple(f"{levels[telling]}: {share[telling]:.3g}" for share in (own, other))


def log_tables_of(fit: ColumnFit) -> Floats:
    """Return the log-probabilities of a column of levels, class x level."""
    return fit.log_probabilities if isinstance(fit, LevelFit) else np.empty((0, 0))


def log_difference(first: float, second: float) -> float:
    """Return a difference of logarithms; of two that are -inf, 0."""
    return 0.0 if first == second else float(first - second)


# Discrete models


def level_names(self: DiscreteNB, current: Current) -> list[list[str] | None]:
    """Return what the levels of each column are called."""
    return [[str(level) for level in range(table.shape[1])] for table in self._log_tables(current)]


def column_log_likelihoods(self: DiscreteNB, current: Current, rows: Any) -> list[Floats]:
    """Return log p(entry | class) of each column, row x class; unknown levels have 0."""
    tables, arrays = self._log_tables(current), rows.arrays
    columns = arrays.T if isinstance(arrays, np.ndarray) else [array[:, 0] for array in arrays]
    return list(map(likelihoods_of, tables, columns))


def likelihoods_of(table: Floats, levels: NDArray[Any]) -> Floats:
    """Return log-probabilities of levels, row x class; where there is no such level, 0."""
    values = np.asarray(levels, dtype=np.float64)
    known = (values >= 0) & (values < table.shape[1])
    found = np.zeros((len(values), len(table)))
    found[known] = table.T[values[known].astype(np.intp)]
    return found


def presence_log_likelihoods(present: Floats, absent: Floats, shares: Floats) -> list[Floats]:
    """Return log p(entry | class) of each column; an entry is the share of presence."""
    return [
        share_of(shares[:, at], present[:, at]) + share_of(1 - shares[:, at], absent[:, at])
        for at in range(shares.shape[1])
    ]


def share_of(shares: Floats, logs: Floats) -> Floats:
    """Return shares times logarithms, row x class; 0 times -inf is 0."""
    some = shares > 0
    found = np.zeros((len(shares), len(logs)))
    found[some] = shares[some, np.newaxis] * logs
    return found


# Mixed models


def mixed_level_names(self: MixedNB, current: Current) -> list[list[str] | None]:  # noqa: ARG001 (a method)
    """Return what the levels of each column are called; None for numbers."""
    levels = current.attributes["categories_"]
    return [
        [str(level) for level in levels[column]] if column in levels else None
        for column in range(current.n_features)
    ]


def mixed_column_log_likelihoods(self: MixedNB, current: Current, rows: Any) -> list[Floats]:  # noqa: ARG001 (a method)
    """Return log p(entry | class) of each column, row x class; what is missing has 0."""
    found = current.attributes
    logs: list[Floats] = []
    for column, values in enumerate(rows.arrays):
        entries = np.asarray(values[:, 0], dtype=np.float64)
        if column in found["theta_"]:
            means, variances = found["theta_"][column], found["var_"][column]
            logs.append(normal_log_likelihoods(means, variances, entries))
        else:
            logs.append(likelihoods_of(found["feature_log_prob_"][column], entries))
    return logs


def normal_log_likelihoods(means: Floats, variances: Floats, values: Floats) -> Floats:
    """Return log-densities of numbers, row x class; where one is missing, 0."""
    with np.errstate(over="ignore"):
        squares = np.square(values[:, np.newaxis] - means) / variances
    logs = -(np.log(2 * np.pi * variances) + squares) / 2
    return np.where(np.isnan(values)[:, np.newaxis], 0.0, logs)
