"""From posteriors to labels in an ONNX graph: costs, rejection, and the names of decisions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._scoring.rules import Rules
from gauda._support.arrays import Floats

Variable = Any
"""The name of what a node computes; skl2onnx has no types."""

REJECTED = -1
"""The number of rejected rows where classes are numbered."""


def decide(
    nodes: Any, scores: Variable, posteriors: Variable, rules: Rules | None, n_classes: int
) -> Variable:
    """Compute the index of each row's decision: a class, or that of rejecting after the last."""
    if rules is None:
        return nodes.op.ArgMax(scores, axis=1, keepdims=0)
    if rules.min_typicality is not None:
        raise ValueError(
            "The ONNX graph must decide by posteriors and costs, for ONNX has no chi-square "
            "distribution; got reject={'typicality': ...}. Leave it out."
        )
    best = best_decision(nodes, scores, posteriors, rules.cost)
    if rules.min_posterior is not None:
        best = reject_below(nodes, posteriors, best, rules.min_posterior, n_classes)
    if rules.labels_by_class:
        others = rules.without_rejecting()
        of_class = best_decision(nodes, scores, posteriors, others.cost)
        rejected = nodes.op.Equal(best, np.array([n_classes]))
        moved = nodes.op.Add(of_class, np.array([n_classes + 1]))
        best = nodes.op.Where(rejected, moved, best)
    return best


def best_decision(
    nodes: Any, scores: Variable, posteriors: Variable, cost: Floats | None
) -> Variable:
    """Compute the index of the largest score, or of the least expected cost."""
    if cost is None:
        return nodes.op.ArgMax(scores, axis=1, keepdims=0)
    largest = np.abs(cost).max()
    unit = 2.0 ** np.floor(np.log2(largest)) if largest else 1.0  # float32 holds no 1e50 and 1e-50
    expected = nodes.op.MatMul(posteriors, nodes.tensor(cost / unit))
    return nodes.op.ArgMin(expected, axis=1, keepdims=0)


def reject_below(
    nodes: Any, posteriors: Variable, best: Variable, threshold: float, n_classes: int
) -> Variable:
    """Reject rows whose label has a posterior below a threshold."""
    op = nodes.op
    rejected = np.array([n_classes])
    classes = np.arange(n_classes)[np.newaxis]
    chosen = op.Cast(op.Equal(op.Reshape(best, np.array([-1, 1])), classes), to=nodes.onnx_type)
    posterior = op.ReduceSumAnyOpset(op.Mul(posteriors, chosen), np.array([1]), keepdims=0)
    return op.Where(op.Less(posterior, nodes.tensor(np.array([threshold]))), rejected, best)


def decision_labels(classes: NDArray[Any], names: NDArray[Any], *, numbered: bool) -> NDArray[Any]:
    """Return the label of each decision; where classes are numbered, rejecting is -1."""
    if not numbered:
        return names
    return np.append(np.arange(len(classes)), np.full(len(names) - len(classes), REJECTED))
