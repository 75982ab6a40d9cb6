"""The shell: each command reads files, calls the library once, and writes a file or prints."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click

from gauda._estimators.gaussian import GaussianClassifier
from gauda._estimators.streaming import evaluate as evaluate_stream
from gauda._statistics.moments import Moments
from gauda._storage.loading import load
from gauda._streams.files import OPENERS, suffix
from gauda._support.atomic_files import check_apart, check_replaceable
from gauda.cli._models import MODELS
from gauda.cli._report import evaluation_text, info_text
from gauda.cli._shell import Shell

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


def columns(*, target_help: str, target_required: bool) -> Callable[[Command], Command]:
    """Return a decorator with the options that choose columns, named as in Python."""
    options = [
        click.option("--target", metavar="NAME", required=target_required, help=target_help),
        click.option(
            "--feature",
            "features",
            multiple=True,
            callback=names,
            metavar="NAME,...",
            help="Columns to learn from. By default all but target, weight and --exclude.",
        ),
        click.option(
            "--exclude",
            multiple=True,
            callback=names,
            metavar="NAME,...",
            help="Columns not to learn from, such as an identifier.",
        ),
        click.option("--weight", "sample_weight", metavar="NAME", help="Column of weights."),
        delimiter,
    ]

    def decorate(command: Command) -> Command:
        return reduce(lambda decorated, option: option(decorated), reversed(options), command)

    return decorate


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


@click.group(
    cls=Shell,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="gauda")
@click.pass_context
def shell(context: click.Context) -> None:
    """Gaussian discriminant analysis of files larger than memory.

    Data are parquet files or folders of them, CSV, TSV, JSON Lines or Arrow files. Each command
    shows an example in its own --help.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@shell.command(epilog=examples("gauda moments data.parquet --target y -o a.moments"))
@click.argument("data", type=path)
@columns(target_help="Column of labels.", target_required=True)
@click.option(
    "--structure",
    type=click.Choice(["full", "tied", "diag"]),
    default="full",
    show_default=True,
    help="What models can be made of them: full serves all, tied lda, diag gnb.",
)
@output
def moments(data: Path, structure: str, output: Path, **columns: Any) -> None:
    """Sum DATA up in its moments, of which models are made."""
    check_replaceable(output)
    check_apart(output, data)
    Moments.from_stream(data, structure=structure, **columns).save(output)


@shell.command(epilog=examples("gauda merge a.moments b.moments -o all.moments"))
@click.argument("files", type=path, nargs=-1, required=True)
@output
def merge(files: tuple[Path, ...], output: Path) -> None:
    """Add up the moments of disjoint samples in FILES."""
    check_replaceable(output)
    sum(load_as(Moments, file) for file in files).save(output)


@shell.command(
    epilog=examples(
        "gauda fit data.parquet --target y --model qda -o model.gauda",
        "gauda fit all.moments --model lda -p solver=lsqr -p shrinkage=0.1 -o model.gauda",
    )
)
@click.argument("source", metavar="DATA|MOMENTS", type=path)
@click.option("--model", type=click.Choice(list(MODELS)), required=True, help="What to fit.")
@columns(target_help="Column of labels, if DATA is given.", target_required=False)
@click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="Parameter of the model, its value in JSON or plain text; repeat for more.",
)
@output
def fit(
    source: Path, model: str, parameters: tuple[str, ...], output: Path, **columns: Any
) -> None:
    """Fit a model to data, or to moments."""
    check_replaceable(output)
    check_apart(output, source)
    given = parameters_from(model, parameters)
    if is_data(source):
        fitted = fit_to_data(MODELS[model](**given), source, **columns)
    else:
        moments = moments_or_advice(source)
        if any(columns.values()):
            raise click.UsageError(
                "--target, --feature, --exclude, --weight and --delimiter are for data; "
                f"{source} holds moments, whose columns were chosen before. Leave them out."
            )
        fitted = MODELS[model].from_moments(moments, **given)
    fitted.save(output)


