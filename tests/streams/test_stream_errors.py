"""What cannot be read is refused with its name, its row, and what there is instead."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from models import MODELS, STEPWISE

from gauda import GaussianNB, Moments
from gauda._support.optional import need

ONE = pa.table({"x": [1.0, 2.0], "city": ["Rome", "Oslo"], "y": [0, 1]})
ERRORS = {
    "missing target": (ONE, {}, "target is missing.*'x', 'city', 'y'"),
    "unknown target": (ONE, {"target": "z"}, "Column 'z' does not exist.*'x', 'city', 'y'"),
    "unknown feature": (ONE, {"target": "y", "features": ["q"]}, "Column 'q' does not exist"),
    "text feature": (ONE, {"target": "y"}, "Column 'city' holds string, not numbers"),
    "text weight": (
        ONE,
        {"target": "y", "features": ["x"], "sample_weight": "city"},
        "Column 'city' holds string, not numbers",
    ),
    "text feature's way out": (ONE, {"target": "y"}, r"OneHotEncoder.*exclude=\['city'\].*MixedNB"),
    "text feature that was named": (
        ONE,
        {"target": "y", "features": ["x", "city"]},
        r"leave it out of features=\[\.\.\.\]; or give the table to MixedNB",
    ),
    "times": (
        ONE.append_column("t", pa.array([1, 2], pa.timestamp("s"))).drop(["city"]),
        {"target": "y"},
        r"Column 't' holds timestamp\[s\], not numbers.*days since a date.*exclude=\['t'\]",
    ),
    "runs": (
        pa.table({"x": pa.RunEndEncodedArray.from_arrays([1, 2], [1.0, 2.0]), "y": [0, 1]}),
        {"target": "y"},
        "run_end_decode",
    ),
    "target among features": (
        ONE,
        {"target": "y", "features": ["x", "y"]},
        "must not be the target",
    ),
    "features and exclude": (
        ONE,
        {"target": "y", "features": ["x"], "exclude": ["city"]},
        "features and exclude must not be given together",
    ),
    "unknown exclusion": (ONE, {"target": "y", "exclude": ["z"]}, "Column 'z' does not exist"),
    "unknown exclusion of array": (np.ones((3, 2)), {"target": 0, "exclude": [4]}, "Column 4 does"),
    "all excluded": (ONE, {"target": "y", "exclude": ["x", "city"]}, "No column is left"),
    "all excluded of array": (np.ones((3, 2)), {"target": 0, "exclude": 1}, "No column is left"),
    "exclusion of pairs": ([([[1.0]], [0])], {"exclude": ["a"]}, "no columns to choose from"),
    "fractions": (
        ONE.drop(["city"]).append_column("z", [[0.5, 1.0]]),
        {"target": "z"},
        "Column 'z' must hold labels; got numbers with fractions, such as 0.5",
    ),
    "dictionary of fractions": (
        pa.table({"x": [1.0, 2.0], "z": pa.array([0.5, 1.0]).dictionary_encode()}),
        {"target": "z"},
        "Column 'z' must hold labels; got numbers with fractions, such as 0.5",
    ),
    "type of another library": (
        pa.table({"x": [1.0], "z": pa.array([b"0" * 16], pa.uuid())}),
        {"target": "z"},
        "Column 'z' holds extension.*cannot be labels",
    ),
    "objects of a frame": (
        pd.DataFrame({"x": [1.0, 2.0], "o": [1, "a"], "y": [0, 1]}),
        {"target": "y"},
        r"columns that Arrow can hold.*column o.*exclude=\[\.\.\.\]",
    ),
    "no feature": (ONE.select(["y"]), {"target": "y"}, "No column is left as a feature"),
    "twice": (pa.table([[1], [2], [0]], ["x", "x", "y"]), {"target": "y"}, "more than once"),
    "no columns": (pa.table({}), {"target": "y"}, "'y' does not exist. There are no columns"),
    "feature twice": (ONE, {"target": "y", "features": ["x", "x"]}, "column 'x' 2 times"),
    "several targets": (ONE, {"target": ["y"]}, r"Column \['y'\] does not exist"),
    "list labels": (
        ONE.append_column("z", [[[1], [2]]]),
        {"target": "z", "features": ["x"]},
        "Column 'z' holds list.*cannot be labels",
    ),
    "bytes labels": (
        ONE.append_column("z", [[b"1", b"2"]]),
        {"target": "z", "features": ["x"]},
        "Column 'z' holds binary.*cannot be labels",
    ),
    "half a row": (
        ONE,
        {"target": "y", "features": ["x"], "batch_rows": 0.5},
        "batch_rows must be an integer.*got 0.5",
    ),
    "column of array by name": (np.ones((3, 2)), {"target": "y"}, "'y' is not a file.*their index"),
    "empty batch": (
        ONE,
        {"target": "y", "features": ["x"], "batch_rows": 0},
        "batch_rows must be an integer.*got 0",
    ),
    "array target": (np.ones((3, 2)), {"target": 2}, "Column 2 does not exist.*has 2 columns"),
    "array labels": (
        np.ones((3, 2)),
        {"target": [0, 1]},
        r"target must have a value for each of the 3 rows; got shape \(2,\)",
    ),
    "flat array": (np.ones(3), {"target": 0}, "two axes, of rows and columns; got 1"),
    "no labels": (np.ones((3, 2)), {}, "target is missing"),
    "empty iterable": (iter(()), {}, "iterable must give.*got nothing"),
    "rows alone": ([np.ones((3, 2))], {}, r"must give tuples \(X, y\).*got ndarray of length 1"),
    "other width": (
        [([[1.0]], [0]), ([[1.0, 2.0]], [0])],
        {},
        "Item 1.*must have 1 columns.*got 2",
    ),
    "columns of pairs": ([([[1.0]], [0])], {"target": "y"}, "no columns to choose from"),
    "length": ([([[1.0]], [0, 1])], {}, "inconsistent numbers of samples"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_error_says_what_was_given_and_what_there_is(case):
    source, parameters, message = ERRORS[case]
    with pytest.raises(ValueError, match=message):
        Moments.from_stream(source, **parameters)


def test_frames_whose_columns_change_places_are_refused():
    frame = pd.DataFrame({"a": [1.0], "b": [2.0]})
    with pytest.raises(
        ValueError, match=r"Item 1 .* the first one, \['a', 'b'\]; got \['b', 'a'\]"
    ):
        Moments.from_stream([(frame, [0]), (frame[["b", "a"]], [0])])


@pytest.mark.parametrize("chosen", [{"exclude": ["o"]}, {"features": ["x"]}])
def test_column_that_is_left_out_may_hold_anything(chosen):
    frame = pd.DataFrame({"x": [1.0, 2.0], "o": [1, "a"], "y": [0, 1]})
    assert Moments.from_stream(frame, target="y", **chosen).means.tolist() == [[1.0], [2.0]]


def test_query_that_is_still_to_be_computed_is_refused():
    with pytest.raises(TypeError, match=r"LazyFrame.*collect\(\)"):
        Moments.from_stream(pl.LazyFrame({"x": [1.0]}), target="x")


def test_a_list_of_paths_is_refused_with_what_reads_it():
    with pytest.raises(TypeError, match=r"got a list of 2\..*pyarrow\.dataset\.dataset"):
        Moments.from_stream(["a.parquet", Path("b.parquet")], target="y")


def test_a_pattern_is_not_looked_up(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"Give the folder: patterns are not looked up\."):
        Moments.from_stream(tmp_path / "*.parquet", target="y")


def test_source_of_no_known_kind_is_refused():
    with pytest.raises(TypeError, match="cannot be read from int"):
        Moments.from_stream(3, target="y")


def test_file_of_no_known_format_is_refused(tmp_path):
    (tmp_path / "rows.xlsx").touch()
    with pytest.raises(ValueError, match=r"unknown format.*parquet"):
        Moments.from_stream(tmp_path / "rows.xlsx", target="y")


def test_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.parquet"):
        Moments.from_stream(tmp_path / "nowhere.parquet", target="y")


def test_folder_without_parquet_files_is_refused(tmp_path):
    with pytest.raises(ValueError, match="holds no parquet files"):
        Moments.from_stream(tmp_path, target="y")


def test_file_that_lacks_a_column_is_named(tmp_path):
    pq.write_table(pa.table({"x": [1.0], "y": [0]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"y": [0]}), tmp_path / "b.parquet")
    with pytest.raises(ValueError, match=r"b\.parquet' has no column 'x'"):
        Moments.from_stream(tmp_path, target="y")


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.int32(), pa.bool_()], ids=str)
def test_null_is_refused_by_its_row_in_the_stream_and_its_column(kind):
    values = pa.array([1] * 70, pa.int8()).cast(kind).to_pylist()
    values[66] = None
    table = pa.table(
        {"a": pa.array([1] * 70).cast(kind), "b": pa.array(values, kind), "y": [0] * 70}
    )
    with pytest.raises(ValueError, match="null at row 66, column 'b'"):
        Moments.from_stream(table, target="y", batch_rows=16)


def test_label_that_is_null_is_refused_by_its_row(tmp_path):
    table = pa.table({"x": [1.0] * 70, "y": ["a"] * 66 + [None] + ["b"] * 3})
    path = tmp_path / "rows.parquet"
    pq.write_table(table, path)
    with pytest.raises(ValueError, match="column 'y' is missing at row 66"):
        Moments.from_stream(path, target="y", batch_rows=16)


@pytest.mark.parametrize(
    "labels",
    [
        pa.array([1.0, float("nan"), 2.0]),
        pa.array(["a", None, "b"]).dictionary_encode(),
        pa.DictionaryArray.from_arrays([0, 1, 0], pa.array(["a", None])),
    ],
    ids=["NaN", "no code", "code of null"],
)
def test_label_can_be_missing_in_several_ways(labels):
    with pytest.raises(ValueError, match="column 'y' is missing at row 1"):
        Moments.from_stream(pa.table({"x": [1.0, 2.0, 3.0], "y": labels}), target="y")


def test_empty_label_of_a_csv_file_is_missing(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n1,a\n2,\n")
    with pytest.raises(ValueError, match="column 'y' is missing at row 1"):
        Moments.from_stream(path, target="y")


@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv", "rows.arrow", "rows.npy"])
def test_file_that_cannot_be_read_is_named(tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(ValueError, match=rf"{name}' cannot be read"):
        Moments.from_stream(tmp_path / name, target="y")


def test_damaged_column_is_told_with_the_file(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"x": np.arange(1000.0), "y": [0] * 1000}), path)
    content = bytearray(path.read_bytes())
    content[100:400] = b"\xff" * 300
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"rows\.parquet' cannot be read"):
        Moments.from_stream(path, target="y")


def test_bad_weight_is_refused_by_its_row():
    table = pa.table({"x": [1.0] * 70, "y": [0] * 70, "w": [1.0] * 66 + [-1.0] + [1.0] * 3})
    with pytest.raises(ValueError, match=r"-1\.0 at row 66"):
        Moments.from_stream(table, target="y", sample_weight="w", batch_rows=16)


def test_package_that_is_not_installed_is_named_with_its_extra():
    with pytest.raises(ImportError, match=r"package nosuch.*pip install 'gauda\[stream\]'"):
        need("nosuch.part", extra="stream")


def test_package_that_lacks_something_itself_is_not_called_missing(tmp_path, monkeypatch):
    (tmp_path / "halfhere.py").write_text("import nosuch")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'nosuch'"):
        need("halfhere", extra="stream")


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_truncated_file_is_refused_and_leaves_no_output(name, kept, tmp_path):
    X, y = MODELS[name].data(300)
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=["a", "b", "c"])
    model = MODELS[name].make().fit(frame, y)
    table = pa.Table.from_pandas(frame.assign(y=y))
    pq.write_table(table, tmp_path / "in.parquet")
    with pa.ipc.new_stream(str(tmp_path / "in.arrow"), table.schema) as writer:
        writer.write_table(table, max_chunksize=50)
    for path in (tmp_path / "in.parquet", tmp_path / "in.arrow"):
        path.write_bytes(path.read_bytes()[: int(kept * path.stat().st_size)])
        with pytest.raises(ValueError, match="cannot be read"):
            model.predict_stream(path, tmp_path / "out.csv", batch_rows=20)
        assert not (tmp_path / "out.csv").exists()
        if name in STEPWISE:
            with pytest.raises(ValueError, match="cannot be read"):
                model.fit_stream(path, target="y")
            model.predict(frame)
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        (np.ones(4, dtype="datetime64[s]"), TypeError, "sample_weight must hold numbers"),
        (np.ma.masked_array(np.ones(4), mask=[0, 0, 1, 0]), ValueError, "sample_weight is nan"),
    ],
)
def test_weights_of_an_iterable_that_are_no_numbers_are_refused(weights, error, message):
    rows = np.arange(8.0).reshape(4, 2) ** 2
    with pytest.raises(error, match=message):
        GaussianNB().fit_stream(iter([(rows, [0, 0, 1, 1], weights)]))
