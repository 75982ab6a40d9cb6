"""The models of BernoulliNB in the core."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda import _core
from gauda._data.discrete_rows import Rows, threshold_for


class PresenceModels:
    """The core's models of the same probabilities, one for each threshold that rows take."""

    def __init__(
        self,
        log_prior: NDArray[np.float64],
        log_present: NDArray[np.float64],
        log_absent: NDArray[np.float64],
        binarize: float | None,
    ) -> None:
        self.log_prior, self.log_present, self.log_absent = log_prior, log_present, log_absent
        self.binarize = binarize
        self.made: dict[float | None, _core.AffineModel] = {}

    def with_log_prior(self, log_prior: NDArray[np.float64]) -> PresenceModels:
        """Return the same models under other priors."""
        other = PresenceModels(log_prior, self.log_present, self.log_absent, self.binarize)
        other.made = {
            threshold: model.with_log_prior(log_prior) for threshold, model in self.made.items()
        }
        return other

    def of_classes(self, codes: list[int]) -> PresenceModels:
        """Return the models of some classes, with the priors that these have among all."""
        tables = self.log_prior[codes], self.log_present[codes], self.log_absent[codes]
        return PresenceModels(*tables, self.binarize)

    @cached_property
    def columns(self) -> _core.ColumnModel:
        """The same column by column, which draws rows and fills gaps."""
        tables = self.log_tables()
        return _core.ColumnModel(self.log_prior, tables, may_miss=True, ignores_unknown=False)

    def log_tables(self) -> list[NDArray[np.float64]]:
        """Return the log-probabilities of absence and presence of each column, class x level."""
        tables = np.stack([self.log_absent, self.log_present], axis=2).swapaxes(0, 1)
        return list(np.ascontiguousarray(tables))

    def model_for(self, rows: Any) -> _core.AffineModel:
        """Return the model of the core for rows of some type."""
        threshold = threshold_for(rows, self.binarize)
        made = self.made.get(threshold)
        if made is None:
            made = _core.AffineModel(self.log_prior, self.log_present, self.log_absent, threshold)
            self.made[threshold] = made
        return made

    def label_few(self, rows: NDArray[Any], names: NDArray[Any]) -> NDArray[Any] | None:
        """Return the labels of a few rows, as the core reads them."""
        return self.model_for(rows).label_few(rows, names)

    def posterior_few(self, rows: NDArray[Any]) -> NDArray[Any] | None:
        """Return the posteriors of a few rows, as the core reads them."""
        return self.model_for(rows).posterior_few(rows)

    def answer(self, rows: Rows, n_threads: int | None, rules: Any, **answers: Any) -> None:
        """Fill arrays with answers."""
        refuse_sparse_no_data(rows, rules)
        self.model_for(rows).answer(rows.arrays, n_threads, rules, **answers)


def refuse_sparse_no_data(rows: Rows, rules: Any) -> None:
    """Refuse what stands for no data where entries are left out anyway."""
    if rules is not None and rules.no_data is not None and not isinstance(rows.arrays, np.ndarray):
        raise ValueError("nodata must be None for sparse X; got a value. Give X as an array.")
