"""The data sets and the exact answers kept in tests/reference."""

import csv
import gzip
import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np

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
    """Read a labeled data set whose last column is the class: X (float64) and y (strings)."""
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
