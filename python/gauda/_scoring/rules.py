"""How labels follow from posteriors: costs of mistakes, when to reject a row, other priors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gauda._data.by_class import costs_in_order, in_class_order, priors_in_order
from gauda._data.labels import KINDS, indices_among
from gauda._support.arrays import Floats, real_array

Reject = float | Mapping[str, float] | None

REASONS = ("posterior", "typicality", "cost")
"""What rows may be rejected for."""

DEFAULT_REJECT_LABELS: dict[str, Any] = {"i": -1, "f": np.nan, "U": "rejected", "O": "rejected"}
"""By the kind of the classes."""

PRIORS_AXES = (1, 2)


@dataclass(frozen=True)
class Rules:
    """Rules for decisions; the core reads the attributes."""

    priors: Floats | None = None
    """For all rows, or one row of them for each."""
    cost: Floats | None = None
    """A row for each true class, a column for each decision; a further one for rejecting."""
    by_cost: bool = True
    """Whether labels are those of least cost. Otherwise costs can only be asked for."""
    min_posterior: float | None = None
    min_typicality: float | None = None
    missing: str = "raise"
    """How rows with missing values are handled."""
    no_data: Floats | None = None
    """What stands for no data in each column; rows that hold it get no answer."""
    labels_by_class: bool = False
    """Whether the labels of rejected rows follow the class that each would have."""

    def arrays(self) -> dict[str, Floats]:
        """Return the arrays among them by their names."""
        named = {"priors": self.priors, "cost": self.cost}
        return {name: array for name, array in named.items() if array is not None}

    def check_rows(self, n_rows: int) -> None:
        """Refuse priors of each row that are those of more or fewer rows."""
        if self.priors is not None and self.priors.ndim > 1 and len(self.priors) != n_rows:
            raise ValueError(
                f"priors has {len(self.priors)} rows, X has {n_rows}: give a row of priors for "
                "each row of X, or one list of them for all."
            )

    @property
    def may_reject(self) -> bool:
        """Whether rows may be left without a label of a class."""
        thresholds = self.min_posterior is not None or self.min_typicality is not None
        costs = self.cost is not None and self.cost.shape[1] > self.cost.shape[0]
        return thresholds or costs or self.missing == "propagate" or self.no_data is not None

    def without_rejecting(self) -> Rules:
        """Return the rules by which the same rows all have a class, if they have any."""
        cost = None if self.cost is None else np.ascontiguousarray(self.cost[:, : len(self.cost)])
        return replace(self, cost=cost, min_posterior=None, min_typicality=None)


class Fitted(Protocol):
    """What rules must fit."""

    @property
    def classes(self) -> NDArray[Any]:
        """The labels, sorted."""

    @property
    def n_features(self) -> int:
        """The number of columns."""


def make_rules(  # noqa: PLR0913 (what a call may change)
    fitted: Fitted,
    priors: Any,
    cost: Any,
    reject: Reject,
    missing: str = "raise",
    nodata: Any = None,
) -> Rules:
    """Return the rules of a fitted model; the core checks values, this their kinds and shapes."""
    classes, reasons = fitted.classes, validate_reasons(reject)
    matrix = None
    if cost is not None:
        matrix = validate_cost(costs_in_order(cost, classes), len(classes))
    if "cost" in reasons:
        matrix = with_rejecting(matrix, reasons["cost"], len(classes))
    return Rules(
        None if priors is None else validate_priors(priors_in_order(priors, classes), len(classes)),
        matrix,
        min_posterior=reasons.get("posterior"),
        min_typicality=reasons.get("typicality"),
        missing=missing,
        no_data=None if nodata is None else validate_no_data(nodata, fitted.n_features),
    )


def validate_priors(priors: ArrayLike, n_classes: int) -> Floats:
    """Return priors for a call, of one axis or two."""
    given = real_array(priors, "priors")
    if given.ndim not in PRIORS_AXES or given.shape[-1] != n_classes:
        raise ValueError(
            f"priors must have shape ({n_classes},), or a row of {n_classes} for each row of X; "
            f"got shape {np.shape(priors)}."
        )
    return given


def validate_cost(cost: ArrayLike, n_classes: int) -> Floats:
    """Return a cost matrix; refuse one that does not fit the classes."""
    given = real_array(cost, "cost")
    if given.shape not in {(n_classes, n_classes), (n_classes, n_classes + 1)}:
        raise ValueError(
            f"cost must have shape ({n_classes}, {n_classes}), a row for each true class and a "
            "column for each decision in the order of classes_, or one column more, the cost of "
            f"rejecting; got shape {given.shape}."
        )
    return given


def validate_no_data(nodata: Any, n_features: int) -> Floats:
    """Return what stands for no data in each column."""
    given = real_array(nodata, "nodata")
    if np.shape(nodata) not in {(), (n_features,)}:
        raise ValueError(
            f"nodata must be a number, or one for each of the {n_features} columns; got shape "
            f"{np.shape(nodata)}."
        )
    return np.full(n_features, given)


def zero_one(n_classes: int) -> Floats:
    """Return the costs by which the label of largest posterior is best."""
    return np.asarray(1.0 - np.eye(n_classes))


def with_rejecting(cost: Floats | None, rejecting: float, n_classes: int) -> Floats:
    """Return a cost matrix with a further column."""
    matrix = zero_one(n_classes) if cost is None else cost
    if matrix.shape[1] > n_classes:
        raise ValueError(
            f"Both the last column of cost and reject={{'cost': {rejecting}}} say what rejecting "
            "costs. Give one of them."
        )
    return np.column_stack([matrix, np.full(n_classes, rejecting)])


def validate_reasons(reject: Reject) -> dict[str, float]:
    """Return the reasons to reject a row, each with its number."""
    if reject is None:
        return {}
    reasons: dict[str, Any] = dict(reject) if isinstance(reject, Mapping) else {"posterior": reject}
    unknown = [name for name in reasons if name not in REASONS]
    real = all(
        isinstance(value, Real) and not isinstance(value, bool) for value in reasons.values()
    )
    if unknown or not real or not reasons:
        raise ValueError(
            "reject must be a minimum posterior, of which 0 rejects no row, or a dict of numbers "
            f"under some of the names {', '.join(map(repr, REASONS))}; got {reject!r}."
        )
    return {name: float(value) for name, value in reasons.items()}


def default_reject_label(dtype: np.dtype[Any]) -> Any:
    """Return the label of rejected rows where none is set; for unsigned integers the largest."""
    return np.iinfo(dtype).max if dtype.kind == "u" else DEFAULT_REJECT_LABELS.get(dtype.kind)


def decision_names(classes: NDArray[Any], reject_label: Any) -> NDArray[Any]:
    """Return the labels of the classes, that of rejected rows and, if given, those by class.

    A dict gives the labels of rejected rows by class, and under None that of rows without one.
    """
    default = default_reject_label(classes.dtype)
    given = [default if reject_label is None else reject_label]
    if isinstance(reject_label, Mapping):
        labels = {label: other for label, other in reject_label.items() if label is not None}
        by_class = in_class_order(labels, classes, "reject_label")
        given = [reject_label.get(None, default), *by_class]
    if given[0] is None:
        raise ValueError(
            f"reject_label must be set for classes of dtype {classes.dtype}; got None, and there "
            "is no default."
        )
    for label in given:
        check_reject_label(label, classes)
    last = np.array(given, dtype=object if classes.dtype.kind == "O" else None)
    if last.dtype.kind in "iu":
        last = last.astype(np.result_type(*map(np.min_scalar_type, given)))
    names = np.append(classes, last)
    if (indices_among(classes, names) != np.arange(len(classes))).any():
        raise ValueError(
            f"{classes.dtype} classes and reject_label={reject_label!r} have no common type that "
            "holds them exactly. Set another reject_label."
        )
    return names


def label_rejected(codes: NDArray[np.uint32], others: NDArray[np.uint32], n_classes: int) -> None:
    """Move rejected rows to the labels by the class that they would have, where they have one."""
    moved = (codes == n_classes) & (others < n_classes)
    codes[moved] += 1 + others[moved]


def check_reject_label(label: Any, classes: NDArray[Any]) -> None:
    """Refuse a label of rejected rows that is a class, or of another kind."""
    kind = classes.dtype.kind
    one = np.array([label], dtype=object if kind == "O" else None)
    alike = one.ndim == 1 and KINDS.get(one.dtype.kind) == KINDS.get(kind)
    if not alike or (KINDS.get(kind) == "text" and not isinstance(label, str)):
        raise ValueError(
            f"reject_label={label!r} is not of the kind of the classes, {classes.dtype}."
        )
    if label in classes.tolist():
        raise ValueError(f"reject_label={label!r} is a class. Set another one.")
