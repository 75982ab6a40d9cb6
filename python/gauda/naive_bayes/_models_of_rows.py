"""Models of the core that are given rows as they were checked."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


class ModelOfRows:
    """A model of the core, given rows as they were checked."""

    def __init__(self, core: Any) -> None:
        self.core = core

    @property
    def log_prior(self) -> NDArray[np.float64]:
        """Logarithms of the priors."""
        return np.asarray(self.core.log_prior)

    @property
    def columns(self) -> Any:
        """The model of the core column by column, which draws rows and fills gaps."""
        return self.core

    def with_log_prior(self, log_prior: NDArray[np.float64]) -> Self:
        """Return the same model under other priors."""
        return type(self)(self.core.with_log_prior(log_prior))

    def label_few(self, rows: NDArray[Any], names: NDArray[Any]) -> NDArray[Any] | None:
        """Return the labels of a few rows, as the core reads them."""
        labels: NDArray[Any] | None = self.core.label_few(rows, names)
        return labels

    def posterior_few(self, rows: NDArray[Any]) -> NDArray[Any] | None:
        """Return the posteriors of a few rows, as the core reads them."""
        posteriors: NDArray[Any] | None = self.core.posterior_few(rows)
        return posteriors

    def answer(self, rows: Any, n_threads: int | None, rules: Any, **answers: Any) -> None:
        """Fill arrays with answers."""
        self.core.answer(rows.arrays, n_threads, rules, **answers)
