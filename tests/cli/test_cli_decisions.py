"""How the shell is told to decide, what it then writes, and figures in JSON and in a picture."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from shell_runs import COLUMNS, SPECIES, figure, frame_of, refusal, run

import gauda
from gauda._scoring.answers import OUTPUTS

pytestmark = pytest.mark.usefixtures("folder")
MATRIX = [[0, 1, 9], [0.5, 0, 7], [1, 1, 0]]
NAMED = "--cost setosa:virginica=9 --cost versicolor:setosa=0.5 --cost versicolor:virginica=7"


def scored(options, data="data.parquet"):
    """Fit QDA in the shell, score with options, and return what was written and the model."""
    run("fit data.parquet --target y --model qda -o model.gauda")
    run(f"score model.gauda {data} {options} -o out.parquet")
    return pd.read_parquet("out.parquet"), gauda.load("model.gauda")


@pytest.mark.parametrize("options", [NAMED, f"--cost '{json.dumps(MATRIX)}'", "--cost costs.json"])
def test_labels_are_those_of_least_cost(iris, options):
    by_name = {
        truth: dict(zip(SPECIES, row, strict=True))
        for truth, row in zip(SPECIES, MATRIX, strict=True)
    }
    Path("costs.json").write_text(json.dumps(by_name))
    out, model = scored(f"{options} --expected-cost")
    frame = frame_of(*iris)[COLUMNS]
    np.testing.assert_array_equal(out["label"], model.predict(frame, cost=MATRIX))
    costs = model.predict_proba(frame) @ np.array(MATRIX)
    np.testing.assert_allclose(out.iloc[:, 1:], costs, rtol=1e-9, atol=1e-12)
    assert list(out.columns[1:]) == [f"cost_{species}" for species in SPECIES]


def test_classes_without_a_given_prior_share_the_rest(iris):
    out, model = scored("--prior virginica=0.9 --proba")
    expected = model.predict_proba(frame_of(*iris)[COLUMNS], priors=[0.05, 0.05, 0.9])
    np.testing.assert_allclose(out.iloc[:, 1:], expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "reject"),
    [
        ("--reject 0.95", 0.95),
        ("--reject posterior=0.95 --reject typicality=0.1", {"posterior": 0.95, "typicality": 0.1}),
        ("--reject cost=0.02", {"cost": 0.02}),
    ],
)
def test_rows_are_rejected(iris, options, reject):
    out, model = scored(f"{options} --reject-label nobody")
    expected = model.predict(frame_of(*iris)[COLUMNS], reject=reject, reject_label="nobody")
    np.testing.assert_array_equal(out["label"], expected)
    assert "nobody" in set(expected)


def test_every_output_of_classify_can_be_asked_for(iris):
    flags = [f"--{name.replace('_', '-')}" for name in OUTPUTS if name not in {"label", "cost"}]
    flags[flags.index("--top-k")] += " 2"
    out, model = scored(" ".join([*flags, "--expected-cost"]))
    answers = model.classify(frame_of(*iris)[COLUMNS], OUTPUTS, top_k=2)
    columns = list(out.columns)
    for output in OUTPUTS:
        answer = getattr(answers, output)
        if output == "top_k":
            np.testing.assert_array_equal(out[["top_1", "top_2"]], answer.labels)
        elif answer.ndim == 1:
            np.testing.assert_array_equal(out[output], answer)
        else:
            own = [name for name in columns if name.startswith(f"{output}_")]
            np.testing.assert_array_equal(out[own], answer)


def test_labels_that_are_numbers_are_named_by_their_text(iris):
    X, y = iris
    codes = np.unique(y, return_inverse=True)[1]
    frame = frame_of(X, codes).drop(columns="id")
    frame.to_parquet("numbers.parquet")
    run("fit numbers.parquet --target y --model lda -o model.gauda")
    options = "--cost 0:2=9 --cost 1:2=9 --prior 1=0.5 --reject 0.9 --reject-label -7"
    run(f"score model.gauda numbers.parquet {options} -o out.csv")
    expected = gauda.load("model.gauda").predict(
        frame[COLUMNS],
        cost=[[0, 1, 9], [1, 0, 9], [1, 1, 0]],
        priors=[0.25, 0.5, 0.25],
        reject=0.9,
        reject_label=-7,
    )
    np.testing.assert_array_equal(pd.read_csv("out.csv")["label"], expected)


def test_class_whose_name_holds_the_marks_of_an_option(iris):
    X, y = iris
    names = np.array(["a:b", "c=d", "a"])[np.unique(y, return_inverse=True)[1]]
    frame_of(X, names).drop(columns="id").to_parquet("odd.parquet")
    run("fit odd.parquet --target y --model lda -o model.gauda")
    run("score model.gauda odd.parquet --cost a:b:c=d=5 --prior c=d=0.2 -o out.csv")
    cost = {
        "a": {"a:b": 1, "c=d": 1},
        "a:b": {"a": 1, "c=d": 5},
        "c=d": {"a": 1, "a:b": 1},
    }
    expected = gauda.load("model.gauda").predict(
        frame_of(X, names)[COLUMNS], cost=cost, priors={"a": 0.4, "a:b": 0.4, "c=d": 0.2}
    )
    np.testing.assert_array_equal(pd.read_csv("out.csv")["label"], expected)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--prior rose=0.5", "--prior must name a class; got 'rose'. The classes are setosa, ver"),
        ("--prior setosa", "--prior must be CLASS=SHARE; got 'setosa'."),
        ("--prior setosa=0.9 --prior virginica=0.2", "--prior must leave shares that sum to 1"),
        ("--cost setosa=3", "--cost must name a class; got"),
        ("--cost setosa:rose=3", "--cost must name a class; got 'rose'"),
        ("--cost setosa:virginica=dear", "--cost must be TRUTH:LABEL=COST"),
        ("--cost '[[0, 1'", "must be JSON; got an error"),
        ("--cost '[[0, 1]]'", "must have shape (3, 3)"),
        ("""--cost '{"setosa": 3}'""", "--cost must hold costs by truth and label; got 3."),
        ("--reject often", "--reject must be NUMBER or RULE=NUMBER"),
        ("--reject density=3", "RULE one of posterior, typicality, cost; got 'density=3'."),
        ("--top-k 9", "top_k must be an integer from 1 to 3"),
    ],
)
def test_bad_option_is_named(options, words):
    run("fit data.parquet --target y --model qda -o model.gauda")
    assert words in refusal(f"score model.gauda data.parquet {options} -o out.csv")
    assert not Path("out.csv").exists()


def test_evaluation_in_json_is_that_of_the_text(iris):
    X, y = iris
    run("fit data.parquet --target y --model gnb -o model.gauda")
    options = f"evaluate model.gauda data.parquet {NAMED}"
    found = json.loads(run(f"{options} --json"))
    model = gauda.load("model.gauda")
    predicted = model.predict(frame_of(X, y)[COLUMNS], cost=MATRIX)
    assert found["rows"] == 150
    assert found["accuracy"] == np.mean(predicted == y)
    assert found["labels"] == found["truths"] == SPECIES
    codes = [np.searchsorted(SPECIES, labels) for labels in (y, predicted)]
    counts = np.zeros((3, 3), dtype=int)
    np.add.at(counts, tuple(codes), 1)
    assert found["confusion"] == counts.tolist()
    assert found["mean_cost"] == pytest.approx(np.array(MATRIX)[tuple(codes)].mean(), rel=1e-12)
    text = run(options)
    for name, key in (("accuracy", "accuracy"), ("log-loss", "log_loss")):
        assert figure(text, name) == pytest.approx(found[key], rel=1e-5)


def test_what_json_has_no_number_for_is_null(iris):
    X, y = iris
    frame_of(X[:100], y[:100]).drop(columns="id").to_parquet("two.parquet")
    run("fit two.parquet --target y --model gnb -o model.gauda")
    found = json.loads(run("evaluate model.gauda data.parquet --json --cost setosa:versicolor=2"))
    assert (found["log_loss"], found["mean_cost"]) == (None, None)
    assert found["truths"] == SPECIES


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_evaluation_is_drawn(ending):
    run("fit data.parquet --target y --model gnb -o model.gauda")
    text = run(f"evaluate model.gauda data.parquet --plot picture.{ending}")
    assert text == run("evaluate model.gauda data.parquet")
    start = Path(f"picture.{ending}").read_bytes()[:8]
    assert start.startswith({"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[ending])
    if ending == "png":
        with Image.open("picture.png") as image:
            assert min(image.size) > 300


def test_picture_that_cannot_be_written_is_refused_before_any_work():
    run("fit data.parquet --target y --model gnb -o model.gauda")
    line = "evaluate model.gauda data.parquet --plot"
    assert "--plot must end in .png, .pdf, .svg; got 'picture.txt'" in refusal(
        f"{line} picture.txt"
    )
    assert "No such folder" in refusal(f"{line} none/picture.png")


def decided(iris, reject, cost=None):
    """Fit QDA in the shell; return the true labels and those by a rule."""
    X, y = iris
    run("fit data.parquet --target y --model qda -o model.gauda")
    model = gauda.load("model.gauda")
    return y, model.predict(frame_of(X, y)[COLUMNS], cost=cost, reject=reject)


@pytest.mark.parametrize(
    ("options", "reject"),
    [("--reject 0.95", 0.95), ("--reject typicality=0.1", {"typicality": 0.1})],
)
def test_accuracy_is_that_of_the_answered_rows(iris, options, reject):
    y, predicted = decided(iris, reject)
    answered = predicted != "rejected"
    line = f"evaluate model.gauda data.parquet {options}"
    found, text = json.loads(run(f"{line} --json")), run(line)
    assert 0 < answered.sum() < len(y)
    assert found["accuracy"] == np.mean(predicted[answered] == y[answered])
    assert found["rejected"] == pytest.approx(1 - answered.mean())
    assert figure(text, "rejected") == pytest.approx(1 - answered.mean(), rel=1e-5)
    assert figure(text, "accuracy") == pytest.approx(found["accuracy"], rel=1e-5)
    assert "accuracy is that of the rows that were not rejected" in text


@pytest.mark.parametrize(
    ("options", "reject"),
    [
        ("--reject cost=0.02", {"cost": 0.02}),
        ("--reject 0.95 --reject cost=0.3", {"posterior": 0.95, "cost": 0.3}),
    ],
)
def test_mean_cost_counts_rejected_rows(iris, options, reject):
    y, predicted = decided(iris, reject, MATRIX)
    rejected = predicted == "rejected"
    truth, label = np.searchsorted(SPECIES, y), np.searchsorted(SPECIES, predicted)
    costs = np.column_stack([MATRIX, np.full(3, reject["cost"])])
    expected = costs[truth, np.where(rejected, 3, label)].mean()
    line = f"evaluate model.gauda data.parquet {NAMED} {options}"
    assert rejected.any()
    assert json.loads(run(f"{line} --json"))["mean_cost"] == pytest.approx(expected, rel=1e-12)
    assert figure(run(line), "mean cost") == pytest.approx(expected, rel=1e-5)


def test_why_there_is_no_mean_cost_is_said():
    run("fit data.parquet --target y --model qda -o model.gauda")
    line = f"evaluate model.gauda data.parquet {NAMED}"
    text = run(f"{line} --reject 0.95")
    assert "nan" not in text
    assert "no mean cost: rejecting has no cost; give it with --reject cost=NUMBER" in text
    found = json.loads(run(f"{line} --reject 0.95 --json"))
    assert found["mean_cost"] is None
    assert "no mean cost" in found["notes"][-1]
    assert "notes" not in json.loads(run(f"{line} --json"))


def test_all_rows_may_be_rejected():
    run("fit data.parquet --target y --model qda -o model.gauda")
    line = "evaluate model.gauda data.parquet --reject 1 --reject typicality=1"
    found = json.loads(run(f"{line} --json"))
    assert (found["rejected"], found["accuracy"]) == (1.0, None)


def test_cost_of_one_name_is_told_apart_from_a_class():
    run("fit data.parquet --target y --model qda -o model.gauda")
    said = refusal("score model.gauda data.parquet --cost default=9 -o out.csv")
    assert "got 'default' where TRUTH:LABEL=COST names two" in said
    assert "''" not in said
