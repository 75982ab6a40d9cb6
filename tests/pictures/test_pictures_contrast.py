"""The picture of a contrast: bars in the order of their sizes."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from models import MODELS

import gauda
from gauda.pictures import ContrastDisplay

pytestmark = pytest.mark.usefixtures("closed_figures")


def widths(display):
    return np.array([bar.get_width() for bar in display.ax_.patches])


@pytest.mark.parametrize("name", [name for name in MODELS if name != "ComplementNB"])
def test_bars_are_the_parts(name):
    model = MODELS[name].fitted()
    display = ContrastDisplay.from_estimator(model, "ant", "bee")
    found = model.contrast("ant", "bee")
    np.testing.assert_allclose(widths(display), found.expected[found.order])
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == [found.features[column] for column in found.order]
    assert display.ax_.get_title() == "What tells ant from bee"
    assert (display.ax_.get_legend() is None) == (found.chain is None)


def test_a_row_has_a_bar_for_the_priors():
    model = MODELS["QDA"].fitted(priors=[0.5, 0.3, 0.2])
    _, ax = plt.subplots()
    display = ContrastDisplay.from_row(model, [1.0, 0.0, 0.0], classes=("ant", "bee"), ax=ax)
    found = model.explain([1.0, 0.0, 0.0], classes=("ant", "bee"))
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    expected = [*found.contribution[found.order], found.log_prior_ratio]
    np.testing.assert_allclose(widths(display), expected)
    assert ax.get_yticklabels()[-1].get_text() == "priors"


def test_many_columns_end_in_one_bar():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 30)), np.arange(200) % 2
    display = ContrastDisplay.from_estimator(gauda.LDA().fit(X, y), 0, 1)
    assert len(widths(display)) == 21
    assert display.ax_.get_yticklabels()[-1].get_text() == "10 more"
    assert widths(display).sum() == pytest.approx(display.contrast.total)


def test_infinite_parts_are_drawn():
    model = gauda.CategoricalNB(alpha=0).fit([[0, 0], [1, 1], [2, 0], [2, 1]], [0, 0, 1, 1])
    assert np.isfinite(widths(ContrastDisplay.from_estimator(model, 0, 1))).all()
