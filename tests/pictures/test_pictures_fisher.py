"""Fisher's projection, against scikit-learn's coordinates and reduced-rank rules."""

import numpy as np
import peers
import pytest

import gauda
from gauda.pictures import FisherDisplay

pytestmark = pytest.mark.usefixtures("closed_figures")


@pytest.fixture
def two_species(iris):
    return iris[0][50:], iris[1][50:]


@pytest.mark.parametrize(
    ("solver", "priors"), [("svd", None), ("svd", [0.9, 0.1]), ("eigen", None)]
)
def test_the_threshold_is_where_scikit_learns_classes_tie(two_species, solver, priors):
    X, y = two_species
    peer = peers.LinearDiscriminantAnalysis(solver=solver, priors=priors).fit(X, y)
    # Along the line through both means the decision is linear: where it is 0, they tie.
    at_means = peer.decision_function(peer.means_)
    share = at_means[0] / (at_means[0] - at_means[1])
    tie = peer.means_[0] + share * (peer.means_[1] - peer.means_[0])
    lda = gauda.LDA(solver=solver, priors=priors).fit(X, y)
    (threshold,) = FisherDisplay.from_estimator(lda, X, y).thresholds
    assert abs(threshold) == pytest.approx(abs(peer.transform([tie])[0, 0]), abs=1e-8)


def test_the_threshold_separates_what_is_predicted(two_species):
    X, y = two_species
    lda = gauda.LDA(priors=[0.8, 0.2]).fit(X, y)
    (threshold,) = FisherDisplay.from_estimator(lda, X, y).thresholds
    beyond = lda.transform(X)[:, 0] > threshold
    for label in lda.classes_:
        assert len(np.unique(beyond[lda.predict(X) == label])) == 1


def test_the_histogram_counts_the_rows_of_each_class(two_species):
    display = FisherDisplay.from_estimator(gauda.LDA().fit(*two_species), *two_species)
    counts = [sum(bar.get_height() for bar in bars) for bars in display.ax_[0].containers]
    assert counts == [50, 50]


def test_the_direction_is_scikit_learns_times_the_deviations_within_classes(two_species):
    X, y = two_species
    axes = peers.LinearDiscriminantAnalysis().fit(X, y).scalings_
    variances = np.mean([X[y == label].var(axis=0) for label in np.unique(y)], axis=0)
    expected = axes * np.sqrt(variances)[:, np.newaxis]
    direction = FisherDisplay.from_estimator(gauda.LDA().fit(X, y), X, y).direction
    np.testing.assert_allclose(np.abs(direction), np.abs(expected), rtol=1e-9)


def test_bars_are_ordered_by_their_weight(two_species):
    display = FisherDisplay.from_estimator(gauda.LDA().fit(*two_species), *two_species)
    lengths = [abs(bar.get_width()) for bar in display.ax_[1].patches]
    assert lengths == sorted(lengths, reverse=True)


def test_on_given_axes_there_is_only_the_histogram(two_species):
    lda = gauda.LDA().fit(*two_species)
    axes = FisherDisplay.from_estimator(lda, *two_species).ax_[0].figure.subplots()
    assert FisherDisplay.from_estimator(lda, *two_species, ax=axes).ax_ is axes


def test_points_are_scikit_learns_coordinates(iris):
    X, y = iris
    display = FisherDisplay.from_estimator(gauda.LDA().fit(X, y), X, y)
    peer = peers.LinearDiscriminantAnalysis().fit(X, y)
    drawn = display.ax_.collections[0].get_offsets()
    np.testing.assert_allclose(np.abs(drawn), np.abs(peer.transform(X[y == "setosa"])), rtol=1e-7)


def test_on_curves_in_the_plane_of_two_axes_the_posteriors_of_both_classes_are_the_same(iris):
    X, y = iris
    lda = gauda.LDA().fit(X, y)
    display = FisherDisplay.from_estimator(lda, X, y)
    projected = lda.transform(X)
    peer = peers.LinearDiscriminantAnalysis().fit(projected, y)
    for i, j, points in display.curves:
        log_posteriors = dict(zip(peer.classes_, peer.predict_log_proba(points).T, strict=True))
        np.testing.assert_allclose(log_posteriors[i], log_posteriors[j], atol=1e-7)


def test_axes_tell_their_share_of_the_variance(iris):
    display = FisherDisplay.from_estimator(gauda.LDA().fit(*iris), *iris)
    # Fisher's iris: 99.12 % and 0.88 %, as R's lda prints them.
    assert display.ax_.get_xlabel() == "axis 1 (99.1 % of the variance between classes)"
    assert display.ax_.get_ylabel() == "axis 2 (0.9 % of the variance between classes)"


def test_one_axis_of_three_classes_has_two_thresholds(iris):
    X, y = iris
    lda = gauda.LDA(n_components=1).fit(X, y)
    thresholds = FisherDisplay.from_estimator(lda, X, y).thresholds
    means = np.sort(lda.transform(lda.means_)[:, 0])
    np.testing.assert_allclose(thresholds, (means[1:] + means[:-1]) / 2, rtol=1e-9)


def test_of_many_features_the_largest_weights_are_shown():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 40)), np.repeat([0, 1], 100)
    display = FisherDisplay.from_estimator(gauda.LDA().fit(X, y), X, y)
    assert display.ax_[1].get_title() == "Fisher's direction (the 15 largest of 40)"
    assert len(display.ax_[1].patches) == 15


def test_only_linear_models_have_fishers_axes(iris):
    with pytest.raises(TypeError, match=r"LinearDiscriminantAnalysis, .*; got GaussianNB"):
        FisherDisplay.from_estimator(gauda.GaussianNB().fit(*iris), *iris)


def test_lsqr_has_no_axes(iris):
    with pytest.raises(ValueError, match="Use 'svd' or 'eigen'"):
        FisherDisplay.from_estimator(gauda.LDA(solver="lsqr").fit(*iris), *iris)


def test_doubtful_rows_between_two_thresholds_are_rejected(two_species):
    X, y = two_species
    lda = gauda.LDA(reject=0.9).fit(X, y)
    low, high = FisherDisplay.from_estimator(lda, X, y).thresholds
    projected = lda.transform(X)[:, 0]
    rejected = (projected > low) & (projected < high)
    np.testing.assert_array_equal(rejected, lda.predict_proba(X).max(axis=1) < 0.9)


def test_costs_move_the_threshold_by_the_logarithm_of_their_ratio(two_species):
    X, y = two_species
    (equal,) = FisherDisplay.from_estimator(gauda.LDA().fit(X, y), X, y).thresholds
    lda = gauda.LDA(cost=[[0, 20], [1, 0]]).fit(X, y)
    (moved,) = FisherDisplay.from_estimator(lda, X, y).thresholds
    first, second = lda.transform(lda.means_)[:, 0]
    # The log-odds of white classes rise by the distance of their means.
    assert moved - equal == pytest.approx(np.log(20) / (second - first), rel=1e-8)


def test_circles_are_seen_whole(iris):
    axes = FisherDisplay.from_estimator(gauda.LDA().fit(*iris), *iris).ax_
    circles = [circle.get_extents().bounds for circle in axes.patches]
    seen = axes.get_window_extent().bounds
    assert len(circles) == 3
    for left, bottom, width, height in circles:
        assert seen[0] <= left <= left + width <= seen[0] + seen[2]
        assert seen[1] <= bottom <= bottom + height <= seen[1] + seen[3]
