"""Discrete and mixed models of some columns, also given the entries of others.

The functions here are methods of `DiscreteNB` and `MixedNB`, called on the settings of a fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gauda._estimators.access import posteriors_of_row
from gauda._estimators.making import make_like
from gauda._estimators.marginal import columns_and_entries, columns_of, other_columns
from gauda._estimators.state import Current

if TYPE_CHECKING:
    from gauda.naive_bayes._discrete import DiscreteNB
    from gauda.naive_bayes._mixed import MixedNB

Model = TypeVar("Model", "DiscreteNB", "MixedNB")


def marginal(self: Model, current: Current, features: Any, **changes: Any) -> Model:
    """Return the model of some columns, which can go on learning."""
    columns = columns_of(current.statistics, features)
    selected = current.statistics.select(columns)
    parameters = self.get_params(deep=False) | self._parameters_of_part(current, columns)
    return make_like(type(self), selected, parameters | changes, current)


def conditional(self: Model, current: Current, values: Mapping[Any, Any]) -> Model:
    """Return the model of the other columns: in a class they do not depend on those given."""
    columns, entries = columns_and_entries(current.statistics, values)
    rest = other_columns(current.statistics, columns)
    priors = np.exp(current.model.log_prior)
    if len(columns):
        given = marginal(self, current, columns)
        priors = posteriors_of_row(given, lambda known: given._row_of(known, entries))
    return marginal(self, current, rest, **{self._prior_parameter: priors})


def of_columns(value: Any, columns: Any) -> Any:
    """Return a parameter for some columns: one for all stays, of one for each some are taken."""
    if value is None or isinstance(value, Real) or getattr(value, "ndim", 1) == 0:
        return value
    return [value[column] for column in columns]
