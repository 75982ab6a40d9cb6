"""Which columns the shell reads, from files of which format, and what it says of them."""

import os
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest
from click.testing import CliRunner
from shell_runs import COLUMNS, figure, frame_of, refusal, run

import gauda
from gauda.cli import shell

IDENTIFIER = (
    "gauda: note: Column id has another value in each of the first 150 rows, as an identifier has. "
    "Leave it out with --exclude id if it is one.\n"
)


@pytest.mark.usefixtures("folder")
def test_columns_that_are_learnt_from_are_noted_unless_they_were_named(iris):
    frame_of(*iris).to_parquet("with_id.parquet")
    line = "fit with_id.parquet --target y --model gnb -o m.gauda"
    for options, note in {
        "": f"gauda: note: Features: a, b, c, d, id.\n{IDENTIFIER}",
        "--exclude id": "gauda: note: Features: a, b, c, d.\n",
        "--exclude id,a --exclude c": "gauda: note: Features: b, d.\n",
        "--feature b,d": "",
    }.items():
        result = CliRunner().invoke(shell, shlex.split(f"{line} {options}"), prog_name="gauda")
        assert (result.exit_code, result.stderr) == (0, note)
    assert list(gauda.load("m.gauda").feature_names_in_) == ["b", "d"]


@pytest.mark.usefixtures("folder")
def test_index_that_pandas_writes_is_not_learnt_from_unasked():
    pd.read_parquet("data.parquet").to_csv("indexed.csv")
    message = refusal("fit indexed.csv --target y --model gnb -o m.gauda")
    assert "Column 0 must have a name to be a feature" in message
    assert "Name the columns to use with --feature." in message
    run("fit indexed.csv --target y --feature a,b --model gnb -o m.gauda")


@pytest.mark.usefixtures("folder")
def test_names_in_a_note_can_be_told_apart():
    Path("odd.csv").write_text(' a,"b,c",d e,f,y\n1,2,3,4,u\n2,3,4,5,v\n')
    line = "moments odd.csv --target y -o a.moments"
    result = CliRunner().invoke(shell, shlex.split(line), prog_name="gauda")
    assert result.stderr == "gauda: note: Features: ' a', 'b,c', 'd e', f.\n"


@pytest.mark.parametrize(
    "line",
    [
        "moments data.csv --target y -o locked/a.moments",
        "fit data.csv --target y --model qda -o locked/m.gauda",
        "score model.gauda data.csv -o locked/out.csv",
        "merge a.moments -o locked/b.moments",
    ],
)
def test_folder_that_may_not_be_written_is_named_before_any_work(folder, monkeypatch, line):
    (folder / "locked").mkdir()
    denied = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: Path(path).name != "locked" and denied(path, mode)
    )
    assert refusal(line) == "gauda: locked: Permission denied; write to another folder"


@pytest.mark.usefixtures("folder")
def test_name_of_a_column_may_hold_a_comma():
    pd.DataFrame({"a,b": [1.0, 2.0, 4.0], "c": 1.0, "y": [0, 1, 1]}).to_parquet("comma.parquet")
    run("fit comma.parquet --target y --feature '\"a,b\"' --model gnb -o m.gauda")
    assert list(gauda.load("m.gauda").feature_names_in_) == ["a,b"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("mark", "option"), [(";", "';'"), ("|", "'|'"), ("\t", "'\\t'")])
def test_delimiter_is_told(iris, mark, option):
    pd.read_parquet("data.parquet").to_csv("other.csv", sep=mark, index=False)
    message = refusal("fit other.csv --target y --model gnb -o m.gauda")
    assert f"To split it, give --delimiter {mark!r}." in message
    run(f"fit other.csv --target y --delimiter {option} --model gnb -o m.gauda")
    run(f"moments other.csv --target y --delimiter {option} -o a.moments")
    run(f"score m.gauda other.csv --delimiter {option} -o out.csv")
    expected = gauda.GaussianNB().fit(*iris)
    np.testing.assert_array_equal(pd.read_csv("out.csv")["label"], expected.predict(iris[0]))
    text = run(f"evaluate m.gauda other.csv --delimiter {option}")
    assert figure(text, "accuracy") == pytest.approx(expected.score(*iris), rel=1e-5)


@pytest.mark.usefixtures("folder")
def test_json_lines_are_read(iris):
    pd.read_parquet("data.parquet").to_json("data.jsonl", orient="records", lines=True)
    run("fit data.jsonl --target y --model qda -o model.gauda")
    run("score model.gauda data.jsonl --keep y -o out.tsv")
    out = pd.read_csv("out.tsv", sep="\t")
    np.testing.assert_array_equal(out["label"], gauda.QDA().fit(*iris).predict(iris[0]))
    np.testing.assert_array_equal(out["y"], iris[1])


@pytest.mark.usefixtures("folder")
def test_labels_of_a_csv_file_are_evaluated_in_the_type_of_the_classes(iris):
    X, y = iris
    codes = np.arange(3)[np.unique(y, return_inverse=True)[1]]
    accuracy = gauda.GaussianNB().fit(X, codes).score(X, codes)
    for classes, written in {
        "integers": (codes, codes.astype(str)),
        "doubles": (codes.astype(float), codes.astype(float).astype(str)),
        "booleans": (codes > 0, np.array(["False", "True"])[(codes > 0).astype(int)]),
        "text": (codes.astype(str), codes.astype(str)),
        "zeros": (np.char.add("0", codes.astype(str)), np.char.add("0", codes.astype(str))),
        "some unknown": (codes, np.where(np.arange(150) % 50 == 0, "?", codes.astype(str))),
    }.values():
        gauda.GaussianNB().fit(frame_of(X, y)[COLUMNS], classes).save("model.gauda")
        frame_of(X, written).drop(columns="id").to_csv("written.csv", index=False)
        text = run("evaluate model.gauda written.csv")
        known = np.mean(
            (written != "?")
            & (gauda.load("model.gauda").predict(frame_of(X, y)[COLUMNS]) == classes)
        )
        assert figure(text, "accuracy") == pytest.approx(known, rel=1e-5)
        assert known <= max(accuracy, gauda.GaussianNB().fit(X, codes > 0).score(X, codes > 0))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_dates_are_evaluated_whatever_their_unit(iris, unit):
    X, y = iris
    days = np.datetime64("2026-01-01") + np.unique(y, return_inverse=True)[1]
    frame = frame_of(X, days.astype(f"M8[{unit}]")).drop(columns="id")
    pa.feather.write_feather(pa.Table.from_pandas(frame), "dates.arrow")
    frame.to_csv("dates.csv", index=False)
    for data, other in [("dates.arrow", "dates.csv"), ("dates.csv", "dates.arrow")]:
        run(f"fit {data} --target y --model gnb -o model.gauda")
        text = run(f"evaluate model.gauda {other}")
        expected = gauda.GaussianNB().fit(X, y).score(X, y)
        assert figure(text, "accuracy") == pytest.approx(expected, rel=1e-5)
        for printed in (text, run("info model.gauda")):
            assert re.search(r"^2026-01-03[ T]", printed, re.MULTILINE)
