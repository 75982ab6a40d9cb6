"""Sums that Spark takes itself, where a model needs no products of columns: rows stay in the JVM.

On their way to Python rows take longer than such sums do.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from gauda._cluster.tasks import Located, join_parts, naming
from gauda._cluster.tree import join_by_tree
from gauda._estimators.joining import Part
from gauda._estimators.learner import Learner
from gauda._estimators.parts import part_of_moments, takes_squares
from gauda._statistics.access import moments_of_groups
from gauda.spark._tasks import Layout

NUMBERS = ("bigint", "double", "int", "smallint", "tinyint")
"""Types of Spark that fits take as doubles."""

LABELS = ("bigint", "boolean", "double", "int", "smallint", "string", "tinyint")

MAX_COLUMNS = 16
"""Columns of whose sums Spark makes one loop: each takes five fields of the hundred that it may."""

FAR = 1e6
"""Square of a mean in variances beyond which Spark's sums lose too many digits."""

NEAR = 1e-140
"""Size of a mean below which squares of the values may underflow a double."""

MAX_GROUPS = 1 << 16
"""Groups of rows, one for each class of a partition, of which the driver takes the sums."""


def sum_in_engine(rows: DataFrame, layout: Layout, settings: Learner) -> Part | None:
    """Return what all rows give, by a tree of fixed shape; None if they must be read in Python.

    That is so for other models and columns, for values that are missing or not finite, and for too
    many groups.
    """
    if layout.features.is_list or layout.has_weights or layout.has_groups:
        return None
    *features, label = rows.columns
    kinds = dict(rows.dtypes)
    numeric = all(kinds[name] in NUMBERS for name in features)
    plain = numeric and kinds[label] in LABELS and len(features) <= MAX_COLUMNS
    if not (plain and takes_squares(settings)):
        return None
    columns = [rows[f"`{name}`"].cast("double") for name in features]
    missing = reduce(or_, (column.isNull() for column in [*columns, rows[f"`{label}`"]]))
    groups = rows.groupBy(sql.spark_partition_id().alias("part"), rows[f"`{label}`"].alias("label"))
    counts = sql.count("*").alias("rows"), sql.count_if(missing).alias("missing")
    means = [sql.avg(column).alias(f"mean {at}") for at, column in enumerate(columns)]
    variances = [sql.var_pop(column).alias(f"variance {at}") for at, column in enumerate(columns)]
    table = groups.agg(*counts, *means, *variances).limit(MAX_GROUPS + 1).toArrow()
    return join_groups(table, layout, settings)


def join_groups(table: pa.Table, layout: Layout, settings: Learner) -> Part | None:
    """Return what groups of rows give together; None if their sums do not tell."""
    names, labels = layout.features.names, table["label"]
    means, variances = (
        np.column_stack([table[f"{what} {at}"].to_numpy() for at in range(len(names))])
        for what in ("mean", "variance")
    )
    if len(table) > MAX_GROUPS or table["missing"].to_numpy().any() or has_nan(labels):
        return None
    counts = table["rows"].to_numpy()
    with np.errstate(over="ignore", invalid="ignore"):
        squares = variances * counts[:, np.newaxis]
        far = (variances > 0) & (means**2 > FAR * variances)
    near = (means != 0) & (np.abs(means) < NEAR)
    if (far | near).any() or not (np.isfinite(means).all() and np.isfinite(squares).all()):
        return None
    numbers = table["part"].to_numpy()
    parts: list[Any] = [Located(Part(), at, at) for at in range(int(numbers.max(initial=-1)) + 1)]
    for number in np.unique(numbers).tolist():
        some = np.flatnonzero(numbers == number)
        with naming(number):
            moments = moments_of_groups(
                labels.take(pa.array(some)), names, counts[some], means[some], squares[some]
            )
            parts[number] = Located(part_of_moments(settings, moments), number, number)
    if not parts:
        return Part()
    whole: Part = join_by_tree(parts, lambda few: join_parts(settings, few)).found
    return whole


def has_nan(labels: Any) -> bool:
    """Tell whether a label is NaN, which only its row in an error can say."""
    return pa.types.is_floating(labels.type) and bool(np.isnan(labels.to_numpy()).any())
