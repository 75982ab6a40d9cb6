"""How well a model does: accuracy, log-loss and confusion, counted batch by batch."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.encoding import Encoded
from gauda._data.labels import list_labels
from gauda._scoring.reliability import Bins, merge_bins, sums_in_bins

Floats = NDArray[np.float64]
EDGES = np.linspace(0.0, 1.0, 11)
"""Of the bins in which posteriors are compared with what came true."""

UNKNOWN = -1
"""Code of a label that is not a class of the model."""


@dataclass
class Evaluation:
    """Counts over the rows seen so far."""

    classes: NDArray[Any]
    labels: NDArray[Any]
    """The classes and, if rows may be rejected, the label of those."""
    cost: Floats | None = None
    """Of each class and decision, if the decisions follow from costs."""
    confusion: dict[Any, NDArray[np.int64]] = field(default_factory=dict)
    """For each true label, how many of its rows got each label."""

    bins: Bins = field(default_factory=lambda: sums_in_bins(np.empty(0), np.empty(0), EDGES))
    """By the largest posterior of a row: how many rows have it, and how many of them it tells."""

    _loss: float = 0.0

    def __post_init__(self) -> None:
        self._codes = {label: code for code, label in enumerate(list_labels(self.classes))}
        none = np.zeros(len(self.labels), dtype=np.int64)
        self.confusion.update((label, none.copy()) for label in self._codes)

    def add(
        self, truth: Encoded, predicted: NDArray[np.uint32], log_posteriors: NDArray[Any]
    ) -> None:
        """Count rows with their true labels, codes of predicted labels and log-posteriors."""
        labels, indices = truth
        codes = np.array(
            [self._codes.get(label, UNKNOWN) for label in list_labels(labels)], dtype=int
        )
        truths = codes[indices]
        losses = -log_posteriors[np.arange(len(truths)), truths].astype(np.float64)
        self._loss += float(np.where(truths == UNKNOWN, np.inf, losses).sum())
        best = log_posteriors.argmax(axis=1)
        largest = np.exp(log_posteriors[np.arange(len(best)), best].astype(np.float64))
        self.bins = merge_bins(self.bins, sums_in_bins(largest, best == truths, EDGES))
        n_labels = len(self.labels)
        pairs = indices.astype(np.int64) * n_labels + predicted
        counts = np.bincount(pairs, minlength=len(labels) * n_labels)
        for label, row in zip(list_labels(labels), counts.reshape(-1, n_labels), strict=True):
            self.confusion[label] = self.confusion.get(label, 0) + row

    def __add__(self, other: Evaluation) -> Evaluation:
        """Return the counts of both."""
        total = replace(self, confusion={}, bins=merge_bins(self.bins, other.bins))
        for part in (self, other):
            for label, row in part.confusion.items():
                total.confusion[label] = total.confusion.get(label, 0) + row
        total._loss = self._loss + other._loss
        return total

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(sum(row.sum() for row in self.confusion.values()))

    @property
    def n_known(self) -> int:
        """Number of rows whose label is a class of the model."""
        return int(sum(self.confusion[label].sum() for label in self._codes))

    @property
    def accuracy(self) -> float:
        """Share of rows whose class was predicted."""
        right = sum(self.confusion[label][code] for label, code in self._codes.items())
        return float(right / self.n_rows)

    @property
    def mean_cost(self) -> float:
        """Mean cost of the decisions; NaN if costs or a label are unknown."""
        if self.cost is None or len(self.confusion) > len(self.classes):
            return float("nan")
        n_decisions = self.cost.shape[1]
        counts = np.array([self.confusion[label] for label in self._codes])
        if counts[:, n_decisions:].any():  # rejecting has no cost
            return float("nan")
        return float((counts[:, :n_decisions] * self.cost).sum() / self.n_rows)

    @property
    def log_loss(self) -> float:
        """Mean of -log p(truth | x): infinite if a label is not a class of the model."""
        return self._loss / self.n_rows
