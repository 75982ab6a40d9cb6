"""Sufficient statistics of discrete columns: counts to be added, subtracted, forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gauda._data.arguments import check_threads
from gauda._data.dropping import check_missing, report_dropped, take_rows
from gauda._data.labeled_columns import DiscreteData, discrete_batch, discrete_data
from gauda._data.labels import distinct
from gauda._statistics.count_kinds import SPARSE, check_kind, is_by_level
from gauda._statistics.count_sums import CountSums
from gauda._statistics.stream_sums import sum_of_stream
from gauda._streams.batches import Request
from gauda.typing import Columns, CountKind, Labels, MatrixLike, Source, Target, Weights


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Counts(CountSums, saved_as="Counts"):
    """How often each class and category occurs: all that a discrete model needs of the rows.

    `from_data` counts in one pass. Counts of disjoint samples add up to those of all rows, also if
    some classes or categories occur in one of them only, and a sample that was added can be
    subtracted again.

    Attributes
    ----------
    kind : {'categorical', 'bernoulli', 'multinomial'}
        Whether columns hold categories (numbers 0, 1, 2, ..., or text and other levels as they
        are), something that is present or not, or how often it occurs.

    classes : ndarray of shape (n_classes,)
        Labels, sorted.

    class_count : ndarray of shape (n_classes,)
        Sum of the weights of each class; without weights, its rows.

    n_rows : int
        Rows of positive weight.

    n_features : int
        Number of columns.

    feature_names : ndarray of shape (n_features,) or None
        Names of the columns, if the data had names.

    has_gaps : bool
        Whether values of the rows were missing; those that are there are counted.

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

    @classmethod
    def from_data(  # noqa: PLR0913 (what a fit is given)
        cls,
        X: MatrixLike,
        y: Labels,
        sample_weight: Weights | None = None,
        kind: CountKind = "categorical",
        *,
        binarize: float | None = 0.0,
        classes: Labels | None = None,
        n_threads: int | None = None,
        missing: str = "raise",
    ) -> Counts:
        """Return the counts of rows, in one parallel pass.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or DataFrame
            Rows; for 'bernoulli' and 'multinomial' also a sparse matrix.

        y : array-like of shape (n_samples,)
            Labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 counts like two rows.

        kind : {'categorical', 'bernoulli', 'multinomial'}, default='categorical'
            Count categories, which are 0, 1, 2, ... in columns of numbers and else what there is;
            count what is above a threshold; or add up the entries.

        binarize : float or None, default=0.0
            The threshold for 'bernoulli'. None if X is made of 0 and 1, or of shares between them.

        classes : array-like of shape (n_classes,), default=None
            Labels that there may be; by default those in `y`.

        n_threads : int, default=None
            Number of threads; the result does not depend on it.

        missing : {'raise', 'marginalize', 'drop'}, default='raise'
            How entries that are missing are handled. 'marginalize' leaves them out of the counts of
            their column, but for 'multinomial'; 'drop' leaves out their rows; 'raise' refuses them.

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
        check_kind(kind)
        check_missing(missing, "marginalize" if kind != "multinomial" else None)
        check_threads(n_threads)
        wanted = None if classes is None else distinct(classes)
        by_level, sparse = is_by_level(kind), SPARSE.get(kind)
        data = discrete_data(X, y, sample_weight, n_threads, by_level=by_level, sparse=sparse)
        data = report_dropped(take_rows(missing, data))
        counts = cls._of(data, kind, binarize, gaps=missing == "marginalize")
        return counts if wanted is None else counts._among(wanted)

    @classmethod
    def from_stream(  # noqa: PLR0913 (parameters of a stream)
        cls,
        source: Source,
        *,
        target: Target = None,
        features: Columns | None = None,
        exclude: Columns | None = None,
        sample_weight: Weights | None = None,
        kind: CountKind = "categorical",
        binarize: float | None = 0.0,
        classes: Labels | None = None,
        batch_rows: int | None = None,
        delimiter: str | None = None,
        n_threads: int | None = None,
        progress: bool | None = None,
        missing: str = "raise",
    ) -> Counts:
        """Return the counts of a stream of rows that need not fit into memory.

        Parameters
        ----------
        source : path, array, Arrow stream or iterable
            As for `Moments.from_stream`, as are the columns and how they are read.

        target : str, int or array-like, default=None
            The column of labels.

        features : sequence of str or int, default=None
            The columns to use; by default all but those of labels and weights.

        exclude : sequence of str or int, default=None
            Columns that are not features, such as an identifier; instead of `features`.

        sample_weight : str, int or array-like, default=None
            The column of weights.

        kind : {'categorical', 'bernoulli', 'multinomial'}, default='categorical'
            Count categories, which are 0, 1, 2, ... in columns of numbers and else what there is;
            count what is above a threshold; or add up the entries.

        binarize : float or None, default=0.0
            The threshold for 'bernoulli', as for `from_data`.

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

        missing : {'raise', 'marginalize', 'drop'}, default='raise'
            How entries that are missing are handled. 'marginalize' leaves them out of the counts of
            their column, but for 'multinomial'; 'drop' leaves out their rows; 'raise' refuses them.

        Returns
        -------
        Counts
            The counts.

        Examples
        --------
        >>> from gauda import Counts
        >>> Counts.from_stream(([[row % 3]], [row % 2]) for row in range(90)).category_count
        [array([[15., 15., 15.],
               [15., 15., 15.]])]
        """
        check_kind(kind)
        check_missing(missing, "marginalize" if kind != "multinomial" else None)
        rows: dict[str, Any] = {"batch_rows": batch_rows, "delimiter": delimiter}
        rows["as_table"] = is_by_level(kind)
        request = Request(target, features, sample_weight, exclude=exclude, **rows)

        def counts_of(data: DiscreteData) -> Counts:
            return cls._of(data, kind, binarize, gaps=missing == "marginalize")

        run: dict[str, Any] = {"missing": missing, "n_threads": n_threads, "progress": progress}
        return sum_of_stream(counts_of, source, request, classes, read=discrete_batch, **run)
