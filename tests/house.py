"""The sources of gauda as the rules of its layout see them: imports, private names, sizes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import gauda

ROOT = Path(gauda.__file__).parent

RANKS = (
    {"_core", "typing"},
    {"_support"},
    {"_data"},
    {"_storage"},
    {"_streams"},
    {"_statistics"},
    {"_analysis"},
    {"_scoring"},
    {"_estimators"},
    {"discriminant_analysis", "naive_bayes"},
    {"model_selection", "_cluster"},
    {"pictures", "onnx", "dask", "spark"},
    {"cli"},
    {"_public"},
    {""},
)
"""Packages from the ground up; the last is gauda itself. A package uses those before its own."""

DOCUMENTED = {"_asdict", "_dummy", "_fields", "_getframe", "_make", "_replace"}
"""Names that the standard library, or Spark for parameters, documents in spite of the line."""


def rank(package: str) -> int:
    """Return how high a package stands."""
    return next(height for height, level in enumerate(RANKS) if package in level)


def is_private(name: str) -> bool:
    """Return whether a name is private; those between double lines are not."""
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


@dataclass(frozen=True)
class Module:
    """One file of gauda."""

    path: Path

    @property
    def name(self) -> str:
        """Path from the root of the package."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def package(self) -> str:
        """Package of the first level; '' for gauda itself."""
        first, *rest = self.path.relative_to(ROOT).with_suffix("").parts
        return first if rest or is_package(first) else ""

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed file."""
        return ast.parse(self.path.read_text(encoding="utf-8"))

    @property
    def n_lines(self) -> int:
        """Number of lines."""
        return len(self.path.read_text(encoding="utf-8").splitlines())

    def imports(self) -> Iterator[tuple[str, ...]]:
        """Give what is imported anywhere, as the parts of its full name."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (tuple(alias.name.split(".")) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                start = self._origin(node)
                yield from ((*start, alias.name) for alias in node.names)

    def _origin(self, node: ast.ImportFrom) -> tuple[str, ...]:
        named = tuple(node.module.split(".")) if node.module else ()
        if not node.level:
            return named
        here = ("gauda", *self.path.relative_to(ROOT).with_suffix("").parts)
        return (*here[: -node.level], *named)

    def packages_used(self) -> Iterator[str]:
        """Give the packages of gauda that are imported, '' for gauda itself."""
        for top, *rest in self.imports():
            if top == "gauda":
                yield rest[0] if rest and is_package(rest[0]) else ""

    def foreign_imports(self) -> Iterator[str]:
        """Give private names of other packages of gauda that are imported."""
        for top, *rest in self.imports():
            if top == "gauda" and rest and rest[0] != self.package:
                yield from (name for name in rest[1:] if is_private(name))

    def private_accesses(self) -> Iterator[str]:
        """Give private attributes that are read of anything but the object itself."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute) and is_private(node.attr) and not is_own(node.value):
                yield node.attr
            elif isinstance(node, ast.Call) and is_access(node.func) and not is_own(node.args[0]):
                named = node.args[1]
                if isinstance(named, ast.Constant) and is_private(str(named.value)):
                    yield str(named.value)

    def definitions(self) -> Iterator[str]:
        """Give private names that are defined here, also as attributes of an object itself."""
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield node.name
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                yield node.attr

    def classes(self) -> Iterator[tuple[str, int]]:
        """Give the classes with their numbers of code lines."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef):
                yield node.name, code_lines(node, self.path)


def is_package(name: str) -> bool:
    """Return whether gauda has a package of this name, or a module beside the packages."""
    beside = (ROOT / f"{name}.py").exists() and not name.startswith("__")
    return name == "_core" or beside or (ROOT / name / "__init__.py").exists()


def is_own(node: ast.expr) -> bool:
    """Return whether an expression is the object itself, or what it inherits."""
    if isinstance(node, ast.Call):
        node = node.func
    return isinstance(node, ast.Name) and node.id in {"self", "cls", "super"}


def is_access(node: ast.expr) -> bool:
    """Return whether an expression is a function that reads or sets attributes by name."""
    return isinstance(node, ast.Name) and node.id in {"getattr", "hasattr", "setattr"}


def code_lines(node: ast.ClassDef, path: Path) -> int:
    """Return the number of lines of a class that are neither blank, comments nor docstrings."""
    lines = path.read_text(encoding="utf-8").splitlines()
    text: set[int] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant):
            text.update(range(inner.lineno, (inner.end_lineno or inner.lineno) + 1))
    return sum(
        1
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        if number not in text and lines[number - 1].strip() and lines[number - 1].strip()[0] != "#"
    )


def modules() -> list[Module]:
    """Return all files of gauda."""
    return [Module(path) for path in sorted(ROOT.rglob("*.py"))]


def wrong_imports() -> set[str]:
    """Return imports of packages that stand as high as the importing one, or higher."""
    return {
        f"{module.name} -> {used or 'gauda'}"
        for module in modules()
        for used in module.packages_used()
        if used != module.package and rank(used) >= rank(module.package)
    }


SCIKIT_LEARN = "_data/sklearn_private.py"
"""The one module that uses private names of scikit-learn, and no others."""


def foreign_names() -> set[str]:
    """Return private names that are used outside the package that defines them."""
    own: dict[str, set[str]] = {}
    for module in modules():
        own.setdefault(module.package, set()).update(module.definitions())
    read = {
        (module.package, name)
        for module in modules()
        if module.name != SCIKIT_LEARN
        for name in module.private_accesses()
        if name not in own[module.package] | DOCUMENTED
    }
    imported = {(module.package, name) for module in modules() for name in module.foreign_imports()}
    return {f"{package or 'gauda'}: {name}" for package, name in read | imported}


def scikit_learn_imports() -> set[str]:
    """Return the files that import private names of scikit-learn."""
    return {
        module.name
        for module in modules()
        for top, *rest in module.imports()
        if top == "sklearn" and any(map(is_private, rest))
    }
