"""What discrete and mixed models do not have, why, and what has it.

What is listed last are methods of `DiscreteNB` and `MixedNB` that are never there.
"""

from __future__ import annotations

from typing import Any, NoReturn

from gauda._data.sklearn_private import available_if
from gauda._estimators import geometry


def refuse_distances(self: Any) -> NoReturn:
    """Say why rows have no distance to a class."""
    low = "score_samples, which is low for rows that are unusual, or "
    raise AttributeError(
        f"{type(self).__name__} has no distances of rows to classes, as levels and counts have "
        f"none. Use {low if hasattr(self, 'score_samples') else ''}predict with reject=0.9, by the "
        "posterior; of columns of numbers GaussianNB has distances."
    )


def refuse_means(self: Any) -> NoReturn:
    """Say why means of classes are not compared."""
    other = "diagnostics, which has the mutual information of each column with the class; "
    raise AttributeError(
        f"{type(self).__name__} has no tests of class means, which levels do not have. Use "
        f"{other if hasattr(self, 'diagnostics') else ''}column_importance; or, of columns of "
        "numbers, Moments.separation_tests."
    )


mahalanobis: Any = available_if(refuse_distances)(geometry.mahalanobis)
typicality: Any = available_if(refuse_distances)(geometry.typicality)
separation_tests: Any = available_if(refuse_means)(geometry.separation_tests)
