"""Graphs of every model, run by onnxruntime: labels, posteriors, costs, rejection and gaps."""

import numpy as np
import pandas as pd
import pytest
from models import DISCRETE, FRAMES, LABELS, LEVELED, MODELS, NAMED, with_gap
from onnxruntime import InferenceSession
from skl2onnx import to_onnx

import gauda
import gauda.onnx

DTYPES = {"float32": 1e-5, "float64": 1e-9}
"""Types of numbers, and how far posteriors may be off."""

COST = np.random.default_rng(3).uniform(0, 4, size=(3, 4))
RULES = {
    "plain": {},
    "cost": {"cost": COST[:, :3]},
    "cost of rejecting": {"cost": COST},
    "posterior": {"reject": 0.6},
    "both": {"cost": COST[:, :3], "reject": {"posterior": 0.5}},
    "cost of a label": {"reject": {"cost": 0.3}, "reject_label": "none"},
    "by class": {"reject": 0.6, "reject_label": {label: f"{label}?" for label in LABELS}},
}


@pytest.fixture(autouse=True)
def registered():
    gauda.onnx.register()


@pytest.fixture(params=MODELS)
def entry(request):
    return MODELS[request.param]


def cast(X, dtype):
    """Return rows whose numbers are of a type."""
    if not isinstance(X, pd.DataFrame):
        return np.asarray(X, dtype=dtype)
    numbers = X.columns[X.dtypes == np.float64]
    return X.astype(dict.fromkeys(numbers, dtype))


def run(model, X, **options):
    """Have onnxruntime answer for rows."""
    graph = to_onnx(model, X[:1], options={"zipmap": False} | options).SerializeToString()
    session = InferenceSession(graph, providers=["CPUExecutionProvider"])
    is_frame = isinstance(X, pd.DataFrame)
    given = {name: X[[name]].to_numpy() for name in X} if is_frame else {"X": X}
    return session.run(None, given)


def margins(model, X):
    """Return by how much the decision of each row is the best one."""
    cost = model.cost if model.cost is not None else 1 - np.eye(3)
    posteriors = model.predict_proba(X)
    if isinstance(model.reject, dict) and "cost" in model.reject:
        cost = np.column_stack([cost, np.full(3, model.reject["cost"])])
    threshold = model.reject if isinstance(model.reject, float) else 0.0
    if isinstance(model.reject, dict):
        threshold = model.reject.get("posterior", 0.0)
    expected = posteriors @ cost
    best, second = np.sort(expected, axis=1)[:, :2].T
    label = np.minimum(expected.argmin(axis=1), 2)
    away = np.abs(posteriors[np.arange(len(label)), label] - threshold)
    return np.minimum(second - best, away)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rules", RULES)
def test_a_graph_answers_as_the_model(entry, rules, dtype):
    X, y = entry.data(300)
    X = cast(X, dtype)
    model = entry.make(**RULES[rules]).fit(X, y)
    labels, posteriors = run(model, X)
    double = cast(X, "float64")
    expected = entry.make(**RULES[rules]).fit(double, y)
    tolerance = DTYPES[str(posteriors.dtype)]  # text and whole numbers lead to float32
    assert tolerance == DTYPES[dtype] or "float64" not in map(str, getattr(X, "dtypes", []))
    np.testing.assert_allclose(posteriors, expected.predict_proba(double), rtol=0, atol=tolerance)
    sure = margins(expected, double) > 20 * tolerance
    assert sure.mean() > 0.9
    decided = expected.predict(double)
    np.testing.assert_array_equal(labels[sure], decided[sure])
    if "reject" in RULES[rules]:
        assert not np.isin(decided[sure], LABELS).all()


@pytest.mark.parametrize("target_opset", [11, 13, 18])
def test_older_versions_of_onnx_can_be_asked_for(entry, target_opset):
    X, y = entry.data()
    X = cast(X, "float64")
    model = entry.make(**RULES["both"]).fit(X, y)
    graph = to_onnx(model, X[:1], options={"zipmap": False}, target_opset=target_opset)
    session = InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    is_frame = isinstance(X, pd.DataFrame)
    given = {name: X[[name]].to_numpy() for name in X} if is_frame else {"X": X}
    labels, posteriors = session.run(None, given)
    tolerance = DTYPES[str(posteriors.dtype)]
    np.testing.assert_allclose(posteriors, model.predict_proba(X), rtol=0, atol=tolerance)
    np.testing.assert_array_equal(labels, model.predict(X))


def test_numbered_classes_are_rejected_as_minus_1(entry):
    X, y = entry.data()
    X = cast(X, "float64")
    model = entry.make(reject=0.6).fit(X, y)
    labels, _ = run(model, X, nocl=True)
    codes = np.searchsorted(LABELS, model.predict(X))
    np.testing.assert_array_equal(labels, np.where(model.predict(X) == "rejected", -1, codes))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["GaussianNB", *LEVELED])
