"""Fits to collections of Dask: sums of each partition, joined by a tree."""

from __future__ import annotations

from typing import Any, TypeVar

from sklearn.base import clone

from gauda._cluster.em import fit_with_gaps
from gauda._cluster.search import Search
from gauda._cluster.tasks import (
    Located,
    PartMoments,
    join_moments,
    join_parts,
    moments_of_block,
    part_of_block,
)
from gauda._cluster.tree import join_by_tree
from gauda._data.gaps import warn_of_dropped
from gauda._data.labels import distinct
from gauda._estimators.gappy_parts import may_take_em
from gauda._estimators.joining import adopt
from gauda._estimators.learner import Learner
from gauda._estimators.parts import settings_for_parts
from gauda._statistics.access import among
from gauda._statistics.core_sums import check_order, check_structure, takes_gaps
from gauda._statistics.moments import Moments
from gauda._support.optional import need
from gauda.dask._folds import fit_search
from gauda.dask._partitions import LabeledPartitions
from gauda.typing import DaskCollection, DaskColumn, Labels, Missing, Structure

Model = TypeVar("Model", bound=Learner)


def moments(  # noqa: PLR0913 (what Moments.from_data takes)
    X: DaskCollection,
    y: DaskColumn,
    sample_weight: DaskColumn | None = None,
    *,
    structure: Structure = "full",
    classes: Labels | None = None,
    missing: Missing = "raise",
    order: int = 2,
) -> Any:
    """Return the moments of a collection, lazily.

    Parameters
    ----------
    X : dask array or data frame of shape (n_samples, n_features)
        Rows, of any chunks; partitions may be empty.

    y : dask array or series, array-like, or str
        Labels; of a frame also the name of their column. A partition need not hold every class.

    sample_weight : like y, default=None
        Weights; a row of weight 2 counts like two rows.

    structure : {'full', 'tied', 'diag'}, default='full'
        One scatter for each class, one for all classes, or only squares.

    classes : array-like of shape (n_classes,), default=None
        Labels that there may be; by default those that appear.

    missing : {'raise', 'marginalize', 'drop'}, default='raise'
        How NaN is handled, as in `Moments.from_data`.

    order : {2, 4}, default=2
        The highest order of moments, as in `Moments.from_data`.

    Returns
    -------
    dask.delayed.Delayed
        Whose `compute()` gives the `Moments`: the same bits however tasks are scheduled.

    Examples
    --------
    >>> import dask.array as da
    >>> import gauda.dask
    >>> X = da.from_array([[0.0], [2.0], [5.0], [9.0]], chunks=(2, 1))
    >>> gauda.dask.moments(X, ["a", "a", "b", "b"]).compute()
    Moments('full', 4 rows, 1 feature; a: 2, b: 2)
    """
    check_structure(structure)
    check_order(order, structure)
    takes_gaps(missing, structure)
    options = {"structure": structure, "missing": missing, "order": order}
    parts = LabeledPartitions.of(X, y, sample_weight, "gauda.dask.moments")
    delayed = need("dask", extra="dask").delayed
    total = join_by_tree(parts.map(moments_of_block, options), delayed(join_moments, pure=True))
    wanted = None if classes is None else distinct(classes)
    return delayed(complete_moments, pure=True)(total, wanted)


def complete_moments(total: Located[PartMoments], classes: Any) -> Moments:
    """Return the moments with the classes that there may be; refuse a collection without rows."""
    part = total.found
    if part.moments is None:
        raise ValueError("The collection has no rows; there is nothing to sum up.")
    warn_of_dropped(part.n_dropped, part.n_rows)
    return part.moments if classes is None else among(part.moments, classes)


def fit(
    estimator: Model,
    X: DaskCollection,
    y: DaskColumn,
    sample_weight: DaskColumn | None = None,
    *,
    groups: DaskColumn | None = None,
) -> Model:
    """Return an estimator fitted to a collection, in one pass on the cluster.

    Where values are missing and `missing='marginalize'` takes EM, it reads the collection again:
    once where rows lack few different sets of columns, else for each iteration. Call `persist` on a
    collection that is slow to read.

    `RegularizedDiscriminantAnalysisCV` takes two: moments of folds, then all points of its grid on
    the rows held out. Its `cv` is a number of folds or a `model_selection.HashedKFold`.

    Parameters
    ----------
    estimator : estimator of gauda
        Says what to fit; it is left as it is.

    X : dask array or data frame of shape (n_samples, n_features)
        Training rows, of any chunks; partitions may be empty.

    y : dask array or series, array-like, or str
        Labels; of a frame also the name of their column. A partition need not hold every class.

    sample_weight : like y, default=None
        Weights; a row of weight 2 counts like two rows.

    groups : like y, default=None
        For an estimator that cross-validates: groups whose rows stay in one fold; by default folds
        follow from the positions of rows in their partitions.

    Returns
    -------
    estimator
        An ordinary fitted estimator, the same to the bit however tasks were scheduled. It differs
        from that of `fit` on all rows in the last digits of sums only.

    Examples
    --------
    >>> import dask.array as da
    >>> import gauda, gauda.dask
    >>> X = da.from_array([[-1.0], [1.0], [5.0], [9.0]], chunks=(2, 1))
    >>> qda = gauda.dask.fit(gauda.QDA(), X, ["a", "a", "b", "b"])
    >>> qda.predict([[4.0]])
    array(['b'], dtype='<U1')
    """
    search = Search.of(estimator, "gauda.dask.fit")
    if search is not None:
        chosen: Model = fit_search(search, estimator, (X, y, sample_weight), groups)
        return chosen
    if groups is not None:
        raise ValueError(
            f"groups are for estimators that cross-validate, which {type(estimator).__name__} does "
            "not; leave them out, or call gauda.dask.cross_validate."
        )
    settings = settings_for_parts(estimator, "gauda.dask.fit")
    parts = LabeledPartitions.of(X, y, sample_weight, "gauda.dask.fit")
    fitted: Model = clone(estimator)
    if may_take_em(settings):
        return fit_with_gaps(fitted, settings, parts.total)
    return adopt(fitted, settings, parts.total(settings, part_of_block, join_parts).found)
