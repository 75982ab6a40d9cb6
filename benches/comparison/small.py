"""What is small: one row at a time, and fits to so few rows that fixed costs are all."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import gauda
from comparison.contestants import MODELS
from comparison.data import gaussian_classes
from comparison.expert_fits import FITS
from comparison.race import Effort, race
from comparison.table import Line, duration, faster

LEARNERS: dict[str, type] = {
    **{name: ours for name, (ours, _) in MODELS.items()},
    "Bernoulli": gauda.BernoulliNB,
    "Multinomial": gauda.MultinomialNB,
    "Complement": gauda.ComplementNB,
    "Categorical": gauda.CategoricalNB,
    "Mixed": gauda.MixedNB,
}
LEARN_MICROSECONDS = {"Categorical": 12.0, "Mixed": 12.0}
USUAL_MICROSECONDS = 8.0
SIZES = [(1000, 10, 3), (100, 5, 3)]
TARGET = 20.0
BARE_TARGET = 0.8
CALLS = 1000


def small(effort: Effort) -> Iterator[Line]:
    """Yield partial_fit of one row of 10 columns, and small fits against scikit-learn and numpy."""
    table = gaussian_classes(3000, 10, 3)
    for name, estimator in LEARNERS.items():
        X = table.X if name in {*MODELS, "Mixed"} else np.abs(np.rint(table.X)) % 4
        model = estimator().partial_fit(X, table.y, classes=np.unique(table.y))
        yield learning(effort, name, model, (X[:1].copy(), table.y[:1].copy()))
    for size in SIZES:
        rows = gaussian_classes(*size)
        for name, models in MODELS.items():
            fits = [partial(fit_new, model, rows) for model in models]
            seconds = race(effort, *fits, calls=CALLS // 10 // effort.shrink)
            yield faster(f"{name} fit, {rows.shape}", seconds, TARGET)
            bare = partial(FITS[name]["numpy"], rows)
            seconds = race(effort, fits[0], bare, calls=CALLS // 10 // effort.shrink)
            yield faster(f"{name} fit, {rows.shape}, against bare numpy", seconds, BARE_TARGET)
    yield one_line(effort)


def one_line(effort: Effort) -> Line:
    """Return LDA's label of one row, against a line of numpy without a check."""
    table = gaussian_classes(3000, 10, 3)
    lda, row = MODELS["LDA"][0]().fit(*table), table.X[:1]
    slopes, constants, classes = lda.coef_.T, lda.intercept_, lda.classes_
    contestants = [partial(lda.predict, row), lambda: classes[(row @ slopes + constants).argmax(1)]]
    seconds = race(effort, *contestants, calls=CALLS // effort.shrink)
    return faster("LDA predict of one row, against a line of numpy", seconds, 1.0)


def learning(effort: Effort, name: str, model: Any, row: tuple[Any, Any]) -> Line:
    """Return the microseconds of learning one more row."""
    (seconds,) = race(effort, partial(model.partial_fit, *row), calls=CALLS // effort.shrink)
    limit = LEARN_MICROSECONDS.get(name, USUAL_MICROSECONDS)
    what = f"{name} partial_fit of one row"
    return Line(what, duration(seconds), "", seconds * 1e6, limit, " µs", at_most=True)


def fit_new(model: type, rows: Any) -> Any:
    """Fit an estimator that was just made."""
    return model().fit(*rows)
