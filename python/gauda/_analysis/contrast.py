"""Which columns tell two classes apart, in general and for one row, in words and figures."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from gauda._support.arrays import Floats, Indices
from gauda._support.optional import need
from gauda._support.tables import align, as_text, html_table
from gauda.typing import Label

if TYPE_CHECKING:
    from pandas import DataFrame

MAX_COLUMNS = 20
"""How many columns are listed."""

MAX_NAMED = 3
"""How many columns are told in words."""


@dataclass(frozen=True, eq=False, repr=False)
class ColumnTerms:
    """Base of what columns add to the log-ratio of two classes."""

    i: Label
    j: Label
    features: list[str]
    log_prior_ratio: float
    drop_one: Floats
    alone: Floats
    chain: Indices | None
    _terms: Floats
    _texts: list[tuple[str, ...]]
    """What is said of each column beside the figures."""
    _estimator: str

    @property
    def order(self) -> Indices:
        """Indices of the columns, those that add most first."""
        return np.argsort(-np.abs(self._terms), kind="stable")

    def _listed(self) -> Indices:
        return self.order[:MAX_COLUMNS]

    def _notes(self) -> list[str]:
        """Return what the table leaves out, and in which order columns were taken."""
        notes, more = [], len(self.features) - MAX_COLUMNS
        if more > 0:
            rest = as_text(float(self._terms[self.order[MAX_COLUMNS:]].sum()))
            notes.append(f"… and {more} more columns, {rest} together")
        if self.chain is not None:
            names = [self.features[column] for column in self.chain[:MAX_COLUMNS]]
            end = ", …" if more > 0 else ""
            notes.append(f"each column given those before it: {', '.join(names)}{end}")
        if any("±" in text for column in self._listed().tolist() for text in self._texts[column]):
            notes.append("mean ± standard deviation in the class, as the model has them")
        return notes

    def _header(self) -> tuple[str, ...]:
        raise NotImplementedError

    def _rows(self) -> list[tuple[Any, ...]]:
        raise NotImplementedError

    def _title(self) -> str:
        raise NotImplementedError

    def _words(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._title()}>"

    def __str__(self) -> str:
        table = align([self._header(), *self._rows()])
        return "\n".join([self._title(), self._words(), "", table, *self._notes()])

    def _repr_html_(self) -> str:
        parts = [f"<b>{escape(self._title())}</b>", f"<p>{escape(self._words())}</p>"]
        parts.append(html_table(self._rows(), self._header()))
        parts += [f"<p>{escape(note)}</p>" for note in self._notes()]
        return "<div>" + "\n".join(parts) + "</div>"

    def to_frame(self) -> DataFrame:
        """Return the figures as a pandas DataFrame, those that add most first.

        Returns
        -------
        DataFrame
            A row for each column.

        Examples
        --------
        >>> from gauda import GaussianNB
        >>> X, y = [[0, 0], [1, 2], [5, 1], [6, 3]], ["a", "a", "b", "b"]
        >>> GaussianNB().fit(X, y).contrast("a", "b").to_frame().index.tolist()
        ['x0', 'x1']
        """
        pd = need("pandas", extra="pandas")
        frame = pd.DataFrame(self._figures(), index=pd.Index(self.features, name="column"))
        return frame.iloc[self.order]

    def _figures(self) -> dict[str, Floats]:
        raise NotImplementedError


class Contrast(ColumnTerms):
    """Which columns tell class i from class j.

    The log-ratio log p(x | i) - log p(x | j) that is expected of rows of class i, the
    Kullback-Leibler divergence, by columns. Arrays are in the order of the data.

    Where columns are independent within classes (naive Bayes), each has its own part. Otherwise
    they are taken one after another, each time the one that adds most (after 100 columns in the
    order of what each would add next): its part is the expected log-ratio of its conditional
    densities given the columns before it. Parts are never negative and add up to `total`.

    Attributes
    ----------
    i, j : label
        The classes.

    features : list of str
        Names of the columns.

    expected : ndarray of shape (n_features,)
        Part of each column, in nats.

    share : ndarray of shape (n_features,)
        The same as shares of `total`.

    total : float
        Expected log-ratio of rows of class i.

    drop_one : ndarray of shape (n_features,)
        What `total` would lose without the column: its part given all other columns.

    alone : ndarray of shape (n_features,)
        What `total` would be with this column only.

    order : ndarray of shape (n_features,)
        Indices of the columns, the largest share first.

    chain : ndarray of shape (n_features,) or None
        The order in which columns were taken; None where they are independent.

    log_prior_ratio : float
        Logarithm of the ratio of the priors, which is not part of `total`.
    """

    @property
    def expected(self) -> Floats:
        """Part of each column of the expected log-ratio, in nats."""
        return self._terms

    @property
    def total(self) -> float:
        """Expected log-ratio of rows of class i, in nats."""
        return float(self._terms.sum())

    @property
    def share(self) -> Floats:
        """Part of each column as a share of the whole."""
        infinite = np.isinf(self._terms)
        if infinite.any():
            return np.asarray(infinite / infinite.sum())
        return self._terms / self.total if self.total > 0 else np.zeros_like(self._terms)

    def _figures(self) -> dict[str, Floats]:
        return {
            "share": self.share,
            "expected": self.expected,
            "drop_one": self.drop_one,
            "alone": self.alone,
        }

    def _title(self) -> str:
        return f"What tells {self.i} from {self.j}, {self._estimator}"

    def _words(self) -> str:
        if not self.total > 0:
            return f"No column does: {self.i} and {self.j} are the same to this model."
        share, order = self.share, self.order
        leading = [column for column in order[:MAX_NAMED] if share[column] > 0]
        named = [f"{self.features[column]} ({share[column]:.1%})" for column in leading]
        most = f"{named[0]} tells most" + (f", then {' and '.join(named[1:])}" if named[1:] else "")
        of_i, of_j = self._texts[leading[0]]
        return (
            f"{most}. {self.features[leading[0]]} is {of_i} in {self.i}, {of_j} in {self.j}. "
            f"The log-ratio expected of a row of {self.i} is {as_text(self.total)} nats; the "
            f"priors add {as_text(self.log_prior_ratio)}."
        )

    def _header(self) -> tuple[str, ...]:
        return "column", "share", "nats", "drop-one", "alone", str(self.i), str(self.j)

    def _rows(self) -> list[tuple[Any, ...]]:
        share = self.share
        return [
            (
                self.features[column],
                f"{share[column]:.1%}",
                as_text(self._terms[column]),
                as_text(self.drop_one[column]),
                as_text(self.alone[column]),
                *self._texts[column],
            )
            for column in self._listed().tolist()
        ]


class Explanation(ColumnTerms):
    """Why a row is of class i rather than of class j.

    The log-ratio log p(i | x) - log p(j | x) as a sum over columns, exact: `log_prior_ratio` and
    the sum of `contribution` are `log_ratio`. Arrays are in the order of the data.

    Where columns are independent within classes (naive Bayes), each has its own part. Otherwise
    they are taken one after another, in the order of `contrast(i, j)`: a column's part is the
    log-ratio of its conditional densities given the columns before it. A value that is missing, or
    a level that is unknown, adds 0.

    Attributes
    ----------
    i, j : label
        The classes: the two most probable ones, unless others were given.

    features : list of str
        Names of the columns.

    contribution : ndarray of shape (n_features,)
        Part of each column: positive where it speaks for class i.

    log_ratio : float
        log p(i | x) - log p(j | x).

    log_prior_ratio : float
        The part of the priors.

    drop_one : ndarray of shape (n_features,)
        What `log_ratio` would lose without the column: its part given all other columns.

    alone : ndarray of shape (n_features,)
        Log-ratio of the column by itself.

    order : ndarray of shape (n_features,)
        Indices of the columns, the largest contribution of either sign first.

    chain : ndarray of shape (n_features,) or None
        The order in which columns were taken; None where they are independent.
    """

    @property
    def contribution(self) -> Floats:
        """Part of each column of the log-ratio."""
        return self._terms

    @property
    def log_ratio(self) -> float:
        """Logarithm of p(i | x) over p(j | x)."""
        return float(self.log_prior_ratio + self._terms.sum())

    def _figures(self) -> dict[str, Floats]:
        return {
            "contribution": self.contribution,
            "drop_one": self.drop_one,
            "alone": self.alone,
        }

    def _title(self) -> str:
        return f"Why {self.i} rather than {self.j}, {self._estimator}"

    def _words(self) -> str:
        terms, order = self._terms, self.order
        spoken: dict[int, list[str]] = {
            side: [
                f"{self.features[column]} ({as_text(terms[column])})"
                for column in order[side * terms[order] > 0][:MAX_NAMED].tolist()
            ]
            for side in (1, -1)
        }
        told = [
            f"{' and '.join(spoken[side])} {'speak' if len(spoken[side]) > 1 else 'speaks'} most "
            f"for {label}"
            for side, label in ((1, self.i), (-1, self.j))
            if spoken[side]
        ]
        whole = (
            f"log p({self.i} | x) - log p({self.j} | x) is {as_text(self.log_ratio)}, the priors' "
            f"part {as_text(self.log_prior_ratio)}."
        )
        return f"{'; '.join(told)}. {whole}" if told else whole

    def _header(self) -> tuple[str, ...]:
        return "column", "value", "contribution", "drop-one", "alone"

    def _rows(self) -> list[tuple[Any, ...]]:
        return [
            (
                self.features[column],
                *self._texts[column],
                as_text(self._terms[column]),
                as_text(self.drop_one[column]),
                as_text(self.alone[column]),
            )
            for column in self._listed().tolist()
        ]
