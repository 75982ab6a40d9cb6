"""What a notebook shows for objects of gauda, as pieces of a page: code, and its answer below."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

CELLS = (
    """\
from sklearn.datasets import load_iris
from gauda import LDA, Moments

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target_names[iris.target]
X.columns = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
model = LDA().fit(X, y)
model""",
    'model.boundary("versicolor", "virginica")',
    'model.classify(X.iloc[[0, 70, 133]], ("label", "max_proba", "typicality"))',
    "Moments.from_data(X, y)",
    "model.summary()",
)
"""Cells of a notebook, each ending in an expression."""


def write_notebook(path: Path) -> None:
    """Write the cells, each with what a notebook shows of its last expression."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names: dict[str, Any] = {}
    cells = [f"```python\n{cell}\n```\n\n{show_value(run_cell(cell, names))}\n" for cell in CELLS]
    path.write_text("\n".join(cells), encoding="utf-8")


def run_cell(cell: str, names: dict[str, Any]) -> Any:
    """Run a cell and return the value of its last expression."""
    *statements, last = ast.parse(cell).body
    assert isinstance(last, ast.Expr)  # noqa: S101 (the cells are those above)
    before = ast.Module(statements, type_ignores=[])
    exec(compile(before, "cell", "exec"), names)  # noqa: S102 (the same)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307 (the same)


def show_value(value: Any) -> str:
    """Return a value as notebooks show it: a formula, or a piece of HTML."""
    if hasattr(value, "_repr_latex_"):
        formula = value._repr_latex_().strip("$").removeprefix("\\displaystyle ")
        return f"```{{math}}\n{formula}\n```"
    return f'```{{raw}} html\n<div class="notebook-output">{value._repr_html_()}</div>\n```'
