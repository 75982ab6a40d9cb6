"""What the pages for users of other programs call gauda's, gauda has."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

import gauda
from gauda.model_selection import ColumnSelector

DOCS = Path(__file__).parents[2] / "docs"
INTERFACE = Path(__file__).parents[1] / "reference" / "public_interface.txt"
PAGES = [DOCS / "coming_from.md", DOCS / "coming_from_scikit_learn.md"]
CALLABLE = {
    **{name: getattr(gauda, name) for name in gauda.__all__},
    "ColumnSelector": ColumnSelector,
}
TALK = {"X", "y", "x", "i", "j", "C", "g", "l", "e", "model", "new", "selector", "gauda", "sklearn"}
"""Names of data and models that the tables make up."""
OUTSIDE = {"covariance", "MinCovDet", "cross_val_score", "print", "laplace", "manova"}
"""Names of other programs, beside ours in the same cell."""


def snippets():
    """Give the code in the last column of every table."""
    for page in PAGES:
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith("| ") and not line.startswith("| |"):
                for code in re.findall(r"`([^`]+)`", line.rstrip("| ").rpartition(" | ")[2]):
                    if not code.startswith(("gauda ", "GAUDA", "RAYON", "OMP", '"', "'", "**")):
                        yield code.rstrip("=") if re.fullmatch(r"\w+=", code) else code


def parsed(code):
    """Return the code as a tree; parameters alone are those of a call."""
    try:
        return ast.parse(code, mode="eval")
    except SyntaxError:
        return ast.parse(f"model({code})", mode="eval")


@pytest.fixture(scope="module")
def known():
    """All names of the public interface, and attributes of fitted models."""
    X, y = load_iris(return_X_y=True)
    fitted = [gauda.LDA().fit(X, y), gauda.RDA(covariance="test").fit(X, y)]
    tests = [fitted[0].separation_tests(), ColumnSelector(gauda.LDA()).fit(X, y)]
    attributes = {name for found in [*fitted, *tests] for name in {*dir(found), *vars(found)}}
    return {
        *re.findall(r"\w+", INTERFACE.read_text(encoding="utf-8")),
        *attributes,
        *TALK,
        *OUTSIDE,
    }


@pytest.mark.parametrize("code", sorted(set(snippets())))
def test_every_name_exists(code, known):
    tree = parsed(code)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    used |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    assert used <= known


def constructors():
    """Give the snippets that make an estimator, with all their values."""
    for code in sorted(set(snippets())):
        call = parsed(code).body
        while isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            call = call.func.value
        complete = not any(
            isinstance(node, ast.Constant) and node.value is ... for node in ast.walk(call)
        )
        if isinstance(call, ast.Call) and complete and call.func.id in CALLABLE:
            yield ast.unparse(call)


@pytest.mark.parametrize("code", sorted(set(constructors())))
def test_every_estimator_fits(code):
    X, y = load_iris(return_X_y=True)
    model = eval(code, {**CALLABLE, "g": 0.1, "l": 0.5, "C": 1 - np.eye(3)})  # noqa: S307 (our own pages)
    assert (
        model.fit(X, y).predict(X).shape == (150,) if hasattr(model, "predict") else model.fit(X, y)
    )
