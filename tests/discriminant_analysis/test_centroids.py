"""Nearest shrunken centroids: against R's pamr, scikit-learn's NearestCentroid, and refits."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import NearestCentroid

import gauda
from gauda import RDA, Moments, ShrunkenCentroids, ShrunkenCentroidsCV
from gauda.discriminant_analysis import ThresholdPath

REFERENCE = Path(__file__).parents[1] / "reference" / "statistics"
DATASETS = ["iris", "banknote", "skulls", "esl_vowel_train"]


def wide(n=60, d=400, seed=0, apart=1.5):
    """Draw rows of three classes that differ in the first columns."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 2, d)
    X[:, :8] += apart * y[:, np.newaxis] * rng.choice([-1, 1], 8)
    return X, y


@pytest.fixture(params=DATASETS)
def pamr(request, load_data):
    """Give rows, labels, and what pamr makes of them."""
    X, y = load_data(request.param)
    found = json.loads((REFERENCE / f"pamr_{request.param}.json").read_text())
    return X, np.asarray(y), {name: np.array(value) for name, value in found.items()}


def test_contrasts_are_those_of_pamr(pamr):
    X, y, theirs = pamr
    model = ShrunkenCentroids().fit(X, y)
    np.testing.assert_allclose(model.means_, theirs["centroids"], rtol=1e-12)
    np.testing.assert_allclose(model.deviations_ + model.offset_, theirs["sd"], rtol=1e-12)
    assert model.offset_ == pytest.approx(float(theirs["offset"]), rel=1e-12)
    path = model.threshold_path()
    assert isinstance(path, ThresholdPath)
    n = len(theirs["thresholds"])  # which ends where no column is left
    np.testing.assert_allclose(path.thresholds[:n], theirs["thresholds"], rtol=1e-11)
    np.testing.assert_array_equal(path.n_selected[:n], theirs["nonzero"])
    assert (path.n_selected[n:] == 0).all()


@pytest.mark.parametrize(
    ("priors", "name"), [(None, "posteriors"), ("uniform", "posteriors_equal")]
)
def test_posteriors_are_those_of_pamr(pamr, priors, name):
    X, y, theirs = pamr
    for threshold, expected in zip(theirs["few"], theirs[name], strict=True):
        model = ShrunkenCentroids(threshold, priors=priors).fit(X, y)
        np.testing.assert_allclose(
            model.predict_proba(X[theirs["rows"]]), expected, rtol=1e-10, atol=1e-13
        )


def test_errors_along_the_path_are_those_of_pamr(pamr):
    X, y, theirs = pamr
    for threshold, errors in zip(theirs["thresholds"][:-1], theirs["errors"], strict=False):
        assert (ShrunkenCentroids(threshold).fit(X, y).predict(X) != y).sum() == errors


@pytest.mark.parametrize("threshold", [0.1, 0.7, 2.5])
def test_centroids_are_those_of_scikit_learn(threshold):
    X, y = wide()
    theirs = NearestCentroid(shrink_threshold=threshold).fit(X, y)
    ours = ShrunkenCentroids(threshold).fit(X, y)
    np.testing.assert_allclose(ours.centroids_, theirs.centroids_, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(ours.contrasts_, ShrunkenCentroids().fit(X, y).contrasts_)
    moved = np.abs(ours.contrasts_) > threshold
    np.testing.assert_array_equal(ours.selected_columns_, np.flatnonzero(moved.any(axis=0)))


def test_without_threshold_and_offset_it_is_rda_with_independent_columns():
    X, y = wide()
    ours = ShrunkenCentroids(offset=0.0).fit(X, y)
    theirs = RDA(covariance="tied_diag", unbiased=True).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-9)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-12)


