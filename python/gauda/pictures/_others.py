"""Classifiers of other libraries in the plane of their two features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from gauda._data.label_columns import flat_labels
from gauda._support.arrays import Floats
from gauda._support.optional import need
from gauda.pictures._plane import AXES, Points, choose_rows, known_indices


@dataclass(frozen=True, eq=False)
class OtherClassifier:
    """A fitted classifier with `classes_` and `predict`, asked about plain points."""

    estimator: Any
    names: list[str]
    has_names: bool

    @classmethod
    def of(cls, estimator: Any) -> OtherClassifier:
        """Take a fitted classifier of two features."""
        if not hasattr(estimator, "predict"):
            raise TypeError(f"estimator must be a classifier; got {type(estimator).__name__}.")
        check_is_fitted(estimator)
        width = getattr(estimator, "n_features_in_", AXES)
        if width != AXES or not hasattr(estimator, "classes_"):
            raise TypeError(
                "estimator must be a Gaussian classifier of gauda, a MixedNB, or any classifier "
                f"fitted to two features; got {type(estimator).__name__} of {width} features. "
                "Fit it to two of them; of a pipeline, give the last step, and the rows that it "
                "is given."
            )
        known = getattr(estimator, "feature_names_in_", None)
        names = [f"feature {index}" for index in range(AXES)] if known is None else list(known)
        return cls(estimator, names, known is not None)

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels."""
        return np.asarray(self.estimator.classes_)

    def predict(self, points: Floats) -> NDArray[Any]:
        """Return the decisions."""
        return np.asarray(self.estimator.predict(self._rows(points)))

    def predict_log_proba(self, points: Floats) -> Floats:
        """Return logarithms of posteriors, or scores that stand for them."""
        rows = self._rows(points)
        if hasattr(self.estimator, "predict_proba"):
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(self.estimator.predict_proba(rows)))
        scores = np.asarray(self.estimator.decision_function(rows))
        return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores

    @property
    def has_scores(self) -> bool:
        """Whether decisions follow from functions whose ties can be traced."""
        return hasattr(self.estimator, "predict_proba") or hasattr(
            self.estimator, "decision_function"
        )

    def points(self, X: Any, y: Any) -> Points:
        """Return rows to draw."""
        if X is None:
            raise ValueError(
                f"X must be given to draw a {type(self.estimator).__name__}, which does not say "
                "where its classes lie."
            )
        rows = np.asarray(X, dtype=np.float64)
        codes = np.full(len(rows), -1)
        if y is not None:
            codes = known_indices(flat_labels(y), self.classes_)
        chosen = choose_rows(len(rows))
        return Points(rows[chosen], codes[chosen]).complete()

    def _rows(self, points: Floats) -> Any:
        return (
            need("pandas", extra="plot").DataFrame(points, columns=self.names)
            if self.has_names
            else points
        )
