"""Shared fixtures: all models, the data sets and the exact answers kept in tests/reference."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, settings
from matplotlib import pyplot as plt
from models import MODELS
from references import read_data, read_json, read_oracle, read_table
from support import MODELS as TWINS

# The same examples on every run, on a machine of any speed.
settings.register_profile(
    "gauda",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("gauda")

# The helpers hold assertions too: show what differs.
pytest.register_assert_rewrite("parity", "shell_runs")


@pytest.fixture(params=MODELS)
def name(request):
    """Name each model of the list of all."""
    return request.param


@pytest.fixture(params=TWINS)
def twin(request):
    """Name each of scikit-learn's models of numbers."""
    return request.param


@pytest.fixture
def entry(name):
    """Give each model of the list of all, with rows that suit it."""
    return MODELS[name]


@pytest.fixture(scope="session")
def load_data():
    """Give a function: name -> (X, y), as in load_data("iris")."""
    return read_data


@pytest.fixture(scope="session")
def load_column():
    """Give a function: path -> the first column in float64, as in load_column("nist/Lew")."""
    return lambda path: np.array([row[0] for row in read_table(path)[1]], dtype=np.float64)


@pytest.fixture(scope="session")
def load_json():
    """Give a function: path -> decoded JSON, as in load_json("nist/certified")."""
    return read_json


@pytest.fixture(scope="session")
def load_oracle():
    """Give a function: (data set, model) -> exact answers, as in load_oracle("iris", "qda_ml")."""
    return read_oracle


@pytest.fixture
def iris():
    """Give Fisher's iris: X of shape (150, 4) and the species names."""
    return read_data("iris")


@pytest.fixture
def closed_figures():
    """Draw without a screen, and close what a test has drawn."""
    plt.switch_backend("agg")
    yield
    plt.close("all")


@pytest.fixture
def folder(tmp_path, monkeypatch, iris):
    """Work in a folder with iris: whole, in two parts, and as CSV and Arrow files."""
    monkeypatch.chdir(tmp_path)
    X, y = iris
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(y=y)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pa.parquet.write_table(table, "data.parquet")
    pa.parquet.write_table(table[::2], "even.parquet")
    pa.parquet.write_table(table[1::2], "odd.parquet")
    pa.csv.write_csv(table, "data.csv")
    pa.feather.write_feather(table, "data.arrow")
    return tmp_path