def test_naive_bayes_leaves_out_what_is_missing(name, dtype):
    entry = MODELS[name]
    X, y = entry.data()
    gappy = with_gap(X)
    if name not in FRAMES:
        gappy[4] = np.nan  # nothing is known
        gappy[5, 1:] = np.nan
    gappy = cast(gappy, dtype)
    model = entry.make(missing="marginalize").fit(gappy, y)
    given = gappy.fillna({"color": ""}) if "color" in gappy else gappy
    labels, posteriors = run(model, given)
    expected = model.predict_proba(cast(gappy, "float64"))
    tolerance = DTYPES[str(posteriors.dtype)]
    np.testing.assert_allclose(posteriors, expected, rtol=0, atol=tolerance)
    np.testing.assert_array_equal(labels, model.predict(cast(gappy, "float64")))


def test_text_that_is_empty_is_missing():
    X, y = MODELS["MixedNB"].data()
    model = gauda.MixedNB().fit(X, y)
    given, gappy = X[:6].copy(), X[:6].copy()
    given["size"], gappy["size"] = "", None
    _, posteriors = run(model, given)
    np.testing.assert_allclose(posteriors, model.predict_proba(gappy), rtol=0, atol=1e-9)


@pytest.mark.parametrize("handle_unknown", ["error", "ignore"])
@pytest.mark.parametrize("name", NAMED)
def test_unknown_levels_are_refused_or_left_out(name, handle_unknown):
    entry = MODELS[name]
    X, y = entry.data()
    X = cast(X, "float64")
    model = entry.make(handle_unknown=handle_unknown).fit(X, y)
    unknown = X[:9].copy()
    if name in FRAMES:
        unknown["size"] = unknown["size"].astype(object)
        unknown.loc[2, "size"] = "gigantic"
    else:
        unknown[2, 1] = 7
    if handle_unknown == "ignore":
        _, posteriors = run(model, unknown)
        tolerance = DTYPES[str(posteriors.dtype)]
        expected = model.predict_proba(unknown)
        np.testing.assert_allclose(posteriors, expected, rtol=0, atol=tolerance)
        return
    with pytest.raises(Exception, match="out of data bounds"):
        run(model, unknown)


@pytest.mark.parametrize("entry_of_no_level", [-1.0, 0.5])
def test_what_is_no_category_is_refused(entry_of_no_level):
    X, y = MODELS["CategoricalNB"].data()
    X = X.astype(float)
    model = gauda.CategoricalNB(handle_unknown="ignore").fit(X, y)
    X[3, 0] = entry_of_no_level
    with pytest.raises(Exception, match="out of data bounds"):
        run(model, X)


def test_levels_may_be_numbers_of_any_value():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.choice([-3.0, 0.5, 70.0], 90), rng.normal(size=90)])
    y = np.arange(90) % 3
    model = gauda.MixedNB(kinds=["categorical", "gaussian"]).fit(X, y)
    labels, posteriors = run(model, X)
    np.testing.assert_allclose(posteriors, model.predict_proba(X), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(labels, model.predict(X))


@pytest.mark.parametrize("name", ["BernoulliNB", "CategoricalNB", "MultinomialNB"])
def test_probabilities_of_0_rule_classes_out(name):
    X = np.array([[1, 0, 1], [1, 1, 1], [0, 1, 1], [0, 1, 0.0]])
    model = getattr(gauda, name)(alpha=0.0).fit(X, [0, 0, 1, 1])
    _, posteriors = run(model, X)
    np.testing.assert_allclose(posteriors, model.predict_proba(X), rtol=0, atol=1e-12)
    assert (posteriors == 0).any()


@pytest.mark.parametrize("dtype", ["int64", "bool", "float32"])
def test_presence_is_what_lies_above_the_threshold(dtype):
    X, y = MODELS["BernoulliNB"].data()
    X = X.astype(dtype)
    for binarize in (0.0, 0.1, None):
        model = gauda.BernoulliNB(binarize=binarize).fit(X, y)
        labels, posteriors = run(model, X)
        np.testing.assert_allclose(posteriors, model.predict_proba(X), rtol=0, atol=1e-6)
        np.testing.assert_array_equal(labels, model.predict(X))


@pytest.mark.parametrize("name", [name for name in MODELS if name not in DISCRETE])
def test_rejection_by_typicality_is_refused(name):
    X, _ = MODELS[name].data()
    model = MODELS[name].fitted(reject={"typicality": 0.1})
    with pytest.raises(ValueError, match="no chi-square distribution"):
        to_onnx(model, X[:1])
