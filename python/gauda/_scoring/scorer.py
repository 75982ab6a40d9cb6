"""A fitted model with the rules of a call: questions go in, answers come out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.shapes import Shape
from gauda._scoring.answers import Classification, Sheet, validate_top_k
from gauda._scoring.rules import Rules
from gauda._support.errors import IsNull


@dataclass(frozen=True)
class Scorer:
    """All that is needed to score rows, as the fit and the call have it."""

    estimator: str
    """What errors call it."""
    classes: NDArray[Any]
    labels: NDArray[Any]
    """Of the decisions: those of the classes and, if rows may be rejected, a further one."""
    rules: Rules | None
    n_features: int
    feature_names: NDArray[Any] | None
    ask: Callable[[Any, dict[str, Any], int, IsNull], None]
    """Fills arrays with answers about rows, the first of which has this index in a stream, and
    whose missing values may be nulls of a table."""
    batch_rows: Callable[[Any], Any]
    """Returns a batch of a stream as rows that the core reads."""
    precision: Callable[[Any], np.dtype[Any]]
    """Returns the type in which rows are scored."""
    reads_tables: bool
    """Whether batches of a stream are tables with columns of any type."""
    text_columns: frozenset[str]
    """Names of columns that text files hold as text."""

    @property
    def n_decisions(self) -> int:
        """Decisions of which the costs are known."""
        rules = self.rules
        return len(self.classes) if rules is None or rules.cost is None else rules.cost.shape[1]

    def classify(  # noqa: PLR0913 (what a call may ask)
        self,
        rows: Any,
        outputs: tuple[str, ...],
        *,
        top_k: int | None = None,
        out: Mapping[str, NDArray[Any]] | None = None,
        read: Sequence[tuple[str, NDArray[Any]]] = (),
        labels: NDArray[Any] | None = None,
        first_row: int = 0,
        shape: Shape | None = None,
        is_null: IsNull = None,
    ) -> Classification:
        """Answer several questions about rows that were checked; labels may be other ones.

        The answers have a shape like that of the rows, or another one.
        """
        memory = [*read, *([] if self.rules is None else self.rules.arrays().items())]
        sheet = Sheet.of(shape or (len(rows),), self.precision(rows), memory, outputs, out)
        return sheet.fill(
            lambda answers: self.ask(rows, answers, first_row, is_null),
            self.labels if labels is None else labels,
            len(self.classes),
            self.n_decisions,
            validate_top_k(top_k, len(self.classes)),
        )
