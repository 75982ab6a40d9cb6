"""Moments as the compiled core makes, keeps and restores them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._core import CoreError
from gauda._core import Moments as CoreMoments
from gauda._data.training import LabeledRows
from gauda._storage.format import Arrays
from gauda._support.arrays import Floats

STRUCTURES = ("full", "tied", "diag")
ORDERS = LOWEST, HIGHEST = 2, 4
NUMBERS = ("weights", "shift", "offset", "scatter")
"""Arrays that moments of the core are made of, besides the rows of each class."""
FOURTH = ("units", "third", "fourth", "past_roots")
"""Those of moments of fourth order besides."""


def check_structure(structure: Any) -> None:
    """Refuse what is not a structure of moments."""
    if structure not in STRUCTURES:
        raise ValueError(f"structure must be one of {STRUCTURES}; got {structure!r}.")


def check_order(order: Any, structure: str) -> None:
    """Refuse what is not an order of moments, or not with this structure."""
    if order not in ORDERS:
        raise ValueError(f"order must be one of {ORDERS}; got {order!r}.")
    if order > LOWEST and structure != "full":
        raise ValueError(
            f"Moments of order {order} must be of structure 'full', whose products of columns they "
            f"go with; got {structure!r}. Use structure='full', or order=2."
        )


def takes_gaps(missing: Any, structure: str) -> bool:
    """Tell whether moments leave NaN out of the sums of its column; refuse where none can."""
    if missing not in ("raise", "marginalize", "drop"):
        raise ValueError(
            f"missing must be one of 'raise', 'marginalize' and 'drop'; got {missing!r}."
        )
    if missing == "marginalize" and structure != "diag":
        raise ValueError(
            f"Moments of structure {structure!r} must be those of complete rows: with missing "
            "values EM estimates them where a model is fitted, and they are not sums of "
            "rows. Use structure='diag', or missing='drop'."
        )
    return bool(missing == "marginalize")


def core_moments(  # noqa: PLR0913 (what the core is given)
    data: LabeledRows,
    codes: NDArray[np.uint32],
    n_classes: int,
    structure: str,
    weights: Floats | None,
    *,
    gaps: bool,
    order: int = 2,
) -> CoreMoments:
    """Return the core's moments of rows; NaN is refused unless they may have gaps."""
    if gaps:
        return CoreMoments.from_observed(data.rows, codes, n_classes, weights, data.n_threads)
    return CoreMoments.from_data(
        data.rows,
        codes,
        n_classes,
        structure,
        weights,
        data.n_threads,
        fourth_order=order == HIGHEST,
    )


def unless_refused(sums: Callable[[], CoreMoments]) -> CoreMoments | None:
    """Return sums, or None where the core refuses them: squares overflow, or digits are lost."""
    try:
        return sums()
    except CoreError:
        return None


def store(core: CoreMoments) -> Arrays:
    """Return the arrays that moments of the core are made of."""
    if (parts := core.factor) is not None:
        arrays: Arrays = {name: getattr(core, name) for name in ("rows", *NUMBERS[:-1])}
        return arrays | {"factor": parts[0], "bounds": np.array(parts[1], dtype=np.uint64)}
    arrays = {name: getattr(core, name) for name in ("rows", *NUMBERS)}
    further = {"past": core.past, "seen": core.seen}
    if core.fourth is not None:
        further |= dict(zip(FOURTH, core.fourth, strict=True))
    return arrays | {name: array for name, array in further.items() if array is not None}


def restore(arrays: Arrays, structure: str) -> CoreMoments:
    """Return the core's moments that arrays were made of."""
    if "factor" in arrays:
        weights, *means = (arrays[name] for name in NUMBERS[:-1])
        parts = arrays["factor"], arrays["bounds"].tolist()
        rows = arrays["rows"].tolist()
        return CoreMoments.from_factor(structure, rows, weights, (means[0], means[1]), *parts)
    weights, shift, offset, scatter = (arrays[name] for name in NUMBERS)
    units, third, fourth, past_roots = (arrays.get(name) for name in FOURTH)
    given = None
    if units is not None and third is not None and fourth is not None and past_roots is not None:
        given = units, third, fourth, past_roots
    return CoreMoments(
        structure,
        arrays["rows"].tolist(),
        weights,
        shift,
        offset,
        scatter,
        arrays.get("past"),
        arrays.get("seen"),
        given,
    )
