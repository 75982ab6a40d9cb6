"""Packages that only some functions need: imported where used, with advice when missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def need(module: str, *, extra: str) -> Any:
    """Return an optional module; if it is not installed, say which extra of gauda brings it.

    Parameters
    ----------
    module : str
        Name of the module, as in an import statement.

    extra : str
        The extra of gauda that installs it.

    Returns
    -------
    module
        The imported module.

    Examples
    --------
    >>> from gauda._support.optional import need
    >>> need("math", extra="stream").pi > 3
    True
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise  # the package is there, but something it needs is not
        raise ImportError(
            f"This needs the package {package}, which is not installed. "
            f"Install it with: pip install 'gauda[{extra}]'",
            name=package,
        ) from error
