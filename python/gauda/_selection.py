"""What a comparison of classifiers has found: a table, and a recommendation in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._fit_measures import BoxM
from gauda._tables import aligned, html_table

HEADER = ("model", "log-loss", "accuracy", "BIC", "remark")

SIGNIFICANT = 0.01
"""Below this p-value covariances are called different."""

MOST_LETTERS = 60
"""Longer remarks are cut in tables."""

SIMPLICITY = ("LDA", "GaussianNB", "logistic regression", "RDA", "QDA")
"""Names from few parameters to many; models of others come last."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """How one classifier did.

    Attributes
    ----------
    name : str
        What it is called in the table.

    estimator : estimator
        The classifier, not fitted.

    log_loss, accuracy : ndarray of shape (n_splits,)
        Of the held-out rows of each split; NaN if it could not be fitted.

    bic : float
        Schwarz's criterion of the model of all rows, smaller is better; NaN where there is none.

    remark : str
        Why something could not be computed, or what a choice fell on.
    """

    name: str
    estimator: Any
    log_loss: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    bic: float = np.nan
    remark: str = ""

    def row(self) -> tuple[str, ...]:
        """Return the cells of a table."""
        bic = "" if np.isnan(self.bic) else f"{self.bic:.7g}"
        figures = with_error(self.log_loss), with_error(self.accuracy)
        return self.name, *figures, bic, self.remark


@dataclass(frozen=True, eq=False, repr=False)
class Selection:
    """What `select_model` has found; printed, or shown in a notebook, it makes a table.

    Attributes
    ----------
    candidates : list of Candidate
        The smallest log-loss first.

    box_m : BoxM or None
        Box's M test of equal covariances, if classes have rows enough.

    recommendation : str
        What to use, in words.
    """

    candidates: list[Candidate]
    box_m: BoxM | None
    _why_no_test: str

    @property
    def best(self) -> Candidate:
        """The candidate of the smallest log-loss."""
        return self.candidates[0]

    @property
    def recommendation(self) -> str:
        """What to use, in words."""
        return " ".join([self._choice(), self._on_covariances(), *self._failures()])

    def _choice(self) -> str:
        best, equals = self.best, self._equals()
        if np.isnan(best.log_loss).any():
            return "No model could be fitted."
        loss = f"smallest log-loss ({best.log_loss.mean():.4g})"
        simplest = simplest_of([best, *equals])
        if simplest is best:
            others = ", ".join(candidate.name for candidate in equals) or "none"
            return f"Use {best.name}: it has the {loss}; within one standard error of it: {others}."
        return (
            f"Use {simplest.name}: {best.name} has the {loss}, but {simplest.name} is simpler and "
            "within one standard error of it."
        )

    def _equals(self) -> list[Candidate]:
        """Return the other candidates whose loss is larger by no more than its standard error."""
        found = []
        for candidate in self.candidates[1:]:
            apart = candidate.log_loss - self.best.log_loss
            if apart.mean() <= standard_error(apart):
                found.append(candidate)
        return found

    def _on_covariances(self) -> str:
        if self.box_m is None:
            return f"Whether covariances differ is unknown: {self._why_no_test}"
        p = self.box_m.p_value
        if p < SIGNIFICANT:
            return (
                f"The covariances of the classes differ (Box's M, p = {p:.2g}; the test also "
                "answers to rows that are not Gaussian), which speaks for QDA or RDA."
            )
        return f"Nothing says that covariances differ (Box's M, p = {p:.2g}), which is LDA's case."

    def _failures(self) -> list[str]:
        return [
            f"{candidate.name} could not be fitted: {candidate.remark}"
            for candidate in self.candidates
            if np.isnan(candidate.log_loss).any()
        ]

    def __repr__(self) -> str:
        return f"<Selection of {len(self.candidates)} models, best {self.best.name}>"

    def __str__(self) -> str:
        rows = [short(candidate.row()) for candidate in self.candidates]
        return f"{aligned([HEADER, *rows], left=1)}\n\n{self.recommendation}"

    def _repr_html_(self) -> str:
        rows = [short(candidate.row()) for candidate in self.candidates]
        return f"<div>{html_table(rows, HEADER)}<p>{escape(self.recommendation)}</p></div>"


def simplest_of(candidates: Sequence[Candidate]) -> Candidate:
    """Return the candidate with the fewest parameters, by kind."""
    order = {name: place for place, name in enumerate(SIMPLICITY)}
    return min(candidates, key=lambda candidate: order.get(candidate.name, len(order)))


def standard_error(values: NDArray[np.float64]) -> float:
    """Return the standard error of a mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan


def with_error(values: NDArray[np.float64]) -> str:
    """Return a mean and its standard error."""
    if np.isnan(values).any():
        return ""
    return f"{values.mean():.4f} ± {standard_error(values):.4f}"


def short(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Return cells of which none is long."""
    return tuple(
        cell if len(cell) <= MOST_LETTERS else f"{cell[: MOST_LETTERS - 1]}…" for cell in cells
    )
