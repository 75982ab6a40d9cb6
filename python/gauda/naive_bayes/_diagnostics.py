"""Figures on discrete and mixed models. `diagnostics` is a method of `DiscreteNB` and `MixedNB`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gauda._analysis.discrete_diagnostics import DiscreteDiagnostics
from gauda._estimators.geometry import names_in_formulas
from gauda._statistics.base import Statistics
from gauda._statistics.counts import Counts
from gauda._statistics.mixed import MixedStatistics
from gauda.naive_bayes._loo import priors_are_given

if TYPE_CHECKING:
    from gauda.naive_bayes._discrete import DiscreteNB
    from gauda.naive_bayes._mixed import MixedNB

Sums = TypeVar("Sums", bound=Statistics)


def diagnostics(
    self: DiscreteNB | MixedNB, statistics: Counts | MixedStatistics | None = None
) -> DiscreteDiagnostics:
    """Return figures on the model: how well it fits, and what its columns tell of the class.

    Parameters
    ----------
    statistics : Counts or MixedStatistics, default=None
        Rows by which to judge the model; by default those it has seen. Others give the likelihood
        of held-out rows.

    Returns
    -------
    DiscreteDiagnostics
        Log-likelihood, AIC, BIC, number of parameters, and the mutual information of each column
        with the class. They are computed when first read; printed, or shown in a notebook, they
        make a table.

    Examples
    --------
    >>> from gauda import CategoricalNB
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["a", "a", "b", "b"]
    >>> found = CategoricalNB().fit(X, y).diagnostics()
    >>> found.mutual_information.round(3)
    array([0.693, 0.   ])
    >>> found.n_parameters
    5
    """
    current = self._current()
    acting = self._acting(current.settings)
    own = current.statistics
    judged = own if statistics is None else statistics_to_judge_by(statistics, own)
    return DiscreteDiagnostics(
        current.classes,
        judged,
        type(self).__name__,
        np.asarray(current.model.log_prior),
        priors_are_given(acting),
        acting._column_fits(current, judged, names_in_formulas(current)),
    )


def statistics_to_judge_by(given: Any, own: Sums) -> Sums:
    """Return statistics with the classes of a model; refuse those of other columns or classes."""
    if not isinstance(given, type(own)):
        raise TypeError(
            f"diagnostics must get gauda.{type(own).__name__}; got {type(given).__name__}. Make "
            f"them with {type(own).__name__}.from_data."
        )
    theirs, ours = given.feature_names, own.feature_names
    alike = theirs is None or ours is None or np.array_equal(theirs, ours)
    if given.n_features != own.n_features or not alike:
        raise ValueError(
            f"The statistics must be of the columns of the model, {own.n_features} ({ours}); got "
            f"{given.n_features} ({theirs}). Select the model's, in its order."
        )
    own + given * 0  # refuses columns of other kinds
    return given.widen(own.classes)
