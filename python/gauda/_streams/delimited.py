"""CSV and TSV files, whose entries are text: labels become numbers only if none is changed by it.

pyarrow guesses types from the first megabyte; it would take '01' for 1, and drop time zones.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from gauda._streams.arrow_types import is_text
from gauda._streams.batches import Request, as_names
from gauda._streams.columns import Columns
from gauda._streams.file import File
from gauda._support.lazy import arrow_compute, arrow_csv, pa

DELIMITERS = {".csv": ",", ".tsv": "\t"}
"""By the ending of a file's name."""

ESCAPED_TAB = "\\t"

MARKS = (";", "\t", "|", ",")
"""Characters that separate entries in some files."""

CONVERSION = re.compile(
    r"In CSV column #(?P<column>\d+):.* conversion error to (?P<kind>\w+): "
    r"invalid (?:UTF8 data|value '(?P<value>.*)')"
)
"""What pyarrow says of an entry that it cannot convert."""


def open_delimited(path: Path, request: Request, default: str) -> File:
    """Open a file whose first line names the columns, possibly compressed."""
    delimiter = validate_delimiter(request.delimiter, default)
    # A quoted entry may hold the end of a line, also where pyarrow cuts the file in blocks.
    parsing = arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    check_encoding(path)
    with arrow_csv.open_csv(path, parse_options=parsing) as opened:
        schema = opened.schema
    check_split(schema.names, request)
    schema = with_types(schema, exact_types(path, parsing, schema, request))

    def read(columns: Columns, _: int) -> Generator[Any]:
        options = arrow_csv.ConvertOptions(
            include_columns=columns.names, column_types=column_types(schema, columns)
        )
        with (
            name_conversion(schema.names),
            arrow_csv.open_csv(path, parse_options=parsing, convert_options=options) as opened,
        ):
            for record_batch in opened:
                yield reduce(without_empty_text, used_columns(columns), record_batch)

    return File(schema, None, read, np.dtype(np.float64))


def validate_delimiter(given: str | None, default: str) -> str:
    """Return the character between entries; a tab may be written as in Python."""
    if given is None:
        return default
    delimiter = "\t" if given == ESCAPED_TAB else given
    is_one = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()
    if not is_one or delimiter in '"\r\n':
        raise ValueError(
            "delimiter must be one ASCII character that is neither a quote nor the end of a line; "
            f"got {given!r}. Give ';' or '\\t', for example."
        )
    return delimiter


def check_encoding(path: Path) -> None:
    """Refuse a file of UTF-16, as spreadsheets write it: its bytes look like those of text."""
    with path.open("rb") as file:
        if file.read(2) in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}:
            raise ValueError(f"{path.name!r} must be text in UTF-8; got UTF-16. Save it as UTF-8.")


def check_split(names: list[str], request: Request) -> None:
    """Refuse a file that has one column, if it seems to have another delimiter."""
    wanted = [name for name in (request.target, *(request.fitted_features or ())) if name]
    marks = [mark for mark in MARKS if len(names) == 1 and mark in names[0]]
    if marks and wanted and wanted[0] not in names:
        raise ValueError(
            f"Column {wanted[0]!r} does not exist: the only column is {names[0]!r}. To split it, "
            f"give delimiter={marks[0]!r}."
        )


@contextmanager
def name_conversion(names: list[str]) -> Iterator[None]:
    """Say of entries that pyarrow cannot convert in which column they are, and what to do."""
    try:
        yield
    except pa.ArrowInvalid as error:
        found = CONVERSION.search(str(error))
        if found is None:
            raise
        name, value = names[int(found["column"])], found["value"]
        if value is None:
            raise ValueError(
                f"Column {name!r} must be text in UTF-8; got other bytes. Save the file as UTF-8."
            ) from None
        kind = "true or false, as its first rows do" if found["kind"] == "bool" else "numbers"
        raise ValueError(
            f"Column {name!r} must hold {kind}; got {value!r}. Mend such rows, leave entries empty "
            f"that are missing, or leave the column out with exclude=[{name!r}]."
        ) from None


def column_types(schema: Any, columns: Columns) -> dict[str, Any]:
    """Return the types of all columns that are read; numbers of features and weights are doubles.

    Their first rows may look like integers, or be empty, where later ones do not.
    """
    used = [*columns.features, *([] if columns.weight is None else [columns.weight])]
    types = {name: schema.field(name).type for name in used}
    numbers = [name for name, kind in types.items() if not is_text(kind)]
    others = [name for name in columns.names if name not in numbers]
    doubles = {name: pa.float64() for name in numbers if types[name] != pa.bool_()}
    return doubles | {name: schema.field(name).type for name in others}


