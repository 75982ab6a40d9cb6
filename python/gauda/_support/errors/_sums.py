"""Refusals of sums, and of what is taken out of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gauda._support.errors._registry import explains
from gauda._support.errors._types import LostDigitsError

if TYPE_CHECKING:
    from gauda._support.errors._names import Names


@explains("never_observed")
def never_observed(names: Names, column: int, code: int) -> Exception:
    return ValueError(
        f"Column {names.column(column)} is never observed in class "
        f"{names.label(code)}: all its values are missing there, so nothing is "
        "known of its mean. Drop the column, or the class."
    )


@explains("empty_class")
def empty_class(names: Names, code: int) -> Exception:
    return ValueError(
        f"Class {names.label(code)} has no rows, or they all have sample_weight 0; "
        "give it rows of some weight, or leave the class out."
    )


@explains("not_part")
def not_part(names: Names, code: int | None, column: int | None = None) -> Exception:
    where = "" if column is None else f" in column {names.column(column)}"
    return ValueError(
        f"What is subtracted was not part of the {'statistics' if where else 'moments'}: "
        f"{names.owner(code)}{where} would have a negative row count, or a "
        "scatter that no rows have. Subtract only what was added before, with the same "
        "weights."
    )


@explains("cancelled")
def cancelled(names: Names, column: int | None, code: int | None) -> Exception:
    where = "" if column is None else f" in column {names.column(column)}"
    return LostDigitsError(
        f"What is subtracted from {names.owner(code)}{where} exceeds what remains "
        "by more than a double has digits, so they would be lost. Take the moments of the "
        "remaining rows with Moments.from_data instead, or leave out what is far off before."
    )


@explains("factor")
def factor(_: Names, value: float) -> Exception:
    return ValueError(f"Moments must be multiplied by a finite factor of at least 0; got {value}.")


@explains("divisor")
def divisor(names: Names, weight: float, needed: float, code: int | None) -> Exception:
    return ValueError(
        f"unbiased=True needs n_samples > {needed:g} (or as much weight), but for "
        f"{names.owner(code)} n_samples = {weight:g}. Use unbiased=False."
    )


@explains("overflow")
def overflow(names: Names, column: int, code: int | None) -> ValueError:
    """Return the refusal of values of a class, or of all, whose squares are too large."""
    return ValueError(
        f"The values of {names.owner(code)} in column {names.column(column)} are too "
        "large: their squares overflow a double. Rescale the column."
    )


@explains("underflow")
def underflow(names: Names, column: int, code: int | None) -> ValueError:
    """Return the refusal of values of a class, or of all, whose squares are too small."""
    return ValueError(
        f"The values of {names.owner(code)} in column {names.column(column)} are too small: "
        "their squares underflow a double. Multiply the column by 1e150, or the weights if "
        "they are tiny."
    )
