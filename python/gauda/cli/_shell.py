"""How the shell fails: in one line on stderr, with an exit code that says why."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from gauda._support.exit_codes import FAILED, INTERRUPTED


class Shell(click.Group):
    """A group of commands whose errors are one line, with exit code 2."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and end the process."""
        with warnings.catch_warnings(), notes_on_stderr():
            warnings.simplefilter("default", UserWarning)
            warnings.showwarning = warn_in_one_line
            try:
                super().main(*args, **kwargs | {"standalone_mode": False})
            except (KeyboardInterrupt, click.Abort):
                sys.exit(INTERRUPTED)
            except click.UsageError as error:
                fail(with_help(error))
            except click.ClickException as error:
                fail(error.format_message())
            except OSError as error:
                fail(system_message(error))
            except Exception as error:  # noqa: BLE001 (whatever it is, a user of the shell reads one line)
                fail(str(error) or type(error).__name__)
        sys.exit()


def with_help(error: click.UsageError) -> str:
    """Return what is wrong with a command line, and who knows what would be right."""
    message = error.format_message()
    if error.ctx is None:
        return message
    end = "" if message.endswith((".", "?", ")")) else "."
    return f"{message}{end} See {error.ctx.command_path} --help."


def system_message(error: OSError) -> str:
    """Return what the system says, after the name of the file, without the number of the error."""
    text = error.strerror or str(error)
    return text if error.filename is None else f"{error.filename}: {text}"


def in_words(message: str) -> str:
    """Return a message in the words of the shell, which take the library to know."""
    from gauda.cli._words import in_shell_words  # noqa: PLC0415 (it loads all models)

    return in_shell_words(message)


def fail(message: str) -> NoReturn:
    """Say what is wrong in one line, and end the process."""
    click.echo(f"gauda: {in_words(message)}", err=True)
    sys.exit(FAILED)


def warn_in_one_line(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as errors are printed."""
    click.echo(f"gauda: warning: {in_words(str(message))}", err=True)


@contextmanager
def notes_on_stderr() -> Iterator[None]:
    """Print the library's notes as errors are printed."""
    log, handler = logging.getLogger("gauda"), Notes()
    log.addHandler(handler)
    level = log.level
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.setLevel(level)
        log.removeHandler(handler)


class Notes(logging.Handler):
    """Prints messages in one line each on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one line."""
        click.echo(f"gauda: note: {in_words(record.getMessage())}", err=True)
