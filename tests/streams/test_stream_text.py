"""Text files: no label and no kept entry is changed by reading, and none is merged with another."""

import csv
import json
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import gauda
from gauda._streams import delimited
from gauda._streams.batches import Request
from gauda._streams.files import file_at

NULLS = {"", "NA", "N/A", "NULL", "NaN", "nan", "null", "n/a", "#N/A", "#NA", "-nan", "-NaN"}
NULLS |= {"#N/A N/A", "-1.#IND", "-1.#QNAN", "1.#IND", "1.#QNAN"}
MEGABYTE = 1 << 20


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def write_rows(path, labels, delimiter=","):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(["x", "y"])
        writer.writerows([place % 7, label] for place, label in enumerate(labels))


def read_labels(path, column="label"):
    with path.open(newline="", encoding="utf-8") as file:
        return [row[column] for row in csv.DictReader(file)]


WORDS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5),
    st.text("0123456789+-.eE _aTZ:", min_size=1, max_size=6),
    st.integers().map(str),
    st.integers(-3, 3).map(lambda n: f"{n:03}"),
    st.dates().map(str),
    st.datetimes().map(str),
    st.sampled_from(["true", "false", "True", "TRUE", "1.0", "1e3", "+1", " a", "a ", '"', "a\nb"]),
)


@settings(max_examples=150, deadline=None)
@given(labels=st.lists(WORDS, min_size=2, max_size=6, unique=True))
@example(["1", "01"])
@example(["1", "1.0"])
@example(["1", "+1"])
@example(["1000", "1e3"])
@example(["a", " a"])
@example(["true", "TRUE"])
@example(["2026-01-01", "2026-01-01T00:00:00"])
@example(["2026-01-01T00:00:00Z", "2026-01-01T02:00:00+02:00"])
@example(["9223372036854775807", "9223372036854775808"])
@example(["18446744073709551615", "9223372036854775809"])
@example(["18446744073709551616", "18446744073709551617"])
@example(["-1", "18446744073709551615"])
@example(["12:00:00", "12:00"])
def test_text_of_labels_survives_a_fit_and_scores(tmp_path_factory, labels):
    folder = tmp_path_factory.mktemp("labels")
    rows = [label for label in labels for _ in range(2)]
    write_rows(folder / "rows.csv", rows)
    known = [label for label in labels if label not in NULLS]
    if all(map(is_number, known)) and any(float(label) % 1 for label in known):
        refused = "numbers with fractions|is missing"
    elif len(known) < len(labels):
        refused = "is missing"
    else:
        refused = ""
    try:
        model = gauda.GaussianNB().fit_stream(folder / "rows.csv", target="y")
    except ValueError as error:
        if refused and re.search(refused, str(error)):
            return
        raise
    assert set(pa.array(model.classes_).cast(pa.string()).to_pylist()) == set(labels)
    model.predict_stream(folder / "rows.csv", folder / "out.csv", keep=["y"])
    assert read_labels(folder / "out.csv", "y") == rows
    assert set(read_labels(folder / "out.csv")) <= set(labels)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["0", "2", "-1"], np.array([-1, 0, 2])),
        (["9223372036854775809", "3"], np.array([3, 2**63 + 1], dtype=np.uint64)),
        (["36893488147419103232", "3"], np.array(["3", "36893488147419103232"])),
        (["true", "false"], np.array([False, True])),
        (["2026-02-01", "2026-01-31"], np.array(["2026-01-31", "2026-02-01"], "M8[D]")),
        (["1.0", "2.0"], np.array(["1.0", "2.0"])),
        (["01", "1"], np.array(["01", "1"])),
        (["0", "x"], np.array(["0", "x"])),
    ],
    ids=str,
)
def test_labels_are_numbers_or_dates_only_where_all_are_written_as_such(tmp_path, labels, expected):
    write_rows(tmp_path / "rows.csv", labels)
    classes = gauda.Moments.from_stream(tmp_path / "rows.csv", target="y").classes
    assert classes.dtype.kind == expected.dtype.kind
    np.testing.assert_array_equal(classes, expected)


