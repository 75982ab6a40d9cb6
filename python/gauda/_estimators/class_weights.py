"""Weights of classes in a fit: the parameter `class_weight` makes them weights of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.by_class import as_list, refuse_unknown
from gauda._data.training import LabeledRows
from gauda._support.arrays import Floats
from gauda.typing import ClassWeight

BALANCED = "balanced"

NEEDS_COUNTS = (
    "class_weight='balanced' needs to count the classes. Use fit, or give the weights as a dict by "
    "class."
)


def weigh_rows(class_weight: ClassWeight, data: Any, *, complete: bool = False) -> Any:
    """Return training data in which the weight of each row is multiplied by that of its class."""
    if class_weight is None:
        return data
    if not isinstance(data, LabeledRows):
        return replace(data, labels=weigh_rows(class_weight, data.labels, complete=complete))
    if complete:  # later batches bring no other classes
        check_classes(class_weight, data.classes)
    balanced = isinstance(class_weight, str)
    factors = balanced_weights(data) if balanced else given_weights(class_weight, data.classes)
    weights = factors[data.codes]
    if data.weights is not None:
        with np.errstate(over="ignore"):  # what is below 0 is the core's to refuse
            np.multiply(data.weights, weights, out=weights, where=data.weights > 0)
        np.copyto(weights, data.weights, where=~(data.weights > 0))
    too_large = np.flatnonzero(np.isinf(weights))
    if len(too_large):
        row = data.names.row(int(too_large[0]))
        raise ValueError(
            "sample_weight times class_weight must be finite; got more than a float holds at row "
            f"{row}. Divide all weights by a number."
        )
    return replace(data, weights=weights)


def check_classes(class_weight: ClassWeight, classes: NDArray[Any]) -> None:
    """Refuse weights of other classes than these, or of 0 for all of them."""
    if isinstance(class_weight, Mapping):
        refuse_unknown(class_weight, classes, "class_weight")
        if not given_weights(class_weight, classes).any():
            raise ValueError(f"class_weight must be positive for a class; got {class_weight!r}.")


def given_weights(class_weight: Any, classes: NDArray[Any]) -> Floats:
    """Return the weight of each class; those that are not in the dict weigh 1."""
    for label, weight in class_weight.items():
        if not isinstance(weight, Real) or not 0 <= float(weight) < np.inf:
            raise ValueError(
                f"class_weight[{label!r}] must be a finite number of at least 0; got {weight!r}."
            )
    return np.array([float(class_weight.get(label, 1)) for label in as_list(classes)])


def balanced_weights(data: LabeledRows) -> Floats:
    """Return weights by which all classes weigh alike, as scikit-learn's `compute_class_weight`."""
    n_classes, weights = len(data.classes), data.weights
    balanced: Floats = np.ones(n_classes)
    with np.errstate(over="ignore"):
        if weights is not None and n_classes * len(weights) * weights.max(initial=0.0) == np.inf:
            weights = weights / weights.max()
        totals = np.bincount(data.codes, weights, n_classes)
        np.divide(totals.sum(), n_classes * totals, out=balanced, where=totals > 0)
    return balanced
