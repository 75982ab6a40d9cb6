"""How much a model needs each of its columns, as a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from gauda._analysis.sweeps import Sweeps
from gauda._statistics.moments import Moments
from gauda._statistics.separation import validate_moments, within_and_between
from gauda._statistics.tails import f_tail
from gauda._support.arrays import Floats, Indices
from gauda._support.optional import need
from gauda._support.tables import align, as_text, html_table, sizes_text

if TYPE_CHECKING:
    from pandas import DataFrame

MAX_COLUMNS = 20
"""How many columns are listed."""

HEADERS = {
    "log_loss_increase": "log-loss",
    "accuracy_decrease": "accuracy",
    "partial_lambda": "partial lambda",
    "f_to_remove": "F to remove",
    "p_value": "p",
    "mutual_information": "information",
}


@dataclass(frozen=True, eq=False, repr=False)
class ColumnImportance:
    """What a model loses without each of its columns. Arrays are in the order of the data.

    Attributes
    ----------
    features : list of str
        Names of the columns.

    log_loss, accuracy : float
        Of the model with all columns, each row under the model without it.

    log_loss_increase, accuracy_decrease : ndarray of shape (n_features,)
        By how much log-loss rises and accuracy falls without the column; negative where the model
        is better off without.

    partial_lambda, f_to_remove, p_value : ndarray of shape (n_features,)
        Wilks' lambda of the column given all others, its F, and the p-value; NaN for columns of
        levels and where moments lack what they take.

    mutual_information : ndarray of shape (n_features,)
        Of the column with the class, in nats; NaN for Gaussian classifiers.

    order : ndarray of shape (n_features,)
        Indices of the columns, the one that is missed most first.
    """

    features: list[str]
    log_loss: float
    accuracy: float
    log_loss_increase: Floats
    accuracy_decrease: Floats
    partial_lambda: Floats
    f_to_remove: Floats
    p_value: Floats
    mutual_information: Floats
    _title: str = field(default="")

    @property
    def order(self) -> Indices:
        """Indices of the columns, the one that is missed most first."""
        return np.argsort(-self.log_loss_increase, kind="stable")

    def _figures(self) -> dict[str, Floats]:
        """Return the figures that are known."""
        figures = {name: getattr(self, name) for name in HEADERS}
        return {name: found for name, found in figures.items() if not np.isnan(found).all()}

    def to_frame(self) -> DataFrame:
        """Return the figures as a pandas DataFrame, the most important column first.

        Returns
        -------
        DataFrame
            A row for each column.

        Examples
        --------
        >>> from gauda import GaussianNB
        >>> X, y = [[0, 0], [1, 2], [2, 1], [6, 1], [7, 3], [8, 2]], ["a", "a", "a", "b", "b", "b"]
        >>> GaussianNB().fit(X, y).column_importance(X, y).to_frame().index.tolist()
        ['x0', 'x1']
        """
        pd = need("pandas", extra="pandas")
        frame = pd.DataFrame(
            {name: getattr(self, name) for name in HEADERS},
            index=pd.Index(self.features, name="column"),
        )
        return frame.iloc[self.order]

    def __repr__(self) -> str:
        return f"<ColumnImportance: {self._title}>"

    def __str__(self) -> str:
        header, rows = self._table()
        return "\n".join([self._title, self._words(), "", align([header, *rows]), *self._more()])

    def _repr_html_(self) -> str:
        header, rows = self._table()
        parts = [f"<b>{escape(self._title)}</b>", f"<p>{escape(self._words())}</p>"]
        return "<div>" + "\n".join([*parts, html_table(rows, header)]) + "</div>"

    def _words(self) -> str:
        return (
            f"Each row left out in turn: log-loss {as_text(self.log_loss)}, accuracy "
            f"{as_text(self.accuracy)}. Without a column log-loss rises and accuracy falls by"
        )

    def _more(self) -> list[str]:
        more = len(self.features) - MAX_COLUMNS
        return [f"… and {more} more columns"] if more > 0 else []

    def _table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        figures = self._figures()
        header = ("column", *(HEADERS[name] for name in figures))
        rows = [
            (self.features[column], *(as_text(found[column]) for found in figures.values()))
            for column in self.order[:MAX_COLUMNS].tolist()
        ]
        return header, rows


def title_of(estimator: str, n_classes: int, n_features: int) -> str:
    """Return what the table is of."""
    return f"Importance of columns, {estimator}, {sizes_text(n_classes, n_features)}"


def f_to_remove(moments: Moments) -> tuple[Floats, Floats, Floats]:
    """Return partial lambda, F and p of each column given all others; NaN where there is none."""
    unknown = np.full(moments.n_features, np.nan)
    if moments.structure == "diag":
        return unknown, unknown, unknown
    try:
        seen = validate_moments(moments)
    except ValueError:
        return unknown, unknown, unknown
    sweeps = Sweeps(*within_and_between(seen), seen.counts.sum())
    for column in range(moments.n_features):
        if np.isnan(sweeps.partial().f[column]):
            return unknown, unknown, unknown
        sweeps.toggle(column)
    sweeps.refresh()
    found = sweeps.partial()
    tail = f_tail(found.f, found.df_num, found.df_den)
    return np.exp(found.log_lambda), found.f, tail.p_value


def mean_scores(log_posteriors: Floats, codes: Indices, shares: Floats) -> tuple[float, float]:
    """Return log-loss and accuracy of rows with their shares of the mean."""
    losses = -log_posteriors[np.arange(len(codes)), codes]
    hits = log_posteriors.argmax(axis=1) == codes
    return float(shares @ losses), float(shares @ hits)
