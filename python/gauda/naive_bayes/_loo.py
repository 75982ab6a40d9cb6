"""Discrete and mixed models without each row in turn: counts less one, and numbers taken out.

`leave_one_out` is a method of `DiscreteNB` and `MixedNB`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gauda import _core
from gauda._data.labels import indices_among
from gauda._estimators.access import log_posteriors_of_row
from gauda._estimators.class_weights import weigh_rows
from gauda._estimators.loo import (
    check_part,
    check_rows_unneeded,
    check_weights_given,
    refuse_single_rows,
)
from gauda._estimators.making import make_like
from gauda._estimators.state import Current
from gauda._support.arrays import Floats

if TYPE_CHECKING:
    from gauda.naive_bayes._discrete import DiscreteNB
    from gauda.naive_bayes._mixed import MixedNB


N_LEVEL_SUMS = 3
"""Parts of the sums of levels: counts, what is added to them, and which levels are forgotten."""

MAX_RATIO = 1e9
"""How many times the smallest weight a row may weigh for sums to tell whether others are left."""


def leave_one_out(  # noqa: PLR0913 (what a call is given)
    self: DiscreteNB | MixedNB,
    current: Current,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    refit_priors: bool,
) -> Floats:
    """Return the log-posteriors of each row under the model without it."""
    acting, data = rows_of_fit(self, current, X, y, sample_weight)
    statistics = current.statistics
    kept = not refit_priors or priors_are_given(acting)
    if kept and self._has_numbers(current):
        refuse_single_rows(data.labels, statistics.class_weight, statistics.classes)
    log_prior = np.asarray(current.model.log_prior) if kept else None
    rest = OtherRows(acting, current, data, acting._column_sums(current), log_prior)
    return rest.log_posteriors(self.n_threads)


def rows_of_fit(
    self: DiscreteNB | MixedNB, current: Current, X: Any, y: Any, sample_weight: Any
) -> tuple[Any, Any]:
    """Return the settings of a fit, and its rows, weighted; refuse others."""
    acting: Any = self._acting(current.settings)
    check_rows_unneeded(acting)
    data = weigh_rows(acting.class_weight, acting._check_rows(X, y, sample_weight, current))
    weight, n_rows = current.statistics.class_weight.sum(), current.statistics.n_rows
    check_weights_given(data.labels, weight == n_rows)
    check_part(current.statistics, acting._sums(data))
    return acting, data


@dataclass(frozen=True)
class OtherRows:
    """A model and its rows, each of which is left out in turn."""

    acting: Any
    current: Current
    data: Any
    sums: list[Any]
    """Of each column, as the core takes rows out of them."""
    log_prior: Floats | None
    """None if priors are counted without the row."""

    def log_posteriors(self, n_threads: int | None) -> Floats:
        """Return the log-posteriors of each row without it."""
        statistics, labels = self.current.statistics, self.data.labels
        n_classes = len(statistics.classes)
        codes = indices_among(labels.classes, statistics.classes).astype(np.uint32)[labels.codes]
        out = np.full((len(codes), n_classes), np.nan)
        for rows, columns in self.acting._code_columns(self.current, self.data):
            weights = None if labels.weights is None else labels.weights[rows]
            _core.leave_one_out_columns(
                columns,
                (codes[rows], n_classes, weights),
                self.sums,
                statistics.class_weight,
                self.log_prior,
                float(getattr(self.acting, "var_smoothing", 0.0)),
                self.acting._unseen,
                out[rows],
                n_threads,
            )
        if labels.weights is not None:
            smallest = np.min(labels.weights, where=labels.weights > 0, initial=np.inf)
            out[labels.weights > MAX_RATIO * smallest] = np.nan
        unsettled = np.flatnonzero(np.isnan(out).any(axis=1)).tolist()
        if unsettled and labels.n_counted != statistics.n_rows:
            raise ValueError(
                f"X must hold all rows of the model, whose sums lose too many digits without row "
                f"{unsettled[0]}; got {labels.n_counted} of {statistics.n_rows} rows."
            )
        for row in unsettled:
            out[row] = self.refit(row)
        return out

    def refit(self, row: int) -> Floats:
        """Return the log-posteriors of a row under a model fitted to the others."""
        labels = self.data.labels
        weights = np.ones(len(labels.codes)) if labels.weights is None else labels.weights.copy()
        weight, weights[row] = float(weights[row]), 0.0
        if not weights.any():
            raise ValueError(f"Row {row} is all that the model has seen; without it there is none.")
        rest = self.acting._sums(replace(self.data, labels=replace(labels, weights=weights)))
        parameters = self.acting.get_params(deep=False)
        if self.log_prior is not None:
            parameters[self.acting._prior_parameter] = np.exp(self.log_prior)
        everything = self.current.statistics * 0  # of which classes and levels stay known
        without = make_like(type(self.acting), everything + rest, parameters, self.current)
        entries = self.acting._row_at(self.current, self.data, row)
        for column, sums in enumerate(self.sums):
            if self.is_forgotten(sums, entries[column], weight):
                entries[column] = np.nan
        return log_posteriors_of_row(without, self.acting._as_row(entries), row)

    @staticmethod
    def is_forgotten(sums: Any, entry: float, weight: float) -> bool:
        """Tell whether a level is unknown once its last row is gone."""
        if len(sums) != N_LEVEL_SUMS or np.isnan(entry) or int(entry) >= len(sums[2]):
            return False
        counts, _, forgotten = sums
        return bool(forgotten[int(entry)] and counts[:, int(entry)].sum() == weight)


def priors_are_given(acting: Any) -> bool:
    """Tell whether priors do not follow from the rows."""
    given = getattr(acting, acting._prior_parameter) is not None
    return given or not getattr(acting, "fit_prior", True)
