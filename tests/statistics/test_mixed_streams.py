"""Statistics of streams of mixed columns are those of all rows, whatever they are read from."""

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from rows_of_kinds import ALL, NAMES, N, Rows, mixed_table

from gauda import MixedNB, MixedStatistics

ROWS = Rows(21, weighted=True)
FRAME = mixed_table(ROWS, ALL)
FRAME.loc[7, "c"] = None
TABLE = pa.table(
    {
        "a": pa.array(FRAME["a"], from_pandas=True),
        "b": pa.array(FRAME["b"].astype(bool)),
        "c": pa.array(FRAME["c"], pa.string(), from_pandas=True),
        "y": ROWS.y,
        "w": ROWS.weights,
    }
)
COLUMNS = {"target": "y", "sample_weight": "w"}


def expected(**options):
    return MixedStatistics.from_data(FRAME, ROWS.y, ROWS.weights, **options)


def assert_same(streamed, whole):
    """Hold all against each other: levels and counts exactly, numbers to rounding."""
    np.testing.assert_array_equal(streamed.classes, whole.classes)
    np.testing.assert_array_equal(streamed.class_count, whole.class_count)
    assert (streamed.kinds, streamed.n_rows) == (whole.kinds, whole.n_rows)
    assert streamed.has_gaps == whole.has_gaps
    assert list(streamed.feature_names) == list(whole.feature_names)
    for ours, theirs in zip(streamed.counts, whole.counts, strict=True):
        assert ours.levels == theirs.levels
        np.testing.assert_array_equal(ours.table, theirs.table)
    for ours, theirs in (
        (streamed.numbers, whole.numbers),
        (streamed.unweighted, whole.unweighted),
    ):
        np.testing.assert_array_equal(ours.weights, theirs.weights)
        np.testing.assert_allclose(ours.means, theirs.means, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(ours.scatter, theirs.scatter, rtol=1e-12)


def as_parquet(folder):
    pa.parquet.write_table(TABLE, folder / "rows.parquet", row_group_size=11)
    return folder / "rows.parquet"


def as_csv(folder):
    pa.csv.write_csv(TABLE, folder / "rows.csv")
    return folder / "rows.csv"


def as_feather(folder):
    path = folder / "rows.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return path


def as_json(folder):
    pl.from_arrow(TABLE).write_ndjson(folder / "rows.jsonl")
    return folder / "rows.jsonl"


def with_dictionaries(_):
    return TABLE.set_column(2, "c", TABLE["c"].dictionary_encode())


def with_categories(_):
    return pl.from_arrow(TABLE).with_columns(pl.col("c").cast(pl.Categorical))


SOURCES = {
    "arrow": lambda _: TABLE,
    "dictionaries": with_dictionaries,
    "large strings": lambda _: TABLE.set_column(2, "c", TABLE["c"].cast(pa.large_string())),
    "string views": lambda _: TABLE.set_column(2, "c", TABLE["c"].cast(pa.string_view())),
    "polars": lambda _: pl.from_arrow(TABLE),
    "polars categories": with_categories,
    "pandas": lambda _: TABLE.to_pandas(),
    "parquet": as_parquet,
    "csv": as_csv,
    "feather": as_feather,
    "json": as_json,
}


@pytest.mark.parametrize("batch_rows", [7, 1000])
@pytest.mark.parametrize("name", SOURCES)
def test_streams_have_the_statistics_of_their_rows(name, batch_rows, tmp_path):
    source = SOURCES[name](tmp_path)
    streamed = MixedStatistics.from_stream(source, batch_rows=batch_rows, **COLUMNS)
    assert_same(streamed, expected())


@pytest.mark.parametrize("of", [lambda f: f, pl.from_pandas, pa.Table.from_pandas])
def test_iterables_may_give_tables(of):
    items = [
        (of(FRAME[start : start + 9]), ROWS.y[start : start + 9], ROWS.weights[start : start + 9])
        for start in range(0, N, 9)
    ]
    assert_same(MixedStatistics.from_stream(iter(items)), expected())


def test_iterables_may_give_lists_of_numbers_and_text():
    items = [([[1.5, "red"], [None, "blue"]], [0, 1]), ([[2.5, "green"]], [2])]
    streamed = MixedStatistics.from_stream(items, classes=[0, 1, 2, 3])
    rows = [[1.5, "red"], [None, "blue"], [2.5, "green"]]
    assert streamed == MixedStatistics.from_data(rows, [0, 1, 2], classes=[0, 1, 2, 3])


def test_arrays_of_numbers_may_be_categories():
    levels = np.column_stack([ROWS.levels, ROWS.y]).astype(float)
    streamed = MixedStatistics.from_stream(
        levels, target=3, kinds=["categorical", "gaussian", "categorical"], batch_rows=5
    )
    whole = MixedStatistics.from_data(
        levels[:, :3], ROWS.y, kinds=["categorical", "gaussian", "categorical"]
    )
    np.testing.assert_array_equal(streamed.counts[0].table, whole.counts[0].table)
    np.testing.assert_allclose(streamed.numbers.scatter, whole.numbers.scatter, rtol=1e-12)


@pytest.mark.parametrize("name", ["arrow", "csv"])
def test_columns_can_be_chosen_and_given_a_kind(name, tmp_path):
    streamed = MixedStatistics.from_stream(
        SOURCES[name](tmp_path), features=["c", "b"], kinds={"b": "categorical"}, **COLUMNS
    )
    assert_same(streamed, expected(kinds={"b": "categorical"}).select(["c", "b"]))


def test_levels_that_appear_late_are_found():
    table = pa.table({"x": ["red"] * 20 + ["blue"], "y": [0] * 21})
    streamed = MixedStatistics.from_stream(table, target="y", batch_rows=5)
    assert streamed.counts[0].levels == ["blue", "red"]
    np.testing.assert_array_equal(streamed.counts[0].table, [[1, 20]])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (pa.array([1, None], pa.int8()), "gaussian"),
        (pa.array([1, 2], pa.uint64()), "gaussian"),
        (pa.array([np.float16(1.5), None], pa.float16()), "gaussian"),
        (pa.array([None, 2], pa.decimal128(5, 2)), "gaussian"),
        (pa.array([True, None]), "bernoulli"),
        (pa.array(["a", None]), "categorical"),
        (pa.array(["a", None]).dictionary_encode(), "categorical"),
        (pa.array([3, 4]).dictionary_encode(), "categorical"),
        (pa.nulls(2), "categorical"),
    ],
)
def test_types_of_arrow_tell_kinds(values, kind):
    table = pa.table({"x": values, "y": [0, 1]})
    streamed = MixedStatistics.from_stream(table, target="y")
    assert streamed.kinds == (kind,)
    assert streamed.has_gaps == bool(values.null_count)
    seen = [value for value in values.to_pylist() if value is not None]
    if kind == "gaussian":
        assert streamed.unweighted.weights.tolist() == [[len(seen)]]
        np.testing.assert_allclose(streamed.unweighted.means, [[float(np.mean(seen))]])
    elif kind == "categorical":
        assert streamed.counts[0].levels == sorted(seen)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: MixedStatistics.from_stream(TABLE), "target is missing"),
        (lambda: MixedStatistics.from_stream(TABLE, target="q"), "Column 'q' does not exist"),
        (
            lambda: MixedStatistics.from_stream(TABLE, kinds={"c": "gaussian"}, **COLUMNS),
            "Column 'c' must be numeric",
        ),
        (
            lambda: MixedStatistics.from_stream(
                pa.table({"x": pa.array([0, 1], pa.date32()), "y": [0, 1]}), target="y"
            ),
            "Column 'x' must be of a known kind; its type, .* tells none",
        ),
        (
            lambda: MixedStatistics.from_stream(
                pa.table({"x": [0.0, 1.0, np.inf], "y": [0, 1, 1]}), target="y", batch_rows=2
            ),
            "infinity at row 2, column 'x'",
        ),
        (lambda: MixedStatistics.from_stream(TABLE.slice(0, 0), **COLUMNS), "0 sample"),
        (lambda: MixedStatistics.from_stream(TABLE, n_threads=0, **COLUMNS), "n_threads must be"),
        (
            lambda: MixedStatistics.from_stream(TABLE, classes=[0, 1], **COLUMNS),
            "do not exist in the initial classes",
        ),
    ],
)
def test_what_cannot_be_summed_up_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_names_are_those_of_the_columns():
    streamed = MixedStatistics.from_stream(TABLE, exclude=["a"], **COLUMNS)
    assert list(streamed.feature_names) == NAMES[1:]


@pytest.mark.parametrize("batch_rows", [7, 1000])
@pytest.mark.parametrize("name", ["arrow", "dictionaries", "polars", "csv", "parquet"])
def test_a_model_of_a_stream_is_that_of_the_rows(name, batch_rows, tmp_path):
    fitted = MixedNB().fit(FRAME, ROWS.y, ROWS.weights)
    streamed = MixedNB().fit_stream(SOURCES[name](tmp_path), batch_rows=batch_rows, **COLUMNS)
    assert_same(streamed.statistics_, fitted.statistics_)
    np.testing.assert_allclose(
        streamed.predict_log_proba(FRAME), fitted.predict_log_proba(FRAME), rtol=1e-11, atol=1e-12
    )


def test_kinds_are_those_of_the_first_batch():
    items = [([[1.5, "a"], [2.5, "b"]], [0, 1]), ([[3, "a"], [None, "b"]], [0, 1])]
    assert MixedNB().fit_stream(items).kinds_ == ["gaussian", "categorical"]
    with pytest.raises(ValueError, match="Column 0 must be numeric"):
        MixedNB().fit_stream([*items, ([["x", "a"]], [0])])
