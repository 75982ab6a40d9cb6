"""What is special of rows of mixed columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.columns import GAUSSIAN, Column
from gauda._data.kinds import choose_kinds
from gauda._data.labeled_columns import ChooseKinds
from gauda._data.training import Codes
from gauda._estimators.state import Current, FitState
from gauda._statistics.access import join_mixed, names_of
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.mixed_sums import columns_of_kinds, has_nan
from gauda._support.arrays import Indices
from gauda._support.errors import Names
from gauda._support.warning import warn_caller

MIN_IDENTIFIERS = 20
"""Categories that are one for each row in fewer rows may be so by chance."""

if TYPE_CHECKING:
    from gauda.naive_bayes._mixed import MixedNB


def by_kinds(kinds: Any, before: FitState | None) -> ChooseKinds:
    """Return how kinds are chosen: those of the fit before, or what is given and found."""

    def choose(columns: list[Column], names: Names) -> tuple[str, ...]:
        if before is None:
            return choose_kinds(kinds, columns, names)
        known: tuple[str, ...] = before.statistics.kinds
        return known

    return choose


def warn_of_identifiers(statistics: MixedStatistics) -> None:
    """Warn of columns of categories in which every row has its own."""
    _, discrete = columns_of_kinds(statistics.kinds)
    for column, count in zip(discrete, statistics.counts, strict=True):
        if count.table.shape[1] == statistics.n_rows >= MIN_IDENTIFIERS:
            warn_caller(
                f"Column {names_of(statistics).column(column)} has another category in each of the "
                f"{statistics.n_rows} rows, as an identifier has: it says nothing about "
                "other rows. Leave it out."
            )


def join_row(
    self: MixedNB, before: FitState, rows: NDArray[Any], codes: Codes
) -> MixedStatistics | None:
    """Return the statistics of one row together with all before."""
    plain = len(rows) == 1 and before.estimates.get("library") == "numpy"
    if not plain or (self.missing != "marginalize" and has_nan(rows[0].tolist())):
        return None
    return join_mixed(before.statistics, rows, codes)


def has_numbers(self: MixedNB, current: Current) -> bool:  # noqa: ARG001 (a method)
    """Tell whether some columns are of numbers."""
    return GAUSSIAN in current.statistics.kinds


def parameters_of_part(self: MixedNB, current: Current, columns: Indices) -> dict[str, Any]:
    """Return parameters that must be others for the same model of some columns."""
    selected = current.statistics.select(columns)
    changed: dict[str, Any] = {} if isinstance(self.kinds, str) else {"kinds": list(selected.kinds)}
    if GAUSSIAN in selected.kinds:
        # What is added to the variances stays the same, as another share of another variance.
        largest = float(np.max(selected.unweighted.variances()))
        epsilon = current.attributes["epsilon_"]
        changed["var_smoothing"] = epsilon / largest if largest > 0 else 0.0
    return changed
