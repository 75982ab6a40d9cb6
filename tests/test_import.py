"""What is loaded when: scikit-learn and scipy only once something is asked of the library."""

import json
import subprocess
import sys
from importlib import import_module

import click
import pytest

import gauda
from gauda.cli import shell
from gauda.cli.group import SHORT_HELP

HEAVY = ("numpy", "scipy", "sklearn", "pandas", "gauda._core")
SHOW = f"import json, sys; print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"


def printed(code, *arguments):
    """Return what a fresh interpreter prints."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 (ours)
    return done.stdout


def test_import_loads_nothing_else():
    assert json.loads(printed(f"import gauda; {SHOW}")) == []


def test_modules_that_few_calls_need_wait_for_them():
    later = ("sklearn.covariance", "sklearn.linear_model", "sklearn.pipeline")
    code = f"import gauda, sys; gauda.LDA; print([m for m in {later!r} if m in sys.modules])"
    assert printed(code).strip() == "[]"


@pytest.mark.parametrize("option", ["--help", "-h", "--version"])
def test_the_shell_helps_without_the_library(option):
    code = (
        "import sys; sys.argv = ['gauda', sys.argv[1]]\n"
        "from gauda.__main__ import main\n"
        f"try:\n    main()\nexcept SystemExit:\n    pass\n{SHOW}"
    )
    *_, last = printed(code, option).splitlines()
    assert json.loads(last) == []


def test_the_list_of_commands_is_that_of_the_commands():
    assert {name: command.get_short_help_str(100) for name, command in shell.commands.items()} == (
        SHORT_HELP
    )
    assert shell.list_commands(click.Context(shell)) == sorted(shell.commands)


def test_every_name_is_there_and_shown():
    assert gauda.__all__ == import_module("gauda._public").__all__
    assert set(gauda.__all__) <= set(dir(gauda))
    assert all(getattr(gauda, name) is not None for name in gauda.__all__)
    assert gauda.discriminant_analysis.LinearDiscriminantAnalysis is gauda.LDA
    assert gauda.__version__.count(".") >= 2
    with pytest.raises(AttributeError, match="no attribute 'Quadratic'"):
        gauda.Quadratic  # noqa: B018 (there is no such name)


def test_a_fresh_process_loads_files(tmp_path):
    gauda.LDA().fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]).save(tmp_path / "a.gauda")
    code = "import gauda, sys; print(type(gauda.load(sys.argv[1])).__name__)"
    assert printed(code, str(tmp_path / "a.gauda")).strip() == "LinearDiscriminantAnalysis"
