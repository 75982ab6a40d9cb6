"""Converted to ONNX and run by onnxruntime, a classifier answers as it does here."""

import re
import sys

import numpy as np
import pytest
from onnxruntime import InferenceSession
from peers import theirs
from skl2onnx import supported_converters, to_onnx
from sklearn import discriminant_analysis, naive_bayes
from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support import MODELS, ours

import gauda.onnx

# A score is a sum of squares; where it leaves a posterior between 0 and 1 the sum is below 100, and
# float32 rounds that by 100 * 2^-24 = 6e-6.
SINGLE = 1e-5
DOUBLE = 1e-9
TOLERANCE = {"float32": SINGLE, "float64": DOUBLE}

EXACT = {
    "LinearDiscriminantAnalysis": "lda_ml",
    "QuadraticDiscriminantAnalysis": "qda_ml",
    "GaussianNB": "gnb_sklearn",
}

VARIANTS = {
    "lda svd": ("LinearDiscriminantAnalysis", {"solver": "svd"}),
    "lda lsqr": ("LinearDiscriminantAnalysis", {"solver": "lsqr"}),
    "lda lsqr shrunk": ("LinearDiscriminantAnalysis", {"solver": "lsqr", "shrinkage": "auto"}),
    "lda eigen": ("LinearDiscriminantAnalysis", {"solver": "eigen"}),
    "lda eigen shrunk": ("LinearDiscriminantAnalysis", {"solver": "eigen", "shrinkage": 0.3}),
    "qda": ("QuadraticDiscriminantAnalysis", {}),
    "qda regularized": ("QuadraticDiscriminantAnalysis", {"reg_param": 0.3}),
    "qda shrunk": ("QuadraticDiscriminantAnalysis", {"solver": "eigen", "shrinkage": 0.3}),
    "gnb": ("GaussianNB", {}),
    "gnb smoothed": ("GaussianNB", {"var_smoothing": 0.1}),
}
DECIDING = [variant for variant in VARIANTS if not variant.startswith("gnb")]


@pytest.fixture(autouse=True)
def registered():
    gauda.onnx.register()


def overlapping(n_classes, n_features=5, n_samples=400):
    """Draw classes that overlap, so that posteriors differ from 0 and 1, with mixed columns."""
    rng = np.random.default_rng(n_classes)
    y = rng.integers(n_classes, size=n_samples)
    mix = np.eye(n_features) + 0.3 * rng.normal(size=(n_features, n_features))
    X = rng.normal(size=(n_classes, n_features))[y] + rng.normal(size=(n_samples, n_features)) @ mix
    return X, y


def convert(model, X, options=None, **settings):
    """Convert a fitted model; posteriors come as an array unless the options say otherwise."""
    return to_onnx(model, X[:1], options={"zipmap": False} | (options or {}), **settings)


def run(model, X, options=None, **settings):
    """Have onnxruntime answer for X."""
    graph = convert(model, X, options, **settings).SerializeToString()
    return InferenceSession(graph, providers=["CPUExecutionProvider"]).run(None, {"X": X})


def decided(posteriors, tolerance):
    """Mark the rows whose winner rounding cannot change."""
    second, first = np.sort(posteriors, axis=1)[:, -2:].T
    return first - second > 2 * tolerance


def assert_answers(model, X, tolerance, *references):
    """Compare a converted model's labels and posteriors with those of references in float64."""
    labels, posteriors = run(model, X)
    double = X.astype(np.float64)
    for reference in references:
        expected = reference.predict_proba(double)
        np.testing.assert_allclose(posteriors, expected, rtol=0, atol=tolerance)
        sure = decided(expected, tolerance)
        assert sure.sum() > len(X) / 2
        np.testing.assert_array_equal(labels[sure], reference.predict(double)[sure])


@pytest.mark.parametrize("labels", ["integers", "text"])
@pytest.mark.parametrize("n_classes", [2, 10])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_graph_answers_as_the_model_and_as_scikit_learn(variant, dtype, n_classes, labels):
    name, parameters = VARIANTS[variant]
    X, y = overlapping(n_classes)
    X, y = X.astype(dtype), y if labels == "integers" else np.array([f"class {k}" for k in y])
    model = ours(name, **parameters).fit(X, y)
    reference = theirs(name, **parameters).fit(X.astype(np.float64), y)
    assert_answers(model, X, TOLERANCE[dtype], model, reference)


