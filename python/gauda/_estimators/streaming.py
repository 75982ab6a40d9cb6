"""Streams that are scored. `predict_stream` is a method of `Classifier`."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn.utils import check_consistent_length

from gauda._data.encoding import encode
from gauda._data.label_columns import flat_labels
from gauda._data.shapes import number_of_rows
from gauda._data.twins import twin
from gauda._estimators.decisions import Decided, scorer_of
from gauda._scoring.answers import validate_outputs
from gauda._scoring.evaluation import Evaluation
from gauda._scoring.rules import Reject
from gauda._scoring.scorer import Scorer
from gauda._scoring.stream_evaluate import add_rows, empty_evaluation, evaluate_stream
from gauda._scoring.stream_predict import predict_stream as score_stream
from gauda.typing import Columns, Costs, NoData, Priors, RejectLabel, Source, Target

if TYPE_CHECKING:
    from gauda._estimators.classifier import Classifier


def predict_stream(  # noqa: PLR0913 (what a stream may be told)
    self: Classifier,
    source: Source,
    sink: str | PathLike[str],
    outputs: str | Sequence[str] = ("label",),
    *,
    target: Target = None,
    features: Columns | None = None,
    exclude: Columns | None = None,
    keep: Columns = (),
    top_k: int | None = None,
    priors: Priors | None = None,
    cost: Costs | None = None,
    reject: Reject = None,
    reject_label: RejectLabel = None,
    nodata: NoData = None,
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
        The file to write, which ends in `.parquet`, `.pq`, `.csv` or `.tsv`; what has this name is
        replaced.

    outputs : str or sequence of str, default=("label",)
        What to write, as for `classify`; all are found in one pass. Outputs with a value for each
        class take a column for each, such as `proba_<class>`, and 'top_k' the columns `top_1`,
        `top_2`, ..., `top_1_proba`, ....

    target : str or int, default=None
        A column that is not a feature; it need not exist.

    features : sequence of str or int, default=None
        The columns to use, in the order of the fit; by default those with the names of the fit,
        or if it had no names all but `target`, `exclude` and `keep`.

    exclude : sequence of str or int, default=None
        Columns that are not features, such as an identifier; instead of `features`, where the fit
        had no names.

    keep : sequence of str or int, default=()
        Columns that are carried along.

    top_k : int, default=None
        Number of classes for 'top_k'; by default 3, or all if there are fewer.

    priors : array-like of shape (n_classes,) or dict, default=None
        Priors for this call; by default those of the fit.

    cost : array-like of shape (n_classes, n_classes or n_classes + 1) or dict, default=None
        Costs for this call, like the parameter `cost`.

    reject : float or dict, default=None
        When to reject in this call, like the parameter `reject`.

    reject_label : default=None
        Label of rejected rows in this call, like the parameter `reject_label`.

    nodata : float or array-like of shape (n_features,), default=None
        What stands for no data, or in each column; rows that hold it anywhere get `reject_label`,
        and NaN for numbers.

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
    asked = validate_outputs(outputs, top_k)
    estimator = twin(self)  # whose parameters no other thread sets meanwhile
    decided = Decided(priors, cost, reject, reject_label, nodata)
    scorer = scorer_of(estimator, estimator._current(), asked, decided)
    refuse_row_priors(scorer)
    return score_stream(
        scorer,
        source,
        sink,
        asked,
        target=target,
        features=features,
        exclude=exclude,
        keep=keep,
        top_k=top_k,
        batch_rows=batch_rows,
        delimiter=delimiter,
        progress=progress,
    )


def refuse_row_priors(scorer: Scorer) -> None:
    """Refuse priors of each row, which a stream cannot have."""
    priors = None if scorer.rules is None else scorer.rules.priors
    if priors is not None and priors.ndim > 1:
        raise ValueError(
            f"priors of a stream must be one list for all rows; got shape {priors.shape}. Call "
            "classify for each batch instead."
        )


def evaluation_of(estimator: Classifier, X: Any, y: Any) -> Evaluation:
    """Return how a fitted classifier does on rows, of which there may be none."""
    current = estimator._current()
    scorer = scorer_of(estimator, current)
    evaluation = empty_evaluation(scorer)
    labels = flat_labels(y)
    if number_of_rows(X):
        rows = estimator._rows(X, current)
        check_consistent_length(rows, labels)
        add_rows(evaluation, scorer, rows, encode(labels, estimator.n_threads))
    return evaluation


def evaluate(
    estimator: Classifier,
    path: Path,
    target: str | None = None,
    *,
    delimiter: str | None = None,
    progress: bool | None = None,
    **decided: Any,
) -> Evaluation:
    """Return how a fitted classifier does on the rows of a file, see `evaluate_stream`.

    Further arguments are those of `predict_stream` for decisions.
    """
    fixed = twin(estimator)
    scorer = scorer_of(fixed, fixed._current(), decided=Decided(**decided))
    return evaluate_stream(scorer, path, target, delimiter=delimiter, progress=progress)
