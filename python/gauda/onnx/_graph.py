"""The ONNX graph of a fitted classifier: rows to scores, scores to labels and posteriors.

skl2onnx's own graphs of these models are not used: its LDA squares the odds of two classes, large
integer labels are cut to 32 bits, and float32 rows far from 0 lose their digits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from skl2onnx.common.data_types import (
    DoubleTensorType,
    FloatTensorType,
    Int64TensorType,
    StringTensorType,
    guess_proto_type,
)
from skl2onnx.common.utils_classifier import get_label_classes
from skl2onnx.proto import TensorProto

from gauda._data.twins import twin
from gauda._estimators.access import model_of, scorer
from gauda._estimators.gaussian import GaussianClassifier
from gauda._support.arrays import Floats
from gauda.naive_bayes import GaussianNB
from gauda.onnx._decisions import decide, decision_labels
from gauda.onnx._discrete import discrete_scores

Variable = Any
"""The name of what a node computes; skl2onnx has no types."""

COLUMNS = np.array([1])

DIRECTIONS = np.array([2])

ROUNDS = 4
"""Times that a row may be taken about another class; each brings it nearer by half its digits."""

MAX_ENTRIES = 2**22
"""Differences between class means that a graph of classes far apart may hold."""


def infer_shapes(operator: Any) -> None:
    """Tell skl2onnx the types of labels and posteriors, of one input or one for each column."""
    label, score = operator.outputs
    n_rows = operator.inputs[0].get_first_dimension()
    classes = operator.raw_operator.classes_
    numbered = is_numbered(operator.scope_inst, operator)
    is_text = not numbered and all(isinstance(name, str) for name in classes)
    label.type = (StringTensorType if is_text else Int64TensorType)([n_rows])
    double = any(isinstance(given.type, DoubleTensorType) for given in operator.inputs)
    score.type = (DoubleTensorType if double else FloatTensorType)([n_rows, len(classes)])


def convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of a fitted classifier to the container, as skl2onnx asks of a converter."""
    classifier = twin(operator.raw_operator)
    label, score = operator.outputs
    rules = scorer(classifier)
    given = get_label_classes(scope, operator.raw_operator)
    numbered = given is not operator.raw_operator.classes_ and is_numbered(scope, operator)
    labels = label_tensor(decision_labels(given, rules.labels, numbered=numbered))
    op = container.get_op_builder(scope)
    if isinstance(classifier, GaussianClassifier):
        nodes, scores, answers = gaussian_scores(container, scope, operator, classifier)
    else:
        nodes = Nodes(op, single=False)
        scores = discrete_scores(container, scope, classifier, operator.inputs)
        answers = None
    posteriors = op.Softmax(scores, axis=1)
    index = decide(nodes, scores, posteriors, rules.rules, len(rules.classes))
    container.add_node("Identity", op.Gather(labels, index), label.full_name)
    answers = posteriors if answers is None else answers
    container.add_node("Cast", answers, score.full_name, to=guess_proto_type(score.type))


def is_numbered(scope: Any, operator: Any) -> bool:
    """Tell whether classes are to be numbered instead of named."""
    return bool(scope.get_options(operator.raw_operator, {"nocl": False})["nocl"])


