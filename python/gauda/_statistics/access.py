"""What packages that compute with statistics need of them, and users do not."""

from __future__ import annotations

from typing import TypeVar

from gauda._core import Moments as CoreMoments
from gauda._statistics.base import Statistics
from gauda._statistics.moments import Moments

Sums = TypeVar("Sums", bound=Statistics)


def core_of(moments: Moments) -> CoreMoments:
    """Return the moments as the compiled core holds them."""
    return moments._core


def without_empty_classes(statistics: Sums) -> Sums:
    """Return statistics of the classes that have weight."""
    return statistics._with_classes(statistics.class_weight > 0)
