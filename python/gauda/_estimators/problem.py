"""What a Gaussian model is solved from, and how parameters say that values may be missing."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from gauda import _core
from gauda._data.sklearn_private import Interval, StrOptions
from gauda._data.training import LabeledRows
from gauda._estimators.learner import Estimates, Learner
from gauda._estimators.refusals import refuse_other_estimates
from gauda._estimators.state import Current, FitState, Solution
from gauda._statistics.access import core_of, dtype_of, moments_of
from gauda._statistics.conjugate_prior import NormalInverseWishart
from gauda._statistics.core_sums import LOWEST
from gauda._statistics.moments import Moments
from gauda._statistics.priors import logarithms
from gauda._support.arrays import Floats
from gauda._support.record import record

if TYPE_CHECKING:
    from gauda._estimators.gaussian import GaussianClassifier


MISSING_CONSTRAINTS: dict[str, Any] = {
    "missing": [StrOptions({"raise", "marginalize", "propagate", "drop"})],
    "em_max_iter": [Interval(Integral, 1, None, closed="left")],
    "em_tol": [Interval(Real, 0, None, closed="left")],
    "verbose": ["boolean"],
}
"""Of the parameters that say how missing values are handled."""

OF_ROWS = frozenset({"covariances", "intensities"})
"""Estimates that moments alone do not give."""

FOURTH_ORDER = frozenset({"auto", "ledoit_wolf"})
"""Values of `shrinkage` whose intensity follows from moments of fourth order."""

MARGINALIZED = "Fit with missing='marginalize', which estimates by EM."


@record
class Problem:
    """What a model is solved from."""

    seen: Moments
    """Of the rows alone."""
    moments: Moments
    """Of rows and conjugate prior together, whose covariances are the estimates."""
    priors: Floats
    estimates: Estimates


def moments_by_class(self: GaussianClassifier, state: Current | FitState) -> Moments:  # noqa: ARG001 (a method)
    """Return moments with the scatter of each class as far as they are known."""
    moments: Moments = state.statistics
    return moments


def order_of(self: GaussianClassifier) -> int:
    """Return the order of the moments of batches, which a model without the rows is made of."""
    return 4 if getattr(self, "shrinkage", None) in FOURTH_ORDER else 2


def sums_of_batch(self: GaussianClassifier, data: LabeledRows) -> Moments:
    """Return the moments of rows that others may follow."""
    structure, order = self._structure(), self._order()
    try:
        return moments_of(data, structure, order=order)
    except MemoryError as error:
        if order == LOWEST:
            raise
        raise MemoryError(
            f"{error}. shrinkage={self.shrinkage!r} without all rows at once takes moments of "
            f"order {order}, which grow with the square of the columns; fit, which has all rows, "
            "does not."
        ) from error


def check_order(self: GaussianClassifier, moments: Moments) -> None:
    """Refuse moments of which too little is known for the shrinkage."""
    needed = self._order()
    if moments.order < needed:
        raise ValueError(
            f"shrinkage={self.shrinkage!r} needs moments of order {needed}; got those of order "
            f"{moments.order}. Make them with Moments.from_data(X, y, order={needed}), or give a "
            "number for shrinkage."
        )


def check_batch(self: GaussianClassifier, before: FitState, batch: Moments) -> None:
    """Refuse a batch whose moments do not go with those seen before."""
    seen: Moments = before.statistics
    if batch.structure != seen.structure:
        raise ValueError(
            f"With the parameters as they are now, {type(self).__name__} needs moments of "
            f"structure {batch.structure!r}, but those seen before are {seen.structure!r}. "
            "Set the parameters back, or refit."
        )
    if batch.order > seen.order:
        raise ValueError(lacking_order(self, seen))


def lacking_order(self: GaussianClassifier, seen: Moments) -> str:
    """Return why rows cannot come or go after a fit that had all of them."""
    return (
        f"shrinkage={self.shrinkage!r} needs moments of order {self._order()} where rows come or "
        f"go, but fit, which had all rows, has kept those of order {seen.order}. Give all batches "
        "to partial_fit, beginning with the first, or use fit_stream."
    )


def lack_of_rows(self: GaussianClassifier, method: str) -> str | None:
    """Return what a method lacks that does not have all rows at once, or more than the fit kept."""
    reason = Learner._lack_of_rows(self, method)
    if reason is None and method != "fit_stream" and self.__sklearn_is_fitted__():
        seen = self._fit_state().statistics
        return lacking_order(self, seen) if seen.order < self._order() else None
    return reason


def joint_moments(self: GaussianClassifier, seen: Moments, estimates: Estimates) -> Moments:
    """Return the moments of rows and prior together, whose covariances are the estimates."""
    if seen.has_gaps and seen.structure != "diag":
        refuse_other_estimates(self)
    if self.conjugate_prior is None:
        return seen
    if self.unbiased:
        raise ValueError(
            "conjugate_prior= gives MAP estimates, to which unbiased=True does not apply."
        )
    if OF_ROWS & estimates.keys() or getattr(self, "shrinkage", None) in FOURTH_ORDER:
        raise ValueError(
            "conjugate_prior= gives MAP estimates; shrinkage='auto' and covariance_estimator= "
            "give others. Use one of them only."
        )
    prior = self.conjugate_prior
    if isinstance(prior, str):
        prior = NormalInverseWishart.empirical(seen)
    return prior.update(seen)


def holds_doubles(self: GaussianClassifier, statistics: Moments) -> bool:  # noqa: ARG001 (a method)
    """Tell whether fitted attributes are doubles, which hold all that the core does."""
    return dtype_of(statistics) == np.float64


def with_priors(self: GaussianClassifier, before: Current) -> Solution | None:
    """Return a model with other priors, if that takes no other factorization."""
    if before.model.structure != "full" or before.model.is_wide:
        return None  # which are as quickly solved
    problem = self._problem(before.statistics, before.estimates)
    center = core_of(problem.moments).mean_of_means(problem.priors).tolist()
    log_prior = logarithms(problem.priors).tolist()
    model = _core.Model(**before.model.parts | {"center": center, "log_prior": log_prior})
    return Solution(model, before.attributes)
