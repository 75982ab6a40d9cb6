"""Lazy answers about collections of Dask and rasters of xarray: one pass for each partition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gauda._estimators.classifier import Classifier
from gauda._scoring.answers import Classification
from gauda.dask import _arrays, _frames, _rasters
from gauda.dask._collections import check_collection, is_array
from gauda.dask._questions import Question
from gauda.typing import DaskCollection


def ask(
    model: Classifier, X: DaskCollection, output: str, dim: str, options: dict[str, Any]
) -> Any:
    """Return one answer about a collection."""
    return answer(Question.of(model, (output,), options), X, dim, single=True)


def answer(question: Question, X: DaskCollection, dim: str, *, single: bool) -> Any:
    """Return answers about a collection in the form of that collection."""
    if _rasters.is_raster(X):
        return _rasters.answer(question, X, dim, single=single)
    check_collection(X, "gauda.dask.predict and the like")
    if is_array(X):
        arrays = _arrays.answers(question, X)
        return next(iter(arrays.values())) if single else Classification(**arrays)
    return _frames.answer(question, X, single=single)


def predict(model: Classifier, X: DaskCollection, *, dim: str = "band", **options: Any) -> Any:
    """Return the labels of a collection, lazily.

    Parameters
    ----------
    model : fitted estimator of gauda
        Which answers; it is one task of the graph.

    X : dask array, dask data frame, or xarray.DataArray of shape (..., n_features)
        Rows to classify. A raster has its features along `dim`.

    dim : str, default="band"
        Of a raster of xarray: the axis of the features, at any position.

    **options
        What `model.predict` takes for a call, such as `priors`, `cost` or `reject`.

    Returns
    -------
    dask array, dask series named 'label', or xarray.DataArray
        With the chunks of an array, the index and divisions of a frame, or the coordinates of a
        raster.

    Examples
    --------
    >>> import dask.array as da
    >>> import gauda, gauda.dask
    >>> lda = gauda.LDA().fit([[-1.0], [1.0], [5.0], [9.0]], ["a", "a", "b", "b"])
    >>> gauda.dask.predict(lda, da.ones((4, 1), chunks=(3, 1))).compute()
    array(['a', 'a', 'a', 'a'], dtype='<U1')
    """
    return ask(model, X, "label", dim, options)


def predict_proba(
    model: Classifier, X: DaskCollection, *, dim: str = "band", **options: Any
) -> Any:
    """Return the posteriors of a collection, lazily.

    Parameters
    ----------
    model : fitted estimator of gauda
        Which answers.

    X : dask array, dask data frame, or xarray.DataArray of shape (..., n_features)
        Rows to classify.

    dim : str, default="band"
        Of a raster of xarray: the axis of the features, at any position.

    **options
        What `model.predict_proba` takes for a call, such as `priors`.

    Returns
    -------
    dask array, dask data frame with a column for each class, or xarray.DataArray
        Posteriors, along the last axis in the order of `classes_`.

    Examples
    --------
    >>> import dask.array as da
    >>> import gauda, gauda.dask
    >>> lda = gauda.LDA().fit([[-1.0], [1.0], [5.0], [7.0]], ["a", "a", "b", "b"])
    >>> gauda.dask.predict_proba(lda, da.full((2, 1), 3.0)).compute()
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    return ask(model, X, "proba", dim, options)


def predict_log_proba(
    model: Classifier, X: DaskCollection, *, dim: str = "band", **options: Any
) -> Any:
    """Return the logarithms of the posteriors of a collection, lazily.

    Parameters
    ----------
    model : fitted estimator of gauda
        Which answers.

    X : dask array, dask data frame, or xarray.DataArray of shape (..., n_features)
        Rows to classify.

    dim : str, default="band"
        Of a raster of xarray: the axis of the features, at any position.

    **options
        What `model.predict_log_proba` takes for a call, such as `priors`.

    Returns
    -------
    dask array, dask data frame with a column for each class, or xarray.DataArray
        Log-posteriors, along the last axis in the order of `classes_`.

    Examples
    --------
    >>> import dask.array as da
    >>> import gauda, gauda.dask
    >>> lda = gauda.LDA().fit([[-1.0], [1.0], [5.0], [7.0]], ["a", "a", "b", "b"])
    >>> gauda.dask.predict_log_proba(lda, da.full((1, 1), 3.0)).compute().round(3)
    array([[-0.693, -0.693]])
    """
    return ask(model, X, "log_proba", dim, options)


