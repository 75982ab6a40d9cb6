"""Answers of every model: the same bits in one pass, alone, in batches, in order or not."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from models import EXCEPT, LABELS, MODELS, with_gap

METHODS = {
    "label": "predict",
    "proba": "predict_proba",
    "log_proba": "predict_log_proba",
    "log_density": "score_samples",
    "joint": "predict_joint_log_proba",
    "mahalanobis": "mahalanobis",
    "typicality": "typicality",
    "cost": "predict_cost",
}
COST = np.random.default_rng(3).uniform(0, 4, size=(3, 3))
DECISIONS = {
    "plain": {},
    "priors": {"priors": [0.2, 0.7, 0.1]},
    "rules": {"cost": COST, "reject": 0.6},
}
GAPS_SCORED = EXCEPT["gaps in rows that are scored"]
STREAMS = [name for name in MODELS if name not in EXCEPT.get("`predict_stream`", {})]


def outputs_of(model):
    """Return what classify can be asked of a model, and the method that answers alone."""
    return {output: method for output, method in METHODS.items() if hasattr(model, method)}


def everything(model, X, **decisions):
    """Return all answers of one pass, by name."""
    outputs = tuple(outputs_of(model))
    found = model.classify(X, (*outputs, "top_k"), top_k=2, **decisions)
    answers = {output: getattr(found, output) for output in outputs}
    return answers | {"top_k": found.top_k.labels, "posteriors of top_k": found.top_k.proba}


def assert_same_bits(found, expected):
    assert found.keys() == expected.keys()
    for key, answer in expected.items():
        assert found[key].dtype == answer.dtype, key
        assert found[key].tobytes() == answer.tobytes(), key


def rows_at(X, indices):
    return X.iloc[indices] if isinstance(X, pd.DataFrame) else X[indices]


@pytest.mark.parametrize(
    ("name", "gaps"),
    [(name, gaps) for name in MODELS for gaps in (False, True)[: 1 + (name not in GAPS_SCORED)]],
)
def test_each_answer_is_that_of_its_method(name, gaps):
    entry = MODELS[name]
    X, _ = entry.data()
    marginalizes = {"missing": "marginalize"} if "missing" in entry.make().get_params() else {}
    model = entry.fitted(**marginalizes if gaps else {})
    X = with_gap(X) if gaps else X
    answers = everything(model, X)
    for output, method in outputs_of(model).items():
        alone = getattr(model, method)(X)
        assert answers[output].dtype == alone.dtype
        np.testing.assert_array_equal(answers[output], alone, err_msg=output)


def test_decisions_for_a_call_are_those_of_the_methods(entry):
    X, _ = entry.data()
    model = entry.fitted()
    together = everything(model, X, priors=[0.2, 0.7, 0.1], cost=COST, reject=0.6)
    priors = {"priors": [0.2, 0.7, 0.1]}
    labels = model.predict(X, cost=COST, reject=0.6, **priors)
    np.testing.assert_array_equal(together["label"], labels)
    np.testing.assert_array_equal(together["proba"], model.predict_proba(X, **priors))
    if "log_density" in together:
        np.testing.assert_array_equal(together["log_density"], model.score_samples(X, **priors))
    np.testing.assert_array_equal(together["cost"], model.predict_cost(X, cost=COST, **priors))


def test_the_likeliest_classes_come_first(entry):
    X, _ = entry.data()
    model = entry.fitted()
    proba = model.predict_proba(X)
    order = np.argsort(-model.predict_log_proba(X), axis=1, kind="stable")
    for k in (1, 2, 3):
        labels, posteriors = model.classify(X, "top_k", top_k=k).top_k
        np.testing.assert_array_equal(labels, LABELS[order[:, :k]])
        np.testing.assert_array_equal(posteriors, np.take_along_axis(proba, order[:, :k], axis=1))


def test_answers_go_into_the_callers_arrays(entry):
    X, _ = entry.data()
    model = entry.fitted()
    expected = everything(model, X)
    out = {output: np.empty_like(expected[output]) for output in outputs_of(model)}
    found = model.classify(X, tuple(out), out=out)
    for output, array in out.items():
        assert getattr(found, output) is array
        np.testing.assert_array_equal(array, expected[output])


@pytest.mark.parametrize("decisions", DECISIONS)
def test_rows_stand_alone(entry, decisions):
    """No bit depends on the rows beside, or on their order."""
    X, _ = entry.data(n=300)
    model, decisions = entry.fitted(n=300), DECISIONS[decisions]
    whole = everything(model, X, **decisions)
    batches = [everything(model, X[a:b], **decisions) for a, b in [(0, 1), (1, 38), (38, 300)]]
    joined = {key: np.concatenate([batch[key] for batch in batches]) for key in whole}
    assert_same_bits(joined, whole)
    order = np.random.default_rng(1).permutation(len(X))
    found = everything(model, rows_at(X, order), **decisions)
    assert_same_bits(found, {key: answer[order] for key, answer in whole.items()})


def test_threads_change_no_bit(entry):
    X, y = entry.data(n=30_000)
    models = [entry.make(n_threads=n).fit(X[:3000], y[:3000]) for n in (1, 3)]
    assert_same_bits(everything(models[1], X), everything(models[0], X))
    adapted = [model.adapt_priors(X[:9000]).priors.tobytes() for model in models]
    assert adapted[0] == adapted[1]


def test_threads_change_no_bit_of_a_fit(entry):
    X, y = entry.data(n=30_000)
    weights = np.random.default_rng(2).exponential(size=len(X))
    models = [entry.make(n_threads=n).fit(X, y, sample_weight=weights) for n in (1, 3)]
    assert_same_bits(everything(models[1], X[:500]), everything(models[0], X[:500]))


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("rules", [False, True])
def test_streams_are_scored_as_rows_are(name, rules, tmp_path):
    entry = MODELS[name]
    X, _ = entry.data(n=200)
    model = entry.fitted(n=200, **({"cost": COST, "reject": 0.6} if rules else {}))
    out = tmp_path / "scores.parquet"
    densities = ["log_density"] * hasattr(model, "score_samples")
    outputs = ["label", "proba", "max_proba", *densities]
    assert model.predict_stream(X, out, outputs, batch_rows=37) == 200
    written = pq.read_table(out)
    proba = model.predict_proba(X)
    np.testing.assert_array_equal(written["label"].to_numpy(), model.predict(X))
    for column, label in enumerate(LABELS):
        np.testing.assert_array_equal(written[f"proba_{label}"].to_numpy(), proba[:, column])
    np.testing.assert_array_equal(written["max_proba"].to_numpy(), proba.max(axis=1))
    if densities:
        np.testing.assert_array_equal(written["log_density"].to_numpy(), model.score_samples(X))
