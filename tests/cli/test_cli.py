"""The shell: every command and its example."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from shell_runs import COLUMNS, SPECIES, figure, frame_of, refusal, run
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss

import gauda
from gauda.cli import MODELS, shell

GAUSSIAN = ["qda", "lda", "rda", "gnb"]

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
@pytest.mark.parametrize("model", GAUSSIAN)
@pytest.mark.parametrize("data", ["data.parquet", "data.csv", "data.arrow"])
def test_model_of_data_answers_as_one_fitted_to_the_rows(iris, model, data):
    run(f"fit {data} --target y --model {model} -o model.gauda")
    expected = MODELS[model]().fit(*iris).predict_proba(iris[0])
    got = gauda.load("model.gauda").predict_proba(frame_of(*iris)[COLUMNS])
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-300)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("model", GAUSSIAN)
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


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("model", GAUSSIAN)
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
    sums, models = ("moments", "merge", "fit"), ("score", "evaluate", "info")
    assert set(EXAMPLES) == {*sums, *models, "select", "select-columns"}


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
    prints = name in {"evaluate", "select", "select-columns", "info"}
    assert bool(printed) == prints
    assert len(written) == (not prints)


def test_the_page_about_the_shell_shows_every_command():
    page = Path(__file__).parents[2] / "docs" / "howto" / "shell.md"
    shown = re.findall(r"^gauda ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(shown) == set(EXAMPLES)


def test_without_a_command_the_shell_lists_them():
    text = run("")
    assert text == run("--help")
    for name in EXAMPLES:
        assert re.search(rf"^  {name} +\w", text, re.MULTILINE)


def test_version_is_told():
    assert run("--version").split()[-1] == gauda.__version__
