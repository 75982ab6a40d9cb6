"""Discrete and mixed models on a page. The functions are methods of `DiscreteNB` and `MixedNB`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gauda._analysis.column_fits import LevelFit, NumberFit
from gauda._analysis.summary import MAX_ROWS, Table
from gauda._estimators.geometry import names_in_formulas
from gauda._estimators.state import Current

if TYPE_CHECKING:
    from gauda.naive_bayes._discrete import DiscreteNB
    from gauda.naive_bayes._mixed import MixedNB


def summary_tables(self: DiscreteNB | MixedNB, current: Current) -> list[Table]:
    """Return the distribution of each column in each class, as R's naiveBayes prints it."""
    acting, labels = self._acting(current.settings), current.classes.tolist()
    names = names_in_formulas(current)
    fits = acting._column_fits(current, current.statistics, names)
    levels, tables = self._level_names(current), []
    for fit, known in list(zip(fits, levels, strict=True))[:MAX_ROWS]:
        if isinstance(fit, NumberFit):
            values = np.column_stack([fit.model_means, np.sqrt(fit.model_variances)])
            header = ("mean", "standard deviation")
            tables.append(Table.of(f"{fit.name}, {fit.kind}", header, labels, values, "class"))
        elif isinstance(fit, LevelFit):
            shares = np.exp(fit.log_probabilities)
            title = f"{fit.name}, {fit.kind}: probabilities"
            tables.append(Table.of(title, known or [], labels, shares, "class"))
    more = len(fits) - MAX_ROWS
    if more > 0:
        tables.append(Table(f"and {more} more columns", ("",), []))
    return tables
