"""What the sums of mixed columns say: how well they fit, and what a row less leaves of them.

The functions here are methods of `MixedNB`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gauda._analysis.column_fits import ColumnFit, LevelFit, NumberFit
from gauda._data.columns import TRUTH
from gauda._estimators.state import Current
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.mixed_sums import columns_of_kinds
from gauda._support.errors import Names

if TYPE_CHECKING:
    from gauda.naive_bayes._mixed import MixedNB


def column_fits(
    self: MixedNB,  # noqa: ARG001 (a method)
    current: Current,
    statistics: MixedStatistics,
    names: list[str],
) -> list[ColumnFit]:
    """Return how each column fits rows of which the sums are known."""
    gaussian, discrete = columns_of_kinds(statistics.kinds)
    found, numbers = current.attributes, statistics.numbers
    fits: dict[int, ColumnFit] = {}
    for at, column in enumerate(gaussian):
        fits[column] = NumberFit(
            names[column],
            statistics.kinds[column],
            numbers.weights[:, at],
            numbers.means[:, at],
            numbers.scatter[:, at],
            found["theta_"][column],
            found["var_"][column],
        )
    for counts, column in zip(statistics.counts, discrete, strict=True):
        levels = found["categories_"][column]
        if not set(counts.levels or ()) <= set(levels):
            name = Names("", current.classes, current.feature_names).column(column)
            raise ValueError(
                f"Statistics must be of the levels of the model; got others in column {name}. "
                "Fit to rows that have them."
            )
        logs = found["feature_log_prob_"][column]
        table = counts.among(levels).table
        fits[column] = LevelFit(names[column], statistics.kinds[column], table, logs)
    return [fits[column] for column in range(len(names))]


def column_sums(self: MixedNB, current: Current) -> list[Any]:
    """Return the sums of each column, as the core takes rows out of them."""
    statistics: MixedStatistics = current.statistics
    gaussian, discrete = columns_of_kinds(statistics.kinds)
    sums: dict[int, Any] = {}
    for at, column in enumerate(gaussian):
        own, total = (
            [table[:, at].tolist() for table in (part.weights, part.means, part.scatter)]
            for part in (statistics.numbers, statistics.unweighted)
        )
        sums[column] = own, [values[0] for values in total]
    for counts, column in zip(statistics.counts, discrete, strict=True):
        goes = self.handle_unknown == "ignore" and counts.levels != TRUTH
        n_levels = counts.table.shape[1]
        sums[column] = counts.table, [float(self.alpha)] * n_levels, [goes] * n_levels
    return [sums[column] for column in range(len(statistics.kinds))]
