"""Cross-validation on collections of Dask: one pass for sums of folds, one for rows held out."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from gauda._cluster.folds import (
    evaluate_folds,
    fit_without_each,
    join_evaluated_folds,
    join_folds,
    parts_of_folds,
)
from gauda._cluster.search import Search, join_tried_folds, try_folds
from gauda._cluster.tree import join_by_tree
from gauda._data.hashed_folds import HashedKFold
from gauda._estimators.learner import Learner
from gauda._estimators.parts import settings_for_parts
from gauda._support.optional import need
from gauda.dask._collections import as_task
from gauda.dask._partitions import LabeledPartitions
from gauda.discriminant_analysis.grid_parts import folds_of
from gauda.typing import DaskCollection, DaskColumn

SCORES = {
    "accuracy": lambda found: found.accuracy,
    "neg_log_loss": lambda found: -found.log_loss,
}


def cross_validate(  # noqa: PLR0913 (as scikit-learn's)
    estimator: Learner,
    X: DaskCollection,
    y: DaskColumn,
    sample_weight: DaskColumn | None = None,
    *,
    groups: DaskColumn | None = None,
    cv: int | HashedKFold = 5,
    scoring: str | Sequence[str] = ("accuracy", "neg_log_loss"),
    return_estimator: bool = False,
) -> dict[str, Any]:
    """Return how an estimator does on the rows of each fold, fitted to all others, in two passes.

    Parameters
    ----------
    estimator : estimator of gauda
        What is judged; it is left as it is.

    X : dask array or data frame of shape (n_samples, n_features)
        Rows, of any chunks; partitions may be empty.

    y : dask array or series, array-like, or str
        Labels; of a frame also the name of their column.

    sample_weight : like y, default=None
        Weights in the fits; scores count each row once.

    groups : like y, default=None
        Groups whose rows stay in one fold; by default folds follow from the positions of rows in
        their partitions.

    cv : int or HashedKFold, default=5
        Number of folds, or these with a seed.

    scoring : {'accuracy', 'neg_log_loss'} or a sequence of them
        What is returned for each fold: scikit-learn's scores of these names.

    return_estimator : bool, default=False
        Whether the models are returned too.

    Returns
    -------
    dict
        'test_accuracy' and 'test_neg_log_loss', or 'test_score' where `scoring` is a str: arrays of
        a score for each fold, as scikit-learn's `cross_validate` on the same folds. 'evaluation':
        the tallies of each fold, which add up. 'estimator', if asked for.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> import gauda, gauda.dask
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(400) % 2
    >>> X = da.from_array(rng.normal(size=(400, 2)) + 4 * y[:, None], chunks=(100, 2))
    >>> found = gauda.dask.cross_validate(gauda.LDA(), X, y, cv=2)
    >>> bool((found["test_accuracy"] > 0.95).all())
    True
    """
    names = [scoring] if isinstance(scoring, str) else list(scoring)
    unknown = [name for name in names if name not in SCORES]
    if unknown or not names:
        raise ValueError(f"scoring must be some of {list(SCORES)}; got {scoring!r}.")
    folds, caller = folds_of(cv), "gauda.dask.cross_validate"
    settings = settings_for_parts(estimator, caller)
    parts = LabeledPartitions.of(X, y, sample_weight, caller, groups=groups)
    models = fit_without_each(estimator, settings, sum_folds(settings, folds, parts))
    tallies = parts.map(evaluate_folds, as_task(models), folds)
    join = need("dask", extra="dask").delayed(join_evaluated_folds, pure=True)
    evaluations = join_by_tree(tallies, join).compute()
    scores = {
        "test_score" if isinstance(scoring, str) else f"test_{name}": np.array(
            [SCORES[name](found) for found in evaluations]
        )
        for name in names
    }
    return (
        scores | {"evaluation": evaluations} | ({"estimator": models} if return_estimator else {})
    )


def sum_folds(settings: Learner, folds: HashedKFold, partitions: LabeledPartitions) -> list[Any]:
    """Return what the rows of each fold give, by a pass over the partitions."""
    found: list[Any] = partitions.total(settings, parts_of_folds, join_folds, folds).found
    return found


def fit_search(search: Search, estimator: Any, data: tuple[Any, Any, Any], groups: Any) -> Any:
    """Return an estimator at the point of its grid that does best on rows held out."""
    partitions = LabeledPartitions.of(*data, "gauda.dask.fit", groups=groups)
    parts = sum_folds(search.sums, search.folds, partitions)
    start, ready = perf_counter(), search.learn(parts)
    tallies = partitions.map(try_folds, as_task(ready), search.folds)
    join = need("dask", extra="dask").delayed(join_tried_folds, pure=True)
    tried = join_by_tree(tallies, join).compute()
    return search.fit(estimator, parts, ready.choose(tried, perf_counter() - start))
