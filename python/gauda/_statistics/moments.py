"""Sufficient statistics: what a fit needs of the rows, to be added, subtracted, forgotten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gauda._core import Moments as CoreMoments
from gauda._data.labels import check_part, joint_labels, label_array, places_among, same_labels
from gauda._data.training import LabelledRows
from gauda._storage.format import Arrays, damage_told, read
from gauda._storage.saveable import Saveable
from gauda._support.errors import Names

STRUCTURES = ("full", "tied", "diag")
MOST_CLASSES_SHOWN = 8
DIGITS_SHOWN = 12


@dataclass(frozen=True, eq=False, repr=False)
class Moments(Saveable, saved_as="Moments"):
    """Weight, mean and scatter of each class: all that a Gaussian model needs of the rows.

    `from_data` makes them in one pass. Moments of disjoint samples add up to those of all rows, and
    a sample that was added can be subtracted again. Means far from zero lose no digits in this, as
    they are kept in two parts.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels, sorted.

    counts : ndarray of shape (n_classes,)
        Sum of the weights of each class; without weights, its rows.

    n_rows : int
        Rows of positive weight.

    means : ndarray of shape (n_classes, n_features)
        Class means; 0 for a class without rows.

    scatter : ndarray
        Sums of squares and products about the class means: of shape (n_classes, n_features,
        n_features) for 'full', (n_features, n_features) for 'tied' (the classes together),
        (n_classes, n_features) for 'diag' (squares only).

    n_features : int
        Number of columns.

    feature_names : ndarray of shape (n_features,) or None
        Names of the columns, if the data had names.

    structure : {'full', 'tied', 'diag'}
        What is known of second moments. QuadraticDiscriminantAnalysis needs 'full',
        LinearDiscriminantAnalysis 'tied', GaussianNB 'diag'; 'full' serves all three.

    has_gaps : bool
        Whether values of the rows were missing when a model was fitted to them. Such moments serve
        a model of their structure; as they do not tell how many values of each column there were,
        they cannot be added, subtracted, multiplied or merged.

    Examples
    --------
    >>> from gauda import Moments, QDA
    >>> monday = Moments.from_data([[0.0], [2.0], [5.0], [9.0]], ["a", "a", "b", "b"])
    >>> tuesday = Moments.from_data([[4.0], [7.0]], ["a", "b"])
    >>> week = monday + tuesday
    >>> week
    Moments('full', 6 rows, 1 feature; a: 3, b: 3)
    >>> QDA.from_moments(week).predict([[4.4]])
    array(['a'], dtype='<U1')
    >>> (week - tuesday).means.ravel()
    array([1., 7.])
    """

    _core: CoreMoments
    classes: NDArray[Any]
    feature_names: NDArray[Any] | None
    _dtype: np.dtype[Any]
    has_gaps: bool = False

    __hash__ = None  # type: ignore[assignment] # equal moments need not be the same
    __array_ufunc__ = None
    """Has numpy's scalars leave multiplication to us."""

    @classmethod
    def from_data(  # noqa: PLR0913 (what a fit is given)
        cls,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        structure: str = "full",
        classes: ArrayLike | None = None,
        n_threads: int | None = None,
    ) -> Moments:
        """Return the moments of rows, in one parallel pass.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; there may be none.

        y : array-like of shape (n_samples,)
            Labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 counts like two rows.

        structure : {'full', 'tied', 'diag'}, default='full'
            One scatter for each class, one for all classes, or only squares.

        classes : array-like of shape (n_classes,), default=None
            Labels that there may be; by default those in `y`.

        n_threads : int, default=None
            Number of threads; the result does not depend on it.

        Returns
        -------
        Moments
            The moments.

        Examples
        --------
        >>> from gauda import Moments
        >>> Moments.from_data([[1.0, 2.0], [3.0, 6.0]], [7, 7]).scatter
        array([[[2., 4.],
                [4., 8.]]])
        """
        if structure not in STRUCTURES:
            raise ValueError(f"structure must be one of {STRUCTURES}, got {structure!r}.")
        if n_threads is not None and not (
            isinstance(n_threads, (int, np.integer)) and n_threads >= 1
        ):
            raise ValueError(f"n_threads must be at least 1, or None for all; got {n_threads!r}.")
        data = LabelledRows.without_estimator(X, y, sample_weight, n_threads)
        moments = cls._of(data, structure)
        return moments if classes is None else moments._among(np.unique(label_array(classes)))

    @classmethod
    def from_stream(  # noqa: PLR0913 (what a stream may be told)
        cls,
        source: Any,
        *,
        target: Any = None,
        features: Sequence[Any] | None = None,
        exclude: Sequence[Any] | None = None,
        sample_weight: Any = None,
        structure: str = "full",
        classes: ArrayLike | None = None,
        batch_rows: int | None = None,
        delimiter: str | None = None,
        n_threads: int | None = None,
        progress: bool | None = None,
    ) -> Moments:
        """Return the moments of a stream of rows that need not fit into memory.

        Arrow formats and tables need the extra `gauda[stream]`.

        Parameters
        ----------
        source : path, array, Arrow stream or iterable
            The path of a parquet, CSV, TSV, JSON Lines, Arrow or `.npy` file, or of a folder of
            parquet files; an array, which may be a memory map; anything with `__arrow_c_stream__`,
            such as a table of pyarrow or polars or a query of DuckDB; or an iterable of (X, y) or
            (X, y, weights). Labels of CSV files are text, unless all are written as integers, as
            true and false, or as dates: '01' and '1' stay two classes.

        target : str, int or array-like, default=None
            The column of labels: its name, or for an array its index. For an array also the labels
            themselves, or the path of a `.npy` file of them.

        features : sequence of str or int, default=None
            The columns to use; by default all but those of labels and weights.

        exclude : sequence of str or int, default=None
            Columns that are not features, such as an identifier; instead of `features`.

        sample_weight : str, int or array-like, default=None
            The column of weights, or the weights, as `target`.

        structure : {'full', 'tied', 'diag'}, default='full'
            One scatter for each class, one for all classes, or only squares.

        classes : array-like of shape (n_classes,), default=None
            Labels that there may be; by default those that appear.

        batch_rows : int, default=None
            Rows to read together; by default 65536, and fewer where rows are wide.

        delimiter : str, default=None
            The character between the entries of a CSV file; by default a comma, and for a name
            that ends in `.tsv` a tab.

        n_threads : int, default=None
            Number of threads; the result does not depend on it.

        progress : bool, default=None
            Whether a bar on stderr counts rows; by default if that is a terminal.

        Returns
        -------
        Moments
            The moments.

        Examples
        --------
        >>> from gauda import Moments
        >>> Moments.from_stream(([[float(row)]], [row % 2]) for row in range(100)).means.ravel()
        array([49., 50.])
        """
        from gauda._statistics.stream_sums import moments_of  # noqa: PLC0415 (it makes such moments)

        return moments_of(
            source,
            target=target,
            features=features,
            exclude=exclude,
            sample_weight=sample_weight,
            structure=structure,
            classes=classes,
            batch_rows=batch_rows,
            delimiter=delimiter,
            n_threads=n_threads,
            progress=progress,
        )

    @classmethod
    def _of(cls, data: LabelledRows, structure: str) -> Moments:
        """Return the moments of rows that were checked."""
        with data.names.told():
            core = CoreMoments.from_data(
                data.rows, data.codes, len(data.classes), structure, data.weights, data.n_threads
            )
        return cls(core, data.classes, data.names.features, data.dtype)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Moments:
        """Return the moments that a file holds.

        Parameters
        ----------
        path : str or path
            A file that `save` has written.

        Returns
        -------
        Moments
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
        if content.kind != cls.__name__:
            raise ValueError(f"{path} holds a {content.kind}, not moments. Use gauda.load.")
        with damage_told(path):
            return cls._from_state(content.arrays, content.metadata)

    def _state(self) -> tuple[Arrays, dict[str, Any]]:
        core = self._core
        arrays = {
            "classes": self.classes,
            "rows": core.rows,
            "weights": core.weights,
            "shift": core.shift,
            "offset": core.offset,
            "scatter": core.scatter,
        }
        if self.feature_names is not None:
            arrays["feature_names"] = self.feature_names
        return arrays, {
            "structure": core.structure,
            "dtype": self._dtype.name,
            "has_gaps": self.has_gaps,
        }

    @classmethod
    def _from_state(cls, arrays: Arrays, metadata: dict[str, Any]) -> Moments:
        rows, classes = arrays["rows"].tolist(), arrays["classes"]
        numbers = [arrays[name] for name in ("weights", "shift", "offset", "scatter")]
        names = arrays.get("feature_names")
        core = CoreMoments(metadata["structure"], rows, *numbers)
        if classes.shape != (len(rows),):
            raise ValueError(f"{classes.shape} labels cannot name {len(rows)} classes")
        if names is not None and names.shape != (core.n_features,):
            raise ValueError(f"{names.shape} names cannot name {core.n_features} columns")
        has_gaps = bool(metadata.get("has_gaps", False))
        return cls(core, classes, names, np.dtype(metadata["dtype"]), has_gaps)

    @property
    def structure(self) -> str:
        """What is known of second moments: 'full', 'tied' or 'diag'."""
        return self._core.structure

    @property
    def counts(self) -> NDArray[np.float64]:
        """Sum of the weights of each class."""
        return self._core.weights

    @property
    def n_rows(self) -> int:
        """Rows of positive weight."""
        return int(self._core.rows.sum())

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self._core.n_features

    @property
    def means(self) -> NDArray[np.float64]:
        """Class means; 0 for a class without rows."""
        return self._core.means

    @property
    def scatter(self) -> NDArray[np.float64]:
        """Sums of squares and products about the class means."""
        scatter = self._core.scatter
        if self.structure == "full":
            return scatter
        return scatter[0] if self.structure == "tied" else scatter[:, 0]

    def __repr__(self) -> str:
        shown = zip(self.classes[:MOST_CLASSES_SHOWN], self.counts, strict=False)
        counts = [f"{label}: {count:.{DIGITS_SHOWN}g}" for label, count in shown]
        if len(self.classes) > MOST_CLASSES_SHOWN:
            counts.append(f"… ({len(self.classes)} classes)")
        rows = f"{self.n_rows} row{'s' * (self.n_rows != 1)}{' with gaps' * self.has_gaps}"
        features = f"{self.n_features} feature{'s' * (self.n_features != 1)}"
        classes = ", ".join(counts) or "no classes"
        return f"Moments({self.structure!r}, {rows}, {features}; {classes})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Moments):
            return NotImplemented
        return (
            np.array_equal(self.classes, other.classes)
            and self._named_alike(other)
            and self.has_gaps == other.has_gaps
            and self._core == other._core
        )

    def __add__(self, other: object) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        self._check_alike(other)
        for moments in (self, other):
            moments._check_complete("added to others")
        ours, theirs = self, other
        if not same_labels(self.classes, other.classes):
            classes = joint_labels(self.classes, other.classes)
            ours, theirs = self._among(classes), other._among(classes)
        with ours._names().told():
            return ours._with(
                ours._core.merge(theirs._core),
                feature_names=other.feature_names if self.feature_names is None else None,
                dtype=np.result_type(self._dtype, other._dtype),
            )

    def __radd__(self, other: object) -> Moments:
        if isinstance(other, int) and other == 0:  # sum() begins with 0
            return self
        return NotImplemented

    def __sub__(self, other: object) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        self._check_alike(other)
        for moments in (self, other):
            moments._check_complete("subtracted from each other")
        present = other._with_classes(other.counts > 0)
        check_part(present.classes, self.classes, "moments")
        with self._names().told():
            rest = self._with(self._core.subtract(present._among(self.classes)._core))
        return rest._with_classes((rest.counts > 0) | (self.counts == 0))

    def __mul__(self, factor: object) -> Moments:
        if not isinstance(factor, Real):
            return NotImplemented
        if factor == 1:
            return self
        self._check_complete("multiplied")
        with self._names().told():
            return self._with(self._core.scale(float(factor)))

    __rmul__ = __mul__

    def select(self, features: Any) -> Moments:
        """Return the moments of some columns.

        Parameters
        ----------
        features : array-like
            Names or indices of columns, in the order wanted, or a mask.

        Returns
        -------
        Moments
            The same rows with fewer columns.

        Examples
        --------
        >>> from gauda import Moments
        >>> Moments.from_data([[1.0, 2.0], [3.0, 6.0]], [7, 7]).select([1]).means
        array([[4.]])
        """
        columns = self._columns(features)
        names = None if self.feature_names is None else self.feature_names[columns]
        return replace(self, _core=self._core.select(columns.tolist()), feature_names=names)

    def relabel(self, mapping: Mapping[Any, Any]) -> Moments:
        """Return the moments under other labels; classes that get the same label become one.

        Parameters
        ----------
        mapping : mapping
            New labels by old ones; classes that are not in it keep theirs.

        Returns
        -------
        Moments
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
            raise ValueError(f"The labels {unknown} are not among the classes {old}.")
        labels = label_array(mapping.get(label, label) for label in old)
        if len(labels) == 0:
            return self
        text = self.classes.dtype.kind == "O" and labels.dtype.kind == "U"
        classes, places = np.unique(labels.astype(object) if text else labels, return_inverse=True)
        if len(classes) < len(labels):
            self._check_complete("merged to fewer classes")
        return self._regrouped(classes, places)

    def to(self, structure: str) -> Moments:
        """Return the moments with less known of second moments.

        Parameters
        ----------
        structure : {'full', 'tied', 'diag'}
            'full' moments can become 'tied' or 'diag'; others stay what they are.

        Returns
        -------
        Moments
            The same rows.

        Examples
        --------
        >>> from gauda import Moments
        >>> Moments.from_data([[1.0, 2.0], [3.0, 6.0]], [7, 7]).to("diag").scatter
        array([[2., 8.]])
        """
        if structure not in STRUCTURES:
            raise ValueError(f"structure must be one of {STRUCTURES}, got {structure!r}.")
        if structure == self.structure:
            return self
        if self.structure != "full":
            raise ValueError(
                f"{self.structure!r} moments do not hold what {structure!r} ones need; make them "
                "anew from the rows with structure='full', which holds all."
            )
        self._check_complete(f"reduced to {structure!r} ones")
        return self._to(structure)

    def _to(self, structure: str) -> Moments:
        """Return the moments with less known, whether or not a fit to the rows would give them."""
        return self if structure == self.structure else self._with(self._core.to(structure))

    def total(self) -> Moments:
        """Return the moments of all rows as one class, labelled 0.

        Returns
        -------
        Moments
            Of structure 'diag' if these are, else 'full'.

        Examples
        --------
        >>> from gauda import Moments
        >>> Moments.from_data([[1.0], [3.0], [8.0]], ["a", "a", "b"]).total()
        Moments('full', 3 rows, 1 feature; 0: 3)
        """
        self._check_complete("merged to one class")
        return self._total()

    def _total(self) -> Moments:
        """Return the moments of all rows as one class, as if no value had been missing."""
        with self._names().told():
            return replace(self, _core=self._core.total(), classes=np.zeros(1, int))

    def _among(self, classes: NDArray[Any]) -> Moments:
        """Return the moments with these sorted classes, all of ours among them."""
        if self.classes is classes or np.array_equal(self.classes, classes):
            return self
        places = places_among(self.classes, classes)
        if (places < 0).any():
            raise ValueError(
                f"The target label(s) {self.classes[places < 0]} in y do not exist in the initial "
                f"classes {classes}"
            )
        return self._regrouped(classes, places)

    def _names(self, model: Any = None) -> Names:
        """Return how classes and columns are called."""
        who = "Moments" if model is None else type(model).__name__
        return Names(who, self.classes, self.feature_names, model, self)

    def _attribute(self, values: NDArray[np.float64]) -> NDArray[Any]:
        """Return values in the type of fitted attributes."""
        if values.dtype == self._dtype:
            return values
        with np.errstate(over="ignore"):
            rounded = values.astype(self._dtype)
        if np.any(np.isinf(rounded) & np.isfinite(values)):
            raise ValueError("The data's moments are too large for float32. Pass X as float64.")
        return rounded

    def _with(
        self,
        core: CoreMoments,
        feature_names: NDArray[Any] | None = None,
        dtype: np.dtype[Any] | None = None,
    ) -> Moments:
        """Return other numbers under the same labels."""
        names = self.feature_names if feature_names is None else feature_names
        dtype = self._dtype if dtype is None else dtype
        return replace(self, _core=core, feature_names=names, _dtype=dtype)

    def _with_classes(self, kept: NDArray[np.bool_]) -> Moments:
        """Return the moments without classes that have no weight."""
        if kept.all():
            return self
        classes = self.classes[kept]
        places = np.where(kept, np.cumsum(kept) - 1, 0)  # what has no weight may go anywhere
        return self._regrouped(classes, places) if len(classes) else self._nothing()

    def _nothing(self) -> Moments:
        """Return moments of no rows and no classes."""
        rows = np.empty((0, self.n_features))
        core = CoreMoments.from_data(rows, np.empty(0, np.uint32), 0, self.structure)
        return replace(self, _core=core, classes=self.classes[:0])

    def _regrouped(self, classes: NDArray[Any], places: NDArray[np.intp]) -> Moments:
        with self._names().told():
            core = self._core.regroup(places.tolist(), len(classes))
        return replace(self, _core=core, classes=classes)

    def _check_complete(self, what: str) -> None:
        """Refuse arithmetic that would count missing values as observed ones."""
        if self.has_gaps:
            raise ValueError(
                f"Moments of rows in which values were missing cannot be {what}: they do not tell "
                "how many values of each column there were. Fit all rows together, or fill the "
                "rows in first, as with impute."
            )

    def _columns(self, features: Any) -> NDArray[np.intp]:
        """Return the indices of columns, by their names, indices or a mask."""
        wanted = np.atleast_1d(np.asarray(features))
        if wanted.dtype.kind in "UT" or all(isinstance(name, str) for name in wanted.flat):
            columns = self._columns_named(wanted.ravel().tolist())
        elif wanted.dtype.kind not in "biu":
            raise ValueError(f"features must be names, indices or a mask, got {features!r}.")
        elif wanted.dtype.kind == "b" and len(wanted) != self.n_features:
            raise ValueError(
                f"A mask must have one entry for each of the {self.n_features} columns, got "
                f"{len(wanted)}."
            )
        elif wanted.dtype.kind != "b" and (beyond := self._columns_beyond(wanted)):
            raise IndexError(
                f"There are no columns {beyond}; indices go from 0 to {self.n_features - 1}."
            )
        else:
            columns = np.arange(self.n_features)[wanted]
        if columns.ndim != 1 or len(columns) == 0:
            raise ValueError(
                f"features must be a flat list of one column at least, got {features!r}."
            )
        return columns

    def _columns_beyond(self, wanted: NDArray[Any]) -> list[int]:
        """Return the indices for which there is no column; negative ones count from the end."""
        beyond = (wanted < -self.n_features) | (wanted >= self.n_features)
        indices: list[int] = wanted[beyond].tolist()
        return indices

    def _columns_named(self, wanted: list[str]) -> NDArray[np.intp]:
        if self.feature_names is None and wanted:
            raise ValueError(
                f"The columns have no names, so that there are no {wanted}; select them by index."
            )
        known = [] if self.feature_names is None else self.feature_names.tolist()
        absent = [name for name in wanted if name not in known]
        if absent:
            raise ValueError(f"There are no columns {absent}; the names are {known}.")
        return np.array([known.index(name) for name in wanted], dtype=np.intp)

    def _named_alike(self, other: Moments) -> bool:
        if self.feature_names is None or other.feature_names is None:
            return self.feature_names is other.feature_names
        return np.array_equal(self.feature_names, other.feature_names)

    def _check_alike(self, other: Moments) -> None:
        """Refuse moments of other columns or structure."""
        if self.structure != other.structure:
            raise ValueError(
                f"Moments of structure {self.structure!r} and {other.structure!r} do not go "
                "together; reduce 'full' ones with to()."
            )
        if self.n_features != other.n_features:
            raise ValueError(
                f"Moments of {self.n_features} and {other.n_features} features do not go together; "
                "select() the columns that both have."
            )
        ours, theirs = self.feature_names, other.feature_names
        if ours is not None and theirs is not None and not np.array_equal(ours, theirs):
            raise ValueError(
                f"Moments of different columns do not go together: {ours.tolist()} and "
                f"{theirs.tolist()}; select() the same ones in the same order."
            )