def used_columns(columns: Columns) -> list[str]:
    """Return the columns that are read for other ends than to be carried along."""
    return [name for name in columns.names if name == columns.target or name not in columns.keep]


def without_empty_text(record_batch: Any, name: str) -> Any:
    """Return a batch in which text of a column that is missing is null."""
    if not is_text(record_batch.schema.field(name).type):
        return record_batch
    entries = record_batch.column(name)
    known = arrow_compute.if_else(
        arrow_compute.equal(entries, ""), pa.scalar(None, entries.type), entries
    )
    return record_batch.set_column(record_batch.schema.get_field_index(name), name, known)


# Types that change no entry


def with_types(schema: Any, types: dict[str, Any]) -> Any:
    """Return a schema in which some columns have other types."""
    for name, kind in types.items():
        index = schema.get_field_index(name)
        schema = schema.set(index, schema.field(index).with_type(kind))
    return schema


def exact_types(path: Path, parsing: Any, schema: Any, request: Request) -> dict[str, Any]:
    """Return the types of labels and kept columns in which every entry reads as in the file.

    Features, kept or not, are numbers, unless they are known to be text.
    What looks like text at the start of the file is text; of other columns all entries are read.
    """
    wanted = dict.fromkeys([*request.keep, *([] if request.target is None else [request.target])])
    features = as_names(request.features or request.fitted_features or ())
    found = [name for name in wanted if schema.names.count(name) == 1 and name not in features]
    text = [name for name in request.text if schema.names.count(name) == 1]
    types = {name: pa.string() for name in [*found, *text]}
    trials = {
        name: Trial(name, is_label=name == request.target, classes=request.classes)
        for name in found
        if not is_text(schema.field(name).type)
    }
    asked = {name: trial for name, trial in trials.items() if trial.is_open}
    if asked:
        with name_conversion(schema.names):
            read_text(path, parsing, asked)
    return types | {name: trial.outcome() for name, trial in trials.items()}


def read_text(path: Path, parsing: Any, trials: dict[str, Trial]) -> None:
    """Put columns to the test, as text, until all is known of them."""
    options = arrow_csv.ConvertOptions(
        include_columns=list(trials), column_types=dict.fromkeys(trials, pa.string())
    )
    with arrow_csv.open_csv(path, parse_options=parsing, convert_options=options) as opened:
        for record_batch in opened:
            for name, trial in trials.items():
                trial.add(record_batch.column(name))
            if not any(trial.is_open for trial in trials.values()):
                return


class Trial:
    """Which types give back every entry of a column as it stands, of those seen so far."""

    def __init__(self, name: str, *, is_label: bool, classes: Any = None) -> None:
        kind = "" if classes is None else classes.dtype.kind
        self.name = name
        self.missing = pa.array(arrow_csv.ConvertOptions().null_values if is_label else [""])
        self.types = [pa.int64(), pa.uint64(), pa.bool_(), pa.date32(), pa.timestamp("s")]
        self.types = [] if is_label and kind in {"U", "O"} else self.types
        self.known = {"f": pa.float64(), "b": pa.bool_()}.get(kind) if is_label else None
        self.numeric = is_label and kind not in {"U", "O"}
        self.fraction: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether more entries could tell more."""
        return bool(self.types or self.numeric or self.known is not None)

    def add(self, column: Any) -> None:
        """Look at more entries."""
        entries = column.filter(arrow_compute.invert(arrow_compute.is_in(column, self.missing)))
        self.types = [kind for kind in self.types if reads_alike(entries, kind)]
        if self.known is not None and not converts(entries, self.known):
            self.known = None
        if self.numeric:
            try:
                numbers = entries.cast(pa.float64()).to_numpy(zero_copy_only=False)
            except pa.ArrowInvalid:
                self.numeric = False
                return
            fractions = np.flatnonzero(np.isfinite(numbers) & (numbers != np.floor(numbers)))
            if len(fractions) and self.fraction is None:
                self.fraction = entries[int(fractions[0])].as_py()

    def outcome(self) -> Any:
        """Return the type to read the column in; refuse labels that are numbers with fractions."""
        if self.types:
            return self.types[0]
        if self.numeric and self.fraction is not None:
            raise ValueError(
                f"Column {self.name!r} must hold labels; got numbers with fractions, such as "
                f"{self.fraction}. Name another column as target, or write labels that are not "
                f"numbers, such as 'v{self.fraction}'."
            )
        return pa.string() if self.known is None else self.known


def converts(entries: Any, kind: Any) -> bool:
    """Whether text can be read as values of a type."""
    try:
        entries.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def reads_alike(entries: Any, kind: Any) -> bool:
    """Whether text becomes values of a type that are written as the same text."""
    try:
        return bool(entries.cast(kind).cast(pa.string()).equals(entries))
    except pa.ArrowInvalid:
        return False
