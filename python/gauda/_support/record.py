"""Records that every small fit and every batch makes anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

Made = TypeVar("Made")


@dataclass_transform(eq_default=False, frozen_default=True)
def record(kind: type[Made]) -> type[Made]:
    """Make a dataclass that mypy keeps from being changed.

    Not Python: a dataclass that is frozen there takes four times as long to make, and to read a
    field of it more than twice as long where it fills its dictionary past the freezing.
    """
    return dataclass(eq=False)(kind)
