"""The heat map of a search, against the columns of its results."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_hex
from sklearn.exceptions import NotFittedError

import gauda
from gauda.pictures import GridDisplay

pytestmark = pytest.mark.usefixtures("closed_figures")

ALPHAS, GAMMAS = np.array([0.0, 0.1, 0.5, 1.0]), np.array([0.0, 0.01, 0.3])


def search(losses, scoring="neg_log_loss", order=slice(None)):
    """Return what a search leaves, its points in some order."""
    alpha, gamma = (part.ravel()[order] for part in np.meshgrid(ALPHAS, GAMMAS, indexing="ij"))
    scores = -np.ravel(losses)[order]
    best = np.nanargmax(scores)
    return SimpleNamespace(
        cv_results_={"param_alpha": alpha, "param_gamma": gamma, "mean_test_score": scores},
        best_params_={"alpha": alpha[best], "gamma": gamma[best]},
        scoring=scoring,
    )


@pytest.fixture
def losses():
    return np.random.default_rng(0).uniform(size=(4, 3))


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_cells_are_the_mean_losses_whatever_the_order_of_the_points(losses, order):
    display = GridDisplay.from_estimator(search(losses, order=order))
    (image,) = display.ax_.images
    np.testing.assert_array_equal(image.get_array(), losses)
    np.testing.assert_array_equal(display.alphas, ALPHAS)
    np.testing.assert_array_equal(display.gammas, GAMMAS)


def test_scores_that_are_no_losses_keep_their_sign(losses):
    display = GridDisplay.from_estimator(search(-losses, "accuracy"))
    np.testing.assert_array_equal(display.scores, losses)
    assert display.name == "accuracy"


def test_the_chosen_point_is_marked_and_named(losses):
    losses[2, 1] = -1.5
    display = GridDisplay.from_estimator(search(losses))
    (star,) = display.ax_.lines
    np.testing.assert_array_equal(star.get_xydata(), [[1, 2]])
    (text,) = display.ax_.get_legend().get_texts()
    assert text.get_text() == "alpha = 0.5, gamma = 0.01: -1.5"


@pytest.mark.parametrize("sign", [1, -1])
def test_the_best_cell_is_the_brightest(losses, sign):
    scoring = "neg_log_loss" if sign > 0 else "accuracy"
    display = GridDisplay.from_estimator(search(sign * losses, scoring))
    (image,) = display.ax_.images
    brightness = image.to_rgba(image.get_array())[..., :3].sum(axis=2)
    best = losses.argmin() if sign > 0 else losses.argmax()
    assert brightness.argmax() == best


def test_points_without_a_score_are_grey(losses):
    losses[0, 0] = np.nan
    losses[3, 2] = np.inf
    (image,) = GridDisplay.from_estimator(search(losses)).ax_.images
    colors = image.to_rgba(image.get_array())
    assert to_hex(colors[0, 0]) == to_hex(colors[3, 2]) == "#888888"


def test_axes_are_labeled_with_the_values(losses):
    axes = GridDisplay.from_estimator(search(losses)).ax_
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("gamma", "alpha")
    assert [text.get_text() for text in axes.get_yticklabels()] == ["0", "0.1", "0.5", "1"]


def test_a_model_that_searched_nothing_is_refused(iris):
    with pytest.raises(TypeError, match="got LinearDiscriminantAnalysis"):
        GridDisplay.from_estimator(gauda.LDA().fit(*iris))


def test_a_search_that_is_yet_to_be_made_is_refused():
    with pytest.raises(NotFittedError):
        GridDisplay.from_estimator(gauda.RegularizedDiscriminantAnalysisCV())


def test_a_search_over_other_parameters_is_refused(losses):
    other = search(losses)
    other.cv_results_["param_tol"] = other.cv_results_.pop("param_gamma")
    with pytest.raises(ValueError, match="param_gamma is missing"):
        GridDisplay.from_estimator(other)


def test_a_search_without_any_finite_score_is_refused(losses):
    found = search(losses)
    found.cv_results_["mean_test_score"] = np.full(12, np.nan)
    with pytest.raises(ValueError, match="No point of the grid has a finite score"):
        GridDisplay.from_estimator(found)
