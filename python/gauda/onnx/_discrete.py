"""Scores of discrete and mixed models in an ONNX graph, in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from skl2onnx.common.data_types import StringTensorType
from skl2onnx.proto import TensorProto

from gauda._data.columns import GAUSSIAN
from gauda._estimators.access import model_of
from gauda._support.arrays import Floats
from gauda.naive_bayes import BernoulliNB, CategoricalNB, MixedNB

Variable = Any
"""The name of what a node computes; skl2onnx has no types."""

FLAT = np.array([-1])


def discrete_scores(container: Any, scope: Any, classifier: Any, inputs: list[Any]) -> Variable:
    """Compute log p(k, x) of the classes, in double precision."""
    refuse_propagating(classifier)
    op = container.get_op_builder(scope)
    if isinstance(classifier, MixedNB | CategoricalNB):
        return ColumnScores(container, scope, classifier).of(inputs)
    (rows,) = inputs
    x = op.Cast(rows.full_name, to=TensorProto.DOUBLE)
    model = model_of(classifier)
    if isinstance(classifier, BernoulliNB):
        return presence_scores(op, x, rows.type, classifier)
    scores = affine(op, x, finite(model.weights), model.added)
    return rule_out(op, x, scores, infinite(model.weights), np.zeros(len(model.added)))


def refuse_propagating(classifier: Any) -> None:
    """Refuse a model that answers NaN where something is missing."""
    if classifier.missing == "propagate":
        raise ValueError(
            f"The ONNX graph of {type(classifier).__name__} must leave missing values out, or take "
            "complete rows; got missing='propagate'. Set missing='marginalize' or 'raise'."
        )


def presence_scores(op: Any, x: Variable, kind: Any, classifier: BernoulliNB) -> Variable:
    """Compute the scores of rows of presence; of what is missing nothing, where it is left out."""
    model = model_of(classifier)
    present, absent = model.log_present, model.log_absent
    if classifier.binarize is not None:
        x = binarize(op, x, kind, classifier.binarize)
    never, always = infinite(present), infinite(absent)
    if classifier.missing != "marginalize":
        scores = affine(op, x, finite(present) - finite(absent), finite(absent).sum(axis=1))
        scores = rule_out(op, x, scores, never - always, always.sum(axis=1))
        return op.Add(scores, model.log_prior)
    gaps, nothing = op.IsNaN(x), np.zeros(1)
    here = op.Where(gaps, nothing, x)
    away = op.Where(gaps, nothing, op.Sub(np.ones(1), x))
    terms = (matmul(op, here, finite(present)), matmul(op, away, finite(absent)))
    scores = op.Add(*terms)
    if never.any() or always.any():
        impossible = op.Add(matmul(op, here, never), matmul(op, away, always))
        scores = op.Where(op.Greater(impossible, nothing), np.array([-np.inf]), scores)
    return op.Add(scores, model.log_prior)


def matmul(op: Any, x: Variable, slopes: Floats) -> Variable:
    """Compute the slopes times x, of each class."""
    return op.MatMul(x, np.ascontiguousarray(slopes.T))


def binarize(op: Any, x: Variable, kind: Any, threshold: float) -> Variable:
    """Compute 1 where entries lie above a threshold, and 0 elsewhere; NaN stays NaN."""
    single = type(kind).__name__ == "FloatTensorType"
    compared = np.float64(np.float32(threshold)) if single else np.float64(threshold)
    present = op.Cast(op.Greater(x, np.array([compared])), to=TensorProto.DOUBLE)
    return op.Add(present, op.Mul(x, np.zeros(1)))


def affine(op: Any, x: Variable, slopes: Floats, constants: Floats) -> Variable:
    """Compute the slopes times x, and the constants, of each class."""
    return op.Add(matmul(op, x, slopes), constants)


def rule_out(op: Any, x: Variable, scores: Variable, slopes: Floats, constants: Floats) -> Variable:
    """Replace scores with impossible terms, whose number is affine, by minus infinity."""
    if not slopes.any() and not constants.any():
        return scores
    terms = affine(op, x, slopes, constants)
    return op.Where(op.Greater(terms, np.zeros(1)), np.array([-np.inf]), scores)


def finite(logs: Floats) -> Floats:
    """Return logarithms, or 0 in place of minus infinity."""
    return np.where(np.isfinite(logs), logs, 0.0)


def infinite(logs: Floats) -> Floats:
    """Return 1 for minus infinity, else 0."""
    return np.asarray(~np.isfinite(logs), dtype=np.float64)


def look_up(op: Any, index: Variable, table: Floats) -> Variable:
    """Look up the terms of levels; nothing is added for the index after the last of them.

    That one further is outside of the table: onnxruntime then refuses to go on.
    """
    padded = np.vstack([table.T, np.zeros(len(table))])
    return op.Gather(padded, op.Reshape(index, FLAT), axis=0)


def total(op: Any, terms: list[Variable], log_prior: Floats) -> Variable:
    """Add up the terms of columns, and the priors."""
    scores = terms[0]
    for term in terms[1:]:
        scores = op.Add(scores, term)
    return op.Add(scores, log_prior)


class ColumnScores:
    """Makes the nodes of a model of levels, and perhaps of numbers, column by column."""

    def __init__(self, container: Any, scope: Any, classifier: MixedNB | CategoricalNB) -> None:
        self.container, self.scope, self.classifier = container, scope, classifier
        self.op = container.get_op_builder(scope)
        self.leaves_out = classifier.missing == "marginalize"

    def of(self, inputs: list[Any]) -> Variable:
        """Compute the scores of rows: one input for all columns, or one for each."""
        model = self.classifier
        terms = []
        for column, (entries, kind) in enumerate(self.columns(inputs)):
            if isinstance(model, MixedNB) and model.kinds_[column] == GAUSSIAN:
                terms.append(self.normal(entries, model.theta_[column], model.var_[column]))
            elif column in model.categories_:
                terms.append(self.levels(column, entries, kind))
            else:
                terms.append(self.score_numbered(column, entries))
        return total(self.op, terms, model_of(model).log_prior)

    def columns(self, inputs: list[Any]) -> list[tuple[Variable, Any]]:
        """Return each column and its type, in the order of the fit."""
        n_columns = self.classifier.n_features_in_
        if len(inputs) == 1 and n_columns > 1:
            (rows,) = inputs
            each = [np.array([at]) for at in range(n_columns)]
            return [(self.op.Gather(rows.full_name, at, axis=1), rows.type) for at in each]
        if len(inputs) != n_columns:
            raise ValueError(
                f"The ONNX graph must have one input for all columns or one for each, {n_columns}; "
                f"got {len(inputs)}."
            )
        names = getattr(self.classifier, "feature_names_in_", None)
        given = {variable.raw_name: variable for variable in inputs}
        if names is not None and set(given) == set(names):
            inputs = [given[name] for name in names]
        return [(variable.full_name, variable.type) for variable in inputs]

    def normal(self, entries: Variable, means: Floats, variances: Floats) -> Variable:
        """Compute the log-density of numbers in each class; of what is left out 0."""
        x = self.op.Cast(entries, to=TensorProto.DOUBLE)
        away = self.op.Sub(x, means)
        squares = self.op.Div(self.op.Mul(away, away), -2 * variances)
        logs = self.op.Add(squares, -0.5 * np.log(2 * np.pi * variances))
        return self.op.Where(self.op.IsNaN(x), np.zeros(1), logs) if self.leaves_out else logs

    def score_numbered(self, column: int, entries: Variable) -> Variable:
        """Compute the log-probability of levels 0, 1, 2, ... in each class."""
        op, table = self.op, self.classifier.feature_log_prob_[column]
        n_levels = table.shape[1]
        x = op.Cast(entries, to=TensorProto.DOUBLE)
        whole = op.And(op.Equal(op.Floor(x), x), op.Greater(x, np.array([-1.0])))
        known = op.Less(x, np.array([float(n_levels)]))
        unknown = np.array([self.unknown(n_levels)])
        index = op.Where(known, op.Cast(x, to=TensorProto.INT64), unknown)
        index = op.Where(whole, index, np.array([n_levels + 1]))
        return look_up(op, op.Where(op.IsNaN(x), np.array([self.gap(n_levels)]), index), table)

    def levels(self, column: int, entries: Variable, kind: Any) -> Variable:
        """Compute the log-probability of levels in each class; of what is left out 0."""
        model, op = self.classifier, self.op
        levels, table = model.categories_[column], model.feature_log_prob_[column]
        width = table.shape[1]
        unknown = len(levels) if len(levels) < width else self.unknown(width)
        are_text = [isinstance(level, str) for level in levels]
        if isinstance(kind, StringTensorType) != all(are_text) or any(are_text) != all(are_text):
            raise ValueError(
                f"Levels of column {column} must be text if its input is, else numbers; got "
                f"{levels} and {type(kind).__name__}. Give the type of the input in initial_types."
            )
        if all(are_text):
            index = self.text_index(entries, levels, unknown, self.gap(width))
            return look_up(op, index, table)
        x = op.Cast(entries, to=TensorProto.DOUBLE)
        numbers = np.array(levels, dtype=np.float64)[np.newaxis]
        equal = op.Cast(op.Equal(x, numbers), to=TensorProto.FLOAT)
        matches = op.ReduceSumAnyOpset(equal, np.array([1]), keepdims=1)
        found = op.Greater(matches, np.zeros(1, dtype=np.float32))
        index = op.Where(found, op.ArgMax(equal, axis=1, keepdims=1), np.array([unknown]))
        return look_up(op, op.Where(op.IsNaN(x), np.array([self.gap(width)]), index), table)

    def unknown(self, width: int) -> int:
        """Return the index of a level that is not known: it adds nothing, or is refused."""
        return width if self.classifier.handle_unknown == "ignore" else width + 1

    def gap(self, width: int) -> int:
        """Return the index of what is missing, likewise."""
        return width if self.leaves_out else width + 1

    def text_index(self, entries: Variable, levels: list[str], unknown: int, gap: int) -> Variable:
        """Compute the index of text among levels; nothing at all is missing, unless a level."""
        keys = levels if "" in levels else [*levels, ""]
        index = self.scope.get_unique_variable_name("level")
        self.container.add_node(
            "LabelEncoder",
            entries,
            index,
            op_domain="ai.onnx.ml",
            op_version=2,
            keys_strings=keys,
            values_int64s=[*range(len(levels)), gap][: len(keys)],
            default_int64=unknown,
        )
        return index
