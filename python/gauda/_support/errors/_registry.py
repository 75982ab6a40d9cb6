"""The register of explanations: what users read for each kind of the core's errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Explanation = TypeVar("Explanation", bound=Callable[..., Exception])

EXPLANATIONS: dict[str, Callable[..., Exception]] = {}


def explains(kind: str) -> Callable[[Explanation], Explanation]:
    """Enter a function that takes names and the fields of a kind of errors, a class as `code`."""

    def enter(explanation: Explanation) -> Explanation:
        EXPLANATIONS[kind] = explanation
        return explanation

    return enter


def explanation_of(kind: str, names: Any, fields: dict[str, Any]) -> Exception | None:
    """Return the exception that a user should see, if there is an explanation for its kind."""
    explain = EXPLANATIONS.get(kind)
    if explain is None:
        return None
    return explain(names, **{"code" if name == "class" else name: fields[name] for name in fields})