@pytest.mark.parametrize("late", ["01", "x", "1.0", "18446744073709551616"])
def test_label_far_down_the_file_counts_as_much(tmp_path, late):
    write_rows(tmp_path / "rows.csv", [*(["1", "2"] * (MEGABYTE // 3)), late])
    moments = gauda.Moments.from_stream(tmp_path / "rows.csv", target="y")
    assert moments.classes.tolist() == sorted(["1", "2", late])
    assert moments.counts.sum() == 2 * (MEGABYTE // 3) + 1


def test_file_whose_labels_are_text_at_the_start_is_read_once(tmp_path, monkeypatch):
    write_rows(tmp_path / "rows.csv", ["a", "1", "01"])
    monkeypatch.setattr(delimited, "read_text", None)
    assert gauda.Moments.from_stream(tmp_path / "rows.csv", target="y").n_rows == 3


def test_labels_with_fractions_are_refused_by_name(tmp_path):
    write_rows(tmp_path / "rows.csv", ["1", "2.50", "3"])
    with pytest.raises(ValueError, match=r"Column 'y' must hold labels; got .*2\.50.*'v2\.50'"):
        gauda.Moments.from_stream(tmp_path / "rows.csv", target="y")


def test_missing_label_among_numbers_is_refused_by_its_row(tmp_path):
    write_rows(tmp_path / "rows.csv", ["1", "NA", "3"])
    with pytest.raises(ValueError, match="column 'y' is missing at row 1"):
        gauda.Moments.from_stream(tmp_path / "rows.csv", target="y")


def test_kept_entries_are_written_as_they_were_read(tmp_path):
    (tmp_path / "rows.csv").write_text(
        'x,id,price,when,note,n\n1,007,1.50,2026-01-01T00:00Z,"a, ""b""\n",1\n2,7,,12:00,NA,\n'
    )
    model = gauda.GaussianNB().fit(pd.DataFrame({"x": [1.0, 2.0]}), ["a", "b"])
    kept = ["id", "price", "when", "note", "n"]
    for ending in ("csv", "tsv"):
        path = tmp_path / f"out.{ending}"
        assert model.predict_stream(tmp_path / "rows.csv", path, keep=kept) == 2
        got = pd.read_csv(path, sep=None, engine="python", dtype=str, keep_default_na=False)
        expected = pd.read_csv(tmp_path / "rows.csv", dtype=str, keep_default_na=False)
        pd.testing.assert_frame_equal(got[kept], expected[kept])
    model.predict_stream(tmp_path / "rows.csv", tmp_path / "out.parquet", keep=["id", "n"])
    assert pq.read_table(tmp_path / "out.parquet").to_pydict() == {
        "id": ["007", "7"],
        "n": [1, None],
        "label": ["a", "b"],
    }


def test_features_may_be_kept_as_numbers(tmp_path):
    (tmp_path / "rows.csv").write_text("x,id\n1.50,01\n,02\n")
    model = gauda.GaussianNB(missing="marginalize")
    model.fit(pd.DataFrame({"x": [1.0, 2.0]}), ["a", "b"])
    model.predict_stream(tmp_path / "rows.csv", tmp_path / "out.parquet", keep=["x", "id"])
    out = pq.read_table(tmp_path / "out.parquet").to_pydict()
    assert (out["x"], out["id"]) == ([1.5, None], ["01", "02"])


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_kept_feature_may_have_fractions_late(tmp_path, ending):
    path = tmp_path / f"rows.{ending}"
    values = [*[1] * (MEGABYTE // 2), 2.5]
    lines = ["x", *values] if ending == "csv" else [f'{{"x": {value}}}' for value in values]
    path.write_text("\n".join(map(str, lines)))
    model = gauda.GaussianNB().fit(pd.DataFrame({"x": [1.0, 2.0]}), ["a", "b"])
    model.predict_stream(path, tmp_path / "out.parquet", keep=["x"])
    assert pq.read_table(tmp_path / "out.parquet")["x"][-1].as_py() == 2.5


def test_entry_may_hold_the_end_of_a_line_where_blocks_end(tmp_path):
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["x", "note", "y"])
        writer.writerows(
            [place % 5, "one\ntwo,three\n" * 3, "ab"[place % 2]] for place in range(40_000)
        )
    assert path.stat().st_size > MEGABYTE
    moments = gauda.Moments.from_stream(path, target="y", exclude=["note"])
    assert moments.counts.tolist() == [20_000, 20_000]


ENTRIES = {
    "text far down": ("1,a\n" * MEGABYTE + "foo,a\n", "Column 'x' must hold numbers; got 'foo'"),
    "no boolean": ("true,a\n" * MEGABYTE + "2,a\n", "Column 'x' must hold true or false.*got '2'"),
    "Latin-1": ("1,caf\xe9\n", "Column 'y' must be text in UTF-8.*Save the file as UTF-8"),
    "too few": ("1,a\n2\n", "rows.csv' cannot be read.*Expected 2 columns, got 1"),
}


@pytest.mark.parametrize("case", ENTRIES)
def test_entry_that_cannot_be_is_named(tmp_path, case):
    rows, words = ENTRIES[case]
    (tmp_path / "rows.csv").write_text(f"x,y\n{rows}", encoding="latin-1")
    with pytest.raises(ValueError, match=words):
        gauda.Moments.from_stream(tmp_path / "rows.csv", target="y")


def test_file_of_utf_16_is_refused(tmp_path):
    (tmp_path / "rows.csv").write_text("x,y\n1,a\n", encoding="utf-16")
    with pytest.raises(ValueError, match=r"rows\.csv' must be text in UTF-8; got UTF-16"):
        gauda.Moments.from_stream(tmp_path / "rows.csv", target="y")


@pytest.mark.parametrize("delimiter", ["", ";;", '"', "\n", "é", 3])
def test_delimiter_must_be_one_character(tmp_path, delimiter):
    write_rows(tmp_path / "rows.csv", ["a", "b"])
    with pytest.raises(ValueError, match="delimiter must be one ASCII character"):
        gauda.Moments.from_stream(tmp_path / "rows.csv", target="y", delimiter=delimiter)


@pytest.mark.parametrize("delimiter", [";", "|", "\t", " "])
def test_delimiter_splits_the_file(tmp_path, delimiter):
    write_rows(tmp_path / "rows.csv", ["a", "b c", "d;e"], delimiter)
    nb = gauda.GaussianNB(var_smoothing=1e-3)
    nb.fit_stream(tmp_path / "rows.csv", target="y", delimiter=delimiter)
    assert nb.classes_.tolist() == ["a", "b c", "d;e"]
    nb.predict_stream(tmp_path / "rows.csv", tmp_path / "out.tsv", delimiter=delimiter)
    assert (tmp_path / "out.tsv").read_text() == '"label"\n"a"\n"b c"\n"d;e"\n'


# JSON Lines


def write_json(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1", "01"], ["01", "1"]),
        ([2**63 + 1, 2**63 + 2], [2**63 + 1, 2**63 + 2]),
        ([2**53, 2**53 + 1], [2**53, 2**53 + 1]),
        ([1, 2.0, -3], [-3, 1, 2]),
        ([True, False], [False, True]),
        (["2026-01-01T00:00:00Z", "2026-01-01"], ["2026-01-01", "2026-01-01T00:00:00Z"]),
    ],
    ids=str,
)
def test_labels_of_json_stay_apart(tmp_path, labels, expected):
    rows = [{"x": place + 0.5, "y": label} for place, label in enumerate(labels)]
    write_json(tmp_path / "rows.jsonl", rows)
    moments = gauda.Moments.from_stream(tmp_path / "rows.jsonl", target="y")
    assert moments.classes.tolist() == expected


def test_numbers_of_json_may_turn_into_fractions_or_be_absent(tmp_path):
    rows = [{"x": 1, "z": place, "y": "a"} for place in range(60_000)]
    write_json(tmp_path / "rows.ndjson", [*rows, {"x": 2.5, "z": 1, "y": "b"}])
    assert (tmp_path / "rows.ndjson").stat().st_size > MEGABYTE
    moments = gauda.Moments.from_stream(tmp_path / "rows.ndjson", target="y", exclude="z")
    assert moments.means.tolist() == [[1.0], [2.5]]
    write_json(tmp_path / "rows.ndjson", [{"x": 1, "y": "a"}, {"y": "a"}])
    with pytest.raises(ValueError, match="null at row 1, column 'x'"):
        gauda.Moments.from_stream(tmp_path / "rows.ndjson", target="y")


JSON_ERRORS = {
    "too large a label": ([{"x": 1, "y": 2**70}, {"x": 2, "y": 1}], "Decimal labels must be"),
    "fraction": ([{"x": 1, "y": 1.5}, {"x": 2, "y": 1}], "Decimal labels must be integers.*1.5"),
    "text": ([{"x": "one", "y": 1}], "Column 'x' holds string, not numbers.*exclude.*MixedNB"),
    "nested": ([{"x": [1, 2], "y": 1}], "Column 'x' holds list.*a column of each of its entries"),
    "label of null": ([{"x": 1, "y": "a"}, {"x": 1, "y": None}], "missing at row 1"),
    "changing": ([{"x": 1, "y": "a"}, {"x": 1, "y": 2}], "rows.jsonl' cannot be read.*Column"),
}


@pytest.mark.parametrize("case", JSON_ERRORS)
def test_json_that_cannot_be_read_is_named(tmp_path, case):
    rows, words = JSON_ERRORS[case]
    write_json(tmp_path / "rows.jsonl", rows)
    with pytest.raises(ValueError, match=words):
        gauda.Moments.from_stream(tmp_path / "rows.jsonl", target="y")


def test_pyarrow_that_is_too_old_for_json_is_named(tmp_path, monkeypatch):
    write_json(tmp_path / "rows.jsonl", [{"x": 1, "y": 2}])
    monkeypatch.delattr("pyarrow.json.open_json")
    with pytest.raises(ImportError, match=r"pyarrow 20 or newer; got \d+.*pip install"):
        gauda.Moments.from_stream(tmp_path / "rows.jsonl", target="y")


def test_kept_integers_of_json_keep_their_digits_or_are_refused(tmp_path):
    model = gauda.GaussianNB().fit(pd.DataFrame({"x": [1.0, 2.0]}), ["a", "b"])
    path = tmp_path / "rows.jsonl"
    write_json(path, [{"x": 1, "id": 2**60 + 1, "day": "2026-01-01"}, {"x": 2, "id": 1}])
    model.predict_stream(path, tmp_path / "out.parquet", keep=["id", "day"])
    out = pq.read_table(tmp_path / "out.parquet").to_pydict()
    assert (out["id"], out["day"]) == ([2**60 + 1, 1], ["2026-01-01", None])
    write_json(path, [{"x": 1, "id": 2**64 + 1}])
    with pytest.raises(ValueError, match=r"Column 'id' must hold numbers up to 2\*\*53"):
        model.predict_stream(path, tmp_path / "out.parquet", keep=["id"])


def test_looking_into_a_text_file_does_not_read_its_labels(tmp_path, monkeypatch):
    write_rows(tmp_path / "rows.csv", ["1", "2"])
    monkeypatch.setattr(delimited, "read_text", None)
    assert file_at(tmp_path / "rows.csv", Request()).schema.names == ["x", "y"]
