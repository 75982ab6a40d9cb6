"""Rows in which values are missing, left out of training data of any form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gauda._data.columns import is_missing
from gauda._data.gaps import all_dropped, rows_where, warn_of_dropped, without_gaps
from gauda._data.labeled_columns import LabeledColumns
from gauda._data.training import LabeledRows
from gauda._support.errors import non_finite


def check_missing(missing: Any, *others: str | None) -> None:
    """Refuse what is not a way to handle missing values."""
    known = ["raise", *(other for other in others if other is not None), "drop"]
    if missing not in known:
        text = f"{', '.join(map(repr, known[:-1]))} and {known[-1]!r}"
        raise ValueError(f"missing must be one of {text}; got {missing!r}.")


def labels_of(data: Any) -> LabeledRows:
    """Return the labels of training data."""
    labels: LabeledRows = data if isinstance(data, LabeledRows) else data.labels
    return labels


def complete_rows(data: Any) -> Any:
    """Return the rows in which nothing is missing; the others are counted as dropped."""
    if isinstance(data, LabeledRows):
        return without_gaps(data)
    whole = ~data.lacking()
    return data if whole.all() else data.keep(whole, rows_where(data.labels, whole))


def take_rows(missing: str, data: Any) -> Any:
    """Return the rows of a batch that a fit takes, by how it handles missing values."""
    return complete_rows(data) if missing == "drop" else data


def report_dropped(kept: Any) -> Any:
    """Return rows of which others may have been dropped; warn of these, refuse if none is left."""
    labels = labels_of(kept)
    if labels.n_dropped and not len(labels.codes):
        raise ValueError(all_dropped(labels.n_dropped))
    warn_of_dropped(labels.n_dropped, labels.n_dropped + len(labels.codes))
    return kept


def refuse_missing(data: LabeledColumns) -> None:
    """Refuse rows in which something is missing."""
    lacks = np.flatnonzero(data.lacking())
    if len(lacks):
        row = int(lacks[0])
        columns = (column.entry(row) for column in data.columns)
        column = next(index for index, entry in enumerate(columns) if is_missing(entry))
        raise non_finite(data.labels.names, row, column, np.nan)


@dataclass
class Dropping:
    """Leaves rows with gaps out of batches, if that is asked for, and counts them."""

    missing: str
    n_rows: int = 0
    n_dropped: int = 0

    def keep_complete(self, data: Any) -> Any:
        """Return the rows of a batch that are left."""
        kept = take_rows(self.missing, data)
        self.n_rows += len(labels_of(data).codes)
        self.n_dropped += labels_of(kept).n_dropped
        return kept

    def warn(self) -> None:
        """Say how many rows were left out, if any were."""
        warn_of_dropped(self.n_dropped, self.n_rows)
