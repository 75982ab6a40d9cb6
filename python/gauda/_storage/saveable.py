"""What can be saved: the register of classes, `save`, and parameters that a file cannot hold."""

from __future__ import annotations

import os
from numbers import Integral
from types import NoneType
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from gauda._storage.format import Arrays, Content, write
from gauda._storage.json_values import is_record
from gauda._support.warning import warn_caller

NOT_KEPT = frozenset({"covariance_estimator", "cv"})
"""Parameters whose values may be somebody else's objects: a file holds what they led to."""

KEPT = (int, str, Integral, NoneType)
"""Types of values that they may have besides."""


class Saveable(Protocol):
    """What a class must have to be saved, besides `save` and the call of `register` in its base.

    It says under which name, ``class Moments(Statistics, saved_as="Moments")``. This is a protocol,
    as a base class more would make the method resolution order of all estimators longer.
    """

    _saved_as: ClassVar[str | None]

    def _state(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and metadata, which a file holds."""

    @classmethod
    def _from_state(cls, arrays: Arrays, metadata: dict[str, Any]) -> Self:
        """Return the same from both."""


REGISTER: dict[str, type[Saveable]] = {}
"""What a file may hold; a file chooses from this table and names no other code."""


def register(cls: type[Any], saved_as: str | None) -> None:
    """Enter a class under a name; one made of such a class, under its module and own name."""
    if saved_as is None and cls._saved_as is not None:
        saved_as = f"{cls.__module__}.{cls.__qualname__}"
    if saved_as is not None:
        cls._saved_as = saved_as
        REGISTER[saved_as] = cls


def save(self: Saveable, path: str | os.PathLike[str]) -> None:
    """Write everything to a file, from which `gauda.load` makes the same again.

    The file is in the safetensors format. It holds parameters, classes, names of columns and
    the statistics, so a loaded model can learn more rows. Of a `covariance_estimator` it
    holds the covariances; the object itself is not kept.

    Parameters
    ----------
    path : str or path
        Name of the file. A file that has it is replaced, but only once the new one is whole.

    Examples
    --------
    >>> import gauda
    >>> from tempfile import TemporaryDirectory
    >>> nb = gauda.GaussianNB().fit([[0.0], [1.0], [5.0], [7.0]], ["a", "a", "b", "b"])
    >>> with TemporaryDirectory() as folder:
    ...     nb.save(f"{folder}/model.gauda")
    ...     gauda.load(f"{folder}/model.gauda").predict([[6.0]])
    array(['b'], dtype='<U1')
    """
    kind = saved_name(type(self))
    arrays, metadata = self._state()
    write(path, kind, arrays, without_objects(metadata))


def saved_name(cls: type[Saveable]) -> str:
    """Return the name under which files know a class."""
    if cls._saved_as is None:
        raise TypeError(f"{cls.__name__} cannot be saved; save a class made of it.")
    return cls._saved_as


def prefix_names(parts: dict[str, Arrays]) -> Arrays:
    """Return the arrays of several parts under names that tell the part."""
    return {
        f"{part}.{name}": array for part, arrays in parts.items() for name, array in arrays.items()
    }


def part_of(arrays: Arrays, part: str) -> Arrays:
    """Return the arrays of one part under their own names."""
    prefix = f"{part}."
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def check_sums(what: str, sums: Any, shape: tuple[int, ...]) -> None:
    """Refuse stored sums of another shape, and numbers that no rows add up to."""
    if sums.shape != shape or sums.dtype != np.float64:
        raise ValueError(f"{what} must be {shape} floats; got {sums.shape} of {sums.dtype}")
    if not (np.isfinite(sums).all() and (sums >= 0).all()):
        raise ValueError(f"{what} must be finite and at least 0")


def without_objects(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata with parameters that a file can hold, and a note on the others."""
    parameters = metadata.get("parameters", {})
    left_out = sorted(name for name in NOT_KEPT if not is_kept(parameters.get(name)))
    if not left_out:
        return metadata
    kept = parameters | dict.fromkeys(left_out)
    return metadata | {"parameters": kept, "left_out": left_out}


def is_kept(value: Any) -> bool:
    """Tell whether a file holds a value."""
    return isinstance(value, KEPT) or is_record(value)


def warn_of_missing_objects(content: Content) -> None:
    """Say which parameters are None because a file cannot hold them."""
    for name in content.metadata.pop("left_out", []):
        warn_caller(
            f"The {name} of this {content.kind} was not saved, only the result of its fit: the "
            f"model answers as before, with {name}=None. Set it again before fitting."
        )
