"""Fits and answers with worker processes: the same bits, also when a worker dies meanwhile."""

import os
import signal
import time
from pathlib import Path

import dask.array as da
import numpy as np
import pytest
from dask.distributed import Client, LocalCluster
from models import MODELS
from support import PATIENCE

import gauda
import gauda.dask

CHUNK = 50


@pytest.fixture(scope="module")
def client():
    """Give a client of two workers in processes of their own."""
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            memory_limit=0,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def rows():
    X, y = MODELS["QDA"].data(1000)
    return X, y, da.from_array(X, chunks=(CHUNK, 3))


def test_workers_give_the_bits_of_one_thread(client, rows):
    X, y, collection = rows
    lazy = gauda.dask.moments(collection, y)
    assert client.compute(lazy).result() == lazy.compute(scheduler="sync")
    model = gauda.dask.fit(gauda.QDA(), collection, y)
    assert model.moments_ == lazy.compute(scheduler="sync")
    found = gauda.dask.predict_proba(model, collection).compute()
    np.testing.assert_array_equal(found, model.predict_proba(X))


def test_fits_with_the_same_parameters_are_told_apart(client, rows):
    X, y, collection = rows
    models = [gauda.QDA().fit(X[part], y[part]) for part in (slice(0, 500), slice(500, None))]
    held = [client.persist(gauda.dask.predict_proba(model, collection)) for model in models]
    for model, answers in zip(models, held, strict=True):
        np.testing.assert_array_equal(answers.compute(), model.predict_proba(X))


def count_threads():
    """Return how many threads a process has; those that fits take stay."""
    return len(list(Path("/proc/self/task").iterdir()))


def set_environment(values):
    """Set variables of a worker's own environment, or take them away."""
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def test_tasks_take_one_thread_unless_more_are_asked_for(client):
    X = da.random.default_rng(0).normal(size=(400_000, 3), chunks=(100_000, 3))
    y = (X[:, 0] > 0).astype(int)
    few = X[:100].rechunk((50, 3)), y[:100].rechunk(50)

    def fit_and_count(data, **environment):
        client.run(set_environment, environment)
        return gauda.dask.fit(gauda.QDA(), *data), client.run(count_threads)

    try:
        fit_and_count(few)  # starts what a worker needs
        _, before = fit_and_count(few)
        one, after = fit_and_count((X, y), OMP_NUM_THREADS="3")  # Dask itself sets it to 1
        assert after == before
        three, asked = fit_and_count((X, y), GAUDA_NUM_THREADS="3")
        assert any(asked[worker] > before[worker] for worker in before)
        assert one.moments_ == three.moments_
    finally:
        client.run(set_environment, {"GAUDA_NUM_THREADS": None, "OMP_NUM_THREADS": "1"})


def test_a_worker_that_dies_changes_no_bit(client, rows, tmp_path):
    _, y, collection = rows
    killed = tmp_path / "killed"

    def kill_once(block, block_info=None):
        first = block_info and block_info[0]["chunk-location"][0] == 3
        if first and not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    fragile = collection.map_blocks(kill_once, dtype=collection.dtype, meta=np.empty((0, 0)))
    found = gauda.dask.fit(gauda.QDA(), fragile, y)
    assert killed.exists()
    expected = gauda.dask.moments(collection, y).compute(scheduler="sync")
    assert found.moments_ == expected
    client.wait_for_workers(2, timeout=PATIENCE)


def test_a_task_that_runs_twice_changes_no_bit(client, rows, tmp_path):
    _, y, collection = rows

    def fail_once(block, block_info=None):
        mark = tmp_path / str(block_info[0]["chunk-location"][0]) if block_info else None
        if mark is not None and not mark.exists():
            mark.touch()
            time.sleep(0.001)
            raise OSError("the disk was busy")
        return block

    flaky = collection.map_blocks(fail_once, dtype=collection.dtype, meta=np.empty((0, 0)))
    lazy = gauda.dask.moments(flaky, y)
    found = client.compute(lazy, retries=2).result()
    assert found == gauda.dask.moments(collection, y).compute(scheduler="sync")
