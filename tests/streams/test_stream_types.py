"""Whatever the types of columns: a stream answers as the table in memory does, or refuses alike."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gauda
from gauda._data.training import as_rows
from gauda._streams.batches import Request
from gauda._streams.sources import open_source

# Features

INTEGERS = [getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = [pa.float16(), pa.float32(), pa.float64()]
TYPES = [*INTEGERS, *FLOATS, pa.bool_(), pa.decimal128(12, 3)]
N = 40
CODES = np.arange(N) % 2


def values_of(kind, rng):
    """Return values that the type holds exactly, as Python's."""
    if pa.types.is_boolean(kind):
        return (rng.integers(0, 2, N) == 1).tolist()
    numbers = rng.integers(0, 100, N)
    if pa.types.is_decimal(kind):
        return [Decimal(int(number)) / 8 for number in numbers]
    if pa.types.is_floating(kind):
        return [
            np.float16(number / 8) if kind == pa.float16() else number / 8 for number in numbers
        ]
    return numbers.tolist()


@st.composite
def tables(draw):
    """Draw a table of columns of some types, with nulls or dictionaries here and there."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = {}
    for place in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(TYPES))
        values = values_of(kind, rng)
        if draw(st.booleans()):
            for row in rng.choice(N, 3, replace=False):
                values[row] = None
        column = pa.array(values, kind)
        encoded = kind != pa.float16() and draw(st.booleans())
        columns[f"x{place}"] = column.dictionary_encode() if encoded else column
    return pa.table(columns)


def expected_of(table):
    """Return the entries as doubles, one by one."""
    columns = [column.to_pylist() for column in table.columns]
    return np.array([[np.nan if v is None else float(v) for v in column] for column in columns]).T


def streamed(source, batch_rows):
    request = Request(labeled=False, batch_rows=batch_rows)
    return np.concatenate([batch.X.astype(float) for batch in open_source(source, request).batches])


@settings(max_examples=150, deadline=None)
@given(table=tables(), batch_rows=st.sampled_from([7, 1000]))
def test_stream_of_any_types_gives_the_numbers_of_the_table(table, batch_rows):
    np.testing.assert_array_equal(streamed(table, batch_rows), expected_of(table))


@settings(max_examples=150, deadline=None)
@given(table=tables())
def test_table_in_memory_gives_its_numbers_whatever_the_library(table):
    expected = expected_of(table)
    libraries = {
        "pandas": table.to_pandas(),
        "nullable": table.to_pandas().convert_dtypes(),
        "arrow in pandas": table.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": pl.from_arrow(table),
        "pyarrow": table,
    }
    for name, frame in libraries.items():
        got = as_rows(frame, "Moments").astype(float)
        np.testing.assert_array_equal(got, expected, err_msg=name)


@settings(max_examples=60, deadline=None)
@given(table=tables())
def test_stream_is_fitted_as_the_table_or_refused_alike(table):
    labeled = table.append_column("y", pa.array(CODES))
    fits = [
        lambda: gauda.GaussianNB().fit_stream(labeled, target="y", batch_rows=11),
        lambda: gauda.GaussianNB().fit(table.to_pandas(), CODES),
    ]
    outcomes = []
    for fit in fits:
        try:
            model = fit()
            outcomes.append(np.concatenate([model.theta_, model.var_]))
        except ValueError as refusal:
            # arrays, which fit makes of a table, have no null
            outcomes.append(
                str(refusal).partition(". ")[0].replace("contains null", "contains NaN")
            )
    assert isinstance(outcomes[0], str) == isinstance(outcomes[1], str)
    if isinstance(outcomes[0], str):
        assert outcomes[0] == outcomes[1]
    else:
        np.testing.assert_allclose(outcomes[0], outcomes[1], rtol=1e-6)


@settings(max_examples=60, deadline=None)
@given(table=tables())
def test_scores_of_a_row_do_not_depend_on_nulls_in_other_rows_of_its_batch(tmp_path_factory, table):
    model = gauda.GaussianNB(missing="marginalize").fit(np.nan_to_num(expected_of(table)), CODES)
    model.feature_names_in_ = np.array(table.column_names, dtype=object)
    path = tmp_path_factory.mktemp("out") / "out.parquet"
    found = []
    for batch_rows in (3, 1000):
        model.predict_stream(table, path, outputs=["proba", "log_density"], batch_rows=batch_rows)
        found.append(pq.read_table(path).to_pandas().to_numpy(dtype=float))
    np.testing.assert_array_equal(found[0], found[1])


def test_parquet_of_single_precision_beside_integers_with_nulls_is_read(tmp_path):
    table = pa.table(
        {
            "x": pa.array([1.5, 2.5, 3.5], pa.float32()),
            "n": pa.array([1, None, 3], pa.int8()),
            "b": pa.array([True, None, False]),
        }
    )
    pq.write_table(table, tmp_path / "rows.parquet")
    expected = [[1.5, 1.0, 1.0], [2.5, np.nan, np.nan], [3.5, 3.0, 0.0]]
    np.testing.assert_array_equal(streamed(tmp_path / "rows.parquet", 1000), expected)


def test_category_missing_beside_integers_is_missing():
    frame = pd.DataFrame({"n": np.array([1, 2], "i1"), "c": pd.Categorical([7, None])})
    np.testing.assert_array_equal(as_rows(frame, "Moments"), [[1, 7], [2, np.nan]])
    table = pa.table({"c": pa.array([7, None]).dictionary_encode()})
    np.testing.assert_array_equal(as_rows(table, "Moments"), [[7], [np.nan]])


# Labels

BIG = 2**53
DAY, NEXT = dt.datetime(2026, 1, 1), dt.datetime(2026, 1, 2)  # noqa: DTZ001 - labels without a zone
PAIRS = {
    "decimals": (pa.decimal128(38, 0), [Decimal(BIG), Decimal(BIG + 1)]),
    "decimals above 2^63": (pa.decimal128(38, 0), [Decimal(2**63), Decimal(2**63 + 1)]),
    "decimals below 0": (pa.decimal128(38, 0), [Decimal(-BIG - 1), Decimal(-BIG)]),
    "decimals with zeros": (pa.decimal128(38, 2), [Decimal("1.00"), Decimal("2.00")]),
    "wide decimals": (pa.decimal256(50, 0), [Decimal(BIG), Decimal(BIG + 1)]),
    "uint64": (pa.uint64(), [2**63, 2**63 + 1]),
    "int64": (pa.int64(), [-BIG - 1, -BIG]),
    "booleans": (pa.bool_(), [False, True]),
    "text": (pa.string(), ["01", "1"]),
    "float32": (pa.float32(), [0.0, 1.0]),
    "times": (pa.timestamp("us"), [DAY, NEXT]),
    "nanoseconds": (pa.timestamp("ns"), [DAY, NEXT]),
    "durations": (pa.duration("us"), [dt.timedelta(1), dt.timedelta(2)]),
}
X = np.array([[0.0], [1.0], [5.0], [7.0]])


def labels_in_memory(column, case):
    """Yield the labels as each library holds them."""
    yield "pyarrow", column
    yield "pandas", column.to_pandas()
    yield "arrow in pandas", column.to_pandas(types_mapper=pd.ArrowDtype)
    yield "pairs", None
    if case != "wide decimals":  # which polars has not
        yield "polars", pl.from_arrow(column)


@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("case", PAIRS)
def test_labels_that_differ_stay_apart_in_streams_and_in_memory(case, encoded):
    kind, (first, second) = PAIRS[case]
    column = pa.array([first, first, second, second], kind)
    plain = np.array([int(v) for v in (first, second)]) if "decimals" in case else None
    expected = column.to_numpy(zero_copy_only=False)[[0, 2]] if plain is None else plain
    if encoded:
        column = column.dictionary_encode()
    table = pa.table({"x": X[:, 0], "y": column})
    for batch_rows in (2, 1000):
        got = gauda.Moments.from_stream(table, target="y", batch_rows=batch_rows)
        assert got.classes.tolist() == expected.tolist()
        assert got.counts.tolist() == [2, 2]
    for library, y in labels_in_memory(column, case):
        if library == "pairs":
            got = gauda.Moments.from_stream([(X[:2], column[:2]), (X[2:], column[2:])])
        else:
            got = gauda.Moments.from_data(X, y)
        assert got.classes.tolist() == expected.tolist(), library


@pytest.mark.parametrize("dtype", ["Int64", "UInt64", "int64[pyarrow]", "uint64[pyarrow]"])
@pytest.mark.parametrize(
    "model", [gauda.GaussianNB, gauda.QDA, gauda.LDA, gauda.RegularizedDiscriminantAnalysis]
)
def test_large_labels_of_nullable_columns_stay_apart(model, dtype):
    y = pd.Series([BIG, BIG, BIG + 1, BIG + 1], dtype=dtype)
    assert model().fit(X, y).classes_.tolist() == [BIG, BIG + 1]
    assert model().fit(X, y.to_frame().iloc[:, 0]).classes_.tolist() == [BIG, BIG + 1]
    batches = model().partial_fit(X[:2], y[:2], classes=y.unique()).partial_fit(X[2:], y[2:])
    assert batches.classes_.tolist() == [BIG, BIG + 1]


@pytest.mark.parametrize("model", [gauda.BernoulliNB, gauda.CategoricalNB, gauda.MixedNB])
def test_large_labels_stay_apart_in_discrete_models(model):
    rows = np.array([[0], [1], [1], [0]])
    y = pd.Series([BIG, BIG, BIG + 1, BIG + 1], dtype="Int64")
    assert model().fit(rows, y).classes_.tolist() == [BIG, BIG + 1]
    assert model().partial_fit(rows, y, classes=y.unique()).classes_.tolist() == [BIG, BIG + 1]


UTC = pa.array([DAY, DAY, NEXT, NEXT], pa.timestamp("us", "Europe/Oslo"))
REFUSED = {
    "zone": (UTC, "times without a zone.*Oslo.*to text"),
    "zone of categories": (UTC.dictionary_encode(), "times without a zone.*Oslo.*to text"),
    "fractions": (pa.array([Decimal("1.5")] * 4), "Decimal labels must be integers.*got 1.5"),
    "too large": (pa.array([Decimal(10**20)] * 4), "Decimal labels must be integers.*got 1000"),
    "missing": (pa.array(["a", None, "b", "b"]), "missing at row 1|row 1 is missing"),
    "missing code": (
        pa.array(["a", None, "b", "b"]).dictionary_encode(),
        "missing at row 1|row 1 is missing",
    ),
    "bytes": (pa.array([b"a", b"b"] * 2, pa.binary_view()), "cannot be labels|bytes"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_labels_that_cannot_be_are_refused_in_streams_and_in_memory(case):
    column, words = REFUSED[case]
    table = pa.table({"x": X[:, 0], "y": column})
    with pytest.raises((ValueError, TypeError), match=words):
        gauda.Moments.from_stream(table, target="y")
    with pytest.raises((ValueError, TypeError), match=words):
        gauda.Moments.from_data(X, column)


def test_zone_of_labels_is_not_dropped_by_pandas_and_polars():
    zoned = pd.Series([DAY, DAY, NEXT, NEXT]).dt.tz_localize("Europe/Oslo")
    for y in (
        zoned,
        zoned.astype("category"),
        pl.Series(zoned),
        zoned.astype(pd.ArrowDtype(UTC.type)),
    ):
        with pytest.raises(ValueError, match=r"without a zone.*Europe/Oslo"):
            gauda.QDA().fit(X, y)


# Labels whose types differ from batch to batch, or within a list

KINDS_OF_LABELS = {
    "text": ["a", "1"],
    "integers": [BIG, BIG + 1, 1],
    "doubles": [1.0, 2.0],
    "large": np.array([2**63 + 1, 2**63 + 2], dtype=np.uint64),
    "small": np.array([1, 2], dtype=np.int8),
    "booleans": [True, False],
}


@pytest.mark.parametrize("second", KINDS_OF_LABELS)
@pytest.mark.parametrize("first", KINDS_OF_LABELS)
def test_labels_of_batches_are_joined_alike_whatever_the_size_of_batches(first, second):
    pair = KINDS_OF_LABELS[first], KINDS_OF_LABELS[second]
    items = [(np.arange(float(len(labels)))[:, np.newaxis], labels) for labels in pair]
    distinct = {label for labels in pair for label in np.asarray(labels).tolist()}
    outcomes = []
    for batch_rows in (1, 3, 1000):
        try:
            moments = gauda.Moments.from_stream(items, batch_rows=batch_rows)
        except ValueError as refusal:
            outcomes.append(str(refusal).partition(":")[0])
        else:
            assert set(moments.classes.tolist()) == distinct
            outcomes.append((moments.classes.tolist(), moments.counts.tolist()))
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_files_of_a_folder_may_not_merge_labels(tmp_path):
    pq.write_table(pa.table({"x": [1.0, 2.0], "y": [BIG, BIG + 1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"x": [3.0, 4.0], "y": [1.0, 2.0]}), tmp_path / "b.parquet")
    for batch_rows in (1, None):
        with pytest.raises(ValueError, match="does not hold all of them exactly"):
            gauda.Moments.from_stream(tmp_path, target="y", batch_rows=batch_rows)


@settings(max_examples=200, deadline=None)
@given(labels=st.lists(st.integers(-(2**65), 2**65) | st.integers(0, 3), min_size=2, unique=True))
def test_integers_of_a_list_stay_apart_or_are_refused(labels):
    y = [label for label in labels for _ in range(2)]
    rows = np.arange(float(len(y)))[:, np.newaxis]
    if min(labels) >= -(2**63) and max(labels) < (2**64 if min(labels) >= 0 else 2**63):
        assert gauda.GaussianNB().fit(rows, y).classes_.tolist() == sorted(labels)
        assert gauda.Moments.from_stream([(rows, y)]).classes.tolist() == sorted(labels)
    else:
        with pytest.raises(ValueError, match="Integer labels must fit into 64 bits"):
            gauda.GaussianNB().fit(rows, y)


def test_integers_beside_a_decimal_point_must_be_exact():
    with pytest.raises(ValueError, match=f"integers up to .*; got {BIG + 1}"):
        gauda.GaussianNB().fit(X, [BIG, BIG + 1, 1.0, 2.0])
    assert gauda.GaussianNB().fit(X, [1, 1, 2.0, 2.0]).classes_.tolist() == [1.0, 2.0]


# Columns that are carried along


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_text_of_polars_is_kept_in_csv_files(tmp_path, ending):
    text = ["u", None, "v,w", "u"]
    frame = pl.DataFrame({"x": X[:, 0], "t": text})
    frame = frame.with_columns(c=frame["t"].cast(pl.Categorical))
    model = gauda.GaussianNB().fit(frame[["x"]], ["a", "a", "b", "b"])
    path = tmp_path / f"out.{ending}"
    model.predict_stream(frame, path, keep=["t", "c"])
    got = pl.read_csv(path, separator="," if ending == "csv" else "\t")
    assert got["t"].to_list() == got["c"].to_list() == text


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_column_that_a_format_cannot_hold_is_named(tmp_path, ending):
    table = pa.table({"x": X[:, 0], "pair": [[1, 2]] * 4})
    model = gauda.GaussianNB().fit(table.select(["x"]), ["a", "a", "b", "b"])
    with pytest.raises(ValueError, match=f"'pair' must have a type that .{ending} files can hold"):
        model.predict_stream(table, tmp_path / f"out.{ending}", keep=["pair"])
    assert list(tmp_path.iterdir()) == []
    assert model.predict_stream(table, tmp_path / "out.parquet", keep=["pair"]) == 4


NOT_NUMBERS = {
    "list": [1],
    "dict": {"a": 1},
    "Period": pd.Period("2026"),
    "Interval": pd.Interval(0, 1),
    "object": object(),
    "text": "{braces}",
}


@pytest.mark.parametrize("kind", NOT_NUMBERS)
@pytest.mark.parametrize("model", [gauda.GaussianNB, gauda.QDA, gauda.LDA])
def test_entry_that_is_not_a_number_is_named(model, kind):
    frame = pd.DataFrame({"x": X[:, 0], "o": [1, NOT_NUMBERS[kind], 2, 3]})
    error = ValueError if kind == "text" else TypeError
    with pytest.raises(error, match=rf"Column 'o' of X holds {kind}, such as .* at row 1"):
        model().fit(frame, [0, 0, 1, 1])
