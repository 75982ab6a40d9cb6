"""The ONNX graph of a fitted classifier: rows to scores, scores to labels and posteriors.

skl2onnx's own graphs of these models are not used: its LDA squares the odds of two classes, large
integer labels are cut to 32 bits, and float32 rows far from 0 lose their digits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from skl2onnx.common.data_types import FloatTensorType, guess_proto_type
from skl2onnx.common.utils_classifier import get_label_classes
from skl2onnx.proto import TensorProto

from gauda._data.twins import twin
from gauda._estimators.access import model_of

Array = NDArray[np.float64]
Variable = Any
"""The name of what a node computes; skl2onnx has no types."""

COLUMNS = np.array([1])

DIRECTIONS = np.array([2])

ROUNDS = 4
"""Times that a row may be taken about another class; each brings it nearer by half its digits."""

MAX_ENTRIES = 2**22
"""Differences between class means that a graph of classes far apart may hold."""


def convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of a fitted classifier to the container, as skl2onnx asks of a converter."""
    classifier = twin(operator.raw_operator)
    if classifier.cost is not None or classifier.reject is not None:
        raise ValueError(
            "The ONNX graph gives labels of largest posteriors, but this model has cost= or "
            "reject= set. Set both to None, and decide by the posteriors that the graph gives."
        )
    if classifier.missing != "raise":
        raise ValueError(
            f"The ONNX graph takes complete rows, but this model has missing="
            f"{classifier.missing!r}. Set missing='raise', and fill rows in first, as with impute."
        )
    (rows,) = operator.inputs
    label, score = operator.outputs
    classes = label_tensor(get_label_classes(scope, operator.raw_operator))
    parts = Parts(**model_of(classifier).parts)

    op = container.get_op_builder(scope)
    nodes = Nodes(op, single=isinstance(rows.type, FloatTensorType))
    x = op.Cast(rows.full_name, to=nodes.onnx_type)
    scores = nodes.scores(x, parts)
    winners = op.Gather(classes, op.ArgMax(scores, axis=1, keepdims=0))
    if wants_decisions(container, operator.raw_operator):
        answers = nodes.decisions(x, scores, parts)
    else:
        answers = op.Softmax(scores, axis=1)
    container.add_node("Identity", winners, label.full_name)
    container.add_node("Cast", answers, score.full_name, to=guess_proto_type(score.type))


def wants_decisions(container: Any, classifier: Any) -> bool:
    """Tell whether the classifier has the option for raw scores, and it is set."""
    option = "raw_scores"
    allowed = container.has_options(classifier, option)
    return bool(allowed and container.get_options(classifier, {option: False})[option])


def label_tensor(classes: NDArray[Any]) -> NDArray[Any]:
    """Return labels in one of the two types that classifiers give in ONNX: text or int64."""
    if all(isinstance(label, str) for label in classes):
        return classes.astype(object)
    try:
        return np.array([int(label) for label in classes], dtype=np.int64)
    except OverflowError:
        raise ValueError(
            f"ONNX takes labels that are text or fit in int64. Got classes {classes}. Convert with "
            "options={'nocl': True}, which numbers the classes, or fit other labels."
        ) from None


class Parts(NamedTuple):
    """The parameters of a core model, as its constructor takes them."""

    center: list[float]
    means: tuple[Array, Array]
    log_prior: list[float]
    spread: Array
    log_det: list[float]
    tied: tuple[Array, bool] | None


