"""Which classifier suits some data: several compared on the same folds, and a word of advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import check_cv
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gauda._classifier import GaussianClassifier
from gauda._fit_measures import BoxM, box_m
from gauda._inputs import LabelledRows
from gauda._lda import LinearDiscriminantAnalysis
from gauda._moments import Moments
from gauda._qda import QuadraticDiscriminantAnalysis
from gauda._rda_cv import RegularizedDiscriminantAnalysisCV
from gauda._tables import aligned, html_table
from gauda.naive_bayes import GaussianNB

HEADER = ("model", "log-loss", "accuracy", "BIC", "remark")

SIGNIFICANT = 0.01
"""Below this p-value covariances are called different."""


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


FEW_ROWS = 5000
"""Up to so many, RDA chooses by leaving out each in turn: no class is too small for its folds."""

MOST_LETTERS = 60
"""Longer remarks are cut in tables."""

SIMPLICITY = ("LDA", "GaussianNB", "logistic regression", "RDA", "QDA")
"""Names from few parameters to many; models of others come last."""


def simplest_of(candidates: Sequence[Candidate]) -> Candidate:
    """Return the candidate with the fewest parameters, by kind."""
    order = {name: place for place, name in enumerate(SIMPLICITY)}
    return min(candidates, key=lambda candidate: order.get(candidate.name, len(order)))


def select_model(
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    others: Mapping[str, Any] | Sequence[Any] | None = None,
    n_threads: int | None = None,
) -> Selection:
    """Compare QDA, LDA, naive Bayes, RDA and other classifiers on the same folds.

    RDA chooses its shares anew within the rows that each split learns from, so that its figures are
    as honest as the others'.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.

    y : array-like of shape (n_samples,)
        Labels.

    cv : int, cross-validation generator or iterable, default=10
        Number of stratified folds, or splits as scikit-learn takes them.

    others : mapping of names to classifiers, or sequence of classifiers, default=None
        scikit-learn's classifiers with `predict_proba` to compare with; by default logistic
        regression on standardised columns. An empty list means none.

    n_threads : int, default=None
        Number of threads of gauda's own models.

    Returns
    -------
    Selection
        With `candidates` (log-loss and accuracy of each split, BIC), `box_m`, `best` and
        `recommendation`. Printed it makes a table, in which figures stand with their standard
        errors. A model that cannot be fitted, as QDA to classes of few rows, is listed with the
        reason.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gauda import select_model
    >>> X, y = load_iris(return_X_y=True)
    >>> selection = select_model(X, y, cv=5)
    >>> selection.best.name
    'QDA'
    """
    asker = QuadraticDiscriminantAnalysis(n_threads=n_threads)
    data = LabelledRows.of(asker, X, y, None, min_samples=2)
    asker._check(len(data.classes), len(data.rows))
    moments = Moments._of(data, "full")
    splits = list(check_cv(cv, data.codes, classifier=True).split(data.rows, data.codes))
    check_splits(splits, data)
    models = {**own_models(len(data.rows), n_threads), **named(others)}
    candidates = [tried(name, model, data, splits) for name, model in models.items()]
    candidates.sort(key=lambda candidate: nan_last(candidate.log_loss.mean()))
    test, why = equality_of_covariances(moments)
    return Selection(candidates, test, why)


def own_models(n_rows: int, n_threads: int | None) -> dict[str, GaussianClassifier]:
    """Return gauda's models by their short names."""
    inner = "loo" if n_rows <= FEW_ROWS else 5
    return {
        "QDA": QuadraticDiscriminantAnalysis(n_threads=n_threads),
        "LDA": LinearDiscriminantAnalysis(n_threads=n_threads),
        "GaussianNB": GaussianNB(n_threads=n_threads),
        "RDA": RegularizedDiscriminantAnalysisCV(cv=inner, n_threads=n_threads),
    }


def named(others: Mapping[str, Any] | Sequence[Any] | None) -> dict[str, Any]:
    """Return other classifiers by name; refuse what gives no posteriors."""
    if others is None:
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        return {"logistic regression": model}
    unnamed = not isinstance(others, Mapping)
    given = {type(model).__name__: model for model in others} if unnamed else dict(others)
    for name, model in given.items():
        if not hasattr(model, "predict_proba"):
            raise TypeError(
                f"{name} has no predict_proba, without which there is no log-loss. Leave it out, "
                "or calibrate it with CalibratedClassifierCV."
            )
    return given


def check_splits(splits: Sequence[Any], data: LabelledRows) -> None:
    """Refuse splits in which a class vanishes."""
    for number, (train, _) in enumerate(splits):
        there = np.bincount(data.codes[train], minlength=len(data.classes)) > 0
        if not there.all():
            raise ValueError(
                f"Class {data.classes[~there][0]} has no rows to learn from in split {number}: all "
                "of them are held out. Use fewer folds, stratified ones, or leave the class out."
            )


def tried(name: str, model: Any, data: LabelledRows, splits: Sequence[Any]) -> Candidate:
    """Return how a model does on held-out rows, and how well it fits all."""
    codes, labels = data.codes.astype(np.intp), data.classes[data.codes]
    losses, hits = np.full(len(splits), np.nan), np.full(len(splits), np.nan)
    try:
        for place, (train, test) in enumerate(splits):
            fitted = clone(model).fit(data.rows[train], labels[train])
            posteriors = fitted.predict_proba(data.rows[test])
            losses[place] = log_loss(codes[test], posteriors, labels=np.arange(len(data.classes)))
            hits[place] = np.mean(posteriors.argmax(axis=1) == codes[test])
        bic, remark = fit_of(clone(model), data.rows, labels)
    except (ValueError, np.linalg.LinAlgError) as error:
        failed = np.full(len(splits), np.nan)
        return Candidate(name, model, failed, failed, remark=str(error))
    return Candidate(name, model, losses, hits, bic, remark)


def fit_of(model: Any, rows: NDArray[Any], labels: NDArray[Any]) -> tuple[float, str]:
    """Return BIC, where a model has one, and a remark."""
    if not isinstance(model, GaussianClassifier):
        return np.nan, ""
    model.fit(rows, labels)
    chosen = isinstance(model, RegularizedDiscriminantAnalysisCV)
    remark = f"alpha = {model.alpha_:g}, gamma = {model.gamma_:g}" if chosen else ""
    try:
        return float(model.diagnostics().bic), remark
    except ValueError as error:
        return np.nan, str(error)


def equality_of_covariances(moments: Moments) -> tuple[BoxM | None, str]:
    """Return Box's M test, or why there is none."""
    try:
        return box_m(moments), ""
    except ValueError as error:
        return None, str(error)


def standard_error(values: NDArray[np.float64]) -> float:
    """Return the standard error of a mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan


def with_error(values: NDArray[np.float64]) -> str:
    """Return a mean and its standard error."""
    if np.isnan(values).any():
        return ""
    return f"{values.mean():.4f} ± {standard_error(values):.4f}"


def nan_last(value: float) -> float:
    """Return a key by which what is unknown comes last."""
    return float(np.inf) if np.isnan(value) else float(value)


def short(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Return cells of which none is long."""
    return tuple(
        cell if len(cell) <= MOST_LETTERS else f"{cell[: MOST_LETTERS - 1]}…" for cell in cells
    )