def test_contrasts_are_exact_far_from_zero():
    rng = np.random.default_rng(3)
    y = np.arange(12) % 3
    X = 1e9 + rng.normal(size=(12, 5))
    exact = [[Fraction(value) for value in row] for row in X.tolist()]
    model = ShrunkenCentroids(offset=0.0).fit(X, y)
    for j in range(5):
        column = [row[j] for row in exact]
        means = [sum(column[k::3]) / 4 for k in range(3)]
        squares = sum((value - means[i % 3]) ** 2 for i, value in enumerate(column))
        for k in range(3):
            ratio = (means[k] - sum(column) / 12) ** 2 / (
                squares / 9 * (Fraction(1, 4) - Fraction(1, 12))
            )
            assert model.contrasts_[k, j] ** 2 == pytest.approx(float(ratio), rel=1e-10)


# Ways to learn


def test_moments_batches_and_streams_give_the_same(tmp_path):
    X, y = wide()
    whole = ShrunkenCentroids(1.0).fit(X, y)
    by_batches = ShrunkenCentroids(1.0).partial_fit(X[:25], y[:25]).partial_fit(X[25:], y[25:])
    merged = Moments.from_data(X[:25], y[:25], structure="diag") + Moments.from_data(
        X[25:], y[25:], structure="diag"
    )
    others = [
        by_batches,
        ShrunkenCentroids.from_moments(merged, threshold=1.0),
        ShrunkenCentroids.from_moments(Moments.from_data(X, y), threshold=1.0),
        ShrunkenCentroids(1.0).fit_stream(iter([(X[:25], y[:25]), (X[25:], y[25:])])),
    ]
    path = tmp_path / "model.gauda"
    whole.save(path)
    others.append(gauda.load(path))
    for other in others:
        np.testing.assert_allclose(other.predict_proba(X), whole.predict_proba(X), rtol=1e-9)
        np.testing.assert_array_equal(other.selected_columns_, whole.selected_columns_)


def test_left_out_rows_have_the_posteriors_of_refits():
    X, y = wide(n=24, d=150)
    X[3, 7] = 1e12
    model = ShrunkenCentroids(0.8)
    given = clone(model).fit(X, y).loo_log_proba(X, y, refit_priors=True)
    for row in range(len(X)):
        kept = np.arange(len(X)) != row
        refit = clone(model).fit(X[kept], y[kept]).predict_log_proba(X[[row]])[0]
        np.testing.assert_allclose(given[row], refit, rtol=1e-8, atol=1e-10)


def test_a_marginal_model_keeps_centroids_and_deviations():
    X, y = wide(d=120)
    model = ShrunkenCentroids(0.5).fit(X, y)
    part = model.marginal([3, 100, 7])
    np.testing.assert_allclose(part.centroids_, model.centroids_[:, [3, 100, 7]])
    gaps = X.copy()
    gaps[:, np.setdiff1d(np.arange(120), [3, 100, 7])] = np.nan
    np.testing.assert_allclose(
        part.predict_proba(X[:, [3, 100, 7]]),
        model.set_params(missing="marginalize").predict_proba(gaps),
        rtol=1e-9,
    )


def test_missing_values_are_left_out_of_the_sums():
    X, y = wide(d=20)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    model = ShrunkenCentroids(0.4, missing="marginalize").fit(X, y)
    for j in (0, 5, 19):
        seen = ~np.isnan(X[:, j])
        alone = ShrunkenCentroids(0.4, offset=model.offset_).fit(X[seen][:, [j]], y[seen])
        np.testing.assert_allclose(model.centroids_[:, [j]], alone.centroids_)
        np.testing.assert_allclose(model.contrasts_[:, [j]], alone.contrasts_)
    assert np.isfinite(model.predict_proba(X)).all()


def test_given_parameters_are_taken_as_they_are():
    model = ShrunkenCentroids.from_parameters([[0, 0], [2, 0]], np.diag([1.0, 4.0]))
    np.testing.assert_allclose(model.decision_function([[0.0, 3.0]]), [-2.0])
    with pytest.raises(ValueError, match="must be diagonal"):
        ShrunkenCentroids.from_parameters([[0, 0], [2, 0]], [[1, 0.5], [0.5, 1]])
    with pytest.raises(ValueError, match="threshold=1"):
        ShrunkenCentroids.from_parameters([[0, 0], [2, 0]], np.eye(2), threshold=1.0)


