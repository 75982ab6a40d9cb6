"""What is released installs everywhere: run by ``make release-check`` on what it built.

The manylinux wheel and the source distribution lie in dist/release. The wheel is installed in a
clean environment of every CPython that gauda supports and that is found on this machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RELEASE = ROOT / "dist" / "release"
OLDEST = (3, 11)
WHO = (
    "import json, sys; print(json.dumps([sys.implementation.name, *sys.version_info[:2], "
    "getattr(sys, '_is_gil_enabled', lambda: True)()]))"
)
TRY = ROOT / ".ci" / "try_wheel.py"


def only(pattern: str) -> Path:
    """Return the one file of the release that looks so."""
    (found,) = RELEASE.glob(pattern)
    return found


def run(*command: object, **settings: object) -> str:
    """Run a command that must succeed; return what it prints."""
    texts = [str(part) for part in command]
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(  # noqa: S603 (our own commands)
        texts, capture_output=True, text=True, check=False, env=clean, **settings
    )
    assert done.returncode == 0, f"{' '.join(texts)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def tool(name: str, *arguments: object) -> str:
    """Run a tool of this environment."""
    return run(Path(sys.executable).with_name(name), *arguments)


def candidates() -> list[Path]:
    """Return what may be a Python: on the path, and where pyenv and uv keep theirs."""
    home = Path.home()
    kept = [
        *Path(os.environ.get("PYENV_ROOT", home / ".pyenv")).glob("versions/*/bin"),
        *(home / ".local/share/uv/python").glob("*/bin"),
    ]
    folders = [Path(part) for part in os.environ["PATH"].split(os.pathsep)] + kept
    found = [path for folder in folders for path in folder.glob("python3.*")]
    return [path for path in found if path.suffix[1:].rstrip("t").isdigit()]


def interpreters() -> dict[str, Path]:
    """Return every CPython with a lock that gauda supports, by its version."""
    found = {}
    for path in candidates():
        asked = subprocess.run([path, "-c", WHO], capture_output=True, text=True, check=False)  # noqa: S603
        if asked.returncode:
            continue  # a shim of a version that is not chosen
        name, *version, locked = json.loads(asked.stdout)
        # Free-threaded Pythons have no stable interface: release.yml builds a wheel of their own.
        if name == "cpython" and tuple(version) >= OLDEST and locked:
            found.setdefault(".".join(map(str, version)), path)
    return found


def install(python: Path, folder: Path, *what: object) -> Path:
    """Make an environment, install there, and return its interpreter."""
    run(python, "-m", "venv", folder)
    inside = folder / "bin" / "python"
    run(inside, "-m", "pip", "install", "--quiet", *what)
    run(inside, "-m", "pip", "check")
    return inside


def try_out(python: Path, folder: Path) -> None:
    """Fit, score, save and load, far from the sources; a warning is an error."""
    printed = run(python, "-W", "error", TRY, folder / "model.gauda", cwd=folder)
    version, where = json.loads(printed)
    assert version == only("*.whl").name.split("-")[1]
    assert Path(where).is_relative_to(folder)


def test_the_wheel_serves_old_systems():
    name = only("*.whl").name
    assert "-cp311-abi3-" in name
    assert "manylinux_2_17_" in name
    assert "manylinux2014_" in tool("auditwheel", "show", only("*.whl"))


def test_the_wheel_keeps_to_the_stable_interface():
    tool("abi3audit", "--strict", only("*.whl"))


def test_the_package_index_takes_both_files():
    tool("twine", "check", "--strict", *sorted(RELEASE.glob("gauda-*")))


def test_the_wheel_holds_what_it_should():
    tool("check-wheel-contents", only("*.whl"))
    names = zipfile.ZipFile(only("*.whl")).namelist()
    needed = {"gauda/py.typed", "gauda/_core.pyi", "gauda/_core.abi3.so", "gauda/__init__.py"}
    assert needed <= set(names)
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.startswith("gauda-")} == {"gauda"}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_source_distribution_holds_what_it_should():
    with tarfile.open(only("*.tar.gz")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"Cargo.lock", "Cargo.toml", "pyproject.toml", "README.md", "LICENSE", "src/lib.rs"}
    assert needed <= names
    assert not [name for name in names if name.endswith((".so", ".pyc", ".whl"))]


def test_there_are_interpreters():
    assert interpreters()


@pytest.mark.parametrize("version", interpreters())
def test_the_wheel_installs_in_a_clean_environment(version, tmp_path):
    python = install(interpreters()[version], tmp_path / "venv", only("*.whl"))
    try_out(python, tmp_path)


def test_the_source_distribution_builds_in_a_clean_environment(tmp_path):
    python = install(Path(sys.executable), tmp_path / "venv", only("*.tar.gz"))
    try_out(python, tmp_path)
