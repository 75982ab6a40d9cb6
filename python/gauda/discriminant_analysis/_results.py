"""Results of a search, laid out as those of scikit-learn's GridSearchCV, and as files hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._storage.format import Arrays
from gauda._support.arrays import Floats
from gauda._support.lazy import stats


def columns_of(names: Sequence[str], points: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Return the columns of results that tell the points."""
    columns = zip(names, zip(*points, strict=True), strict=True)
    return {
        **{f"param_{name}": np.ma.masked_array(column, mask=False) for name, column in columns},
        "params": [dict(zip(names, point, strict=True)) for point in points],
    }


def results_to_arrays(results: dict[str, Any]) -> Arrays:
    """Return results as a file holds them, numbered in their order."""
    points = np.array([list(point.values()) for point in results["params"]])
    columns = results | {"params": points}
    return {f"{index}.{name}": np.asarray(columns[name]) for index, name in enumerate(columns)}


def results_from_arrays(arrays: Arrays) -> dict[str, Any]:
    """Return the results that a file holds."""
    numbered = sorted(arrays, key=lambda name: int(name.partition(".")[0]))
    columns = {name.partition(".")[2]: arrays[name] for name in numbered}
    names = [name.removeprefix("param_") for name in columns if name.startswith("param_")]
    return columns | columns_of(names, columns["params"].tolist())


def ranks(means: Floats) -> NDArray[np.int32]:
    """Return ranks, the best 1; points that could not be tried come last."""
    if np.isnan(means).all():
        return np.ones(len(means), dtype=np.int32)
    known = np.nan_to_num(means, nan=np.nanmin(means) - 1)
    return np.asarray(stats.rankdata(-known, method="min"), dtype=np.int32)
