"""The shell: every command and its example, errors of one line, and Ctrl-C."""

import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss
from support import PATIENCE

import gauda
from gauda.cli import MODELS, shell

SPECIES = ["setosa", "versicolor", "virginica"]
COLUMNS = ["a", "b", "c", "d"]


def frame_of(X, y):
    return pd.DataFrame(X, columns=COLUMNS).assign(y=y, id=np.arange(len(y)) + 100)


@pytest.fixture
def folder(tmp_path, monkeypatch, iris):
    """Work in a folder with iris: whole, in two parts, and as CSV and Arrow files."""
    monkeypatch.chdir(tmp_path)
    frame = frame_of(*iris).drop(columns="id")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pa.parquet.write_table(table, "data.parquet")
    pa.parquet.write_table(table[::2], "even.parquet")
    pa.parquet.write_table(table[1::2], "odd.parquet")
    pa.csv.write_csv(table, "data.csv")
    pa.feather.write_feather(table, "data.arrow")
    return tmp_path


def invoke(line):
    """Run a command in this process: its exit code, what it printed, and the lines of stderr.

    Where `fit` and `moments` choose the columns to learn from, they begin with a note of them.
    """
    result = CliRunner().invoke(shell, shlex.split(line), prog_name="gauda")
    errors = result.stderr.splitlines()
    chosen = line.startswith(("fit ", "moments ")) and "--feature" not in line
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


# Commands


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("structure", ["full", "tied", "diag"])
def test_moments_are_those_of_the_rows(iris, structure):
    run(f"moments data.parquet --target y --structure {structure} -o a.moments")
    got = gauda.load("a.moments")
    expected = gauda.Moments.from_data(*iris, structure=structure)
    assert got.structure == structure
    assert list(got.feature_names) == COLUMNS
    assert list(got.classes) == SPECIES
    np.testing.assert_allclose(got.means, expected.means, rtol=1e-13)
    np.testing.assert_allclose(got.scatter, expected.scatter, rtol=1e-12, atol=1e-12)


@pytest.mark.usefixtures("folder")
def test_merged_moments_are_those_of_all_rows(iris):
    run("moments even.parquet --target y -o a.moments")
    run("moments odd.parquet --target y -o b.moments")
    run("merge a.moments b.moments -o all.moments")
    got, expected = gauda.load("all.moments"), gauda.Moments.from_data(*iris)
    np.testing.assert_array_equal(got.counts, [50, 50, 50])
    np.testing.assert_allclose(got.scatter, expected.scatter, rtol=1e-12, atol=1e-12)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("data", ["data.parquet", "data.csv", "data.arrow"])
def test_model_of_data_answers_as_one_fitted_to_the_rows(iris, model, data):
    run(f"fit {data} --target y --model {model} -o model.gauda")
    expected = MODELS[model]().fit(*iris).predict_proba(iris[0])
    got = gauda.load("model.gauda").predict_proba(frame_of(*iris)[COLUMNS])
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-300)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("model", MODELS)
def test_model_of_moments_is_the_model_of_their_data(iris, model):
    run("moments data.parquet --target y -o a.moments")
    run(f"fit a.moments --model {model} -o model.gauda")
    expected = MODELS[model]().fit(*iris).predict_proba(iris[0])
    got = gauda.load("model.gauda").predict_proba(frame_of(*iris)[COLUMNS])
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-300)


@pytest.mark.usefixtures("folder")
def test_parameters_are_read_as_json_or_as_text():
    run(
        "fit data.parquet --target y --model lda -p solver=lsqr -p shrinkage=0.1 "
        "-p 'priors=[0.2, 0.3, 0.5]' -p unbiased=true -p n_threads=null -o model.gauda"
    )
    parameters = gauda.load("model.gauda").get_params()
    given = {"solver": "lsqr", "shrinkage": 0.1, "priors": [0.2, 0.3, 0.5], "unbiased": True}
    assert parameters == gauda.LDA(**given).get_params()


@pytest.mark.usefixtures("folder")
def test_chosen_columns_and_weights_are_used(iris):
    X, y = iris
    weights = np.arange(150) % 3 + 0.5
    frame_of(X, y).assign(w=weights).to_parquet("weighted.parquet")
    run("fit weighted.parquet --target y --feature d --feature b --weight w --model qda -o m.gauda")
    model = gauda.load("m.gauda")
    assert list(model.feature_names_in_) == ["d", "b"]
    expected = gauda.QDA().fit(X[:, [3, 1]], y, sample_weight=weights)
    np.testing.assert_allclose(model.means_, expected.means_, rtol=1e-12)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("suffix", ["parquet", "csv", "arrow"])
def test_score_writes_labels(iris, suffix):
    run("fit data.parquet --target y --model qda -o model.gauda")
    run(f"score model.gauda data.{suffix} -o out.parquet")
    out = pd.read_parquet("out.parquet")
    assert list(out.columns) == ["label"]
    np.testing.assert_array_equal(out["label"], gauda.QDA().fit(*iris).predict(iris[0]))


