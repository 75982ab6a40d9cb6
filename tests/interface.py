"""The public interface of gauda as text: names, parameters, their order and defaults.

Run ``python tests/interface.py > tests/reference/public_interface.txt`` to renew what is on record.
"""

from __future__ import annotations

import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import gauda
from gauda.cli import shell

REQUEST = re.compile("set_.*_request")
"""Methods that scikit-learn adds to every estimator."""


def public_modules() -> list[ModuleType]:
    """Return gauda and its public modules."""
    found = pkgutil.iter_modules(gauda.__path__)
    names = sorted(module.name for module in found if not module.name.startswith("_"))
    names.remove("cli")  # whose interface is that of the shell
    return [gauda, *(import_module(f"gauda.{name}") for name in names)]


def public_names(module: ModuleType) -> list[str]:
    """Return the names that a module offers: those it lists, or else those it defines."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    own = [name for name, value in vars(module).items() if defined_in(value, module)]
    return sorted(name for name in own if not name.startswith("_"))


def defined_in(value: Any, module: ModuleType) -> bool:
    """Return whether a module defines a function or class."""
    return getattr(value, "__module__", None) == module.__name__


def signature(function: Any) -> str:
    """Return parameters with their defaults, without types."""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values()]
    return str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def members(cls: type) -> Iterator[str]:
    """Give the public members of a class that gauda defines, with their parameters."""
    given = {field.name for field in fields(cls)} if is_dataclass(cls) else set()
    for name in sorted({*dir(cls), *given}):
        if name.startswith("_") or REQUEST.fullmatch(name):
            continue
        owner = next((base for base in cls.__mro__ if name in vars(base)), cls)
        if not owner.__module__.startswith("gauda"):
            continue
        value = vars(owner).get(name)
        value = getattr(value, "fn", value)  # methods that are there on a condition
        function = getattr(value, "__func__", value)
        yield f"{name}{signature(function)}" if inspect.isfunction(function) else name


def shell_commands() -> Iterator[str]:
    """Give the commands of the shell with their arguments and options."""
    for name, command in sorted(shell.commands.items()):
        given = [" ".join(parameter.opts) for parameter in command.params]
        yield f"$ gauda {name}: {', '.join(given)}"


def public_interface() -> str:
    """Return the public interface, a line for each name and each member of a class."""
    lines, classes = [], {}
    for module in public_modules():
        for name in public_names(module):
            value = getattr(module, name)
            full = f"{module.__name__}.{name}"
            if inspect.isclass(value):
                classes[value.__name__] = value
                lines.append(f"{full} = {value.__name__}")
            else:
                lines.append(full + (signature(value) if callable(value) else ""))
    for name, cls in sorted(classes.items()):
        lines += ["", f"class {name}{signature(cls)}", *(f"    {line}" for line in members(cls))]
    return "\n".join([*lines, "", *shell_commands()]) + "\n"


if __name__ == "__main__":
    sys.stdout.write(public_interface())
