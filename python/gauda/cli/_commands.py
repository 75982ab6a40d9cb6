"""The commands: each reads files, calls the library once, and writes a file or prints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gauda import model_selection
from gauda._estimators.learner import Learner
from gauda._estimators.streaming import evaluate as evaluate_stream
from gauda._scoring.answers import OUTPUTS
from gauda._statistics.base import Statistics
from gauda._storage.loading import load
from gauda._streams.files import OPENERS, suffix
from gauda._support.atomic_files import check_apart, check_replaceable
from gauda.cli._decisions import decisions, take_decisions
from gauda.cli._evaluation import check_picture, evaluation_json, evaluation_text, save_picture
from gauda.cli._models import (
    MODELS,
    SCORE_PARAMETERS,
    STRUCTURES,
    fit_to_sums,
    load_as,
    load_with,
    missing_from,
    parameters_from,
    sum_up,
)
from gauda.cli._options import (
    SEARCH_NAMES,
    columns,
    delimiter,
    examples,
    exclude,
    feature,
    missing,
    names,
    output,
    parameter,
    path,
    search_options,
    together,
)
from gauda.cli._report import info_text, tests_text
from gauda.cli._selection import choose_columns, path_json, path_text, select_from
from gauda.cli.group import shell


@shell.command(
    epilog=examples(
        "gauda moments data.parquet --target y -o a.moments",
        "gauda moments data.parquet --target y --structure mixed -o a.statistics",
    )
)
@click.argument("data", type=path)
@columns(target_help="Column of labels.", target_required=True)
@click.option(
    "--structure",
    type=click.Choice(STRUCTURES),
    default="full",
    show_default=True,
    help="What models can be made of them: full serves qda, rda, lda and gnb, tied lda, diag gnb; "
    "the others are for the models of their names.",
)
@click.option("--order", type=click.Choice(["2", "4"]), help="4 for shrinkage=auto; by default 2.")
@missing(
    "refused, but for --structure mixed; left out of the sums of its column, but for full, tied "
    "and multinomial; or its row left out."
)
@output
def moments(data: Path, structure: str, missing: str | None, output: Path, **columns: Any) -> None:
    """Sum DATA up in its moments or counts, of which models are made."""
    check_replaceable(output)
    check_apart(output, data)
    sum_up(data, structure, missing, **columns).save(output)


@shell.command(epilog=examples("gauda merge a.moments b.moments -o all.moments"))
@click.argument("files", type=path, nargs=-1, required=True)
@output
def merge(files: tuple[Path, ...], output: Path) -> None:
    """Add up the moments or counts of disjoint samples in FILES."""
    check_replaceable(output)
    total = load_as(Statistics, files[0])
    for file in files[1:]:
        added = load_as(Statistics, file)
        if type(added) is not type(total):
            raise click.UsageError(
                f"{file} holds {type(added).__name__}, {files[0]} {type(total).__name__}; give "
                "files of one kind."
            )
        total = total + added
    total.save(output)


@shell.command(
    epilog=examples(
        "gauda fit data.parquet --target y --model qda -o model.gauda",
        "gauda fit data.parquet --target y --model mixed --exclude d -o model.gauda",
        "gauda fit all.moments --model lda -p solver=lsqr -p shrinkage=0.1 -o model.gauda",
    )
)
@click.argument("source", metavar="DATA|MOMENTS", type=path)
@click.option("--model", type=click.Choice(list(MODELS)), required=True, help="What to fit.")
@columns(target_help="Column of labels, if DATA is given.", target_required=False)
@parameter("Parameter of the model")
@missing(
    "refused; left out of the counts of its column, or estimated by EM; or its row left out. The "
    "same as -p missing=...."
)
@output
def fit(
    source: Path,
    model: str,
    parameters: tuple[str, ...],
    missing: str | None,
    output: Path,
    **columns: Any,
) -> None:
    """Fit a model to data, or to their moments or counts."""
    check_replaceable(output)
    check_apart(output, source)
    given = parameters_from(model, parameters) | missing_from(model, missing)
    if is_data(source):
        fitted = fit_to_data(MODELS[model](**given), source, **columns)
    else:
        sums = only_sums(source, columns)
        fitted = fit_to_sums(model, sums, source, **given)
    fitted.save(output)


AT_ONCE = "Parameter that acts on a fitted model, of " + ", ".join(SCORE_PARAMETERS)

ANSWERS = {
    "proba": "Add proba_<class>, the posterior of each class.",
    "log_proba": "Add log_proba_<class>, the logarithms of the posteriors.",
    "log_density": "Add log_density, low for unusual rows.",
    "joint": "Add joint_<class>, the logarithms of density times prior.",
    "mahalanobis": "Add mahalanobis_<class>, squared distances to the means.",
    "typicality": "Add typicality_<class>, the share of the class that lies farther out.",
    "max_proba": "Add max_proba, the largest posterior.",
    "label_typicality": "Add label_typicality, that of the label.",
    "min_mahalanobis": "Add min_mahalanobis, the smallest squared distance.",
}
"""What a flag of `score` adds for each output of `classify` that needs no number."""


@shell.command(
    short_help="Label the rows of DATA with MODEL.",
    epilog=examples(
        "gauda score model.gauda data.parquet --proba --keep id -o out.parquet",
        "gauda score model.gauda data.parquet --cost setosa:virginica=9 --reject 0.8 -o out.csv",
    ),
)
@click.argument("model", type=path)
@click.argument("data", type=path)
@together(
    [
        click.option(f"--{name.replace('_', '-')}", name, is_flag=True, help=text)
        for name, text in ANSWERS.items()
    ]
)
@click.option("--expected-cost", is_flag=True, help="Add cost_<label>, the expected cost of each.")
@click.option(
    "--top-k",
    type=int,
    metavar="K",
    help="Add top_1, ..., top_1_proba, ...: the K likeliest classes and their posteriors.",
)
@decisions
@parameter(AT_ONCE)
@click.option(
    "--keep",
    multiple=True,
    callback=names,
    metavar="NAME,...",
    help="Columns of DATA to copy, as they are.",
)
@feature
@exclude
@delimiter
@output
def score(model: Path, data: Path, output: Path, **options: Any) -> None:
    """Write the label that MODEL gives each row of DATA to a parquet, CSV or TSV file."""
    check_replaceable(output)
    check_apart(output, data)
    classifier = load_with(model, options.pop("parameters"))
    asked = {"label": True, "top_k": options["top_k"], "cost": options.pop("expected_cost")}
    asked |= {name: options.pop(name) for name in ANSWERS}
    rules = take_decisions(classifier, options)
    classifier.predict_stream(
        data,
        output,
        outputs=[name for name in OUTPUTS if asked[name]],
        keep=options.pop("keep") or (),
        **options,
        **rules,
    )


@shell.command(
    short_help="Measure MODEL on labeled DATA.",
    epilog=examples(
        "gauda evaluate model.gauda data.parquet",
        "gauda evaluate model.gauda data.parquet --json",
    ),
)
@click.argument("model", type=path)
@click.argument("data", type=path)
@click.option(
    "--target",
    metavar="NAME",
    help="Column of labels; by default the only one that MODEL does not use.",
)
@decisions
@parameter(AT_ONCE)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--plot", type=path, metavar="FILE", help="Draw confusion and reliability, as PNG, PDF or SVG."
)
@delimiter
def evaluate(model: Path, data: Path, plot: Path | None, *, as_json: bool, **options: Any) -> None:
    """Print accuracy, log-loss and confusion of MODEL on labeled DATA."""
    if plot is not None:
        check_picture(plot)
        check_apart(plot, data)
    classifier = load_with(model, options.pop("parameters"))
    rules = take_decisions(classifier, options)
    found = evaluate_stream(classifier, data, **options, **rules)
    if plot is not None:
        save_picture(found, plot)
    click.echo(evaluation_json(found) if as_json else evaluation_text(found))


@shell.command(
    short_help="Compare models on DATA.", epilog=examples("gauda select data.parquet --target y")
)
@click.argument("data", type=path)
@columns(target_help="Column of labels.", target_required=True)
@click.option(
    "--folds", type=click.IntRange(2), default=10, show_default=True, help="Folds to compare on."
)
def select(data: Path, folds: int, **columns: Any) -> None:
    """Compare models on the same folds of DATA, which must fit into memory, and recommend one."""
    click.echo(select_from(data, folds, **columns))


@shell.command(
    "select-columns",
    short_help="Choose columns of DATA for a model.",
    epilog=examples(
        "gauda select-columns data.parquet --target y --direction stepwise",
        "gauda select-columns data.parquet --target y --model qda --criterion log_loss",
        "gauda select-columns all.moments --criterion bic",
    ),
)
@click.argument("source", metavar="DATA|MOMENTS", type=path)
@click.option("--model", type=click.Choice(list(MODELS)), default="lda", show_default=True)
@columns(target_help="Column of labels, if DATA is given.", target_required=False)
@missing(
    "refused; left out of its column, and by criteria log_loss and accuracy estimated by EM; or "
    "its row left out."
)
@search_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def select_columns(
    source: Path, model: str, missing: str | None, *, as_json: bool, **options: Any
) -> None:
    """Choose columns step by step; criteria f and bic take one pass over DATA, or its moments."""
    chosen = {name: options.pop(name) for name in SEARCH_NAMES}
    estimator = MODELS[model](**missing_from(model, missing))
    selector = model_selection.ColumnSelector(estimator, **chosen)
    if is_data(source):
        need_target(source, options)
        choose_columns(selector, source, **options)
    else:
        selector.fit_statistics(only_sums(source, options))
    click.echo(path_json(selector) if as_json else path_text(selector))


@shell.command(epilog=examples("gauda info model.gauda", "gauda info --tests all.moments"))
@click.argument("file", type=path)
@click.option("--tests", is_flag=True, help="Print tests of separation of its moments, too.")
def info(file: Path, *, tests: bool) -> None:
    """Print what FILE holds."""
    click.echo(info_text(file))
    if tests:
        click.echo(f"\n{tests_text(load(file))}")


def is_data(source: Path) -> bool:
    """Tell data from moments by the name."""
    return source.is_dir() or suffix(source) in OPENERS


def fit_to_data(model: Learner, data: Path, **columns: Any) -> Learner:
    """Return a model fitted to columns of data."""
    need_target(data, columns)
    try:
        fit_stream = model.fit_stream
    except AttributeError as hidden:  # with parameters that need all rows at once
        raise click.UsageError(str(hidden.__cause__)) from None
    fitted: Learner = fit_stream(data, **columns)
    return fitted


def only_sums(source: Path, columns: dict[str, Any]) -> Statistics:
    """Load moments or counts; refuse options that choose columns of data."""
    sums = sums_or_advice(source)
    if any(columns.values()):
        raise click.UsageError(
            "--target, --feature, --exclude, --weight and --delimiter are for data; "
            f"{source} holds {type(sums).__name__.lower()}, whose columns were chosen before. "
            "Leave them out."
        )
    return sums


def need_target(data: Path, columns: dict[str, Any]) -> None:
    """Refuse data whose column of labels is not named."""
    if columns["target"] is None:
        raise click.UsageError(f"{data} is data: name its column of labels with --target.")


def sums_or_advice(source: Path) -> Statistics:
    """Load moments or counts; of anything else, say how the names of files with data end."""
    try:
        sums: Statistics = load_as(Statistics, source)
    except ValueError as error:
        known = ", ".join(OPENERS)
        raise click.UsageError(f"{error} Files with data end in {known}.") from None
    return sums
