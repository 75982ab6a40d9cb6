"""What users hand over besides tables: dictionaries, tensors, masks, and scenes of any shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.frames import N_AXES, library_of, refuse_cluster
from gauda._data.masked import fill_masked

Shape = tuple[int, ...]


def unfold(X: Any) -> tuple[Any, Shape | None]:
    """Return an array of shape (..., d) as rows, and what comes before d; others as they are.

    The rows are a view wherever strides allow it: also of bands that were moved to the end.
    """
    X = plain_array(X)
    if library_of(X) == "xarray":
        refuse_rasters(X)
    if not isinstance(X, np.ndarray) or X.ndim <= N_AXES:
        return X, None
    return X.reshape(-1, X.shape[-1]), X.shape[:-1]


def refuse_rasters(X: Any) -> None:
    """Refuse arrays of xarray, unless they are tables in memory."""
    refuse_cluster(X, "X")
    if not hasattr(X, "ndim"):
        raise TypeError(
            f"X must be an array; got {type(X).__name__} of xarray. Call "
            "X.to_dataarray('band'), which makes one array of its variables."
        )
    if X.ndim > N_AXES:
        raise TypeError(
            "X must be an array of numpy whose last axis holds the columns; got one of xarray with "
            f"the axes {X.dims}. Give X.transpose(..., 'band').values, if the axis of the columns "
            "is named so; or give X.chunk() to gauda.dask.classify, which keeps coordinates."
        )


def fold(answers: NDArray[Any], shape: Shape | None) -> NDArray[Any]:
    """Return answers about rows in the shape of what these were taken from."""
    return answers if shape is None else answers.reshape(*shape, *answers.shape[1:])


def priors_of_rows(priors: Any, shape: Shape | None) -> Any:
    """Return priors as they are, those of each row of a scene row by row."""
    if shape is None or np.shape(priors)[:-1] != shape:
        return priors
    return np.reshape(priors, (-1, np.shape(priors)[-1]))


def plain_array(X: Any) -> Any:
    """Return a masked array with NaN for what is masked, and a tensor of torch as an array.

    A tensor is left without its gradient, in a type that numpy has.
    """
    if library_of(X) != "torch" or not hasattr(X, "detach"):
        return fill_masked(X)
    X = X.detach()
    if str(X.dtype) == "torch.bfloat16":
        X = X.float()
    return X.cpu().numpy()


def is_bfloat16(dtype: Any) -> bool:
    """Tell whether a type is one of others that numpy takes for bytes, and float32 holds."""
    return getattr(dtype, "name", "") == "bfloat16"


def by_name(X: Any) -> bool:
    """Tell whether rows are dictionaries by name, one or a list of them, or one of columns."""
    if isinstance(X, list):
        return bool(X) and isinstance(X[0], Mapping)
    return isinstance(X, Mapping)


def rows_by_name(X: Any, names: NDArray[Any] | None, estimator: str) -> NDArray[Any]:
    """Return dictionaries as rows, in the order of the columns of a fit."""
    if names is None:
        raise TypeError(
            f"X must be an array or a table; got a dictionary, but {estimator} was fitted to "
            "columns without names. Give the values in the order of the columns, as [[...]]."
        )
    order = names.tolist()
    given = X if isinstance(X, list) else [X]
    for row, entries in enumerate(given):
        if not isinstance(entries, Mapping):
            raise TypeError(
                f"X must hold dictionaries only, as its first entry is one; got "
                f"{type(entries).__name__} at index {row}."
            )
        refuse_other_names(entries, order)
    columns = [[entries[name] for entries in given] for name in order]
    if not isinstance(X, list):
        columns = [column[0] if is_column(column[0]) else column for column in columns]
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise ValueError(
            f"Columns of X must have one length; got {sorted(lengths)}. Give a value for each row."
        )
    rows = np.empty((lengths.pop(), len(order)), dtype=object)
    for index, column in enumerate(columns):
        rows[:, index] = list(column)
    return rows


def is_column(entry: Any) -> bool:
    """Tell whether an entry of a dictionary is a column, and not a single value."""
    return not isinstance(entry, (str, bytes)) and np.ndim(entry) == 1


def refuse_other_names(entries: Mapping[Any, Any], order: list[Any]) -> None:
    """Refuse names that are not those of a fit, in scikit-learn's words."""
    unseen = [name for name in entries if name not in order]
    missing = [name for name in order if name not in entries]
    if not (unseen or missing):
        return
    message = "The feature names should match those that were passed during fit.\n"
    if unseen:
        message += "Feature names unseen at fit time:\n" + "".join(f"- {n}\n" for n in unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n"
        message += "".join(f"- {n}\n" for n in missing)
    raise ValueError(message)


def number_of_rows(X: Any) -> int:
    """Return how many rows there are, also of sparse matrices."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
