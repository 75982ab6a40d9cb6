"""Rows that join a fit where there is nothing to say about them: the short way.

Whatever is None here goes the general way, which also says what is wrong with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.encoding import encode
from gauda._data.few_rows import MAX_ROWS
from gauda._data.labels import is_listed
from gauda._data.training import Codes, is_ready
from gauda._data.twins import same_parameters
from gauda._estimators.state import REPLACING, FitState, state_after
from gauda._statistics.access import join_moments
from gauda._statistics.moments import Moments

if TYPE_CHECKING:
    from gauda._estimators.gaussian import GaussianClassifier
    from gauda._estimators.learner import Learner


def join_rows(self: Learner, X: Any, y: Any, classes: Any) -> bool:
    """Tell whether rows have joined those of the fit, in arrays of known classes."""
    before = self._fitted
    state = None if before is None else state_with(self, before, X, y, classes)
    if state is None:
        return False
    with REPLACING:
        if self._fitted is not before:
            return False
        self._fitted = state
    return True


def state_with(self: Learner, before: FitState, X: Any, y: Any, classes: Any) -> FitState | None:
    """Return the state of rows together with all before."""
    if type(X) is not np.ndarray or type(y) is not np.ndarray:
        return None
    seen = before.statistics
    plain = before.feature_names is None and y.dtype == seen.classes.dtype
    if not (plain and is_ready(X, before.n_features) and y.shape == (len(X),)):
        return None
    if not (same_parameters(self, before.settings) and self.class_weight is None):
        return None
    if classes is not None and not is_listed(seen.classes, classes):
        return None
    few = len(X) <= MAX_ROWS
    codes = few_codes(before, y.tolist()) if few else codes_among(before, y, self.n_threads)
    if codes is None:
        return None
    joined = before.settings._join_rows(before, X, codes)
    return None if joined is None else state_after(before, joined)


def join_moments_of(
    self: GaussianClassifier, before: FitState, rows: NDArray[Any], codes: Codes
) -> Moments | None:
    """Return the moments of rows together with all before, of Gaussian classifiers."""
    seen: Moments = before.statistics
    plain = not (before.estimates or seen.has_gaps)
    return join_moments(seen, rows, codes, self.n_threads) if plain else None


def codes_among(before: FitState, y: NDArray[Any], n_threads: int | None) -> Codes | None:
    """Return the index of each label among the classes of a fit; None if some are not."""
    classes, codes = encode(y, n_threads)
    known = before.statistics.classes
    if not known.dtype.hasobject and classes.tobytes() == known.tobytes():
        return codes
    indices = few_codes(before, classes.tolist())
    return None if indices is None else np.array(indices, dtype=np.uint32)[codes]


def few_codes(before: FitState, labels: list[Any]) -> list[int] | None:
    """Return the index of each of a few labels, likewise."""
    codes = before.memo.codes
    if codes is None:
        codes = {label: code for code, label in enumerate(before.statistics.classes.tolist())}
        before.memo.codes = codes
    try:
        return [codes[label] for label in labels]
    except (KeyError, TypeError):
        return None
