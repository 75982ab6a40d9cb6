"""Kinds of counts: what is counted in a column, and which counts no rows can have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from gauda import _core
from gauda._data.discrete_rows import LabelArrays, Rows, Sparse, threshold_for
from gauda._data.kinds import Levels
from gauda._data.labeled_columns import DiscreteData, LabeledColumns
from gauda._data.training import Codes, LabeledRows
from gauda._statistics.level_counts import CountedColumns, LevelCounts, count_columns, has_gaps
from gauda._statistics.stored import check_counted
from gauda._statistics.tables import NOT_PART, check_entries_left, subtract
from gauda._storage.format import Arrays
from gauda._storage.saveable import check_sums
from gauda._support.arrays import Floats, read_only
from gauda._support.errors import BY_LEVELS

TAKERS = {
    "categorical": "CategoricalNB",
    "bernoulli": "BernoulliNB",
    "multinomial": "MultinomialNB",
}
"""By kind of counts, a model that is made of them."""

KINDS = tuple(TAKERS)

MAX_TABLES = {"bernoulli": 2}
"""Tables of all columns: what is present, and with gaps what is seen."""


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
    data: DiscreteData, kind: str, binarize: float | None, *, gaps: bool = False
) -> CountedColumns:
    """Return the weights of the classes, and the counts of a kind, of rows that were checked."""
    labels = data.labels
    names = replace(labels.names, estimator=who(labels, kind), nan_advice=BY_LEVELS)
    if isinstance(data, LabeledColumns):
        named = replace(labels, names=names)
        return count_columns(data.columns, named, list(data.kinds), may_miss=gaps)
    rows, labeled = data.rows, (labels.codes, len(labels.classes), labels.weights)
    with names.in_errors():
        if is_by_level(kind):
            return count_numbered(cast("NDArray[Any]", rows.arrays), labels, gaps=gaps)
        if kind == "bernoulli":
            return count_presence(rows, labels, threshold_for(rows, binarize), gaps=gaps)
        class_count, table = _core.count_amounts(rows.arrays, labeled, labels.n_threads)
    if not np.isfinite(table).all():
        raise ValueError(
            "The entries of X add up to more than a float can hold. Divide them by a number."
        )
    return CountedColumns(class_count, (LevelCounts(None, table),), has_gaps=False)


def count_numbered(columns: NDArray[Any], labels: LabeledRows, *, gaps: bool) -> CountedColumns:
    """Count levels 0, 1, 2, ... in all columns of an array."""
    labeled: LabelArrays = (labels.codes, len(labels.classes), labels.weights)
    class_count, tables = _core.count_levels(
        columns, labeled, may_miss=gaps, n_threads=labels.n_threads
    )
    seen = tuple(LevelCounts(None, table) for table in tables)
    found = gaps and has_gaps(class_count, seen, [columns], labels.weights)
    return CountedColumns(class_count, seen, found)


def count_presence(
    rows: Rows, labels: LabeledRows, threshold: float | None, *, gaps: bool
) -> CountedColumns:
    """Count what is above a threshold; where entries are missing, also what is seen."""
    labeled: LabelArrays = (labels.codes, len(labels.classes), labels.weights)
    try:
        class_count, table, absent = _core.count_presence(
            rows.arrays, labeled, threshold, labels.n_threads
        )
    except _core.CoreError as error:
        if not gaps or error.kind != "non_finite" or not np.isnan(error.fields["value"]):
            raise
    else:
        return CountedColumns(
            class_count, (LevelCounts(None, table),), has_gaps=False, absent=absent
        )
    return count_seen_presence(rows, labels, threshold)


def count_seen_presence(rows: Rows, labels: LabeledRows, threshold: float | None) -> CountedColumns:
    """Count what is above a threshold, and what is seen, in rows of which entries are missing."""
    labeled: LabelArrays = (labels.codes, len(labels.classes), labels.weights)
    dense = isinstance(rows.arrays, np.ndarray)
    entries = rows.arrays if isinstance(rows.arrays, np.ndarray) else rows.arrays[0]
    gaps = np.isnan(entries)

    def count_with(filled: NDArray[Any], above: float | None) -> Any:
        arrays = filled if dense else (filled, *rows.arrays[1:])
        return _core.count_presence(arrays, labeled, above, labels.n_threads)

    def fill(value: float) -> NDArray[Any]:
        return np.where(gaps, entries.dtype.type(value), entries)

    not_present = threshold if dense and threshold is not None else 0.0
    class_count, table, absent = count_with(fill(not_present), threshold)
    _, gone, _ = count_with(gaps.astype(np.uint8), 0.5)
    totals = np.broadcast_to(class_count[:, np.newaxis], gone.shape)
    observed = subtract(totals, gone)
    if absent is not None:
        present = 1.0 if threshold is None else np.finfo(entries.dtype).max
        _, _, absent = count_with(fill(present), threshold)
        observed = np.where(gone > 0, np.minimum(table + absent, totals), totals)
    counts = (LevelCounts(None, np.minimum(table, observed)), LevelCounts(None, observed))
    return CountedColumns(class_count, counts, bool(gone.any()), absent)


def count_further(  # noqa: PLR0913 (tables, and what is counted)
    kind: str,
    class_count: Floats,
    tables: list[Floats],
    rows: NDArray[Any],
    codes: Codes,
    binarize: float | None,
    n_threads: int | None,
) -> tuple[Floats, list[Floats], int] | None:
    """Return tables together with those of more rows, and the number of these; None if not so."""
    if kind == "categorical":
        joined = _core.join_levels(rows, codes, class_count, tables, n_threads)
    elif kind == "bernoulli":
        threshold = threshold_for(rows, binarize)
        joined = _core.join_presence(rows, codes, class_count, tables[0], threshold, n_threads)
    else:
        joined = _core.join_amounts(rows, codes, class_count, tables[0], n_threads)
    return None if joined is None else (read_only(joined[0]), joined[1], len(rows))


def who(data: LabeledRows, kind: str) -> str:
    """Return who refuses data: the estimator, or whoever would take such counts."""
    return TAKERS[kind] if data.names.estimator == "Moments" else data.names.estimator


def check_rest(kind: str, tables: list[Floats], n_left: Floats, n_before: Floats) -> None:
    """Refuse what is left of tables of all columns if it cannot be that of the rows left."""
    if kind == "bernoulli":
        for table in tables:
            check_entries_left(table, n_left, n_before)
    elif tables[0][n_left == 0].any():
        raise ValueError(
            "What is subtracted was not part of the counts: a class would have entries, but no "
            f"rows. {NOT_PART}"
        )


def check_stored(
    kind: Any, class_count: Floats, tables: tuple[Floats, ...], levels: list[Levels]
) -> None:
    """Refuse tables of a file that no rows have."""
    if kind not in KINDS or (not is_by_level(kind) and len(tables) > MAX_TABLES.get(kind, 1)):
        raise ValueError(f"its counts cannot be of kind {kind!r}")
    widths = [
        table.shape[1] if own is None else len(own)
        for own, table in zip(levels, tables, strict=True)
    ]
    if widths != [table.shape[1] for table in tables]:
        raise ValueError("its tables are not those of its levels")
    if kind != "multinomial":
        check_counted(class_count, tables, each_column=not is_by_level(kind))
    elif tables[0][class_count == 0].any():
        raise ValueError("a class without rows has entries")


def stored_absent(
    kind: str, arrays: Arrays, class_count: Floats, tables: tuple[Floats, ...]
) -> Floats | None:
    """Return what a file holds of absence; refuse what no rows have."""
    absent = arrays.get("absent")
    if absent is None:
        return None
    if kind != "bernoulli":
        raise ValueError(f"counts of kind {kind!r} do not tell what is absent")
    check_sums("what is absent", absent, tables[0].shape)
    check_counted(class_count, (absent, tables[0] + absent), each_column=True)
    return absent
