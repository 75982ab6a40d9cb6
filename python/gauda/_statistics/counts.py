"""Sufficient statistics of discrete columns: counts to be added, subtracted, forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _get_feature_names

from gauda import _core
from gauda._data.discrete_rows import LabelArrays, Rows, rows_of, threshold_for
from gauda._data.labels import check_part, joint_labels, label_array, places_among
from gauda._data.training import LabelledRows
from gauda._storage.format import Arrays
from gauda._storage.saveable import Saveable, check_sums

KINDS = ("categorical", "bernoulli")
ROUNDING = 1e-9
"""Share of a count that rounding may leave when what it was made of is subtracted."""


@dataclass(frozen=True, eq=False, repr=False)
class Counts(Saveable, saved_as="Counts"):
    """How often each class and category occurs: all that a discrete model needs of the rows.

    `from_data` counts in one pass. Counts of disjoint samples add up to those of all rows, also if
    some classes or categories occur in one of them only, and a sample that was added can be
    subtracted again.

    Attributes
    ----------
    kind : {'categorical', 'bernoulli'}
        Whether columns hold categories 0, 1, 2, ..., or something that is present or not.

    classes : ndarray of shape (n_classes,)
        Labels, sorted.

    class_count : ndarray of shape (n_classes,)
        Sum of the weights of each class; without weights, its rows.

    feature_names : ndarray of shape (n_features,) or None
        Names of the columns, if the data had names.

    Examples
    --------
    >>> from gauda import CategoricalNB, Counts
    >>> monday = Counts.from_data([[0], [1], [1]], ["a", "a", "b"])
    >>> tuesday = Counts.from_data([[2], [1]], ["a", "b"])
    >>> week = monday + tuesday
    >>> week.category_count
    [array([[1., 1., 1.],
           [0., 2., 0.]])]
    >>> CategoricalNB.from_counts(week).predict([[2]])
    array(['a'], dtype='<U1')
    """

    kind: str
    classes: NDArray[Any]
    class_count: NDArray[np.float64]
    _tables: tuple[NDArray[np.float64], ...]
    """Of each column class x category; for 'bernoulli' one table, class x column."""
    feature_names: NDArray[Any] | None = None

    __hash__ = None  # type: ignore[assignment] # equal counts need not be the same
    __array_ufunc__ = None
    """Has numpy's scalars leave multiplication to us."""

    @classmethod
    def from_data(  # noqa: PLR0913 (what a fit is given)
        cls,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        kind: str = "categorical",
        *,
        binarize: float | None = 0.0,
        classes: ArrayLike | None = None,
        n_threads: int | None = None,
    ) -> Counts:
        """Return the counts of rows, in one parallel pass.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; for 'bernoulli' also a sparse matrix.

        y : array-like of shape (n_samples,)
            Labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 counts like two rows.

        kind : {'categorical', 'bernoulli'}, default='categorical'
            Count categories 0, 1, 2, ..., or what is above a threshold.

        binarize : float or None, default=0.0
            The threshold for 'bernoulli'. None if X is made of 0 and 1, or of shares between them.

        classes : array-like of shape (n_classes,), default=None
            Labels that there may be; by default those in `y`.

        n_threads : int, default=None
            Number of threads; the result does not depend on it.

        Returns
        -------
        Counts
            The counts.

        Examples
        --------
        >>> from gauda import Counts
        >>> Counts.from_data([[3, 0], [0, 0], [1, 9]], [0, 0, 1], kind="bernoulli").feature_count
        array([[1., 0.],
               [1., 1.]])
        """
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {KINDS}, got {kind!r}.")
        rows = rows_of(X, "Counts", sparse=kind == "bernoulli")
        data = LabelledRows._labelled(
            np.empty((rows.shape[0], 0)), y, sample_weight, _get_feature_names(X), None
        )
        counts = cls._of(rows, replace(data, n_threads=n_threads), kind, binarize)
        return counts if classes is None else counts._among(np.unique(label_array(classes)))

    @classmethod
    def _of(cls, rows: Rows, data: LabelledRows, kind: str, binarize: float | None = 0.0) -> Counts:
        """Return the counts of rows that were checked."""
        labelled: LabelArrays = (data.codes, len(data.classes), data.weights)
        with replace(data.names, estimator=who(data, kind)).told():
            if kind == "bernoulli":
                threshold = threshold_for(rows, binarize)
                class_count, table = _core.count_presence(
                    rows.arrays, labelled, threshold, data.n_threads
                )
                tables = [table]
            else:
                class_count, tables = _core.count_levels(
                    cast("NDArray[Any]", rows.arrays), labelled, n_threads=data.n_threads
                )
        return cls(kind, data.classes, class_count, tuple(tables), data.names.features)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self._tables) if self.kind == "categorical" else self._tables[0].shape[1]

    @property
    def category_count(self) -> list[NDArray[np.float64]]:
        """For each column the count of each class and category."""
        if self.kind != "categorical":
            raise AttributeError("Counts of kind 'bernoulli' have a feature_count.")
        return [table.copy() for table in self._tables]

    @property
    def feature_count(self) -> NDArray[np.float64]:
        """For each class and column how often something is present."""
        if self.kind != "bernoulli":
            raise AttributeError("Counts of kind 'categorical' have a category_count.")
        return self._tables[0].copy()

    def __repr__(self) -> str:
        total = f"{self.class_count.sum():.12g}"
        shape = f"{len(self.classes)} classes, {self.n_features} features"
        return f"Counts({self.kind!r}, {total} rows, {shape})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        if (self.kind, self.n_features) != (other.kind, other.n_features):
            return False
        ours, theirs = (
            [c.classes, c.class_count, *c._tables, *([] if (n := c.feature_names) is None else [n])]
            for c in (self, other)
        )
        return len(ours) == len(theirs) and all(map(np.array_equal, ours, theirs))

    def __add__(self, other: object) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        names = self._check_alike(other)
        classes = joint_labels(self.classes, other.classes)
        ours, theirs = self._among(classes), other._among(classes)
        return replace(ours._combined(theirs, np.add), feature_names=names)

    def __radd__(self, other: object) -> Counts:
        if isinstance(other, int) and other == 0:  # sum() begins with 0
            return self
        return NotImplemented

    def __sub__(self, other: object) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        self._check_alike(other)
        present = other._with_classes(other.class_count > 0)
        check_part(present.classes, self.classes, "counts")
        rest = self._combined(present._among(self.classes), remaining)
        return rest._with_classes((rest.class_count > 0) | (self.class_count == 0))

    def __mul__(self, factor: object) -> Counts:
        if not isinstance(factor, Real):
            return NotImplemented
        if not 0 <= float(factor) < np.inf:
            raise ValueError(f"Counts are multiplied by a finite factor of at least 0: {factor}.")
        if factor == 1:
            return self
        with np.errstate(over="ignore"):
            scaled = self._mapped(lambda table: table * float(factor))
        if not np.isfinite(scaled.class_count).all():
            raise ValueError(f"The counts times {factor} are too large for a float. Use less.")
        return scaled

    __rmul__ = __mul__

    def _mapped(self, change: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Counts:
        """Return the counts with a function applied to every table, whose rows are classes."""
        tables = tuple(change(table) for table in self._tables)
        return replace(self, class_count=change(self.class_count), _tables=tables)

    def _combined(self, other: Counts, combine: Callable[..., NDArray[np.float64]]) -> Counts:
        """Return the counts combined with others of the same classes, table by table."""
        pairs = zip(self._tables, other._tables, strict=True)
        tables = tuple(combine(*padded_alike(ours, theirs)) for ours, theirs in pairs)
        class_count = combine(self.class_count, other.class_count)
        return replace(self, class_count=class_count, _tables=tables)

    def _among(self, classes: NDArray[Any]) -> Counts:
        """Return the counts with these sorted classes, all of ours among them."""
        if self.classes is classes or np.array_equal(self.classes, classes):
            return self
        places = places_among(self.classes, classes)
        if (places < 0).any():
            raise ValueError(
                f"The target label(s) {self.classes[places < 0]} in y do not exist in the initial "
                f"classes {classes}"
            )

        def spread(table: NDArray[np.float64]) -> NDArray[np.float64]:
            wide = np.zeros((len(classes), *table.shape[1:]))
            wide[places] = table
            return wide

        return replace(self._mapped(spread), classes=classes)

    def _with_classes(self, kept: NDArray[np.bool_]) -> Counts:
        return replace(self._mapped(lambda table: table[kept]), classes=self.classes[kept])

    def _check_alike(self, other: Counts) -> NDArray[Any] | None:
        """Refuse counts of other columns; return the names of the columns."""
        if self.kind != other.kind:
            raise ValueError(f"{self.kind!r} and {other.kind!r} counts do not go together.")
        if self.n_features != other.n_features:
            raise ValueError(
                f"Counts of {self.n_features} and {other.n_features} features do not go together."
            )
        ours, theirs = self.feature_names, other.feature_names
        if ours is not None and theirs is not None and not np.array_equal(ours, theirs):
            raise ValueError(
                f"Counts of different columns do not go together: {ours.tolist()} and "
                f"{theirs.tolist()}."
            )
        return theirs if ours is None else ours

    def _state(self) -> tuple[Arrays, dict[str, Any]]:
        arrays = {
            "classes": self.classes,
            "class_count": self.class_count,
            "widths": np.array([table.shape[1] for table in self._tables]),
            "tables": np.concatenate([np.empty((len(self.classes), 0)), *self._tables], axis=1),
        }
        if self.feature_names is not None:
            arrays["feature_names"] = self.feature_names
        return arrays, {"kind": self.kind}

    @classmethod
    def _from_state(cls, arrays: Arrays, metadata: dict[str, Any]) -> Counts:
        kind, classes, count = metadata["kind"], arrays["classes"], arrays["class_count"]
        widths, joined, names = arrays["widths"], arrays["tables"], arrays.get("feature_names")
        if kind not in KINDS or (kind == "bernoulli" and len(widths) != 1):
            raise ValueError(f"there are no such counts of kind {kind!r}")
        if (
            classes.ndim != 1
            or widths.ndim != 1
            or widths.dtype.kind not in "iu"
            or (widths < 0).any()
        ):
            raise ValueError("its tables and classes do not fit together")
        check_sums("the counts of classes", count, classes.shape)
        check_sums("its tables", joined, (len(classes), int(widths.sum())))
        tables = tuple(np.split(joined, np.cumsum(widths)[:-1], axis=1))
        counted = [
            table if kind == "bernoulli" else table.sum(axis=1, keepdims=True) for table in tables
        ]
        if any((table > (1 + ROUNDING) * count[:, np.newaxis]).any() for table in counted):
            raise ValueError("more was counted in a column than there are rows")
        counts = cls(kind, classes, count, tuple(map(np.ascontiguousarray, tables)), names)
        if names is not None and names.shape != (counts.n_features,):
            raise ValueError(f"{names.shape} names cannot name {counts.n_features} columns")
        return counts


def who(data: LabelledRows, kind: str) -> str:
    """Return who refuses data: the estimator, or whoever would take such counts."""
    named = {"categorical": "CategoricalNB", "bernoulli": "BernoulliNB"}
    return named[kind] if data.names.estimator == "Moments" else data.names.estimator


def padded_alike(
    ours: NDArray[np.float64], theirs: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return tables of as many categories; those that one lacks do not occur in it."""
    width = max(ours.shape[1], theirs.shape[1])
    return widened(ours, width), widened(theirs, width)


def widened(table: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """Return a table with room for so many categories."""
    missing = width - table.shape[1]
    return np.pad(table, [(0, 0), (0, missing)]) if missing > 0 else table


def remaining(all_of: NDArray[np.float64], part: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return counts less a part of them; refuse what was no part."""
    rest = all_of - part
    slack = ROUNDING * all_of
    if (rest < -slack).any():
        raise ValueError(
            "What is subtracted was not part of the counts: some would fall below 0. Subtract only "
            "what was added before, with the same weights."
        )
    left: NDArray[np.float64] = np.where(rest <= np.where(part > 0, slack, 0), 0.0, rest)
    return left