@pytest.mark.usefixtures("folder")
def test_the_ending_of_a_name_tells_the_format(iris):
    pd.read_parquet("data.parquet").to_csv("data.tsv", sep="\t", index=False)
    run("fit data.tsv --target y --model qda -o model.gauda")
    run("score model.gauda data.tsv -o out.csv")
    out = pd.read_csv("out.csv")
    np.testing.assert_array_equal(out["label"], gauda.QDA().fit(*iris).predict(iris[0]))
    message = refusal("score model.gauda data.csv -o out.xlsx")
    assert "files that end in .parquet, .pq, .csv, .tsv; got 'out.xlsx'" in message
    assert not Path("out.xlsx").exists()
    Path("data.json").write_text('[{"a": 1, "y": 2}]\n')
    message = refusal("fit data.json --target y --model qda -o model.gauda")
    known = ".parquet, .pq, .csv, .tsv, .jsonl, .ndjson, .arrow, .feather."
    assert f"Files with data end in {known}" in message


@pytest.mark.usefixtures("folder")
def test_columns_that_are_learnt_from_are_noted_unless_they_were_named(iris):
    frame_of(*iris).to_parquet("with_id.parquet")
    line = "fit with_id.parquet --target y --model gnb -o m.gauda"
    for options, note in {
        "": "gauda: note: Features: a, b, c, d, id.\n",
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
def test_score_adds_what_is_asked_for(iris):
    frame_of(*iris).to_parquet("with_id.parquet")
    run("fit data.parquet --target y --model qda -o model.gauda")
    run("score model.gauda with_id.parquet --proba --log-density --keep id --keep y -o out.parquet")
    out = pd.read_parquet("out.parquet")
    probabilities = [f"proba_{species}" for species in SPECIES]
    assert set(out.columns) == {"label", *probabilities, "log_density", "id", "y"}
    model = gauda.QDA().fit(*iris)
    np.testing.assert_allclose(out[probabilities], model.predict_proba(iris[0]), rtol=1e-9)
    np.testing.assert_allclose(out["log_density"], model.score_samples(iris[0]), rtol=1e-9)
    np.testing.assert_array_equal(out["id"], np.arange(150) + 100)


# Evaluation


def figure(text, name):
    return float(re.search(rf"^{name} +(\S+)$", text, re.MULTILINE)[1])


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("model", MODELS)
def test_evaluation_agrees_with_scikit_learn(iris, model):
    X, y = iris
    run(f"fit even.parquet --target y --model {model} -o model.gauda")
    text = run("evaluate model.gauda data.parquet")
    fitted = MODELS[model]().fit(X[::2], y[::2])
    predicted = fitted.predict(X)
    assert figure(text, "rows") == 150
    assert figure(text, "accuracy") == pytest.approx(accuracy_score(y, predicted), rel=1e-5)
    assert figure(text, "log-loss") == pytest.approx(log_loss(y, fitted.predict_proba(X)), rel=1e-5)
    printed = [re.findall(r"\d+$|\d+(?= )", line) for line in text.splitlines()[-3:]]
    assert [list(map(int, row)) for row in printed] == confusion_matrix(y, predicted).tolist()


@pytest.mark.usefixtures("folder")
def test_label_unknown_to_the_model_counts_as_wrong(iris):
    X, y = iris
    frame_of(X[:100], y[:100]).drop(columns="id").to_parquet("two.parquet")
    run("fit two.parquet --target y --model gnb -o model.gauda")
    text = run("evaluate model.gauda data.parquet")
    predicted = gauda.GaussianNB().fit(X[:100], y[:100]).predict(X)
    assert figure(text, "accuracy") == pytest.approx(accuracy_score(y, predicted), rel=1e-5)
    assert figure(text, "log-loss") == np.inf
    assert text.splitlines()[-1].split() == ["virginica", "0", "50"]


@pytest.mark.usefixtures("folder")
def test_labels_of_which_the_model_knows_none_are_refused(iris):
    frame_of(iris[0], np.arange(150) % 3).drop(columns="id").to_parquet("numbers.parquet")
    run("fit data.parquet --target y --model gnb -o model.gauda")
    assert "'setosa'" in refusal("evaluate model.gauda numbers.parquet")


@pytest.mark.usefixtures("folder")
def test_target_is_asked_for_if_several_columns_could_be_it(iris):
    frame_of(*iris).to_parquet("with_id.parquet")
    run("fit data.parquet --target y --model gnb -o model.gauda")
    assert "--target" in refusal("evaluate model.gauda with_id.parquet")
    assert figure(run("evaluate model.gauda with_id.parquet --target y"), "rows") == 150


@pytest.mark.usefixtures("folder")
def test_many_classes_stay_readable(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    y = np.arange(4000) % 100
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 4)) + np.outer(y, [1, 0, 0, 0])
    frame_of(X, y).drop(columns="id").to_parquet("many.parquet")
    run("fit many.parquet --target y --model gnb -o model.gauda")
    text = run("evaluate model.gauda many.parquet")
    assert max(map(len, text.splitlines())) <= 80
    predicted = gauda.GaussianNB().fit(X, y).predict(X)
    rows = [line.split()[:3] for line in text.splitlines()[-100:]]
    right = np.bincount(y[y == predicted], minlength=100)
    assert rows == [[str(k), "40", str(right[k])] for k in range(100)]


