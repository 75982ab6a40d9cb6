"""Streams of every model's rows are scored as the rows are, whatever holds them."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from models import MODELS, named

from gauda import MixedNB
from gauda._support.errors import UnknownCategoryError

N = 200
OUTPUTS = ["label", "proba"]


def parquet(frame, folder):
    frame.to_parquet(folder / "in.parquet", row_group_size=37)
    return folder / "in.parquet"


def csv(frame, folder):
    frame.to_csv(folder / "in.csv", index=False)
    return folder / "in.csv"


def json(frame, folder):
    pl.from_pandas(frame).write_ndjson(folder / "in.jsonl")
    return folder / "in.jsonl"


def feather(frame, folder):
    pyarrow.feather.write_feather(pa.Table.from_pandas(frame), folder / "in.feather")
    return folder / "in.feather"


@pytest.mark.parametrize("write", [parquet, csv, json, feather])
@pytest.mark.parametrize("name", MODELS)
def test_answers_are_those_of_the_methods(name, write, tmp_path):
    entry = MODELS[name]
    X, y = entry.data(N)
    frame = named(X)
    model = entry.make().fit(frame, y)
    table = frame[frame.columns[::-1]].assign(id=np.arange(N), y=y)
    out = tmp_path / "out.parquet"
    densities = ["log_density"] * hasattr(model, "score_samples")
    source, outputs = write(table, tmp_path), [*OUTPUTS, *densities]
    assert model.predict_stream(source, out, outputs, keep=["id"], batch_rows=64) == N
    written = pq.read_table(out)
    np.testing.assert_array_equal(written["id"], np.arange(N))
    np.testing.assert_array_equal(written["label"], model.predict(frame))
    posteriors = [written[f"proba_{label}"] for label in model.classes_]
    np.testing.assert_allclose(np.transpose(posteriors), model.predict_proba(frame), rtol=1e-13)
    if densities:
        np.testing.assert_allclose(written["log_density"], model.score_samples(frame), rtol=1e-13)


@pytest.mark.parametrize("name", MODELS)
def test_model_without_names_takes_all_columns_that_are_not_excluded(name, tmp_path):
    entry = MODELS[name]
    X, y = entry.data(N)
    model = entry.make().fit(np.asarray(X, dtype=object if name == "MixedNB" else None), y)
    table = named(X).assign(id=np.arange(N), y=y)
    model.predict_stream(table, tmp_path / "out.parquet", exclude=["id", "y"])
    np.testing.assert_array_equal(
        pq.read_table(tmp_path / "out.parquet")["label"],
        model.predict(np.asarray(X, dtype=object if name == "MixedNB" else None)),
    )


def test_feature_of_the_fit_cannot_be_excluded(tmp_path):
    X, y = MODELS["MixedNB"].data(N)
    pq.write_table(pa.Table.from_pandas(X), tmp_path / "in.parquet")
    model = MixedNB().fit(X, y)
    with pytest.raises(ValueError, match="'size' is a feature of the model and must not be exclu"):
        model.predict_stream(tmp_path / "in.parquet", tmp_path / "out.csv", exclude=["size"])
    assert not (tmp_path / "out.csv").exists()


def test_levels_of_text_that_look_like_numbers_stay_text(tmp_path):
    train = pd.DataFrame({"code": ["1", "01", "x"] * 8, "size": np.arange(24.0) % 8})
    model = MixedNB().fit(train, ["u", "v", "w"] * 8)
    (tmp_path / "in.csv").write_text("size,code\n4,01\n4,1\n4,x\n4,\n")
    (tmp_path / "in.jsonl").write_text('{"size": 4, "code": null}\n' * 2)
    assert model.predict_stream(tmp_path / "in.csv", tmp_path / "out.parquet") == 4
    labels = pq.read_table(tmp_path / "out.parquet")["label"]
    assert labels.to_pylist()[:3] == ["v", "u", "w"]
    assert model.predict_stream(tmp_path / "in.jsonl", tmp_path / "out.parquet") == 2


def test_unknown_level_is_named_by_its_row_in_the_stream(tmp_path):
    X, y = MODELS["MixedNB"].data(N)
    model = MixedNB().fit(X, y)
    X.loc[150, "size"] = "huge"
    with pytest.raises(UnknownCategoryError, match="'huge' at row 150, column 'size'"):
        model.predict_stream(X, tmp_path / "out.csv", batch_rows=64)
    assert list(tmp_path.iterdir()) == []
    model.set_params(handle_unknown="ignore")
    assert model.predict_stream(X, tmp_path / "out.csv", batch_rows=64) == N


def batches_of_dictionaries(index_type):
    """Yield batches whose dictionaries have no entry in common, and their levels."""
    for part in range(4):
        levels = pa.array([f"level {part} {level}" for level in range(100)])
        codes = pa.array(list(range(100)) * 3, index_type)
        column = pa.DictionaryArray.from_arrays(codes, levels)
        yield pa.record_batch({"level": column, "y": ["p", "q", "q"] * 100})


@pytest.mark.parametrize("index_type", [pa.int8(), pa.uint8(), pa.int16(), pa.int64()])
@pytest.mark.parametrize("batch_rows", [None, 64])
def test_dictionaries_may_differ_between_batches(index_type, batch_rows, tmp_path):
    batches = list(batches_of_dictionaries(index_type))

    def reader():
        return pa.RecordBatchReader.from_batches(batches[0].schema, batches)

    model = MixedNB().fit_stream(reader(), target="y", batch_rows=batch_rows)
    text = pa.schema({"level": pa.string(), "y": pa.string()})
    table = pa.Table.from_batches(batches).cast(text).to_pandas()
    whole = MixedNB().fit(table[["level"]], table["y"])
    assert model.categories_ == whole.categories_
    np.testing.assert_array_equal(model.category_count_[0], whole.category_count_[0])
    model.predict_stream(reader(), tmp_path / "out.parquet", batch_rows=batch_rows)
    labels = pq.read_table(tmp_path / "out.parquet")["label"]
    np.testing.assert_array_equal(labels, whole.predict(table[["level"]]))
