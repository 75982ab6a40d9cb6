"""The models of BernoulliNB in the core."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from gauda import _core
from gauda._data.discrete_rows import threshold_for
from gauda._support.arrays import Floats
from gauda.naive_bayes._models_of_rows import ModelOfRows


class PresenceModels(ModelOfRows):
    """The core's models of the same probabilities, one for each threshold that rows take."""

    def __init__(
        self,
        log_prior: Floats,
        log_present: Floats,
        log_absent: Floats,
        binarize: float | None,
    ) -> None:
        self.log_prior, self.log_present, self.log_absent = log_prior, log_present, log_absent
        self.binarize = binarize
        self.made: dict[float | None, _core.AffineModel] = {}

    def with_log_prior(self, log_prior: Floats) -> PresenceModels:
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

    def log_tables(self) -> list[Floats]:
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
