"""Shared fixtures: the data sets and the exact answers kept in tests/reference."""

import csv
import gzip
import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from matplotlib import pyplot as plt

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

REFERENCE = Path(__file__).parent / "reference"


@cache
def read_table(path):
    """Read reference/<path>.csv, compressed or not: column names and a list of rows of strings."""
    plain = REFERENCE / f"{path}.csv"
    opener = open if plain.exists() else gzip.open
    with opener(plain if plain.exists() else REFERENCE / f"{path}.csv.gz", "rt") as file:
        header, *rows = csv.reader(file)
    return header, rows


def read_data(name, folder="data"):
    """Read a labelled data set whose last column is the class: X (float64) and y (strings)."""
    _, rows = read_table(f"{folder}/{name}")
    X = np.array([row[:-1] for row in rows], dtype=np.float64)
    y = np.array([row[-1] for row in rows])
    return X, y


@cache
def read_json(path):
    """Read reference/<path>.json."""
    return json.loads((REFERENCE / f"{path}.json").read_text())


def read_oracle(dataset, model):
    """Read the exact answers of one model on its own training data, rounded to float64."""
    _, rows = read_table(f"exact/{dataset}/{model}")
    values = np.array(rows, dtype=np.float64)
    fitted = read_json(f"exact/{dataset}/{model}")
    return SimpleNamespace(
        log_posterior=values[:, :-1],
        log_density=values[:, -1],
        classes=np.array(fitted["classes"]),
        priors=np.array(fitted["prior"], dtype=np.float64),
        means=np.array(fitted["means"], dtype=np.float64),
        covariances=np.array(fitted["cov"], dtype=np.float64),  # one only if pooled
        log_determinants=np.array(fitted["logdet"], dtype=np.float64),
    )


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
