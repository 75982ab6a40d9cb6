"""Predictions as experts write them with torch and jax; those with numpy are in `contestants`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from comparison.data import Table

Make = Callable[[Any, Table], Callable[[], Any]]


def torch_lda(model: Any, table: Table) -> Callable[[], Any]:
    """Return LDA's prediction with torch."""
    import torch  # noqa: PLC0415 (may not be installed)

    X = torch.from_numpy(table.X)
    slopes = torch.from_numpy(np.ascontiguousarray(model.coef_.T.astype(table.X.dtype)))
    constants = torch.from_numpy(model.intercept_.astype(table.X.dtype))
    return lambda: torch.addmm(constants, X, slopes).argmax(dim=1)


def jax_lda(model: Any, table: Table) -> Callable[[], Any]:
    """Return LDA's prediction with jax, compiled."""
    import jax  # noqa: PLC0415 (may not be installed)

    jax.config.update("jax_enable_x64", True)  # noqa: FBT003 (jax's way)
    slopes, constants = model.coef_.T.astype(table.X.dtype), model.intercept_.astype(table.X.dtype)
    predict = jax.jit(lambda X: (X @ slopes + constants).argmax(axis=1))
    call = partial(lambda X: predict(X).block_until_ready(), table.X)
    call()
    return call


PREDICTS: dict[str, dict[str, Make]] = {
    "QDA": {},
    "LDA": {"torch": torch_lda, "jax": jax_lda},
    "GNB": {},
}
"""By model and library."""
