"""The data that models are compared on: kinds of columns, gaps, labels, weights and splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.arguments import check_threads, is_whole
from gauda._data.columns import GAUSSIAN, columns_of
from gauda._data.frames import N_AXES, as_table
from gauda._data.splits import check_classes_left
from gauda._data.training import LabeledRows
from gauda._statistics.equal_covariances import BoxM, box_m
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats, Indices, Mask
from gauda._support.errors import Names
from gauda._support.lazy import splitting
from gauda.discriminant_analysis import QuadraticDiscriminantAnalysis
from gauda.model_selection._selection import HeldOut
from gauda.typing import Labels, MatrixLike, Weights

Split = tuple[Indices, Indices]
"""Rows to learn from, and rows that are held out."""

MIN_CLASSES = 2


@dataclass(frozen=True, eq=False)
class Comparison:
    """Rows, labels, weights and splits, checked."""

    table: Any
    """X as it was given; lists of mixed columns are an array."""
    numeric: list[int]
    """Indices of the columns of numbers."""
    n_columns: int
    numbers: NDArray[Any]
    """The columns of numbers."""
    gaps: Mask
    """Whether a row has missing values."""
    numeric_gaps: bool
    """Whether some are numbers."""
    classes: NDArray[Any]
    codes: Indices
    weights: Floats | None
    splits: list[Split]
    notes: list[str]
    """What a reader of the comparison must know of the data."""

    @classmethod
    def of(
        cls, X: MatrixLike, y: Labels, sample_weight: Weights | None, cv: Any, n_threads: int | None
    ) -> Comparison:
        """Check data; refuse what no model takes."""
        check_threads(n_threads)
        check_names(X)
        table, numeric, numbers, gaps = read(X)
        estimator = QuadraticDiscriminantAnalysis(n_threads=n_threads)
        checked = X if numbers is None else numbers
        data = LabeledRows.of(estimator, checked, y, sample_weight, min_samples=2)
        numbers = data.rows if numbers is None else numbers[:, : len(numeric)]
        missing = np.isnan(numbers) if numbers.dtype.kind == "f" else np.zeros((1, 1), dtype=bool)
        refuse_infinity(numbers, numeric, X)
        gaps = gaps | missing.any(axis=1)
        check_weights(data.weights)
        codes = data.codes.astype(np.intp)
        check_classes(data.classes)
        splits, note = make_splits(cv, data)
        n_columns = numbers.shape[1] if checked is X else table.shape[1]
        notes = [note, gap_note(gaps)]
        return cls(
            table,
            numeric,
            n_columns,
            numbers,
            gaps,
            bool(missing.any()),
            data.classes,
            codes,
            data.weights,
            splits,
            [text for text in notes if text],
        )

    @property
    def labels(self) -> NDArray[Any]:
        """Labels of the rows."""
        labels: NDArray[Any] = self.classes[self.codes]
        return labels

    @property
    def is_mixed(self) -> bool:
        """Whether there are columns of other kinds than numbers."""
        return len(self.numeric) < self.n_columns

    def held_out(self) -> HeldOut:
        """Return which rows are held out, split by split, and their shares of the mean."""
        weights = np.ones(len(self.codes)) if self.weights is None else self.weights
        shares = [weights[test] / weights[test].sum() / len(self.splits) for _, test in self.splits]
        return HeldOut(np.concatenate([test for _, test in self.splits]), np.concatenate(shares))

    def equality_of_covariances(self) -> tuple[BoxM | None, str]:
        """Return Box's M test, or why there is none."""
        if not self.numeric:
            return None, "there are no columns of numbers."
        if self.numeric_gaps:
            return None, "Box's M takes complete rows."
        if self.weights is not None:
            return None, "Box's M takes rows without weights."
        try:
            return box_m(Moments.from_data(self.numbers, self.labels)), ""
        except ValueError as error:
            return None, str(error)


def check_names(X: Any) -> None:
    """Refuse columns of the same name."""
    names = names_as_given(X)
    again = [] if names is None else [name for name, n in Counter(names.tolist()).items() if n > 1]
    if again:
        raise ValueError(
            f"Columns of X must have different names; got {again[0]!r} several times. Rename them."
        )


def check_weights(weights: Floats | None) -> None:
    """Refuse weights that no mean can be made with."""
    if weights is None:
        return
    wrong = np.flatnonzero(~((weights >= 0) & np.isfinite(weights)))
    if len(wrong):
        raise ValueError(
            f"sample_weight must be finite and at least 0; got {weights[wrong[0]]} at row "
            f"{wrong[0]}. Leave such rows out."
        )


