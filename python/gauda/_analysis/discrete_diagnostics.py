"""Figures on a fitted discrete or mixed model, computed when first read, and their tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._analysis.column_fits import ColumnFit
from gauda._statistics.base import Statistics
from gauda._support.arrays import Floats
from gauda._support.tables import align, as_text, format_or_explain, html_table, sizes_text

MAX_COLUMNS = 20
"""How many columns are listed."""

CLASSES = ("class", "weight", "prior")
COLUMNS = ("column", "kind", "levels", "parameters", "information")


@dataclass(frozen=True, eq=False, repr=False)
class DiscreteDiagnostics:
    """How well a model of discrete or mixed columns fits, and what its columns tell.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels.

    statistics : Counts or MixedStatistics
        Rows by which the model is judged.

    log_likelihood, aic, bic : float
        Sum of log p(x, k) over the rows, of what of them is not missing, and the criteria that set
        off the number of parameters.

    n_parameters : int
        Free parameters: priors, unless these were given; for each class one less than the levels of
        a column, or than all terms, and mean and variance of a column of numbers.

    mutual_information : ndarray of shape (n_features,)
        How much each column tells of the class, in nats. That of levels is counted, without
        smoothing, as is that of terms: how much it tells of the class of a text that one of its
        terms is this one or not. That of numbers is of the normal densities of the model, weighted
        by the shares of the classes among the rows.
    """

    classes: NDArray[Any]
    statistics: Statistics
    _estimator: str
    _log_prior: Floats
    _priors_given: bool
    _columns: list[ColumnFit]

    @cached_property
    def log_likelihood(self) -> float:
        """Sum of log p(x, k) over the rows."""
        weights = self.statistics.class_weight
        if not weights.any():
            raise ValueError("There are no rows by which to judge the model.")
        seen = weights > 0
        of_columns = sum(column.log_likelihood() for column in self._columns)
        return float(weights[seen] @ self._log_prior[seen] + of_columns)

    @cached_property
    def n_parameters(self) -> int:
        """Free parameters of priors, unless these were given, and of all columns."""
        priors = 0 if self._priors_given else len(self.classes) - 1
        return priors + sum(column.n_parameters() for column in self._columns)

    @property
    def aic(self) -> float:
        """Akaike's criterion: smaller is better."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion: smaller is better."""
        log_rows = float(np.log(self.statistics.class_weight.sum()))
        return self.n_parameters * log_rows - 2 * self.log_likelihood

    @cached_property
    def mutual_information(self) -> Floats:
        """How much each column tells of the class, in nats."""
        return np.array([column.mutual_information() for column in self._columns])

    def __repr__(self) -> str:
        return f"<DiscreteDiagnostics of {self._title()}>"

    def __str__(self) -> str:
        return "\n\n".join(
            [
                self._title(),
                align(self._figures(), left=2),
                align([CLASSES, *self._class_rows()]),
                f"{self._columns_title()}\n{align([COLUMNS, *self._column_rows()], left=2)}",
            ]
        )

    def _repr_html_(self) -> str:
        parts = [
            f"<b>{escape(self._title())}</b>",
            html_table(self._figures(), left=2),
            html_table(self._class_rows(), CLASSES),
            escape(self._columns_title()),
            html_table(self._column_rows(), COLUMNS, left=2),
        ]
        return "<div>" + "\n".join(parts) + "</div>"

    def _title(self) -> str:
        sizes = sizes_text(len(self.classes), len(self._columns))
        return f"{self._estimator}, {sizes}, {self.statistics.n_rows} rows"

    def _columns_title(self) -> str:
        if len(self._columns) <= MAX_COLUMNS:
            return "columns, by their mutual information with the class"
        return f"the {MAX_COLUMNS} columns that tell most of the class, of {len(self._columns)}"

    def _figures(self) -> list[tuple[str, str]]:
        return [
            ("log-likelihood", format_or_explain(lambda: f"{self.log_likelihood:.7g}")),
            ("parameters", str(self.n_parameters)),
            ("AIC", format_or_explain(lambda: f"{self.aic:.7g}")),
            ("BIC", format_or_explain(lambda: f"{self.bic:.7g}")),
        ]

    def _class_rows(self) -> list[tuple[Any, ...]]:
        weights = self.statistics.class_weight
        rows = zip(self.classes, weights, np.exp(self._log_prior), strict=True)
        return [(label, f"{weight:.15g}", as_text(prior)) for label, weight, prior in rows]

    def _column_rows(self) -> list[tuple[Any, ...]]:
        order = np.argsort(-self.mutual_information, kind="stable")[:MAX_COLUMNS].tolist()
        found = [(self._columns[index], self.mutual_information[index]) for index in order]
        return [
            (
                column.name,
                column.kind,
                "" if column.n_levels is None else column.n_levels,
                column.n_parameters(),
                as_text(told),
            )
            for column, told in found
        ]
