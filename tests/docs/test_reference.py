"""The reference lists everything that is public, and nothing else."""

import re
from importlib import import_module
from pathlib import Path

from interface import public_modules, public_names

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "python.rst"


def documented():
    """Give the full names that the reference has a page or an entry for."""
    module = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if found := re.fullmatch(r"\.\. currentmodule:: (\S+)", line):
            module = found[1]
        elif found := re.fullmatch(r"   ([A-Za-z]\w*(?:\.\w+)*)", line) or re.fullmatch(
            r"\.\. (?:py:data|autodata|autoclass):: (\w+)", line
        ):
            yield f"{module}.{found[1]}"


def public():
    """Give the full names of what gauda offers, each where it is documented."""
    for module in public_modules():
        for name in public_names(module):
            package = "gauda" if hasattr(import_module("gauda"), name) else module.__name__
            yield f"{package}.{name}"


def test_the_reference_has_every_public_name_once():
    entries = list(documented())
    assert len(entries) == len(set(entries))
    assert set(entries) == set(public())
