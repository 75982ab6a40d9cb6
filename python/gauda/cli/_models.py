"""The models that the shell fits, by the names that they have for it, and what they are made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gauda import discriminant_analysis, naive_bayes
from gauda._estimators.classifier import Classifier
from gauda._estimators.learner import Learner
from gauda._statistics.base import Statistics
from gauda._statistics.count_kinds import KINDS
from gauda._statistics.counts import Counts
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.moments import Moments
from gauda._storage.loading import load
from gauda.cli._options import json_or_text

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

SCORE_PARAMETERS = ("handle_unknown", "missing", "n_threads")
"""Parameters that act on a fitted model, and have no option of their own."""


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


def load_as(expected: type, file: Path) -> Any:
    """Load a file, if it holds what a command needs."""
    loaded = load(file)
    if not isinstance(loaded, expected):
        wanted = "moments or counts" if expected is Statistics else "a fitted model"
        raise click.UsageError(f"{file} holds {type(loaded).__name__}; give {wanted} instead.")
    return loaded


def load_with(file: Path, texts: tuple[str, ...]) -> Classifier:
    """Load a fitted model, and set parameters that act on it."""
    model: Classifier = load_as(Classifier, file)
    known = model.get_params(deep=False)
    taken = [name for name in SCORE_PARAMETERS if name in known]
    for name, value in parameters_given(texts, list(known), type(model).__name__).items():
        if name not in taken:
            raise click.UsageError(
                f"-p {name}=... is not for a fitted model, of which -p sets {', '.join(taken)}. "
                "Give it to gauda fit, or see the other options."
            )
        model.set_params(**{name: value})
    return model


def parameters_from(model: str, texts: tuple[str, ...]) -> dict[str, Any]:
    """Return parameters of a model of the shell."""
    return parameters_given(texts, list(MODELS[model]().get_params()), model)


def missing_from(model: str, missing: str | None) -> dict[str, Any]:
    """Return how a model handles missing values, if it was said."""
    return {} if missing is None else parameters_from(model, (f"missing={missing}",))


def parameters_given(texts: tuple[str, ...], known: list[str], model: str) -> dict[str, Any]:
    """Return parameters given as NAME=VALUE."""
    parameters = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name not in known:
            raise click.UsageError(
                f"-p {text} is not NAME=VALUE of a parameter of {model}: {', '.join(known)}."
            )
        parameters[name] = json_or_text(value)
    return parameters