def gaussian_scores(
    container: Any, scope: Any, operator: Any, classifier: Any
) -> tuple[Nodes, Variable, Variable | None]:
    """Compute the scores of a Gaussian model, and its decisions if these are asked for."""
    takes_gaps = isinstance(classifier, GaussianNB) and classifier.missing == "marginalize"
    if classifier.missing != "raise" and not takes_gaps:
        raise ValueError(
            f"The ONNX graph takes complete rows, but this model has missing="
            f"{classifier.missing!r}. Set missing='raise', and fill rows in first, as with impute; "
            "of missing='marginalize' there are graphs of naive Bayes."
        )
    (rows,) = operator.inputs
    parts = Parts(**model_of(classifier).parts)
    nodes = Nodes(container.get_op_builder(scope), single=isinstance(rows.type, FloatTensorType))
    x = nodes.op.Cast(rows.full_name, to=nodes.onnx_type)
    if takes_gaps:
        return nodes, nodes.score_observed(x, parts), None
    scores = nodes.scores(x, parts)
    asked = wants_decisions(container, operator.raw_operator)
    return nodes, scores, nodes.decisions(x, scores, parts) if asked else None


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
        labels = np.array([int(label) for label in classes], dtype=np.int64)
    except (OverflowError, TypeError, ValueError):
        labels = np.empty(0, dtype=np.int64)
    if labels.tolist() != list(classes):
        raise ValueError(
            "Labels of an ONNX graph must be all text, or all integers that fit in int64; got "
            f"{classes}. Convert with options={{'nocl': True}}, which numbers the classes; "
            "fit other labels; or set a reject_label of their kind."
        )
    return labels


class Parts(NamedTuple):
    """The parameters of a core model, as its constructor takes them."""

    center: list[float]
    means: tuple[Floats, Floats]
    log_prior: list[float]
    spread: Floats
    log_det: list[float]
    tied: tuple[Floats, bool] | None


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

    def score_observed(self, x: Variable, parts: Parts) -> Variable:
        """Compute the scores of naive Bayes by the values that are not missing."""
        (deviations,) = parts.spread
        gaps, nothing = self.op.IsNaN(x), self.tensor(np.zeros(1))
        scores = []
        for *mean, own in zip(*parts.means, deviations, strict=True):
            white = self.op.Div(self.subtract(x, *mean), self.tensor(own))
            terms = self.op.Add(self.op.Mul(white, white), self.tensor(2 * np.log(own)))
            seen = self.op.Where(gaps, nothing, terms)
            scores.append(self.op.ReduceSumAnyOpset(seen, COLUMNS, keepdims=1))
        halves = self.op.Mul(self.op.Concat(*scores, axis=1), self.tensor(np.array(-0.5)))
        return self.op.Add(halves, self.tensor(np.array(parts.log_prior)))

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

    def affine(self, x: Variable, parts: Parts, directions: Floats, constants: Floats) -> Variable:
        """Compute b'W (x - m) + c for each direction b and constant c; m is the center."""
        centered = self.subtract(x, np.array(parts.center), np.zeros(1))
        slopes = self.tensor(directions @ parts.spread[0])
        return self.op.Gemm(centered, slopes, self.tensor(constants), transB=1)

    def quadratic(self, x: Variable, parts: Parts, spreads: Floats, log_det: Floats) -> Variable:
        """Compute log prior - log det / 2 - distance / 2 for each class."""
        classes = zip(*parts.means, spreads, strict=True)
        distances = [self.distance(self.subtract(x, *mean), spread) for *mean, spread in classes]
        halves = self.op.Mul(self.op.Concat(*distances, axis=1), self.tensor(np.array(-0.5)))
        return self.op.Add(halves, self.tensor(parts.log_prior - 0.5 * log_det))

    def subtract(self, x: Variable, shift: Floats, offset: Floats) -> Variable:
        """Subtract the point shift + offset, rounded, and then what the rounding has cut off."""
        rounded = self.tensor(shift + offset)
        rest = self.tensor((shift - rounded) + offset)
        return self.op.Sub(self.op.Sub(x, rounded), rest)

    def distance(self, deviation: Variable, spread: Floats) -> Variable:
        """Compute squared lengths after whitening, by a matrix or by standard deviations."""
        if spread.ndim == 1:
            white = self.op.Div(deviation, self.tensor(spread))
        else:
            white = self.op.MatMul(deviation, self.tensor(spread.T))
        return self.op.ReduceSumAnyOpset(self.op.Mul(white, white), COLUMNS, keepdims=1)

    def tensor(self, values: Floats) -> NDArray[Any]:
        """Round constants to the precision of the graph."""
        return values.astype(self.dtype)
