"""What the commands of the shell say about themselves, as a page of the reference."""

from __future__ import annotations

from pathlib import Path

import click

from gauda.cli import shell

WIDTH = 90


def write_shell_help(path: Path) -> None:
    """Write the help of every command below a heading of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    group = click.Context(shell, info_name="gauda", terminal_width=WIDTH, max_content_width=WIDTH)
    sections = [
        f"## gauda {name}\n\n```text\n{help_of(group, name)}\n```\n" for name in names(group)
    ]
    path.write_text("\n".join(sections), encoding="utf-8")


def names(group: click.Context) -> list[str]:
    """Return the names of the commands."""
    return shell.list_commands(group)


def help_of(group: click.Context, name: str) -> str:
    """Return the help of a command, as `--help` prints it."""
    command = shell.get_command(group, name)
    assert command is not None  # noqa: S101 (it is in the list)
    return command.get_help(click.Context(command, parent=group, info_name=name))
