"""The shell in processes of their own: progress, missing packages, and Ctrl-C."""

import os
import pty
import signal
import subprocess
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from shell_runs import finish, frame_of, run, start

import gauda


@pytest.mark.usefixtures("folder")
def test_process_works_and_shows_no_progress_without_a_terminal():
    done = finish(start("moments data.parquet --target y -o a.moments"))
    assert done == (0, "", "gauda: note: Features: a, b, c, d.\n")
    assert gauda.load("a.moments").n_rows == 150


def test_process_fails_with_one_line():
    code, printed, errors = finish(start("info none.gauda"))
    assert (code, printed) == (2, "")
    assert len(errors.splitlines()) == 1
    assert "none.gauda" in errors


def test_process_without_click_says_what_to_install():
    hidden = "import sys; sys.modules['click'] = None; from gauda.__main__ import main; main()"
    done = subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-c", hidden], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "pip install 'gauda[cli]'" in done.stderr


@pytest.mark.usefixtures("folder")
def test_progress_is_shown_on_a_terminal():
    ours, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    process = start("moments data.parquet --target y -o a.moments", stderr=terminal)
    code, printed, _ = finish(process)
    os.close(terminal)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert (code, printed) == (0, "")
    assert "150/150" in shown


def reads(process, folder):
    """Whether a process has a file of a folder open."""
    for link in Path(f"/proc/{process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # it was closed meanwhile
            if link.readlink().parent == folder:
                return True
    return False


@pytest.mark.parametrize(
    "line",
    [
        "moments long --target y -o out.moments",
        "fit long --target y --model gnb -o out.gauda",
        "score model.gauda long --proba -o out.parquet",
        "evaluate model.gauda long",
    ],
)
def test_interrupt_exits_130_and_leaves_no_output(folder, line):
    run("fit data.parquet --target y --model qda -o model.gauda")
    frame = frame_of(np.zeros((1_000_000, 4), "f4"), ["setosa"] * 1_000_000).drop(columns="id")
    (folder / "long").mkdir()
    frame.to_parquet("long/0.parquet")
    for part in range(1, 300):
        os.link("long/0.parquet", f"long/{part}.parquet")
    before = sorted(folder.iterdir())
    process = start(line)
    while not reads(process, folder / "long"):
        assert process.poll() is None, finish(process)
        time.sleep(0.01)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    code, printed, errors = finish(process)
    noted = "gauda: note: Features: a, b, c, d." if line.startswith(("fit", "moments")) else ""
    assert (code, printed, errors.strip()) == (130, "", noted)
    assert sorted(folder.iterdir()) == before
