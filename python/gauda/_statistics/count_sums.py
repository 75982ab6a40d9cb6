"""The algebra of counts of discrete columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gauda._data.kinds import Levels
from gauda._data.labeled_columns import DiscreteData, are_named
from gauda._statistics.base import Statistics
from gauda._statistics.changing import make, replace_sums
from gauda._statistics.count_kinds import (
    check_rest,
    check_stored,
    count,
    count_further,
    is_by_level,
    stored_absent,
)
from gauda._statistics.level_counts import LevelCounts
from gauda._statistics.stored import rows_stored, stored_tables
from gauda._statistics.tables import regroup, scale, subtract, subtract_rows
from gauda._storage.format import Arrays
from gauda._support.arrays import Floats, Indices
from gauda._support.errors import Names


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CountSums(Statistics):
    """Base of Counts: the counts, and what is done with those of equal classes."""

    _noun: ClassVar[str] = "Counts"

    kind: str
    class_count: Floats
    _columns: tuple[LevelCounts, ...]
    """Of each column; for other kinds one of all columns, and with gaps another of what is seen."""
    _n_rows: int
    _absent: Floats | None = None
    """Of presence, the weight of rows with nothing there; None if it is what is left of all."""

    def __post_init__(self) -> None:
        absent = self._absent
        if absent is not None and np.array_equal(absent, self._rest_of_present()):
            self.__dict__["_absent"] = None
        super().__post_init__()

    @classmethod
    def _of(
        cls, data: DiscreteData, kind: str, binarize: float | None = 0.0, *, gaps: bool = False
    ) -> Self:
        """Return the counts of rows that were checked, of which entries may be missing."""
        counted = count(data, kind, binarize, gaps=gaps)
        return make(
            cls,
            kind=kind,
            classes=data.labels.classes,
            class_count=counted.class_count,
            feature_names=data.labels.names.features,
            has_gaps=counted.has_gaps,
            _columns=counted.counts,
            _n_rows=data.labels.n_counted,
            _absent=counted.absent,
        )

    @property
    def _kind(self) -> str:
        return self.kind

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
        return len(self._columns) if is_by_level(self.kind) else self._tables[0].shape[1]

    @property
    def category_count(self) -> list[Floats]:
        """For each column the count of each class and category."""
        if not is_by_level(self.kind):
            raise AttributeError(f"Counts of kind {self.kind!r} have a feature_count.")
        return [table.copy() for table in self._tables]

    @property
    def levels(self) -> tuple[Levels, ...]:
        """For each column its categories, sorted; None if they are 0, 1, 2, ...."""
        if not is_by_level(self.kind):
            raise AttributeError(f"Counts of kind {self.kind!r} have no categories.")
        return tuple(
            None if column.levels is None else [*column.levels] for column in self._columns
        )

    @property
    def feature_count(self) -> Floats:
        """For each class and column how often something is present, or occurs."""
        if is_by_level(self.kind):
            raise AttributeError("Counts of kind 'categorical' have a category_count.")
        return self._tables[0].copy()

    @property
    def observed_count(self) -> Floats:
        """For each class and column the weight of the rows that have an entry there."""
        if is_by_level(self.kind):
            sums = [table.sum(axis=1) for table in self._tables]
            return np.column_stack(sums) if sums else np.empty((len(self.classes), 0))
        if len(self._columns) > 1:
            return self._tables[1].copy()
        return np.broadcast_to(self.class_count[:, np.newaxis], self._tables[0].shape).copy()

    @property
    def absent_count(self) -> Floats:
        """For each class and column the weight of the rows that have nothing there."""
        if self.kind != "bernoulli":
            raise AttributeError(f"Counts of kind {self.kind!r} do not tell what is absent.")
        return self._rest_of_present() if self._absent is None else self._absent.copy()

    def _rest_of_present(self) -> Floats:
        """Return what is seen less what is present: light rows beside heavy ones are lost in it."""
        rest: Floats = np.maximum(self.observed_count - self._tables[0], 0)
        return rest

    def _absent_of_both(self, other: Self) -> tuple[Floats, Floats] | None:
        """Return what is absent in these and others, if columns hold what is present or not.

        Tables that tell it of either may not tell it of both.
        """
        return (self.absent_count, other.absent_count) if self.kind == "bernoulli" else None

    @property
    def _tables(self) -> list[Floats]:
        """Of each column class x category; for other kinds class x column, also of what is seen."""
        return [column.table for column in self._columns]

    def _match(self, other: Self) -> tuple[Self, Self]:
        ours, theirs = super()._match(other)
        if not is_by_level(self.kind):
            alike = len(ours._columns) == len(theirs._columns)
            return (ours, theirs) if alike else (ours._with_observed(), theirs._with_observed())
        for index, pair in enumerate(zip(ours._columns, theirs._columns, strict=False)):
            if not pair[0].goes_with(pair[1]):
                column = Names("Counts", self.classes, self.feature_names).column(index)
                raise ValueError(
                    f"Column {column} must hold numbers 0, 1, 2, ... in both counts, or levels by "
                    "their names in both; got one of each. Convert it before it is counted."
                )
        return ours, theirs

    def _with_observed(self) -> Self:
        """Return the counts with a table of what is seen of each column."""
        if len(self._columns) > 1:
            return self
        return replace(self, _columns=(*self._columns, LevelCounts(None, self.observed_count)))

    def _join_rows(self, *given: Any) -> Self | None:
        """Return the counts together with those of rows that count once; None if not so quickly."""
        named = any(column.levels is not None for column in self._columns)
        further = len(self._columns) > 1 or self._absent is not None
        if named or (not is_by_level(self.kind) and further):
            return None
        sums = count_further(self.kind, self.class_count, self._tables, *given)
        if sums is None:
            return None
        class_count, tables, n_rows = sums
        columns = tuple(map(LevelCounts.of_numbers, tables))
        n_rows += self._n_rows
        return replace_sums(self, class_count=class_count, _columns=columns, _n_rows=n_rows)

    def _merge(self, other: Self) -> Self:
        pairs = zip(self._columns, other._columns, strict=True)
        absent = self._absent_of_both(other)
        return replace(
            self,
            class_count=self.class_count + other.class_count,
            _columns=tuple(ours + theirs for ours, theirs in pairs),
            _n_rows=self.n_rows + other.n_rows,
            _absent=None if absent is None else absent[0] + absent[1],
        )

    def _subtract(self, part: Self) -> Self:
        class_count = subtract(self.class_count, part.class_count)
        pairs = zip(self._columns, part._columns, strict=True)
        if is_by_level(self.kind):
            columns = tuple(ours.subtract(theirs) for ours, theirs in pairs)
        else:
            tables = [subtract(ours.table, theirs.table) for ours, theirs in pairs]
            check_rest(self.kind, tables, class_count, self.class_count)
            columns = tuple(LevelCounts(None, table) for table in tables)
        n_rows = subtract_rows(self.n_rows, part.n_rows)
        absent = self._absent_of_both(part)
        return replace(
            self,
            class_count=class_count,
            _columns=columns,
            _n_rows=n_rows,
            _absent=None if absent is None else subtract(*absent),
        )

    def _scale(self, factor: float) -> Self:
        return replace(
            self,
            class_count=scale(self.class_count, factor),
            _columns=tuple(column.scale(factor) for column in self._columns),
            _n_rows=self.n_rows if factor else 0,
            _absent=None if self._absent is None else scale(self._absent, factor),
        )

    def _regroup(self, indices: Indices, classes: NDArray[Any]) -> Self:
        n_classes = len(classes)
        absent = self.absent_count if self.kind == "bernoulli" else None
        return replace(
            self,
            classes=classes,
            class_count=regroup(self.class_count, indices, n_classes),
            _columns=tuple(column.regroup(indices, n_classes) for column in self._columns),
            _absent=None if absent is None else regroup(absent, indices, n_classes),
        )

    def _select(self, columns: Indices) -> Self:
        if not is_by_level(self.kind):
            tables = tuple(LevelCounts(None, table[:, columns]) for table in self._tables)
            absent = None if self._absent is None else self._absent[:, columns]
            return replace(self, _columns=tables, _absent=absent)
        return replace(self, _columns=tuple(self._columns[column] for column in columns))

    def _sums(self) -> tuple[Arrays, dict[str, Any]]:
        arrays = {
            "class_count": self.class_count,
            "widths": np.array([table.shape[1] for table in self._tables]),
            "tables": np.concatenate([np.empty((len(self.classes), 0)), *self._tables], axis=1),
        }
        if self._absent is not None:
            arrays["absent"] = self._absent
        metadata = {"kind": self.kind, "n_rows": self.n_rows}
        if is_by_level(self.kind) and are_named(self.levels):
            return arrays, metadata | {"levels": list(self.levels)}
        return arrays, metadata

    @classmethod
    def _from_sums(cls, arrays: Arrays, metadata: dict[str, Any], **shared: Any) -> Self:
        kind, class_count = metadata["kind"], arrays["class_count"]
        tables = stored_tables(arrays, len(shared["classes"]))
        levels = metadata.get("levels") or [None] * len(tables)
        check_stored(kind, class_count, tables, levels)
        n_rows = rows_stored(metadata, class_count)
        columns = tuple(map(LevelCounts, levels, tables))
        return cls(
            kind=kind,
            class_count=class_count,
            _columns=columns,
            _n_rows=n_rows,
            _absent=stored_absent(kind, arrays, class_count, tables),
            **shared,
        )
