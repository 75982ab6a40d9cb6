"""From the state of a fit to the model that answers now.

The functions here are methods of `Classifier`.
"""

from __future__ import annotations

from dataclasses import replace
from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from gauda._data.sklearn_private import validate_params
from gauda._data.twins import twin
from gauda._estimators.state import (
    Current,
    Description,
    FitState,
    FittedAttribute,
    Memo,
    Solution,
    differ_in_priors_only,
    em_attributes,
    not_fitted,
    same,
)
from gauda._statistics.priors import warn_of_priors

if TYPE_CHECKING:
    from gauda._estimators.classifier import Classifier
    from gauda._estimators.learner import Learner

Model = TypeVar("Model", bound="Classifier")


def acting(self: Classifier, settings: Any) -> Any:
    """Return the settings of a fit with the decision parameters of now."""
    names, read = settings._decisions()
    values = read(self)
    if all(map(is_, values, read(settings))):
        return settings
    return twin(settings, **dict(zip(names, values, strict=True)))


def solve(self: Classifier, state: FitState, acting: Any = None) -> Current:
    """Make the model of a state, and keep it there."""
    acting = self._acting(state.settings) if acting is None else acting
    if acting is not state.settings or not acting._may_describe_later(state.statistics):
        self._described(state, acting)
    decided, before = self._decided(acting), state.memo.current
    solution = None
    if before is not None and differ_in_priors_only(decided, before.decided):
        solution = acting._with_priors(before)
    if solution is None:
        solution = acting._solve(state.statistics, state.estimates)
    current = Current(
        decided,
        solution.model,
        solution.attributes,
        state.settings,
        state.statistics,
        state.estimates,
        state.classes,
        state.n_features,
        state.feature_names,
        state.open_classes,
    )
    state.memo.current = current
    return current


def with_priors(self: Learner, before: Current) -> Solution | None:
    """Return a solution under the priors of now, to the bit as if it were solved again."""
    log_prior = self._log_prior(before.statistics)
    return Solution(before.model.with_log_prior(log_prior), before.attributes)


def describe(self: Classifier, state: FitState, acting: Any = None) -> Description:
    """Return the attributes that are quick to find, and keep them in the state."""
    acting = self._acting(state.settings) if acting is None else acting
    description, decided = state.memo.description, self._decided(acting)
    if description is None or not same(decided, description.decided):
        if not same(decided, self._decided(state.settings)):
            validate_params(acting)
            acting._check_change(state.statistics)
        found = acting._describe(state.statistics, state.estimates)
        description = Description(decided, found | em_attributes(state.em))
        state.memo.description = description
    return description


def attributes(self: Classifier, name: str) -> Any:
    """Return fitted attributes, among which is this one if there is any such."""
    state = self._fitted
    if state is None:
        raise not_fitted(self)
    try:
        described = self._described(state).attributes
        if name in described:
            return described
        current = state.memo.current
        if current is None or not same(self._decided(self), current.decided):
            current = self._solved(state)
    except ValueError as error:
        raise NotFittedError(f"{name} does not exist yet. {error}") from error
    return current.attributes


def shows(self: Classifier, name: str) -> bool:
    """Tell whether there is an attribute; what is computed when read is not computed now."""
    found = getattr(type(self), name, None)
    if isinstance(found, property):
        return name not in self._hidden_properties()
    if not isinstance(found, FittedAttribute):
        return hasattr(self, name)
    state = self._fitted
    if state is None:
        return False
    current = state.memo.current
    if current is None:
        return True
    return name in current.attributes or name in self._described(state).attributes


def without_names(self: Model) -> Model:
    """Return the fitted estimator with columns that have no names."""
    state, current = self._fit_state(), self._current()
    memo = Memo()
    memo.description, memo.current = (
        state.memo.description,
        replace(current, feature_names=None),
    )
    return twin(self, _fitted=replace(state, feature_names=None, memo=memo))


def set_params(self: Model, **params: Any) -> Model:
    """Set parameters of the estimator.

    After a fit those that say how it decides act at once, without the data: `priors` or
    `class_prior`, `cost`, `reject`, `reject_label`, `handle_unknown`, `missing` for rows that
    are scored, and `n_threads`. All others act with the next fit. To assign a parameter does
    the same, but is checked only when rows are scored.

    Parameters
    ----------
    **params
        Parameters.

    Returns
    -------
    Self
        The estimator; if anything fails, it is what it was before.

    Examples
    --------
    >>> from gauda import LinearDiscriminantAnalysis
    >>> lda = LinearDiscriminantAnalysis().fit([[-2], [-1], [1], [2]], [0, 0, 1, 1])
    >>> lda.set_params(priors=[0.01, 0.99]).predict([[-0.1]])
    array([1])
    """
    trial = twin(self)
    BaseEstimator.set_params(trial, **params)
    deciding = self.at_once.intersection(params)
    if deciding and trial._fitted is not None:
        trial._check_decisions(trial._fitted, deciding)
    given = {name.partition("__")[0] for name in params}
    self.__dict__.update({name: trial.__dict__[name] for name in given})
    return self


def check_decisions(self: Classifier, state: FitState, given: frozenset[str]) -> None:
    """Refuse decision parameters that do not go with the fit; warn of odd priors."""
    validate_params(self._acting(state.settings))
    if state.memo.current is None:  # rows may not yet be enough for a model
        self._described(state)
    else:
        self._check_rules(self._current())
    if self._prior_parameter in given:
        warn_of_priors(getattr(self, self._prior_parameter))
