"""What tests of the shell share."""

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from shell_runs import frame_of


@pytest.fixture
def folder(tmp_path, monkeypatch, iris):
    """Work in a folder with iris: whole, in two parts, and as CSV and Arrow files."""
    monkeypatch.chdir(tmp_path)
    frame = frame_of(*iris).drop(columns="id")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pa.parquet.write_table(table, "data.parquet")
    pa.parquet.write_table(table[::2], "even.parquet")
    pa.parquet.write_table(table[1::2], "odd.parquet")
    pa.csv.write_csv(table, "data.csv")
    pa.feather.write_feather(table, "data.arrow")
    return tmp_path
