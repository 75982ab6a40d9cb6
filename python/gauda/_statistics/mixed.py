"""Sufficient statistics of mixed columns: sums of numbers and counts of levels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gauda._data.arguments import check_threads
from gauda._data.columns import Column, columns_of
from gauda._data.dropping import check_missing, refuse_missing, report_dropped, take_rows
from gauda._data.filling import library_of_table
from gauda._data.kinds import AUTO, choose_kinds
from gauda._data.labeled_columns import LabeledColumns
from gauda._data.labels import distinct
from gauda._data.training import LabeledRows, column_names
from gauda._statistics.mixed_sums import MixedSums
from gauda._statistics.stream_sums import sum_of_stream
from gauda._streams.batches import Request
from gauda._support.errors import Names
from gauda.typing import Columns, Kinds, Labels, MatrixLike, Source, Target, Weights


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MixedStatistics(MixedSums, saved_as="MixedStatistics"):
    """Sums of numbers and counts of levels: all that a model of mixed columns needs of the rows.

    `from_data` makes them in one pass over each column. Statistics of disjoint samples add up to
    those of all rows, also if some classes or levels occur in one of them only, and a sample that
    was added can be subtracted again. Missing values are left out of the sums of their columns.

    Attributes
    ----------
    kinds : tuple of str
        The kind of each column: 'gaussian', 'bernoulli' or 'categorical'.

    classes : ndarray of shape (n_classes,)
        Labels, sorted.

    class_count : ndarray of shape (n_classes,)
        Sum of the weights of each class; without weights, its rows.

    numbers : NumberSums
        `weights`, `means` and `scatter` of each class and column of numbers, in their order.

    unweighted : NumberSums
        The same of all rows as one class, each row of positive weight counted once.

    counts : tuple of LevelCounts
        `levels` and `table` (class x level) of each other column, in their order.

    n_rows : int
        Rows of positive weight.

    n_features : int
        Number of columns.

    feature_names : ndarray of shape (n_features,) or None
        Names of the columns, if the data had names.

    has_gaps : bool
        Whether values of the rows were missing.

    Examples
    --------
    >>> from gauda import MixedStatistics
    >>> monday = MixedStatistics.from_data([[1.5, "red"], [None, "blue"]], ["a", "b"])
    >>> tuesday = MixedStatistics.from_data([[2.5, "green"], [4.0, "blue"]], ["a", "b"])
    >>> week = monday + tuesday
    >>> week
    MixedStatistics('1 gaussian, 1 categorical', 4 rows with gaps, 2 features; a: 2, b: 2)
    >>> week.numbers.means.ravel(), week.counts[0].levels
    (array([2., 4.]), ['blue', 'green', 'red'])
    """

    @classmethod
    def from_data(  # noqa: PLR0913 (what a fit is given)
        cls,
        X: MatrixLike,
        y: Labels,
        sample_weight: Weights | None = None,
        kinds: Kinds = AUTO,
        *,
        classes: Labels | None = None,
        n_threads: int | None = None,
        missing: str = "marginalize",
    ) -> MixedStatistics:
        """Return the statistics of rows, in one parallel pass over each column.

        Parameters
        ----------
        X : DataFrame of pandas or polars, or array-like of shape (n_samples, n_features)
            Rows; NaN and None are missing values.

        y : array-like of shape (n_samples,)
            Labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 counts like two rows.

        kinds : 'auto', sequence or dict, default='auto'
            For each column 'gaussian', 'bernoulli', 'categorical' or 'auto', as in MixedNB.

        classes : array-like of shape (n_classes,), default=None
            Labels that there may be; by default those in `y`.

        n_threads : int, default=None
            Number of threads; the result does not depend on it.

        missing : {'marginalize', 'raise', 'drop'}, default='marginalize'
            How missing values are handled: left out of the sums of their columns, refused, or their
            rows left out.

        Returns
        -------
        MixedStatistics
            The statistics.

        Examples
        --------
        >>> from gauda import MixedStatistics
        >>> rows = [[1.5, "red"], [2.5, "red"], [None, "blue"]]
        >>> MixedStatistics.from_data(rows, [0, 0, 1]).counts[0].table
        array([[0., 2.],
               [1., 0.]])
        """
        check_missing(missing, "marginalize")
        check_threads(n_threads)
        wanted = None if classes is None else distinct(classes)
        columns = columns_of(X)
        names = column_names(X)
        n_rows = len(columns[0].values)
        labels = LabeledRows.of_labels(n_rows, y, sample_weight, names, n_threads).of_table(X)
        about = replace(labels.names, estimator=cls.__name__)
        chosen = choose_kinds(kinds, columns, about)
        data = LabeledColumns(columns, chosen, replace(labels, names=about), library_of_table(X))
        data = report_dropped(take_rows(missing, data))
        if missing == "raise":
            refuse_missing(data)
        statistics = cls._of(data.columns, data.labels, data.kinds)
        return statistics if wanted is None else statistics._among(wanted)

    @classmethod
    def from_stream(  # noqa: PLR0913 (parameters of a stream)
        cls,
        source: Source,
        *,
        target: Target = None,
        features: Columns | None = None,
        exclude: Columns | None = None,
        sample_weight: Weights | None = None,
        kinds: Kinds = AUTO,
        classes: Labels | None = None,
        batch_rows: int | None = None,
        delimiter: str | None = None,
        n_threads: int | None = None,
        progress: bool | None = None,
        missing: str = "marginalize",
    ) -> MixedStatistics:
        """Return the statistics of a stream of rows that need not fit into memory.

        Text and dictionaries of Arrow are categories, whose levels are found in the same pass.

        Parameters
        ----------
        source : path, array, Arrow stream or iterable
            As for `Moments.from_stream`, with columns of any kind; nulls, NaN and empty entries of
            CSV files are missing values.

        target : str, int or array-like, default=None
            The column of labels.

        features : sequence of str or int, default=None
            The columns to use; by default all but those of labels and weights.

        exclude : sequence of str or int, default=None
            Columns that are not features, such as an identifier; instead of `features`.

        sample_weight : str, int or array-like, default=None
            The column of weights.

        kinds : 'auto', sequence or dict, default='auto'
            For each column 'gaussian', 'bernoulli', 'categorical' or 'auto', by which the types in
            the first batch tell.

        classes : array-like of shape (n_classes,), default=None
            Labels that there may be; by default those that appear.

        batch_rows : int, default=None
            Rows to read together.

        delimiter : str, default=None
            The character between the entries of a CSV file.

        n_threads : int, default=None
            Number of threads; the result does not depend on it.

        progress : bool, default=None
            Whether a bar on stderr counts rows; by default if that is a terminal.

        missing : {'marginalize', 'raise', 'drop'}, default='marginalize'
            How missing values are handled: left out of the sums of their columns, refused, or their
            rows left out.

        Returns
        -------
        MixedStatistics
            The statistics.

        Examples
        --------
        >>> import polars as pl
        >>> from gauda import MixedStatistics
        >>> table = pl.DataFrame({"x": [1.5, None], "wood": ["oak", "fir"], "y": ["a", "b"]})
        >>> MixedStatistics.from_stream(table, target="y")
        MixedStatistics('1 gaussian, 1 categorical', 2 rows with gaps, 2 features; a: 1, b: 1)
        """
        check_missing(missing, "marginalize")
        rows: dict[str, Any] = {"batch_rows": batch_rows, "delimiter": delimiter, "as_table": True}
        request = Request(target, features, sample_weight, exclude=exclude, **rows)
        chosen: list[tuple[str, ...]] = []

        def choose(columns: list[Column], names: Names) -> tuple[str, ...]:
            if not chosen:
                chosen.append(choose_kinds(kinds, columns, names))
            return chosen[0]

        def read(batch: LabeledRows) -> LabeledColumns:
            named = replace(batch, names=replace(batch.names, estimator=cls.__name__))
            return LabeledColumns.of_batch(named, choose, min_rows=1)

        def statistics_of(data: LabeledColumns) -> MixedStatistics:
            if missing == "raise":
                refuse_missing(data)
            return cls._of(data.columns, data.labels, data.kinds)

        run: dict[str, Any] = {"missing": missing, "n_threads": n_threads, "progress": progress}
        return sum_of_stream(statistics_of, source, request, classes, read=read, **run)
