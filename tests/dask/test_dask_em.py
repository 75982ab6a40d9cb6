"""EM on partitions of Dask: the estimates of all rows in memory, however rows lie in partitions."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask_data import as_array, with_empty_partitions
from models import GAUSSIAN, MODELS, STEPWISE
from support import note_calls

import gauda
import gauda.dask
from gauda._cluster import em

pytestmark = pytest.mark.usefixtures("in_this_thread")

ESTIMATED = [name for name in GAUSSIAN if name in STEPWISE]


@pytest.fixture
def in_this_thread():
    """Run tasks one after another, where errors are raised as they are."""
    with dask.config.set(scheduler="sync"):
        yield


@pytest.fixture
def passes(monkeypatch):
    """Return a list that grows each time that the rows of a partition are read for EM."""
    return note_calls(monkeypatch, em, "expected_of")


def with_gaps(name, n=240):
    """Return rows of which a seventh of the entries are missing, but none of the first 40."""
    X, y = MODELS[name].data(n)
    hidden = np.random.default_rng(5).random(X.shape) < 1 / 7
    hidden[:40] = False
    X[hidden] = np.nan
    return X, y


def same_model(found, expected, X):
    """Compare what two models say of rows, and how EM went."""
    np.testing.assert_array_equal(found.classes_, expected.classes_)
    np.testing.assert_allclose(found.moments_.means, expected.moments_.means, rtol=1e-10)
    scatter = expected.moments_.scatter
    size = np.abs(scatter).max()
    np.testing.assert_allclose(found.moments_.scatter, scatter, rtol=1e-10, atol=1e-10 * size)
    posteriors = expected.predict_log_proba(X)
    np.testing.assert_allclose(found.predict_log_proba(X), posteriors, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ESTIMATED)
def test_estimates_are_those_of_the_rows_in_memory(name):
    X, y = with_gaps(name)
    found = gauda.dask.fit(MODELS[name].make(missing="marginalize"), as_array(X), y)
    same_model(found, MODELS[name].make(missing="marginalize").fit(X, y), X)


@pytest.mark.parametrize("name", ESTIMATED)
def test_weights_count_and_partitions_may_be_empty(name):
    X, y = with_gaps(name)
    order = np.argsort(y, kind="stable")  # partitions lack classes
    X, y = X[order], y[order]
    weights = np.random.default_rng(1).uniform(0.5, 2, len(y))
    weights[40:80] = 0  # a whole partition
    frame = pd.DataFrame({"species": y, "weight": weights, **dict(zip("abc", X.T, strict=True))})
    parts = with_empty_partitions(dd.from_pandas(frame, npartitions=6, sort=False))
    found = gauda.dask.fit(MODELS[name].make(missing="marginalize"), parts, "species", "weight")
    rows = frame[list("abc")]
    same_model(found, MODELS[name].make(missing="marginalize").fit(rows, y, weights), rows)


@pytest.mark.parametrize("name", ESTIMATED)
def test_without_gaps_sums_are_those_of_a_plain_fit(name):
    X, y = MODELS[name].data(200)
    found = gauda.dask.fit(MODELS[name].make(missing="marginalize"), as_array(X), y)
    plain = gauda.dask.fit(MODELS[name].make(), as_array(X), y)
    np.testing.assert_array_equal(found.predict_log_proba(X), plain.predict_log_proba(X))


def test_few_patterns_of_gaps_take_one_more_pass(passes):
    X, y = with_gaps("QDA")
    found = gauda.dask.fit(gauda.QDA(missing="marginalize"), as_array(X), y)
    assert found.n_iter_ > 1
    assert len(passes) == as_array(X).numblocks[0]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sums_above_8_mb_take_a_pass_for_each_iteration(passes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12_000, 120))
    y = np.arange(len(X)) % 2
    X[np.repeat(rng.random((240, 120)) < 0.1, 50, axis=0)] = np.nan  # 25 rows of a class alike
    options = {"missing": "marginalize", "em_max_iter": 2, "em_tol": 0}
    found = gauda.dask.fit(gauda.LDA(**options), da.from_array(X, chunks=(6_000, 120)), y)
    expected = gauda.LDA(**options).fit(X, y)
    assert len(passes) == 2 * 3  # at the start, and after each iteration
    np.testing.assert_allclose(found.means_, expected.means_, rtol=1e-10, atol=1e-12)


def test_faults_name_the_partition_and_the_row():
    X, y = with_gaps("QDA")
    X[130, 2] = np.inf
    with pytest.raises(ValueError, match=r"In partition 3: .*row 10\b"):
        gauda.dask.fit(gauda.QDA(missing="marginalize"), da.from_array(X, chunks=(40, 3)), y)


def test_a_column_that_is_never_seen_in_a_class_is_refused():
    X, y = with_gaps("QDA")
    X[np.asarray(y) == y[0], 1] = np.nan
    with pytest.raises(ValueError, match="never observed") as told:
        gauda.QDA(missing="marginalize").fit(X, y)
    with pytest.raises(ValueError, match="never observed") as found:
        gauda.dask.fit(gauda.QDA(missing="marginalize"), as_array(X), y)
    assert str(found.value) == str(told.value)


def test_estimates_that_take_complete_rows_are_refused():
    X, y = with_gaps("QDA")
    model = gauda.QDA(missing="marginalize", solver="eigen", shrinkage="auto")
    with pytest.raises(ValueError, match="takes complete rows"):
        gauda.dask.fit(model, as_array(X), y)


def test_cross_validation_takes_complete_rows():
    X, y = with_gaps("QDA")
    rows = da.from_array(X, chunks=(40, 3))  # the first is complete
    search = gauda.RegularizedDiscriminantAnalysisCV(cv=3, missing="marginalize")
    for call in (
        lambda: gauda.dask.fit(search, rows, y),
        lambda: gauda.dask.cross_validate(gauda.QDA(missing="marginalize"), rows, y),
    ):
        with pytest.raises(
            ValueError, match=r"In partition [1-5]: .*, and cross-validation on clusters"
        ):
            call()


def test_rows_that_change_between_passes_are_refused():
    X, y = with_gaps("QDA")
    calls = []

    def unstable(block):
        calls.append(1)
        return block if len(calls) <= 6 else np.vstack([block[:1]] * len(block))

    changing = da.from_array(X, chunks=(40, 3)).map_blocks(unstable, dtype=float, meta=X[:0])
    labels = np.array(y, dtype=object)
    weights = da.from_array(np.ones(len(y)), chunks=40).map_blocks(
        lambda part: part * (len(calls) <= 6), dtype=float, meta=np.ones(0)
    )
    with pytest.raises(ValueError, match="rows must be the same each time they are read"):
        gauda.dask.fit(gauda.QDA(missing="marginalize"), changing, labels, weights)
