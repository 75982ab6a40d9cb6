"""Against what people use today: scikit-learn, and numpy scripts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comparison.contestants import MODELS, Function, numpy_qda
from comparison.data import CLOSE, Table, count, gaussian_classes
from comparison.race import Effort, race
from comparison.table import Line, duration, faster

Operation = tuple[str, str, dict[str, str]]

QDA_PREDICT: Operation = ("QDA", "predict", {})
OPERATIONS: list[Operation] = [
    ("QDA", "fit", {}),
    QDA_PREDICT,
    ("LDA", "fit", {"solver": "svd"}),
    ("LDA", "fit", {"solver": "lsqr"}),
    ("LDA", "predict", {}),
    ("GNB", "fit", {}),
    ("GNB", "predict", {}),
]
TARGETS: dict[tuple[int, int, int], tuple[float, ...]] = {
    (1_000_000, 10, 3): (20, 25, 20, 12, 6, 25, 30),
    (200_000, 50, 10): (15, 12, 20, 8, 4, 12, 40),
    (100_000, 200, 10): (12, 8, 20, 6, 3, 8, 40),
}
"""By rows, columns and classes: how many times faster each operation should be."""

CLOSE_SHARE = 0.6
NUMPY_TARGETS = {np.float64: 2.5, np.float32: 2.0}
ONE_ROW_MICROSECONDS = 3.0
AGREEING_ROWS = 1000
AGREEMENT = 0.98


def against_sklearn(effort: Effort) -> Iterator[Line]:
    """Fit and predict with every model, on classes far apart; QDA's predict on close ones too."""
    for size, targets in TARGETS.items():
        n, d, k = effort.rows(*size), *size[1:]
        apart, close = gaussian_classes(n, d, k), gaussian_classes(n, d, k, CLOSE)
        for dtype in (np.float64, np.float32):
            suffix = f"{apart.shape}, {np.dtype(dtype)}"
            table = apart.astype(dtype)
            for operation, target in zip(OPERATIONS, targets, strict=True):
                yield operate(effort, operation, table, target, suffix)
            target = CLOSE_SHARE * targets[OPERATIONS.index(QDA_PREDICT)]
            yield operate(effort, QDA_PREDICT, close.astype(dtype), target, f"{suffix}, close")


def operate(
    effort: Effort,
    operation: Operation,
    table: Table,
    target: float,
    suffix: str,
) -> Line:
    """Race one operation of one model against scikit-learn's."""
    name, method, options = operation
    ours, other = (model(**options) for model in MODELS[name])
    contestants = [partial(model.fit, *table) for model in (ours, other)]
    if method == "predict":
        for fit in contestants:
            fit()
        check_agreement(ours.predict, other.predict, table.X)
        contestants = [partial(model.predict, table.X) for model in (ours, other)]
    what = " ".join([name, *options.values(), method])
    return faster(f"{what}, {suffix}", race(effort, *contestants), target)


def check_agreement(ours: Function, other: Function, X: NDArray[Any]) -> None:
    """Make sure that the contestants do the same work."""
    share = np.mean(ours(X[:AGREEING_ROWS]) == other(X[:AGREEING_ROWS]))
    if share < AGREEMENT:
        raise RuntimeError(f"{ours} and {other} agree on {share:.1%} of the rows only")


def against_numpy(effort: Effort) -> Iterator[Line]:
    """QDA's predict against blocks of rows, one product of matrices, a sum of squares, argmax."""
    for size in TARGETS:
        table = gaussian_classes(effort.rows(*size), *size[1:])
        for dtype, target in NUMPY_TARGETS.items():
            X, y = table.astype(dtype)
            model = MODELS["QDA"][0](store_covariance=True).fit(X, y)
            script = numpy_qda(model, dtype)
            check_agreement(model.predict, script, X)
            seconds = race(effort, partial(model.predict, X), partial(script, X))
            yield faster(f"QDA predict, {table.shape}, {np.dtype(dtype)}", seconds, target)


def one_row(effort: Effort) -> Iterator[Line]:
    """Call with a single row of 10 columns, 3 classes."""
    table = gaussian_classes(3000, 10, 3)
    row = table.X[:1]
    for name, models in MODELS.items():
        fitted = [model().fit(*table) for model in models]
        for method in ("predict", "predict_proba"):
            contestants = [partial(getattr(model, method), row) for model in fitted]
            ours, other = race(effort, *contestants, calls=1000 // effort.shrink)
            times = duration(ours), duration(other)
            limit = ONE_ROW_MICROSECONDS
            yield Line(f"{name} {method}", *times, ours * 1e6, limit, " µs", at_most=True)


def string_labels(effort: Effort) -> Iterator[Line]:
    """Fit one column, so that nearly all is encoding, against `np.unique` of the labels."""
    X, y = gaussian_classes(effort.rows(300_000), 1, 10)
    labels = np.array([f"class {k}" for k in range(10)])[y]
    for kind, strings in (("fixed width", labels), ("objects", labels.astype(object))):
        fit = partial(MODELS["GNB"][0]().fit, X, strings)
        unique = partial(np.unique, strings, return_inverse=True)
        yield faster(f"GNB fit, {count(len(y))} strings, {kind}", race(effort, fit, unique), 1.0)
