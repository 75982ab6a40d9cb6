"""What all displays share: names, legends, points, axes, samples, and what they refuse."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import gauda
from gauda.pictures import (
    DecisionRegionsDisplay,
    FisherDisplay,
    GaussiansDisplay,
    ReliabilityDisplay,
    SamplesDisplay,
)
from gauda.pictures._palette import look

pytestmark = pytest.mark.usefixtures("closed_figures")

PLANES = [DecisionRegionsDisplay, GaussiansDisplay, SamplesDisplay]
ALL = [*PLANES, FisherDisplay, ReliabilityDisplay]


def axes_of(display):
    """Return the axes of a display, the first of several."""
    return np.ravel(np.asarray(display.ax_, dtype=object))[0]


def legend_of(display):
    """Return the entries of the legend of a display."""
    panels = np.ravel(np.asarray(display.ax_, dtype=object))
    (legend,) = filter(None, (axes.get_legend() for axes in panels))
    return [text.get_text() for text in legend.get_texts()]


@pytest.fixture
def named_iris(iris):
    columns = ["sepal length", "sepal width", "petal length", "petal width"]
    return pd.DataFrame(iris[0], columns=columns), iris[1]


@pytest.mark.parametrize("display", PLANES)
def test_axes_have_the_names_of_the_features(display, named_iris):
    lda = gauda.LDA().fit(*named_iris)
    drawn = display.from_estimator(lda, *named_iris, features=["petal width", "sepal length"])
    axes = axes_of(drawn)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("petal width", "sepal length")


@pytest.mark.parametrize("display", PLANES)
def test_columns_without_names_are_numbered(display, iris):
    axes = axes_of(display.from_estimator(gauda.LDA().fit(*iris), *iris, features=[3, 1]))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("feature 3", "feature 1")


@pytest.mark.parametrize("display", PLANES)
def test_points_are_the_chosen_columns_of_the_data(display, named_iris):
    X, y = named_iris
    qda = gauda.QDA().fit(X, y)
    axes = axes_of(display.from_estimator(qda, X, y, features=["petal length", "sepal width"]))
    wanted = X.loc[y == "setosa", ["petal length", "sepal width"]].to_numpy()
    assert any(np.array_equal(part.get_offsets(), wanted) for part in axes.collections)


@pytest.mark.parametrize("display", [*PLANES, FisherDisplay])
@pytest.mark.parametrize("n_classes", [3, 11, 20])
def test_the_legend_names_all_classes(display, n_classes):
    rng = np.random.default_rng(0)
    y = np.arange(400) % n_classes
    X = rng.normal(size=(400, 3)) + 9 * rng.normal(size=(n_classes, 3))[y]
    drawn = display.from_estimator(gauda.LDA().fit(X, y), X, y)
    assert legend_of(drawn)[:n_classes] == [str(label) for label in range(n_classes)]


@pytest.mark.parametrize("display", [*PLANES, FisherDisplay])
def test_a_legend_of_many_classes_stands_beside_the_axes_within_the_figure(display):
    rng = np.random.default_rng(0)
    y = np.arange(400) % 20
    X = rng.normal(size=(400, 3)) + 9 * rng.normal(size=(20, 3))[y]
    drawn = display.from_estimator(gauda.LDA().fit(X, y), X, y)
    drawn.figure_.canvas.draw()
    panel = np.ravel(np.asarray(drawn.ax_, dtype=object))[-1]
    legend, axes = panel.get_legend().get_window_extent(), panel.get_window_extent()
    assert legend.x0 >= axes.x1
    assert legend.x1 <= drawn.figure_.bbox.x1


@pytest.mark.parametrize("display", [*PLANES, FisherDisplay])
def test_long_names_leave_the_axes_their_room(display):
    rng = np.random.default_rng(0)
    y = np.arange(400) % 20
    X = rng.normal(size=(400, 3)) + 9 * rng.normal(size=(20, 3))[y]
    widths = []
    for names in (y, np.array([f"a rather long name of class {label}" for label in range(20)])[y]):
        drawn = display.from_estimator(gauda.LDA().fit(X, names), X, names)
        drawn.figure_.canvas.draw()
        widths.append(axes_of(drawn).get_window_extent().width)
    assert widths[1] > 0.9 * widths[0]


def test_sixty_four_classes_look_different():
    assert len({(to_hex(color), marker) for color, marker in map(look, range(64))}) == 64


def test_eight_classes_have_eight_colors():
    assert len({to_hex(look(code).color) for code in range(8)}) == 8


@pytest.mark.parametrize("display", ALL)
def test_given_axes_are_drawn_on(display, iris):
    figure = Figure()
    axes = figure.subplots(1, 2) if display is SamplesDisplay else figure.subplots()
    drawn = display.from_estimator(gauda.LDA().fit(*iris), *iris, ax=axes)
    assert drawn.figure_ is figure
    assert axes_of(drawn) is np.ravel(axes)[0]


@pytest.mark.parametrize("display", ALL)
def test_a_display_can_be_drawn_again(display, iris):
    drawn = display.from_estimator(gauda.LDA().fit(*iris), *iris)
    before = drawn.figure_
    assert drawn.plot() is drawn
    assert drawn.figure_ is not before
    drawn.figure_.canvas.draw()


@pytest.mark.parametrize("display", PLANES)
def test_of_many_rows_some_thousands_are_drawn_the_same_each_time(display):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30_000, 2)), rng.integers(2, size=30_000)
    qda = gauda.QDA().fit(X, y)
    drawn = [
        np.concatenate([part.get_offsets() for part in axes_of(picture).collections][:2])
        for picture in (display.from_estimator(qda, X, y) for _ in range(2))
    ]
    np.testing.assert_array_equal(*drawn)
    assert len(drawn[0]) <= 5000


@pytest.mark.parametrize("display", PLANES)
def test_rows_without_labels_are_grey(display, iris):
    drawn = display.from_estimator(gauda.LDA().fit(*iris), iris[0])
    colors = {to_hex(color) for part in axes_of(drawn).collections for color in part.get_fc()}
    assert "#888888" in colors


@pytest.mark.parametrize("display", PLANES)
def test_rows_with_missing_values_are_left_out(display, iris):
    X, y = iris
    lda = gauda.LDA().fit(X, y)
    holes = X.copy()
    holes[:10, 0] = np.nan
    axes = axes_of(display.from_estimator(lda, holes, y))
    sizes = [len(part.get_offsets()) for part in axes.collections]
    assert 40 in sizes


@pytest.mark.parametrize("display", [DecisionRegionsDisplay, GaussiansDisplay])
def test_a_model_can_be_drawn_without_rows(display):
    qda = gauda.QDA.from_parameters([[0, 5], [2, 9]], [np.eye(2), np.eye(2) * 4])
    axes = display.from_estimator(qda).ax_
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    low, high = [-2, 3], [5, 14]
    assert (np.array([left, bottom]) < low).all()
    assert (np.array([right, top]) > high).all()


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.uint8])
@pytest.mark.parametrize("display", ALL)
def test_other_element_types_and_orders_are_drawn_too(display, dtype, iris):
    X = np.asfortranarray((10 * iris[0]).astype(dtype))[::2]
    y = iris[1][::2]
    display.from_estimator(gauda.LDA().fit(X, y), X, y).figure_.canvas.draw()


@pytest.mark.parametrize("display", PLANES)
def test_nothing_of_the_estimator_is_changed(display, named_iris):
    lda = gauda.LDA().fit(*named_iris)
    before = dict(vars(lda))
    display.from_estimator(lda, *named_iris, features=[0, 3])
    assert vars(lda).keys() == before.keys()
    assert all(vars(lda)[name] is before[name] for name in before)


def test_samples_are_drawn_from_the_marginal_model(iris):
    X, y = iris
    qda = gauda.QDA().fit(X, y)
    display = SamplesDisplay.from_estimator(qda, X, y, features=[2, 3], n_samples=5000)
    for label in qda.classes_:
        drawn, rows = display.X[display.y == label], X[y == label][:, 2:]
        error = rows.std(axis=0) / np.sqrt(len(drawn))
        assert (np.abs(drawn.mean(axis=0) - rows.mean(axis=0)) < 4 * error).all()


def test_samples_are_the_same_for_the_same_seed(iris):
    lda = gauda.LDA().fit(*iris)
    first, second = (SamplesDisplay.from_estimator(lda, *iris, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(first.X, second.X)


@pytest.mark.parametrize("display", PLANES)
@pytest.mark.parametrize(
    ("features", "message"),
    [
        (["petal width", "smell"], r"There are no columns \['smell'\]"),
        ([0, 4], "must be indices from 0 to"),
        ([0], "features must be two names or indices"),
        ([0, 1, 2], "features must be two names or indices"),
        ([1, 1], "once only"),
        ("petal width", "features must be two names or indices"),
        ([0.5, 1.5], "features must be names, indices or a mask"),
    ],
)
def test_features_must_be_two_that_are_known(display, named_iris, features, message):
    lda = gauda.LDA().fit(*named_iris)
    with pytest.raises(ValueError, match=message):
        display.from_estimator(lda, *named_iris, features=features)


@pytest.mark.parametrize("display", [GaussiansDisplay, SamplesDisplay])
def test_a_model_of_one_feature_has_no_plane(display, iris):
    X, y = iris[0][:, :1], iris[1]
    with pytest.raises(ValueError, match="A plane takes two features, but this Quadratic"):
        display.from_estimator(gauda.QDA().fit(X, y), X, y)


@pytest.mark.parametrize("display", ALL)
def test_a_model_must_be_fitted(display, iris):
    with pytest.raises(NotFittedError):
        display.from_estimator(gauda.LDA(), *iris)


@pytest.mark.parametrize("display", [*PLANES, FisherDisplay])
@pytest.mark.parametrize("peer", [LogisticRegression(), make_pipeline(gauda.LDA())])
def test_other_models_are_refused(display, peer, iris):
    with pytest.raises(TypeError, match=f"got {type(peer).__name__}"):
        display.from_estimator(peer.fit(iris[0] / 10, iris[1]), *iris)


@pytest.mark.parametrize("display", ALL)
def test_labels_that_the_model_does_not_know_are_refused(display, iris):
    X, y = iris
    with pytest.raises(ValueError, match=r"none of the model's: \['rose'\]"):
        display.from_estimator(gauda.LDA().fit(X, y), X, np.where(y == "setosa", "rose", y))


@pytest.mark.parametrize("display", ALL)
def test_rows_and_labels_must_be_as_many(display, iris):
    X, y = iris
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        display.from_estimator(gauda.LDA().fit(X, y), X, y[:-1])


@pytest.mark.parametrize("display", ALL)
def test_rows_must_have_the_columns_of_the_model(display, iris):
    X, y = iris
    with pytest.raises(ValueError, match="X has 3 features"):
        display.from_estimator(gauda.LDA().fit(X, y), X[:, :3], y)


@pytest.mark.parametrize("grid_points", [1, 0, -3, 2.5, "fine"])
def test_a_grid_needs_points(grid_points, iris):
    with pytest.raises(ValueError, match="grid_points must be an integer of at least 2"):
        DecisionRegionsDisplay.from_estimator(gauda.LDA().fit(*iris), grid_points=grid_points)


def test_two_panels_need_two_axes(iris):
    with pytest.raises(ValueError, match="ax must hold two axes"):
        SamplesDisplay.from_estimator(gauda.LDA().fit(*iris), *iris, ax=Figure().subplots())


@pytest.mark.parametrize("display", ALL)
def test_without_matplotlib_the_error_says_what_to_install(display, iris, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'gauda\[plot\]'"):
        display.from_estimator(gauda.LDA().fit(*iris), *iris)


def test_the_module_is_imported_without_matplotlib():
    code = "import sys, gauda.pictures; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 (our own code)
