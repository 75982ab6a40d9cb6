"""Kinds of counts: what is counted in a column, and which counts no rows can have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from gauda import _core
from gauda._data.discrete_rows import LabelArrays, Rows, Sparse, threshold_for
from gauda._data.training import LabeledRows
from gauda._statistics.stored import check_counted
from gauda._statistics.tables import NOT_PART, Floats, check_entries_left
from gauda._support.errors import BY_LEVELS

TAKERS = {
    "categorical": "CategoricalNB",
    "bernoulli": "BernoulliNB",
    "multinomial": "MultinomialNB",
}
"""By kind of counts, a model that is made of them."""

KINDS = tuple(TAKERS)


def check_kind(kind: Any) -> None:
    """Refuse what is not a kind of counts."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {KINDS}; got {kind!r}.")


SPARSE: dict[str, Sparse] = {"bernoulli": "once", "multinomial": "added"}
"""Kinds that are counted of sparse matrices too, and how."""


def is_by_level(kind: str) -> bool:
    """Tell whether there is a table of levels for each column, or one of all columns."""
    return kind == "categorical"


def count(
    rows: Rows, data: LabeledRows, kind: str, binarize: float | None
) -> tuple[Floats, tuple[Floats, ...]]:
    """Return the weights of the classes, and the tables of a kind, of rows that were checked."""
    labeled: LabelArrays = (data.codes, len(data.classes), data.weights)
    with replace(data.names, estimator=who(data, kind), nan_advice=BY_LEVELS).in_errors():
        if is_by_level(kind):
            columns = cast("NDArray[Any]", rows.arrays)
            class_count, tables = _core.count_levels(columns, labeled, n_threads=data.n_threads)
            return class_count, tuple(tables)
        if kind == "bernoulli":
            threshold = threshold_for(rows, binarize)
            counted = _core.count_presence(rows.arrays, labeled, threshold, data.n_threads)
        else:
            counted = _core.count_amounts(rows.arrays, labeled, data.n_threads)
    class_count, table = counted
    if not np.isfinite(table).all():
        raise ValueError(
            "The entries of X add up to more than a float can hold. Divide them by a number."
        )
    return class_count, (table,)


def who(data: LabeledRows, kind: str) -> str:
    """Return who refuses data: the estimator, or whoever would take such counts."""
    return TAKERS[kind] if data.names.estimator == "Moments" else data.names.estimator


def check_rest(kind: str, table: Floats, n_left: Floats, n_before: Floats) -> None:
    """Refuse what is left of a table of all columns if it cannot be that of the rows left."""
    if kind == "bernoulli":
        check_entries_left(table, n_left, n_before)
    elif table[n_left == 0].any():
        raise ValueError(
            "What is subtracted was not part of the counts: a class would have entries, but no "
            f"rows. {NOT_PART}"
        )


def check_stored(kind: Any, class_count: Floats, tables: tuple[Floats, ...]) -> None:
    """Refuse tables of a file that no rows have."""
    if kind not in KINDS or (not is_by_level(kind) and len(tables) != 1):
        raise ValueError(f"its counts cannot be of kind {kind!r}")
    if kind != "multinomial":
        check_counted(class_count, tables, each_column=not is_by_level(kind))
    elif tables[0][class_count == 0].any():
        raise ValueError("a class without rows has entries")
