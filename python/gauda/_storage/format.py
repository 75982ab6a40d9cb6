"""The file format: safetensors with one JSON document in its header, and a checksum of every byte.

Arrays of numbers are tensors. Text of a fixed width and times are tensors of code points and counts
under their dtype's name, arrays of Python objects are JSON; so is everything that is not an array.
A size in the header is believed only as far as the file goes. Nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from safetensors import SafetensorError

from gauda._storage.json_values import NUMERIC, from_json, to_json
from gauda._support.atomic_files import replacing

Arrays = dict[str, NDArray[Any]]

FORMAT = 1
MAX_HEADER = 100_000_000
"""Bytes of the header that safetensors reads."""

KEY = "gauda"
"""Where the document stands in the metadata of safetensors."""

UNSIGNED = "0" * 64
"""The checksum while it is computed."""

LENGTH = struct.Struct("<Q")
"""The first bytes of the file: the length of the header after it."""

VIEWED: dict[str, np.dtype[Any]] = {
    "U": np.dtype("<u4"),
    "M": np.dtype("<i8"),
    "m": np.dtype("<i8"),
}
"""Kinds of dtype that are stored as numbers of another type."""

LAST_CODE_POINT = 0x10FFFF


@dataclass(frozen=True)
class Content:
    """What a file holds."""

    kind: str
    arrays: Arrays
    metadata: dict[str, Any]
    version: str
    """Of the library that wrote the file."""
    format_version: int


def write(
    path: str | os.PathLike[str], kind: str, arrays: Arrays, metadata: dict[str, Any]
) -> None:
    """Write a file; under its name there is, at any time, the old one or the new one, whole."""
    tensors = {name: as_tensor(array) for name, array in arrays.items() if array.dtype != object}
    objects = {name: array for name, array in arrays.items() if array.dtype == object}
    document = {
        "checksum": UNSIGNED,  # first, as it is searched for
        "format": FORMAT,
        "kind": kind,
        "version": version("gauda"),
        "views": {name: viewed for name in tensors if (viewed := view_name(arrays[name]))},
        "objects": to_json(objects),
        "metadata": to_json(metadata),
    }
    text = json.dumps(document, allow_nan=False)
    try:
        content = safetensors.numpy.save(tensors, {KEY: text})
    except SafetensorError as error:
        raise ValueError(f"{kind} cannot be saved: {error}.") from error
    if int.from_bytes(content[:8], "little") > MAX_HEADER:  # old versions write it nevertheless
        raise ValueError(f"{kind} cannot be saved: header too large.")
    with replacing(path) as temporary, temporary.open("xb") as file:
        file.write(sign(content))
        file.flush()
        os.fsync(file.fileno())


def read(path: str | os.PathLike[str]) -> Content:
    """Read a file; refuse one that is not exactly as it was written, or of a later format."""
    path = Path(path)
    check_ordinary(path)
    with path.open("rb") as file:
        header = read_header(path, file)
        document = read_document(path, header)
        file.seek(0)
        content = file.read()
    with report_damage(path):
        if checksum_of(content, len(header), document["checksum"]) != document["checksum"]:
            raise ValueError("its checksum differs")
        tensors = safetensors.numpy.load(content)
        views = document["views"]
        arrays = {name: from_tensor(array, views.get(name)) for name, array in tensors.items()}
        return Content(
            kind=str(document["kind"]),
            arrays=arrays | from_json(document["objects"]),
            metadata=from_json(document["metadata"]),
            version=str(document["version"]),
            format_version=document["format"],
        )


def as_tensor(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as one of numbers, in the order of C and of little-endian machines."""
    if array.dtype.newbyteorder("=") not in NUMERIC and array.dtype.kind not in VIEWED:
        raise TypeError(
            f"An array of dtype {array.dtype} cannot be saved: use numbers up to 64 bits, text, "
            "times or Python objects."
        )
    plain = np.array(array, dtype=array.dtype.newbyteorder("<"), order="C")
    if plain.dtype.kind not in VIEWED:
        return plain
    return plain[..., np.newaxis].view(VIEWED[plain.dtype.kind])


def view_name(array: NDArray[Any]) -> str | None:
    """Return the dtype that the tensor does not tell."""
    return array.dtype.newbyteorder("<").str if array.dtype.kind in VIEWED else None


def from_tensor(tensor: NDArray[Any], viewed: str | None) -> NDArray[Any]:
    """Return the array that a tensor was made of."""
    if viewed is None:
        return tensor
    dtype = np.dtype(viewed)
    if VIEWED.get(dtype.kind) != tensor.dtype:
        raise ValueError(f"{tensor.dtype} cannot hold {dtype}")
    if dtype.kind == "U" and tensor.size and tensor.max() > LAST_CODE_POINT:
        raise ValueError("it has text that is not Unicode")
    array: NDArray[Any] = tensor.view(dtype)[..., 0]
    return array.astype(dtype.newbyteorder("="), order="C")


def sign(content: bytes) -> bytes:
    """Return content with its checksum written in."""
    (length,) = LENGTH.unpack_from(content)
    checksum = checksum_of(content, LENGTH.size + length, UNSIGNED)
    return content.replace(UNSIGNED.encode(), checksum.encode(), 1)


def checksum_of(content: bytes, header_length: int, claimed: str) -> str:
    """Return the SHA-256 of a file without its checksum."""
    header = content[:header_length].replace(claimed.encode(), UNSIGNED.encode(), 1)
    digest = hashlib.sha256(header)
    digest.update(memoryview(content)[header_length:])
    return digest.hexdigest()


def check_ordinary(path: Path) -> None:
    """Refuse what has no end."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ValueError(f"{path} is a device or a pipe; give the name of an ordinary file.")


def read_header(path: Path, file: BinaryIO) -> bytes:
    """Return the header with its length, if the file is long enough to have one."""
    size = os.fstat(file.fileno()).st_size
    start = file.read(LENGTH.size)
    if len(start) < LENGTH.size:
        raise foreign(path, f"it has {size} bytes")
    (length,) = LENGTH.unpack(start)
    if length > size - LENGTH.size:
        text = start.decode("ascii", "replace")
        is_text = text.isascii() and all(mark.isprintable() or mark.isspace() for mark in text)
        claim = f"{length} bytes of header do not fit into its {size}"
        raise foreign(path, f"it begins with the text {text!r}" if is_text else claim)
    return start + file.read(length)


def read_document(path: Path, header: bytes) -> dict[str, Any]:
    """Return the JSON document that stands in a header, if this version can understand it."""
    try:
        document: dict[str, Any] = json.loads(
            json.loads(header[LENGTH.size :])["__metadata__"][KEY]
        )
        written, wrote = document["format"], document["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise foreign(path, "its header is not one of gauda's") from None
    if type(written) is not int or written > FORMAT:
        raise ValueError(
            f"{path} was written by gauda {wrote} in format {written}; this version, "
            f"{version('gauda')}, reads up to format {FORMAT}. Upgrade gauda."
        )
    return document


def foreign(path: Path, why: str) -> ValueError:
    """Return the error for something else's file, or the beginning of one of ours."""
    return ValueError(
        f"{path} is not a gauda file, or is damaged: {why}. Give a file that save() has written."
    )


@contextmanager
def report_damage(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn whatever a broken document leads to into an error that says so."""
    try:
        yield
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        NotImplementedError,
        RecursionError,
        SafetensorError,
        TypeError,
        ValueError,
    ) as error:
        raise ValueError(
            f"{path} is damaged: {error}. Take it from a backup, or save it again."
        ) from error
