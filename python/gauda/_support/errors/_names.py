"""What classes and columns are called in errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._core import CoreError
from gauda._support.arrays import Indices
from gauda._support.errors._registry import explanation_of
from gauda._support.record import record

MAX_COLUMNS_NAMED = 10

IsNull = Callable[[int, int], bool] | None
"""Tells whether an entry of a table, by row and column, is null, not NaN; None if none can be."""


class InErrors:
    """Turns errors of the core inside a block into errors with names."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, CoreError):
            raise self.names.explain(error) from None


@record
class Names:
    """What classes and columns are called, and which estimator is speaking."""

    estimator: str
    classes: NDArray[Any]
    features: NDArray[Any] | None = None
    model: Any = None
    """The estimator, whose parameters tell what advice is left."""
    moments: Any = None
    """Moments of its rows, if they are what is spoken of."""
    codes: NDArray[np.uint32] | None = None
    """Classes of the rows that the core was given, if it learns from them."""
    first_row: int = 0
    """How many rows of a stream came before those that the core was given."""
    is_null: IsNull = None
    """Tells whether an entry of what the core was given is null in the table that it comes from."""
    single: bool = False
    """Whether rows are scored in single precision."""
    rows: Indices | None = None
    """Which rows the core was given, if not all."""
    indices: Sequence[int] | None = None
    """Which columns the core was given, if not all."""
    nan_advice: str = " missing='drop' leaves such rows out."
    """Who takes missing values, where there is no estimator that knows: sums do."""

    def in_errors(self) -> InErrors:
        """Turn errors of the core inside the block into errors with names."""
        return InErrors(self)

    def explain(self, error: CoreError) -> Exception:
        """Return the exception that a user should see."""
        explained = explanation_of(error.kind, self, error.fields)
        return ValueError(str(error)) if explained is None else explained

    def label(self, code: int) -> str:
        """Return the label of a class."""
        return str(self.classes[code])

    def row(self, index: int) -> int:
        """Return the index of a row in all of the data."""
        return self.first_row + (index if self.rows is None else int(self.rows[index]))

    def gap(self, row: int, column: int) -> str:
        """Return what a missing value is called: null in tables that have such."""
        index = row if self.rows is None else int(self.rows[row])
        return "null" if self.is_null is not None and self.is_null(index, column) else "NaN"

    def column(self, index: int) -> str:
        """Return the name of a column in quotes, or its index."""
        column = index if self.indices is None else self.indices[index]
        return str(column) if self.features is None else repr(str(self.features[column]))

    def columns(self, indices: Sequence[int]) -> str:
        """Return 'column 3' or 'columns 3, 5'."""
        named = [self.column(index) for index in indices[:MAX_COLUMNS_NAMED]]
        if len(indices) > MAX_COLUMNS_NAMED:
            named.append(f"… ({len(indices)} in all)")
        return f"column{'s' * (len(indices) > 1)} {', '.join(named)}"

    def owner(self, code: int | None) -> str:
        """Return 'class a', or that all classes are meant."""
        return "all classes" if code is None else f"class {self.label(code)}"
