"""Commands of the shell, run in this process or in one of their own."""

import re
import shlex
import subprocess
import sys

import numpy as np
import pandas as pd
from click.testing import CliRunner
from support import PATIENCE

from gauda.cli import shell

SPECIES = ["setosa", "versicolor", "virginica"]
COLUMNS = ["a", "b", "c", "d"]


def frame_of(X, y):
    return pd.DataFrame(X, columns=COLUMNS).assign(y=y, id=np.arange(len(y)) + 100)


def invoke(line):
    """Run a command in this process: its exit code, what it printed, and the lines of stderr.

    Where commands choose the columns to learn from, they begin with a note of them.
    """
    result = CliRunner().invoke(shell, shlex.split(line), prog_name="gauda")
    errors = result.stderr.splitlines()
    chosen = (
        line.startswith(("fit ", "moments ", "select ", "select-columns "))
        and "--feature" not in line
    )
    if chosen and errors and NOTE.fullmatch(errors[0]):
        del errors[0]
    return result.exit_code, result.stdout, errors


NOTE = re.compile(r"gauda: note: Features: \w+(, \w+)*\.")


def run(line):
    """Run a command in this process; it must work."""
    code, printed, errors = invoke(line)
    assert (code, errors) == (0, [])
    return printed


def refusal(line):
    """Return the one line that a command fails with."""
    code, printed, errors = invoke(line)
    assert (code, printed) == (2, "")
    (message,) = errors
    assert message.startswith("gauda: ")
    return message


def start(line, stderr=subprocess.PIPE):
    """Start a command in a process of its own."""
    return subprocess.Popen(  # noqa: S603 - our own
        [sys.executable, "-m", "gauda", *shlex.split(line)],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )


def finish(process):
    """Wait for a process: exit code, what it printed, and its errors."""
    printed, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, printed, errors


def figure(text, name):
    return float(re.search(rf"^{name} +(\S+)$", text, re.MULTILINE)[1])
