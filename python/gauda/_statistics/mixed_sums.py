"""The algebra of mixed statistics: sums of numbers beside counts of levels."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from operator import ne
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gauda import _core
from gauda._data.columns import GAUSSIAN, KINDS, Column
from gauda._data.kinds import numbers_of
from gauda._data.training import LabeledRows
from gauda._statistics.base import Statistics
from gauda._statistics.changing import change, replace_sums
from gauda._statistics.level_counts import LevelCounts, count_columns
from gauda._statistics.number_sums import NumberSums
from gauda._statistics.stored import check_counted, rows_stored
from gauda._statistics.tables import check_entries_left, regroup, scale, subtract, subtract_rows
from gauda._storage.format import Arrays
from gauda._storage.saveable import check_sums
from gauda._support.arrays import Floats, Indices, read_only
from gauda._support.errors import Names, overflow


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MixedSums(Statistics):
    """Base of MixedStatistics: the sums, and what is done with those of equal classes."""

    _noun: ClassVar[str] = "Statistics"

    kinds: tuple[str, ...]
    class_count: Floats
    numbers: NumberSums
    unweighted: NumberSums
    counts: tuple[LevelCounts, ...]
    _n_rows: int

    @classmethod
    def _of(cls, columns: list[Column], data: LabeledRows, kinds: tuple[str, ...]) -> Self:
        """Return the statistics of rows that were checked."""
        labeled = (data.codes, len(data.classes), data.weights)
        gaussian, discrete = columns_of_kinds(kinds)
        names = data.names
        values = [numbers_of(columns[column], names.column(column)) for column in gaussian]
        with replace(names, indices=gaussian).in_errors():
            numbers = NumberSums.of(values, labeled, data.n_threads)
            unweighted = numbers.total()
            if data.weights is not None:
                each_once = (np.zeros_like(data.codes), 1, data.counted_once)
                unweighted = NumberSums.of(values, each_once, data.n_threads)
        counted = count_columns(
            [columns[column] for column in discrete],
            replace(data, names=replace(names, indices=discrete)),
            [kinds[column] for column in discrete],
            may_miss=True,
        )
        once = data.counted_once
        n_counted = len(data.codes) if once is None else once.sum()
        gaps = bool((unweighted.weights < n_counted).any())
        return cls(
            classes=data.classes,
            feature_names=names.features,
            has_gaps=gaps or counted.has_gaps,
            kinds=kinds,
            class_count=counted.class_count,
            numbers=numbers,
            unweighted=unweighted,
            counts=counted.counts,
            _n_rows=data.n_counted,
        )._validate()

    @property
    def _kind(self) -> str:
        found = Counter(self.kinds)
        return ", ".join(f"{found[kind]} {kind}" for kind in KINDS if found[kind])

    @property
    def class_weight(self) -> Floats:
        """Sum of the weights of each class, as `class_count`."""
        return self.class_count

    @property
    def n_rows(self) -> int:
        """Rows of positive weight."""
        return self._n_rows

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.kinds)

    def _match(self, other: Self) -> tuple[Self, Self]:
        for column, kinds in enumerate(zip(self.kinds, other.kinds, strict=False)):
            if kinds[0] != kinds[1]:
                raise ValueError(
                    f"Column {self._names().column(column)} must be of the same kind in both "
                    f"statistics; got {kinds[0]!r} and {kinds[1]!r}. Give it in kinds=."
                )
        return self, other

    def _names(self, **about: Any) -> Names:
        return Names(type(self).__name__, self.classes, self.feature_names, **about)

    def _in_errors(self) -> Any:
        """Have errors of the core about numbers name classes and columns."""
        return self._names(indices=columns_of_kinds(self.kinds)[0]).in_errors()

    def _join_row(self, row: NDArray[Any], code: int) -> Self | None:
        """Return the statistics together with those of one row, whose levels are all known."""
        gaussian, discrete = columns_of_kinds(self.kinds)
        values = row[:, gaussian] if discrete else row
        numbers, once = self.numbers.join_row(values, code), self.unweighted.join_row(values, 0)
        entries = row[0].tolist()
        levels = [entries[column] for column in discrete]
        counts = [count.join(code, level) for count, level in zip(self.counts, levels, strict=True)]
        if numbers is None or once is None or None in counts:
            return None
        class_count = self.class_count.copy()
        class_count[code] += 1
        return replace_sums(
            self,
            class_count=read_only(class_count),
            numbers=numbers,
            unweighted=once,
            counts=tuple(counts),
            has_gaps=self.has_gaps or has_nan(entries),
            _n_rows=self._n_rows + 1,
        )

    def _merge(self, other: Self) -> Self:
        with self._in_errors():
            numbers = self.numbers + other.numbers
        with self._in_errors():
            once = self.unweighted + other.unweighted
        return change(
            self,
            class_count=self.class_count + other.class_count,
            numbers=numbers,
            unweighted=once,
            counts=tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)),
            _n_rows=self.n_rows + other.n_rows,
        )._validate()

    def _subtract(self, part: Self) -> Self:
        class_count = subtract(self.class_count, part.class_count)
        with self._in_errors():
            numbers = self.numbers.subtract(part.numbers)
        try:
            unweighted = self.unweighted.subtract(part.unweighted)
        except _core.CoreError:  # rows that were multiplied since count less than once
            unweighted = numbers.total()
        counts = tuple(a.subtract(b) for a, b in zip(self.counts, part.counts, strict=True))
        observed = [count.table.sum(axis=1, keepdims=True) for count in counts]
        for weights in (numbers.weights, *observed):
            check_entries_left(weights, class_count, self.class_count)
        return replace(
            self,
            class_count=class_count,
            numbers=numbers,
            unweighted=unweighted,
            counts=counts,
            _n_rows=subtract_rows(self.n_rows, part.n_rows),
        )._validate()

    def _scale(self, factor: float) -> Self:
        class_count = scale(self.class_count, factor)
        with self._in_errors():
            numbers, once = self.numbers.scale(factor), self.unweighted.scale(factor)
        return replace(
            self,
            class_count=class_count,
            numbers=numbers,
            unweighted=once,
            counts=tuple(count.scale(factor) for count in self.counts),
            _n_rows=self.n_rows if factor else 0,
        )._validate()

    def _regroup(self, indices: Indices, classes: NDArray[Any]) -> Self:
        n_classes = len(classes)
        with self._in_errors():
            numbers = self.numbers.regroup(indices, n_classes)
        return replace(
            self,
            classes=classes,
            class_count=regroup(self.class_count, indices, n_classes),
            numbers=numbers,
            counts=tuple(count.regroup(indices, n_classes) for count in self.counts),
        )._validate()

    def _select(self, columns: Indices) -> Self:
        gaussian, discrete = columns_of_kinds(self.kinds)
        wanted = columns.tolist()
        numbers = np.array([gaussian.index(c) for c in wanted if c in gaussian], dtype=np.intp)
        return replace(
            self,
            kinds=tuple(self.kinds[column] for column in wanted),
            numbers=self.numbers.select(numbers),
            unweighted=self.unweighted.select(numbers),
            counts=tuple(self.counts[discrete.index(c)] for c in wanted if c in discrete),
        )

    def _validate(self) -> Self:
        """Refuse sums of squares, or variances, that overflow a double."""
        for sums in (self.numbers, self.unweighted):
            if sums.are_moderate():
                continue
            finite = np.isfinite(sums.scatter) & np.isfinite(sums.means)
            finite &= np.isfinite(sums.variances())
            if not finite.all():
                code, index = np.argwhere(~finite)[0].tolist()
                column = columns_of_kinds(self.kinds)[0][index]
                raise overflow(self._names(), column, code if sums is self.numbers else None)
        return self

    def _sums(self) -> tuple[Arrays, dict[str, Any]]:
        arrays = {"class_count": self.class_count}
        for name, sums in (("numbers", self.numbers), ("unweighted", self.unweighted)):
            arrays |= sums.store(name)
        if self.unweighted.core is not None:  # also of rows in which all numbers are missing
            arrays["unweighted.class_weight"] = self.unweighted.core.weights
        tables = [count.table for count in self.counts]
        arrays["tables"] = np.concatenate([np.empty((len(self.classes), 0)), *tables], axis=1)
        levels = [count.levels for count in self.counts]
        return arrays, {"levels": levels, "kinds": list(self.kinds), "n_rows": self.n_rows}

    @classmethod
    def _from_sums(cls, arrays: Arrays, metadata: dict[str, Any], **shared: Any) -> Self:
        levels, kinds = metadata["levels"], tuple(map(str, metadata["kinds"]))
        widths = [len(own) for own in levels]
        check_stored(arrays, len(shared["classes"]), sum(widths))
        gaussian, discrete = columns_of_kinds(kinds)
        if (arrays["numbers"].shape[2], len(levels)) != (len(gaussian), len(discrete)):
            raise ValueError(f"its sums are not those of columns of the kinds {kinds}")
        tables = np.split(arrays["tables"], np.cumsum(widths)[:-1], axis=1) if widths else []
        return cls(
            kinds=kinds,
            class_count=arrays["class_count"],
            numbers=NumberSums.restore(arrays["class_count"], arrays, "numbers"),
            unweighted=NumberSums.restore(weight_of_all(arrays), arrays, "unweighted"),
            counts=tuple(LevelCounts(o, t.copy()) for o, t in zip(levels, tables, strict=True)),
            _n_rows=rows_stored(metadata, arrays["class_count"]),
            **shared,
        )._validate()


@cache
def columns_of_kinds(kinds: tuple[str, ...]) -> tuple[list[int], list[int]]:
    """Return the indices of columns of numbers, and of the others."""
    gaussian = [column for column, kind in enumerate(kinds) if kind == GAUSSIAN]
    return gaussian, [column for column, kind in enumerate(kinds) if kind != GAUSSIAN]


def has_nan(numbers: list[float]) -> bool:
    """Tell whether some of a few numbers are missing: NaN alone is not equal to itself."""
    return any(map(ne, numbers, numbers))


def weight_of_all(arrays: Arrays) -> Floats:
    """Return the weight of all rows that count once; some files tell those with numbers only."""
    observed: Floats = arrays["unweighted"][0].max(axis=1, initial=0.0)
    return arrays.get("unweighted.class_weight", observed)


def check_stored(arrays: Arrays, n_classes: int, n_levels: int) -> None:
    """Refuse stored sums that do not fit together, or that no rows add up to."""
    class_count, numbers = arrays["class_count"], arrays["numbers"]
    check_sums("the counts of classes", class_count, (n_classes,))
    check_sums("its tables", arrays["tables"], (n_classes, n_levels))
    for sums, rows in ((numbers, n_classes), (arrays["unweighted"], 1)):
        weights, means, scatter = sums
        check_sums("its weights", weights, (rows, numbers.shape[-1]))
        check_sums("its sums of squares", scatter, weights.shape)
        check_sums("the sizes of its means", np.abs(means), weights.shape)
    check_counted(class_count, (numbers[0],), each_column=True)
    once = weight_of_all(arrays)
    check_sums("the weight of its rows", once, (1,))
    check_counted(once, (arrays["unweighted"][0],), each_column=True)
