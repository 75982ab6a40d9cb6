"""Print what the changelog says of a version, given by its tag; fail if it is not to be released.

Run by the release: ``python .ci/release_notes.py v0.1.0``. The tag must be the version of
Cargo.toml and pyproject.toml, and the changelog must have a section of it, with a date.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def versions(root: Path = ROOT) -> dict[str, str]:
    """Return the version that each file of the project names."""

    def text(name: str) -> str:
        return (root / name).read_text(encoding="utf-8")

    locked = tomllib.loads(text("Cargo.lock"))["package"]
    return {
        "Cargo.toml": tomllib.loads(text("Cargo.toml"))["package"]["version"],
        "Cargo.lock": next(one["version"] for one in locked if one["name"] == "gauda"),
        "pyproject.toml": tomllib.loads(text("pyproject.toml"))["project"]["version"],
        "CHANGELOG.md": re.findall(r"^## \[(.+?)\]", text("CHANGELOG.md"), re.MULTILINE)[0],
        "CITATION.cff": re.findall(r"^version: (.+)$", text("CITATION.cff"), re.MULTILINE)[0],
    }


def notes(tag: str, root: Path = ROOT) -> str:
    """Return the section of a version, without its heading."""
    wrong = {name: found for name, found in versions(root).items() if f"v{found}" != tag}
    if wrong:
        raise ValueError(f"The tag must be that of all files; got {tag}, but {wrong}.")
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    heading, _, section = text.partition(f"## [{tag[1:]}]")[2].partition("\n")
    if not re.fullmatch(r" - \d{4}-\d{2}-\d{2}", heading):
        raise ValueError(
            f"The changelog must date {tag[1:]}; got '{heading.strip(' -')}'; write the day of the "
            "release there."
        )
    return section.partition("\n## [")[0].strip() + "\n"


if __name__ == "__main__":
    try:
        sys.stdout.write(notes(sys.argv[1]))
    except ValueError as error:
        sys.exit(str(error))
