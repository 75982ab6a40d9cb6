"""Which sums a criterion takes for a classifier, and the criterion of these."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from sklearn.base import clone

from gauda._analysis.column_fits import LevelFit, NumberFit
from gauda._estimators import access
from gauda._estimators.gaussian import GaussianClassifier
from gauda._statistics.base import Statistics
from gauda._statistics.moments import Moments
from gauda.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)
from gauda.model_selection._criteria import (
    Bic,
    ByF,
    FullBic,
    IndependentBic,
    TiedBic,
    level_bic,
    number_bic,
)
from gauda.naive_bayes import GaussianNB
from gauda.typing import Missing, Structure

STRUCTURES = ("full", "tied", "diag")


def statistics_for(estimator: Any, criterion: str, source: Any, *args: Any, **stream: Any) -> Any:
    """Return the sums of rows, given with labels and weights, or of a stream."""
    if isinstance(estimator, GaussianClassifier):
        structure: Structure = "tied" if criterion == "f" else bic_structure(estimator)
        missing = missing_in_sums(estimator, structure)
        if stream:
            return Moments.from_stream(source, structure=structure, missing=missing, **stream)
        X, (y, weights) = source, args
        return Moments.from_data(X, y, weights, structure, missing=missing)
    check_ours(estimator, criterion)
    model = clone(estimator)
    model = model.fit_stream(source, **stream) if stream else model.fit(source, *args)
    return access.statistics_of(model)


def missing_in_sums(estimator: Any, structure: Structure) -> Missing:
    """Return how sums handle missing values: as the fit does, unless that takes EM."""
    missing = estimator.missing
    if missing == "drop" or (missing == "marginalize" and structure == "diag"):
        return cast("Missing", missing)
    return "raise"


def criterion_of(selector: Any, statistics: Statistics) -> Any:
    """Return the criterion of a selector for sums of rows."""
    estimator, criterion = selector.estimator, selector.criterion
    if not isinstance(estimator, GaussianClassifier):
        check_ours(estimator, criterion)
        return discrete_bic(estimator, statistics)
    if not isinstance(statistics, Moments):
        raise TypeError(
            f"{type(estimator).__name__} is made of Moments; got {type(statistics).__name__}."
        )
    if criterion == "f":
        if statistics.structure == "diag":
            raise ValueError(
                "criterion='f' needs products of columns, which 'diag' moments do not hold. Make "
                "them with structure='tied' or 'full'."
            )
        return ByF(statistics, selector.f_to_enter, selector.f_to_remove)
    return gaussian_bic(bic_structure(estimator), statistics)


def check_ours(estimator: Any, criterion: str) -> None:
    """Refuse classifiers that a criterion says nothing of."""
    if criterion == "f":
        raise ValueError(
            f"criterion='f' compares means of numbers; {type(estimator).__name__} is not a "
            "Gaussian classifier of gauda. Use criterion='bic' or 'log_loss'."
        )
    if not access.has_independent_columns(estimator):
        raise TypeError(
            "criterion='bic' takes Gaussian classifiers of gauda, and those of independent "
            f"columns; got {type(estimator).__name__}. Use criterion='log_loss' or 'accuracy'."
        )


def bic_structure(estimator: Any) -> Structure:
    """Return the structure of the covariances of a Gaussian classifier; refuse mixtures of them."""
    if isinstance(estimator, LinearDiscriminantAnalysis):
        return "tied"
    if isinstance(estimator, QuadraticDiscriminantAnalysis):
        return "full"
    if isinstance(estimator, GaussianNB):
        return "diag"
    covariance = getattr(estimator, "covariance", None)
    if isinstance(estimator, RegularizedDiscriminantAnalysis):
        if covariance in STRUCTURES:
            return cast("Structure", covariance)
        if covariance is None and not (estimator.alpha or estimator.gamma or estimator.shrinkage):
            return "full"
    raise ValueError(
        f"criterion='bic' counts free parameters of pure structures; {estimator!r} has others. Use "
        "LDA, QDA, GaussianNB or RDA(covariance='tied'), or criterion='log_loss'."
    )


def gaussian_bic(structure: str, moments: Moments) -> Bic:
    """Return BIC of a Gaussian classifier."""
    if structure == "tied":
        return TiedBic(moments)
    if structure == "full":
        return FullBic(moments)
    reduced = moments.to("diag") if moments.structure == "full" else moments
    squares, total = reduced.scatter, reduced.total().scatter[0]
    return IndependentBic(number_bic(reduced.observed_counts, squares, total))


def discrete_bic(estimator: Any, statistics: Any) -> Bic:
    """Return BIC of naive Bayes on levels, and on levels and numbers."""
    name = "from_counts" if hasattr(estimator, "from_counts") else "from_statistics"
    parameters = estimator.get_params(deep=False) | {"class_weight": None}
    model = getattr(type(estimator), name)(statistics, **parameters)
    n_rows = float(statistics.class_weight.sum())
    gains: list[float] = []
    for fit in access.column_fits(model):
        if isinstance(fit, NumberFit):
            mean = fit.weights @ fit.means / fit.weights.sum()
            total = fit.scatter.sum() + fit.weights @ np.square(fit.means - mean)
            columns = fit.weights[:, np.newaxis], fit.scatter[:, np.newaxis], np.array([total])
            gains += number_bic(*columns).tolist()
        elif isinstance(fit, LevelFit):
            gains.append(level_bic(fit, n_rows))
    return IndependentBic(np.array(gains))
