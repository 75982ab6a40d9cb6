"""The shell fits, sums up, scores and evaluates every model that has a name for it."""

import re

import numpy as np
import pandas as pd
import pytest
from models import MODELS as ENTRIES
from shell_runs import figure, invoke, refusal, run
from sklearn.metrics import accuracy_score, log_loss

import gauda
from gauda.cli import MODELS

ENTRY_OF = {
    model: next(entry for entry in ENTRIES.values() if type(entry.make()) is kind)
    for model, kind in MODELS.items()
}
STRUCTURES = {
    "qda": "full",
    "rda": "full",
    "lda": "tied",
    "gnb": "diag",
    "centroids": "diag",
    "complement": "multinomial",
}
"""Of the sums that a model is made of; those of others have its name."""


def rows_for(model, n=120):
    X, y = ENTRY_OF[model].data(n)
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=["a", "b", "c"])
    return frame, y


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_every_model_is_fitted_scored_and_evaluated(model, ending):
    frame, y = rows_for(model)
    getattr(frame.assign(y=y), f"to_{ending}")(f"rows.{ending}", index=False)
    run(f"fit rows.{ending} --target y --model {model} -o model.gauda")
    expected = MODELS[model]().fit(frame, y)
    run(f"score model.gauda rows.{ending} --proba -o out.parquet")
    out = pd.read_parquet("out.parquet")
    np.testing.assert_array_equal(out["label"], expected.predict(frame))
    posteriors = expected.predict_proba(frame)
    np.testing.assert_allclose(out.iloc[:, 1:], posteriors, rtol=1e-9, atol=1e-300)
    text = run(f"evaluate model.gauda rows.{ending}")
    accuracy = accuracy_score(y, expected.predict(frame))
    assert figure(text, "accuracy") == pytest.approx(accuracy, rel=1e-5)
    assert figure(text, "log-loss") == pytest.approx(log_loss(y, posteriors), rel=1e-5)
    names = ", ".join(frame.columns)
    assert re.search(rf"^features +3: {names}$", run("info model.gauda"), re.MULTILINE)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("model", MODELS)
def test_model_of_merged_sums_is_that_of_all_rows(model):
    frame, y = rows_for(model)
    for part in range(2):
        frame[part::2].assign(y=y[part::2]).to_parquet(f"{part}.parquet", index=False)
        structure = STRUCTURES.get(model, model)
        run(f"moments {part}.parquet --target y --structure {structure} -o {part}.sums")
    run("merge 0.sums 1.sums -o all.sums")
    run(f"fit all.sums --model {model} -o model.gauda")
    got = gauda.load("model.gauda").predict_proba(frame)
    np.testing.assert_allclose(got, MODELS[model]().fit(frame, y).predict_proba(frame), rtol=1e-9)
    text = run("info all.sums")
    assert re.search(rf"^structure +{structure}$", text, re.MULTILINE)
    assert re.search(r"^rows +120$", text, re.MULTILINE)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("model", MODELS)
def test_sums_of_another_kind_are_refused(model):
    frame, y = rows_for(model)
    frame.assign(y=y).to_parquet("rows.parquet", index=False)
    structure = STRUCTURES.get(model, model)
    run(f"moments rows.parquet --target y --structure {structure} -o its.sums")
    other, y = rows_for("gnb" if model == "mixed" else "mixed")
    other.assign(y=y).to_parquet("other.parquet", index=False)
    structure = "diag" if model == "mixed" else "mixed"
    run(f"moments other.parquet --target y --structure {structure} -o other.sums")
    message = refusal(f"fit other.sums --model {model} -o model.gauda")
    assert f"--model {model} must be made of " in message
    assert "; other.sums holds " in message
    assert "Sum the data up with --structure " in message
    assert "give files of one kind" in refusal("merge its.sums other.sums -o all.sums")


@pytest.mark.usefixtures("folder")
def test_counts_of_another_kind_are_refused_with_the_right_one():
    frame, y = rows_for("bernoulli")
    frame.assign(y=y).to_parquet("rows.parquet", index=False)
    run("moments rows.parquet --target y --structure categorical -o a.counts")
    message = refusal("fit a.counts --model bernoulli -o model.gauda")
    assert message.endswith("Make them with --structure bernoulli.")


@pytest.mark.usefixtures("folder")
def test_info_tells_the_kinds_of_mixed_columns():
    frame, y = rows_for("mixed")
    frame.assign(y=y).to_parquet("rows.parquet", index=False)
    run("moments rows.parquet --target y --structure mixed -o a.sums")
    text = run("info a.sums")
    assert re.search(r"^holds +MixedStatistics$", text, re.MULTILINE)
    assert re.search(r"^kinds +gaussian, categorical, bernoulli$", text, re.MULTILINE)


@pytest.mark.usefixtures("folder")
def test_select_compares_models_and_recommends_one():
    frame, y = rows_for("mixed", 300)
    weights = np.arange(300) % 3 + 1.0
    frame.assign(y=y, w=weights).to_csv("rows.csv", index=False)
    text = run("select rows.csv --target y --weight w --exclude wings --folds 3")
    table = frame[["weight", "size"]]
    expected = gauda.select_model(table, y, sample_weight=weights, cv=3)
    assert text.strip() == str(expected).strip()
    code, _, errors = invoke("select rows.csv --target y --feature weight,nothing")
    assert code == 2
    assert "'nothing' does not exist" in errors[-1]
