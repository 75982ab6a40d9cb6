"""Sufficient statistics of Gaussian models: weights, means and scatters that merge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gauda._data.arguments import check_threads
from gauda._data.dropping import Dropping
from gauda._data.labels import distinct
from gauda._data.training import LabeledRows
from gauda._statistics import separation_tests
from gauda._statistics.core_sums import check_order, check_structure, takes_gaps
from gauda._statistics.moment_sums import MomentSums
from gauda._statistics.stream_sums import sum_of_stream
from gauda._streams.batches import Request
from gauda._support.arrays import Floats
from gauda.typing import Columns, Labels, MatrixLike, Missing, Source, Structure, Target, Weights


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Moments(MomentSums, saved_as="Moments"):
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

    class_rows : ndarray of shape (n_classes,)
        Rows of positive weight in each class.

    n_rows : int
        Rows of positive weight.

    means : ndarray of shape (n_classes, n_features)
        Class means; 0 for a class without rows.

    scatter : ndarray
        Sums of squares and products about the class means: of shape (n_classes, n_features,
        n_features) for 'full', (n_features, n_features) for 'tied' (the classes together),
        (n_classes, n_features) for 'diag' (squares only).

    squares : ndarray of shape (n_classes, n_features) or (1, n_features)
        Sums of squares about the class means, the diagonals of `scatter`; one row for 'tied'. Of
        many columns and few rows `scatter` is made when it is read, and these are there at once.

    n_features : int
        Number of columns.

    feature_names : ndarray of shape (n_features,) or None
        Names of the columns, if the data had names.

    structure : {'full', 'tied', 'diag'}
        What is known of second moments. QuadraticDiscriminantAnalysis needs 'full',
        LinearDiscriminantAnalysis 'tied', GaussianNB 'diag'; 'full' serves all three.

    order : {2, 4}
        The highest order of moments that are known. Ledoit and Wolf's shrinkage ('auto' of LDA and
        QDA, 'ledoit_wolf' of RDA) needs 4. With those of order 2 they add up to order 2.

    observed_counts : ndarray of shape (n_classes, n_features)
        Sum of the weights of the rows in which a column is observed: `counts`, unless values are
        missing in moments of structure 'diag'.

    has_gaps : bool
        Whether values of the rows were missing. Moments of structure 'diag' leave them out of the
        sums of their columns. Others are estimated by EM when a model is fitted; these are not sums
        of rows, and cannot be added, subtracted, multiplied or merged.

    unweighted : Moments
        Of structure 'diag', all rows as one class, each counted once whatever its weight; a share
        of their variances is what GaussianNB adds to its own. The weighted total stands in for
        them in moments of a weighted fit of another model, which does not sum them up.

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

    @classmethod
    def from_data(  # noqa: PLR0913 (what a fit is given)
        cls,
        X: MatrixLike,
        y: Labels,
        sample_weight: Weights | None = None,
        structure: Structure = "full",
        classes: Labels | None = None,
        n_threads: int | None = None,
        *,
        missing: Missing = "raise",
        order: int = 2,
    ) -> Moments:
        """Return the moments of rows, in one parallel pass; order 4 takes two.

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

        missing : {'raise', 'marginalize', 'drop'}, default='raise'
            How NaN is handled. 'marginalize' leaves it out of the sums of its column, for which
            `structure` must be 'diag'; 'drop' leaves out its row; 'raise' refuses it.

        order : {2, 4}, default=2
            With 4, moments of third and fourth order too, for shrinkage='auto': three times the
            memory, and three to four times the time. For structure 'full'.

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
        check_structure(structure)
        check_order(order, structure)
        gaps = takes_gaps(missing, structure)
        check_threads(n_threads)
        wanted = None if classes is None else distinct(classes)
        data = LabeledRows.without_estimator(X, y, sample_weight, n_threads)
        dropping = Dropping(missing)
        data = dropping.keep_complete(data)
        dropping.warn()
        moments = cls._of(data, structure, unweighted=True, gaps=gaps, order=order)
        return moments if wanted is None else moments._among(wanted)

    @classmethod
    def from_stream(  # noqa: PLR0913 (parameters of a stream)
        cls,
        source: Source,
        *,
        target: Target = None,
        features: Columns | None = None,
        exclude: Columns | None = None,
        sample_weight: Weights | None = None,
        structure: Structure = "full",
        classes: Labels | None = None,
        missing: Missing = "raise",
        order: int = 2,
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
            such as a table of pyarrow or polars or a query of DuckDB; a dataset of pyarrow; or an
            iterable of (X, y) or (X, y, weights). Labels of CSV files are text, unless all are
            written as integers, as true and false, or as dates: '01' and '1' stay two classes.

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

        missing : {'raise', 'marginalize', 'drop'}, default='raise'
            How nulls and NaN are handled, as for `from_data`.

        order : {2, 4}, default=2
            The highest order of moments, as for `from_data`.

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
        check_structure(structure)
        check_order(order, structure)
        gaps = takes_gaps(missing, structure)
        rows: dict[str, Any] = {"batch_rows": batch_rows, "delimiter": delimiter}
        request = Request(target, features, sample_weight, exclude=exclude, **rows)

        def moments_of(data: LabeledRows) -> Moments:
            return cls._of(data, structure, unweighted=True, gaps=gaps, order=order)

        run: dict[str, Any] = {"missing": missing, "n_threads": n_threads, "progress": progress}
        return sum_of_stream(moments_of, source, request, classes, **run)

    @property
    def counts(self) -> Floats:
        """Sum of the weights of each class."""
        return self._core.weights

    @property
    def means(self) -> Floats:
        """Class means; 0 for a class without rows."""
        return self._core.means

    @property
    def scatter(self) -> Floats:
        """Sums of squares and products about the class means."""
        with self._names().in_errors():
            scatter = self._core.scatter
        if self.structure == "full":
            return scatter
        return scatter[0] if self.structure == "tied" else scatter[:, 0]

    @property
    def squares(self) -> Floats:
        """Sums of squares about the class means."""
        return self._core.squares

    def to(self, structure: str) -> Moments:
        """Return the moments with a simpler structure of scatters.

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
        check_structure(structure)
        if structure == self.structure:
            return self
        if self.structure != "full":
            raise ValueError(
                f"{self.structure!r} moments do not hold what {structure!r} ones need; make them "
                "again from the rows with structure='full', which holds all."
            )
        self._check_complete(f"reduced to {structure!r} ones")
        return self._to(structure)

    def total(self) -> Moments:
        """Return the moments of all rows as one class, labeled 0.

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

    separation_tests = separation_tests.separation_tests
