"""Every code block of the documentation is run, or says why it is not."""

from pathlib import Path

import pytest
from code_blocks import ELSEWHERE, SHELL, SHOWN, is_program, read_blocks, run_page
from spark_session import NO_JAVA, has_java

ROOT = Path(__file__).parents[2]
WRITTEN = [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if not {"_build", "gallery", "generated"} & set(path.relative_to(ROOT).parts)
]
PAGES = [ROOT / "README.md", *WRITTEN]
PROGRAMS = [page for page in PAGES if any(map(is_program, read_blocks(page.read_text("utf-8"))))]


def name(page):
    """Return a page's path in the repository."""
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PROGRAMS, ids=name)
@pytest.mark.usefixtures("closed_figures")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_blocks_of_a_page_run(page, tmp_path, monkeypatch, capsys):
    if page.stem == "clusters" and not has_java():
        pytest.skip(NO_JAVA)
    monkeypatch.chdir(tmp_path)
    run_page(page.read_text(encoding="utf-8"), tmp_path)
    capsys.readouterr()


def test_there_are_pages_with_programs():
    assert {"docs/howto/shell.md", "docs/howto/serving.md"} <= {name(page) for page in PROGRAMS}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_has_a_language_that_is_known(page):
    languages = {block.language for block in read_blocks(page.read_text(encoding="utf-8"))}
    assert languages <= {"python"} | SHELL | ELSEWHERE | SHOWN


def test_few_blocks_are_set_aside():
    aside = [
        (name(page), block.reason)
        for page in PAGES
        for block in read_blocks(page.read_text(encoding="utf-8"))
        if block.reason
    ]
    assert len(aside) <= 6, aside


def test_a_block_that_fails_is_noticed(tmp_path):
    with pytest.raises(ZeroDivisionError):
        run_page("```python\n1 / 0\n```\n", tmp_path)
    with pytest.raises(AssertionError):
        run_page("```sh\ncat missing.csv\n```\n", tmp_path)
    with pytest.raises(NameError):
        run_page("```python\n>>> missing\n\n```\n", tmp_path)
