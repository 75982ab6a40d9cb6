"""Which classifier suits some data: several compared on the same folds, and a recommendation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._support.lazy import linear_model, pipeline, preprocessing
from gauda.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysisCV,
    ShrunkenCentroidsCV,
)
from gauda.model_selection._comparison import Comparison
from gauda.model_selection._numeric_columns import NumericColumns
from gauda.model_selection._selection import Selection, list_names
from gauda.model_selection._trial import make_unfitted, takes_part, try_out
from gauda.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MixedNB
from gauda.typing import Labels, MatrixLike, Splits, Weights

FEW_ROWS = 5000
"""Up to so many, RDA chooses by leaving out each in turn: no class is too small for its folds."""

INNER_FOLDS = 5
"""Folds within the rows that a split learns from, where rows are not left out one by one."""

MAX_PRODUCTS = 300
"""Columns, their squares and products, up to which logistic regression on all of them is tried."""

NO_NUMBERS = "X has no column of numbers."
COMPLETE_ROWS = (
    "Logistic regression takes complete rows, and X has missing values. Give a pipeline with an "
    "imputer in others=."
)

MAX_LEVELS = 20
"""Whole numbers below this may be those of categories."""


def select_model(  # noqa: PLR0913 (the data, and what to compare)
    X: MatrixLike,
    y: Labels,
    *,
    sample_weight: Weights | None = None,
    cv: Splits = 10,
    others: Mapping[str, Any] | Sequence[Any] | None = None,
    n_threads: int | None = None,
) -> Selection:
    """Compare QDA, LDA, naive Bayes, RDA and other classifiers on the same folds.

    The one-standard-error rule recommends a model. The best is that of the smallest log-loss on
    held-out rows, the mean over splits. On each row that was held out another model's loss exceeds
    the best's by a paired difference; the mean of these differences has a standard error, each row
    counting once however often it is held out. Of the models whose mean difference is at most that
    standard error, the one with the fewest parameters is recommended; among equally many, one that
    is not a search which ended at another of them, then that of the smaller log-loss. Differences
    up to 1e-9 are rounding errors.

    RDA chooses its shares again within the rows that each split learns from, so its figures are as
    honest as the others'. Its number of parameters is the effective one: with m free elements of a
    covariance and t of its target, ((1 - alpha) n_classes + alpha) ((1 - gamma) m + gamma t) for
    the covariances. Where the shares chosen with all rows make it QDA or LDA, the table says so.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or DataFrame
        Rows. NaN stands for a missing value: gauda's models then integrate it out
        (`missing='marginalize'`), and logistic regression, which takes complete rows, is listed
        with that reason. Where some columns hold categories, text or truth values, `MixedNB` (with
        `handle_unknown='ignore'`) is compared on all columns, and the Gaussian models and logistic
        regression on the columns of numbers. Where all columns are 0 and 1, `BernoulliNB` joins;
        where all numbers are whole, from 0 to at most 19, `CategoricalNB`, on all columns; where
        columns of numbers are more than rows, `ShrunkenCentroidsCV`.

    y : array-like of shape (n_samples,)
        Labels.

    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows, in fits and in the means of losses. Classifiers whose `fit` takes no
        weights are listed with that reason.

    cv : int, cross-validation generator or iterable, default=10
        Number of stratified folds, or splits as scikit-learn takes them; those by groups as
        `list(GroupKFold(5).split(X, y, groups))`. There are no more folds than the largest class
        has rows.

    others : classifier, sequence of classifiers, or mapping of names to them, default=None
        scikit-learn's classifiers with `predict_proba` to compare with; by default logistic
        regression on standardized columns, also with their squares and, up to 300, with all
        products, the counterparts of naive Bayes and QDA. They take most of the time where there
        are many rows or classes. An empty list means none.

    n_threads : int, default=None
        Number of threads of gauda's own models.

    Returns
    -------
    Selection
        With `candidates` (log-loss and accuracy of each split, BIC), `box_m`, `best`,
        `recommended`, `estimator` (fitted to all rows, with their column names) and
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
    >>> print(selection.recommendation.splitlines()[0])
    Use LDA: QDA has the smallest log-loss (0.04565), but LDA has fewer parameters (24, not 44) ...
    """
    data = Comparison.of(X, y, sample_weight, cv, n_threads)
    models, left_out = own_models(data, n_threads)
    given = {} if others is None else other_models(others, taken=[*models, *left_out])
    if others is None:
        name, logistic, reason = logistic_regression(data)
        if reason:
            left_out[name] = logistic, reason
        else:
            models |= {name: logistic} | quadratic_regressions(data)
    candidates = [try_out(name, model, data) for name, model in (models | given).items()]
    candidates += [
        make_unfitted(name, model, data, reason) for name, (model, reason) in left_out.items()
    ]
    candidates.sort(key=lambda candidate: nan_last(candidate.log_loss.mean()))
    test, why_not = data.equality_of_covariances()
    return Selection(candidates, test, why_not, (*data.notes, *column_notes(data, models)))


def own_models(
    data: Comparison, n_threads: int | None
) -> tuple[dict[str, Any], dict[str, tuple[Any, str]]]:
    """Return gauda's models that can use the data, by name, and the others with the reason."""
    inner = "loo" if len(data.codes) <= FEW_ROWS and data.weights is None else INNER_FOLDS
    unknown: dict[str, Any] = {"handle_unknown": "ignore", "n_threads": n_threads}
    gaps: dict[str, Any] = {"missing": "marginalize"} if data.numeric_gaps else {}
    gaussian = {
        "QDA": QuadraticDiscriminantAnalysis(n_threads=n_threads, **gaps),
        "LDA": LinearDiscriminantAnalysis(n_threads=n_threads, **gaps),
        "GaussianNB": GaussianNB(n_threads=n_threads, **gaps),
        "RDA": RegularizedDiscriminantAnalysisCV(cv=inner, n_threads=n_threads, **gaps),
    }
    if len(data.numeric) > len(data.codes) and not data.numeric_gaps:
        gaussian["ShrunkenCentroids"] = ShrunkenCentroidsCV(cv=INNER_FOLDS, n_threads=n_threads)
    left_out: dict[str, tuple[Any, str]] = {}
    if not data.numeric:
        left_out = {name: (model, NO_NUMBERS) for name, model in gaussian.items()}
    models = {
        name: on_numbers(data, model) for name, model in gaussian.items() if name not in left_out
    }
    if data.is_mixed:
        models["MixedNB"] = MixedNB(**unknown)
    if not data.is_mixed and are_below(2, data.numbers):
        models["BernoulliNB"] = BernoulliNB(n_threads=n_threads, **gaps)
    elif data.numeric and are_below(MAX_LEVELS, data.numbers):
        anywhere: dict[str, Any] = {"missing": "marginalize"} if data.gaps.any() else {}
        models["CategoricalNB"] = CategoricalNB(**unknown, **anywhere)
    return models, left_out


