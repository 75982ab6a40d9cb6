"""Streams that are learned from. `fit_stream` is a method of `Learner`."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from gauda._data.sklearn_private import available_if, checks_parameters
from gauda._data.training import LabeledRows
from gauda._estimators.joining import Part, adopt
from gauda._statistics.stream_sums import labeled_batches
from gauda._streams.batches import Request
from gauda.typing import Columns, Source, Target, Weights

if TYPE_CHECKING:
    from gauda._estimators.learner import Learner

Model = TypeVar("Model", bound="Learner")


@available_if(lambda self: self._refuse_rows_needed("fit_stream"))
@checks_parameters
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

    The result is that of `fit` on all rows. Where missing values take EM, the source is read more
    than once. Arrow formats and tables need the extra `gauda[stream]`.

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
    read = Reading(source, request, settings, progress)
    return adopt(self, settings, settings._learn_stream(read))


@dataclass
class Reading:
    """A source that is read batch by batch, and again where that is possible."""

    source: Any
    request: Request
    settings: Any
    progress: bool | None
    n_times: int = 0
    last: LabeledRows | None = None
    """The batch that was read last."""

    def __call__(self) -> Generator[LabeledRows]:
        """Yield the batches that have rows."""
        if self.n_times:
            self._refuse_once()
        batches = labeled_batches(
            self.source,
            self.request,
            self.settings,
            n_threads=self.settings.n_threads,
            progress=self.progress,
            noting=not self.n_times,
        )
        self.n_times += 1
        with closing(batches):
            for rows in batches:
                self.last = rows
                if len(rows.rows):
                    yield rows

    def _refuse_once(self) -> None:
        """Refuse what gives its rows but once."""
        source = self.source
        once = isinstance(source, Iterator) or hasattr(source, "read_next_batch")
        if once:
            raise ValueError(
                f"Values are missing, for which EM reads the rows again, but a "
                f"{type(source).__name__} gives them once. Give a list of batches, a table, an "
                "array or the path of a file; or use missing='drop'."
            )


def learn_stream(self: Learner, read: Reading) -> Part:
    """Return what all batches give together."""
    part = Part()
    with closing(read()) as batches:
        for rows in batches:
            part = part.with_rows(self, self._batch(rows, part.state), len(rows.rows))
    return part
