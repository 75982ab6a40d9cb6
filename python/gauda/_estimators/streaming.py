"""What classifiers can do with streams: learn from them, and score them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from os import PathLike
from typing import Any, Self

from sklearn.utils.metaestimators import available_if

from gauda._data.sklearn_private import fit_context
from gauda._data.training import LabelledRows
from gauda._estimators.deciding import Deciding
from gauda._estimators.geometry import Geometry
from gauda._estimators.imputing import Imputing
from gauda._estimators.loo import LeavingOut
from gauda._estimators.sampling import Sampling
from gauda._scoring.stream_predict import predict_stream
from gauda._statistics.moments import Moments
from gauda._statistics.priors import warn_of_priors
from gauda._statistics.stream_sums import labelled_batches
from gauda._streams.batches import Request
from gauda._support.states import builds_aside, reads_one_state


class Streaming(Deciding, Geometry, Imputing, LeavingOut, Sampling):
    """A classifier that can read more rows than fit into memory."""

    @available_if(lambda self: self._need_no_rows("fit_stream"))
    @fit_context(prefer_skip_nested_validation=False)
    @builds_aside
    def fit_stream(  # noqa: PLR0913 (what a stream may be told)
        self,
        source: Any,
        *,
        target: Any = None,
        features: Sequence[Any] | None = None,
        exclude: Sequence[Any] | None = None,
        sample_weight: Any = None,
        batch_rows: int | None = None,
        delimiter: str | None = None,
        progress: bool | None = None,
    ) -> Self:
        """Fit the model to a stream that need not fit into memory.

        The result is that of `fit` on all rows. Arrow formats and tables need the extra
        `gauda[stream]`.

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

        batch_rows : int, default=None
            Rows to read together; by default 65536, and fewer where rows are wide.

        delimiter : str, default=None
            The character between the entries of a CSV file; by default a comma, and for a name
            that ends in `.tsv` a tab.

        progress : bool, default=None
            Whether a bar on stderr counts rows; by default if that is a terminal.

        Returns
        -------
        Self
            The fitted estimator; if anything fails, it is what it was before.

        Examples
        --------
        >>> from gauda import GaussianNB
        >>> batches = [([[0.0], [2.0]], ["a", "a"]), ([[5.0], [7.0]], ["b", "b"])]
        >>> GaussianNB().fit_stream(batches).theta_.ravel()
        array([1., 6.])

        Any table that speaks Arrow will do:

        >>> import polars as pl
        >>> table = pl.DataFrame({"x": [0.0, 2.0, 5.0, 7.0], "y": ["a", "a", "b", "b"]})
        >>> GaussianNB().fit_stream(table, target="y").feature_names_in_
        array(['x'], dtype=object)
        """
        self._forget()
        self._check_parameters()
        self._estimated = {}
        request = Request(
            target,
            features,
            sample_weight,
            exclude=exclude,
            batch_rows=batch_rows,
            delimiter=delimiter,
        )
        batches = labelled_batches(
            source, request, self, n_threads=self.n_threads, progress=progress
        )
        with closing(batches):
            for data in batches:
                self._gather(data)
        if "_moments" not in vars(self):
            raise ValueError("The source has no rows; there is nothing to fit.")
        self._open = not self._asks_classes
        self._check(len(self._moments.classes), self._moments.n_rows)
        self._name_columns()
        self._outdate()
        self._settle()
        warn_of_priors(self.priors)
        return self

    def _gather(self, data: LabelledRows) -> None:
        """Join the statistics of a batch, if it has rows, to those of the batches before."""
        if not len(data.rows):
            return
        batch = Moments._of(data, self._structure())
        if "_moments" in vars(self):
            self._join(batch, data, 1.0, None)
        else:
            self._begin(batch, data)
            self._open = True

    @reads_one_state
    def predict_stream(  # noqa: PLR0913 (what a stream may be told)
        self,
        source: Any,
        sink: str | PathLike[str],
        outputs: str | Sequence[str] = ("label",),
        *,
        target: Any = None,
        features: Sequence[Any] | None = None,
        keep: Sequence[Any] = (),
        batch_rows: int | None = None,
        delimiter: str | None = None,
        progress: bool | None = None,
    ) -> int:
        """Score a stream into a file, batch by batch.

        The file appears under its name when it is complete. Needs the extra `gauda[stream]`.

        Parameters
        ----------
        source : path, array, Arrow stream or iterable
            As for `fit_stream`; an iterable may also give X alone.

        sink : path
            The file to write, parquet or, if it ends in `.csv`, CSV; what has this name is
            replaced.

        outputs : str or sequence of str, default=("label",)
            What to write: 'label'; 'proba', a column `proba_<class>` for each class; 'max_proba',
            the largest posterior; 'log_density'. All are found in one pass.

        target : str or int, default=None
            A column that is no feature; it need not exist.

        features : sequence of str or int, default=None
            The columns to use, in the order of the fit; by default those with the names of the fit,
            or if it had no names all but `target` and `keep`.

        keep : sequence of str or int, default=()
            Columns that are carried along.

        batch_rows : int, default=None
            Rows to read together; by default 65536, and fewer where rows are wide.

        delimiter : str, default=None
            The character between the entries of a CSV file; by default a comma, and for a name
            that ends in `.tsv` a tab.

        progress : bool, default=None
            Whether a bar on stderr counts rows; by default if that is a terminal.

        Returns
        -------
        int
            Number of rows written.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import polars as pl
        >>> from gauda import GaussianNB
        >>> nb = GaussianNB().fit([[0.0], [1.0], [5.0], [7.0]], ["a", "a", "b", "b"])
        >>> rows = pl.DataFrame({"id": [7, 8], "x": [0.5, 6.0]})
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "out.parquet")
        ...     nb.predict_stream(rows, path, keep=["id"])
        ...     pl.read_parquet(path).to_dict(as_series=False)
        2
        {'id': [7, 8], 'label': ['a', 'b']}
        """
        return predict_stream(
            self,
            source,
            sink,
            outputs,
            target=target,
            features=features,
            keep=keep,
            batch_rows=batch_rows,
            delimiter=delimiter,
            progress=progress,
        )
