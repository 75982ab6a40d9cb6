"""Streams that are scored. The function here is a method of `Classifier`."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from gauda._scoring.stream_predict import predict_stream as score_stream
from gauda._support.twins import twin
from gauda.typing import Source, Target

if TYPE_CHECKING:
    from gauda._estimators.classifier import Classifier


def predict_stream(  # noqa: PLR0913 (what a stream may be told)
    self: Classifier,
    source: Source,
    sink: str | PathLike[str],
    outputs: str | Sequence[str] = ("label",),
    *,
    target: Target = None,
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
    return score_stream(
        twin(self),
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
