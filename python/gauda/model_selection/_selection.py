"""What a comparison of classifiers has found: a table, and a recommendation in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from gauda._statistics.equal_covariances import BoxM
from gauda._support.arrays import Floats, Indices
from gauda._support.tables import align, html_table
from gauda.model_selection._complexity import COMMON, PER_CLASS

HEADER = ("model", "log-loss", "accuracy", "BIC", "behind the best", "parameters", "remark")
ERROR_NOTE = "mean ± standard error, on held-out rows"

SIGNIFICANT = 0.01
"""Below this p-value covariances are called different."""

MIN_P_VALUE = 1e-300
"""Smaller p-values are shown as this."""

ROUNDING = 1e-9
"""Mean differences of log-loss up to this are rounding errors."""

MAX_LETTERS = 60
"""Longer remarks are cut in tables."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The rows that candidates were judged by, split by split.

    Attributes
    ----------
    rows : ndarray of shape (n_held_out,)
        Indices of the rows; one that several splits hold out is there several times.

    shares : ndarray of shape (n_held_out,)
        What each counts in the mean over splits; they sum to 1.
    """

    rows: Indices
    shares: Floats

    def mean_with_error(self, values: Floats) -> tuple[float, float]:
        """Return a mean and its standard error; the values of one row count as one."""
        mean = float(self.shares @ values)
        by_row = np.bincount(self.rows, self.shares * (values - mean))
        n = np.count_nonzero(np.bincount(self.rows, self.shares))
        if n == 1:
            return mean, np.nan
        return mean, float(np.sqrt(by_row @ by_row * n / (n - 1)))


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
        Free parameters of the model of all rows, for RDA the effective number; infinite if they
        are not known.

    fitted : estimator or None
        The classifier fitted to all rows.

    same_as : str
        The name of the same model where it has a simpler one; '' if it has none.

    covariances : str
        'common' to the classes, 'per class' or 'between'; '' for other models.

    held_out : HeldOut
        Which rows were held out.
    """

    name: str
    estimator: BaseEstimator
    log_loss: Floats
    accuracy: Floats
    bic: float = np.nan
    remark: str = ""
    row_loss: Floats = field(default_factory=lambda: np.full(1, np.nan))
    n_parameters: float = np.inf
    fitted: BaseEstimator | None = None
    same_as: str = ""
    covariances: str = ""
    held_out: HeldOut = field(
        default_factory=lambda: HeldOut(np.empty(0, dtype=np.intp), np.empty(0))
    )

    @property
    def is_fitted(self) -> bool:
        """Whether the classifier could be fitted, and judged by all held-out rows."""
        return not (np.isnan(self.log_loss).any() or np.isnan(self.row_loss).any())

    def behind(self, best: Candidate) -> tuple[float, float]:
        """Return how much more each row costs than with the best, and the standard error."""
        return self.held_out.mean_with_error(self.row_loss - best.row_loss)

    def row(self, best: Candidate) -> tuple[str, ...]:
        """Return the cells of a table."""
        if not self.is_fitted:
            return self.name, "", "", "", "", "", self.remark
        bic = "" if np.isnan(self.bic) else f"{self.bic:.7g}"
        figures = with_error(self.log_loss), with_error(self.accuracy)
        behind = "" if self is best else plus_minus(*self.behind(best))
        return self.name, *figures, bic, behind, count(self.n_parameters), self.remark


