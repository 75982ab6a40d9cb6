"""What `classify` returns, and the arrays that it fills."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gauda._data.arguments import is_whole
from gauda._data.labels import label_question, settle_labels
from gauda._data.shapes import Shape, fold
from gauda._scoring import shown

USUAL_TOP_K = 3


class TopK(NamedTuple):
    """The likeliest classes of each row."""

    labels: NDArray[Any]
    """Labels, those of larger posteriors first."""
    proba: NDArray[Any]
    """Their posteriors."""


@dataclass(frozen=True, repr=False)
class Classification:
    """Answers of `classify`; what was not asked for is None.

    Attributes
    ----------
    label : ndarray of shape (n_samples,)
        Labels, as `predict` gives them.

    proba : ndarray of shape (n_samples, n_classes)
        Posteriors p(k | x).

    log_proba : ndarray of shape (n_samples, n_classes)
        Their logarithms.

    log_density : ndarray of shape (n_samples,)
        log p(x).

    joint : ndarray of shape (n_samples, n_classes)
        log p(x, k).

    mahalanobis : ndarray of shape (n_samples, n_classes)
        Squared Mahalanobis distances.

    typicality : ndarray of shape (n_samples, n_classes)
        Probabilities that a row of the class lies farther from its mean.

    cost : ndarray of shape (n_samples, n_decisions)
        Expected costs of the decisions: one for each class, and if rejecting has a cost, that.

    top_k : TopK
        The `top_k` likeliest labels of each row and their posteriors, of shape (n_samples, top_k).

    max_proba : ndarray of shape (n_samples,)
        The largest posterior.

    label_typicality : ndarray of shape (n_samples,)
        The typicality of the label; NaN where a row is rejected.

    min_mahalanobis : ndarray of shape (n_samples,)
        The smallest squared Mahalanobis distance to a class.
    """

    # Not `| None`: who asks for an answer need not tell a type checker that it is there.
    label: NDArray[Any] | Any = None
    proba: NDArray[Any] | Any = None
    log_proba: NDArray[Any] | Any = None
    log_density: NDArray[Any] | Any = None
    joint: NDArray[Any] | Any = None
    mahalanobis: NDArray[Any] | Any = None
    typicality: NDArray[Any] | Any = None
    cost: NDArray[Any] | Any = None
    top_k: TopK | Any = None
    max_proba: NDArray[Any] | Any = None
    label_typicality: NDArray[Any] | Any = None
    min_mahalanobis: NDArray[Any] | Any = None

    _repr_html_ = shown.as_html

    def __repr__(self) -> str:
        """Return the answers that were asked for."""
        found = [(field.name, getattr(self, field.name)) for field in fields(self)]
        asked = [f"{name}={value!r}" for name, value in found if value is not None]
        return f"Classification({', '.join(asked)})"


OUTPUTS = tuple(field.name for field in fields(Classification))

QUESTIONS = {"proba": "posterior", "log_proba": "log_posterior"}
"""What the core calls outputs otherwise."""

FLAT = frozenset({"label", "log_density", "max_proba", "label_typicality", "min_mahalanobis"})
"""Outputs of one value for each row."""


def validate_outputs(outputs: str | Sequence[str], top_k: Any = None) -> tuple[str, ...]:
    """Return the names of outputs, each once; refuse a number of classes that none of them has."""
    given = [outputs] if isinstance(outputs, str) or not isinstance(outputs, Iterable) else outputs
    asked = list(given)
    if not asked or any(output not in OUTPUTS for output in asked):
        raise ValueError(f"outputs must name some of {', '.join(OUTPUTS)}; got {outputs!r}.")
    if top_k is not None and "top_k" not in asked:
        raise ValueError(
            f"top_k must be None unless it is among the outputs; got {top_k!r} with the outputs "
            f"{outputs!r}. Add 'top_k' to them."
        )
    return tuple(dict.fromkeys(asked))


def validate_top_k(top_k: Any, n_classes: int) -> int:
    """Return how many classes of each row are wanted."""
    if top_k is None:
        return min(USUAL_TOP_K, n_classes)
    if not (is_whole(top_k) and 1 <= top_k <= n_classes):
        raise ValueError(
            f"top_k must be an integer from 1 to {n_classes}, the number of classes; got {top_k!r}."
        )
    return int(top_k)


@dataclass(frozen=True)
class Sheet:
    """Arrays for the answers about some rows, the caller's own or new ones."""

    shape: Shape
    """Of the rows."""
    precision: np.dtype[Any]
    """In which the rows are scored."""
    read: Sequence[tuple[str, NDArray[Any]]]
    """X, and what else the core reads meanwhile, as the caller knows it."""
    outputs: tuple[str, ...]
    given: Mapping[str, NDArray[Any]]

    @classmethod
    def of(
        cls,
        shape: Shape,
        precision: np.dtype[Any],
        read: Sequence[tuple[str, NDArray[Any]]],
        outputs: tuple[str, ...],
        out: Any,
    ) -> Sheet:
        """Check that the caller's arrays are for outputs that were asked for."""
        given = {} if out is None else out
        if not isinstance(given, Mapping):
            raise TypeError(
                f"out must be a dict of arrays by the names of outputs; got {type(out).__name__}."
            )
        others = [name for name in given if name not in outputs or name == "top_k"]
        if others:
            raise ValueError(
                f"out holds an array for {others[0]!r}; it takes arrays for the outputs asked for, "
                f"{', '.join(outputs)}, except top_k."
            )
        return cls(shape, precision, read, outputs, given)

    def fill(
        self,
        ask: Callable[[dict[str, Any]], None],
        names: NDArray[Any],
        n_classes: int,
        n_decisions: int,
        top_k: int,
    ) -> Classification:
        """Have questions asked, and return the answers."""
        answers: dict[str, Any] = {}
        for output in self.outputs:
            if output != "top_k":
                width = n_decisions if output == "cost" else n_classes
                widths = () if output in FLAT else (width,)
                dtype = names.dtype if output == "label" else self.precision
                answers[output] = self._array(output, widths, dtype)
        self._check_apart(answers)
        questions = self._questions(answers, names, n_classes, top_k)
        ask(questions)
        if "label" in answers:
            settle_labels(questions, names, answers["label"])
        if "top_k" in self.outputs:
            codes, posteriors = questions["best"]
            found = TopK(names[codes], posteriors)
            answers["top_k"] = TopK(*(fold(part, self.shape) for part in found))
        if "max_proba" in answers:
            answers["max_proba"][:] = questions["best"][1][:, 0]
        for output in answers.keys() - {"top_k"}:
            answers[output] = self.given.get(output, fold(answers[output], self.shape))
        return Classification(**answers)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return prod(self.shape)

    def _questions(
        self, answers: dict[str, Any], names: NDArray[Any], n_classes: int, top_k: int
    ) -> dict[str, Any]:
        """Return what to ask of the core: arrays of answers, and some that others follow from."""
        asked = [output for output in answers if output not in {"label", "max_proba"}]
        questions: dict[str, Any] = {QUESTIONS.get(name, name): answers[name] for name in asked}
        if "label" in answers:
            questions |= label_question(names, answers["label"], n_classes)
        if "top_k" in self.outputs or "max_proba" in answers:
            width = top_k if "top_k" in self.outputs else 1
            codes = np.empty((self.n_rows, width), dtype=np.uint32)
            questions["best"] = codes, self._new(width)
        return questions

    def _new(self, width: int) -> NDArray[Any]:
        return np.empty((self.n_rows, width), dtype=self.precision)

    def _array(self, output: str, widths: Shape, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return the caller's array for an output, if it will do, or a new one; row by row."""
        if output not in self.given:
            return np.empty((self.n_rows, *widths), dtype=dtype)
        array, shape = self.given[output], self.shape + widths
        kind = type(array).__name__
        if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype:
            found = f"{array.dtype} of shape {array.shape}" if kind == "ndarray" else kind
            raise ValueError(
                f"out[{output!r}] must be an array of {dtype} and shape {shape}; got {found}."
            )
        if not (array.flags.c_contiguous and array.flags.aligned and array.flags.writeable):
            raise ValueError(
                f"out[{output!r}] must be writable, aligned and contiguous in C order."
            )
        return array.reshape(self.n_rows, *widths)

    def _check_apart(self, answers: Mapping[str, NDArray[Any]]) -> None:
        """Refuse arrays of the caller that share memory with what is read, or with each other."""
        taken = list(self.read)
        for output in self.given:
            for other, memory in taken:
                if np.shares_memory(memory, answers[output]):
                    raise ValueError(
                        f"out[{output!r}] shares memory with {other}, which would be overwritten "
                        "while it is read. Give an array of its own."
                    )
            taken.append((f"out[{output!r}]", answers[output]))
