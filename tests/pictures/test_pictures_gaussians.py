"""Ellipses and lines of equal density, against numpy's moments and scipy's distributions."""

import numpy as np
import pytest
from scipy.stats import chi2, multivariate_normal

import gauda
from gauda.pictures import GaussiansDisplay

pytestmark = pytest.mark.usefixtures("closed_figures")


def squared_distances(points, rows):
    away = points - rows.mean(axis=0)
    return np.einsum("ni,ij,nj->n", away, np.linalg.inv(np.cov(rows.T, bias=True)), away)


def test_ellipses_have_the_mahalanobis_distance_of_the_share_they_hold(iris):
    X, y = iris
    qda = gauda.QDA().fit(X, y)
    display = GaussiansDisplay.from_estimator(qda, features=[3, 0], mass=[0.9, 0.2])
    for label, ellipses in zip(qda.classes_, display.ellipses, strict=True):
        rows = X[y == label][:, [3, 0]]
        for ellipse, share in zip(ellipses, [0.2, 0.9], strict=True):
            expected = chi2.ppf(share, 2)
            np.testing.assert_allclose(squared_distances(ellipse, rows), expected, rtol=1e-9)


def test_sigmas_are_the_distances_themselves(iris):
    X, y = iris
    display = GaussiansDisplay.from_estimator(gauda.QDA().fit(X, y), sigmas=1.5, density=False)
    distances = squared_distances(display.ellipses[0, 0], X[y == "setosa"][:, :2])
    np.testing.assert_allclose(distances, 1.5**2, rtol=1e-9)


def test_ellipses_of_naive_bayes_are_upright(iris):
    display = GaussiansDisplay.from_estimator(gauda.GaussianNB().fit(*iris), features=[2, 3])
    for ellipse, mean in zip(display.ellipses[:, 0], display.means, strict=True):
        flipped = np.column_stack([ellipse[:, 0], 2 * mean[1] - ellipse[:, 1]])
        np.testing.assert_allclose(flipped[::-1], ellipse, rtol=1e-9)


def test_ellipses_of_a_linear_model_are_the_same_about_each_mean(iris):
    display = GaussiansDisplay.from_estimator(gauda.LDA().fit(*iris), features=[2, 3])
    about = display.ellipses - display.means[:, np.newaxis, np.newaxis]
    np.testing.assert_allclose(about, np.broadcast_to(about[0], about.shape), atol=1e-12)


def test_ellipses_drawn_are_those_of_the_display(iris):
    display = GaussiansDisplay.from_estimator(gauda.QDA().fit(*iris), density=False)
    drawn = [line.get_xydata() for line in display.ax_.lines]
    np.testing.assert_array_equal(drawn, display.ellipses.reshape(-1, *display.ellipses.shape[2:]))


def test_densities_are_those_of_the_mixture():
    qda = gauda.QDA.from_parameters([[0, 0], [3, 1]], [np.eye(2), 2 * np.eye(2)], [0.3, 0.7])
    display = GaussiansDisplay.from_estimator(qda)
    left, right, bottom, top = display.extent
    n = len(display.density)
    across = left + (np.arange(n) + 0.5) * (right - left) / n
    up = bottom + (np.arange(n) + 0.5) * (top - bottom) / n
    places = np.stack(np.meshgrid(across, up), axis=-1)
    first = multivariate_normal([0, 0], np.eye(2)).pdf(places)
    second = multivariate_normal([3, 1], 2 * np.eye(2)).pdf(places)
    np.testing.assert_allclose(display.density, 0.3 * first + 0.7 * second, rtol=1e-9)


def test_lines_of_equal_density_hold_the_shares_of_a_gaussian():
    nb = gauda.GaussianNB.from_parameters([[5.0, -2.0]], [[4.0, 0.25]])
    display = GaussiansDisplay.from_estimator(nb)
    # A share s lies where the density is above (1 - s) times that of the mean, 1 / (2 pi 2 0.5).
    expected = (1 - np.array([0.99, 0.9, 0.75, 0.5, 0.25, 0.1])) / (2 * np.pi)
    np.testing.assert_allclose(display.levels, expected, rtol=0.02)


def test_ellipses_stay_within_the_axes(iris):
    display = GaussiansDisplay.from_estimator(gauda.LDA().fit(*iris), *iris, mass=0.999)
    points = display.ellipses.reshape(-1, 2)
    (left, right), (bottom, top) = display.ax_.get_xlim(), display.ax_.get_ylim()
    assert left < points[:, 0].min() < points[:, 0].max() < right
    assert bottom < points[:, 1].min() < points[:, 1].max() < top


def test_the_legend_says_what_ellipses_hold(iris):
    display = GaussiansDisplay.from_estimator(gauda.LDA().fit(*iris), mass=0.5)
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["setosa", "versicolor", "virginica", "50 % of a class", "equal density"]


@pytest.mark.parametrize("mass", [0, 1, -0.1, [0.5, 2], [], [[0.5]], np.nan])
def test_mass_must_be_a_share(mass, iris):
    with pytest.raises(ValueError, match="mass must be shares between 0 and 1"):
        GaussiansDisplay.from_estimator(gauda.LDA().fit(*iris), mass=mass)


@pytest.mark.parametrize("sigmas", [0, -1, np.inf, []])
def test_sigmas_must_be_positive(sigmas, iris):
    with pytest.raises(ValueError, match="sigmas must be positive distances"):
        GaussiansDisplay.from_estimator(gauda.LDA().fit(*iris), sigmas=sigmas)


def test_mass_and_sigmas_exclude_each_other(iris):
    with pytest.raises(ValueError, match="Give one of them"):
        GaussiansDisplay.from_estimator(gauda.LDA().fit(*iris), sigmas=1, mass=0.5)