@dataclass(frozen=True, eq=False, repr=False)
class Selection:
    """What `select_model` has found; printed, or shown in a notebook, it makes a table.

    Attributes
    ----------
    candidates : list of Candidate
        The smallest log-loss first; last those that could not be fitted.

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
        What to use and why, and what is to be known of the comparison; a line for each.
    """

    candidates: list[Candidate]
    box_m: BoxM | None
    _why_no_test: str = ""
    _notes: Sequence[str] = ()

    @property
    def best(self) -> Candidate:
        """The candidate of the smallest log-loss."""
        return self.candidates[0]

    @cached_property
    def recommended(self) -> Candidate | None:
        """The simplest candidate that is about as good as the best."""
        names = {candidate.name for candidate in self.candidates}
        return min(
            self._about_as_good(),
            key=lambda own: (own.n_parameters, own.same_as in names, own.log_loss.mean()),
            default=None,
        )

    @property
    def estimator(self) -> Any:
        """The recommended classifier, fitted to all rows."""
        if self.recommended is None:
            raise AttributeError("No model could be fitted, so there is no estimator.")
        return self.recommended.fitted

    @property
    def recommendation(self) -> str:
        """What to use and why, and what is to be known of the comparison."""
        lines = [self._choice(), self._on_covariances(), *self._notes, *self._failures()]
        return "\n".join(line for line in lines if line)

    def _about_as_good(self) -> list[Candidate]:
        """Return the candidates that are behind the best by no more than the standard error."""
        return [own for own in self.candidates if own.is_fitted and self._is_near(own)]

    def _is_near(self, candidate: Candidate) -> bool:
        if candidate is self.best:
            return True
        mean, error = candidate.behind(self.best)
        return mean <= max(ROUNDING, 0.0 if np.isnan(error) else error)

    def _choice(self) -> str:
        best, chosen = self.best, self.recommended
        if chosen is None:
            return "No model could be fitted."
        loss = f"smallest log-loss ({best.log_loss.mean():.4g})"
        if chosen is best:
            return f"Use {best.name}: it has the {loss}; {self._runners_up()}."
        apart, error = chosen.behind(best)
        behind = f"behind by {decimal(apart)} only, with a standard error of {decimal(error)}"
        if apart <= ROUNDING:
            behind = "as good on held-out rows"
        return (
            f"Use {chosen.name}: {best.name} has the {loss}, but {self._why_simpler(chosen)} is "
            f"{behind}."
        )

    def _runners_up(self) -> str:
        """Return which others are about as good as the best, where that is recommended."""
        best = self.best
        near = [own for own in self._about_as_good() if own is not best]
        same = [own.name for own in near if best.name == own.same_as or best.same_as == own.name]
        rest = [own.name for own in near if own.name not in same]
        texts = [f"{list_names(same)} {be(same)} the same model"] if same else []
        if rest:
            have = "has" if len(rest) == 1 else "have"
            texts.append(
                f"{list_names(rest)} {be(rest)} within one standard error of it, but {have} no "
                "fewer parameters"
            )
        if not near:
            texts.append("no other is within one standard error of it")
        if best.same_as and not same:
            texts.append(f"fitted to all rows, it is {best.same_as}")
        return "; ".join(texts)

    def _why_simpler(self, chosen: Candidate) -> str:
        """Return in which way the recommended candidate is simpler than the best."""
        if self.best.same_as == chosen.name:
            return f"fitted to all rows it is {chosen.name}, which"
        if not np.isfinite(self.best.n_parameters):
            return f"{chosen.name} has {count(chosen.n_parameters)} parameters only and"
        if chosen.n_parameters == self.best.n_parameters:
            return f"{chosen.name} has no more parameters and"
        few, many = count(chosen.n_parameters), count(self.best.n_parameters)
        return f"{chosen.name} has fewer parameters ({few}, not {many}) and"

    def _on_covariances(self) -> str:
        """Return what Box's M test says, in the light of the recommendation."""
        chosen = self.recommended
        gaussian = any(own.covariances for own in self.candidates if own.is_fitted)
        if self.box_m is None:
            unknown = f"Whether covariances differ is unknown: {self._why_no_test}"
            return unknown if gaussian and self._why_no_test else ""
        p = self.box_m.p_value
        shown = f"p = {p:.2g}" if p >= MIN_P_VALUE else f"p < {MIN_P_VALUE:g}"
        kind = "" if chosen is None else chosen.covariances
        if p < SIGNIFICANT:
            end = {
                COMMON: ", but on held-out rows a common one does about as well or better.",
                PER_CLASS: f", as {chosen.name if chosen else ''} assumes.",
            }.get(kind, ".")
            return (
                f"The covariances of the classes differ (Box's M, {shown}; the test also responds "
                f"to rows that are not Gaussian){end}"
            )
        text = f"Nothing says that covariances differ (Box's M, {shown})"
        if kind == COMMON:
            return f"{text}, as {chosen.name if chosen else ''} assumes."
        common = [own for own in self.candidates if own.is_fitted and own.covariances == COMMON]
        if kind and common and not any(self._is_near(own) for own in common):
            names = [own.name for own in common]
            return (
                f"{text}, but on held-out rows {list_names(names)} with a common one {be(names)} "
                "behind by more than one standard error."
            )
        return f"{text}."

    def _failures(self) -> list[str]:
        names: dict[str, list[str]] = {}
        for candidate in self.candidates:
            if not candidate.is_fitted:
                names.setdefault(candidate.remark, []).append(candidate.name)
        return [f"{list_names(own)} could not be fitted: {why}" for why, own in names.items()]

    def _rows(self) -> list[tuple[str, ...]]:
        return [shorten(candidate.row(self.best)) for candidate in self.candidates]

    def __repr__(self) -> str:
        return f"<Selection of {len(self.candidates)} models, best {self.best.name}>"

    def __str__(self) -> str:
        table = align([HEADER, *self._rows()], text_last=True)
        return f"{table}\n{ERROR_NOTE}\n\n{self.recommendation}"

    def _repr_html_(self) -> str:
        notes = [ERROR_NOTE, *self.recommendation.splitlines()]
        lines = "".join(f"<p>{escape(line)}</p>" for line in notes)
        return f"<div>{html_table(self._rows(), HEADER, text_last=True)}{lines}</div>"


def with_error(values: Floats) -> str:
    """Return a mean and its standard error, if there are several values."""
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return plus_minus(float(values.mean()), float(error))


def plus_minus(mean: float, error: float) -> str:
    """Return a mean, and its standard error if that is known."""
    return decimal(mean) if np.isnan(error) else f"{decimal(mean)} ± {decimal(error)}"


def decimal(value: float) -> str:
    """Return a number with four decimals, or what is left of it below that."""
    text = f"{value:.4f}"
    return f"{value:.1e}" if value != 0 and float(text) == 0 else text


def count(number: float) -> str:
    """Return a number of parameters, which may be an effective one; '' if it is not known."""
    if not np.isfinite(number):
        return ""
    return f"{number:.0f}" if number == round(number) else f"{number:.1f}"


def list_names(names: Sequence[str]) -> str:
    """Return names as in a sentence."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def be(names: Sequence[str]) -> str:
    """Return the verb for some names."""
    return "is" if len(names) == 1 else "are"


def shorten(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Return cells of which none is long."""
    return tuple(
        cell if len(cell) <= MAX_LETTERS else f"{cell[: MAX_LETTERS - 1]}…" for cell in cells
    )
