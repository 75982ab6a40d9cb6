"""The group of commands, which shows what there is without loading any."""

from __future__ import annotations

from importlib import import_module

import click

from gauda.cli._shell import Shell

SHORT_HELP = {
    "evaluate": "Measure MODEL on labeled DATA.",
    "fit": "Fit a model to data, or to their moments or counts.",
    "info": "Print what FILE holds.",
    "merge": "Add up the moments or counts of disjoint samples in FILES.",
    "moments": "Sum DATA up in its moments or counts, of which models are made.",
    "score": "Label the rows of DATA with MODEL.",
    "select": "Compare models on DATA.",
    "select-columns": "Choose columns of DATA for a model.",
}
"""What each command does, as the list of them says."""


class LazyShell(Shell):
    """Loads the commands when one of them is run, and not to list them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click gives it)
        """Return the names of the commands."""
        return sorted(SHORT_HELP)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command."""
        import_module("gauda.cli._commands")
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (click gives it)
        """Write what each command does."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(SHORT_HELP.items()))


@click.group(
    cls=LazyShell,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="gauda")
@click.pass_context
def shell(context: click.Context) -> None:
    """Discriminant analysis and naive Bayes on files larger than memory.

    Data are parquet files or folders of them, CSV, TSV, JSON Lines or Arrow files. Each command
    shows an example in its own --help.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
