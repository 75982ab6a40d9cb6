"""Options of the shell that say how a model decides: other priors, costs, when to reject."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from gauda._data.labels import list_labels
from gauda._estimators.access import model_of
from gauda._estimators.classifier import Classifier
from gauda._scoring.rules import REASONS
from gauda.cli._options import Command, json_or_text, together

OPTIONS = (
    click.option(
        "--prior",
        "priors",
        multiple=True,
        metavar="CLASS=SHARE",
        help="Prior of a class; repeat for more. Classes that are not named share the rest in "
        "proportion to the priors of MODEL.",
    ),
    click.option(
        "--cost",
        multiple=True,
        metavar="TRUTH:LABEL=COST",
        help="Cost of calling rows of class TRUTH by LABEL; repeat for more. Other mistakes cost "
        "1, the right label 0, and a cost below 0 is a gain; the label of least expected cost is "
        "given. Or all costs in JSON or a file of it: "
        '{"TRUTH": {"LABEL": COST}}, or a matrix in the order of the classes.',
    ),
    click.option(
        "--reject",
        multiple=True,
        metavar="[RULE=]NUMBER",
        help="Reject rows whose posterior is below NUMBER; with RULE typicality those that lie "
        "so far out, with RULE cost those whose label is expected to cost more.",
    ),
    click.option("--reject-label", metavar="LABEL", help="Label of rejected rows."),
)


def decisions(command: Command) -> Command:
    """Give a command the options for decisions."""
    return together(OPTIONS)(command)


def take_decisions(model: Classifier, options: dict[str, Any]) -> dict[str, Any]:
    """Take the options for decisions out of others, and return them as methods of a model do."""
    labels = {str(label): label for label in list_labels(model.classes_)}
    priors, cost, reject = (options.pop(name) for name in ("priors", "cost", "reject"))
    reject_label = options.pop("reject_label")
    if reject_label is not None and model.classes_.dtype.kind not in "UO":
        reject_label = json_or_text(reject_label)
    return {
        "priors": priors_of(priors, labels, model) if priors else None,
        "cost": cost_of(cost, labels) if cost else None,
        "reject": dict(map(rule_of, reject)) if reject else None,
        "reject_label": reject_label,
    }


def priors_of(texts: Sequence[str], labels: dict[str, Any], model: Classifier) -> dict[Any, float]:
    """Return a prior for each class."""
    given = {}
    for text in texts:
        name, number = pair("--prior", text, "CLASS=SHARE")
        given[class_of("--prior", name, labels)] = number
    rest = 1.0 - sum(given.values())
    own = dict(zip(labels.values(), np.exp(model_of(model).log_prior).tolist(), strict=True))
    others = {label: prior for label, prior in own.items() if label not in given}
    if not others:
        return given
    if rest < 0:
        raise click.UsageError(f"--prior must leave shares that sum to 1; got {' '.join(texts)}.")
    total = sum(others.values())
    return given | {label: rest * prior / total for label, prior in others.items()}


def cost_of(texts: Sequence[str], labels: dict[str, Any]) -> Any:
    """Return costs by truth and label, or as a matrix."""
    if len(texts) == 1 and (stated := stated_costs(texts[0])) is not None:
        if not isinstance(stated, dict):
            return stated
        return by_class(stated, labels, lambda row: by_class(row, labels, float))
    costs = {t: {label: float(label != t) for label in labels.values()} for t in labels.values()}
    for text in texts:
        names, number = pair("--cost", text, "TRUTH:LABEL=COST, JSON or a file of it")
        cuts = [index for index, letter in enumerate(names) if letter == ":"]
        found = [(names[:cut], names[cut + 1 :]) for cut in cuts]
        known = [(truth, label) for truth, label in found if truth in labels and label in labels]
        if not cuts:
            raise click.UsageError(
                f"--cost must name a class; got {names!r} where TRUTH:LABEL=COST names two, that "
                f"of the truth and that of the label. The classes are {', '.join(labels)}."
            )
        truth, label = known[0] if known else found[0]
        costs[class_of("--cost", truth, labels)][class_of("--cost", label, labels)] = number
    return costs


def stated_costs(text: str) -> Any:
    """Return costs given in JSON or in a file of it, if they are."""
    is_file = Path(text).is_file()
    if not is_file and not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(Path(text).read_text(encoding="utf-8") if is_file else text)
    except ValueError as error:
        raise click.UsageError(f"--cost {text} must be JSON; got an error: {error}.") from None


def by_class(given: Any, labels: dict[str, Any], read: Callable[[Any], Any]) -> Any:
    """Return values by class, of which JSON knows the text only."""
    if not isinstance(given, dict):
        raise click.UsageError(f"--cost must hold costs by truth and label; got {given!r}.")
    return {class_of("--cost", name, labels): read(value) for name, value in given.items()}


def rule_of(text: str) -> tuple[str, float]:
    """Return a reason to reject rows, and its number."""
    form = f"NUMBER or RULE=NUMBER with RULE one of {', '.join(REASONS)}"
    name, number = pair("--reject", text if "=" in text else f"posterior={text}", form)
    if name not in REASONS:
        raise click.UsageError(f"--reject must be {form}; got {text!r}.")
    return name, number


def pair(option: str, text: str, form: str) -> tuple[str, float]:
    """Return a name and a number."""
    name, equals, number = text.rpartition("=")
    try:
        return name, float(number if equals and name else "")
    except ValueError:
        raise click.UsageError(f"{option} must be {form}; got {text!r}.") from None


def class_of(option: str, name: str, labels: dict[str, Any]) -> Any:
    """Return the class of a name."""
    if name not in labels:
        raise click.UsageError(
            f"{option} must name a class; got {name!r}. The classes are {', '.join(labels)}."
        )
    return labels[name]
