"""Streams that are learned from. `fit_stream` is a method of `Learner`."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, TypeVar

from gauda._data.sklearn_private import available_if, fit_context
from gauda._estimators.class_weights import check_classes, weigh_rows
from gauda._statistics.stream_sums import labeled_batches
from gauda._streams.batches import Request
from gauda.typing import Columns, Source, Target, Weights

if TYPE_CHECKING:
    from gauda._estimators.learner import Learner

Model = TypeVar("Model", bound="Learner")


@available_if(lambda self: self._refuse_rows_needed("fit_stream"))
@fit_context(prefer_skip_nested_validation=False)
def fit_stream(  # noqa: PLR0913 (what a stream may be told)
    self: Model,
    source: Source,
    *,
    target: Target = None,
    features: Columns | None = None,
    exclude: Columns | None = None,
    sample_weight: Weights | None = None,
    batch_rows: int | None = None,
    delimiter: str | None = None,
    progress: bool | None = None,
) -> Model:
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
    settings = self._twin()
    settings._check_parameters()
    request = Request(
        target,
        features,
        sample_weight,
        exclude=exclude,
        batch_rows=batch_rows,
        delimiter=delimiter,
        as_table=self._reads_tables,
    )
    batches = labeled_batches(
        source, request, settings, n_threads=self.n_threads, progress=progress
    )
    state = None
    with closing(batches):
        for rows in batches:
            if len(rows.rows):
                data = weigh_rows(settings.class_weight, settings._batch(rows, state))
                batch = settings._sums(data)
                estimates = settings._estimate(data, batch)
                state = settings._joined(state, batch, estimates, None, 1.0)
    if state is None:
        raise ValueError("The source has no rows; there is nothing to fit.")
    check_classes(settings.class_weight, state.statistics.classes)
    settings._check_size(len(state.classes), state.statistics.n_rows)
    self._adopt(settings._state_of(state.statistics, state.estimates))
    return self
