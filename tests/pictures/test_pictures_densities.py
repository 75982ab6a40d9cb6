"""One feature: densities against scipy, decision points against the roots of polynomials."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import trapezoid
from scipy.stats import norm

import gauda
from gauda.pictures import DecisionRegionsDisplay, DensitiesDisplay, ImputationDisplay

pytestmark = pytest.mark.usefixtures("closed_figures")

RIVALS = {
    "equal variances": ([0.0, 2.0], [1.0, 1.0], [0.5, 0.5]),
    "a class inside another": ([0.0, 0.3], [4.0, 0.25], [0.5, 0.5]),
    "other priors": ([0.0, 2.0], [1.0, 3.0], [0.9, 0.1]),
    "far from 0": ([1e7, 1e7 + 2.0], [1.0, 3.0], [0.6, 0.4]),
    "small units": ([0.0, 2e-9], [1e-18, 3e-18], [0.6, 0.4]),
}


def model_of(means, variances, priors):
    covariances = np.array(variances)[:, np.newaxis, np.newaxis]
    return gauda.QDA.from_parameters(np.array(means)[:, np.newaxis], covariances, priors)


def ties_of(means, variances, priors):
    """Return where two Gaussians tie, from the quadratic about the first mean."""
    away = means[1] - means[0]
    square = 0.5 / variances[1] - 0.5 / variances[0]
    slope = -away / variances[1]
    odds = np.log(priors[0] / priors[1]) + 0.5 * np.log(variances[1] / variances[0])
    roots = np.roots(np.trim_zeros([square, slope, away**2 / (2 * variances[1]) + odds], "f"))
    return np.sort(roots.real[np.abs(roots.imag) == 0])


@pytest.mark.parametrize("rivals", RIVALS.values(), ids=RIVALS)
def test_roots_of_a_boundary_are_where_the_classes_tie(rivals):
    means, variances, _ = rivals
    roots = model_of(*rivals).boundary(0, 1).roots()
    scale = np.sqrt(variances[0])
    np.testing.assert_allclose((roots - means[0]) / scale, ties_of(*rivals) / scale, rtol=1e-8)


def test_classes_that_never_tie_have_no_roots():
    assert len(model_of([0.0, 0.0], [1.0, 4.0], [0.01, 0.99]).boundary(0, 1).roots()) == 0


def test_a_class_of_prior_zero_has_no_roots():
    assert len(model_of([0.0, 1.0], [1.0, 1.0], [0.0, 1.0]).boundary(0, 1).roots()) == 0


def test_roots_know_columns_with_names(iris):
    frame = pd.DataFrame({"petal width": iris[0][:, 3]})
    roots = gauda.LDA().fit(frame, iris[1]).boundary("setosa", "versicolor").roots()
    assert len(roots) == 1


def test_roots_need_a_single_column(iris):
    boundary = gauda.QDA().fit(*iris).boundary("setosa", "virginica")
    with pytest.raises(ValueError, match=r"has 4 columns. Take model.marginal"):
        boundary.roots()


@pytest.mark.parametrize("rivals", RIVALS.values(), ids=RIVALS)
def test_decisions_change_where_the_classes_tie(rivals):
    means, variances, _ = rivals
    display = DensitiesDisplay.from_estimator(model_of(*rivals))
    low, high = display.extent[:2]
    ties = ties_of(*rivals)
    seen = ties[(ties + means[0] > low) & (ties + means[0] < high)]
    found = np.array([at for _, _, at in display.decisions]) - means[0]
    np.testing.assert_allclose(found, seen, atol=1e-7 * np.sqrt(max(variances)))


def test_densities_are_those_of_scipy_times_the_priors(iris):
    X, y = iris
    display = DensitiesDisplay.from_estimator(gauda.QDA().fit(X, y), X, y, feature=2)
    for label, density in zip(display.classes, display.densities, strict=True):
        rows = X[y == label, 2]
        expected = norm(rows.mean(), rows.std()).pdf(display.x) / 3
        np.testing.assert_allclose(density, expected, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(display.densities.sum(axis=0), display.density, rtol=1e-12)


def test_a_narrow_class_is_seen():
    model = model_of([0.0, 50.0], [100.0, 1e-8], [0.5, 0.5])
    display = DensitiesDisplay.from_estimator(model)
    assert display.densities[1].max() == pytest.approx(0.5 * norm.pdf(0) / 1e-4)
    assert [(i, j) for i, j, _ in display.decisions] == [(0, 1), (1, 0)]


def test_other_columns_may_be_given(iris):
    X, y = iris
    qda = gauda.QDA().fit(X, y)
    display = DensitiesDisplay.from_estimator(qda, feature=3, given={2: 4.9})
    weights, means = [], []
    for label in display.classes:
        pair = X[y == label][:, [2, 3]]
        (var_given, between), (_, _) = np.cov(pair.T, bias=True)
        weights.append(norm(pair[:, 0].mean(), np.sqrt(var_given)).pdf(4.9))
        means.append(pair[:, 1].mean() + between / var_given * (4.9 - pair[:, 0].mean()))
    peaks = display.x[display.densities.argmax(axis=1)]
    step = np.diff(display.x).max()
    np.testing.assert_allclose(peaks, means, atol=step)
    areas = trapezoid(display.densities, display.x, axis=1)
    np.testing.assert_allclose(areas, np.array(weights) / sum(weights), atol=1e-3)


def test_regions_of_one_column_are_decided_along_it(iris):
    X, y = iris[0][:, 2:3], iris[1]
    qda = gauda.QDA(reject=0.9).fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(qda, X, y, grid_points=50)
    left, right = display.extent[:2]
    centers = left + (np.arange(50) + 0.5) * (right - left) / 50
    decided = np.append(qda.classes_, "rejected")[display.regions[0]]
    np.testing.assert_array_equal(decided, qda.predict(centers[:, np.newaxis]))
    assert display.ax_.get_ylabel() == "density"
    for _, _, line in display.curves:
        posteriors = qda.predict_proba(line[:1, :1])
        assert posteriors.max() == pytest.approx(0.9, abs=1e-9)


def test_a_missing_value_lies_where_the_known_ones_say(iris):
    X, y = iris
    qda = gauda.QDA().fit(X, y)
    row = X[70].copy()
    row[3] = np.nan
    display = ImputationDisplay.from_row(qda, row)
    mean = trapezoid(display.x * display.density, display.x)
    assert mean == pytest.approx(qda.impute(row[np.newaxis])[0, 3], abs=1e-3)


def test_two_missing_values_are_drawn_in_their_plane(iris):
    frame = pd.DataFrame(iris[0], columns=list("abcd"))
    qda = gauda.QDA().fit(frame, iris[1])
    row = frame.iloc[[70]].copy()
    row[["a", "c", "d"]] = np.nan
    display = ImputationDisplay.from_row(qda, row, features=["d", "a"])
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("d", "a")
    conditional = qda.condition({"b": row["b"].item()}).marginal(["d", "a"])
    np.testing.assert_allclose(display.means, conditional.means_, rtol=1e-12)


@pytest.mark.parametrize(
    ("row", "features", "message"),
    [
        ([5.0, 3.0, 1.0, 0.2], None, "nothing is missing"),
        ([[5.0, 3.0, 1.0, np.nan]] * 2, None, "must be one row; got 2"),
        ([5.0, 3.0, 1.0, np.nan], [0], r"must be missing in the row; got \['feature 0'\]"),
    ],
)
def test_rows_must_lack_what_is_drawn(row, features, message, iris):
    with pytest.raises(ValueError, match=message):
        ImputationDisplay.from_row(gauda.QDA().fit(*iris), row, features=features)
