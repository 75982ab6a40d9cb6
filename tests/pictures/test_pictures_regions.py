"""Decision regions: the curves against scipy's densities, the cells against predict."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from support import MODELS, ours

import gauda
from gauda.pictures import DecisionRegionsDisplay

pytestmark = pytest.mark.usefixtures("closed_figures")


class Joint:
    """Log-densities of two columns with priors, from numpy's moments and scipy's Gaussian."""

    def __init__(self, name, X, y, columns):
        self.classes = np.unique(y).tolist()
        parts = [X[y == label][:, columns] for label in self.classes]
        self.log_priors = [np.log(len(part) / len(X)) for part in parts]
        self.means = [part.mean(axis=0) for part in parts]
        covariances = [np.cov(part.T, bias=True) for part in parts]
        if name == "LinearDiscriminantAnalysis":
            pooled = np.average(covariances, axis=0, weights=[len(part) for part in parts])
            covariances = [pooled] * len(parts)
        if name == "GaussianNB":
            smoothing = 1e-9 * X.var(axis=0).max()
            covariances = [np.diag(part.var(axis=0) + smoothing) for part in parts]
        self.covariances = covariances

    def __call__(self, points):
        parameters = zip(self.log_priors, self.means, self.covariances, strict=True)
        return np.column_stack(
            [
                prior + multivariate_normal(mean, matrix).logpdf(points)
                for prior, mean, matrix in parameters
            ]
        )


def many_classes(n_classes, n_rows=1500):
    rng = np.random.default_rng(0)
    means = rng.normal(size=(n_classes, 3)) * 4
    spread = rng.normal(size=(n_classes, 3, 3)) / 2 + np.eye(3)
    y = rng.integers(n_classes, size=n_rows)
    X = means[y] + np.einsum("nij,nj->ni", spread[y], rng.normal(size=(n_rows, 3)))
    return X, y


def data_of(n_classes, iris):
    if n_classes == 2:
        return iris[0][50:], iris[1][50:]
    return iris if n_classes == 3 else many_classes(n_classes)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_classes", [2, 3, 11, 20])
def test_on_a_curve_its_two_classes_tie_ahead_of_all_others(name, n_classes, iris):
    X, y = data_of(n_classes, iris)
    joint = Joint(name, X, y, [2, 1])
    display = DecisionRegionsDisplay.from_estimator(ours(name).fit(X, y), features=[2, 1])
    assert display.curves
    for i, j, points in display.curves:
        scores = joint(points)
        first, second = (scores[:, joint.classes.index(label)] for label in (i, j))
        np.testing.assert_allclose(first, second, atol=1e-8)
        assert (np.minimum(first, second) >= scores.max(axis=1) - 1e-8).all()


@pytest.mark.parametrize("n_classes", [3, 20])
def test_wherever_neighboring_cells_differ_a_curve_of_one_of_them_is_near(n_classes, iris):
    X, y = data_of(n_classes, iris)
    display = DecisionRegionsDisplay.from_estimator(gauda.QDA().fit(X, y), X, y)
    left, right, bottom, top = display.extent
    n = len(display.regions)
    steps = np.array([right - left, top - bottom]) / n
    places = {label: place for place, label in enumerate(display.classes.tolist())}
    for row, column in np.argwhere(np.diff(display.regions, axis=1) != 0):
        pair = set(display.regions[row, column : column + 2].tolist())
        between = np.array([left, bottom]) + steps * [column + 1, row + 0.5]
        distances = [
            np.abs((points - between) / steps).max(axis=1).min()
            for i, j, points in display.curves
            if pair & {places[i], places[j]}
        ]
        assert min(distances) <= 1.5


def test_curves_end_where_three_classes_tie():
    means = [[np.cos(angle), np.sin(angle)] for angle in np.arange(3) * 2 * np.pi / 3]
    lda = gauda.LDA.from_parameters(means, np.eye(2) / 9)
    display = DecisionRegionsDisplay.from_estimator(lda)
    ends = [np.abs(points[[0, -1]]).max(axis=1).min() for _, _, points in display.curves]
    np.testing.assert_allclose(ends, np.zeros(3), atol=1e-8)


def test_a_curve_of_concentric_classes_is_the_circle_on_which_they_tie():
    qda = gauda.QDA.from_parameters([[0, 0], [0, 0]], [np.eye(2), 4 * np.eye(2)])
    (curve,) = [points for _, _, points in DecisionRegionsDisplay.from_estimator(qda).curves]
    # log N(x; 0, 1) = log N(x; 0, 4): r² (1 - 1/4) / 2 = log 4
    np.testing.assert_allclose(np.hypot(*curve.T), np.sqrt(8 * np.log(4) / 3), rtol=1e-12)
    np.testing.assert_allclose(curve[0], curve[-1], rtol=1e-12)


def test_both_branches_of_a_hyperbola_are_drawn():
    wide, high = np.diag([4.0, 1.0]), np.diag([1.0, 4.0])
    qda = gauda.QDA.from_parameters([[0, 0], [0, 1]], [wide, high])
    curves = DecisionRegionsDisplay.from_estimator(qda).curves
    assert len(curves) == 2


@pytest.mark.parametrize("scale", [[1e-12, 1e12], [1e8, 1e-3]])
def test_curves_are_exact_whatever_the_units(scale, iris):
    X, y = iris[0][:, :2] * scale, iris[1]
    joint = Joint("QuadraticDiscriminantAnalysis", iris[0], y, [0, 1])
    for i, j, points in DecisionRegionsDisplay.from_estimator(gauda.QDA().fit(X, y), X, y).curves:
        scores = joint(points / scale)
        pair = [joint.classes.index(label) for label in (i, j)]
        np.testing.assert_allclose(scores[:, pair[0]], scores[:, pair[1]], atol=1e-7)


def test_cells_are_colored_by_predict(iris):
    X, y = iris
    qda = gauda.QDA().fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(
        qda, X, y, features=[2, 3], grid_points=np.int64(40)
    )
    left, right, bottom, top = display.extent
    across = left + (np.arange(40) + 0.5) * (right - left) / 40
    up = bottom + (np.arange(40) + 0.5) * (top - bottom) / 40
    joint = Joint("QuadraticDiscriminantAnalysis", X, y, [2, 3])
    expected = joint(np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)).argmax(axis=1)
    np.testing.assert_array_equal(display.regions.ravel(), expected)


def test_a_class_of_prior_zero_has_no_region_and_no_curve(iris):
    qda = gauda.QDA(priors=[0.5, 0.0, 0.5]).fit(*iris)
    display = DecisionRegionsDisplay.from_estimator(qda, *iris)
    assert 1 not in display.regions
    assert {label for curve in display.curves for label in curve[:2]} == {"setosa", "virginica"}


def test_one_class_has_no_boundary():
    nb = gauda.GaussianNB().fit([[0.0, 1.0], [1.0, 3.0]], [7, 7])
    assert DecisionRegionsDisplay.from_estimator(nb).curves == []


def test_what_predict_rejects_is_hatched_and_named(iris):
    X, y = iris[0][:, 2:], iris[1]
    model = gauda.QDA(reject=0.9).fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(model, X, y)
    assert (display.regions < 0).any()
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["setosa", "versicolor", "virginica", "rejected"]
    hatches = [
        hatch for part in display.ax_.collections if (hatch := getattr(part, "hatches", None))
    ]
    assert hatches == [["////"]]


CHANGES = [
    {"reject": 0.9},
    {"reject": {"typicality": 0.05}},
    {"reject": {"posterior": 0.8, "typicality": 0.01}},
    {"cost": [[0, 1, 1], [1, 0, 6], [1, 1, 0]]},
    {"cost": [[0, 1, 1], [1, 0, 6], [1, 1, 0]], "reject": {"typicality": 0.02}},
    {"reject": {"cost": 0.1}},
    {"reject": {"cost": 0.3, "posterior": 0.8, "typicality": 0.01}},
]


@pytest.mark.parametrize("parameters", CHANGES)
def test_across_every_curve_the_decision_changes_between_its_labels(parameters, iris):
    X, y = iris[0][:, 2:], iris[1]
    qda = gauda.QDA(**parameters).fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(qda, X, y)
    left, right, bottom, top = display.extent
    for i, j, points in display.curves:
        along = np.gradient(points / [right - left, top - bottom], axis=0)
        across = along[:, ::-1] * [-1, 1] / np.hypot(*along.T)[:, np.newaxis]
        away = 1e-6 * across * [right - left, top - bottom]
        sides = np.array([qda.predict(points + away), qda.predict(points - away)])
        inner = slice(2, -2)  # at its ends a curve meets others
        assert (sides[0, inner] != sides[1, inner]).mean() > 0.98
        assert np.isin(sides[:, inner], [i, j, "rejected"]).mean() > 0.98


def test_a_least_posterior_is_met_exactly_on_the_curves(iris):
    X, y = iris[0][:, 2:], iris[1]
    joint = Joint("QuadraticDiscriminantAnalysis", X, y, [0, 1])
    display = DecisionRegionsDisplay.from_estimator(gauda.QDA(reject=0.9).fit(X, y), X, y)
    for label, other, points in display.curves:
        assert other == "rejected"
        scores = joint(points)
        posterior = scores[:, joint.classes.index(label)] - np.logaddexp.reduce(scores, axis=1)
        np.testing.assert_allclose(np.exp(posterior), 0.9, rtol=1e-9)


def test_expected_costs_tie_exactly_on_the_curves(iris):
    X, y = iris[0][:, 2:], iris[1]
    cost = np.array([[0, 1, 1], [1, 0, 6], [1, 1, 0]])
    joint = Joint("QuadraticDiscriminantAnalysis", X, y, [0, 1])
    display = DecisionRegionsDisplay.from_estimator(gauda.QDA(cost=cost).fit(X, y), X, y)
    for i, j, points in display.curves:
        scores = joint(points)
        posteriors = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        expected = posteriors @ cost
        first, second = (expected[:, joint.classes.index(label)] for label in (i, j))
        np.testing.assert_allclose(first, second, atol=1e-9)


def test_a_least_typicality_is_met_exactly_on_the_curves_of_rejection(iris):
    X, y = iris[0][:, 2:], iris[1]
    model = gauda.QDA(reject={"typicality": 0.05}).fit(X, y)
    for label, other, points in DecisionRegionsDisplay.from_estimator(model, X, y).curves:
        if other == "rejected":
            rows = X[y == label]
            away = points - rows.mean(axis=0)
            precision = np.linalg.inv(np.cov(rows.T, bias=True))
            distances = np.einsum("ni,ij,nj->n", away, precision, away)
            # The tail of chi-square with two degrees of freedom beyond q is exp(-q / 2).
            np.testing.assert_allclose(np.exp(-distances / 2), 0.05, rtol=1e-9)


def test_classes_that_are_floats_can_be_rejected(iris):
    X, y = iris[0][:, 2:], np.unique(iris[1], return_inverse=True)[1].astype(float)
    display = DecisionRegionsDisplay.from_estimator(gauda.QDA(reject=0.9).fit(X, y), X, y)
    assert (display.regions < 0).any()
    assert display.curves