class Nodes:
    """Makes nodes that compute in one precision."""

    def __init__(self, op: Any, *, single: bool) -> None:
        self.op = op
        self.dtype = np.float32 if single else np.float64
        self.onnx_type = TensorProto.FLOAT if single else TensorProto.DOUBLE

    def scores(self, x: Variable, parts: Parts) -> Variable:
        """Compute log p(k | x), up to a term common to the classes."""
        if self.are_far_apart(parts):
            return self.about_nearest(x, parts)
        if parts.tied is not None:
            means, _ = parts.tied
            constants = parts.log_prior - 0.5 * np.square(means).sum(axis=1)
            return self.affine(x, parts, means, constants)
        if parts.log_det:
            return self.quadratic(x, parts, parts.spread, np.array(parts.log_det))
        (deviations,) = parts.spread
        return self.quadratic(x, parts, deviations, 2 * np.log(deviations).sum(axis=1))

    def decisions(self, x: Variable, scores: Variable, parts: Parts) -> Variable:
        """Compute `decision_function`; where this is flat, its negative and itself."""
        if len(parts.log_prior) == 2:  # noqa: PLR2004 (two need but one)
            return self.op.MatMul(scores, self.tensor(np.array([[1, -1], [-1, 1]])))
        if parts.tied is None or not parts.tied[1] or self.are_far_apart(parts):
            return scores
        # Of uncentered discriminants the scores lack a'W (x - m) + a'a / 2, with a = W m, unless
        # that is so large that its rounding would hide what tells classes apart.
        center = parts.spread[0] @ parts.center
        if 0.5 * center @ center > np.finfo(self.dtype).eps ** -0.5:
            return scores
        common = self.affine(x, parts, center[np.newaxis], 0.5 * np.array([center @ center]))
        return self.op.Add(scores, common)

    def are_far_apart(self, parts: Parts) -> bool:
        """Tell whether the rounding of linear functions about one center would show."""
        if parts.tied is None:
            return False
        means, _ = parts.tied
        return bool(np.square(means).sum(axis=1).max() > np.finfo(self.dtype).eps ** -0.4)

    def about_nearest(self, x: Variable, parts: Parts) -> Variable:
        """Compute the scores about the mean of a class near each row, in double precision.

        About class a they are b'z - b'b / 2, with z = W (x - m_a) and b = W (m_k - m_a).
        """
        op, (shift, offset), (spread,) = self.op, parts.means, parts.spread
        n_classes, n_directions = len(shift), len(spread)
        if n_classes**2 * n_directions > MAX_ENTRIES:
            raise ValueError(
                f"The {n_classes} classes lie so far apart that an ONNX graph would need "
                f"{n_classes**2 * n_directions} differences between their means, more than "
                f"{MAX_ENTRIES}. Scale the columns, leave out classes far away, or use the model "
                "itself."
            )
        rounded = shift + offset
        rest = (shift - rounded) + offset
        apart = (rounded - rounded[:, np.newaxis]) + (rest - rest[:, np.newaxis])
        slopes = apart @ spread.T
        log_prior = np.array(parts.log_prior)
        x = op.Cast(x, to=TensorProto.DOUBLE)
        best = op.ArgMax(op.Mul(x, np.zeros(1)), axis=1, keepdims=0)  # the first class
        scores = x
        for _ in range(ROUNDS):  # after the last but one, each row is about its likeliest class
            centered = op.Sub(op.Sub(x, op.Gather(rounded, best)), op.Gather(rest, best))
            white = op.Reshape(op.MatMul(centered, spread.T), np.array([-1, 1, n_directions]))
            b = op.Gather(slopes, best)
            terms = op.Mul(b, op.Sub(white, op.Mul(b, np.array([0.5]))))
            scores = op.Add(op.ReduceSumAnyOpset(terms, DIRECTIONS, keepdims=0), log_prior)
            best = op.ArgMax(scores, axis=1, keepdims=0)
        return op.Cast(scores, to=self.onnx_type)

    def affine(self, x: Variable, parts: Parts, directions: Array, constants: Array) -> Variable:
        """Compute b'W (x - m) + c for each direction b and constant c; m is the center."""
        centered = self.subtract(x, np.array(parts.center), np.zeros(1))
        slopes = self.tensor(directions @ parts.spread[0])
        return self.op.Gemm(centered, slopes, self.tensor(constants), transB=1)

    def quadratic(self, x: Variable, parts: Parts, spreads: Array, log_det: Array) -> Variable:
        """Compute log prior - log det / 2 - distance / 2 for each class."""
        classes = zip(*parts.means, spreads, strict=True)
        distances = [self.distance(self.subtract(x, *mean), spread) for *mean, spread in classes]
        halves = self.op.Mul(self.op.Concat(*distances, axis=1), self.tensor(np.array(-0.5)))
        return self.op.Add(halves, self.tensor(parts.log_prior - 0.5 * log_det))

    def subtract(self, x: Variable, shift: Array, offset: Array) -> Variable:
        """Subtract the point shift + offset, rounded, and then what the rounding has cut off."""
        rounded = self.tensor(shift + offset)
        rest = self.tensor((shift - rounded) + offset)
        return self.op.Sub(self.op.Sub(x, rounded), rest)

    def distance(self, deviation: Variable, spread: Array) -> Variable:
        """Compute squared lengths after whitening, by a matrix or by standard deviations."""
        if spread.ndim == 1:
            white = self.op.Div(deviation, self.tensor(spread))
        else:
            white = self.op.MatMul(deviation, self.tensor(spread.T))
        return self.op.ReduceSumAnyOpset(self.op.Mul(white, white), COLUMNS, keepdims=1)

    def tensor(self, values: Array) -> NDArray[Any]:
        """Round constants to the precision of the graph."""
        return values.astype(self.dtype)