@pytest.mark.parametrize("name", MODELS)
def test_posteriors_are_the_exact_ones(name, iris, load_oracle):
    X, y = iris
    _, posteriors = run(ours(name).fit(X, y), X)
    exact = np.exp(load_oracle("iris", EXACT[name]).log_posterior)
    np.testing.assert_allclose(posteriors, exact, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("alpha", "name"), [(0, "qda_ml"), (1, "lda_ml")])
def test_corners_of_regularized_models_are_the_exact_ones(alpha, name, iris, load_oracle):
    X, y = iris
    exact = np.exp(load_oracle("iris", name).log_posterior)
    for model in (gauda.RDA(alpha), gauda.RegularizedDiscriminantAnalysisCV([alpha], [0], cv=3)):
        _, posteriors = run(model.fit(X, y), X)
        np.testing.assert_allclose(posteriors, exact, rtol=0, atol=1e-12)


@pytest.mark.parametrize("alpha", [0, 0.3, 1])
@pytest.mark.parametrize("gamma", [0.2, 1])
@pytest.mark.parametrize("target", ["spherical", "diagonal", "identity"])
def test_regularized_graphs_answer_as_the_model(alpha, gamma, target):
    X, y = overlapping(4)
    model = gauda.RDA(alpha, gamma, target=target).fit(X, y)
    assert_answers(model, X, DOUBLE, model)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_lda_of_deficient_rank_ignores_directions_without_variance(n_classes):
    X, y = overlapping(n_classes)
    deficient = np.column_stack([X, X[:, 0] - X[:, 1], np.ones(len(X))])
    model = ours("LinearDiscriminantAnalysis").fit(deficient, y)
    reference = theirs("LinearDiscriminantAnalysis").fit(X, y)
    _, posteriors = run(model, deficient)
    np.testing.assert_allclose(posteriors, reference.predict_proba(X), rtol=0, atol=DOUBLE)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", MODELS)
def test_pipelines_are_converted(name, dtype, iris):
    X, y = iris
    X = X.astype(dtype)
    pipeline = make_pipeline(StandardScaler(), ours(name)).fit(X, y)
    reference = make_pipeline(StandardScaler(), theirs(name)).fit(X.astype(np.float64), y)
    assert_answers(pipeline, X, TOLERANCE[dtype], pipeline, reference)


