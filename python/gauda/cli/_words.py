"""Messages of the library in the words of the shell: options in place of Python's parameters."""

from __future__ import annotations

import re
from collections.abc import Callable

from gauda.cli._models import MODELS

Replacement = str | Callable[[re.Match[str]], str]

OPTION_OF = {kind.__name__: f"--model {name}" for name, kind in MODELS.items()}
PARAMETERS = "|".join(sorted({name for kind in MODELS.values() for name in kind().get_params()}))
KINDS = "|".join(OPTION_OF)
VALUE = r"'[^']*'|None|True|False|[-+]?[\d.]+(?:e[-+]?\d+)?"
JSON_OF = {"None": "null", "True": "true", "False": "false"}


def parameter(match: re.Match[str]) -> str:
    """Return a parameter of a model as the shell takes it."""
    name, value = match["name"], match["value"].strip("'")
    return f"-p {name}={JSON_OF.get(value, value)}"


def with_parameters(match: re.Match[str]) -> str:
    """Return a model with its parameters as the shell takes them."""
    return " ".join([OPTION_OF[match["kind"]], *match["given"].split(", ")])


TAKES_NAN = (
    "Or use a model fitted with --missing marginalize, which takes rows with missing values, also "
    "where they are scored, or score with -p missing=marginalize; --missing drop leaves them out "
    "of the fit."
)

WORDS: list[tuple[str, Replacement]] = [
    # What only Python can do
    (r" Or use missing='marginalize': fits and all .*", f" {TAKES_NAN}"),
    (r"missing='drop' leaves rows out of fits; .*", TAKES_NAN),
    (r"missing='(drop|marginalize)'", r"--missing \1"),
    (r"^missing must", "--missing must"),
    (r"give the table to MixedNB, which", "use --model mixed, which"),
    (r", or RegularizedDiscriminantAnalysisCV", ""),
    (r"fit_stream does not have all", "fit does not have all"),
    (r"Use shrinkage with a number, or fit\.", "Use -p shrinkage=NUMBER, or fit in Python."),
    (r"a file that save\(\) has written", "a file that gauda has written"),
    (
        r"select\(\) the columns that both have\.",
        "sum the data up again with the same --feature.",
    ),
    (
        r"(cannot be classes of one model|does not hold all of them exactly): .*",
        r"\1. Write the labels alike in all files of data, and sum them up again.",
    ),
    # Options for columns
    (r"exclude=\['([^']*)'\]", r"--exclude \1"),
    (r"(exclude|delimiter)=", r"--\1 "),
    (r"features=\[\.\.\.\]", "--feature"),
    (r"^features and exclude\b", "--feature and --exclude"),
    (r"^features names\b", "--feature names"),
    (r"^delimiter\b", "--delimiter"),
    (r"\bas target\b", "as --target"),
    (r"\bsample_weight\b", "--weight"),
    (r"(structure|kind)='(\w+)'", r"--structure \2"),
    # Models and their parameters
    (rf"\b(?P<name>{PARAMETERS})=(?P<value>{VALUE})", parameter),
    (rf"\b(?P<kind>{KINDS})\((?P<given>[^()]*)\)", with_parameters),
    (rf"(?<!holds )\b({KINDS})\b", lambda match: OPTION_OF[match[1]]),
]
"""What is looked for, one after another, and what is said instead."""


def in_shell_words(message: str) -> str:
    """Return a message of the library in the words of the shell, in one line."""
    text = " ".join(message.split())
    for pattern, replacement in WORDS:
        text = re.sub(pattern, replacement, text)
    return text
