"""What notebooks show: formulas, tables and diagrams, in which no label is taken for markup."""

import re
import tracemalloc
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from matplotlib import mathtext
from models import MODELS
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gauda import LDA, QDA, Counts, Moments

WICKED = "<script>alert('&')</script>"
TEX = "a_b^c{d}%#$~\\"


class Tags(HTMLParser):
    """The tags and the text of a piece of HTML."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):  # noqa: ARG002 (the parser's interface)
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def cells(html):
    """Return the rows of the last table."""
    rows = re.findall(r"<tr>(.*?)</tr>", html.rpartition("<table>")[2])
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


@pytest.fixture
def pair():
    X = np.array([[-2.0, 0.0], [-1.0, 1.0], [-1.5, 2.0], [1.0, 1.0], [2.0, 0.0], [1.5, 2.0]])
    return X, np.repeat([WICKED, "b"], 3)


class TestFormulas:
    def test_a_linear_boundary(self):
        # Of N(-1, 1) and N(1, 1) with equal priors the log-odds are 2x.
        model = LDA.from_parameters([[-1.0], [1.0]], [[1.0]], classes=["low", "high"])
        latex = model.boundary("high", "low")._repr_latex_()
        assert latex == (
            "$\\displaystyle \\begin{aligned}\n"
            r"f(x) &= \log \frac{p(\mathrm{high} \mid x)}{p(\mathrm{low} \mid x)} = 0 + 2\, x_{0}"
            " \\\\\n"
            r"p(\mathrm{high} \mid x) &= \frac{1}{1 + e^{-f(x)}}"
            "\n\\end{aligned}$"
        )

    def test_a_quadratic_boundary_has_squares_and_products(self):
        # N(0, I) against N(0, S) with S^-1 = [[2, 1], [1, 2]]: the log-odds are
        # (x0² + 2 x0 x1 + x1²) / 2 - log(3) / 2.
        S = np.linalg.inv([[2.0, 1.0], [1.0, 2.0]])
        model = QDA.from_parameters([[0, 0], [0, 0]], [np.eye(2), S], classes=["i", "j"])
        latex = model.boundary("i", "j")._repr_latex_()
        form = latex.partition(" = ")[2].partition("\n")[0]
        assert re.sub(r"0\.[45]\d+|0\.5", "h", form) == (
            r"-h + h\, {x_{0}}^2 + 1\, x_{0}\, x_{1} + h\, {x_{1}}^2 \\"
        )

    def test_names_are_no_commands(self):
        X = [[0.0], [1.0], [3.0], [4.0]]
        model = LDA().fit(X, [TEX, TEX, WICKED, WICKED])
        latex = model.boundary(TEX, WICKED)._repr_latex_()
        assert "<" not in latex
        assert ">" not in latex
        escaped = r"\mathrm{a\_b\wedge c\{d\}\%\#\$\sim \backslash }"
        assert escaped in latex
        assert model.discriminant_functions()._repr_latex_().count(r"\delta_{\mathrm") == 2
        without_commands = re.sub(r"\\[A-Za-z]+ ?|\\.", "", escaped)
        assert without_commands == "{abcd}"

    def test_lines_can_be_typeset(self):
        rng = np.random.default_rng(0)
        model = QDA().fit(rng.normal(size=(60, 3)) * [1e-7, 1, 1e9], np.arange(60) % 2)
        latex = model.boundary(0, 1)._repr_latex_()
        assert r" \times 10^{" in latex
        body = latex.split("{aligned}\n")[1].rpartition("\n\\end")[0]
        parser = mathtext.MathTextParser("path")
        for line in body.replace("&", "").split(" \\\\\n"):
            parser.parse(f"${line}$".replace(r"\top", "T"))

    @pytest.mark.parametrize(("name", "n_lines"), [("x", 1), ("length of the petal ", 3)])
    def test_lines_are_about_as_wide_whatever_the_names(self, name, n_lines):
        columns = [[0, 1, 2, 4, 5, 6], [0, 2, 1, 1, 3, 5], [1, 0, 2, 5, 3, 2]]
        X = pd.DataFrame({f"{name}{index}": values for index, values in enumerate(columns)})
        latex = LDA().fit(X, [0, 0, 0, 1, 1, 1]).boundary(0, 1)._repr_latex_()
        assert latex.partition(" = ")[2].partition("\np(")[0].count("\n") == n_lines - 1

    def test_long_formulas_are_left_to_matrices(self):
        rng = np.random.default_rng(0)
        model = QDA().fit(rng.normal(size=(200, 20)), np.arange(200) % 2)
        assert r"= x^\top A x + b^\top x " in model.boundary(0, 1)._repr_latex_()

    def test_many_discriminants_are_cut(self):
        X = np.repeat(np.arange(30.0), 3)[:, np.newaxis] + np.tile([0, 0.1, 0.2], 30)[:, np.newaxis]
        latex = LDA().fit(X, np.repeat(np.arange(30), 3)).discriminant_functions()._repr_latex_()
        assert latex.count(r"\delta_") == 20
        assert r"30\ classes" in latex


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_model_shows_its_classes(name):
    X, y = MODELS[name].data(60)
    model = MODELS[name].make()
    assert "<table><thead>" not in model._repr_html_()
    model.fit(X, y)
    html = model._repr_html_()
    assert "sk-" in html
    rows = cells(html)
    assert rows[0] == ["class", "weight", "prior"]
    labels, counts = np.unique(y, return_counts=True)
    assert [row[0] for row in rows[1:]] == [str(label) for label in labels]
    assert [float(row[1]) for row in rows[1:]] == counts.tolist()
    assert sum(float(row[2]) for row in rows[1:]) == pytest.approx(1, abs=1e-3)
    assert model._repr_mimebundle_()["text/html"].count("<table><thead>") == 1


def test_settings_of_scikit_learn_are_kept(pair):
    model = LDA().fit(*pair)
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert model._repr_mimebundle_() == {"text/plain": repr(model)}
    assert "LinearDiscriminantAnalysis" in make_pipeline(StandardScaler(), model)._repr_html_()


def test_a_model_that_cannot_decide_is_shown(pair):
    model = LDA().fit(*pair)
    model.priors = [2, -1]
    assert "sk-" in model._repr_html_()


def test_matrices_of_wide_models_are_not_made_to_show_them():
    rng = np.random.default_rng(0)
    model = LDA(solver="lsqr", shrinkage=0.5).fit(rng.normal(size=(30, 1000)), np.arange(30) % 2)
    model.predict(np.zeros((1, 1000)))
    tracemalloc.start()
    try:
        model._repr_html_()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1000 * 1000 * 8


def test_no_label_is_markup(pair):
    X, y = pair
    model = QDA(reg_param=0.1).fit(X, y)
    answer = model.classify(X, ("label", "proba", "top_k"), top_k=2)
    plain = Tags(LDA().fit(X, np.repeat(["a", "b"], 3))._repr_html_()).tags.count("script")
    shown = [Moments.from_data(X, y), answer, model.summary(), model.diagnostics()]
    for value in [*shown, model.contrast(WICKED, "b"), Counts.from_data(X > 0, y)]:
        read = Tags(value._repr_html_())
        assert "script" not in read.tags, type(value)
        assert WICKED in read.text, type(value)
    assert Tags(model._repr_html_()).tags.count("script") == plain


class TestStatistics:
    def test_classes_with_weights_and_shares(self):
        html = Moments.from_data([[0.0], [1.0], [2.0], [4.0]], ["a", "a", "a", "b"])._repr_html_()
        assert cells(html) == [
            ["class", "weight", "share"],
            ["a", "3", "75.00%"],
            ["b", "1", "25.00%"],
        ]
        assert "4 rows, 1 feature" in Tags(html).text

    def test_many_classes_are_cut(self):
        rows = cells(Moments.from_data(np.arange(50.0)[:, np.newaxis], np.arange(50))._repr_html_())
        assert len(rows) == 22
        assert rows[-1] == ["… of 50", "", ""]


class TestClassification:
    def test_the_first_rows(self):
        model = LDA.from_parameters([[-1.0], [1.0]], [[1.0]], classes=["low", "high"])
        html = model.classify(np.zeros((30, 1)), ("label", "proba"))._repr_html_()
        rows = cells(html)
        assert rows[0] == ["row", "label", "proba[0]", "proba[1]"]
        assert rows[1][2:] == ["0.5", "0.5"]
        assert len(rows) == 11
        assert "of 30 rows" in Tags(html).text

    def test_scenes_show_shapes(self, pair):
        answer = LDA().fit(*pair).classify(np.zeros((3, 4, 2)), ("label", "proba"))
        rows = cells(answer._repr_html_())
        assert rows[1][:2] == ["label", "(3, 4)"]
        assert rows[2][:2] == ["proba", "(3, 4, 2)"]

    def test_no_rows(self, pair):
        model = LDA().fit(*pair)
        with pytest.raises(ValueError, match="0 sample"):
            model.classify(np.zeros((0, 2)), ("label",))
