"""Models of the core that are given rows as they were checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import NDArray


class ModelOfRows(ABC):
    """One or several models of the core, given rows as they were checked."""

    @abstractmethod
    def model_for(self, rows: Any) -> Any:
        """Return the model of the core that answers about rows of some type."""

    def label_few(self, rows: NDArray[Any], names: NDArray[Any]) -> NDArray[Any] | None:
        """Return the labels of a few rows, as the core reads them."""
        labels: NDArray[Any] | None = self.model_for(rows).label_few(rows, names)
        return labels

    def posterior_few(self, rows: NDArray[Any]) -> NDArray[Any] | None:
        """Return the posteriors of a few rows, as the core reads them."""
        posteriors: NDArray[Any] | None = self.model_for(rows).posterior_few(rows)
        return posteriors

    def answer(self, rows: Any, n_threads: int | None, rules: Any, **answers: Any) -> None:
        """Fill arrays with answers."""
        if rules is not None and rules.no_data is not None and isinstance(rows.arrays, tuple):
            raise ValueError("nodata must be None for sparse X; got a value. Give X as an array.")
        self.model_for(rows).answer(rows.arrays, n_threads, rules, **answers)
