"""Refusals of covariances that are singular or unknown, with what helps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.linalg import LinAlgError

from gauda._support import remedies
from gauda._support.errors._registry import explains

if TYPE_CHECKING:
    from gauda._support.errors._names import Names


@explains("degenerate")
def degenerate(
    names: Names,
    iteration: int,
    constant: Sequence[int],
    dependent: Sequence[int],
    code: int | None,
) -> Exception:
    begun = f"go on after iteration {iteration}" if iteration else "start"
    found = []
    if constant:
        found.append(f"no variance in {names.columns(constant)}")
    if dependent and too_few(names, code):
        found.append("too few rows for so many columns")
    elif dependent:
        found.append(f"linear dependence of {names.columns(dependent)}")
    return LinAlgError(
        f"EM for missing values cannot {begun}: the covariance of "
        f"{names.owner(code)} is singular ({'; '.join(found)}). Use "
        f"{remedies.for_em(names.model)}, which EM follows; MixedNB, which takes categories, also "
        "as 0 and 1, and missing values as they are; GaussianNB, which needs no EM; or drop such "
        "columns, or give more rows."
    )


def too_few(names: Names, code: int | None) -> bool:
    """Whether there are not more rows than columns, if they are known."""
    if names.codes is None:
        return False
    rows = len(names.codes) - len(names.classes) if code is None else np.sum(names.codes == code)
    return bool(rows <= getattr(names.model, "n_features_in_", 0))


@explains("singular_part")
def singular_part(names: Names, columns: Sequence[int], code: int | None) -> Exception:
    reduced = getattr(names.model, "reduced_rank", False)
    remedy = "reduced_rank=False" if reduced else remedies.for_density(names.model)
    return LinAlgError(
        f"Values of some rows are missing, and the covariance of {names.owner(code)}"
        f" is singular, or known along few axes only, where only {names.columns(columns)} are "
        f"observed: what is missing cannot be integrated out. Use {remedy}; or fill the rows "
        "in first."
    )


@explains("zero_variance")
def zero_variance(names: Names, weight: float, columns: Sequence[int], code: int) -> Exception:
    return ValueError(
        f"Class {names.label(code)} ({rows_of_owner(names, code, weight)}) has no variance in "
        f"{names.columns(columns)}, so its density is not defined. "
        f"{without_variance(names, columns)}"
    )


def without_variance(names: Names, columns: Sequence[int]) -> str:
    """Return what helps where columns have no variance."""
    squares = None if names.moments is None else remedies.pooled_squares(names.moments)
    if squares is not None and not squares.any():
        return remedies.NOTHING_VARIES
    drop = f"Drop {names.columns(columns)}"
    if squares is not None and len(columns) == len(squares):
        drop = "Give the class rows that differ"
    if hasattr(names.model, "var_smoothing"):
        return f"{drop}; or smooth the variances with var_smoothing=1e-9."
    if not hasattr(names.model, "alpha"):
        return f"{drop}."
    return f"{drop}; or use {remedies.for_columns(names.model, squares, columns)}."


@explains("no_density")
def no_density(names: Names, rank: int, features: int) -> Exception:
    if getattr(names.model, "reduced_rank", False):
        return LinAlgError(
            f"With reduced_rank=True the model knows rows along {rank} discriminant axes only, "
            f"so they have no density in {features} columns; predict and predict_proba "
            "work all the same. For densities use reduced_rank=False, or fit a model to what "
            "transform returns."
        )
    return LinAlgError(
        f"The pooled covariance has rank {rank} in {features} columns, so rows have no "
        "density; predict and predict_proba work all the same. For densities use "
        f"{remedies.for_density(names.model)}."
    )


@explains("left_out")
def left_out(names: Names, row: int, code: int | None) -> Exception:
    return LinAlgError(
        f"Without row {names.row(row)} the covariance of {names.owner(code)} is not "
        f"full rank. Use {remedies.for_left_out(names.model)}; or drop columns."
    )


@explains("no_convergence")
def no_convergence(_: Names) -> Exception:
    return LinAlgError("The eigenvalues of a covariance did not converge; rescale X.")


@explains("singular")
def singular(  # noqa: PLR0913 (the fields of the error)
    names: Names,
    weight: float,
    features: int,
    rank: int,
    constant: Sequence[int],
    dependent: Sequence[int],
    code: int | None,
) -> Exception:
    if code is None:
        found = figures(names, None, weight, features, rank, constant, dependent)
        return LinAlgError(
            f"The pooled covariance matrix is not full rank ({found}). "
            f"{remedies.for_pooled(names.model, rank)}"
        )
    found = figures(names, code, weight, features, rank, constant, dependent)
    text = f"The covariance matrix of class {names.label(code)} is not full rank."
    if weight <= features and getattr(names.model, "solver", None) == "svd":  # scikit-learn's words
        text += " When using `solver='svd'` a class must have more rows than columns; it has"
    else:
        text += " It has"
    text += f" {found}."
    if names.moments is None:
        return LinAlgError(f"{text} Regularize it, or use fewer columns.")
    spread = remedies.Spread.of(names.moments, code)
    guilty = names.columns(constant) if constant else f"some of {names.columns(dependent)}"
    return LinAlgError(f"{text} {remedies.for_class(names.model, spread, constant, guilty)}")


def too_few_rows(
    model: object, names: Names, spread: remedies.Spread, code: int, rank: int
) -> Exception:
    """Return the refusal of a class whose covariance is singular by the number of rows alone."""
    if spread.n_rows == 1 and remedies.singular_advice(model) == "quadratic":
        return ValueError(one_row(names, code, remedies.for_one_row(model, spread)))
    text = f"The covariance matrix of class {names.label(code)} is not full rank. "
    if getattr(model, "solver", None) == "svd":  # scikit-learn's words
        text += "When using `solver='svd'` a class must have more rows than columns; it has"
    else:
        text += "It has"
    found = f"{remedies.rows_text(spread.n_rows)}, {spread.n_features} columns, rank at most {rank}"
    advice = remedies.for_class(model, spread, [], "")
    return LinAlgError(f"{text} {found}; too few rows for so many columns. {advice}")


def too_few_rows_pooled(model: object, n_rows: int, n_classes: int, n_features: int) -> Exception:
    """Return the refusal of a common covariance that is singular by the number of rows alone."""
    rank = n_rows - n_classes
    return LinAlgError(
        f"The pooled covariance matrix is not full rank ({remedies.rows_text(n_rows)}, "
        f"{n_features} columns, rank at most {rank}; too few rows for so many columns). "
        f"{remedies.for_pooled(model, rank)}"
    )


def one_row(names: Names, code: int, advice: str) -> str:
    """Return scikit-learn's words for a class of one row, and what helps."""
    return f"y has only 1 sample in class {names.label(code)}, covariance is ill defined. {advice}"


def figures(  # noqa: PLR0913 (what is known of a covariance)
    names: Names,
    code: int | None,
    weight: float,
    features: int,
    rank: int,
    constant: Sequence[int],
    dependent: Sequence[int],
) -> str:
    """Return rows, columns and rank; columns by name only where they are to blame."""
    found = [f"{rows_of_owner(names, code, weight)}, {features} columns, rank {rank}"]
    rows = weight if names.moments is None else remedies.free_rows(names.moments, code)
    if constant and len(constant) < features:
        found.append(f"constant: {names.columns(constant)}")
    if rows < features:
        found.append("too few rows for so many columns")
    elif dependent:
        found.append(f"linearly dependent: {names.columns(dependent)}")
    return "; ".join(found)


def rows_of_owner(names: Names, code: int | None, weight: float) -> str:
    """Return '50 rows', or their weight if that is not a number of rows."""
    if names.moments is not None:  # which hold no pseudo-rows of a prior
        counts = names.moments.counts
        weight = float(counts.sum() if code is None else counts[code])
    return remedies.rows_text(weight)