# Choice of the threshold


@pytest.mark.parametrize("scoring", ["neg_log_loss", "accuracy"])
def test_the_search_is_that_of_scikit_learn(scoring):
    X, y = wide(apart=0.4)
    thresholds = np.linspace(0, 3, 7)
    ours = ShrunkenCentroidsCV(thresholds, cv=5, scoring=scoring).fit(X, y)
    theirs = GridSearchCV(
        ShrunkenCentroids(), {"threshold": thresholds}, cv=5, scoring=scoring
    ).fit(X, y)
    for name in ("mean_test_score", "std_test_score", "split3_test_score"):
        np.testing.assert_allclose(
            ours.cv_results_[name], theirs.cv_results_[name], rtol=1e-9, atol=1e-12
        )
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_index_ == theirs.best_index_
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))


def test_leaving_out_each_row_is_exact():
    X, y = wide(n=21, d=130, apart=0.7)
    model = ShrunkenCentroidsCV([0, 0.5, 1.5], cv="loo").fit(X, y)
    for index, threshold in enumerate([0, 0.5, 1.5]):
        left = ShrunkenCentroids(threshold).fit(X, y).loo_log_proba(X, y, refit_priors=True)
        expected = -log_loss(y, np.exp(left))
        assert model.cv_results_["mean_test_score"][index] == pytest.approx(expected, rel=1e-8)
    assert model.n_splits_ == len(X)
    assert model.loo_log_proba_.shape == (len(X), 3)


def test_one_standard_error_prefers_fewer_columns():
    X, y = wide(apart=0.8)
    best = ShrunkenCentroidsCV(cv=5).fit(X, y)
    near = ShrunkenCentroidsCV(cv=5, one_se=True).fit(X, y)
    assert near.threshold_ >= best.threshold_
    assert len(near.selected_columns_) <= len(best.selected_columns_)
    assert len(best.cv_results_["params"]) == 30


def test_missing_values_are_searched_by_fits():
    X, y = wide(n=30, d=12)
    X[::5, 2] = np.nan
    model = ShrunkenCentroidsCV([0.0, 1.0], cv=3, missing="marginalize").fit(X, y)
    folds = StratifiedKFold(3).split(X, y)
    expected = []
    for train, test in folds:
        fitted = ShrunkenCentroids(1.0, missing="marginalize").fit(X[train], y[train])
        expected.append(-log_loss(y[test], fitted.predict_proba(X[test])))
    assert model.cv_results_["mean_test_score"][1] == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("thresholds", [[], [-1.0], [np.nan], [[1.0]], ["a"]])
def test_what_is_not_a_list_of_thresholds_is_refused(thresholds):
    with pytest.raises(ValueError, match="thresholds must be"):
        ShrunkenCentroidsCV(thresholds).fit(*wide())


# Bad input


def test_classes_of_one_row_take_part():
    X, y = wide(n=31)
    y[0] = 9
    model = ShrunkenCentroids(1.0).fit(X, y)
    theirs = NearestCentroid(shrink_threshold=1.0).fit(X, y)
    np.testing.assert_allclose(model.centroids_, theirs.centroids_, rtol=1e-10, atol=1e-12)


def test_rows_no_more_than_classes_are_refused():
    with pytest.raises(ValueError, match="rows less classes"):
        ShrunkenCentroids().fit([[0.0], [1.0]], [0, 1])


def test_constant_columns_do_not_matter():
    X, y = wide()
    constant = np.column_stack([X, np.full(len(X), 0.1)])
    for d in (20, X.shape[1]):
        some = np.column_stack([X[:, :d], constant[:, -1]])
        model = ShrunkenCentroids(0.3, offset=0.0).fit(some, y)
        expected = ShrunkenCentroids(0.3, offset=0.0).fit(X[:, :d], y)
        assert d not in model.selected_columns_
        np.testing.assert_allclose(model.predict_proba(some), expected.predict_proba(X[:, :d]))


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_units_do_not_matter(unit):
    X, y = wide()
    np.testing.assert_allclose(
        ShrunkenCentroids(1.0).fit(X * unit, y).predict_log_proba(X * unit),
        ShrunkenCentroids(1.0).fit(X, y).predict_log_proba(X),
        rtol=1e-9,
    )


