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


def join_sums(statistics: Changed, **sums: Any) -> Changed:
    """Return statistics with other sums, of which nobody else holds an array that is writable.

    What was computed of the others is left out.
    """
    other: Any = object.__new__(type(statistics))
    held, kind = vars(statistics), cast("Any", type(statistics))
    vars(other).update({name: held[name] for name in field_names(kind)}, **sums)
    found: Changed = other
    return found


def change(statistics: Changed, **changes: Any) -> Changed:
    """Return statistics with some fields changed, whoever holds their arrays."""
    changed: Any = join_sums(statistics, **changes)
    changed.__post_init__()
    found: Changed = changed
    return found


def copy_of_state(statistics: Any) -> dict[str, Any]:
    """Return what is pickled: a copy, for other threads may add what they compute meanwhile."""
    return dict(statistics.__dict__)
