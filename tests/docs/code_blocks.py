"""The code blocks of a page in Markdown, in their order, and how each is run.

A page is one program: its blocks share their names and a folder. `<!-- before: ... -->` holds
Python that readers need not see, as for files of theirs; `<!-- not run: reason -->` sets the next
block aside.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATTERN = re.compile(
    r"^<!-- before:\n(?P<before>.*?)^-->$"
    r"|^<!-- not run: (?P<reason>[^>]+) -->$"
    r"|^(?P<fence>`{3,})(?P<language>[^\n`]*)\n(?P<code>.*?)^(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)
SHELL = {"sh", "console"}
ELSEWHERE = {"rust"}
"""Languages that are run by other tests: those of rustdoc."""
SHOWN = {"text", "toml", "json", "mermaid", "bibtex"}
"""Languages in which nothing is run."""


@dataclass(frozen=True)
class Block:
    """Some code, its language, and why it is not run."""

    language: str
    code: str
    reason: str = ""

    @property
    def has_prompts(self) -> bool:
        """Whether it is a dialogue with Python, whose answers another test compares."""
        return self.language == "python" and ">>> " in self.code


def read_blocks(text: str) -> Iterator[Block]:
    """Give the blocks of a page."""
    reason = ""
    for found in PATTERN.finditer(text):
        if found["before"] is not None:
            yield Block("python", found["before"])
        elif found["reason"]:
            reason = found["reason"].strip()
        elif not found["language"].startswith("{"):
            yield Block(found["language"].strip(), found["code"], reason)
            reason = ""


def is_program(block: Block) -> bool:
    """Return whether a block is run by this module alone."""
    if block.reason:
        return False
    return block.language in SHELL or (block.language == "python" and not block.has_prompts)


def run_page(text: str, folder: Path) -> None:
    """Run a page's blocks in a folder."""
    names: dict[str, Any] = {"__name__": "page"}
    for block in read_blocks(text):
        if block.reason:
            continue
        if block.language in SHELL:
            run_shell(block, folder)
        elif block.has_prompts:
            run_dialogue(block, names)
        elif block.language == "python":
            exec(compile(block.code, "<page>", "exec"), names)  # noqa: S102 (our own pages)


def run_shell(block: Block, folder: Path) -> None:
    """Run commands, with those beside this Python first; in a console only what follows a `$`."""
    lines = block.code.splitlines()
    if block.language == "console":
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    # Threads of BLAS wait for each other where other tests run beside.
    environment = {**os.environ, "PATH": path, "OPENBLAS_NUM_THREADS": "1"}
    command = ["bash", "-euo", "pipefail", "-c", "\n".join(lines)]
    done = subprocess.run(  # noqa: S603 (our own pages)
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def run_dialogue(block: Block, names: dict[str, Any]) -> None:
    """Run what is typed in a dialogue, for the names that later blocks use."""
    for example in doctest.DocTestParser().get_examples(block.code):
        try:
            exec(compile(example.source, "<page>", "exec"), names)  # noqa: S102 (our own pages)
        except Exception:
            if example.exc_msg is None:
                raise
