"""Imputed against true values, against conditional Gaussians computed by numpy."""

import numpy as np
import pytest

import gauda
from gauda.pictures import ImputationDisplay

pytestmark = pytest.mark.usefixtures("closed_figures")


def test_imputed_values_are_conditional_means_with_their_deviations(iris):
    X, y = (part[:50] for part in iris)  # of one class
    qda = gauda.QDA(unbiased=True).fit(*iris)
    display = ImputationDisplay.from_estimator(qda, X, y, features=[2], fraction=1.0)
    covariance, others = np.cov(X.T), [0, 1, 3]
    weights = np.linalg.solve(covariance[np.ix_(others, others)], covariance[others, 2])
    expected = X[:, 2].mean() + (X[:, others] - X[:, others].mean(axis=0)) @ weights
    np.testing.assert_allclose(display.imputed, expected, rtol=1e-9)
    variance = covariance[2, 2] - covariance[2, others] @ weights
    np.testing.assert_allclose(display.std, np.sqrt(variance), rtol=1e-9)
    np.testing.assert_array_equal(display.true, X[:, 2])


def test_intervals_of_the_true_model_hold_nineteen_of_twenty_values():
    lda = gauda.LDA.from_parameters([[0, 0, 0], [2, 0, 1]], np.eye(3) / 2 + 0.5)
    X, y = lda.sample(5000, random_state=0)
    coverage = ImputationDisplay.from_estimator(lda, X, y).coverage
    assert coverage == pytest.approx(0.95, abs=0.015)


def test_only_values_of_the_chosen_features_are_hidden(iris):
    X, y = iris
    qda = gauda.QDA().fit(X, y)
    display = ImputationDisplay.from_estimator(qda, X, features=[3, 1], fraction=0.5)
    assert display.feature_names == ["feature 3", "feature 1"]
    for place, column in enumerate([3, 1]):
        assert np.isin(display.true[display.feature == place], X[:, column]).all()


def test_the_fraction_is_the_share_that_is_hidden(iris):
    display = ImputationDisplay.from_estimator(gauda.QDA().fit(*iris), iris[0], fraction=0.3)
    assert len(display.true) == pytest.approx(0.3 * 600, abs=4 * np.sqrt(600 * 0.3 * 0.7))


def test_at_least_one_value_is_hidden(iris):
    display = ImputationDisplay.from_estimator(gauda.QDA().fit(*iris), iris[0], fraction=1e-9)
    assert len(display.true) == 1


def test_values_missing_before_are_not_judged(iris):
    X, y = iris
    holes = X.copy()
    holes[:, 0] = np.nan
    display = ImputationDisplay.from_estimator(gauda.QDA().fit(X, y), holes)
    assert (display.feature != 0).all()
    assert np.isfinite(display.true).all()


def test_points_are_drawn_in_the_units_of_a_single_feature(iris):
    display = ImputationDisplay.from_estimator(gauda.QDA().fit(*iris), iris[0], features=[2])
    np.testing.assert_array_equal(display.ax_.lines[0].get_xdata(), display.true)
    assert display.ax_.get_xlabel() == "true feature 2"


def test_several_features_are_drawn_in_common_units(iris):
    X = iris[0] * [1, 1e6, 1e-6, 1]
    display = ImputationDisplay.from_estimator(gauda.QDA().fit(X, iris[1]), X, fraction=0.5)
    assert display.ax_.get_xlabel() == "true value, in standard deviations"
    assert np.abs(display.ax_.get_xlim()).max() < 5


@pytest.mark.parametrize("fraction", [0, -0.5, 1.5, np.nan])
def test_the_fraction_must_be_a_share(fraction, iris):
    with pytest.raises(ValueError, match="fraction must be above 0 and at most 1"):
        ImputationDisplay.from_estimator(gauda.QDA().fit(*iris), iris[0], fraction=fraction)


def test_there_must_be_something_to_hide(iris):
    X, y = iris
    with pytest.raises(ValueError, match="none can be hidden"):
        ImputationDisplay.from_estimator(gauda.QDA().fit(X, y), np.full((3, 4), np.nan))


def test_unknown_features_are_refused(iris):
    with pytest.raises(ValueError, match="must be indices from 0 to"):
        ImputationDisplay.from_estimator(gauda.QDA().fit(*iris), iris[0], features=[7])
