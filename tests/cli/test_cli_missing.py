"""Missing values in the shell: estimated, or their rows left out."""

import json

import numpy as np
import pandas as pd
import pytest
from gaps import correlated, with_gaps
from shell_runs import invoke, refusal, run

import gauda
from gauda.cli import MODELS
from gauda.model_selection import ColumnSelector


@pytest.fixture
def gaps(tmp_path, monkeypatch):
    """Write rows with gaps to files of the folder in which the shell is."""
    monkeypatch.chdir(tmp_path)
    X, y = correlated(150, 3, 3)
    X, y = with_gaps(X, 0.1), np.array(["ant", "bee", "fly"])[y]
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)
    frame.to_parquet("gaps.parquet")
    frame.to_csv("gaps.csv", index=False)
    return frame


@pytest.mark.parametrize("file", ["gaps.parquet", "gaps.csv"])
@pytest.mark.parametrize("model", ["qda", "lda", "rda", "gnb"])
def test_missing_values_are_estimated(gaps, model, file):
    run(f"fit {file} --target y --model {model} --missing marginalize -o model.gauda")
    X, y = gaps[["a", "b", "c"]], gaps["y"]
    expected = MODELS[model](missing="marginalize").fit(X, y)
    np.testing.assert_allclose(
        gauda.load("model.gauda").predict_proba(X), expected.predict_proba(X), rtol=1e-6
    )
    run(f"score model.gauda {file} --proba -o out.parquet")


@pytest.mark.parametrize("model", ["qda", "lda", "rda", "gnb"])
def test_rows_are_left_out_and_counted_on_stderr(gaps, model):
    line = f"fit gaps.parquet --target y --model {model} --missing drop -o model.gauda"
    code, _, (said,) = invoke(line)
    whole = gaps.dropna()
    n_dropped = len(gaps) - len(whole)
    assert code == 0
    assert f"--missing drop has left out {n_dropped} of 150 rows" in said
    expected = MODELS[model]().fit(whole[["a", "b", "c"]], whole["y"])
    got = gauda.load("model.gauda")
    np.testing.assert_allclose(got.moments_.means, expected.moments_.means, rtol=1e-12)


def test_moments_leave_them_out_or_count_what_is_there(gaps):
    code, _, (said,) = invoke("moments gaps.csv --target y --missing drop -o a.moments")
    assert code == 0
    assert "has left out" in said
    assert gauda.load("a.moments").n_rows == len(gaps.dropna())
    run("moments gaps.csv --target y --structure diag --missing marginalize -o b.moments")
    found = gauda.load("b.moments")
    expected = gaps.groupby("y").mean().to_numpy()
    np.testing.assert_allclose(found.means, expected, rtol=1e-12)


@pytest.mark.parametrize("model", ["lda", "gnb"])
def test_columns_are_chosen_of_complete_rows_or_of_all(gaps, model):
    line = f"select-columns gaps.parquet --target y --model {model} --criterion bic"
    assert "--missing" in refusal(line)
    complete = gaps.dropna()
    complete.to_parquet("complete.parquet")
    code, printed, errors = invoke(f"{line} --missing drop")
    assert (code, printed) == (0, run(line.replace("gaps.", "complete.")))
    assert f"has left out {len(gaps) - len(complete)} of 150 rows" in errors[-1]


def test_columns_are_chosen_by_what_is_there(gaps):
    """Columns are independent in naive Bayes: each is fitted to the entries that it has."""
    line = "select-columns gaps.parquet --target y --model gnb --criterion bic --json"
    found = json.loads(run(f"{line} --missing marginalize"))
    X, y = gaps[["a", "b", "c"]], gaps["y"]
    selector = ColumnSelector(gauda.GaussianNB(missing="marginalize"), "stepwise", "bic").fit(X, y)
    assert found["columns"] == list(selector.get_feature_names_out())


def test_fitted_model_takes_parameters_that_act_on_it(gaps):
    run("fit gaps.csv --target y --model gnb --missing marginalize -o model.gauda")
    proba = "score model.gauda gaps.csv --proba -o out.parquet"
    run(f"{proba} -p n_threads=1")
    expected = gauda.load("model.gauda").predict_proba(gaps[["a", "b", "c"]])
    np.testing.assert_array_equal(pd.read_parquet("out.parquet").iloc[:, 1:], expected)
    assert "row" in refusal(f"{proba} -p missing=raise")
    assert "-p sets missing, n_threads." in refusal(f"{proba} -p var_smoothing=1")
    assert "is not NAME=VALUE of a parameter" in refusal(f"{proba} -p nothing=1")


@pytest.mark.parametrize("command", ["score {} -o out.csv", "evaluate {}"])
def test_advice_on_unknown_categories_can_be_followed(gaps, command):
    gaps.assign(color="red")[["color", "y"]].to_parquet("red.parquet")
    gaps.assign(color="green")[["color", "y"]].to_parquet("green.parquet")
    run("fit red.parquet --target y --model mixed -o model.gauda")
    line = command.format("model.gauda green.parquet")
    assert "-p handle_unknown=ignore" in refusal(line)
    run(f"{line} -p handle_unknown=ignore")
