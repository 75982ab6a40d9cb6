"""Recorded figures become tables of the documentation."""

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "records.py"


@pytest.fixture
def written(tmp_path):
    """Give a function: figures by version -> the page."""
    write = runpy.run_path(str(SCRIPT))["write_records"]

    def page(figures):
        for version, figure in figures.items():
            line = {
                "what": "QDA fit",
                "ours": "1 ms",
                "other": "9 ms",
                "figure": figure,
                "unit": "x",
            }
            run = {"machine": ["2 cores", "AVX2"], "sections": {"Times faster": [line]}}
            (tmp_path / f"{version}.json").write_text(json.dumps(run), encoding="utf-8")
        write(tmp_path, tmp_path / "made" / "page.md")
        return (tmp_path / "made" / "page.md").read_text(encoding="utf-8")

    return page


def test_no_run(written):
    assert written({}).startswith("No run is recorded")


def test_one_run_has_its_tables(written):
    page = written({"0.1.0": 9.04})
    assert "Version 0.1.0: 2 cores; AVX2." in page
    assert "| QDA fit | 1 ms | 9 ms | 9.04x |" in page
    assert "History" not in page


def test_versions_are_in_their_order(written):
    page = written({"0.10.0": 8.0, "0.9.0": 4.0, "0.1.0": 2.0})
    assert "Version 0.10.0" in page
    assert "|  | 0.1.0 | 0.9.0 | 0.10.0 |" in page
    assert "| Times faster: QDA fit | 2x | 4x | 8x |" in page


def test_the_table_of_the_readme_is_that_of_the_last_record():
    command = [sys.executable, SCRIPT]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 (ours)
    rows = printed.stdout.splitlines()[2:]
    readme = SCRIPT.parents[1].joinpath("README.md").read_text(encoding="utf-8")
    assert rows
    assert all(row in readme for row in rows)
