"""Refusals of rows and weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gauda._support.errors._registry import explains
from gauda._support.errors._types import UnknownCategoryError

if TYPE_CHECKING:
    from gauda._support.errors._names import Names

PSEUDO_COUNTS = ("prior_a", "prior_b")
"""Parameters that smooth in place of alpha."""


@explains("non_finite")
def non_finite(names: Names, row: int, column: int, value: float) -> Exception:
    is_missing = np.isnan(value)
    what = names.gap(row, column) if is_missing else "infinity"
    taken = "rows without missing values" if is_missing else "finite values"
    return ValueError(
        f"Input X contains {what} at row {names.row(row)}, column {names.column(column)}. "
        f"{names.estimator} takes {taken} only: drop or impute such rows first."
        f"{about_nan(names) if is_missing else ''}"
    )


def about_nan(names: Names) -> str:
    """Return who takes missing values, and where."""
    return str(getattr(names.model, "nan_advice", names.nan_advice))


@explains("weight")
def weight(names: Names, row: int, value: float) -> Exception:
    return ValueError(
        f"sample_weight is {value} at row {names.row(row)}; weights must be at least 0, sums "
        "with them finite."
    )


@explains("no_weight")
def no_weight(_: Names) -> Exception:
    return ValueError("sample_weight is 0 for every row; at least one must be positive.")


@explains("too_fine")
def too_fine(names: Names, column: int) -> Exception:
    return ValueError(
        f"The values in column {names.column(column)} are too small for float32: their inverses "
        "overflow it. Multiply the column by 1e30, or pass X as float64."
    )


@explains("too_far")
def too_far(names: Names, row: int) -> Exception:
    further = " Or pass X as float64, whose range is larger." if names.single else ""
    return ValueError(
        f"Row {names.row(row)} of X is so far from the classes that its scores are too large "
        f"for the floating-point type. Check the row's units.{further}"
    )


@explains("no_level")
def no_level(names: Names, row: int, column: int, value: float) -> Exception:
    found = f"{value:g} at row {names.row(row)}, column {names.column(column)}"
    remedy = "Categories are 0, 1, 2, ...: encode others with scikit-learn's OrdinalEncoder."
    if value < 0:  # in the words of scikit-learn
        return ValueError(
            f"Negative values in data passed to {names.estimator} (input X): {found}. {remedy}"
        )
    if value == np.floor(value):
        return ValueError(f"X holds {found}, too large for the number of a category. {remedy}")
    return ValueError(f"X holds {found}, which is not an integer. {remedy}")


@explains("unknown_level")
def unknown_level(names: Names, row: int, column: int, level: int, levels: int) -> Exception:
    return UnknownCategoryError(
        f"X holds category {level} at row {names.row(row)}, column {names.column(column)}, but "
        f"{names.estimator} knows only 0 to {levels - 1} there. Fit with min_categories > "
        f"{level}, or ignore such entries with handle_unknown='ignore'."
    )


@explains("no_share")
def no_share(names: Names, row: int, column: int, value: float) -> Exception:
    return ValueError(
        f"X holds {value:g} at row {names.row(row)}, column {names.column(column)}; with "
        f"binarize=None {names.estimator} takes 0, 1 and shares between them. Use binarize=0.0 "
        "to tell zeros from the rest."
    )


@explains("negative")
def negative(names: Names, row: int, column: int, value: float) -> Exception:
    return ValueError(  # in the words of scikit-learn
        f"Negative values in data passed to {names.estimator} (input X): {value:g} at row "
        f"{names.row(row)}, column {names.column(column)}. Counts must be at least 0; of other "
        "numbers use GaussianNB."
    )


@explains("presence_threshold")
def presence_threshold(_: Names, value: float) -> Exception:
    if np.isnan(value):
        return ValueError("binarize must be a number or None; got nan.")
    return ValueError(
        f"binarize must be at least 0 for a sparse matrix; got {value:g}, above which all its "
        "zeros lie. Give a threshold of at least 0, or a dense X."
    )


@explains("given_twice")
def given_twice(names: Names, row: int, column: int) -> Exception:
    return ValueError(
        f"A sparse X must give each entry once; got row {names.row(row)}, column "
        f"{names.column(column)} twice. Pass scipy.sparse.csr_array(X.tocoo()), which adds up "
        "such entries."
    )


@explains("impossible")
def impossible(names: Names, row: int) -> Exception:
    return ValueError(
        f"Row {names.row(row)} of X has probability 0 in every class, so there is no "
        f"posterior. Smooth the probabilities with {smoothing(names)}."
    )


def smoothing(names: Names) -> str:
    """Return the parameters that smooth."""
    given = [name for name in PSEUDO_COUNTS if getattr(names.model, name, None) is not None]
    return f"{' and '.join(given)} > 1" if given else "alpha > 0"
