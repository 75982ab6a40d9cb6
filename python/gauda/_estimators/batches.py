"""Batches of rows that are learned one after another. The functions are methods of `Learner`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import NDArray

from gauda._data.arguments import check_forget
from gauda._data.label_columns import distinct_labels
from gauda._data.sklearn_private import available_if
from gauda._estimators import plain_batches
from gauda._estimators.class_weights import check_classes, weigh_rows
from gauda._estimators.state import FitState
from gauda.typing import Labels, MatrixLike, Weights

if TYPE_CHECKING:
    from gauda._estimators.learner import Learner

Model = TypeVar("Model", bound="Learner")


@available_if(lambda self: self._refuse_rows_needed("partial_fit"))
def partial_fit(  # noqa: PLR0913 (as of scikit-learn)
    self: Model,
    X: MatrixLike,
    y: Labels,
    classes: Labels | None = None,
    sample_weight: Weights | None = None,
    *,
    forget: float = 1.0,
) -> Model:
    """Fit the model to one more batch of rows.

    Batches one after another give the model of all rows together. It is computed when it is
    first asked for.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Training rows.

    y : array-like of shape (n_samples,)
        Labels. A batch need not hold rows of every class.

    classes : array-like of shape (n_classes,), default=None
        All labels that will ever appear, given in the first call. By default classes may appear
        at any time.

    sample_weight : array-like of shape (n_samples,), default=None
        Weights; a row of weight 2 counts like two rows.

    forget : float, default=1.0
        The weight of all earlier rows is multiplied by this, from 0 to 1: below 1 the model
        follows data that drift, and 0 forgets them.

    Returns
    -------
    Self
        The fitted estimator.

    Examples
    --------
    >>> from gauda import QuadraticDiscriminantAnalysis
    >>> qda = QuadraticDiscriminantAnalysis().partial_fit([[-2], [-1]], [0, 0])
    >>> qda.partial_fit([[1], [2]], [1, 1]).predict([[0.5]])
    array([1])
    """
    plain = sample_weight is None and type(forget) is float and forget == 1.0
    if plain and plain_batches.join_rows(self, X, y, classes):
        return self
    check_forget(forget)
    while True:
        before = self._fitted
        settings = self._settings_of_batch(before)
        if before is not None:
            settings._check_before(before)
        known = settings._known_classes(classes, before)
        if known is not None:
            check_classes(settings.class_weight, known)
        data = weigh_rows(settings.class_weight, settings._label_rows(X, y, sample_weight, before))
        batch = settings._sums(data)
        estimates = settings._estimate(data, batch)
        state = settings._join(before, batch, estimates, known, forget)
        if self._replace_state(before, state):
            break
    if before is None:
        self._warn_of_parameters()
    return self


def known_classes(
    self: Learner, given: Labels | None, before: FitState | None
) -> NDArray[Any] | None:
    """Return the classes that there may be, if they are known; refuse to change them."""
    if before is None:
        if given is None and self._asks_classes:
            raise ValueError(
                "classes must be passed on the first call to partial_fit. Give the labels of all "
                "batches, such as classes=np.unique(y), or use fit if there is only one."
            )
        return None if given is None else distinct_labels(given)
    known: NDArray[Any] = before.statistics.classes
    if given is not None and not self._same_classes(known, given):
        raise ValueError(
            f"`classes={given!r}` is not the same as on last call to partial_fit, was: {known!r}"
        )
    return None if before.open_classes else known
