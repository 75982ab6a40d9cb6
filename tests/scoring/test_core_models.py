"""Models of the core answer alike: the same questions, rules, and refusals with a reason."""

import numpy as np
import pytest

from gauda._core import AffineModel, ColumnModel, CoreError, Model, Moments
from gauda._scoring.rules import Rules

PRESENT = np.array([[0.9, 0.2, 0.5], [0.1, 0.5, 0.7]])
PRIOR = np.array([0.25, 0.75])
ROWS = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 0]], dtype=np.uint8)


def likelihoods():
    """Return p(x | k) of each row and class, as a product."""
    terms = np.where(ROWS[:, np.newaxis] == 1, PRESENT, 1 - PRESENT)
    return terms.prod(axis=2)


def posteriors(prior):
    """Return p(k | x), as Bayes has it."""
    joint = likelihoods() * prior
    return joint / joint.sum(axis=1, keepdims=True)


def tables():
    """Return the same probabilities as tables of two levels."""
    return [np.log(np.column_stack([1 - p, p])) for p in PRESENT.T]


MODELS = {
    "presence": AffineModel(np.log(PRIOR), np.log(PRESENT), np.log(1 - PRESENT), 0.5),
    "columns": ColumnModel(np.log(PRIOR), tables(), may_miss=False, ignores_unknown=False),
}

sparse = (
    np.ones((4, 1)),
    np.array([0, 2, 1, 2], dtype=np.int32),
    np.array([0, 2, 4, 4], dtype=np.int64),
    3,
)


@pytest.mark.parametrize("name", MODELS)
def test_several_answers_come_from_one_call(name):
    n, k = likelihoods().shape
    proba, log_proba, joint = (np.empty((n, k)) for _ in range(3))
    density, codes, best = np.empty(n), np.empty(n, np.uint32), np.empty((n, 1))
    cost, rejecting = np.array([[0.0, 1.0, 0.3], [2.0, 0.0, 0.3]]), np.empty((n, 3))
    top = np.empty((n, 1), np.uint32)
    MODELS[name].answer(
        ROWS,
        1,
        Rules(cost=cost, by_cost=True),
        posterior=proba,
        log_posterior=log_proba,
        joint=joint,
        log_density=density,
        label=codes,
        best=(top, best),
        cost=rejecting,
    )
    expected = posteriors(PRIOR)
    np.testing.assert_allclose(proba, expected, rtol=1e-13)
    np.testing.assert_allclose(np.exp(log_proba), expected, rtol=1e-13)
    np.testing.assert_allclose(np.exp(joint), likelihoods() * PRIOR, rtol=1e-13)
    np.testing.assert_allclose(np.exp(density), likelihoods() @ PRIOR, rtol=1e-13)
    np.testing.assert_allclose(rejecting, expected @ cost, rtol=1e-13)
    np.testing.assert_array_equal(codes, (expected @ cost).argmin(axis=1))
    np.testing.assert_array_equal(top[:, 0], expected.argmax(axis=1))
    np.testing.assert_allclose(best[:, 0], expected.max(axis=1), rtol=1e-13)


@pytest.mark.parametrize("prior", [[0.5, 0.5], [0.0, 1.0], [0.9, 0.1]])
@pytest.mark.parametrize("name", MODELS)
def test_priors_of_a_model_can_be_exchanged(name, prior):
    model = MODELS[name]
    with np.errstate(divide="ignore"):
        log_prior = np.log(prior)
    other = model.with_log_prior(log_prior)
    proba, of_call = np.empty((3, 2)), np.empty((3, 2))
    other.answer(ROWS, 1, posterior=proba)
    model.answer(ROWS, 1, Rules(priors=np.array(prior)), posterior=of_call)
    np.testing.assert_allclose(proba, posteriors(prior), rtol=1e-13)
    np.testing.assert_array_equal(proba, of_call)
    np.testing.assert_array_equal(other.log_prior, log_prior)
    np.testing.assert_array_equal(model.log_prior, np.log(PRIOR))


def test_sparse_rows_are_answered_like_dense_ones():
    each = np.array([[0.5, 0.5], [0.0, 1.0], [0.25, 0.75]])
    proba = np.empty((3, 2))
    MODELS["presence"].answer(sparse, 1, Rules(priors=each), posterior=proba)
    np.testing.assert_allclose(proba, posteriors(each), rtol=1e-13)


@pytest.mark.parametrize("question", ["mahalanobis", "typicality", "decision"])
@pytest.mark.parametrize("name", MODELS)
def test_what_takes_distances_is_refused_with_the_reason(name, question):
    out = np.empty(3) if question == "decision" else np.empty((3, 2))
    with pytest.raises(CoreError, match="no distances") as caught:
        MODELS[name].answer(ROWS, 1, **{question: out})
    assert caught.value.kind == "no_distance"


def test_moments_and_models_are_built_from_their_parts():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 10).astype(np.uint32)
    X = rng.normal(size=(20, 2)) + codes[:, np.newaxis]
    for structure in ("full", "tied", "diag"):
        moments = Moments.from_data(X, codes, 2, structure)
        assert Moments(**moments.parts) == moments
        np.testing.assert_allclose(moments.shift + moments.offset, moments.means)
    moments = Moments.from_data(X, codes, 2, "tied")
    model = Model.linear_svd(moments, PRIOR, tol=1e-4, unbiased=False).model
    assert Model(**model.parts) == model
    assert model.parts["log_prior"] == pytest.approx(np.log(PRIOR))
