"""What packages that compute with statistics need of them, and users do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gauda._core import Moments as CoreMoments
from gauda._data.columns import Column
from gauda._data.element_types import FLOAT64
from gauda._data.kinds import Levels
from gauda._data.labeled_columns import DiscreteData
from gauda._data.training import Codes, LabeledRows
from gauda._statistics.base import Statistics
from gauda._statistics.counts import Counts
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats
from gauda._support.errors import Names

Sums = TypeVar("Sums", bound=Statistics)

# Statistics of rows that were checked


def moments_of(
    data: LabeledRows,
    structure: str,
    *,
    unweighted: bool | None = None,
    gaps: bool = False,
    order: int = 2,
) -> Moments:
    """Return the moments of rows, which may have gaps if the moments are diagonal.

    Diagonal moments have unweighted sums beside the weighted ones, unless it is said otherwise.
    """
    return Moments._of(data, structure, unweighted=unweighted, gaps=gaps, order=order)


def moments_of_groups(
    labels: Any,
    names: Sequence[str],
    rows: NDArray[np.int64],
    means: Floats,
    squares: Floats,
) -> Moments:
    """Return the diagonal moments of rows whose columns were summed up class by class.

    Each label comes once.
    """
    features = np.asarray(names, dtype=object)
    data = LabeledRows.of_labels(len(rows), labels, None, features, None)
    order = np.argsort(data.codes)
    counts = rows[order]
    with data.names.in_errors():
        core = CoreMoments(
            "diag",
            counts.tolist(),
            counts.astype(np.float64),
            means[order],
            np.zeros_like(means),
            squares[order, np.newaxis],
        )
    return Moments(
        classes=data.classes,
        feature_names=features,
        has_gaps=False,
        _core=core,
        _dtype=FLOAT64,
    )


def join_moments(
    moments: Moments, rows: NDArray[Any], codes: Codes, n_threads: int | None
) -> Moments | None:
    """Return moments together with those of more rows; None if that takes the general way."""
    return moments._join_rows(rows, codes, n_threads)


def join_counts(
    counts: Counts,
    rows: NDArray[Any],
    codes: Codes,
    binarize: float | None = 0.0,
    n_threads: int | None = None,
) -> Counts | None:
    """Return counts together with those of more rows, likewise."""
    return counts._join_rows(rows, codes, binarize, n_threads)


def join_mixed(
    statistics: MixedStatistics, rows: NDArray[Any], codes: Codes
) -> MixedStatistics | None:
    """Return statistics together with those of one row, likewise."""
    return statistics._join_row(rows, codes[0])


def counts_of(
    data: DiscreteData, kind: str, binarize: float | None = 0.0, *, gaps: bool = False
) -> Counts:
    """Return the counts of rows, of which entries may be missing."""
    return Counts._of(data, kind, binarize, gaps=gaps)


def tables_among(counts: Counts, levels: list[Levels]) -> list[Floats | None]:
    """Return the table of each column by these levels; None where there are others."""
    return [
        column.table
        if known is None or not column.levels
        else column.among(known).table
        if set(column.levels) <= set(known)
        else None
        for column, known in zip(counts._columns, levels, strict=True)
    ]


def mixed_of(columns: list[Column], labels: LabeledRows, kinds: tuple[str, ...]) -> MixedStatistics:
    """Return the statistics of columns."""
    return MixedStatistics._of(columns, labels, kinds)


# Classes


def among(statistics: Sums, classes: NDArray[Any]) -> Sums:
    """Return statistics with these sorted classes, all of theirs among them."""
    return statistics._among(classes)


# Moments


def core_of(moments: Moments) -> CoreMoments:
    """Return the moments as the compiled core holds them."""
    return moments._core


def is_wide(moments: Moments) -> bool:
    """Tell whether scatters are kept as factors of few rows."""
    return moments._core.is_wide


def with_core(moments: Moments, core: CoreMoments) -> Moments:
    """Return other sums of the core under the same labels."""
    return moments._with(core)


def check_complete(statistics: Statistics, what: str) -> None:
    """Refuse arithmetic that would count missing values as observed ones."""
    statistics._check_complete(what)


def total_of(moments: Moments) -> Moments:
    """Return the moments of all rows as one class, as if no value had been missing."""
    return moments._total()


def largest_variance(moments: Moments) -> float:
    """Return the largest variance of any column, in which each row counts once."""
    return moments._largest_variance


def attribute_of(moments: Moments, values: Floats) -> NDArray[Any]:
    """Return values in the type of fitted attributes."""
    return moments._attribute(values)


def dtype_of(moments: Moments) -> np.dtype[Any]:
    """Return the type of fitted attributes."""
    return moments._dtype


def name_like(moments: Moments, names: NDArray[Any] | None, other: Moments) -> Moments:
    """Return moments with names of columns, and fitted attributes of the type of others."""
    return replace(moments, feature_names=names, _dtype=other._dtype)


def names_of(statistics: Moments | MixedStatistics, model: Any = None) -> Names:
    """Return how errors call classes and columns."""
    if isinstance(statistics, MixedStatistics):
        return statistics._names()
    return statistics._names(model)
