"""What is asked of a model about every row, and the shape and type of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._cluster.tasks import classify_partition
from gauda._data.element_types import FLOAT64
from gauda._estimators.access import scorer_with
from gauda._estimators.classifier import Classifier
from gauda._estimators.gaussian import GaussianClassifier
from gauda._scoring.answers import FLAT, validate_outputs
from gauda._scoring.scorer import Scorer
from gauda.dask._collections import as_task

DECISIONS = ("priors", "cost", "reject", "reject_label", "nodata")


@dataclass(frozen=True)
class Question:
    """A fitted model, what is asked of it, and what a call says of decisions."""

    model: Classifier
    outputs: tuple[str, ...]
    options: Mapping[str, Any]
    scorer: Scorer

    @classmethod
    def of(cls, model: Any, outputs: str | Sequence[str], options: Mapping[str, Any]) -> Question:
        """Check what is asked before any row is read."""
        if not isinstance(model, Classifier):
            raise TypeError(
                f"model must be a fitted estimator of gauda; got {type(model).__name__}."
            )
        asked = validate_outputs(outputs)
        if "top_k" in asked:
            raise ValueError(
                "outputs of a collection must have one type each, which 'top_k' does not have; ask "
                "for 'proba' instead."
            )
        unknown = [name for name in options if name not in DECISIONS]
        if unknown:
            raise TypeError(
                f"A call takes {', '.join(DECISIONS)}; got {unknown[0]!r}. Set other parameters of "
                "the model before."
            )
        return cls(model, asked, dict(options), scorer_with(model, asked, **options))

    def check_width(self, n_columns: int) -> None:
        """Refuse rows of another number of columns than those of the fit."""
        expected = self.scorer.n_features
        if n_columns != expected:
            raise ValueError(
                f"X has {n_columns} features, but {self.scorer.estimator} is expecting {expected} "
                "features as input."
            )

    def delayed_model(self) -> Any:
        """Return the model as one task, which all partitions share."""
        return as_task(self.model)

    def precision(self, dtypes: Sequence[Any]) -> np.dtype[Any]:
        """Return the type of scores of columns of these types."""
        if not isinstance(self.model, GaussianClassifier):
            return FLOAT64
        common = np.result_type(*dtypes) if all(is_numpy(dtype) for dtype in dtypes) else FLOAT64
        return self.scorer.precision(np.empty(0, dtype=common))

    def texts(self) -> NDArray[Any] | None:
        """Return the labels that rows may get, sorted; None if they are not text."""
        labels = self.scorer.labels
        return np.unique(labels) if labels.dtype.kind == "U" else None

    def dtype(self, output: str, precision: np.dtype[Any]) -> np.dtype[Any]:
        """Return the type of an answer."""
        return self.scorer.labels.dtype if output == "label" else precision

    def columns(self, output: str) -> NDArray[Any] | None:
        """Return the labels of the values that a row has; None if it has one value."""
        if output in FLAT:
            return None
        if output == "cost":
            return self.scorer.labels[: self.scorer.n_decisions]
        return self.scorer.classes

    def name_columns(self, output: str) -> list[str]:
        """Return the names of the columns of an answer beside others."""
        labels = self.columns(output)
        return [output] if labels is None else [f"{output}_{label}" for label in labels]


def is_numpy(dtype: Any) -> bool:
    """Tell whether a type is one of numpy's numbers."""
    return isinstance(dtype, np.dtype) and dtype.kind in "biuf"


def answers_of(
    model: Classifier,
    question: tuple[tuple[str, ...], Mapping[str, Any]],
    partition: int,
    X: Any,
) -> dict[str, NDArray[Any]]:
    """Return the answers about the rows of a partition, of which there must be some."""
    outputs, options = question
    found = classify_partition(model, partition, X, outputs, options)
    return {output: getattr(found, output) for output in outputs}
