"""Typicality: the χ² tail beyond the squared distance, against scipy's."""

import numpy as np
import pytest
from models import GAUSSIAN
from scipy.special import chdtrc
from support import ours

import gauda


@pytest.mark.parametrize("name", GAUSSIAN)
def test_typicality_is_the_tail_beyond_the_distance(name, iris):
    X, y = iris
    model = ours(name).fit(X, y)
    expected = chdtrc(4, model.mahalanobis(X))  # which is 0 below the normal numbers
    np.testing.assert_allclose(model.typicality(X), expected, rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize("d", [1, 2, 3, 10, 25, 200, 1001, 3000])
def test_tails_are_those_of_scipy_in_any_dimension(d):
    model = gauda.GaussianNB.from_parameters(np.zeros((1, d)), np.ones((1, d)))
    X = np.zeros((400, d))
    X[:, 0] = np.sqrt(np.linspace(0, 3 * d + 100, 400))
    expected = chdtrc(d, X[:, 0] ** 2)
    np.testing.assert_allclose(model.typicality(X)[:, 0], expected, rtol=1e-9, atol=1e-300)


def test_rows_of_float32_are_judged_in_float32(iris):
    X, y = iris
    qda = gauda.QDA().fit(X, y)
    tails = qda.typicality(X.astype(np.float32))
    assert tails.dtype == np.float32
    np.testing.assert_allclose(tails, qda.typicality(X), rtol=1e-3, atol=1e-6)


def test_a_singular_pooled_covariance_counts_the_directions_it_has(iris):
    X, y = iris
    lda = gauda.LDA().fit(X, y)
    wider = gauda.LDA().fit(np.column_stack([X, X[:, 0]]), y)
    tails = wider.typicality(np.column_stack([X, X[:, 0]]))
    np.testing.assert_allclose(tails, lda.typicality(X), rtol=1e-6)


@pytest.mark.parametrize("n_threads", [2, 5])
def test_the_number_of_threads_changes_no_bit(n_threads):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40_000, 3)), np.arange(40_000) % 3
    tails = [gauda.QDA(n_threads=n).fit(X, y).typicality(X) for n in (1, n_threads)]
    assert tails[0].tobytes() == tails[1].tobytes()
