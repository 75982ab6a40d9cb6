"""What users write is understood by type checkers in their strictest mode, and runs."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import gauda

SCRIPT = Path(__file__).with_name("user_script.py")
ROOT = str(Path(gauda.__file__).parents[1])
STRICT = ["mypy", "--strict", "--follow-imports=silent", "--config-file", os.devnull]


def test_the_script_runs():
    runpy.run_path(str(SCRIPT), run_name="__main__")


def checked(path, tmp_path):
    """Run mypy where no file of this project sets it."""
    command = [sys.executable, "-m", *STRICT, "--cache-dir", str(tmp_path), str(path)]
    # An installed package is found by itself, and may not be given as a path.
    paths = {} if "site-packages" in ROOT else {"MYPYPATH": ROOT}
    return subprocess.run(  # noqa: S603 (our own command)
        command, env=os.environ | paths, cwd=tmp_path, capture_output=True, text=True, check=False
    )


def test_mypy_takes_the_script(tmp_path):
    done = checked(SCRIPT, tmp_path)
    assert done.returncode == 0, done.stdout


def test_basedpyright_takes_the_script(tmp_path):
    settings = {"typeCheckingMode": "strict", "extraPaths": [ROOT], "include": [str(SCRIPT)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    done = subprocess.run(  # noqa: S603 (our own command)
        [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "-p", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("reg_param=0.1", "reg_param='much'"),
        ("X: MatrixLike, y: Labels", "X: object, y: Labels"),
        ("gauda.AdaptedPriors", "gauda.Boundary"),
        ('missing="marginalize"', 'missing="marginalise"'),
        ('solver="lsqr"', 'solver="qr"'),
        ('covariance="tied"', 'covariance="shared"'),
        ('("label", "proba")', '("label", "prob")'),
        ("model.impute(X, return_std=True)", "model.impute(X)"),
        ("assert_type(rda, gauda.Reg", "assert_type(lda, gauda.Reg"),
    ],
)
def test_mypy_finds_mistakes_in_it(tmp_path, right, wrong):
    text = SCRIPT.read_text(encoding="utf-8")
    assert right in text
    mistaken = tmp_path / "mistaken.py"
    mistaken.write_text(text.replace(right, wrong), encoding="utf-8")
    assert checked(mistaken, tmp_path).returncode == 1
