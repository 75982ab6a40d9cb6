"""Types of what rows hold."""

from __future__ import annotations

import numpy as np

NATIVE = frozenset(
    np.dtype(name) for name in ["f8", "f4", *(f"{s}{n}" for s in "iu" for n in (1, 2, 4, 8)), "?"]
)
"""Element types that the core reads in place."""

SINGLE = frozenset(np.dtype(name) for name in ["f4", "i1", "i2", "u1", "u2"])
"""Element types whose rows are scored in float32."""

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
