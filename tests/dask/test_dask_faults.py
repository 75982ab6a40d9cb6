"""Partitions that do not go together are named; odd ones that do are taken."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from dask_data import as_array, as_frame
from models import GAUSSIAN, MODELS, STEPWISE, TEXT

import gauda
import gauda.dask
from gauda._cluster.tasks import in_one_thread

pytestmark = pytest.mark.usefixtures("in_this_thread")

CALLS = {
    "fit": lambda *data: gauda.dask.fit(gauda.QDA(), *data),
    "moments": lambda *data: gauda.dask.moments(*data).compute(),
    "cross_validate": lambda *data: gauda.dask.cross_validate(gauda.QDA(), *data, cv=2),
}


@pytest.fixture
def in_this_thread():
    """Run tasks one after another, where errors are raised as they are."""
    with dask.config.set(scheduler="sync"):
        yield


def frame_of(*parts):
    """Return frames as partitions, whatever Dask thinks of their columns."""
    delayed = [dask.delayed(part) for part in parts]
    return dd.from_delayed(delayed, meta=parts[0].iloc[:0], verify_meta=False)


@pytest.fixture
def table():
    X, y = MODELS["QDA"].data(120)
    return pd.DataFrame(X, columns=list("abc")).assign(species=y)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_widths_must_be_the_same(call, table):
    X = table[list("abc")].to_numpy()
    blocks = [
        da.from_delayed(dask.delayed(block), (40, 3), dtype=float)
        for block in (X[:40], X[40:80], X[80:, :2])
    ]
    with pytest.raises(ValueError, match=r"In partitions 0 to 1 and 2: .* 3 and 2 features"):
        call(da.concatenate(blocks), table["species"])
    narrow = frame_of(table[:60], table[60:].drop(columns="c"))
    with pytest.raises(ValueError, match=r"In partition 1: There is no column 'c'"):
        call(narrow, "species")


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_labels_must_be_of_one_kind(call, table):
    numbered = table.assign(species=np.arange(120) % 3)
    with pytest.raises(ValueError, match=r"In partitions 0 and 1: Text and numbers cannot be"):
        call(frame_of(table[:60], numbered[60:]), "species")


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_columns_of_nulls_are_named(call, table):
    with pytest.raises(ValueError, match=r"In partition 1: .*(null|NaN) at row 0, column 'b'"):
        call(frame_of(table[:60], table[60:].assign(b=None)), "species")
    with pytest.raises(ValueError, match=r"In partition 1: .*label of row 0 is missing"):
        call(frame_of(table[:60], table[60:].assign(species=None)), "species")


@pytest.mark.parametrize("name", [name for name in STEPWISE if name not in GAUSSIAN])
def test_faults_of_discrete_and_mixed_models_are_named_alike(name):
    X, y = MODELS[name].data(120)
    rows = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=list("abc"))
    table, first, last = rows.assign(species=y), rows.columns[0], rows.columns[2]
    half, rest = table[:60], table[60:]
    dull = rest.assign(**{first: None})
    for parts, message in (
        ((half, rest.drop(columns=last)), f"In partition 1: There is no column '{last}'"),
        ((half, rest.assign(species=1)), "In partitions 0 and 1: Text and numbers cannot be"),
        ((half, dull), rf"In partitions? (0 and )?1: .*[cC]olumn '{first}'"),
        ((half, rest.assign(species=None)), "In partition 1: .*label of row 0 is missing"),
        ((half[:0], rest[:0]), "no rows"),
    ):
        with pytest.raises(ValueError, match=message):
            gauda.dask.fit(MODELS[name].make(missing="raise"), frame_of(*parts), "species")
    fitted = gauda.dask.fit(MODELS[name].make(), frame_of(half, half[:0], rest), "species")
    np.testing.assert_array_equal(
        fitted.predict(rows), MODELS[name].make().fit(rows, y).predict(rows)
    )


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_column_is_one_thing(call, table):
    frame = dd.from_pandas(table.assign(species=np.arange(120) % 3), npartitions=2)
    with pytest.raises(ValueError, match="'species' must be one thing; got it as a feature and as"):
        call(frame, frame["species"])
    with pytest.raises(ValueError, match=r"'species' .* as y and as sample_weight"):
        call(frame, "species", "species")


def test_names_of_columns_may_be_numbers(table):
    frame = table.set_axis([0, 1, 2, 3], axis=1)
    found = gauda.dask.fit(gauda.QDA(), dd.from_pandas(frame, npartitions=2), 3)
    assert found.n_features_in_ == 3


@pytest.mark.parametrize("name", STEPWISE)
def test_a_partition_may_have_no_weight(name):
    X, y = MODELS[name].data(120)
    weights = np.where(np.arange(120) < 24, 0.0, 1.5)
    rows = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=list("abc"))
    frame = as_frame(rows.assign(mass=weights), y)
    found = gauda.dask.fit(MODELS[name].make(), frame, "species", "mass")
    expected = MODELS[name].make().fit(rows, y, weights)
    np.testing.assert_allclose(
        found.predict_log_proba(rows), expected.predict_log_proba(rows), rtol=1e-10, atol=1e-12
    )


def test_moments_of_a_partition_may_have_no_weight():
    X, y = MODELS["QDA"].data(120)
    weights = np.where(np.arange(120) < 37, 0.0, 1.5)
    found = gauda.dask.moments(as_array(X), y, weights).compute()
    expected = gauda.Moments.from_data(X, y, weights)
    np.testing.assert_array_equal(found.counts, expected.counts)
    np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-12)


def test_some_row_must_have_weight():
    X, y = MODELS["QDA"].data(120)
    with pytest.raises(ValueError, match="sample_weight is 0 for every row"):
        gauda.dask.fit(gauda.QDA(), as_array(X), y, np.zeros(120))


@pytest.mark.parametrize("name", [*TEXT, "BernoulliNB"])
def test_blocks_may_be_sparse(name):
    X, y = MODELS[name].data(120)
    blocks = da.from_array(X, chunks=(40, 3)).map_blocks(
        scipy.sparse.csr_array, dtype=X.dtype, meta=scipy.sparse.csr_array((0, 0))
    )
    expected = MODELS[name].make().fit(X, y)
    found = gauda.dask.fit(MODELS[name].make(), blocks, y)
    np.testing.assert_array_equal(found.feature_log_prob_, expected.feature_log_prob_)
    np.testing.assert_array_equal(gauda.dask.predict(found, blocks).compute(), expected.predict(X))
    assert gauda.dask.score(found, blocks, y).compute() == expected.score(X, y)
    scores = gauda.dask.cross_validate(MODELS[name].make(), blocks, y, cv=2)
    dense = gauda.dask.cross_validate(
        MODELS[name].make(), da.from_array(X, chunks=(40, 3)), y, cv=2
    )
    np.testing.assert_array_equal(scores["test_accuracy"], dense["test_accuracy"])


def test_no_rows_cannot_be_judged():
    X, y = MODELS["QDA"].data(120)
    with pytest.raises(ValueError, match="There are no rows to evaluate"):
        gauda.dask.score(gauda.QDA().fit(X, y), da.zeros((0, 3)), []).compute()


def test_threads_are_one_unless_asked_for(monkeypatch):
    monkeypatch.delenv("GAUDA_NUM_THREADS", raising=False)
    assert in_one_thread(gauda.QDA()).n_threads == 1
    assert in_one_thread(gauda.QDA(n_threads=3)).n_threads == 3
    monkeypatch.setenv("GAUDA_NUM_THREADS", "2")
    assert in_one_thread(gauda.QDA()).n_threads is None
