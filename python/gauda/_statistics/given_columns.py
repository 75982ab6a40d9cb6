"""Probabilities and normal columns that somebody knows, as counts of one row's weight per class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gauda._data.columns import BERNOULLI, CATEGORICAL, GAUSSIAN, TRUTH, in_order
from gauda._data.labels import label_array
from gauda._statistics.count_kinds import is_by_level
from gauda._statistics.counts import Counts
from gauda._statistics.given import GivenClasses
from gauda._statistics.level_counts import LevelCounts
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.number_sums import NumberSums
from gauda._support.arrays import Floats
from gauda.typing import Labels, Priors

ROUNDING = 1e-8
"""By how much a sum of probabilities may differ from 1."""

PAIR = 2


def given_counts(
    kind: str, probabilities: Any, priors: Priors | None, classes: Labels | None
) -> tuple[Counts, Floats]:
    """Return counts with these probabilities and the priors, both sorted by label."""
    tables = list(probabilities) if is_by_level(kind) else [probabilities]
    if not tables:
        raise ValueError("probabilities must be given for at least one column; got none.")
    whole = kind != "bernoulli"
    checked = [table_of(f"table {at}", table, sums_to_1=whole) for at, table in enumerate(tables)]
    known = GivenClasses.of(len(checked[0]), priors, classes, "rows of probabilities")
    if any(len(table) != len(checked[0]) for table in checked):
        raise ValueError(
            "probabilities must have a row for each class in every column; got "
            f"{[len(table) for table in checked]} rows."
        )
    counts = Counts(
        kind=kind,
        classes=known.classes,
        class_count=np.ones(len(known.classes)),
        _columns=tuple(LevelCounts(None, table[known.order]) for table in checked),
        _n_rows=0,
    )
    return counts, known.priors


def table_of(what: str, table: ArrayLike, *, sums_to_1: bool) -> Floats:
    """Return probabilities, class x entry; refuse what are none."""
    values = np.array(table, dtype=np.float64)
    if values.ndim != PAIR or 0 in values.shape:
        raise ValueError(
            f"probabilities must have a row for each class and at least one entry in it; got shape "
            f"{values.shape} in {what}."
        )
    if not ((values >= 0) & (values <= 1 + ROUNDING)).all():
        raise ValueError(f"probabilities must lie between 0 and 1; got others in {what}.")
    sums = values.sum(axis=1)
    if sums_to_1 and not np.allclose(sums, 1, rtol=0, atol=ROUNDING):
        raise ValueError(f"probabilities must sum to 1 in each class; got {sums} in {what}.")
    return values / sums[:, np.newaxis] if sums_to_1 else np.minimum(values, 1.0)


def given_columns(
    columns: Mapping[Any, Any] | Sequence[Any], priors: Priors | None, classes: Labels | None
) -> tuple[MixedStatistics, Floats]:
    """Return statistics with the distributions of columns, and the priors, sorted by label."""
    if isinstance(columns, str) or not isinstance(columns, Mapping | Sequence) or not columns:
        raise TypeError(
            "columns must be a mapping by name or a sequence of distributions; got "
            f"{type(columns).__name__}. Give each column as a pair of means and variances, a "
            "sequence of probabilities that it is true, or a mapping of levels to probabilities."
        )
    names = label_array(columns) if isinstance(columns, Mapping) else None
    by_name = columns if isinstance(columns, Mapping) else dict(enumerate(columns))
    read = [distribution_of(f"column {name!r}", given) for name, given in by_name.items()]
    lengths = {len(parts[1]) for _, parts in read}
    n_classes = max(lengths)
    if len(lengths) > 1:
        raise ValueError(
            f"columns must have a value for each class; got {sorted(lengths)} values in some."
        )
    known = GivenClasses.of(n_classes, priors, classes, "values in each column")
    normal = [parts for kind, parts in read if kind == GAUSSIAN]
    means, scatter = (
        np.array([parts[at][known.order] for parts in normal]).reshape(-1, n_classes).T
        for at in range(PAIR)
    )
    numbers = NumberSums.of_parts(np.ones(n_classes), np.ones_like(means), means, scatter)
    counts = [
        LevelCounts(parts[0], parts[1][known.order]) for kind, parts in read if kind != GAUSSIAN
    ]
    statistics = MixedStatistics(
        classes=known.classes,
        feature_names=names,
        kinds=tuple(kind for kind, _ in read),
        class_count=np.ones(n_classes),
        numbers=numbers,
        unweighted=numbers.total(),
        counts=tuple(counts),
        _n_rows=0,
    )
    return statistics, known.priors


def distribution_of(what: str, column: Any) -> tuple[str, tuple[Any, Any]]:
    """Return the kind of a column, and its means and variances, or levels and probabilities."""
    if isinstance(column, Mapping):
        levels = in_order(set(column))
        table = np.array([column[level] for level in levels], dtype=np.float64)
        return CATEGORICAL, (levels, table_of(what, table.T, sums_to_1=True))
    if isinstance(column, tuple) and len(column) == PAIR:
        means, variances = (np.array(values, dtype=np.float64) for values in column)
        if means.ndim != 1 or means.shape != variances.shape:
            raise ValueError(
                f"{what} must have as many means as variances; got shapes {means.shape} and "
                f"{variances.shape}."
            )
        if not (np.isfinite(means) & (variances > 0) & (variances < np.inf)).all():
            raise ValueError(
                f"{what} must have finite means and positive variances; got {means} and "
                f"{variances}."
            )
        return GAUSSIAN, (means, variances)
    present = np.array(column, dtype=np.float64)
    if present.ndim != 1:
        raise ValueError(
            f"{what} must be a pair of means and variances in a tuple, a sequence of probabilities "
            f"that it is true, or a mapping of levels to probabilities; got shape {present.shape}."
        )
    table = np.stack([1 - present, present], axis=1)
    return BERNOULLI, (list(TRUTH), table_of(what, table, sums_to_1=True))
