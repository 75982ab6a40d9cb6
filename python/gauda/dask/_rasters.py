"""Answers about rasters: arrays of xarray with an axis of features."""

from __future__ import annotations

import sys
from typing import Any

from gauda._support.optional import need
from gauda.dask import _arrays
from gauda.dask._collections import is_array
from gauda.dask._questions import Question

CLASS = "class"
"""Name of the axis of answers with a value for each class."""


def is_raster(X: Any) -> bool:
    """Tell whether X is an array of xarray."""
    xarray = sys.modules.get("xarray")
    return xarray is not None and isinstance(X, xarray.DataArray)


def answer(question: Question, X: Any, dim: str, *, single: bool) -> Any:
    """Return a raster for an answer, or a data set of several."""
    xr = need("xarray", extra="dask")
    if dim not in X.dims:
        raise ValueError(
            f"dim must be the axis of the features, one of {list(X.dims)}; got {dim!r}."
        )
    if not is_array(X.data):
        raise TypeError(
            "X must be backed by Dask; got an array in memory. Call X.chunk(), or give the values, "
            "with features last, to the method of the model."
        )
    last = X.transpose(..., dim)
    found = _arrays.answers(question, last.data)
    template = last.isel({dim: 0}, drop=True)
    rasters = {
        output: as_raster(template, output, values, question.columns(output))
        for output, values in found.items()
    }
    return next(iter(rasters.values())) if single else xr.Dataset(rasters)


def as_raster(template: Any, output: str, values: Any, labels: Any) -> Any:
    """Return an answer with the axes and coordinates of the raster."""
    xr = need("xarray", extra="dask")
    axes, coordinates = list(template.dims), dict(template.coords)
    if labels is not None:
        axes.append(CLASS)
        coordinates[CLASS] = labels
    return xr.DataArray(values, coords=coordinates, dims=axes, name=output)