def score_samples(
    model: Classifier, X: DaskCollection, *, dim: str = "band", **options: Any
) -> Any:
    """Return log p(x) of a collection, lazily.

    Parameters
    ----------
    model : fitted estimator of gauda
        Which answers.

    X : dask array, dask data frame, or xarray.DataArray of shape (..., n_features)
        Rows to score.

    dim : str, default="band"
        Of a raster of xarray: the axis of the features, at any position.

    **options
        What `model.score_samples` takes for a call, such as `priors`.

    Returns
    -------
    dask array, dask series named 'log_density', or xarray.DataArray
        Log-densities.

    Examples
    --------
    >>> import dask.array as da
    >>> import gauda, gauda.dask
    >>> nb = gauda.GaussianNB(var_smoothing=0).fit([[-1.0], [1.0]], ["a", "a"])
    >>> gauda.dask.score_samples(nb, da.zeros((1, 1))).compute().round(3)
    array([-0.919])
    """
    return ask(model, X, "log_density", dim, options)


def mahalanobis(model: Classifier, X: DaskCollection, *, dim: str = "band", **options: Any) -> Any:
    """Return squared Mahalanobis distances of a collection to the class means, lazily.

    Parameters
    ----------
    model : fitted Gaussian estimator of gauda
        Which answers.

    X : dask array, dask data frame, or xarray.DataArray of shape (..., n_features)
        Rows to measure.

    dim : str, default="band"
        Of a raster of xarray: the axis of the features, at any position.

    **options
        What `model.classify` takes for a call, such as `nodata`.

    Returns
    -------
    dask array, dask data frame with a column for each class, or xarray.DataArray
        Squared distances, along the last axis in the order of `classes_`.

    Examples
    --------
    >>> import dask.array as da
    >>> import gauda, gauda.dask
    >>> lda = gauda.LDA().fit([[-1.0], [1.0], [5.0], [7.0]], ["a", "a", "b", "b"])
    >>> gauda.dask.mahalanobis(lda, da.full((1, 1), 2.0)).compute().round(9)
    array([[ 4., 16.]])
    """
    return ask(model, X, "mahalanobis", dim, options)


def classify(
    model: Classifier,
    X: DaskCollection,
    outputs: str | Sequence[str] = ("label", "proba"),
    *,
    dim: str = "band",
    **options: Any,
) -> Any:
    """Return several answers about each row of a collection, lazily, in one pass.

    Parameters
    ----------
    model : fitted estimator of gauda
        Which answers; it is one task of the graph.

    X : dask array, dask data frame, or xarray.DataArray of shape (..., n_features)
        Rows to classify.

    outputs : str or sequence of str, default=("label", "proba")
        What to compute, as for the method `classify`, but for 'top_k'.

    dim : str, default="band"
        Of a raster of xarray: the axis of the features, at any position.

    **options
        What `model.classify` takes for a call, such as `priors`, `cost`, `reject` or `nodata`.

    Returns
    -------
    Classification of dask arrays, dask data frame, or xarray.Dataset
        The answers by name. A frame has a column for each value, such as `proba_<class>`.

    Examples
    --------
    >>> import dask.array as da
    >>> import gauda, gauda.dask
    >>> lda = gauda.LDA().fit([[-1.0], [1.0], [5.0], [7.0]], ["a", "a", "b", "b"])
    >>> found = gauda.dask.classify(lda, da.full((1, 1), 2.0), ("label", "max_proba"))
    >>> found.label.compute(), found.max_proba.compute().round(3)
    (array(['a'], dtype='<U1'), array([0.998]))
    """
    return answer(Question.of(model, outputs, options), X, dim, single=False)
