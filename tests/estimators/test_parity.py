"""The three classes against scikit-learn's: signatures, fitted attributes, answers, refusals."""

import inspect
from types import SimpleNamespace

import numpy as np
import pytest
from parity import (
    DATASETS,
    FULL_RANK,
    assert_same,
    is_well_posed,
    isolated,
    lda_settings,
    naive_bayes_settings,
    qda_settings,
    with_signs_of,
)
from peers import needs, theirs
from scipy.special import log_expit, log_softmax
from sklearn.covariance import OAS
from sklearn.preprocessing import StandardScaler
from support import MODELS, fitted, ours, outcome

LDA, QDA, GNB = MODELS
SETTINGS = {LDA: lda_settings, QDA: qda_settings, GNB: naive_bayes_settings}
AXES = {LDA: "scalings_", QDA: "rotations_"}
RTOL = 1e-9


def label(params):
    """Write parameters in a line, priors without their values."""
    return " ".join(key if key == "priors" else f"{key}={value}" for key, value in params.items())


def cases(*names):
    """Cross the models with their settings and the data sets that these can deal with."""
    return [
        pytest.param((name, params, dataset), id=f"{name}-{dataset}-{label(params)}")
        for name in names
        for dataset, (_, y) in DATASETS.items()
        for params in SETTINGS[name](y)
        if is_well_posed(name, params, dataset)
    ]


@pytest.fixture(scope="module", params=cases(*MODELS))
def case(request):
    """Give gauda's and scikit-learn's estimator fitted on the same data."""
    name, params, dataset = request.param
    X, y = DATASETS[dataset]
    mine, reference = ours(name, **params).fit(X, y), theirs(name, **params).fit(X, y)
    return SimpleNamespace(name=name, params=params, X=X, ours=mine, theirs=reference)


def public_methods(name):
    methods = inspect.getmembers(type(theirs(name)), callable)
    return [method for method, _ in methods if not method.startswith("_")]


@pytest.mark.parametrize(
    ("name", "method"),
    [(name, method) for name in MODELS for method in ["__init__", *public_methods(name)]],
)
def test_parameters_keep_their_place_and_default(name, method):
    expected = inspect.signature(getattr(theirs(name), method)).parameters.values()
    actual = inspect.signature(getattr(ours(name), method)).parameters.values()
    by_position = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    described = {(p.name, p.default, p.kind) for p in actual}
    assert described >= {(p.name, p.default, p.kind) for p in expected}
    places = [p.name for p in expected if p.kind in by_position]
    assert [p.name for p in actual if p.kind in by_position][: len(places)] == places


def test_fitted_attributes_are_scikit_learns(case):
    for attribute in fitted(case.theirs).keys() - {AXES.get(case.name)}:
        assert_same(getattr(case.ours, attribute), getattr(case.theirs, attribute), RTOL)


def has_axes(params):
    """Tell whether LDA looks for axes, and does not shrink until all are alike."""
    return params.get("solver") != "lsqr" and params.get("shrinkage") != 1


@pytest.mark.parametrize(
    "case", [case for case in cases(LDA) if has_axes(case.values[0][1])], indirect=True
)
def test_axes_of_lda_are_scikit_learns_up_to_sign(case):
    axes, expected = case.ours.scalings_, case.theirs.scalings_
    assert axes.shape == expected.shape
    if case.params.get("solver") == "eigen":  # what comes after these spans a null space
        leading = len(case.theirs.explained_variance_ratio_)
        axes, expected = axes[:, :leading], expected[:, :leading]
    assert_same(with_signs_of(axes, expected), expected, RTOL)


@pytest.mark.parametrize("case", cases(QDA), indirect=True)
def test_axes_of_qda_are_scikit_learns_up_to_sign(case):
    assert len(case.ours.rotations_) == len(case.theirs.rotations_)
    for axes, expected, values in zip(
        case.ours.rotations_, case.theirs.rotations_, case.theirs.scalings_, strict=True
    ):
        assert axes.shape == expected.shape
        alone = isolated(values)
        assert_same(with_signs_of(axes, expected)[:, alone], expected[:, alone], RTOL)
        covariance = (expected * values) @ expected.T
        assert_same((axes * values) @ axes.T, covariance, RTOL)


def test_attributes_are_there_only_where_scikit_learn_has_them(case):
    for attribute in ["covariance_", "scalings_", "rotations_", "xbar_", "feature_names_in_"]:
        assert hasattr(case.ours, attribute) == hasattr(case.theirs, attribute)


def test_predictions_are_scikit_learns(case):
    assert_same(case.ours.predict(case.X), case.theirs.predict(case.X), rtol=0)


def test_probabilities_are_scikit_learns(case):
    assert_same(case.ours.predict_proba(case.X), case.theirs.predict_proba(case.X), RTOL)


