"""Refusals of priors, costs and thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gauda._support.errors._registry import explains

if TYPE_CHECKING:
    from gauda._support.errors._names import Names


@explains("prior")
def prior(names: Names, value: float, code: int) -> Exception:
    return ValueError(
        f"The prior of class {names.label(code)} is {value:g}; "
        "priors must be finite and non-negative, and not all 0."
    )


@explains("row_prior")
def row_prior(names: Names, row: int, value: float, code: int) -> Exception:
    return ValueError(
        f"The prior of class {names.label(code)} at row {names.row(row)} is "
        f"{value:g}; priors must be finite and non-negative."
    )


@explains("prior_sum")
def prior_sum(names: Names, row: int | None, sum: float) -> Exception:  # noqa: A002 (the core's name)
    whose = "The priors" if row is None else f"The priors of row {names.row(row)}"
    return ValueError(f"{whose} sum to {sum:g}; priors for a call must sum to 1.")


@explains("cost")
def cost(names: Names, truth: int, decision: int, value: float) -> Exception:
    decided = names.label(decision) if decision < len(names.classes) else "to reject"
    rule = "costs must be finite."
    if np.isfinite(value):
        rule = "that is too much for float32, in which X is scored. Divide all costs by it."
    return ValueError(
        f"cost[{truth}, {decision}] (truth {names.label(truth)}, decision {decided}) is "
        f"{value:g}; {rule}"
    )


@explains("threshold")
def threshold(_: Names, what: str, value: float) -> Exception:
    return ValueError(
        f"The threshold must lie between 0 and 1; got reject={{{what!r}: {value:g}}}."
    )
