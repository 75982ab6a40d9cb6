"""How well a model does on a collection of Dask: tallies of each partition, added up."""

from __future__ import annotations

from typing import Any

from gauda._cluster.tasks import evaluate_block, join_evaluations
from gauda._cluster.tree import join_by_tree
from gauda._estimators.classifier import Classifier
from gauda._scoring.evaluation import Evaluation
from gauda._support.optional import need
from gauda.dask._partitions import LabeledPartitions
from gauda.dask._questions import Question
from gauda.typing import DaskCollection, DaskColumn


def evaluate(model: Classifier, X: DaskCollection, y: DaskColumn) -> Any:
    """Return how a model does on a collection, lazily.

    Parameters
    ----------
    model : fitted estimator of gauda
        Which is judged.

    X : dask array or data frame of shape (n_samples, n_features)
        Rows.

    y : dask array or series, array-like, or str
        Their labels; of a frame also the name of the column.

    Returns
    -------
    dask.delayed.Delayed
        Whose `compute()` gives an `Evaluation`: `accuracy`, `log_loss`, `confusion`, `mean_cost`,
        and `bins` of the largest posterior.

    Examples
    --------
    >>> import dask.array as da
    >>> import gauda, gauda.dask
    >>> lda = gauda.LDA().fit([[-1.0], [1.0], [5.0], [7.0]], ["a", "a", "b", "b"])
    >>> X = da.from_array([[0.0], [4.0], [6.0]], chunks=(2, 1))
    >>> found = gauda.dask.evaluate(lda, X, ["a", "a", "b"]).compute()
    >>> found.confusion
    {'a': array([1, 1]), 'b': array([0, 1])}
    """
    delayed = need("dask", extra="dask").delayed
    question = Question.of(model, "label", {})
    shared, names = question.delayed_model(), question.scorer.feature_names
    features = None if names is None else list(names)
    parts = LabeledPartitions.of(X, y, None, "gauda.dask.evaluate", features)
    tallies = parts.map(evaluate_block, shared)
    return delayed(refuse_no_rows)(join_by_tree(tallies, delayed(join_evaluations, pure=True)))


def refuse_no_rows(evaluation: Evaluation) -> Evaluation:
    """Return tallies of some rows."""
    if not evaluation.n_rows:
        raise ValueError("There are no rows to evaluate.")
    return evaluation


def score(model: Classifier, X: DaskCollection, y: DaskColumn) -> Any:
    """Return the accuracy of a model on a collection, lazily.

    Parameters
    ----------
    model : fitted estimator of gauda
        Which is judged.

    X : dask array or data frame of shape (n_samples, n_features)
        Rows.

    y : dask array or series, array-like, or str
        Their labels; of a frame also the name of the column.

    Returns
    -------
    dask.delayed.Delayed
        Whose `compute()` gives the share of the rows whose label is predicted.

    Examples
    --------
    >>> import dask.array as da
    >>> import gauda, gauda.dask
    >>> lda = gauda.LDA().fit([[-1.0], [1.0], [5.0], [7.0]], ["a", "a", "b", "b"])
    >>> X = da.from_array([[0.0], [4.0], [6.0], [7.0]], chunks=(2, 1))
    >>> gauda.dask.score(lda, X, ["a", "a", "b", "b"]).compute()
    0.75
    """
    return evaluate(model, X, y).accuracy
