"""The shell chooses columns, and prints tests of separation."""

import json

import numpy as np
import pytest
from models import MODELS as ENTRIES
from shell_runs import COLUMNS, frame_of, invoke, refusal, run

import gauda
from gauda.model_selection import ColumnSelector

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def rows(iris, folder):
    """Write iris with an identifier to a file."""
    assert folder.exists()
    frame = frame_of(*iris)
    frame.to_parquet("rows.parquet", index=False)
    return frame


def output(line):
    """Return what a command prints; columns are noted on stderr."""
    code, printed, _ = invoke(line)
    assert code == 0
    return printed


def test_columns_are_chosen_in_one_pass(rows):
    text = output("select-columns rows.parquet --target y --exclude id")
    expected = ColumnSelector(gauda.LDA(), "stepwise").fit(rows[COLUMNS], rows["y"])
    assert text.startswith(expected.path_table())
    assert text.rstrip().endswith("chosen: a,b,c,d")


@pytest.mark.usefixtures("rows")
def test_moments_choose_the_same():
    run("moments rows.parquet --target y --exclude id -o all.moments")
    options = "--model qda --criterion bic --direction backward"
    from_data = output(f"select-columns rows.parquet --target y --exclude id {options}")
    assert output(f"select-columns all.moments {options}") == from_data
    assert from_data.rstrip().endswith("chosen: b,c,d")


@pytest.mark.parametrize("criterion", ["log_loss", "accuracy"])
def test_columns_are_chosen_by_held_out_rows(rows, criterion):
    options = f"--model gnb --criterion {criterion} --folds 3 --n-columns 2 --direction forward"
    line = f"select-columns rows.parquet --target y --exclude id {options} --json"
    found = json.loads(output(line))
    selector = ColumnSelector(gauda.GaussianNB(), criterion=criterion, cv=3, n_columns=2)
    selector.fit(rows[COLUMNS].to_numpy(), rows["y"])
    assert found["columns"] == np.array(COLUMNS)[selector.get_support()].tolist()
    scores = [step.score for step in selector.path_]
    assert [step["score"] for step in found["path"]] == pytest.approx(scores, rel=1e-9)
    assert found["path"][0]["p_value"] is None


def test_columns_of_levels_are_chosen():
    X, y = ENTRIES["MixedNB"].data()
    X.assign(y=y).to_parquet("mixed.parquet", index=False)
    text = output("select-columns mixed.parquet --target y --model mixed --criterion bic")
    expected = ColumnSelector(gauda.MixedNB(), "stepwise", "bic").fit(X, y)
    assert text.startswith(expected.path_table())


@pytest.mark.usefixtures("rows")
def test_what_is_missing_or_too_much_is_refused():
    run("moments rows.parquet --target y --exclude id -o all.moments")
    assert "--target" in refusal("select-columns rows.parquet")
    assert "Leave them out" in refusal("select-columns all.moments --target y")
    assert "needs rows" in refusal("select-columns all.moments --criterion log_loss")


@pytest.mark.usefixtures("rows")
def test_info_prints_tests_of_moments_and_models():
    run("moments rows.parquet --target y --exclude id -o all.moments")
    text = run("info --tests all.moments")
    assert str(gauda.load("all.moments").separation_tests()) in text
    run("fit all.moments --model lda -o model.gauda")
    assert "Wilks' lambda             0.02344  199.1   8  288  1.365e-112" in run(
        "info --tests model.gauda"
    )
    assert "Wilks" not in run("info model.gauda")


def test_levels_have_no_tests():
    X, y = ENTRIES["MixedNB"].data()
    X.assign(y=y).to_parquet("mixed.parquet", index=False)
    run("fit mixed.parquet --target y --model mixed -o model.gauda")
    code, _, (message,) = invoke("info --tests model.gauda")
    assert code == 2
    assert "--tests compares class means" in message


def test_moments_of_fourth_order_are_shrunk_as_the_rows(rows):
    for part in (0, 1):
        rows.iloc[part::2].to_parquet(f"{part}.parquet", index=False)
        run(f"moments {part}.parquet --target y --exclude id --order 4 -o {part}.moments")
    run("merge 0.moments 1.moments -o all.moments")
    parameters = "-p solver=lsqr -p shrinkage=auto"
    run(f"fit all.moments --model lda {parameters} -o merged.gauda")
    run(f"fit rows.parquet --target y --exclude id --model lda {parameters} -o stream.gauda")
    expected = gauda.LDA(solver="lsqr", shrinkage="auto").fit(rows[COLUMNS], rows["y"]).coef_
    for name in ("merged", "stream"):
        np.testing.assert_allclose(gauda.load(f"{name}.gauda").coef_, expected, rtol=1e-9)


@pytest.mark.usefixtures("rows")
def test_only_full_moments_have_an_order():
    line = "moments rows.parquet --target y --exclude id --structure tied --order 4 -o a.moments"
    assert "--order is for --structure full; got tied" in refusal(line)
