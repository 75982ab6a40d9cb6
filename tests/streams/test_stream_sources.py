"""Every kind of source gives the moments of its rows, whatever the size of its batches."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from gauda import Moments
from gauda._statistics.stream_sums import labeled_batches
from gauda._streams.batches import Request
from gauda._streams.sources import open_source

N, D = 1000, 4
NAMES = [f"x{place}" for place in range(D)]
SPECIES = np.array(["oak", "elm", "ash"])


class Rows:
    """Rows of three classes with weights, as arrays and as a table."""

    def __init__(self):
        random = np.random.default_rng(5)
        self.y = random.integers(3, size=N)
        self.species = SPECIES[self.y]
        self.X = random.standard_normal((N, D)) + 2 * self.y[:, np.newaxis]
        self.weights = random.uniform(0, 2, size=N)
        columns = dict(zip(NAMES, self.X.T, strict=True))
        self.table = pa.table({"y": self.species, **columns, "w": self.weights})

    def moments(self, **parameters):
        return Moments.from_data(self.X, self.species, **parameters)

    def chunks(self, rows):
        return pa.Table.from_batches(self.table.to_batches(max_chunksize=rows))


@pytest.fixture(scope="module")
def rows():
    return Rows()


def parquet(table, folder):
    pq.write_table(table, folder / "rows.parquet", row_group_size=300)
    return folder / "rows.parquet"


def parquet_folder(table, folder):
    for place in range(3):
        pq.write_table(table.slice(400 * place, 400), folder / f"{place}.parquet")
    return str(folder)


def hive_folder(table, folder):
    pq.write_to_dataset(table, folder / "hive", partition_cols=["y"])
    return folder / "hive"


def csv_file(table, folder):
    pa.csv.write_csv(table, folder / "rows.csv")
    return folder / "rows.csv"


def compressed_csv(table, folder):
    with pa.CompressedOutputStream(str(folder / "rows.csv.gz"), "gzip") as file:
        pa.csv.write_csv(table, file)
    return folder / "rows.csv.gz"


def arrow_file(table, folder):
    pa.feather.write_feather(table, str(folder / "rows.arrow"), chunksize=300)
    return folder / "rows.arrow"


def duckdb_relation(table, folder):  # noqa: ARG001
    return duckdb.from_arrow(table)


SOURCES = {
    "parquet file": parquet,
    "folder of parquet files": parquet_folder,
    "hive folder": hive_folder,
    "csv": csv_file,
    "compressed csv": compressed_csv,
    "arrow file": arrow_file,
    "pyarrow Table": lambda table, _: table,
    "pyarrow reader": lambda table, _: table.to_reader(max_chunksize=7),
    "polars": lambda table, _: pl.from_arrow(table),
    "pandas": lambda table, _: table.to_pandas(),
    "duckdb": duckdb_relation,
    "pyarrow dataset": lambda table, folder: pyarrow.dataset.dataset([parquet(table, folder)]),
}


def assert_alike(found, expected):
    assert list(found.classes) == list(expected.classes)
    for name in ("counts", "means", "scatter"):
        whole = getattr(expected, name)
        scale = np.abs(whole).max()
        np.testing.assert_allclose(getattr(found, name), whole, rtol=1e-12, atol=1e-13 * scale)


@pytest.mark.parametrize("batch_rows", [None, 1, 64, 5000])
@pytest.mark.parametrize("kind", SOURCES)
def test_tables_give_the_moments_of_their_rows(kind, batch_rows, rows, tmp_path):
    source = SOURCES[kind](rows.table, tmp_path)
    found = Moments.from_stream(source, target="y", features=NAMES, batch_rows=batch_rows)
    assert_alike(found, rows.moments())
    assert list(found.feature_names) == NAMES


@pytest.mark.parametrize("kind", SOURCES)
def test_tables_give_weights(kind, rows, tmp_path):
    source = SOURCES[kind](rows.table, tmp_path)
    found = Moments.from_stream(source, target="y", sample_weight="w", batch_rows=128)
    assert_alike(found, rows.moments(sample_weight=rows.weights))


@pytest.mark.parametrize("structure", ["full", "tied", "diag"])
def test_every_structure_is_summed_up(structure, rows):
    found = Moments.from_stream(
        rows.table, target="y", features=NAMES, structure=structure, batch_rows=99
    )
    assert_alike(found, rows.moments(structure=structure))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("batch_rows", [None, 64])
def test_npy_file_holds_rows_and_labels(order, batch_rows, rows, tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, np.asarray(np.column_stack([rows.X, rows.y]), order=order))
    found = Moments.from_stream(path, target=-1, batch_rows=batch_rows)
    assert_alike(found, Moments.from_data(rows.X, rows.y))


def test_npy_file_has_labels_and_weights_in_files_of_their_own(rows, tmp_path):
    paths = [tmp_path / f"{name}.npy" for name in ("X", "y", "w")]
    for path, array in zip(paths, [rows.X, rows.y, rows.weights], strict=True):
        np.save(path, array)
    X, y, w = paths
    found = Moments.from_stream(X, target=y, sample_weight=str(w), batch_rows=64)
    assert_alike(found, Moments.from_data(rows.X, rows.y, rows.weights))


def test_memory_map_takes_labels_as_an_array(rows, tmp_path):
    mapped = np.memmap(tmp_path / "rows.raw", dtype=np.float64, mode="w+", shape=rows.X.shape)
    mapped[:] = rows.X
    assert_alike(Moments.from_stream(mapped, target=rows.species, batch_rows=64), rows.moments())


def test_columns_of_an_array_are_chosen_by_index(rows):
    found = Moments.from_stream(rows.X, target=rows.species, features=[3, 1])
    assert_alike(found, rows.moments().select([3, 1]))


def test_iterable_of_single_rows_is_the_whole(rows):
    items = ((rows.X[[row]], rows.species[[row]]) for row in range(N))
    assert_alike(Moments.from_stream(items), rows.moments())


def test_iterable_gives_weights_now_and_then(rows):
    weights = np.concatenate([rows.weights[:500], np.ones(500)])
    half = slice(0, 500), slice(500, N)
    items = [
        (rows.X[half[0]], rows.species[half[0]], rows.weights[half[0]]),
        (rows.X[half[1]], rows.species[half[1]]),
    ]
    assert_alike(Moments.from_stream(items), rows.moments(sample_weight=weights))


def test_iterable_of_data_frames_has_names(rows):
    frame = pd.DataFrame(rows.X, columns=NAMES)
    found = Moments.from_stream(
        (frame[a : a + 300], rows.species[a : a + 300]) for a in range(0, N, 300)
    )
    assert list(found.feature_names) == NAMES
    assert_alike(found, rows.moments())


def test_small_pieces_are_gathered():
    given = [([[1.0]], [0]) for _ in range(100)]
    request = Request(batch_rows=30)
    batches = labeled_batches(given, request, "Moments", n_threads=None, progress=False)
    assert [len(batch.rows) for batch in batches] == [30, 30, 30, 10]


@pytest.mark.parametrize(
    "labels",
    [
        pa.array(SPECIES[[0, 1, 2, 0]]),
        pa.array(SPECIES[[0, 1, 2, 0]]).dictionary_encode(),
        pa.array(SPECIES[[0, 1, 2, 0]]).cast(pa.large_string()),
        pa.array(SPECIES[[0, 1, 2, 0]]).cast(pa.string_view()),
        pa.array([5, 1, 7, 5], pa.int16()),
        pa.array([5, 1, 7, 5], pa.int64()).dictionary_encode(),
        pa.array([True, False, True, True]),
        pa.array([5.0, 1.0, 7.0, 5.0]),
    ],
    ids=lambda labels: str(labels.type),
)
def test_labels_of_every_type_are_classes(labels):
    table = pa.table({"x": [1.0, 2.0, 4.0, 8.0], "y": labels})
    found = Moments.from_stream(table, target="y")
    assert found.classes.tolist() == sorted(set(labels.to_pylist()))
    means = [
        np.mean([x for x, y in zip([1, 2, 4, 8], labels.to_pylist(), strict=True) if y == label])
        for label in found.classes.tolist()
    ]
    np.testing.assert_array_equal(found.means.ravel(), means)


def test_entries_of_a_dictionary_that_no_row_uses_are_no_classes():
    labels = pa.DictionaryArray.from_arrays([2, 0, 2], ["b", "never", "a"])
    found = Moments.from_stream(pa.table({"x": [1.0, 2.0, 3.0], "y": labels}), target="y")
    assert found.classes.tolist() == ["a", "b"]
    assert found.means.ravel().tolist() == [2.0, 2.0]


def test_dictionaries_may_differ_between_chunks():
    chunks = [pa.array(labels).dictionary_encode() for labels in (["a", "b"], ["c", "a"])]
    table = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": pa.chunked_array(chunks)})
    found = Moments.from_stream(table, target="y")
    assert found.classes.tolist() == ["a", "b", "c"]
    assert found.means.ravel().tolist() == [2.5, 2.0, 3.0]


@pytest.mark.parametrize("index", ["id", None])
@pytest.mark.parametrize("stored", [True, False])
def test_index_of_a_data_frame_is_no_feature(stored, index, tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [0, 1]}, index=pd.Index([5, 9], name=index))
    frame.to_parquet(tmp_path / "rows.parquet")
    source = tmp_path if stored else frame
    assert list(Moments.from_stream(source, target="y").feature_names) == ["x"]


def test_classes_that_were_announced_need_not_appear():
    found = Moments.from_stream([([[1.0]], [3])], classes=[5, 3])
    assert found.classes.tolist() == [3, 5]
    assert found.counts.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("types", "dtype"),
    [
        ([pa.int16(), pa.int16()], np.int16),
        ([pa.uint8(), pa.uint8()], np.uint8),
        ([pa.float32(), pa.float32()], np.float32),
        ([pa.float32(), pa.float64()], np.float64),
        ([pa.int64(), pa.float32()], np.float64),
        ([pa.float16(), pa.float16()], np.float32),
        ([pa.decimal128(12, 2), pa.decimal128(12, 2)], np.float64),
    ],
    ids=str,
)
def test_numbers_come_in_the_type_that_numpy_gives_them(types, dtype):
    columns = [pa.array([1, 2], pa.int32()).cast(kind) for kind in types]
    table = pa.table({"a": columns[0], "b": columns[1], "y": [0, 1]})
    request = Request("y")
    (batch,) = open_source(table, request).batches
    assert batch.X.dtype == dtype
    assert batch.X.tolist() == [[1, 1], [2, 2]]


def test_files_of_a_folder_may_differ_in_number_type(tmp_path):
    pq.write_table(pa.table({"x": [1, 3], "y": [0, 0]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"x": [2.5], "y": [1]}), tmp_path / "b.parquet")
    assert Moments.from_stream(tmp_path, target="y").means.ravel().tolist() == [2.0, 2.5]


def test_integers_of_csv_may_turn_into_fractions_after_megabytes(tmp_path):
    lines = ["x,y", *["1,0"] * 400_000, "2.5,1"]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines))
    assert Moments.from_stream(path, target="y").means.ravel().tolist() == [1.0, 2.5]


def test_file_without_rows_gives_moments_of_nothing(rows, tmp_path):
    nothing = Moments.from_stream(
        parquet(rows.table.slice(0, 0), tmp_path), target="y", features=NAMES
    )
    assert nothing.n_rows == 0
    assert_alike(nothing + rows.moments(), rows.moments())


def test_batch_without_weight_adds_nothing():
    items = [([[1.0]], [0], [0.0]), ([[2.0]], [0], [3.0])]
    assert Moments.from_stream(items, batch_rows=1).means.ravel().tolist() == [2.0]


def test_file_of_arrows_stream_format_is_read(rows, tmp_path):
    path = tmp_path / "rows.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, rows.table.schema) as writer:
        writer.write_table(rows.table, max_chunksize=300)
    got = Moments.from_stream(path, target="y", features=NAMES)
    np.testing.assert_allclose(got.scatter, rows.moments().scatter, rtol=1e-12, atol=1e-12)


def test_name_of_a_file_may_look_like_an_address(rows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(rows.table, tmp_path / "s3:rows.parquet")
    assert Moments.from_stream("s3:rows.parquet", target="y").n_rows == N


def test_csv_file_of_a_header_alone_has_no_rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n")
    assert Moments.from_stream(path, target="y").n_rows == 0


def test_csv_file_may_hold_weights_that_look_like_integers_at_first(tmp_path):
    path = tmp_path / "rows.csv"
    n = 300_000  # more than pyarrow looks at
    path.write_text("x,w,y\n" + "1,1,a\n" * n + "2,0.5,a\n")
    assert Moments.from_stream(path, target="y", sample_weight="w").counts.tolist() == [n + 0.5]


def test_csv_file_may_hold_booleans_as_features(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\ntrue,a\nfalse,a\n")
    assert Moments.from_stream(path, target="y").means.tolist() == [[0.5]]


def test_numbers_may_be_dictionary_encoded():
    table = pa.table({"x": pa.array([1.5, 2.5, 1.5]).dictionary_encode(), "y": [0, 1, 0]})
    assert Moments.from_stream(table, target="y").means.tolist() == [[1.5], [2.5]]


def test_booleans_may_be_dictionary_encoded_labels():
    labels = pa.array([True, False, True]).dictionary_encode()
    got = Moments.from_stream(pa.table({"x": [1.0, 2.0, 3.0], "y": labels}), target="y")
    assert got.classes.tolist() == [False, True]
    assert got.means.tolist() == [[2.0], [2.0]]


def test_single_feature_need_not_be_in_a_list(rows):
    assert list(Moments.from_stream(rows.table, target="y", features="x1").feature_names) == ["x1"]
