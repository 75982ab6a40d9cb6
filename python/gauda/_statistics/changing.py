"""Statistics that are made, or changed, in less time than frozen dataclasses take for it."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, cast

Changed = TypeVar("Changed")


@cache
def field_names(kind: Any) -> tuple[str, ...]:
    """Return the names of what a dataclass holds."""
    return tuple(field.name for field in fields(kind))


def make(kind: type[Changed], /, **held: Any) -> Changed:
    """Return statistics that hold this; every field must be given."""
    made: Any = object.__new__(kind)
    vars(made).update(held)
    made.__post_init__()
    found: Changed = made
    return found


def replace_sums(statistics: Changed, **sums: Any) -> Changed:
    """Return statistics with other sums, whose arrays nobody else may be able to write.

    What was computed of the former sums is left out.
    """
    other: Any = object.__new__(type(statistics))
    held, kind = vars(statistics), cast("Any", type(statistics))
    vars(other).update({name: held[name] for name in field_names(kind)}, **sums)
    found: Changed = other
    return found


def change(statistics: Changed, **changes: Any) -> Changed:
    """Return statistics with other fields, whoever holds their arrays."""
    changed = replace_sums(statistics, **changes)
    cast("Any", changed).__post_init__()
    return changed


def copy_of_state(statistics: Any) -> dict[str, Any]:
    """Return what is pickled: a copy, for other threads may add what they compute meanwhile."""
    return dict(statistics.__dict__)
