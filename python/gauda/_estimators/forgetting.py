"""Rows that are taken out of a model again. The function here is a method of `Learner`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from gauda._estimators.class_weights import weigh_rows
from gauda._estimators.state import FitState
from gauda.typing import Labels, MatrixLike, Weights

if TYPE_CHECKING:
    from gauda._estimators.learner import Learner

    Self = TypeVar("Self", bound=Learner)


def forget_rows(self: Self, X: MatrixLike, y: Labels, sample_weight: Weights | None = None) -> Self:
    """Take rows out of the model that it has learned before: the inverse of `partial_fit`.

    The model is that of a fit to the other rows: counts exactly, means and covariances up to
    rounding. It is computed when it is first asked for. Rows that cannot have been part of the
    statistics are refused, and nothing changes then; a row that was not learned, but lies among
    those that were, cannot be told from them.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows that were learned.

    y : array-like of shape (n_samples,)
        Their labels. A class of which no row is left is dropped, unless the classes were fixed
        by `classes` of the first `partial_fit`. Then its prior is 0.

    sample_weight : array-like of shape (n_samples,), default=None
        Their weights, as they are in the model by now: those of the fit times all `forget` of
        `partial_fit` since.

    Returns
    -------
    Self
        The fitted estimator.

    Examples
    --------
    >>> from gauda import GaussianNB
    >>> nb = GaussianNB().fit([[0.0], [2.0], [9.0], [5.0], [7.0]], ["a", "a", "a", "b", "b"])
    >>> nb.forget_rows([[9.0]], ["a"]).theta_.ravel()
    array([1., 6.])
    """
    while True:
        before = self._fit_state()
        settings = self._settings_of_batch(before)
        data = settings._label_rows(X, y, sample_weight, before)
        data = weigh_rows(settings.class_weight, data)
        part = settings._sums(data)
        settings._check_batch(before, part)
        estimates = settings._estimate(data, part)
        state = settings._state_after(before, subtract_part(before, part), estimates)
        if self._replace_state(before, state):
            return self


def subtract_part(before: FitState, part: Any) -> Any:
    """Return the statistics of a state without those of a part; refuse to leave no rows."""
    rest = before.statistics - part
    if not rest.class_weight.any():
        raise ValueError(
            "forget_rows must leave some rows in the model; got all that it has learned. Fit a new "
            "estimator instead."
        )
    return rest if before.open_classes else rest.widen(before.statistics.classes)
