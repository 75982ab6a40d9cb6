"""What decides at a point: scores, of which the largest wins, and thresholds for rejection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._estimators.access import scorer as scorer_of
from gauda._estimators.classifier import Classifier
from gauda._scoring.rules import Rules
from gauda._support.arrays import Floats

TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Decisions:
    """What a model may decide: a class, or to reject, which comes last."""

    model: Any
    rules: Rules
    names: NDArray[Any]
    """Labels of the decisions."""

    @classmethod
    def of(cls, model: Any) -> Decisions:
        """Take the parameters of a fitted model; other libraries' have none."""
        if not isinstance(model, Classifier):
            return cls(model, Rules(), model.classes_)
        scorer = scorer_of(model)
        return cls(model, scorer.rules or Rules(), scorer.labels)

    def scores(self, points: Floats) -> Floats:
        """Return a score for each decision, of which the largest wins: smooth functions."""
        if self.rules.cost is None:
            return np.asarray(self.model.predict_log_proba(points))
        return -np.asarray(self.model.predict_cost(points))

    def margins(self, points: Floats) -> Floats | None:
        """Return for each decision how far above the least posterior and typicality it is, in logs.

        Below 0 the class is rejected, should it win; without thresholds there are none.
        """
        margins = []
        if self.rules.min_posterior is not None:
            log_posterior = self.model.predict_log_proba(points)
            margins.append(log_posterior - log(self.rules.min_posterior))
        if self.rules.min_typicality is not None:
            log_tail = log(self.model.typicality(points))
            margins.append(log_tail - log(self.rules.min_typicality))
        if not margins:
            return None
        n_others = len(self.names) - len(self.model.classes_)
        # To reject for its cost is to reject, too.
        return np.pad(np.min(margins, axis=0), ((0, 0), (0, n_others)), constant_values=-np.inf)


def log(values: Any) -> Floats:
    """Return logarithms; those of 0 are finite."""
    return np.asarray(np.log(np.maximum(values, TINY)))