@shell.command(
    short_help="Label the rows of DATA with MODEL.",
    epilog=examples("gauda score model.gauda data.parquet --proba --keep id -o out.parquet"),
)
@click.argument("model", type=path)
@click.argument("data", type=path)
@click.option("--proba", is_flag=True, help="Add proba_<class>, the posterior of each class.")
@click.option("--log-density", is_flag=True, help="Add log_density, low for unusual rows.")
@click.option(
    "--keep",
    multiple=True,
    callback=names,
    metavar="NAME,...",
    help="Columns of DATA to copy, as they are.",
)
@delimiter
@output
def score(
    model: Path,
    data: Path,
    keep: list[str] | None,
    delimiter: str | None,
    output: Path,
    **asked: bool,
) -> None:
    """Write the label that MODEL gives each row of DATA to a parquet, CSV or TSV file."""
    check_replaceable(output)
    check_apart(output, data)
    outputs = ["label", *(name for name, wanted in asked.items() if wanted)]
    load_as(GaussianClassifier, model).predict_stream(
        data, output, outputs=outputs, keep=keep or (), delimiter=delimiter
    )


@shell.command(
    short_help="Measure MODEL on labeled DATA.",
    epilog=examples("gauda evaluate model.gauda data.parquet"),
)
@click.argument("model", type=path)
@click.argument("data", type=path)
@click.option(
    "--target",
    metavar="NAME",
    help="Column of labels; by default the only one that MODEL does not use.",
)
@delimiter
def evaluate(model: Path, data: Path, target: str | None, delimiter: str | None) -> None:
    """Print accuracy, log-loss and confusion of MODEL on labeled DATA."""
    classifier = load_as(GaussianClassifier, model)
    click.echo(evaluation_text(evaluate_stream(classifier, data, target, delimiter=delimiter)))


@shell.command(epilog=examples("gauda info model.gauda"))
@click.argument("file", type=path)
def info(file: Path) -> None:
    """Print what FILE holds."""
    click.echo(info_text(file))


def is_data(source: Path) -> bool:
    """Tell data from moments by the name."""
    return source.is_dir() or suffix(source) in OPENERS


def fit_to_data(model: GaussianClassifier, data: Path, **columns: Any) -> GaussianClassifier:
    """Return a model fitted to columns of data."""
    if columns["target"] is None:
        raise click.UsageError(f"{data} is data: name its column of labels with --target.")
    try:
        fit_stream = model.fit_stream
    except AttributeError as hidden:  # with parameters that need all rows at once
        raise click.UsageError(str(hidden.__cause__)) from None
    fitted: GaussianClassifier = fit_stream(data, **columns)
    return fitted


def load_as(expected: type, file: Path) -> Any:
    """Load a file, if it holds what a command needs."""
    loaded = load(file)
    if not isinstance(loaded, expected):
        wanted = "moments" if expected is Moments else "a fitted Gaussian model"
        raise click.UsageError(f"{file} holds {type(loaded).__name__}; give {wanted} instead.")
    return loaded


def moments_or_advice(source: Path) -> Moments:
    """Load moments; of anything else, say how the names of files with data end."""
    try:
        moments: Moments = load_as(Moments, source)
    except ValueError as error:
        known = ", ".join(OPENERS)
        raise click.UsageError(f"{error} Files with data end in {known}.") from None
    return moments


def parameters_from(model: str, texts: tuple[str, ...]) -> dict[str, Any]:
    """Return parameters given as NAME=VALUE."""
    known = MODELS[model]().get_params()
    parameters = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name not in known:
            raise click.UsageError(
                f"-p {text} is not NAME=VALUE of a parameter of {model}: {', '.join(known)}."
            )
        parameters[name] = json_or_text(value)
    return parameters


def json_or_text(text: str) -> Any:
    """Return what the text means in JSON, or else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
