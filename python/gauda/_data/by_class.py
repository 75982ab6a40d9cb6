"""Values that users give by class: brought into the order of the classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNIFORM = "uniform"


def as_list(labels: NDArray[Any]) -> list[Any]:
    """Return labels as they compare with what users write; dates stay dates."""
    # tolist makes numbers of dates in nanoseconds.
    return list(labels) if labels.dtype.kind == "M" else labels.tolist()


def refuse_unknown(given: Mapping[Any, Any], classes: NDArray[Any], name: str) -> None:
    """Refuse a mapping with keys that are not classes."""
    known = as_list(classes)
    unknown = [label for label in given if label not in known]
    if unknown:
        raise ValueError(
            f"{name} must have the classes as keys; got {unknown[0]!r}, which is not a class. The "
            f"classes are {known}."
        )


def in_class_order(given: Mapping[Any, Any], classes: NDArray[Any], name: str) -> list[Any]:
    """Return the values of a mapping in the order of the classes; it must hold just these."""
    refuse_unknown(given, classes, name)
    known = as_list(classes)
    missing = [label for label in known if label not in given]
    if missing:
        raise ValueError(
            f"{name} must have an entry for each class; got none for {missing[0]!r}. The classes "
            f"are {known}."
        )
    return [given[label] for label in known]


def priors_in_order(given: Any, classes: NDArray[Any], name: str = "priors") -> Any:
    """Return priors in the order of the classes, where they are given by class or are 'uniform'."""
    if isinstance(given, Mapping):
        return in_class_order(given, classes, name)
    if isinstance(given, str):
        if given != UNIFORM:
            raise ValueError(
                f"{name} must be numbers, a dict by class or 'uniform'; got {given!r}."
            )
        return np.full(len(classes), 1 / len(classes))
    return given


def costs_in_order(given: Any, classes: NDArray[Any], name: str = "cost") -> Any:
    """Return a matrix of costs, where they are given by truth and decision.

    The right decision costs 0 unless its cost is given. The key None stands for rejecting, which
    must then have a cost for every truth.
    """
    if not isinstance(given, Mapping):
        return given
    rows = in_class_order(given, classes, name)
    known = as_list(classes)
    may_reject = any(isinstance(row, Mapping) and None in row for row in rows)
    matrix = []
    for truth, row in zip(known, rows, strict=True):
        if not isinstance(row, Mapping):
            raise TypeError(
                f"{name}[{truth!r}] must be a dict of costs by decision; got {row!r}. Or give a "
                "matrix in the order of the classes."
            )
        labels = {label: cost for label, cost in row.items() if label is not None}
        costs = in_class_order({truth: 0.0} | labels, classes, f"{name}[{truth!r}]")
        if may_reject:
            if None not in row:
                raise ValueError(
                    f"{name} must have a cost of rejecting (key None) for every truth; got none "
                    f"for {truth!r}."
                )
            costs.append(row[None])
        matrix.append(costs)
    return matrix
