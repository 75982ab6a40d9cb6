"""The models that the shell fits, by the names that they have for it, and what they are made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gauda import discriminant_analysis, naive_bayes
from gauda._estimators.learner import Learner
from gauda._statistics.base import Statistics
from gauda._statistics.count_kinds import KINDS
from gauda._statistics.counts import Counts
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.moments import Moments

MODELS: dict[str, type[Learner]] = {
    own.shell_name: own
    for package in (discriminant_analysis, naive_bayes)
    for own in vars(package).values()
    if isinstance(own, type) and issubclass(own, Learner) and own.shell_name
}

MIXED = "mixed"
STRUCTURES = ("full", "tied", "diag", *KINDS, MIXED)
"""What rows can be summed up in."""

COUNTED = {"complement": "multinomial"}
"""Models made of counts that have another name than theirs."""

MAKERS: dict[str, type[Statistics]] = {
    "from_moments": Moments,
    "from_counts": Counts,
    "from_statistics": MixedStatistics,
}
"""Methods that make a model, and of what."""


def sum_up(
    data: Path, structure: Any, missing: str | None, order: str | None, **columns: Any
) -> Statistics:
    """Return the sums of columns of data."""
    if order is not None:
        if structure != "full":
            raise click.UsageError(
                f"--order is for --structure full; got {structure}. Leave it out."
            )
        columns["order"] = int(order)
    if missing is not None:
        columns["missing"] = missing
    if structure == MIXED:
        return MixedStatistics.from_stream(data, **columns)
    if structure in KINDS:
        return Counts.from_stream(data, kind=structure, **columns)
    return Moments.from_stream(data, structure=structure, **columns)


def fit_to_sums(model: str, sums: Statistics, source: Path, **parameters: Any) -> Learner:
    """Return a model made of sums; refuse those of another kind."""
    kind = MODELS[model]
    maker = next(name for name in MAKERS if hasattr(kind, name))
    if not isinstance(sums, MAKERS[maker]):
        structures = {Moments: "full", MixedStatistics: MIXED}
        wanted = structures.get(MAKERS[maker], COUNTED.get(model, model))
        raise click.UsageError(
            f"--model {model} must be made of {MAKERS[maker].__name__}; {source} holds "
            f"{type(sums).__name__}. Sum the data up with --structure {wanted}."
        )
    fitted: Learner = getattr(kind, maker)(sums, **parameters)
    return fitted
