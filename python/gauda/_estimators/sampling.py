"""New rows, drawn from the model. `sample` is a method of `Classifier`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from gauda import _core
from gauda._data.arguments import is_whole
from gauda._data.encoding import encode
from gauda._data.label_columns import flat_labels
from gauda._data.labels import indices_among, settle_labels
from gauda._estimators.state import Current
from gauda._support.arrays import Floats

if TYPE_CHECKING:
    from gauda._estimators.classifier import Classifier
    from gauda._estimators.gaussian import GaussianClassifier

N_SEEDS = 1 << 64

Random = int | RandomState | Generator | None


def sample(
    self: Classifier,
    n_samples: int = 1,
    random_state: Random = None,
    *,
    y: ArrayLike | None = None,
) -> tuple[Any, NDArray[Any]]:
    """Draw rows from the model: classes from the priors, then a row of each from its distribution.

    Parameters
    ----------
    n_samples : int, default=1
        Number of rows.

    random_state : int, RandomState, Generator or None, default=None
        What the draws depend on: an int gives the same rows each time, whatever the number of
        threads; None takes numpy's global state, as everywhere in scikit-learn.

    y : array-like of shape (n_samples,), default=None
        Labels, for each of which a row is drawn; `n_samples` is then left out.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), or a data frame
        Rows: float64 of Gaussian models, integers of `CategoricalNB` and `BernoulliNB` (there 0,
        and 1 or what else is above `binarize`). Of `MixedNB` numbers and levels as the fit was
        given them, in a frame of the same library, or an array.

    y : ndarray of shape (n_samples,)
        Their labels.

    Examples
    --------
    >>> from gauda import GaussianNB
    >>> nb = GaussianNB().fit([[0.0], [2.0], [50.0], [70.0]], ["a", "a", "b", "b"])
    >>> X, y = nb.sample(1000, random_state=0)
    >>> X.shape, bool(((X[:, 0] > 20) == (y == "b")).all())
    ((1000, 1), True)
    >>> X, y = nb.sample(y=["b", "b", "a"], random_state=0)
    >>> y
    array(['b', 'b', 'a'], dtype='<U1')
    """
    current = self._current()
    given = None if y is None else codes_of(self, current, y, n_samples)
    codes = np.empty(validate_count(n_samples), dtype=np.uint32) if given is None else given
    seed = seed_of(random_state)
    with self._names(current).in_errors():
        if given is None:
            _core.sample_classes(current.model.log_prior, codes, seed, self.n_threads)
        rows = self._draw_rows(current, codes, seed)
    labels = np.empty(len(codes), dtype=current.classes.dtype)
    settle_labels({"label": codes}, current.classes, labels)
    return rows, labels


def draw_gaussian_rows(
    self: GaussianClassifier, current: Current, codes: NDArray[np.uint32], seed: int
) -> Floats:
    """Draw a row of each class from its Gaussian."""
    rows = np.empty((len(codes), current.n_features))
    _core.sample_rows(current.model, codes, rows, seed, self.n_threads)
    return rows


def gaussian_class_weights(self: GaussianClassifier, current: Current) -> Floats:
    """Return the weight of what is known of each class, by rows or a conjugate prior."""
    acting = self._acting(current.settings)
    weights: Floats = acting._joint(current.statistics, current.estimates).counts
    return weights


def codes_of(
    estimator: Classifier, current: Current, y: ArrayLike, n_samples: int
) -> NDArray[np.uint32]:
    """Return the indices of labels among the classes."""
    if n_samples != 1:
        raise ValueError(
            f"Both y and n_samples={n_samples} say how many rows to draw. Give one of them."
        )
    labels = flat_labels(y)
    if len(labels) == 0:
        raise ValueError("y holds no labels, so there is nothing to draw.")
    distinct, codes = encode(labels, estimator.n_threads)
    known = estimator._class_weights(current) > 0
    indices = indices_among(distinct, current.classes)
    unknown = (indices < 0) | ~known[indices]
    if unknown.any():
        raise ValueError(
            f"y holds labels of which the model knows nothing: {distinct[unknown].tolist()}. "
            f"It knows {current.classes[known].tolist()}."
        )
    return indices.astype(np.uint32)[codes]


def validate_count(n_samples: Any) -> int:
    """Return a number of rows; refuse what is none."""
    if not (is_whole(n_samples) and n_samples > 0):
        raise ValueError(f"n_samples must be an integer of at least 1; got {n_samples!r}.")
    return int(n_samples)


def seed_of(random_state: Random) -> int:
    """Return a seed for the core, drawn from what scikit-learn takes, or from a Generator."""
    if isinstance(random_state, Generator):
        return int(random_state.integers(N_SEEDS, dtype=np.uint64))
    state = check_random_state(random_state)
    return int(state.randint(N_SEEDS, dtype=np.uint64))