@pytest.mark.parametrize(("dtype", "origin"), [("float64", 1e8), ("float32", 1e4)])
@pytest.mark.parametrize("name", MODELS)
def test_rows_far_from_zero_keep_their_digits(name, dtype, origin):
    X, y = overlapping(3)
    far = (X + origin).astype(dtype)
    near = far.astype(np.float64) - origin  # exact
    _, posteriors = run(ours(name).fit(far, y), far)
    expected = theirs(name).fit(near, y).predict_proba(near)
    np.testing.assert_allclose(posteriors, expected, rtol=0, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", MODELS)
def test_units_of_columns_do_not_matter(name, dtype):
    X, y = overlapping(3)
    units = 2.0 ** np.array([-24, -10, 0, 10, 24])  # exact
    X = X.astype(dtype)
    parameters = {"var_smoothing": 0} if name == "GaussianNB" else {}
    model = ours(name, **parameters).fit((X * units).astype(dtype), y)
    _, posteriors = run(model, (X * units).astype(dtype))
    double = X.astype(np.float64)
    expected = theirs(name, **parameters).fit(double, y).predict_proba(double)
    np.testing.assert_allclose(posteriors, expected, rtol=0, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("name", MODELS)
def test_integer_rows_are_scored_in_float64(name):
    X, y = overlapping(3)
    X = (X * 100).astype(np.int64) + 2**40  # more than float32 can tell apart
    near = (X - 2**40).astype(np.float64)
    _, posteriors = run(ours(name).fit(X, y), X)
    expected = theirs(name).fit(near, y).predict_proba(near)
    np.testing.assert_allclose(posteriors, expected, rtol=0, atol=1e-7)  # given in float32


@pytest.mark.parametrize("name", MODELS)
def test_a_class_of_prior_zero_has_posterior_zero(name, iris):
    X, y = iris
    labels, posteriors = run(ours(name, priors=[0.0, 0.5, 0.5]).fit(X, y), X)
    np.testing.assert_array_equal(posteriors[:, 0], 0.0)
    assert "setosa" not in labels


@pytest.mark.parametrize(
    ("classes", "dtype"),
    [
        (np.array(["", "größe", "日本"]), object),
        (np.array([-(2**62), 7, 2**62 + 1]), np.int64),
        (np.array([0, 7, 255], dtype=np.uint8), np.int64),
        (np.array([-1.0, 2.0, 2.0**40]), np.int64),
        (np.array([False, True, True]), np.int64),
    ],
    ids=["text", "int64", "uint8", "whole floats", "booleans"],
)
@pytest.mark.parametrize("name", MODELS)
def test_labels_come_back_flat_and_in_full(name, classes, dtype, iris):
    X, species = iris
    y = classes[np.unique(species, return_inverse=True)[1]]
    labels, _ = run(ours(name).fit(X, y), X)
    assert labels.dtype == dtype
    np.testing.assert_array_equal(labels, theirs(name).fit(X, y).predict(X))


def test_labels_beyond_int64_are_refused_with_a_remedy(iris):
    X, species = iris
    y = np.unique(species, return_inverse=True)[1].astype(np.uint64) + 2**63
    model = ours("GaussianNB").fit(X, y)
    with pytest.raises(ValueError, match=r"fit in int64; got .*options=.*'nocl': True"):
        convert(model, X)


@pytest.mark.parametrize("reject_label", [None, 0.5])
def test_labels_of_rejection_that_are_no_integers_are_refused_beside_numbers(iris, reject_label):
    X, species = iris
    y = np.unique(species, return_inverse=True)[1].astype(np.float64)
    model = ours("GaussianNB", reject=0.9, reject_label=reject_label).fit(X, y)
    with pytest.raises(ValueError, match=r"all integers that fit in int64.*set a reject_label"):
        convert(model, X)
    numbered, _ = run(model, X, {"nocl": True})
    labels, _ = run(model.set_params(reject_label=-9.0), X)
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_array_equal(numbered == -1, labels == -9)


@pytest.mark.parametrize("unit", [1e-200, 1e-50, 1e50, 1e200])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_costs_may_be_in_any_unit(iris, unit, dtype):
    X, y = iris
    cost = np.array([[0, 1, 5], [1, 0, 0.5], [2, 1, 0]])
    expected, _ = run(ours("GaussianNB", cost=cost).fit(X, y), X.astype(dtype))
    labels, _ = run(ours("GaussianNB", cost=unit * cost).fit(X, y), X.astype(dtype))
    np.testing.assert_array_equal(labels, expected)


def test_classes_can_be_numbered_instead_of_named(iris):
    X, species = iris
    labels, _ = run(ours("GaussianNB").fit(X, species), X, {"nocl": True})
    numbers = np.unique(species, return_inverse=True)[1]
    np.testing.assert_array_equal(labels, theirs("GaussianNB").fit(X, numbers).predict(X))


@pytest.mark.parametrize("name", MODELS)
def test_posteriors_can_come_as_dictionaries(name, iris):
    X, y = iris
    X = X.astype(np.float32)  # the operator for it has no doubles
    model = ours(name).fit(X, y)
    _, dictionaries = run(model, X, {"zipmap": True})
    assert list(dictionaries[0]) == ["setosa", "versicolor", "virginica"]
    expected = theirs(name).fit(X.astype(np.float64), y).predict_proba(X.astype(np.float64))
    found = [list(dictionary.values()) for dictionary in dictionaries]
    np.testing.assert_allclose(found, expected, rtol=0, atol=SINGLE)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("variant", DECIDING)
def test_raw_scores_are_those_of_decision_function(variant, n_classes):
    name, parameters = VARIANTS[variant]
    X, y = overlapping(n_classes)
    X += 3.0  # discriminants may be about 0 or about the mean
    _, scores = run(ours(name, **parameters).fit(X, y), X, {"raw_scores": True})
    expected = theirs(name, **parameters).fit(X, y).decision_function(X)
    if n_classes == 2:
        expected = np.column_stack([-expected, expected])
    np.testing.assert_allclose(scores, expected, rtol=DOUBLE, atol=DOUBLE)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("raw_scores", [False, True])
@pytest.mark.parametrize("far", [1e2, 3e4, 1e7, 1e10])
@pytest.mark.parametrize("variant", [name for name in DECIDING if name.startswith("lda")])
def test_classes_far_apart_keep_their_labels(variant, far, raw_scores, dtype):
    """The exact odds of rows about 0 and 3, beside classes far away, decide."""
    name, parameters = VARIANTS[variant]
    if dtype == "float32" and far > 1e5:
        far = 1e5
    rng = np.random.default_rng(0)
    y = np.arange(80) % 4
    X = rng.normal(size=(80, 2)) + np.array([[0, 0], [3, 0], [0, far], [3, -far]])[y]
    X = X.astype(dtype)
    model = ours(name, **parameters).fit(X, y)
    labels, scores = run(model, X, {"raw_scores": raw_scores})
    np.testing.assert_array_equal(labels, model.predict(X))
    assert np.mean(labels == y) > 0.9
    np.testing.assert_array_equal(scores.argmax(axis=1), labels)
    expected = model.decision_function(X) if raw_scores else model.predict_proba(X)
    if raw_scores:  # which may differ by a term common to the classes
        rows = np.arange(len(y))
        scores, expected = (given - given[rows, labels, None] for given in (scores, expected))
    size = np.abs(expected).max(axis=1, keepdims=True)
    assert (np.abs(scores - expected) <= TOLERANCE[dtype] * np.maximum(1, size)).all()


def test_too_many_classes_far_apart_are_refused():
    y = np.repeat(np.arange(2100), 2)
    X = 1e9 * y[:, np.newaxis] + np.tile([-1.0, 1.0], 2100)[:, np.newaxis]
    model = ours("LinearDiscriminantAnalysis").fit(X, y)
    with pytest.raises(ValueError, match=r"2100 classes lie so far apart.*4410000 differences"):
        convert(model, X)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_calibrated_classifiers_are_converted(name, n_classes):
    X, y = overlapping(n_classes)
    calibrated = CalibratedClassifierCV(ours(name)).fit(X, y)
    reference = CalibratedClassifierCV(theirs(name)).fit(X, y)
    _, posteriors = run(calibrated, X)
    np.testing.assert_allclose(posteriors, calibrated.predict_proba(X), rtol=0, atol=DOUBLE)
    # Two fits of the calibration's slopes by an optimizer agree to its own tolerance only.
    np.testing.assert_allclose(posteriors, reference.predict_proba(X), rtol=0, atol=1e-4)


@pytest.mark.parametrize("target_opset", [11, 13, 18])
@pytest.mark.parametrize("name", MODELS)
def test_older_versions_of_onnx_can_be_asked_for(name, target_opset, iris):
    X, y = iris
    _, posteriors = run(ours(name).fit(X, y), X, target_opset=target_opset)
    expected = theirs(name).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(posteriors, expected, rtol=0, atol=DOUBLE)


def test_what_predict_refuses_is_not_converted():
    model = ours("GaussianNB", var_smoothing=0)
    model.partial_fit([[0.0], [1.0], [5.0]], ["a", "a", "b"], classes=["a", "b"])
    with pytest.raises(ValueError, match="variance") as refusal:
        model.predict([[0.0]])
    with pytest.raises(ValueError, match=re.escape(str(refusal.value))):
        convert(model, np.zeros((1, 1)))


@pytest.mark.parametrize("missing", ["marginalize", "propagate"])
def test_models_that_take_missing_values_are_refused(missing, iris):
    X, y = iris
    model = ours("LinearDiscriminantAnalysis", missing=missing).fit(X, y)
    with pytest.raises(ValueError, match="Set missing='raise'"):
        convert(model, X)


def test_registering_again_changes_nothing(iris):
    X, y = iris
    model = ours("QuadraticDiscriminantAnalysis").fit(X, y)
    before = supported_converters(), convert(model, X).SerializeToString()
    gauda.onnx.register()
    assert (supported_converters(), convert(model, X).SerializeToString()) == before


@pytest.mark.parametrize("name", MODELS)
def test_scikit_learn_s_own_classes_are_still_converted(name, iris):
    X, y = iris
    model = getattr(naive_bayes if name == "GaussianNB" else discriminant_analysis, name)().fit(
        X, y
    )
    _, posteriors = run(model, X)
    np.testing.assert_allclose(posteriors, model.predict_proba(X), rtol=0, atol=DOUBLE)


def test_without_skl2onnx_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(ImportError, match=r"skl2onnx.*pip install 'gauda\[onnx\]'"):
        gauda.onnx.register()
