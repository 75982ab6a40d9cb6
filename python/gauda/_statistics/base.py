"""Statistics of labeled rows that merge: the algebra of labels and names, once for every kind.

A kind says how sums of equal classes and columns are combined; here both are made equal first.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gauda._data.labels import (
    check_part,
    distinct,
    indices_among,
    joint_labels,
    label_array,
    same_labels,
)
from gauda._statistics import shown
from gauda._statistics.changing import change, copy_of_state
from gauda._statistics.features import check_columns, column_indices, joint_names
from gauda._statistics.stored import check_names, same_content, stored_fields
from gauda._storage.format import Arrays, read, report_damage
from gauda._storage.saveable import register, save
from gauda._support.arrays import Floats, Indices, Mask, divide_by_sum, read_only
from gauda.typing import Labels


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Statistics(ABC):
    """Base of all that models need of rows: sums that can be added, subtracted and multiplied."""

    _saved_as: ClassVar[str | None] = None
    _noun: ClassVar[str]
    """What errors call such statistics, in the plural."""

    classes: NDArray[Any]
    feature_names: NDArray[Any] | None = None
    has_gaps: bool = False

    __hash__ = None  # type: ignore[assignment] # equal statistics need not be the same
    __array_ufunc__ = None
    """Has numpy's scalars leave multiplication to us."""

    def __init_subclass__(cls, *, saved_as: str | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        register(cls, saved_as)

    def __post_init__(self) -> None:
        for name, value in self.__dict__.items():
            if isinstance(value, np.ndarray) and value.flags.writeable:
                self.__dict__[name] = read_only(value)

    __getstate__ = copy_of_state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # numpy's pickles forget that arrays are read-only

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of columns."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Rows of positive weight."""

    @property
    @abstractmethod
    def class_weight(self) -> Floats:
        """Sum of the weights of each class; without weights, its rows."""

    def _proportions(self) -> Floats:
        """Return the share of each class in all weight."""
        return divide_by_sum(self.class_weight)

    @property
    @abstractmethod
    def _kind(self) -> str:
        """What kind of statistics these are, in `repr` and in errors."""

    @abstractmethod
    def _merge(self, other: Self) -> Self:
        """Return the sums of both samples together."""

    @abstractmethod
    def _subtract(self, part: Self) -> Self:
        """Return the sums of what is left without a part; a class may be left without weight."""

    @abstractmethod
    def _scale(self, factor: float) -> Self:
        """Return the sums with every weight multiplied by a factor of at least 0."""

    @abstractmethod
    def _regroup(self, indices: Indices, classes: NDArray[Any]) -> Self:
        """Return the sums with each class moved to an index among sorted classes.

        Classes with the same index become one; a class with index -1 has no weight and is dropped.
        """

    @abstractmethod
    def _select(self, columns: Indices) -> Self:
        """Return the sums of some columns; names follow by themselves."""

    @abstractmethod
    def _sums(self) -> tuple[Arrays, dict[str, Any]]:
        """Return what a file holds besides classes, names and gaps."""

    @classmethod
    @abstractmethod
    def _from_sums(cls, arrays: Arrays, metadata: dict[str, Any], **shared: Any) -> Self:
        """Return the statistics that a file holds; refuse sums that no rows have."""

    def _match(self, other: Self) -> tuple[Self, Self]:
        """Return both with what `_merge` needs to be equal, besides classes; or refuse."""
        if self._kind != other._kind:
            raise ValueError(
                f"{self._noun} must be of one kind; got {self._kind!r} and {other._kind!r}."
            )
        return self, other

    def _check_complete(self, what: str) -> None:  # noqa: B027 (kinds may have no gaps)
        """Refuse arithmetic that would count missing values as observed ones."""

    @final
    def __add__(self, other: object) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        ours, theirs = self._comparable(other, "added to others")
        names = joint_names(ours.feature_names, theirs.feature_names, self._noun)
        classes = joint_labels(ours.classes, theirs.classes)
        if same_labels(classes, ours.classes):
            classes = ours.classes
        merged = ours._among(classes)._merge(theirs._among(classes))
        gaps = ours.has_gaps or theirs.has_gaps
        if merged.classes is classes and merged.feature_names is names and merged.has_gaps == gaps:
            return merged
        return change(merged, classes=classes, feature_names=names, has_gaps=gaps)

    @final
    def __radd__(self, other: object) -> Self:
        if isinstance(other, int) and other == 0:  # sum() begins with 0
            return self
        return NotImplemented

    @final
    def __sub__(self, other: object) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        ours, theirs = self._comparable(other, "subtracted from each other")
        joint_names(ours.feature_names, theirs.feature_names, self._noun)
        part = theirs._with_classes(theirs.class_weight > 0)
        check_part(part.classes, ours.classes, self._noun.lower())
        rest = ours._subtract(part._among(ours.classes))
        rest = change(rest, has_gaps=ours.has_gaps or theirs.has_gaps)
        return rest._with_classes((rest.class_weight > 0) | (ours.class_weight == 0))

    @final
    def __mul__(self, factor: object) -> Self:
        if not isinstance(factor, Real):
            return NotImplemented
        if factor == 1:
            return self
        self._check_complete("multiplied")
        if not 0 <= float(factor) < np.inf:
            raise ValueError(
                f"{self._noun} must be multiplied by a finite factor of at least 0; got {factor}."
            )
        return self._scale(float(factor))

    __rmul__ = __mul__

    @final
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Statistics):
            return NotImplemented
        if type(self) is not type(other):
            return False
        return same_content(self._state(), other._state())

    save = save

    __repr__ = shown.as_line
    _repr_html_ = shown.as_html

    @final
    def select(self, features: ArrayLike) -> Self:
        """Return the statistics of some columns.

        Parameters
        ----------
        features : array-like
            Names or indices of columns, in the order wanted, or a mask.

        Returns
        -------
        Self
            The same rows with fewer columns.

        Examples
        --------
        >>> from gauda import Moments
        >>> Moments.from_data([[1.0, 2.0], [3.0, 6.0]], [7, 7]).select([1]).means
        array([[4.]])
        """
        columns = column_indices(features, self.feature_names, self.n_features)
        names = None if self.feature_names is None else self.feature_names[columns]
        return replace(self._select(columns), feature_names=names)

    @final
    def relabel(self, mapping: Mapping[Any, Any]) -> Self:
        """Return the statistics under other labels; classes that get the same label become one.

        Parameters
        ----------
        mapping : mapping
            New labels by old ones; classes that are not in it keep theirs.

        Returns
        -------
        Self
            The same rows with other labels.

        Examples
        --------
        >>> from gauda import Moments
        >>> Moments.from_data([[1.0], [3.0], [8.0]], ["oak", "elm", "fir"]).relabel(
        ...     {"oak": "broadleaf", "elm": "broadleaf"}
        ... )
        Moments('full', 3 rows, 1 feature; broadleaf: 2, fir: 1)
        """
        old = self.classes.tolist()
        unknown = [label for label in mapping if label not in old]
        if unknown:
            raise ValueError(f"mapping must be by classes, which are {old}; got {unknown}.")
        labels = label_array(mapping.get(label, label) for label in old)
        if len(labels) == 0:
            return self
        text = self.classes.dtype.kind == "O" and labels.dtype.kind == "U"
        classes, indices = np.unique(labels.astype(object) if text else labels, return_inverse=True)
        if len(classes) < len(labels):
            self._check_complete("merged to fewer classes")
        return self._regroup(indices, classes)

    @final
    def widen(self, classes: Labels) -> Self:
        """Return the statistics with classes that have no rows yet.

        Parameters
        ----------
        classes : array-like of shape (n_classes,)
            All labels that there may be, those of `classes` among them.

        Returns
        -------
        Self
            The same rows; the order of the classes is the sorted one.

        Examples
        --------
        >>> from gauda import Counts
        >>> Counts.from_data([[1], [0]], ["elm", "oak"]).widen(["elm", "fir", "oak"])
        Counts('categorical', 2 rows, 1 feature; elm: 1, fir: 0, oak: 1)
        """
        return self._among(distinct(classes))

    @classmethod
    @final
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the statistics that a file holds.

        Parameters
        ----------
        path : str or path
            A file that `save` has written.

        Returns
        -------
        Self
            The same as were saved, to the bit.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from gauda import Moments
        >>> with TemporaryDirectory() as folder:
        ...     Moments.from_data([[1.0], [3.0]], ["a", "b"]).save(f"{folder}/a.moments")
        ...     Moments.load(f"{folder}/a.moments")
        Moments('full', 2 rows, 1 feature; a: 1, b: 1)
        """
        content = read(path)
        if content.kind != cls._saved_as:
            raise ValueError(
                f"{path} holds a {content.kind}, not {cls._noun.lower()}. Use gauda.load."
            )
        with report_damage(path):
            return cls._from_state(content.arrays, content.metadata)

    @final
    def _state(self) -> tuple[Arrays, dict[str, Any]]:
        arrays, metadata = self._sums()
        arrays["classes"] = self.classes
        if self.feature_names is not None:
            arrays["feature_names"] = self.feature_names
        return arrays, metadata | {"has_gaps": self.has_gaps}

    @classmethod
    @final
    def _from_state(cls, arrays: Arrays, metadata: dict[str, Any]) -> Self:
        statistics = cls._from_sums(arrays, metadata, **stored_fields(arrays, metadata))
        check_names(statistics.feature_names, statistics.n_features)
        return statistics

    @final
    def _comparable(self, other: Self, what: str) -> tuple[Self, Self]:
        """Return both if they are sums over the same columns, of values that can be counted."""
        ours, theirs = self._match(other)
        check_columns(ours.n_features, theirs.n_features, self._noun)
        for statistics in (ours, theirs):
            statistics._check_complete(what)
        return ours, theirs

    @final
    def _among(self, classes: NDArray[Any]) -> Self:
        """Return the statistics with these sorted classes, all of ours among them."""
        if self.classes is classes or np.array_equal(self.classes, classes):
            return self
        indices = indices_among(self.classes, classes)
        if (indices < 0).any():
            raise ValueError(
                f"The target label(s) {self.classes[indices < 0]} in y do not exist in the initial "
                f"classes {classes}"
            )
        return self._regroup(indices, classes)

    @final
    def _with_classes(self, kept: Mask) -> Self:
        """Return the statistics without classes that have no weight."""
        if kept.all():
            return self
        return self._regroup(np.where(kept, np.cumsum(kept) - 1, -1), self.classes[kept])
