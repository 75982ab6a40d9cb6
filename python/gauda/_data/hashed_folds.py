"""Folds by a hash of each row's position or group: no row needs to know of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import murmurhash3_32

from gauda._data.label_columns import flat_labels, is_missing
from gauda._data.shapes import number_of_rows
from gauda._support.arrays import Indices
from gauda.typing import Labels, MatrixLike

MIN_SPLITS = 2
MAX_SEED = 2**32


@dataclass
class HashedKFold:
    """Folds by a hash of each row's position, or of its group: those of `gauda.dask`.

    On a cluster a row's position is the number of its partition and its index there. A search in
    memory with the lengths of the partitions has the same folds.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.

    seed : int, default=0
        Other seeds give other folds.

    partitions : sequence of int, default=None
        Of rows in memory: how many lie in each partition, in their order, such as `X.chunks[0]` of
        an array of Dask; by default all in one. Groups do not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from gauda.model_selection import HashedKFold
    >>> folds = HashedKFold(2, partitions=(3, 3))
    >>> [test.tolist() for _, test in folds.split(np.zeros((6, 1)))]
    [[0, 3, 4], [1, 2, 5]]
    """

    n_splits: int = 5
    _: KW_ONLY
    seed: int = 0
    partitions: Sequence[int] | None = None

    def __post_init__(self) -> None:
        if not is_integer(self.n_splits, MIN_SPLITS, np.inf):
            raise ValueError(f"n_splits must be an integer of at least 2; got {self.n_splits!r}.")
        if not is_integer(self.seed, 0, MAX_SEED):
            raise ValueError(f"seed must be an integer from 0 to 2**32 - 1; got {self.seed!r}.")

    def get_n_splits(
        self,
        X: MatrixLike | None = None,  # noqa: ARG002 (as scikit-learn's)
        y: Labels | None = None,  # noqa: ARG002 (as scikit-learn's)
        groups: Labels | None = None,  # noqa: ARG002 (as scikit-learn's)
    ) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups : object
            Not used.

        Returns
        -------
        int
            The number.

        Examples
        --------
        >>> from gauda.model_selection import HashedKFold
        >>> HashedKFold(3).get_n_splits()
        3
        """
        return int(self.n_splits)

    def split(
        self,
        X: MatrixLike,
        y: Labels | None = None,  # noqa: ARG002 (as scikit-learn's)
        groups: Labels | None = None,
    ) -> Iterator[tuple[Indices, Indices]]:
        """Give the rows to learn from and those to score, for each fold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; only their number counts.

        y : object
            Not used.

        groups : array-like of shape (n_samples,), default=None
            Groups whose rows stay together; by default the positions of rows count.

        Yields
        ------
        train, test : ndarray
            Indices of rows.

        Examples
        --------
        >>> from gauda.model_selection import HashedKFold
        >>> groups = ["ann", "ann", "bob", "cy"]
        >>> [test.tolist() for _, test in HashedKFold(2).split([[0]] * 4, groups=groups)]
        [[0, 1, 2], [3]]
        """
        numbers = self._numbers(number_of_rows(X), groups)
        for fold in range(self.n_splits):
            yield np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold)

    def _numbers(self, n_rows: int, groups: Any) -> Indices:
        if groups is not None:
            numbers = self.of_groups(groups)
            if len(numbers) != n_rows:
                raise ValueError(
                    f"groups must have a value for each row; got {len(numbers)} for {n_rows} rows."
                )
            return numbers
        lengths = [n_rows] if self.partitions is None else list(self.partitions)
        if sum(lengths) != n_rows:
            raise ValueError(
                f"partitions must add up to the number of rows, {n_rows}; got {sum(lengths)}."
            )
        parts = [self.of_positions(index, 0, length) for index, length in enumerate(lengths)]
        return np.concatenate([np.empty(0, np.intp), *parts])

    def of_positions(self, partition: int, first_row: int, n_rows: int) -> Indices:
        """Return the fold of each of some rows that follow each other in a partition.

        Parameters
        ----------
        partition : int
            Number of the partition.

        first_row : int
            Index of the first row there.

        n_rows : int
            Number of rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Numbers of folds.

        Examples
        --------
        >>> from gauda.model_selection import HashedKFold
        >>> HashedKFold(2).of_positions(1, 0, 3)
        array([0, 0, 1])
        """
        seed = murmurhash3_32(np.int32(partition), seed=self.seed, positive=True)
        rows = np.arange(first_row, first_row + n_rows).astype(np.int32)
        return self._folds(murmurhash3_32(rows, seed=seed, positive=True))

    def of_groups(self, groups: Labels) -> Indices:
        """Return the fold of each row by its group.

        Parameters
        ----------
        groups : array-like of shape (n_samples,)
            Groups: integers, text, dates, or what can be written as text.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers of folds.

        Examples
        --------
        >>> from gauda.model_selection import HashedKFold
        >>> HashedKFold(2).of_groups(["ann", "bob", "cy", "ann"])
        array([0, 0, 1, 0])
        """
        values, indices = np.unique(present_values(groups), return_inverse=True)
        texts = map(as_text, values.tolist())
        hashes = [murmurhash3_32(text, seed=self.seed, positive=True) for text in texts]
        return self._folds(np.array(hashes, dtype=np.uint32))[indices]

    def _folds(self, hashes: NDArray[np.uint32]) -> Indices:
        return (hashes % np.uint32(self.n_splits)).astype(np.intp)


def is_integer(value: Any, least: float, beyond: float) -> bool:
    """Tell whether a value is an integer of a range."""
    return isinstance(value, Integral) and least <= int(value) < beyond


def present_values(groups: Any) -> NDArray[Any]:
    """Return groups as an array that can be sorted; refuse missing ones."""
    values = flat_labels(groups)
    missing = np.flatnonzero(is_missing(values))
    if len(missing):
        raise ValueError(
            f"groups must have a value for each row; got a missing one at row {missing[0]}. Fill "
            "it in, or leave the row out."
        )
    if values.dtype.kind == "M":
        return values.astype("M8[ns]").astype(np.int64)
    if values.dtype.kind == "O":
        return np.array([as_text(value) for value in values], dtype=str)
    return values


def as_text(group: Any) -> str:
    """Return a group as text, equal numbers alike whatever types partitions give them."""
    is_whole = isinstance(group, float) and group.is_integer()
    return str(int(group) if is_whole else group)
