"""Files that appear whole or not at all: written under another name, renamed when they are done."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a new path in the same folder; the file made there takes the name when all went well.

    If the block fails or is interrupted, the new file is removed and an old one stays as it was.
    Who may read an old one may read the new one.
    """
    final = Path(path).resolve()  # a link stays, the file it points to is replaced
    check_replaceable(final)
    temporary = final.with_name(f".gauda-{secrets.token_hex(8)}.tmp")
    try:
        yield temporary
        if final.exists():
            shutil.copymode(final, temporary)
        temporary.replace(final)
    finally:
        temporary.unlink(missing_ok=True)


def check_replaceable(path: Path) -> None:
    """Refuse a name that cannot become an ordinary file, before any work is done for it."""
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "No such folder; make it first", str(path.parent))
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "A folder has this name", str(path))
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise PermissionError(
            errno.EACCES, "Permission denied; write to another folder", str(path.parent)
        )
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is a device or a pipe; give the name of an ordinary file.")


def check_apart(path: Path, source: Path) -> None:
    """Refuse to write something else over the data that it is made of."""
    if path.exists() and source.exists() and path.samefile(source):
        raise ValueError(f"{path} holds the data that are read; give the output another name.")
