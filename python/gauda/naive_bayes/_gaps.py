"""How discrete and mixed models handle missing values.

The functions here are methods of `DiscreteNB` and `MixedNB`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gauda.naive_bayes._discrete import DiscreteNB
    from gauda.naive_bayes._mixed import MixedNB

WAYS = ("raise", "marginalize", "propagate", "drop")
"""Of handling missing values; by some of them entries of a row may be left out."""


def missing_in_scores(self: DiscreteNB | MixedNB) -> str:
    """Return how missing entries are handled in rows that are scored, if not by the model itself.

    None of the rows can be left out.
    """
    if self.missing == "drop" or (self.missing == "marginalize" and self._leaves_out):
        return "raise"
    return self.missing


def nan_advice(self: DiscreteNB | MixedNB) -> str:
    """Who takes missing values, and where."""
    if not self._takes_gaps:
        return " A term that a text does not have is 0; missing='drop' leaves rows out of fits."
    if self.missing == "marginalize":
        return (
            " missing='marginalize' acts on dense rows, and on sparse ones in fits only: score the "
            "rows that have gaps as a dense array."
        )
    if self.missing == "drop":
        return (
            " missing='drop' leaves rows out of fits; those that are scored get an answer each: "
            "use missing='marginalize', or 'propagate' for NaN."
        )
    return (
        " Or use missing='marginalize', which leaves missing values out of fits and scores; or "
        "missing='drop', which leaves such rows out of fits."
    )
