"""Joins parts by a tree whose shape depends on their number only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Part = TypeVar("Part")

FAN_IN = 8
"""Parts that are joined in one task."""


def join_by_tree(parts: Sequence[Part], join: Callable[[Sequence[Part]], Part]) -> Part:
    """Return what all parts give together.

    Neighbors are joined, then their results, and so on. So the order of additions, and with it
    every bit of the result, is the same however tasks are scheduled, retried or run twice.

    Parameters
    ----------
    parts : sequence
        Parts in the order of the partitions, at least one; or tasks that make them.

    join : callable
        Joins up to eight neighbors; or makes a task that does.

    Returns
    -------
    Part
        All together.

    Examples
    --------
    >>> from gauda._cluster.tree import join_by_tree
    >>> join_by_tree([str(part) for part in range(12)], lambda few: f"({''.join(few)})")
    '((01234567)(891011))'
    """
    level = list(parts)
    if not level:
        raise ValueError("A tree must have parts to join; got none.")
    while True:
        level = [join(level[at : at + FAN_IN]) for at in range(0, len(level), FAN_IN)]
        if len(level) == 1:
            return level[0]
