"""The boundary of Bernoulli models is a hyperplane; levels have none."""

import numpy as np
import pytest
from models import MODELS

import gauda


@pytest.fixture
def model():
    """Give a fitted model with three classes."""
    return MODELS["BernoulliNB"].fitted()


def test_the_polynomial_gives_the_log_odds_of_all_rows(model):
    X = np.array(np.meshgrid(*[[0, 1]] * 3)).reshape(3, -1).T
    boundary = model.boundary("bee", "ant")
    assert boundary.is_linear
    joint = model.predict_joint_log_proba(X)
    odds = joint[:, 1] - joint[:, 0]
    np.testing.assert_allclose(X @ boundary.b + boundary.c, odds, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(boundary(X), odds, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(boundary.proba(X), 1 / (1 + np.exp(-odds)), rtol=1e-12)


def test_discriminants_are_joint_log_probabilities(model):
    X = np.array(np.meshgrid(*[[0, 1]] * 3)).reshape(3, -1).T
    found = model.discriminant_functions()
    assert not found.A.any()
    joint = model.predict_joint_log_proba(X)
    np.testing.assert_allclose(X @ found.b.T + found.c, joint, rtol=1e-12)


def test_rows_are_compared_with_the_threshold():
    X = np.array([[0.0, 9.0], [7.0, 3.0], [1.0, 8.0], [9.0, 9.0]])
    model = gauda.BernoulliNB(binarize=5.0).fit(X, [0, 0, 1, 1])
    boundary = model.boundary(1, 0)
    np.testing.assert_allclose(boundary(X), (X > 5) @ boundary.b + boundary.c, rtol=1e-12)


def test_certain_probabilities_have_no_finite_discriminants():
    model = gauda.BernoulliNB(alpha=0.0).fit([[0, 1], [1, 1], [1, 0]], [0, 0, 1])
    with pytest.raises(ValueError, match="alpha > 0"):
        model.boundary(0, 1)


@pytest.mark.parametrize("name", ["CategoricalNB", "MixedNB"])
def test_levels_have_no_polynomials(name):
    model = MODELS[name].fitted()
    assert not hasattr(model, "boundary")
    with pytest.raises(AttributeError) as refusal:
        _ = model.discriminant_functions
    assert "differences of predict_joint_log_proba" in str(refusal.value.__cause__)
