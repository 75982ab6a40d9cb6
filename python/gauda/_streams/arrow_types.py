"""Kinds of Arrow's types."""

from __future__ import annotations

from typing import Any

from gauda._support.lazy import pa


def value_type(kind: Any) -> Any:
    """Return the type of the entries, also of a dictionary."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is one of those of strings."""
    return kind in {pa.string(), pa.large_string(), pa.string_view()}


def is_bytes(kind: Any) -> bool:
    """Whether an Arrow type is one of those of bytes."""
    kinds = (
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_fixed_size_binary,
        pa.types.is_binary_view,
    )
    return any(is_kind(kind) for is_kind in kinds)


def is_extension(kind: Any) -> bool:
    """Whether an Arrow type is one of a library's own, whose meaning is not in its numbers."""
    return isinstance(kind, pa.BaseExtensionType)