def test_a_class_far_away_costs_no_digits_of_the_others():
    X, y = wide(n=60, d=150)
    X[y == 2] += 1e6
    model = ShrunkenCentroids(0.0, offset=0.0).fit(X, y)
    variances = np.square(model.deviations_)
    apart = model.means_[1] - model.means_[0]
    middle = (model.means_[1] + model.means_[0]) / 2
    near = X[y != 2]
    odds = ((near - middle) * apart / variances).sum(axis=1)
    found = model.predict_log_proba(near)
    np.testing.assert_allclose(found[:, 1] - found[:, 0], odds, rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("d", [5, 150])
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (1e9, 1e9 + 1), (-1e-9, 1e-9)])
def test_a_column_that_varies_between_classes_only_is_selected_without_an_offset(d, low, high):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, d)), np.arange(20) % 2
    X[:, 3], X[:, 1] = np.where(y, high, low), 0.1
    model = ShrunkenCentroids(50.0, offset=0.0).fit(X, y)
    np.testing.assert_array_equal(model.selected_columns_, [3])
    assert np.abs(model.contrasts_[:, 3]).min() > 1e5
    assert (model.contrasts_[:, 1] == 0).all()
    np.testing.assert_array_equal(model.predict(X), y)
    assert np.abs(model.centroids_[:, 3] - [low, high]).max() < 1e-4 * (high - low)
    path = model.threshold_path()
    others = np.delete(np.abs(model.contrasts_), 3, axis=1)
    assert path.thresholds[-1] == pytest.approx(others.max())
    assert path.n_selected[-1] == 1


def test_the_chosen_model_has_the_path_of_thresholds_of_the_given_one():
    X, y = wide()
    ours = ShrunkenCentroidsCV(cv=3).fit(X, y).threshold_path(7)
    for found, expected in zip(ours, ShrunkenCentroids().fit(X, y).threshold_path(7), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("far", [1e3, 1e6, 1e12])
@pytest.mark.parametrize("threshold", [0.0, 0.5, 2.0])
def test_thresholds_leave_near_classes_their_digits_beside_one_far_away(far, threshold):
    X, y = wide(n=30, d=120)
    n_classes = y.max() + 1
    X[y == 2] += far
    model = ShrunkenCentroids(threshold).fit(X, y)
    near = X[y < 2][:6]
    data = [[Fraction(value) for value in row] for row in X]
    odds = np.zeros(len(near))
    units = []
    for column in range(X.shape[1]):
        groups = [
            [row[column] for row, k in zip(data, y, strict=True) if k == label]
            for label in range(n_classes)
        ]
        means = [sum(group) / len(group) for group in groups]
        squares = sum((v - m) ** 2 for group, m in zip(groups, means, strict=True) for v in group)
        units.append((groups, means, float(squares / (len(X) - n_classes)) ** 0.5))
    added = float(np.median([unit for *_, unit in units]))
    for column, (groups, means, deviation) in enumerate(units):
        overall, unit = sum(map(sum, groups)) / len(X), Fraction(deviation + added)
        centroids = []
        for group, mean in zip(groups[:2], means[:2], strict=True):
            error = Fraction((1 / len(group) - 1 / len(X)) ** 0.5) * unit
            left = max(abs(mean - overall) - Fraction(threshold) * error, 0)
            centroids.append(overall + (left if mean > overall else -left))
        a, b = centroids
        for i, row in enumerate(near[:, column]):
            odds[i] += float((b - a) * (2 * Fraction(row) - a - b) / (2 * unit**2))
    found = model.predict_log_proba(near)
    # Below 1e4 deviations rows are measured from one point, which costs digits of squares.
    tolerance = 1e-16 * far**2 * X.shape[1] if far < 1e4 else 1e-10
    np.testing.assert_allclose(found[:, 1] - found[:, 0], odds, rtol=tolerance, atol=tolerance)
