"""The algebra of moments: what the core does with sums of equal classes and columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gauda._core import CoreError
from gauda._core import Moments as CoreMoments
from gauda._data.element_types import FLOAT32, FLOAT64
from gauda._data.training import Codes, LabeledRows
from gauda._statistics.base import Statistics
from gauda._statistics.changing import change, make, replace_sums
from gauda._statistics.core_sums import (
    HIGHEST,
    LOWEST,
    core_moments,
    restore,
    store,
    unless_refused,
)
from gauda._storage.format import Arrays
from gauda._storage.saveable import part_of, prefix_names
from gauda._support.arrays import Floats, Indices
from gauda._support.errors import Names


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MomentSums(Statistics):
    """Base of Moments: sums that the core holds."""

    _noun: ClassVar[str] = "Moments"

    _core: CoreMoments
    _dtype: np.dtype[Any]
    """Of fitted attributes."""
    _unweighted: CoreMoments | None = None
    """Of all rows as one class, each counted once; None where the total of the classes is that."""

    @classmethod
    def _of(
        cls,
        data: LabeledRows,
        structure: str,
        *,
        unweighted: bool | None = None,
        gaps: bool = False,
        order: int = 2,
    ) -> Self:
        """Return the moments of rows that were checked; diagonal ones tell unweighted sums too.

        NaN is refused, or left out of the sums of its column if diagonal moments may have gaps.
        """
        n_classes = len(data.classes)
        try:
            core = core_moments(
                data, data.codes, n_classes, structure, data.weights, gaps=gaps, order=order
            )
        except CoreError as error:
            raise data.names.explain(error) from None
        once = None
        if data.weights is not None and (structure == "diag" if unweighted is None else unweighted):
            codes = np.zeros_like(data.codes)
            once = unless_refused(
                lambda: core_moments(data, codes, 1, "diag", data.counted_once, gaps=gaps)
            )
        return make(
            cls,
            classes=data.classes,
            feature_names=data.names.features,
            has_gaps=core.seen is not None,
            _core=core,
            _dtype=data.dtype,
            _unweighted=once,
        )

    @property
    def _kind(self) -> str:
        return self._core.structure

    @property
    def structure(self) -> str:
        """What is known of second moments: 'full', 'tied' or 'diag'."""
        return self._core.structure

    @property
    def order(self) -> int:
        """The highest order of moments that are known: 2 or 4."""
        return self._core.order

    @property
    def observed_counts(self) -> Floats:
        """Sum of the weights of the rows in which each column is observed, class x column."""
        seen = self._core.seen
        if seen is None:
            counts = self._core.weights[:, np.newaxis]
            return np.broadcast_to(counts, (len(self.classes), self.n_features))
        return seen

    @property
    def class_weight(self) -> Floats:
        """Sum of the weights of each class, as `counts`."""
        return self._core.weights

    def _proportions(self) -> Floats:
        try:
            return self._core.proportions()
        except CoreError as error:
            raise self._names().explain(error) from None

    @property
    def n_rows(self) -> int:
        """Rows of positive weight."""
        return self._core.n_rows

    @property
    def class_rows(self) -> NDArray[np.uint64]:
        """Rows of positive weight in each class."""
        return self._core.rows

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self._core.n_features

    @property
    def unweighted(self) -> Self:
        """Moments of all rows as one class, each counted once, of structure 'diag'."""
        with self._names().in_errors():
            core = self._each_once()
        return replace(self, _core=core, classes=np.zeros(1, int), _unweighted=None)

    def _to(self, structure: str) -> Self:
        """Return the moments with less known, whether or not a fit to the rows would give them."""
        return self if structure == self.structure else self._with(self._core.to(structure))

    def _total(self) -> Self:
        """Return the moments of all rows as one class, as if no value had been missing."""
        with self._names().in_errors():
            return change(self, _core=self._core.total(), classes=np.zeros(1, int))

    def _match(self, other: Self) -> tuple[Self, Self]:
        if self.structure == other.structure:
            return self, other
        if "full" not in {self.structure, other.structure}:
            raise ValueError(
                f"Moments of structure {self.structure!r} and {other.structure!r} do not go "
                "together; make one of them again from its rows with structure='full', which holds "
                "all."
            )
        structure = other.structure if self.structure == "full" else self.structure
        for moments in (self, other):
            moments._check_complete(f"reduced to {structure!r} ones")
        return self._to(structure), other._to(structure)

    def _join_rows(self, rows: NDArray[Any], codes: Codes, n_threads: int | None) -> Self | None:
        """Return the moments together with those of rows that count once; None if not quickly."""
        if self._unweighted is not None or self.order != LOWEST:
            return None
        core = self._core.join_rows(rows, codes, n_threads)
        if core is None:
            return None
        wider = self._dtype == FLOAT32 and rows.dtype != FLOAT32
        return replace_sums(self, _core=core, _dtype=FLOAT64 if wider else self._dtype)

    def _merge(self, other: Self) -> Self:
        with self._names().in_errors():
            core = self._core.merge(other._core)
        once = None
        if self._unweighted is not None or other._unweighted is not None:
            once = unless_refused(lambda: self._each_once().merge(other._each_once()))
        dtype = np.result_type(self._dtype, other._dtype)
        return change(self, _core=core, _dtype=dtype, _unweighted=once)

    def _subtract(self, part: Self) -> Self:
        with self._names().in_errors():
            core = self._core.subtract(part._core)
        once = self._unweighted
        if once is not None:
            once = unless_refused(lambda: self._each_once().subtract(part._each_once()))
        return change(self, _core=core, _unweighted=once)

    def _scale(self, factor: float) -> Self:
        once = self._unweighted
        if once is not None:
            once = unless_refused(lambda: self._each_once().scale(factor))
        with self._names().in_errors():
            return change(self, _core=self._core.scale(factor), _unweighted=once)

    def _regroup(self, indices: Indices, classes: NDArray[Any]) -> Self:
        n_classes = len(classes)
        if n_classes == 0:
            rows = np.empty((0, self.n_features))
            fourth = self.order == HIGHEST
            core = CoreMoments.from_data(
                rows, np.empty(0, np.uint32), 0, self.structure, fourth_order=fourth
            )
            if self._core.seen is not None:
                core = CoreMoments(**core.parts | {"seen": rows})
        else:
            with self._names().in_errors():  # what has no weight may go anywhere
                core = self._core.regroup(np.maximum(indices, 0).tolist(), n_classes)
        return change(self, _core=core, classes=classes)

    def _select(self, columns: Indices) -> Self:
        once = self._unweighted
        return change(
            self,
            _core=self._core.select(columns.tolist()),
            _unweighted=None if once is None else once.select(columns.tolist()),
        )

    def _sums(self) -> tuple[Arrays, dict[str, Any]]:
        arrays = store(self._core)
        if self._unweighted is not None:
            arrays |= prefix_names({"unweighted": store(self._unweighted)})
        return arrays, {"structure": self.structure, "dtype": self._dtype.name}

    @classmethod
    def _from_sums(cls, arrays: Arrays, metadata: dict[str, Any], **shared: Any) -> Self:
        core = restore(arrays, metadata["structure"])
        n_classes = len(shared["classes"])
        if len(core.weights) != n_classes:
            raise ValueError(f"{n_classes} labels cannot name {len(core.weights)} classes")
        parts = part_of(arrays, "unweighted")
        once = restore(parts, "diag") if parts else None
        if once is not None and (len(once.weights), once.n_features) != (1, core.n_features):
            raise ValueError("its sums of rows that count once are those of other columns")
        return cls(_core=core, _dtype=np.dtype(metadata["dtype"]), _unweighted=once, **shared)

    def _each_once(self) -> CoreMoments:
        """Return the core's moments of all rows as one class, each counted once."""
        return self._core.total().to("diag") if self._unweighted is None else self._unweighted

    @cached_property
    def _largest_variance(self) -> float:
        """The largest variance of any column, in which each row counts once."""
        once = self._core if self._unweighted is None else self._unweighted
        try:
            return once.largest_variance()
        except CoreError as error:
            raise self._names().explain(error) from None

    def _names(self, model: Any = None) -> Names:
        """Return how classes and columns are called."""
        who = "Moments" if model is None else type(model).__name__
        return Names(who, self.classes, self.feature_names, model, self)

    def _attribute(self, values: Floats) -> NDArray[Any]:
        """Return values in the type of fitted attributes; in doubles where some would become 0."""
        if values.dtype == self._dtype:
            return values
        with np.errstate(over="ignore", under="ignore"):
            rounded = values.astype(self._dtype)
        if np.any(too_large := np.isinf(rounded) & np.isfinite(values)):
            where = ""
            if values.ndim > 1 and values.shape[-1] == self.n_features:
                where = f" in column {self._names().column(np.argwhere(too_large)[0, -1])}"
            raise ValueError(
                f"The data's moments, or their inverses, are too large for float32{where}. Pass X "
                "as float64."
            )
        return values if np.any((rounded == 0) & (values != 0)) else rounded

    def _with(self, core: CoreMoments) -> Self:
        """Return other sums under the same labels."""
        return replace_sums(self, _core=core)

    def _check_complete(self, what: str) -> None:
        """Refuse arithmetic that would count missing values as observed ones."""
        if self.has_gaps and self._core.seen is None:
            raise ValueError(
                f"Moments of rows in which values were missing cannot be {what}: EM has estimated "
                "them, so they are not sums of rows. Fit all rows together, or fill the rows in "
                "first, as with impute; moments of structure 'diag' leave missing values out."
            )