def are_below(limit: int, numbers: NDArray[Any]) -> bool:
    """Tell whether all columns hold but whole numbers from 0 to below a limit, as levels are."""
    if numbers.dtype.kind == "f":
        numbers = np.where(np.isnan(numbers), 0, numbers)
    few = numbers[:FEW_ROWS]  # which tell quickly of most columns that they do not
    return all(bool(np.isin(part, range(limit)).all()) for part in (few, numbers))


def logistic_regression(data: Comparison) -> tuple[str, Any, str]:
    """Return the classifier that is compared by default, its name, and why it cannot be."""
    reason = "" if data.numeric else NO_NUMBERS
    model = on_numbers(
        data, preprocessing.StandardScaler(), linear_model.LogisticRegression(max_iter=1000)
    )
    return "logistic regression", model, COMPLETE_ROWS if data.numeric_gaps else reason


def quadratic_regressions(data: Comparison) -> dict[str, Any]:
    """Return logistic regression on squares too, and on all products: as naive Bayes and QDA.

    Their log-odds are quadratic functions, without and with products of different columns. Where
    these are too many or no others than squares, they are left out.
    """
    d = len(data.numeric)
    features = {"squares": preprocessing.FunctionTransformer(with_squares)}
    if d > 1 and d * (d + 3) // 2 <= MAX_PRODUCTS:
        features["products"] = preprocessing.PolynomialFeatures(include_bias=False)
    scaler = preprocessing.StandardScaler
    return {
        f"logistic regression, {name}": on_numbers(
            data, scaler(), made, scaler(), linear_model.LogisticRegression(max_iter=1000)
        )
        for name, made in features.items()
    }


def with_squares(X: NDArray[Any]) -> NDArray[Any]:
    """Return columns and their squares."""
    return np.column_stack([X, np.square(X)])


def on_numbers(data: Comparison, *steps: Any) -> Any:
    """Return a model, behind a choice of the columns of numbers where there are other columns."""
    if data.is_mixed:
        return pipeline.make_pipeline(NumericColumns(data.numeric), *steps)
    return steps[0] if len(steps) == 1 else pipeline.make_pipeline(*steps)


def other_models(others: Mapping[str, Any] | Sequence[Any], taken: Sequence[str]) -> dict[str, Any]:
    """Return other classifiers by name; refuse what gives no posteriors, and names of our own."""
    given = dict(others) if isinstance(others, Mapping) else number_names(others, taken)
    for name, model in given.items():
        if not hasattr(model, "predict_proba"):
            raise TypeError(
                f"{name} has no predict_proba, without which there is no log-loss. Leave it out, "
                "or calibrate it with CalibratedClassifierCV."
            )
        if name in taken:
            raise ValueError(f"others has {name!r}, a name of gauda's own models. Use another.")
    return given


def number_names(models: Sequence[Any], taken: Sequence[str]) -> dict[str, Any]:
    """Return classifiers by the names of their classes; those that come again have a number."""
    if hasattr(models, "fit"):
        models = [models]
    seen, names = Counter(taken), []
    for name in (type(model).__name__ for model in models):
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return dict(zip(names, models, strict=True))


def column_notes(data: Comparison, models: Mapping[str, Any]) -> list[str]:
    """Return which columns the models are given, if these are of several kinds."""
    names = [name for name, model in models.items() if takes_part(model)]
    if not names:
        return []
    part = "column" if len(data.numeric) == 1 else f"{len(data.numeric)} columns"
    use = "uses" if len(names) == 1 else "use"
    whole = [name for name in ("MixedNB", "CategoricalNB") if name in models]
    uses = "use" if len(whole) > 1 else "uses"
    all_of_them, some = list_names(whole), list_names(names)
    return [f"{all_of_them} {uses} all columns; {some} {use} the {part} of numbers only."]


def nan_last(value: float) -> float:
    """Return a key by which what is unknown comes last."""
    return float(np.inf) if np.isnan(value) else float(value)
