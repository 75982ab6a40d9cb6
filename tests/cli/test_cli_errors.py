"""Errors of the shell: one line each, in its own words."""

import re
from pathlib import Path

import pandas as pd
import pytest
from shell_runs import invoke, refusal, run

import gauda


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("moments none.parquet --target y -o a.moments", "none.parquet"),
        ("moments data.parquet --target z -o a.moments", "'y'"),
        ("moments data.parquet --target a -o a.moments", "'y'"),
        ("moments data.parquet -o a.moments", "--target"),
        ("moments data.parquet --target y", "--output"),
        ("moments data.parquet --target y -o none/a.moments", "No such folder"),
        ("merge data.parquet -o all.moments", "data.parquet is not a gauda file"),
        ("fit data.parquet --model qda -o model.gauda", "--target"),
        ("fit data.parquet --target y --model svm -o model.gauda", "'svm'"),
        ("fit data.parquet --target y --model qda -p colour=1 -o m.gauda", "reg_param"),
        ("fit data.parquet --target y --model qda -p reg_param -o m.gauda", "NAME=VALUE"),
        ("fit data.parquet --target y --model qda -p reg_param=9 -o m.gauda", "'reg_param'"),
        ("score data.csv data.parquet -o out.parquet", "data.csv is not a gauda file"),
        ("moments data.parquet --target y -o data.parquet", "holds the data that are read"),
        ("fit data.csv --target y --model qda -o data.csv", "holds the data that are read"),
        ("fit none.txt --target y --model qda -o m.gauda", "none.txt: No such file"),
        ("info none", "gauda: none: No such file"),
        (
            "info data.csv",
            'it begins with the text \'"a","b",\'. Give a file that gauda has written.',
        ),
        ("score data.gauda data.csv -o data.csv", "data.csv holds the data that are read"),
        ("fit data.csv --target y --feature a,,b --model qda -o m.gauda", "missing in 'a,,b'"),
        ("fit data.csv --target y --feature '' --model qda -o m.gauda", "missing in ''"),
        ("fit data.csv --target y --exclude z --model qda -o m.gauda", "'z' does not exist"),
        ("fit data.csv --target y --delimiter ab --model qda -o m.gauda", "--delimiter must be"),
        ("fit data.parquet --target y --delimiter , --model qda -o m.gauda", "--delimiter must be"),
        ("info --colour", "See gauda info --help."),
        ("colour", "No such command 'colour'. See gauda --help."),
    ],
)
def test_error_is_one_line_and_leaves_no_file(folder, line, words):
    before = sorted(folder.iterdir())
    assert words in refusal(line)
    assert sorted(folder.iterdir()) == before


@pytest.mark.usefixtures("folder")
def test_parameter_that_needs_all_rows_is_named():
    line = "fit data.parquet --target y --model lda -p class_weight=balanced -o m.gauda"
    assert "-p class_weight=balanced" in refusal(line)


SPEAKS_PYTHON = re.compile(
    r"\w=\[|(?<!-p )\b[a-z_]+=['\d]|fit_stream|partial_fit|sample_weight"
    r"|(save|select)\(|[a-z]Analysis"
)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "fit text.csv --target y --model qda -o m",
            "with --exclude city; or use --model mixed, which",
        ),
        ("fit text.csv --target y --feature a,city --model qda -o m", "leave it out of --feature;"),
        ("fit text.csv --target y --weight city --model qda -o m", "another column as --weight."),
        ("fit gap.csv --target y --model qda -o m", "model fitted with --missing marginalize,"),
        ("moments gap.csv --target y -o m", "drop or impute such rows first."),
        ("moments gap.csv --target y --missing marginalize -o m", "or --missing drop"),
        ("score model.gauda gap.csv -o m.csv", "model fitted with --missing marginalize,"),
        ("evaluate model.gauda gap.csv", "model fitted with --missing marginalize,"),
        (
            "fit few.csv --target y --model qda -o m",
            "-p conjugate_prior=empirical; --model rda -p alpha=0.5",
        ),
        ("fit few.csv --target y --model qda -o m", "; --model lda; --model gnb; or drop"),
        ("fit flat.csv --target y --model gnb -o m", "-p var_smoothing=1e-9"),
        ("fit data.csv --target y --model lda -p solver=x -o m", "parameter of --model lda must"),
        (
            "fit data.csv --target y --feature a --exclude b --model lda -o m",
            "--feature and --excl",
        ),
        ("fit data.csv --target y --feature a,a --model lda -o m", "--feature names column 'a' 2"),
        ("fit diag.moments --model lda -o m", "Make them with --structure tied."),
        ("fit fractions.csv --target y --model gnb -o m", "Name another column as --target"),
        ("evaluate model.gauda text.csv", "Name the column of labels as --target."),
        ("merge two.moments one.moments -o m", "sum the data up again with the same --feature."),
        ("merge two.moments numbers.moments -o m", "Write the labels alike in all files of data"),
        ("info text.csv", "Give a file that gauda has written."),
    ],
)
def test_messages_speak_the_words_of_the_shell(line, words):
    rows = "1,2,Rome,x\n2,3,Oslo,x\n4,1,Rome,z\n"
    Path("text.csv").write_text(f"a,b,city,y\n{rows}")
    Path("gap.csv").write_text("a,b,y\n1,2,x\n,3,x\n4,1,z\n")
    Path("few.csv").write_text("a,b,y\n1,2,x\n2,4,x\n4,1,z\n2,5,z\n3,3,z\n9,1,z\n")
    Path("flat.csv").write_text("a,b,y\n1,2,x\n1,4,x\n4,1,z\n2,5,z\n")
    Path("fractions.csv").write_text("a,b,y\n1,2,0.5\n1,4,1.5\n")
    gauda.GaussianNB().fit(pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 4.0]}), ["x", "z"]).save(
        "model.gauda"
    )
    Path("numbers.csv").write_text("a,b,y\n1,2,1\n1,4,2\n")
    run("moments data.csv --target y --structure diag -o diag.moments")
    run("moments few.csv --target y -o two.moments")
    run("moments few.csv --target y --feature a -o one.moments")
    run("moments numbers.csv --target y -o numbers.moments")
    line = line.replace("--model gnb -o", "--model gnb -p var_smoothing=0 -o")
    message = refusal(line)
    assert words in message
    assert not SPEAKS_PYTHON.search(message)


@pytest.mark.usefixtures("folder")
def test_moments_are_no_model_and_a_model_no_moments():
    run("moments data.parquet --target y -o a.moments")
    run("fit data.parquet --target y --model gnb -o model.gauda")
    assert "a.moments holds Moments" in refusal("evaluate a.moments data.parquet")
    assert "model.gauda holds GaussianNB" in refusal("merge model.gauda -o all.moments")
    assert "a.moments holds moments" in refusal("fit a.moments --target y --model gnb -o m.gauda")


@pytest.mark.usefixtures("folder")
def test_warning_is_one_line():
    line = "fit data.parquet --target y --model lda -p 'priors=[1, 1, 2]' -o model.gauda"
    code, _, errors = invoke(line)
    assert code == 0
    assert errors == ["gauda: warning: The priors do not sum to 1. Renormalizing"]
