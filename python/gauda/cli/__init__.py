"""The shell: its commands, and the models by their names in it. They are loaded when first used.

It uses all other packages; needs the extra `gauda[cli]`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gauda.cli._models import MODELS
    from gauda.cli.group import shell

__all__ = ["MODELS", "shell"]


def __getattr__(name: str) -> Any:
    """Load the commands: only then the group of them is complete."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("gauda.cli._commands"), name)
