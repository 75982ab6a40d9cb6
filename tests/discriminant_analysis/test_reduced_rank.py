"""LDA that looks at its discriminant axes only: published error rates, scikit-learn's axes."""

import pickle

import numpy as np
import pytest
from numpy.linalg import LinAlgError
from onnxruntime import InferenceSession
from peers import LinearDiscriminantAnalysis as TheirLDA
from skl2onnx import to_onnx
from sklearn.exceptions import NotFittedError

import gauda
import gauda.onnx
from gauda import LDA, Moments

SOLVERS = ["svd", "eigen"]
SCORES = ["predict", "predict_proba", "predict_log_proba", "decision_function", "mahalanobis"]


@pytest.fixture(scope="module")
def vowel(load_data):
    return {part: load_data(f"esl_vowel_{part}") for part in ("train", "test")}


@pytest.fixture(scope="module")
def overlapping():
    """Draw four classes of different size that overlap in five mixed columns."""
    rng = np.random.default_rng(11)
    y = rng.choice(4, size=500, p=[0.1, 0.2, 0.3, 0.4])
    mix = np.eye(5) + 0.3 * rng.normal(size=(5, 5))
    return 3 + rng.normal(size=(4, 5))[y] + rng.normal(size=(500, 5)) @ mix, y


def reduced(n_components=None, **parameters):
    return LDA(n_components=n_components, reduced_rank=True, **parameters)


def with_few_axes(theirs, n_components):
    """Give scikit-learn's fitted LDA the discriminants that it has with fewer axes."""
    axes = theirs.scalings_[:, :n_components]
    center = theirs.xbar_ if theirs.solver == "svd" else 0
    means = (theirs.means_ - center) @ axes
    theirs.coef_ = means @ axes.T
    theirs.intercept_ = np.log(theirs.priors_) - 0.5 * np.square(means).sum(axis=1)
    theirs.intercept_ -= theirs.coef_ @ np.broadcast_to(center, axes.shape[:1])
    if len(theirs.classes_) == 2:
        theirs.coef_, theirs.intercept_ = np.diff(theirs.coef_, axis=0), np.diff(theirs.intercept_)
    return theirs


def assert_same_answers(model, other, X):
    for method in SCORES:
        np.testing.assert_array_equal(getattr(model, method)(X), getattr(other, method)(X), method)


@pytest.mark.parametrize("part", ["train", "test"])
@pytest.mark.parametrize("n_components", range(1, 11))
@pytest.mark.parametrize("solver", SOLVERS)
def test_vowel_errors_are_those_of_esl_figure_4_10(solver, n_components, part, vowel, load_json):
    rates = load_json("published_values")[f"ESL_Fig4.10_vowel_reducedrank_LDA_{part}_by_dim"]
    lda = reduced(n_components, solver=solver, unbiased=True).fit(*vowel["train"])
    assert 1 - lda.score(*vowel[part]) == pytest.approx(rates[n_components - 1], abs=1e-12)