def log_posterior(decision):
    """Turn LDA's log-odds into log-posteriors, more exactly than scikit-learn, which rounds p."""
    if decision.ndim == 1:
        return log_expit(np.stack([-decision, decision], axis=1))
    return log_softmax(decision, axis=1)


@pytest.mark.parametrize("case", cases(LDA), indirect=True)
def test_log_probabilities_of_lda_follow_from_scikit_learns_log_odds(case):
    expected = log_posterior(case.theirs.decision_function(case.X))
    assert_same(case.ours.predict_log_proba(case.X), expected, RTOL)


@pytest.mark.parametrize("case", cases(QDA, GNB), indirect=True)
def test_log_probabilities_are_scikit_learns(case):
    expected = case.theirs.predict_log_proba(case.X)
    assert_same(case.ours.predict_log_proba(case.X), expected, RTOL)


@pytest.mark.parametrize("case", cases(LDA, QDA), indirect=True)
def test_decision_functions_are_scikit_learns(case):
    expected = case.theirs.decision_function(case.X)
    assert_same(case.ours.decision_function(case.X), expected, RTOL)


@pytest.mark.parametrize("case", cases(GNB), indirect=True)
def test_joint_log_probabilities_of_naive_bayes_are_scikit_learns(case):
    expected = case.theirs.predict_joint_log_proba(case.X)
    assert_same(case.ours.predict_joint_log_proba(case.X), expected, RTOL)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("dataset", FULL_RANK)
def test_weighted_accuracies_are_scikit_learns(name, dataset):
    X, y = DATASETS[dataset]
    weights = np.linspace(0, 3, len(y))
    mine, reference = ours(name).fit(X, y), theirs(name).fit(X, y)
    assert_same(mine.score(X, y, weights), reference.score(X, y, weights), rtol=1e-15)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("dataset", FULL_RANK)
def test_single_precision_answers_are_scikit_learns(name, dataset):
    X, y = DATASETS[dataset]
    X = X.astype(np.float32)
    mine, reference = ours(name).fit(X, y), theirs(name).fit(X, y)
    expected = {"predict_proba": reference.predict_proba(X)}
    if name == LDA:
        expected["decision_function"] = reference.decision_function(X)
        expected["predict_log_proba"] = log_posterior(reference.decision_function(X))
    else:
        expected["predict_log_proba"] = reference.predict_log_proba(X)
    for method, values in expected.items():
        # scikit-learn's QDA answers in float64, but no more exactly.
        assert_same(getattr(mine, method)(X), values.astype(np.float32), rtol=1e-4)


BAD = [
    (LDA, {"shrinkage": 0.1}),
    (LDA, {"shrinkage": "auto"}),
    (LDA, {"covariance_estimator": OAS()}),
    (LDA, {"solver": "lsqr", "shrinkage": 0.1, "covariance_estimator": OAS()}),
    (LDA, {"solver": "eigen", "shrinkage": "auto", "covariance_estimator": OAS()}),
    (LDA, {"solver": "lsqr", "covariance_estimator": StandardScaler()}),
    (LDA, {"solver": "eigen", "covariance_estimator": StandardScaler()}),
    (LDA, {"n_components": 3}),
    (LDA, {"solver": "eigen", "n_components": 3}),
    (QDA, {"shrinkage": 0.1}),
    (QDA, {"shrinkage": "auto"}),
    (QDA, {"covariance_estimator": OAS()}),
    (QDA, {"solver": "eigen", "shrinkage": 0.1, "covariance_estimator": OAS()}),
    (QDA, {"solver": "eigen", "covariance_estimator": StandardScaler()}),
    (GNB, {"priors": [0.5, 0.5]}),
    (GNB, {"priors": [0.5, 0.5, 0.5]}),
    (GNB, {"priors": [2.0, -0.5, -0.5]}),
]


@pytest.mark.parametrize(
    ("name", "params"),
    [pytest.param(*case, marks=needs("QDA's words")) if case[0] == QDA else case for case in BAD],
)
def test_parameters_that_exclude_each_other_are_refused_in_scikit_learns_words(name, params):
    X, y = DATASETS["three classes"]
    expected = outcome(lambda: theirs(name, **params).fit(X, y))
    assert "Error: " in expected
    # We may go on where scikit-learn stops, and say what we got.
    assert outcome(lambda: ours(name, **params).fit(X, y)).startswith(expected.rstrip("."))


@pytest.mark.parametrize("name", MODELS)
def test_every_parameter_of_scikit_learns_is_compared(name):
    # Guards the cases: their parameters are those of scikit-learn's constructors.
    used = {parameter for case in cases(name) for parameter in case.values[0][1]}
    assert used >= set(theirs(name).get_params()) - {"tol"}
