"""Levels, pairs of columns, mixed columns, classifiers of others, and what displays add."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB as PeerCategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import gauda
from gauda.pictures import (
    DecisionRegionsDisplay,
    DensitiesDisplay,
    FisherDisplay,
    GaussiansDisplay,
    LevelsDisplay,
    PairsDisplay,
    SamplesDisplay,
)

pytestmark = pytest.mark.usefixtures("closed_figures")

PETALS = ["petal length", "petal width"]


@pytest.fixture
def flowers(iris):
    """Frame of numbers with a column of colors, and its labels."""
    frame = pd.DataFrame(iris[0][:, 2:], columns=PETALS)
    frame["color"] = np.where(np.arange(150) % 4 == 0, "red", iris[1])
    return frame[["petal length", "color", "petal width"]], iris[1]


def test_levels_have_the_probabilities_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, y = rng.integers(4, size=(60, 3)), rng.integers(3, size=60)
    display = LevelsDisplay.from_estimator(gauda.CategoricalNB().fit(X, y), feature=1)
    peer = PeerCategoricalNB().fit(X, y)
    np.testing.assert_allclose(display.probabilities, np.exp(peer.feature_log_prob_[1]))
    heights = [bar.get_height() for bar in display.ax_.patches]
    np.testing.assert_allclose(heights, display.probabilities.ravel())


def test_levels_of_presence_are_present_and_absent():
    nb = gauda.BernoulliNB(alpha=0, force_alpha=True).fit([[1, 0], [1, 1], [0, 1]], [0, 0, 1])
    display = LevelsDisplay.from_estimator(nb)
    np.testing.assert_allclose(display.probabilities, [[0, 1], [1, 0]])


def test_levels_of_mixed_columns_are_counted(flowers):
    X, y = flowers
    display = LevelsDisplay.from_estimator(gauda.MixedNB(alpha=0).fit(X, y))
    expected = pd.crosstab(y, X["color"], normalize="index")
    assert display.levels == expected.columns.tolist()
    np.testing.assert_allclose(display.probabilities, expected)
    assert display.ax_.get_xlabel() == "color"


def test_levels_are_refused_of_numbers(flowers, iris):
    with pytest.raises(ValueError, match=r"of numbers\. Use DensitiesDisplay"):
        LevelsDisplay.from_estimator(gauda.MixedNB().fit(*flowers), feature="petal width")
    with pytest.raises(TypeError, match=r"got GaussianNB\. DensitiesDisplay"):
        LevelsDisplay.from_estimator(gauda.GaussianNB().fit(*iris))


@pytest.mark.parametrize("given", [None, {"color": "red"}, {"color": "virginica"}])
def test_mixed_columns_are_decided_with_others_summed_out_or_given(flowers, given):
    X, y = flowers
    nb = gauda.MixedNB().fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(
        nb, X, y, features=PETALS, given=given, grid_points=30
    )
    left, right, bottom, top = display.extent
    across = left + (np.arange(30) + 0.5) * (right - left) / 30
    up = bottom + (np.arange(30) + 0.5) * (top - bottom) / 30
    points = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    rows = pd.DataFrame({"petal length": points[:, 0], "petal width": points[:, 1]})
    rows.insert(1, "color", None if given is None else given["color"])
    np.testing.assert_array_equal(display.classes[display.regions.ravel()], nb.predict(rows))


def test_the_values_of_other_numbers_may_be_given(iris):
    qda = gauda.QDA().fit(*iris)
    given = {0: 5.8, 1: 3.0}
    display = DecisionRegionsDisplay.from_estimator(qda, given=given, grid_points=30)
    left, right, bottom, top = display.extent
    across = left + (np.arange(30) + 0.5) * (right - left) / 30
    up = bottom + (np.arange(30) + 0.5) * (top - bottom) / 30
    points = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    rows = np.column_stack([np.tile([5.8, 3.0], (len(points), 1)), points])
    np.testing.assert_array_equal(display.classes[display.regions.ravel()], qda.predict(rows))


def test_given_columns_are_not_drawn(iris):
    with pytest.raises(ValueError, match="given must leave the columns of the axes free"):
        DecisionRegionsDisplay.from_estimator(gauda.QDA().fit(*iris), features=[0, 1], given={1: 3})


@pytest.mark.parametrize("display", [DecisionRegionsDisplay, GaussiansDisplay, SamplesDisplay])
def test_axes_are_columns_of_numbers(display, flowers):
    nb = gauda.MixedNB().fit(*flowers)
    with pytest.raises(ValueError, match="got 'color', which holds categories"):
        display.from_estimator(nb, *flowers, features=["petal length", "color"])


@pytest.mark.parametrize("display", [DecisionRegionsDisplay, GaussiansDisplay, SamplesDisplay])
def test_mixed_columns_take_the_first_numbers(display, flowers):
    axes = display.from_estimator(gauda.MixedNB().fit(*flowers), *flowers).ax_
    axes = np.ravel(np.asarray(axes, dtype=object))[0]
    assert [axes.get_xlabel(), axes.get_ylabel()] == PETALS


def test_a_cost_of_mixed_columns_is_kept(flowers):
    X, y = flowers
    cost = [[0, 1, 1], [1, 0, 50], [1, 1, 0]]
    plain, dear = (
        DecisionRegionsDisplay.from_estimator(gauda.MixedNB(cost=c).fit(X, y), X, y).regions
        for c in (None, cost)
    )
    assert (dear == 1).sum() > (plain == 1).sum()


PEERS = {
    "probabilities": LogisticRegression(),
    "a pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "decision functions": LinearSVC(),
    "steps": DecisionTreeClassifier(random_state=0),
}


@pytest.mark.parametrize("peer", PEERS.values(), ids=PEERS)
@pytest.mark.parametrize("named", [False, True])
def test_classifiers_of_others_are_drawn(peer, named, iris):
    X, y = iris[0][:, 2:], iris[1]
    X = pd.DataFrame(X, columns=PETALS) if named else X
    display = DecisionRegionsDisplay.from_estimator(peer.fit(X, y), X, y, grid_points=40)
    left, right, bottom, top = display.extent
    across = left + (np.arange(40) + 0.5) * (right - left) / 40
    up = bottom + (np.arange(40) + 0.5) * (top - bottom) / 40
    points = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    rows = pd.DataFrame(points, columns=PETALS) if named else points
    decided = display.classes[display.regions.ravel()]
    np.testing.assert_array_equal(decided, peer.predict(rows))


def test_curves_of_others_are_where_their_posteriors_tie(iris):
    X, y = iris[0][:, 2:], iris[1]
    peer = LogisticRegression().fit(X, y)
    curves = DecisionRegionsDisplay.from_estimator(peer, X, y).curves
    assert len(curves) >= 2
    for i, j, points in curves:
        scores = peer.decision_function(points)
        pair = [list(peer.classes_).index(label) for label in (i, j)]
        np.testing.assert_allclose(scores[:, pair[0]], scores[:, pair[1]], atol=1e-6)


def test_what_others_cannot_do_is_refused(iris):
    X, y = iris
    peer = LogisticRegression(max_iter=1000).fit(X[:, 2:], y)
    with pytest.raises(ValueError, match="X must be given to draw a LogisticRegression"):
        DecisionRegionsDisplay.from_estimator(peer)
    with pytest.raises(ValueError, match="Fit it to two columns"):
        DecisionRegionsDisplay.from_estimator(peer, X, y, features=[0, 1])


def test_soft_regions_are_colored_by_posteriors(iris):
    X, y = iris[0][:, 2:], iris[1]
    qda = gauda.QDA().fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(qda, X, y, soft=True, grid_points=25)
    left, right, bottom, top = display.extent
    corner = [[left + 0.5 * (right - left) / 25, bottom + 0.5 * (top - bottom) / 25]]
    np.testing.assert_allclose(display.posteriors[0, 0], qda.predict_proba(corner)[0], atol=1e-12)
    colors = np.asarray(display.ax_.images[0].get_array())
    assert len(np.unique(colors.reshape(-1, 3), axis=0)) > 3


def test_regions_may_be_left_out(iris):
    qda = gauda.QDA().fit(*iris)
    display = DecisionRegionsDisplay.from_estimator(qda, *iris, regions=False)
    assert not display.ax_.images
    assert display.ax_.lines


def test_pairs_show_the_marginal_models_and_their_errors(iris):
    X, y = iris
    display = PairsDisplay.from_estimator(gauda.QDA().fit(X, y), X, y, features=[1, 3, 2])
    columns = [1, 3, 2]
    assert sorted(display.regions) == [(1, 0), (2, 0), (2, 1)]
    for (below, beside), error in display.errors.items():
        pair = X[:, [columns[beside], columns[below]]]
        assert error == pytest.approx(1 - gauda.QDA().fit(pair, y).score(pair, y))
    names = [axes.get_xlabel() for axes in display.ax_[-1]]
    assert names == ["feature 1", "feature 3", "feature 2"]
    assert [len(display.densities), display.ax_.shape] == [3, (3, 3)]


def test_pairs_of_mixed_columns_are_of_numbers(flowers):
    display = PairsDisplay.from_estimator(gauda.MixedNB().fit(*flowers), *flowers)
    assert display.feature_names == PETALS


def test_pairs_take_two_to_eight_columns(iris):
    X, y = iris
    with pytest.raises(ValueError, match="must be 2 to 8 columns of numbers; got 1"):
        PairsDisplay.from_estimator(gauda.QDA().fit(X, y), X, y, features=[0])
    with pytest.raises(ValueError, match=r"ax must hold 4 x 4 axes"):
        PairsDisplay.from_estimator(gauda.QDA().fit(X, y), X, y, ax=Figure().subplots(2, 2))


def test_samples_are_drawn_without_data(iris):
    display = SamplesDisplay.from_estimator(gauda.QDA().fit(*iris), n_samples=80)
    assert [axes.get_title() for axes in display.ax_] == ["80 rows of the model"]
    axes = Figure().subplots()
    assert SamplesDisplay.from_estimator(gauda.QDA().fit(*iris), ax=axes).ax_[0] is axes


def test_fishers_plane_has_circles_and_arrows(iris):
    lda = gauda.LDA().fit(*iris)
    axes = FisherDisplay.from_estimator(lda, *iris).ax_
    radii = {patch.get_radius() for patch in axes.patches if hasattr(patch, "get_radius")}
    # chi-square with two degrees of freedom: the 95 % quantile is -2 log 0.05
    np.testing.assert_allclose(list(radii), np.sqrt(-2 * np.log(0.05)))
    assert {text.get_text() for text in axes.texts} > {"feature 0", "feature 3"}
    plain = FisherDisplay.from_estimator(lda, *iris, ellipses=False, arrows=False).ax_
    assert not plain.texts
    assert not plain.patches


def test_a_density_needs_numbers():
    nb = gauda.MixedNB().fit([["a"], ["b"], ["a"], ["b"]], [0, 1, 0, 0])
    with pytest.raises(ValueError, match="LevelsDisplay draws columns of categories"):
        DensitiesDisplay.from_estimator(nb)
