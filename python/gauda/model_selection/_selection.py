"""What a comparison of classifiers has found: a table, and a recommendation in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._analysis.likelihood import BoxM
from gauda._support.tables import aligned, html_table

HEADER = ("model", "log-loss", "accuracy", "BIC", "behind the best", "parameters", "remark")

SIGNIFICANT = 0.01
"""Below this p-value covariances are called different."""

MOST_LETTERS = 60
"""Longer remarks are cut in tables."""


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

    row_loss : ndarray of shape (n_held_out,)
        Log-loss of each row that was held out, split by split.

    n_parameters : float
        Free parameters of the model of all rows; infinite if they are not known.

    fitted : estimator or None
        The classifier fitted to all rows.
    """

    name: str
    estimator: Any
    log_loss: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    bic: float = np.nan
    remark: str = ""
    row_loss: NDArray[np.float64] = field(default_factory=lambda: np.full(1, np.nan))
    n_parameters: float = np.inf
    fitted: Any = None

    def behind(self, best: Candidate) -> tuple[float, float]:
        """Return how much more each row costs than with the best, and the standard error."""
        apart = self.row_loss - best.row_loss
        return float(apart.mean()), standard_error(apart)

    def row(self, best: Candidate) -> tuple[str, ...]:
        """Return the cells of a table."""
        bic = "" if np.isnan(self.bic) else f"{self.bic:.7g}"
        figures = with_error(self.log_loss), with_error(self.accuracy)
        behind = "" if self is best else "{:.4f} ± {:.4f}".format(*self.behind(best))
        if np.isnan(self.row_loss).any():
            behind = ""
        known = np.isfinite(self.n_parameters)
        parameters = f"{self.n_parameters:.0f}" if known else ""
        return self.name, *figures, bic, behind, parameters, self.remark


@dataclass(frozen=True, eq=False, repr=False)
class Selection:
    """What `select_model` has found; printed, or shown in a notebook, it makes a table.

    Attributes
    ----------
    candidates : list of Candidate
        The smallest log-loss first.

    box_m : BoxM or None
        Box's M test of equal covariances, if classes have rows enough.

    best : Candidate
        The candidate of the smallest log-loss.

    recommended : Candidate or None
        Of the candidates whose rows cost no more than the best's by a standard error of the
        difference, the one of the fewest parameters; None if no model could be fitted.

    estimator : estimator
        The recommended classifier, fitted to all rows.

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

    @property
    def recommended(self) -> Candidate | None:
        """The simplest candidate that is about as good as the best."""
        if np.isnan(self.best.row_loss).any():
            return None
        chosen = min(self._about_as_good(), key=lambda candidate: candidate.n_parameters)
        same = [other for other in self.candidates if chosen.remark.endswith(f"is {other.name}")]
        return same[0] if same else chosen

    @property
    def estimator(self) -> Any:
        """The recommended classifier, fitted to all rows."""
        if self.recommended is None:
            raise AttributeError("No model could be fitted, so there is no estimator.")
        return self.recommended.fitted

    def _choice(self) -> str:
        best, chosen = self.best, self.recommended
        if chosen is None:
            return "No model could be fitted."
        loss = f"smallest log-loss ({best.log_loss.mean():.4g})"
        if chosen is best:
            others = ", ".join(other.name for other in self._about_as_good() if other is not best)
            return (
                f"Use {best.name}: it has the {loss}; within one standard error of it: "
                f"{others or 'none'}."
            )
        apart, error = chosen.behind(best)
        why = "has fewer parameters" if chosen.n_parameters < best.n_parameters else "is the same"
        return (
            f"Use {chosen.name}: {best.name} has the {loss}, but {chosen.name} {why} and is behind "
            f"by {apart:.4f} only, with a standard error of {error:.4f}."
        )

    def _about_as_good(self) -> list[Candidate]:
        """Return the candidates that are behind the best by no more than the standard error.

        Those that come first in the comparison come first among equals: a search comes after the
        models that it may choose.
        """
        known = [c for c in self.candidates if not np.isnan(c.row_loss).any()]
        near = [c for c in known if c is self.best or np.less_equal(*c.behind(self.best))]
        return sorted(near, key=lambda candidate: candidate.name == "RDA")

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
        rows = [short(candidate.row(self.best)) for candidate in self.candidates]
        return f"{aligned([HEADER, *rows], left=1)}\n\n{self.recommendation}"

    def _repr_html_(self) -> str:
        rows = [short(candidate.row(self.best)) for candidate in self.candidates]
        return f"<div>{html_table(rows, HEADER)}<p>{escape(self.recommendation)}</p></div>"


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
