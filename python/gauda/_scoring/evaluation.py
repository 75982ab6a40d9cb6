"""How well a model does: accuracy, rejected rows, log-loss, confusion, counted batch by batch."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.encoding import Encoded
from gauda._data.labels import list_labels
from gauda._scoring.reliability import Bins, merge_bins, sums_in_bins
from gauda._support.arrays import Floats

EDGES = np.linspace(0.0, 1.0, 11)
"""Of the bins in which posteriors are compared with what came true."""

REJECTING = "rejecting has no cost"
"""Why there may be no mean cost."""

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
    def may_reject(self) -> bool:
        """Whether rows may be left without a class."""
        return len(self.labels) > len(self.classes)

    @property
    def n_rejected(self) -> int:
        """Number of rows that got no class."""
        return int(sum(row[len(self.classes) :].sum() for row in self.confusion.values()))

    @property
    def n_right(self) -> int:
        """Number of rows whose class was predicted."""
        return int(sum(self.confusion[label][code] for label, code in self._codes.items()))

    @property
    def accuracy(self) -> float:
        """Share of all rows whose class was predicted."""
        return self.n_right / self.n_rows

    @property
    def answered_accuracy(self) -> float:
        """Share of the rows that got a class whose class was predicted; NaN if there are none."""
        n_answered = self.n_rows - self.n_rejected
        return self.n_right / n_answered if n_answered else float("nan")

    @property
    def mean_cost(self) -> float:
        """Mean cost of the decisions, rejecting among them; NaN if `cost_gap` says why."""
        if self.cost is None or self.cost_gap:
            return float("nan")
        n_classes = len(self.classes)
        counts = np.array([self.confusion[label] for label in self._codes])
        rejected = counts[:, n_classes:].sum(axis=1, keepdims=True)
        decided = np.hstack([counts[:, :n_classes], rejected])[:, : self.cost.shape[1]]
        return float((decided * self.cost).sum() / self.n_rows)

    @property
    def cost_gap(self) -> str:
        """What is not known of the costs of these decisions; empty if nothing."""
        strange = [label for label in self.confusion if label not in self._codes]
        if strange:
            return f"{strange[0]!r} is not a class of the model"
        if self.n_rejected and self.cost is not None and self.cost.shape[1] == len(self.classes):
            return REJECTING
        return ""

    @property
    def log_loss(self) -> float:
        """Mean of -log p(truth | x): infinite if a label is not a class of the model."""
        return self._loss / self.n_rows