def read(X: Any) -> tuple[Any, list[int], NDArray[Any] | None, Mask]:
    """Return a table, which columns hold numbers, those, and which rows miss another entry.

    The numbers are None where all columns hold some: such tables are read as one array.
    """
    nothing = np.zeros(1, dtype=bool)
    if is_plain(X) or getattr(X, "ndim", N_AXES) != N_AXES or hasattr(X, "tocsr"):
        width = X.shape[1] if getattr(X, "ndim", 0) == N_AXES else 0
        return X, list(range(width)), None, nothing
    columns = columns_of(X)
    kinds = [column.kind() for column in columns]
    for index, kind in enumerate(kinds):
        if kind is None:
            names = Names("select_model", np.empty(0), names_as_given(X))
            raise TypeError(
                f"Column {names.column(index)} of X must hold numbers, truth values, categories or "
                f"text; got {columns[index].values.dtype}. Convert it, as times to days since a "
                "date; or drop it."
            )
    numeric = [index for index, kind in enumerate(kinds) if kind == GAUSSIAN]
    if len(numeric) == len(kinds):
        return X, numeric, None, nothing
    others = [column for column, kind in zip(columns, kinds, strict=True) if kind != GAUSSIAN]
    gaps = np.any([np.isnan(column.codes([])).any(axis=1) for column in others], axis=0)
    numbers = [columns[index].numbers() for index in numeric] or [np.zeros((len(gaps), 1))]
    return as_table(X), numeric, np.hstack(numbers), gaps


def is_plain(X: Any) -> bool:
    """Return whether X is an array of numbers, or of text to be converted to numbers."""
    if not isinstance(X, np.ndarray):
        return False
    if X.dtype.kind in "SU":
        try:
            X.astype(np.float64)
        except ValueError:
            return False
        return True
    return X.dtype.kind in "iufc"


def names_as_given(X: Any) -> NDArray[Any] | None:
    """Return what a table calls its columns, text or not."""
    names = getattr(X, "column_names", getattr(X, "columns", None))
    return None if names is None else np.array(list(names), dtype=object)


def refuse_infinity(numbers: NDArray[Any], numeric: Sequence[int], X: Any) -> None:
    """Refuse values that no model takes, by row and column."""
    if numbers.dtype.kind != "f":
        return
    found = np.argwhere(np.isinf(numbers))
    if len(found):
        row, column = found[0]
        names = Names("select_model", np.empty(0), names_as_given(X), indices=numeric)
        raise ValueError(
            f"Input X contains infinity at row {row}, column {names.column(int(column))}. "
            "select_model takes finite values, and NaN where a value is missing: drop such rows, "
            "or put NaN."
        )


def check_classes(classes: NDArray[Any]) -> None:
    """Refuse a single class."""
    if len(classes) < MIN_CLASSES:
        raise ValueError(
            f"The number of classes must be greater than one; got only {classes[0]!r}. Give rows "
            "of another class too."
        )


def make_splits(cv: Any, data: LabeledRows) -> tuple[list[Split], str]:
    """Return which rows are learned from and held out, and a note if there are fewer folds."""
    codes, weights, note = data.codes, data.weights, ""
    largest = int(np.bincount(codes).max())
    if is_whole(cv) and largest == 1:
        raise ValueError(
            "A class must have at least two rows, one to learn from and one to hold out; got one "
            "of each class. Give more rows."
        )
    if is_whole(cv) and largest < cv:
        note = f"There are {largest} folds instead of {cv}, as no class has more rows."
        cv = largest
    indices = np.arange(len(codes))
    pairs = splitting.check_cv(cv, codes, classifier=True).split(data.rows, codes)
    splits = [(indices[train], indices[test]) for train, test in pairs]
    if not splits:
        raise ValueError(f"cv must give at least one split; got {cv!r}, which gives none.")
    for number, (train, test) in enumerate(splits):
        weighed = None if weights is None else weights[train]
        check_classes_left(np.bincount(codes[train], weighed), data.classes, number)
        if len(test) == 0 or (weights is not None and not weights[test].any()):
            raise ValueError(
                f"Split {number} must hold out rows that have weight; got none. Use fewer folds."
            )
    return splits, note


def gap_note(gaps: Mask) -> str:
    """Return how many rows have missing values."""
    count = int(np.count_nonzero(gaps))
    if not count:
        return ""
    have = "has" if count == 1 else "have"
    text = f"{count} of {len(gaps)} rows {have} missing values"
    return f"{text}, which models integrate out if they can."
