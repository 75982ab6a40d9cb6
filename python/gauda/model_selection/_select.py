"""Which classifier suits some data: several compared on the same folds, and a word of advice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from gauda._analysis.likelihood import BoxM, box_m
from gauda._data.training import LabelledRows
from gauda._estimators.classifier import GaussianClassifier
from gauda._statistics.moments import Moments
from gauda.discriminant_analysis._grid import check_classes_left
from gauda.discriminant_analysis._linear import LinearDiscriminantAnalysis
from gauda.discriminant_analysis._quadratic import QuadraticDiscriminantAnalysis
from gauda.discriminant_analysis._regularized_cv import RegularizedDiscriminantAnalysisCV
from gauda.model_selection._selection import Candidate, Selection
from gauda.naive_bayes import GaussianNB

FEW_ROWS = 5000
"""Up to so many, RDA chooses by leaving out each in turn: no class is too small for its folds."""


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

    others : classifier, sequence of classifiers, or mapping of names to them, default=None
        scikit-learn's classifiers with `predict_proba` to compare with; by default logistic
        regression on standardised columns. An empty list means none.

    n_threads : int, default=None
        Number of threads of gauda's own models.

    Returns
    -------
    Selection
        With `candidates` (log-loss and accuracy of each split, BIC), `box_m`, `best`,
        `recommended`, `estimator` (fitted to all rows) and `recommendation`. Printed it makes a
        table, in which figures stand with their standard errors. A model that cannot be fitted,
        as QDA to classes of few rows, is listed with the reason.

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
    names = replace(data.names, estimator=select_model.__name__)
    moments = Moments._of(replace(data, names=names), "full")
    splits = list(check_cv(cv, data.codes, classifier=True).split(data.rows, data.codes))
    for number, (train, _) in enumerate(splits):
        check_classes_left(np.bincount(data.codes[train]), data.classes, number)
    own = own_models(len(data.rows), n_threads)
    models = {**own, **named(others, taken=list(own))}
    candidates = [tried(name, model, data, splits, X) for name, model in models.items()]
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


def named(others: Mapping[str, Any] | Sequence[Any] | None, taken: Sequence[str]) -> dict[str, Any]:
    """Return other classifiers by name; refuse what gives no posteriors, and names of our own."""
    if others is None:
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        return {"logistic regression": model}
    given = dict(others) if isinstance(others, Mapping) else numbered(others, taken)
    for name, model in given.items():
        if not hasattr(model, "predict_proba"):
            raise TypeError(
                f"{name} has no predict_proba, without which there is no log-loss. Leave it out, "
                "or calibrate it with CalibratedClassifierCV."
            )
        if name in taken:
            raise ValueError(f"others has {name!r}, a name of gauda's own models. Use another.")
    return given


def numbered(models: Sequence[Any], taken: Sequence[str]) -> dict[str, Any]:
    """Return classifiers by the names of their classes; those that come again have a number."""
    if hasattr(models, "fit"):
        models = [models]
    seen, names = Counter(taken), []
    for name in (type(model).__name__ for model in models):
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return dict(zip(names, models, strict=True))


def tried(name: str, model: Any, data: LabelledRows, splits: Sequence[Any], X: Any) -> Candidate:
    """Return how a model does on held-out rows, and how well it fits all."""
    codes, labels = data.codes.astype(np.intp), data.classes[data.codes]
    losses, hits = [], []
    try:
        for train, test in splits:
            fitted = clone(model).fit(data.rows[train], labels[train])
            posteriors = fitted.predict_proba(data.rows[test])
            losses.append(row_losses(posteriors, codes[test]))
            hits.append(np.mean(posteriors.argmax(axis=1) == codes[test]))
        fitted = clone(model).fit(X, labels)  # with the names of its columns
        bic, remark = fit_of(fitted)
    except (ValueError, np.linalg.LinAlgError) as error:
        failed = np.full(len(splits), np.nan)
        return Candidate(name, model, failed, failed, remark=str(error))
    means = np.array([loss.mean() for loss in losses])
    rows = np.concatenate(losses)
    return Candidate(
        name, model, means, np.array(hits), bic, remark, rows, free_parameters(fitted), fitted
    )


def row_losses(posteriors: NDArray[Any], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the log-loss of each row, as scikit-learn bounds it."""
    shares = posteriors.astype(np.float64)
    shares = np.clip(shares, np.finfo(posteriors.dtype).eps, 1.0)
    shares /= shares.sum(axis=1, keepdims=True)
    losses: NDArray[np.float64] = -np.log(shares[np.arange(len(codes)), codes])
    return losses


def fit_of(model: Any) -> tuple[float, str]:
    """Return BIC, where a model has one, and a remark."""
    if not isinstance(model, GaussianClassifier):
        return np.nan, ""
    remark = ""
    if isinstance(model, RegularizedDiscriminantAnalysisCV):
        point = model.alpha_, model.gamma_
        same = {(0.0, 0.0): ", which is QDA", (1.0, 0.0): ", which is LDA"}.get(point, "")
        remark = f"alpha = {point[0]:g}, gamma = {point[1]:g}{same}"
    try:
        return float(model.diagnostics().bic), remark
    except ValueError as error:
        return np.nan, f"{remark}. {error}" if remark else str(error)


def free_parameters(model: Any) -> float:
    """Return the number of free parameters, infinite if it is not known."""
    if isinstance(model, GaussianClassifier):
        try:
            return float(model.diagnostics().n_parameters)
        except ValueError:
            return np.inf
    last = model[-1] if isinstance(model, Pipeline) else model
    if hasattr(last, "coef_") and hasattr(last, "intercept_"):
        return float(np.size(last.coef_) + np.size(last.intercept_))
    return np.inf


def equality_of_covariances(moments: Moments) -> tuple[BoxM | None, str]:
    """Return Box's M test, or why there is none."""
    try:
        return box_m(moments), ""
    except ValueError as error:
        return None, str(error)


def nan_last(value: float) -> float:
    """Return a key by which what is unknown comes last."""
    return float(np.inf) if np.isnan(value) else float(value)
