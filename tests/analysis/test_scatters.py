"""Scatter within and between classes: R's tables, exact covariances, and the algebra of both."""

import numpy as np
import pytest
from scipy.linalg import eigh
from sklearn.covariance import OAS

from gauda import LDA, Moments, NormalInverseWishart

# The residual and species matrices of summary(manova(...))$SS for R's iris, as R prints them.
IRIS_WITHIN = [
    [38.9562, 13.6300, 24.6246, 5.6450],
    [13.6300, 16.9620, 8.1208, 4.8084],
    [24.6246, 8.1208, 27.2226, 6.2718],
    [5.6450, 4.8084, 6.2718, 6.1566],
]
IRIS_BETWEEN = [
    [63.21213, -19.95267, 165.2484, 71.27933],
    [-19.95267, 11.34493, -57.23960, -22.93267],
    [165.24840, -57.23960, 437.1028, 186.77400],
    [71.27933, -22.93267, 186.7740, 80.41333],
]


def test_iris_scatters_are_those_of_r_s_manova(iris):
    lda = LDA().fit(*iris)
    np.testing.assert_allclose(lda.within_scatter_, IRIS_WITHIN, rtol=0, atol=5e-5)
    np.testing.assert_allclose(lda.between_scatter_, IRIS_BETWEEN, rtol=0, atol=5e-5)


@pytest.mark.parametrize("parameters", [{}, {"solver": "lsqr"}, {"solver": "eigen"}])
@pytest.mark.parametrize("dataset", ["iris", "banknote", "skulls"])
def test_scatters_follow_from_the_exact_parameters(dataset, parameters, load_data, load_oracle):
    X, y = load_data(dataset)
    exact = load_oracle(dataset, "lda_ml")
    apart = exact.means - exact.priors @ exact.means
    lda = LDA(**parameters).fit(X, y)
    np.testing.assert_allclose(lda.within_scatter_, len(X) * exact.covariances[0], rtol=1e-12)
    expected = len(X) * (apart.T * exact.priors) @ apart
    np.testing.assert_allclose(lda.between_scatter_, expected, rtol=1e-10, atol=1e-10)


def test_both_add_up_to_the_scatter_of_all_rows(iris):
    lda = LDA().fit(*iris)
    total = lda.within_scatter_ + lda.between_scatter_
    np.testing.assert_allclose(total, 150 * np.cov(iris[0].T, bias=True), rtol=1e-12)


def test_axes_are_the_generalised_eigenvectors(iris):
    lda = LDA().fit(*iris)
    values, vectors = eigh(lda.between_scatter_, lda.within_scatter_)
    values, vectors = values[:1:-1], vectors[:, :1:-1]
    np.testing.assert_allclose(lda.explained_variance_ratio_, values / values.sum(), rtol=1e-11)
    axes = lda.scalings_ / np.linalg.norm(lda.scalings_, axis=0)
    expected = vectors / np.linalg.norm(vectors, axis=0)
    np.testing.assert_allclose(np.abs(np.sum(axes * expected, axis=0)), 1, rtol=1e-12)


@pytest.mark.parametrize("attribute", ["within_scatter_", "between_scatter_"])
class TestEach:
    def test_is_symmetric_to_the_bit(self, attribute, iris):
        scatter = getattr(LDA().fit(*iris), attribute)
        np.testing.assert_array_equal(scatter, scatter.T)

    def test_counts_a_row_of_weight_two_twice(self, attribute, iris):
        X, y = iris
        times = np.arange(150) % 3
        weighted = LDA().fit(X, y, sample_weight=times)
        repeated = LDA().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        expected = getattr(repeated, attribute)
        np.testing.assert_allclose(getattr(weighted, attribute), expected, rtol=1e-12)

    def test_does_not_depend_on_parameters(self, attribute, iris):
        expected = getattr(LDA().fit(*iris), attribute)
        prior = NormalInverseWishart(np.zeros(4), 5.0, np.eye(4), 9.0)
        for parameters in [
            {"unbiased": True},
            {"conjugate_prior": prior},
            {"solver": "eigen", "shrinkage": 0.5, "priors": [0.5, 0.3, 0.2]},
        ]:
            scatter = getattr(LDA(**parameters).fit(*iris), attribute)
            np.testing.assert_allclose(scatter, expected, rtol=1e-12)

    def test_is_unmoved_by_a_common_shift(self, attribute, iris):
        X, y = np.round(iris[0] * 64) / 64, iris[1]
        expected = getattr(LDA().fit(X, y), attribute)
        scatter = getattr(LDA().fit(X + 2**30, y), attribute)  # exact
        np.testing.assert_allclose(scatter, expected, rtol=1e-12, atol=1e-12)

    def test_follows_batches(self, attribute, iris):
        X, y = iris
        lda = LDA()
        for start in range(0, 150, 30):
            lda.partial_fit(X[start : start + 30], y[start : start + 30])
        expected = getattr(LDA().fit(X, y), attribute)
        np.testing.assert_allclose(getattr(lda, attribute), expected, rtol=1e-12, atol=1e-12)

    def test_of_a_single_row_is_zero(self, attribute):
        lda = LDA().partial_fit([[1.0, 2.0]], ["a"])
        np.testing.assert_array_equal(getattr(lda, attribute), np.zeros((2, 2)))

    def test_follows_from_moments(self, attribute, iris):
        lda = LDA.from_moments(Moments.from_data(*iris))
        np.testing.assert_allclose(
            getattr(lda, attribute), getattr(LDA().fit(*iris), attribute), rtol=1e-12, atol=1e-12
        )

    def test_has_the_type_of_the_other_attributes(self, attribute, iris):
        assert (
            getattr(LDA().fit(iris[0].astype(np.float32), iris[1]), attribute).dtype == np.float32
        )

    def test_is_listed_among_the_attributes_of_a_fit(self, attribute, iris):
        assert attribute in dir(LDA().fit(*iris))

    def test_does_not_exist_before_the_fit(self, attribute):
        with pytest.raises(AttributeError, match="has seen no rows yet; call fit"):
            getattr(LDA(), attribute)


def test_an_estimator_of_others_leaves_no_scatter_within(iris):
    lda = LDA(solver="lsqr", covariance_estimator=OAS()).fit(*iris)
    with pytest.raises(AttributeError, match=r"needs products of columns.*Fit without it"):
        _ = lda.within_scatter_


def test_an_estimator_of_others_leaves_the_scatter_between(iris):
    lda = LDA(solver="lsqr", covariance_estimator=OAS()).fit(*iris)
    np.testing.assert_allclose(lda.between_scatter_, IRIS_BETWEEN, rtol=0, atol=5e-5)
