"""How streams behave: interrupted, watched, and over files larger than they may take."""

import logging
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import PATIENCE

from gauda import GaussianNB, MixedStatistics, Moments
from gauda._estimators.streaming import predict_stream
from gauda._statistics.stream_sums import labeled_batches
from gauda._streams.batches import Request

N = 1000
ALLOWED = 200
"""Megabytes beside the interpreter; the file of the test has 320 MB in one row group."""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"x": np.arange(N) % 7.0, "y": np.arange(N) % 2}), path)
    return path


@pytest.fixture
def estimator():
    return GaussianNB().fit([[0.0], [1.0], [7.0], [9.0]], [0, 0, 1, 1])


def readers():
    return [thread for thread in threading.enumerate() if thread.name.startswith("gauda-reader")]


def interrupted(pieces):
    yield from pieces
    raise KeyboardInterrupt


def test_interrupted_iterable_ends_the_fit():
    with pytest.raises(KeyboardInterrupt):
        Moments.from_stream(interrupted([([[1.0]], [0])]))


@pytest.mark.parametrize("before", [None, b"old"])
def test_interrupted_scores_leave_what_was_there(before, estimator, tmp_path):
    out = tmp_path / "out.parquet"
    if before:
        out.write_bytes(before)
    with pytest.raises(KeyboardInterrupt):
        predict_stream(estimator, interrupted([[[1.0]]] * 5), out, batch_rows=1)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == ([before] if before else [])


def test_failure_in_the_reading_thread_is_raised_and_leaves_nothing(estimator, tmp_path):
    source = tmp_path / "in"
    source.mkdir()
    pq.write_table(pa.table({"x": np.zeros(N)}), source / "a.parquet")
    pq.write_table(pa.table({"z": np.zeros(N)}), source / "b.parquet")
    with pytest.raises(ValueError, match="has no column 'x'"):
        predict_stream(estimator, source, tmp_path / "out", features=["x"], batch_rows=10)
    assert list(tmp_path.iterdir()) == [source]
    assert not readers()


def test_reading_thread_ends_when_the_work_on_a_batch_fails(file):
    request = Request("y", batch_rows=10)
    batches = labeled_batches(file, request, "Moments", n_threads=None, progress=False)
    next(batches)
    assert readers()
    with pytest.raises(KeyboardInterrupt):
        batches.throw(KeyboardInterrupt)
    assert not readers()


def test_reading_thread_ends_when_a_row_is_refused(file):
    table = pq.read_table(file)
    values = np.where(np.arange(N) == 500, np.nan, 1.0)
    pq.write_table(table.set_column(0, "x", [values]), file)
    with pytest.raises(ValueError, match="NaN at row 500") as refusal:
        Moments.from_stream(file, target="y", batch_rows=10)
    assert refusal.tb is not None  # so that nothing ends by being forgotten
    assert not readers()


def test_reading_thread_ends_with_the_stream(file):
    Moments.from_stream(file, target="y", batch_rows=10)
    assert not readers()


def run(script, *arguments, **options):
    return subprocess.Popen(  # noqa: S603 (our own script)
        [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)],
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_ctrl_c_removes_the_file_under_way(tmp_path):
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"x": np.zeros(1_000_000)}), source)
    child = run(
        """
        import sys
        from gauda import GaussianNB
        from gauda._estimators.streaming import predict_stream
        nb = GaussianNB().fit([[0.0], [1.0], [7.0], [9.0]], [0, 0, 1, 1])
        predict_stream(nb, sys.argv[1], sys.argv[2], batch_rows=1)
        """,
        source,
        tmp_path / "out.parquet",
    )
    while len(list(tmp_path.iterdir())) == 1:
        assert child.poll() is None, child.stderr.read()
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=PATIENCE)
    assert "KeyboardInterrupt" in errors
    assert list(tmp_path.iterdir()) == [source]


def test_memory_stays_bounded_whatever_the_size_of_row_groups(tmp_path):
    source = tmp_path / "in.parquet"
    n = 4_000_000
    columns = {f"x{place}": np.random.default_rng(place).random(n) for place in range(10)}
    table = pa.table({**columns, "y": np.arange(n) % 3})
    pq.write_table(table, source, row_group_size=n, use_dictionary=False)
    child = run(
        """
        import re, sys
        from pathlib import Path
        import pyarrow.dataset, pyarrow.parquet
        from gauda import Moments

        def megabytes(field):
            status = Path("/proc/self/status").read_text()
            return int(re.search(field + r":\\s+(\\d+)", status)[1]) / 1e3
        before = megabytes("VmRSS")
        assert Moments.from_stream(sys.argv[1], target="y").n_rows == int(sys.argv[2])
        print(megabytes("VmHWM") - before)
        """,
        source,
        n,
        stdout=subprocess.PIPE,
        env=os.environ | {"OMP_NUM_THREADS": "2"},  # which pyarrow heeds too
    )
    output, errors = child.communicate(timeout=PATIENCE)
    assert child.returncode == 0, errors
    assert float(output) < ALLOWED


def test_bar_is_not_drawn_where_nobody_watches(file, capsys):
    Moments.from_stream(file, target="y")
    assert capsys.readouterr().err == ""


def test_bar_is_drawn_when_asked_and_knows_the_total(file, capsys):
    Moments.from_stream(file, target="y", progress=True)
    assert "1.00k/1.00k" in capsys.readouterr().err


def test_bar_counts_rows_where_no_total_is_known(capsys):
    Moments.from_stream([([[1.0]], [0])] * 30, progress=True)
    assert "30.0 rows" in capsys.readouterr().err


def test_bar_is_drawn_on_a_terminal(file, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    Moments.from_stream(file, target="y")
    assert "1.00k/1.00k" in capsys.readouterr().err


def test_bar_can_be_forbidden_on_a_terminal(file, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    Moments.from_stream(file, target="y", progress=False)
    assert capsys.readouterr().err == ""


def test_terminal_without_tqdm_stays_silent(file, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    Moments.from_stream(file, target="y")
    assert capsys.readouterr().err == ""


def test_bar_that_was_asked_for_needs_tqdm(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ImportError, match="package tqdm"):
        Moments.from_stream(file, target="y", progress=True)


def test_arrow_sources_need_pyarrow(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="package pyarrow"):
        Moments.from_stream(file, target="y")


def noted(caplog, table, **options):
    """Return the columns that are remarked on as identifiers."""
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="gauda"):
        MixedStatistics.from_stream(table, target="y", **options)
    messages = [record.getMessage() for record in caplog.records]
    return [message.split()[1] for message in messages if "as an identifier has" in message]


def test_columns_that_look_like_identifiers_are_noted(caplog):
    rng = np.random.default_rng(0)
    n = 60
    table = pa.table(
        {
            "y": np.arange(n) % 2,
            "number": rng.permutation(n),
            "text": [f"row {row}" for row in range(n)],
            "category": pa.array([f"row {row}" for row in range(n)]).dictionary_encode(),
            "double": rng.permutation(n).astype(float),
            "measured": rng.normal(size=n),
            "twice": np.arange(n) // 2,
            "flag": np.arange(n) % 2 == 0,
            "gaps": pa.array([None, *range(n - 1)]),
            "empty": pa.nulls(n),
        }
    )
    assert noted(caplog, table) == ["number", "text", "category", "double"]
    assert noted(caplog, table, exclude=["number", "double"]) == ["text", "category"]
    assert noted(caplog, table, features=["number"]) == []
    assert noted(caplog, table.slice(0, 5)) == []
