"""Missing values in the shell: estimated, or their rows left out."""

import numpy as np
import pandas as pd
import pytest
from gaps import correlated, with_gaps
from shell_runs import invoke, run

import gauda
from gauda.cli import MODELS


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
