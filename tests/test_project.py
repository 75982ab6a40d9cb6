"""The files of the project agree: versions, addresses, what is imported and what is declared."""

import ast
import re
import runpy
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CRATE = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["package"]
REPOSITORY = PROJECT["urls"]["Homepage"]
RELEASE = runpy.run_path(str(ROOT / ".ci" / "release_notes.py"))
DISTRIBUTIONS = {"sklearn": "scikit-learn"}
"""Names of distributions that differ from those of their modules."""


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_versions_agree():
    versions = RELEASE["versions"]()
    assert len(versions) == 5
    assert len(set(versions.values())) == 1, versions


@pytest.fixture
def copy(tmp_path):
    """Give a copy of the files that name the version, which a test may change."""
    for name in RELEASE["versions"]():
        shutil.copy(ROOT / name, tmp_path)
    changelog = tmp_path / "CHANGELOG.md"
    text = re.sub(r"(?m)^## \[(.+?)\].*$", r"## [\1] - 2026-12-01", read("CHANGELOG.md"), count=1)
    changelog.write_text(text, encoding="utf-8")
    return tmp_path


def test_a_dated_version_is_released_with_its_section(copy):
    notes = RELEASE["notes"](f"v{PROJECT['version']}", copy)
    assert "### Added" in notes
    assert "## [" not in notes.replace("### [", "")


def test_another_tag_is_not_released(copy):
    with pytest.raises(ValueError, match=r"got v9\.9\.9, but"):
        RELEASE["notes"]("v9.9.9", copy)


def test_a_version_without_a_date_is_not_released(copy):
    path = copy / "CHANGELOG.md"
    text = path.read_text(encoding="utf-8").replace("2026-12-01", "unreleased", 1)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"must date .*; got 'unreleased'"):
        RELEASE["notes"](f"v{PROJECT['version']}", copy)


def test_the_address_is_the_same_everywhere():
    assert CRATE["repository"] == REPOSITORY
    assert f"repository-code: {REPOSITORY}\n" in read("CITATION.cff")
    assert all(url.startswith(REPOSITORY) for url in PROJECT["urls"].values())
    owner = REPOSITORY.removeprefix("https://github.com/")
    for path in [*ROOT.glob("*.md"), *ROOT.glob(".github/**/*.*"), *ROOT.glob("docs/**/*.md")]:
        text = path.read_text(encoding="utf-8")
        found = re.findall(r"https://(?:raw\.)?github(?:usercontent)?\.com/([\w.-]+/gauda)\b", text)
        assert set(found) <= {owner}, path


def test_links_of_the_readme_lead_to_files_from_everywhere():
    """The package index shows the file too, far from the repository."""
    links = re.findall(r"\]\((.+?)\)", read("README.md"))
    raw = REPOSITORY.replace("github.com", "raw.githubusercontent.com")
    prefixes = (f"{REPOSITORY}/blob/main/", f"{raw}/main/")
    assert len(links) > 10
    for link in links:
        assert link.startswith(prefixes), link
        path = link.removeprefix(prefixes[0]).removeprefix(prefixes[1])
        assert (ROOT / path).is_file(), link


def test_descriptions_agree():
    assert CRATE["description"] == PROJECT["description"]
    assert CRATE["license"] == PROJECT["license"]


def imported(path):
    """Return the distributions that a module imports when it is loaded."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module)
        elif isinstance(node, ast.Assign) and "LazyModule(" in ast.unparse(node.value):
            names.add(ast.literal_eval(node.value.args[0]))
    tops = {name.partition(".")[0] for name in names}
    return {DISTRIBUTIONS.get(top, top) for top in tops}


def test_what_every_model_imports_is_declared():
    optional = {"cli", "dask", "onnx", "pictures", "spark"}
    declared = {Requirement(text).name for text in PROJECT["dependencies"]}
    folder = ROOT / "python" / "gauda"
    paths = [
        path for path in folder.rglob("*.py") if path.relative_to(folder).parts[0] not in optional
    ]
    found = set().union(*map(imported, paths)) - sys.stdlib_module_names - {"gauda"}
    assert found == declared


def test_the_oldest_versions_are_those_that_are_promised():
    extras = [
        text
        for name in ("pandas", "stream", "test")
        for text in PROJECT["optional-dependencies"][name]
    ]
    texts = PROJECT["dependencies"] + extras
    promised = {Requirement(text).name: Requirement(text) for text in texts}
    lines = [line for line in read("tests/oldest.txt").splitlines() if not line.startswith("#")]
    tried = {Requirement(line).name: Requirement(line) for line in lines}
    assert {Requirement(text).name for text in PROJECT["dependencies"]} <= tried.keys()
    for name, requirement in tried.items():
        (oldest,) = [part.version for part in promised[name].specifier]
        (version,) = [part.version for part in requirement.specifier]
        assert version.removesuffix(".*") == oldest, name


def workflows():
    """Return the text of each workflow, by its path."""
    return {str(path): path.read_text("utf-8") for path in ROOT.glob(".github/workflows/*.yml")}


def test_workflows_and_pages_name_targets_of_make_and_files_that_there_are():
    targets = set(re.findall(r"(?m)^([a-z-]+):", read("Makefile")))
    texts = workflows() | {path.name: read(path) for path in ROOT.glob("*.md")}
    assert len(texts) > 5
    for name, text in texts.items():
        asked = re.findall(r"(?:run: |^ *|`)make ([a-z-]+)", text, re.MULTILINE)
        assert set(asked) <= targets, name
        named = re.findall(r"(?:^|[\s/\"`])((?:\.ci|tests|benches|examples)/[\w./-]*\w)", text)
        assert [path for path in named if not (ROOT / path).exists()] == [], name


def test_continuous_integration_tries_every_version_of_python_that_is_promised():
    promised = re.findall(r"Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
    (tried,) = re.findall(r"python: \[(.+)\]", read(".github/workflows/ci.yml"))
    assert PROJECT["requires-python"] == f">={promised[0]}"
    assert re.findall(r"[\d.]+", tried) == promised
