"""Options that commands of the shell share, and how their values are read."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def examples(*lines: str) -> str:
    """Return lines to show below the help of a command, as they are."""
    title = "Examples:" if len(lines) > 1 else "Example:"
    return "\n".join(["\b", title, *(f"  {line}" for line in lines)])


def names(_context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> Any:
    """Return names of columns, of which each text may list several; none were asked for if None."""
    found = [name for text in texts for name in next(csv.reader([text], strict=True), []) or [""]]
    if "" in found:
        raise click.BadParameter(f"a name is missing in {','.join(texts)!r}.", param=option)
    return found or None


def together(options: Sequence[Callable[[Any], Any]]) -> Callable[[Command], Command]:
    """Return a decorator that adds options in this order."""

    def decorate(command: Command) -> Command:
        return reduce(lambda decorated, option: option(decorated), reversed(options), command)

    return decorate


def columns(*, target_help: str, target_required: bool) -> Callable[[Command], Command]:
    """Return a decorator with the options that choose columns, named as in Python."""
    target = click.option("--target", metavar="NAME", required=target_required, help=target_help)
    weight = click.option("--weight", "sample_weight", metavar="NAME", help="Column of weights.")
    return together([target, feature, exclude, weight, delimiter])


feature = click.option(
    "--feature",
    "features",
    multiple=True,
    callback=names,
    metavar="NAME,...",
    help="Columns to learn from. By default all but target, weight and --exclude.",
)
exclude = click.option(
    "--exclude",
    multiple=True,
    callback=names,
    metavar="NAME,...",
    help="Columns not to learn from, such as an identifier.",
)
delimiter = click.option(
    "--delimiter",
    metavar="CHARACTER",
    help="Character between the entries of a CSV file. By default a comma, of .tsv files a tab.",
)


class FileName(click.Path):
    """The name of a file or folder, which is not empty."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the path; the empty name would be that of this folder."""
        if value == "":
            self.fail("the name must not be empty.", param, ctx)
        return super().convert(value, param, ctx)


path = FileName(path_type=Path)
output = click.option("-o", "--output", type=path, required=True, help="File to write.")


def parameter(what: str) -> Any:
    """Return the option that sets parameters of a model."""
    return click.option(
        "-p",
        "--parameter",
        "parameters",
        multiple=True,
        metavar="NAME=VALUE",
        help=f"{what}, its value in JSON or plain text; repeat for more.",
    )


SEARCH_NAMES = ("direction", "criterion", "n_columns", "f_to_enter", "f_to_remove", "cv")
"""Parameters of a search for columns."""

search_options = together(
    [
        click.option(
            "--direction",
            type=click.Choice(["forward", "backward", "stepwise"]),
            default="stepwise",
            show_default=True,
            help="Whether columns enter, leave, or both.",
        ),
        click.option(
            "--criterion",
            type=click.Choice(["f", "bic", "log_loss", "accuracy"]),
            default="f",
            show_default=True,
            help="By what; log_loss and accuracy read all rows into memory.",
        ),
        click.option("--n-columns", type=click.IntRange(1), help="How many columns to choose."),
        click.option("--f-to-enter", type=float, help="By default F at the level 0.15."),
        click.option("--f-to-remove", type=float, help="By default F at the level 0.15."),
        click.option(
            "--folds",
            "cv",
            type=click.IntRange(2),
            default=5,
            show_default=True,
            help="Folds for log_loss and accuracy.",
        ),
    ]
)


def json_or_text(text: str) -> Any:
    """Return what the text means in JSON, or else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def missing(handled: str) -> Any:
    """Return the option that says how missing values are handled."""
    choices = click.Choice(["raise", "marginalize", "drop"])
    return click.option("--missing", type=choices, help=f"A missing value is {handled}")
