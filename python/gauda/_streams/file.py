"""What is known of a file before its rows are read; every format gives one of these."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauda._streams.columns import Columns


@dataclass(frozen=True)
class File:
    """A file, or a folder of files: what it holds, and how to read some of its columns."""

    schema: Any
    n_rows: int | None
    read: Callable[[Columns, int], Generator[Any]]
    """Yield record batches of these columns with at most about so many rows."""
    dtype: np.dtype[Any] | None = None
    """Type of all features, where the schema is but a guess."""