# Information


@pytest.mark.usefixtures("folder")
def test_info_tells_what_a_model_is():
    run("fit data.parquet --target y --model lda -p tol=0.001 -o model.gauda")
    text = run("info model.gauda")
    for words in ["LinearDiscriminantAnalysis", "a, b, c, d", "tol=0.001", gauda.__version__]:
        assert words in text
    assert re.search(r"^virginica +50$", text, re.MULTILINE)


@pytest.mark.usefixtures("folder")
def test_info_tells_what_moments_are():
    run("moments data.csv --target y --structure tied -o a.moments")
    text = run("info a.moments")
    assert re.search(r"^holds +Moments", text, re.MULTILINE)
    assert re.search(r"^structure +tied$", text, re.MULTILINE)
    assert re.search(r"^rows +150$", text, re.MULTILINE)


LEVELS = pd.DataFrame({"wing": [0, 1, 1, 1], "beak": [1, 0, 1, 0]})
BIRDS = ["owl", "owl", "tit", "owl"]
DISCRETE = {
    "categorical": gauda.CategoricalNB().fit(LEVELS, BIRDS),
    "bernoulli": gauda.BernoulliNB().fit(LEVELS, BIRDS),
    "mixed": gauda.MixedNB().fit(LEVELS == 1, BIRDS),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("structure", DISCRETE)
def test_info_tells_what_a_discrete_model_is(structure):
    model = DISCRETE[structure]
    model.save("model.gauda")
    text = run("info model.gauda")
    assert re.search(rf"^holds +{type(model).__name__}\(\)$", text, re.MULTILINE)
    for line in [f"structure +{structure}", "rows +4", "features +2: wing, beak", "owl +3"]:
        assert re.search(f"^{line}$", text, re.MULTILINE)


@pytest.mark.usefixtures("folder")
def test_info_tells_what_counts_are():
    gauda.Counts.from_data([[0], [2], [1]], BIRDS[:3]).save("a.counts")
    text = run("info a.counts")
    for line in ["holds +Counts", "structure +categorical", "rows +3", "tit +1"]:
        assert re.search(f"^{line}$", text, re.MULTILINE)


# Help

EXAMPLES = {
    name: re.findall(r"^ +(gauda .*)$", command.epilog, re.MULTILINE)
    for name, command in shell.commands.items()
}


def test_there_are_the_commands_that_there_should_be():
    assert set(EXAMPLES) == {"moments", "merge", "fit", "score", "evaluate", "info"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_shows_an_example(name):
    text = run(f"{name} --help")
    assert EXAMPLES[name]
    for example in EXAMPLES[name]:
        assert example in text


@pytest.mark.parametrize(
    ("name", "example"), [(name, line) for name, lines in EXAMPLES.items() for line in lines]
)
def test_example_runs(folder, iris, name, example):
    if name == "score":
        frame_of(*iris).to_parquet("data.parquet")
    run("moments even.parquet --target y -o a.moments")
    run("moments odd.parquet --target y -o b.moments")
    run("moments data.csv --target y -o all.moments")
    run("fit data.csv --target y --model qda -o model.gauda")
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    printed = run(example.removeprefix("gauda "))
    written = [p for p in folder.iterdir() if before.get(p) != p.stat().st_mtime_ns]
    assert bool(printed) == (name in {"evaluate", "info"})
    assert len(written) == (name not in {"evaluate", "info"})


def test_without_a_command_the_shell_lists_them():
    text = run("")
    assert text == run("--help")
    for name in EXAMPLES:
        assert re.search(rf"^  {name} +\w", text, re.MULTILINE)


def test_version_is_told():
    assert run("--version").split()[-1] == gauda.__version__


# Errors


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
    line = "fit data.parquet --target y --model lda -p solver=lsqr -p shrinkage=auto -o m.gauda"
    assert "-p shrinkage=auto" in refusal(line)


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
            "with --exclude city; or use Python's MixedNB",
        ),
        ("fit text.csv --target y --feature a,city --model qda -o m", "leave it out of --feature;"),
        ("fit text.csv --target y --weight city --model qda -o m", "another column as --weight."),
        ("fit gap.csv --target y --model qda -o m", "complete rows with -p missing=marginalize,"),
        ("moments gap.csv --target y -o m", "drop or impute such rows first."),
        (
            "fit gap.csv --target y --model qda -p missing=marginalize -o m",
            "-p missing=marginalize acts where rows are scored; rows with NaN are fitted in",
        ),
        ("score model.gauda gap.csv -o m.csv", "fitted to complete rows with -p missing="),
        ("evaluate model.gauda gap.csv", "fitted to complete rows with -p missing="),
        ("fit few.csv --target y --model qda -o m", "-p prior=empirical; --model rda -p alpha=0.5"),
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
        ("merge two.moments one.moments -o m", "sum the data up anew with the same --feature."),
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


# Processes of their own


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
