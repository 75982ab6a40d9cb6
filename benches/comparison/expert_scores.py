"""Answers as experts write them: a few products per block of rows, with numpy, torch and jax.

Each formula stands once; the three libraries share numpy's way of writing it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from comparison.contestants import BLOCK_ROWS, NUMPY, quadratic_parts
from comparison.data import Table

TORCH_BLOCK_ROWS = 8192
"""Torch and jax need more per call than numpy does."""

Formula = Callable[..., Any]
Call = Callable[[], Any]


class Recipe(NamedTuple):
    """Scores of a block of rows, and the arrays that the formula takes after the rows."""

    formula: Formula
    arrays: tuple[NDArray[Any], ...]


def linear(model: Any) -> Recipe:
    """Return the discriminants of LDA, for three classes or more."""
    return Recipe(
        lambda X, slopes, constants: X @ slopes + constants, (model.coef_.T, model.intercept_)
    )


def quadratic(model: Any) -> Recipe:
    """Return the scores of QDA: one product for all classes, then sums of squares."""
    k, d = model.means_.shape

    def scores(X: Any, center: Any, stacked: Any, offsets: Any, constants: Any) -> Any:
        white = (X - center) @ stacked - offsets
        return constants - (white * white).reshape(-1, k, d).sum(axis=2) / 2

    return Recipe(scores, quadratic_parts(model))


def diagonal(model: Any) -> Recipe:
    """Return the scores of naive Bayes as two products, of the columns and of their squares."""
    means, precisions = model.theta_, 1 / model.var_
    constants = np.log(model.class_prior_) + np.log(precisions).sum(axis=1) / 2
    constants -= (means**2 * precisions).sum(axis=1) / 2

    def scores(X: Any, slopes: Any, curvatures: Any, constants: Any) -> Any:
        return X @ slopes + (X * X) @ curvatures + constants

    return Recipe(scores, ((means * precisions).T, -precisions.T / 2, constants))


def tied_distances(model: Any) -> Recipe:
    """Return all squared Mahalanobis distances of LDA: whitened rows, one product, norms."""
    whitening = np.linalg.inv(np.linalg.cholesky(model.covariance_)).T
    center = model.means_.mean(axis=0)
    means = (model.means_ - center) @ whitening

    def squares(X: Any, center: Any, whitening: Any, means: Any, norms: Any) -> Any:
        white = (X - center) @ whitening
        return (white * white).sum(axis=1)[:, None] - 2 * (white @ means) + norms

    return Recipe(squares, (center, whitening, means.T, (means**2).sum(axis=1)))


def with_numpy(recipe: Recipe, answer: str, X: NDArray[Any]) -> Call:
    """Return the answer block by block, so that scores stay in cache."""
    finish = {
        "predict": partial(np.argmax, axis=1),
        "predict_proba": partial(softmax, axis=1),
        "mahalanobis": lambda squares: squares,
    }[answer]
    arrays = [np.ascontiguousarray(array, dtype=X.dtype) for array in recipe.arrays]
    blocks = [X[start : start + BLOCK_ROWS] for start in range(0, len(X), BLOCK_ROWS)]
    return lambda: np.concatenate([finish(recipe.formula(block, *arrays)) for block in blocks])


def with_torch(recipe: Recipe, answer: str, X: NDArray[Any]) -> Call:
    """Return the answer with torch."""
    import torch  # noqa: PLC0415 (may not be installed)

    finish: Formula = {
        "predict": partial(torch.argmax, dim=1),
        "predict_proba": partial(torch.softmax, dim=1),
        "mahalanobis": lambda squares: squares,
    }[answer]
    arrays = [
        torch.from_numpy(np.ascontiguousarray(array, dtype=X.dtype)) for array in recipe.arrays
    ]
    blocks = torch.from_numpy(X).split(TORCH_BLOCK_ROWS)
    return lambda: torch.cat([finish(recipe.formula(block, *arrays)) for block in blocks])


def with_jax(recipe: Recipe, answer: str, X: NDArray[Any]) -> Call:
    """Return the answer with jax, compiled for all rows at once."""
    import jax  # noqa: PLC0415 (may not be installed)

    jax.config.update("jax_enable_x64", True)  # noqa: FBT003 (jax's way)
    finish: Formula = {
        "predict": partial(jax.numpy.argmax, axis=1),
        "predict_proba": partial(jax.nn.softmax, axis=1),
        "mahalanobis": lambda squares: squares,
    }[answer]
    arrays = [jax.numpy.asarray(array, dtype=X.dtype) for array in recipe.arrays]
    compiled = jax.jit(lambda rows, *arrays: finish(recipe.formula(rows, *arrays)))
    return lambda: compiled(X, *arrays).block_until_ready()


LIBRARIES: dict[str, Callable[[Recipe, str, NDArray[Any]], Call]] = {
    "numpy": with_numpy,
    "torch": with_torch,
    "jax": with_jax,
}
RECIPES: dict[tuple[str, str], Callable[[Any], Recipe]] = {
    ("LDA", "predict"): linear,
    ("LDA", "predict_proba"): linear,
    ("LDA", "mahalanobis"): tied_distances,
    ("QDA", "predict"): quadratic,
    ("GNB", "predict"): diagonal,
    ("GNB", "predict_proba"): diagonal,
}
"""By model and method."""


def expert_calls(name: str, method: str, model: Any, table: Table) -> dict[str, Call]:
    """Return what each library does for the answer of a fitted model."""
    recipe = RECIPES[name, method](model)
    found = {who: partial(make, recipe, method, table.X) for who, make in LIBRARIES.items()}
    if (name, method) == ("QDA", "predict"):
        found["numpy"] = lambda: partial(NUMPY[name](model, table.X.dtype), table.X)
    return {who: make() for who, make in found.items() if installed(who)}


def installed(library: str) -> bool:
    """Whether a library is there."""
    return find_spec(library) is not None