@pytest.mark.parametrize("parameters", [{}, {"priors": [0.4, 0.3, 0.2, 0.1]}])
@pytest.mark.parametrize("n_components", [1, 2, 3])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_answers_are_those_of_scikit_learn_s_first_axes(
    n_classes, solver, n_components, parameters, overlapping
):
    X, y = overlapping
    X, y = X[y < n_classes], y[y < n_classes]
    parameters = {
        name: np.array(p[-n_classes:]) / sum(p[-n_classes:]) for name, p in parameters.items()
    }
    n_components = min(n_components, n_classes - 1)
    lda = reduced(n_components, solver=solver, **parameters).fit(X, y)
    theirs = with_few_axes(TheirLDA(solver=solver, **parameters).fit(X, y), n_components)
    for method in ["decision_function", "predict_proba"]:
        expected = getattr(theirs, method)(X)
        np.testing.assert_allclose(getattr(lda, method)(X), expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(lda.predict(X), theirs.predict(X))
    np.testing.assert_allclose(lda.coef_, theirs.coef_, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(lda.intercept_, theirs.intercept_, rtol=1e-10, atol=1e-10)


def test_shrunken_axes_are_scikit_learn_s_too(overlapping):
    X, y = overlapping
    lda = reduced(2, solver="eigen", shrinkage=0.3).fit(X, y)
    theirs = with_few_axes(TheirLDA(solver="eigen", shrinkage=0.3).fit(X, y), 2)
    np.testing.assert_allclose(lda.predict_proba(X), theirs.predict_proba(X), rtol=1e-10)


@pytest.mark.parametrize("n_components", [None, 10])
@pytest.mark.parametrize("solver", SOLVERS)
def test_with_all_components_posteriors_are_those_of_the_full_model(solver, n_components, vowel):
    X, y = vowel["train"]
    whole = LDA(solver=solver).fit(X, y)
    lda = reduced(n_components, solver=solver).fit(X, y)
    for method in ["predict_proba", "predict_log_proba"]:
        expected = getattr(whole, method)(X)
        np.testing.assert_allclose(getattr(lda, method)(X), expected, rtol=1e-12, atol=1e-12)


def test_with_all_components_svd_has_the_discriminants_of_the_full_model(vowel):
    X, y = vowel["train"]
    expected = LDA().fit(X, y).decision_function(X)
    found = reduced().fit(X, y).decision_function(X)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
def test_distances_are_euclidean_in_the_coordinates_of_transform(solver, overlapping):
    X, y = overlapping
    lda = reduced(2, solver=solver).fit(X, y)
    apart = lda.transform(X)[:, np.newaxis] - lda.transform(lda.means_)
    expected = np.square(apart).sum(axis=2)
    np.testing.assert_allclose(lda.mahalanobis(X), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
def test_transform_is_the_same_with_and_without(solver, overlapping):
    X, y = overlapping
    whole = LDA(solver=solver, n_components=2).fit(X, y)
    np.testing.assert_array_equal(reduced(2, solver=solver).fit_transform(X, y), whole.transform(X))


def test_float32_rows_are_answered_in_float32(overlapping):
    X, y = overlapping
    theirs = with_few_axes(TheirLDA().fit(X, y), 2)
    posteriors = reduced(2).fit(X.astype(np.float32), y).predict_proba(X.astype(np.float32))
    assert posteriors.dtype == np.float32
    np.testing.assert_allclose(posteriors, theirs.predict_proba(X), rtol=0, atol=1e-5)


def test_rows_far_from_zero_keep_their_digits(overlapping):
    X, y = np.round(overlapping[0] * 64) / 64, overlapping[1]
    theirs = with_few_axes(TheirLDA().fit(X, y), 2)
    far = X + 2**27  # exact
    posteriors = reduced(2).fit(far, y).predict_proba(far)
    np.testing.assert_allclose(posteriors, theirs.predict_proba(X), rtol=0, atol=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
def test_batches_give_what_all_rows_give(solver, overlapping):
    X, y = overlapping
    lda = reduced(2, solver=solver)
    for start in range(0, 500, 100):
        lda.partial_fit(X[start : start + 100], y[start : start + 100])
    expected = with_few_axes(TheirLDA(solver=solver).fit(X, y), 2).predict_proba(X)
    np.testing.assert_allclose(lda.predict_proba(X), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
def test_moments_give_what_their_rows_give(solver, overlapping):
    X, y = overlapping
    moments = Moments.from_data(X, y, structure="tied")
    lda = LDA.from_moments(moments, solver=solver, n_components=2, reduced_rank=True)
    assert_same_answers(lda, reduced(2, solver=solver).fit(X, y), X)


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_was_saved_answers_alike(solver, overlapping, tmp_path):
    X, y = overlapping
    lda = reduced(2, solver=solver).fit(X, y)
    lda.save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    assert loaded.reduced_rank is True
    assert_same_answers(loaded, lda, X)


def test_what_was_pickled_answers_alike(overlapping):
    X, y = overlapping
    lda = reduced(2).fit(X, y)
    assert_same_answers(pickle.loads(pickle.dumps(lda)), lda, X)  # noqa: S301 (our own)


@pytest.mark.parametrize("raw_scores", [False, True])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_graph_answers_as_scikit_learn_s_first_axes(solver, raw_scores, overlapping):
    X, y = overlapping
    gauda.onnx.register()
    options = {"zipmap": False, "raw_scores": raw_scores}
    graph = to_onnx(reduced(2, solver=solver).fit(X, y), X[:1], options=options)
    session = InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    labels, scores = session.run(None, {"X": X})
    theirs = with_few_axes(TheirLDA(solver=solver).fit(X, y), 2)
    expected = theirs.decision_function(X) if raw_scores else theirs.predict_proba(X)
    np.testing.assert_allclose(scores, expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(labels, theirs.predict(X))


@pytest.mark.parametrize("method", ["score_samples", "predict_joint_log_proba"])
def test_rows_have_no_density(method, overlapping):
    lda = reduced(2).fit(*overlapping)
    assert not hasattr(lda, method)
    with pytest.raises(AttributeError) as refusal:
        getattr(lda, method)
    reason = str(refusal.value.__cause__)
    assert "reduced_rank=True" in reason
    assert "Use reduced_rank=False" in reason


def test_streams_are_given_no_density_either(overlapping, tmp_path):
    X, y = overlapping
    lda = reduced(2).fit(X, y)
    message = r"reduced_rank=True.* 2 discriminant axes.* 5 columns.*For densities use"
    with pytest.raises(LinAlgError, match=message):
        lda.predict_stream(X, tmp_path / "scores.parquet", outputs=("log_density",))


def test_classes_with_the_same_mean_are_told_apart_by_their_priors_alone():
    X = np.tile([[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]], (3, 1))
    lda = reduced().fit(X, np.repeat([0, 1, 1], 4))
    np.testing.assert_allclose(lda.predict_proba([[5.0, 5.0]]), [[1 / 3, 2 / 3]], rtol=1e-15)


def test_lsqr_has_no_axes_to_reduce_to(overlapping):
    with pytest.raises(ValueError, match=r"'lsqr' does not give.*Use solver='svd' or 'eigen'"):
        reduced(solver="lsqr").fit(*overlapping)


def test_lsqr_is_refused_by_the_first_batch(overlapping):
    lda = reduced(solver="lsqr")
    with pytest.raises(ValueError, match="'lsqr' does not give"):
        lda.partial_fit(*overlapping)
    with pytest.raises(NotFittedError):
        lda.predict(overlapping[0])


def test_a_refused_fit_leaves_the_earlier_one(overlapping):
    X, y = overlapping
    lda = reduced(2).fit(X, y)
    before = lda.predict_proba(X)
    with pytest.raises(ValueError, match="'lsqr' does not give"):
        lda.set_params(solver="lsqr").fit(X, y)
    np.testing.assert_array_equal(lda.predict_proba(X), before)


def test_more_components_than_classes_less_one_are_refused(overlapping):
    with pytest.raises(ValueError, match="n_components cannot be larger than min"):
        reduced(4).fit(*overlapping)


def test_reduced_rank_must_be_a_boolean(overlapping):
    with pytest.raises(ValueError, match=r"'reduced_rank' parameter.*'yes'"):
        LDA(reduced_rank="yes").fit(*overlapping)
