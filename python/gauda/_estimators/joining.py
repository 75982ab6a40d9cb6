"""Rows that come in parts: what each gives joins what came before, and all together become a fit.

Streams and clusters take the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from gauda._data.dropping import labels_of
from gauda._data.gaps import all_dropped, warn_of_dropped
from gauda._estimators.class_weights import check_classes, weigh_rows

if TYPE_CHECKING:
    from gauda._estimators.learner import Learner
    from gauda._estimators.state import FitState

Model = TypeVar("Model", bound="Learner")


@dataclass(frozen=True)
class Part:
    """What some rows give, and how many of them were left out."""

    state: FitState | None = None
    """None if there are no rows."""
    n_rows: int = 0
    n_dropped: int = 0

    def with_rows(self, settings: Learner, data: Any, n_rows: int) -> Part:
        """Return the part together with training data, which are left of so many rows."""
        data = weigh_rows(settings.class_weight, data)
        labels = labels_of(data)
        n_dropped = labels.n_dropped
        counted = replace(self, n_rows=self.n_rows + n_rows, n_dropped=self.n_dropped + n_dropped)
        if n_dropped and not len(labels.codes):
            return counted
        batch = settings._sums(data)
        estimates = settings._estimate(data, batch)
        return replace(counted, state=settings._join(self.state, batch, estimates, None, 1.0))

    def join(self, settings: Learner, other: Part) -> Part:
        """Return both together, this one first."""
        first, second = self.state, other.state
        if first is None or second is None:
            state = second if first is None else first
        else:
            state = settings._join(first, second.statistics, second.estimates, None, 1.0)
        return Part(state, self.n_rows + other.n_rows, self.n_dropped + other.n_dropped)


def adopt(estimator: Model, settings: Learner, part: Part) -> Model:
    """Fit an estimator to what all parts give together; say how many rows were left out."""
    warn_of_dropped(part.n_dropped, part.n_rows)
    state = state_of(part)
    check_classes(settings.class_weight, state.statistics.classes)
    settings._check_size(len(state.classes), state.statistics.n_rows)
    estimator._adopt(settings._state_of(state.statistics, state.estimates, em=state.em))
    return estimator


def state_of(part: Part) -> FitState:
    """Return the state of a part; refuse one without rows."""
    if part.state is not None:
        return part.state
    if part.n_dropped:
        raise ValueError(f"The source has no rows left: {all_dropped(part.n_dropped)}")
    raise ValueError("The source has no rows; there is nothing to fit.")
