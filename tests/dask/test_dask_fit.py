"""Fits on Dask against fits in memory, over all models; what is joined, refused and named."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask_data import as_array, as_frame, with_empty_partitions
from models import FRAMES, GAUSSIAN, MODELS, STEPWISE
from sklearn.base import clone
from sklearn.covariance import EmpiricalCovariance

import gauda
import gauda.dask

pytestmark = pytest.mark.usefixtures("in_this_thread")


@pytest.fixture
def in_this_thread():
    """Run tasks one after another, where errors are raised as they are."""
    with dask.config.set(scheduler="sync"):
        yield


def same_model(found, expected, X):
    """Compare models by what they say of rows."""
    np.testing.assert_array_equal(found.classes_, expected.classes_)
    posteriors = expected.predict_log_proba(X)
    np.testing.assert_allclose(found.predict_log_proba(X), posteriors, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))


@pytest.mark.parametrize("name", STEPWISE)
def test_frames_give_the_fit_of_their_rows(name):
    X, y = MODELS[name].data(200)
    rows = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=list("abc"))
    fitted = gauda.dask.fit(MODELS[name].make(), as_frame(X, y), "species")
    same_model(fitted, MODELS[name].make().fit(rows, y), rows)


@pytest.mark.parametrize("name", [name for name in STEPWISE if name not in FRAMES])
def test_arrays_give_the_fit_of_their_rows(name):
    X, y = MODELS[name].data(200)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(y))
    fitted = gauda.dask.fit(MODELS[name].make(), as_array(X), y, weights)
    same_model(fitted, MODELS[name].make().fit(X, y, weights), X)


@pytest.mark.parametrize("name", STEPWISE)
def test_partitions_may_be_empty_and_lack_classes(name):
    X, y = MODELS[name].data(200)
    order = np.argsort(y, kind="stable")
    X = X.iloc[order].reset_index(drop=True) if isinstance(X, pd.DataFrame) else X[order]
    frame = with_empty_partitions(as_frame(X, y[order], n_partitions=7))
    rows = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=list("abc"))
    fitted = gauda.dask.fit(MODELS[name].make(), frame, "species")
    same_model(fitted, MODELS[name].make().fit(rows, y[order]), rows)


def test_the_estimator_given_is_left_as_it_is():
    X, y = MODELS["QDA"].data()
    qda = gauda.QDA(reg_param=0.1)
    fitted = gauda.dask.fit(qda, as_array(X), y)
    assert not hasattr(qda, "classes_")
    assert fitted.get_params() == qda.get_params()


@pytest.mark.parametrize("structure", ["full", "tied", "diag"])
def test_moments_are_those_of_the_rows(structure):
    X, y = MODELS["QDA"].data(300)
    X = X + 1e4
    lazy = gauda.dask.moments(as_array(X), da.from_array(y, chunks=50), structure=structure)
    found = lazy.compute()
    expected = gauda.Moments.from_data(X, y, structure=structure)
    np.testing.assert_array_equal(found.counts, expected.counts)
    np.testing.assert_allclose(found.means, expected.means, rtol=1e-15)
    np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-12)


@pytest.mark.parametrize("shrinkage", ["auto", "ledoit_wolf"])
def test_shrinkage_is_that_of_all_rows(shrinkage):
    X, y = MODELS["QDA"].data(200)
    model = gauda.RDA() if shrinkage == "ledoit_wolf" else gauda.QDA(solver="eigen")
    model.set_params(shrinkage=shrinkage)
    expected = clone(model).fit(X, y).predict_proba(X)
    found = gauda.dask.fit(model, as_array(X), y)
    np.testing.assert_allclose(found.predict_proba(X), expected, rtol=1e-10)
    moments = gauda.dask.moments(as_array(X), y, order=4).compute()
    from_moments = type(model).from_moments(moments, **model.get_params())
    np.testing.assert_allclose(from_moments.predict_proba(X), expected, rtol=1e-10)


def test_moments_take_classes_that_do_not_appear():
    X, y = MODELS["QDA"].data()
    classes = ["ant", "bee", "cicada", "dragonfly"]
    found = gauda.dask.moments(as_array(X), y, classes=classes).compute()
    assert found.classes.tolist() == classes
    assert found.counts.tolist() == [30, 30, 30, 0]


def test_every_way_of_scheduling_gives_the_same_bits():
    X, y = MODELS["QDA"].data(1000)
    lazy = gauda.dask.moments(as_array(X, chunk=9), y)
    first = lazy.compute(scheduler="sync")
    assert all(lazy.compute(scheduler="threads", num_workers=n) == first for n in (1, 2, 8))


def test_labels_may_be_columns_arrays_or_categories():
    X, y = MODELS["LDA"].data(120)
    frame = as_frame(X, y, 4)
    rows = frame[list("abc")]
    expected = gauda.dask.fit(gauda.LDA(), frame, "species")
    labels = [
        frame["species"],
        da.from_array(y, chunks=30),
        frame["species"].astype("category"),
        dd.from_pandas(pd.Series(y, dtype="category"), npartitions=4),
    ]
    for given in labels:
        same_model(gauda.dask.fit(gauda.LDA(), rows, given), expected, rows.compute())


def test_lengths_of_chunks_may_be_unknown():
    X, y = MODELS["LDA"].data(120)
    frame = as_frame(X, y, 4)
    rows, labels = frame[list("abc")].to_dask_array(), frame["species"]
    assert np.isnan(rows.shape[0])
    same_model(gauda.dask.fit(gauda.LDA(), rows, labels), gauda.LDA().fit(X, y), X)


def test_weights_may_be_a_column():
    X, y = MODELS["QDA"].data(120)
    weights = np.arange(120) % 3 + 0.5
    frame = as_frame(X, y, 4)
    frame["weight"] = dd.from_pandas(pd.Series(weights), npartitions=4)
    found = gauda.dask.fit(gauda.QDA(), frame, "species", "weight")
    rows = pd.DataFrame(X, columns=list("abc"))
    same_model(found, gauda.QDA().fit(rows, y, weights), rows)


@pytest.mark.parametrize("by_name", [True, False])
def test_files_may_be_read_in_larger_parts_where_few_columns_are_needed(by_name, tmp_path):
    X, y = MODELS["QDA"].data(120)
    frame = pd.DataFrame(X, columns=list("abc")).assign(species=y, mass=1.0 + np.arange(120) % 3)
    for part in range(3):
        frame[40 * part : 40 * (part + 1)].to_parquet(tmp_path / f"{part}.parquet")
    source = dd.read_parquet(tmp_path)
    given = ("species", "mass") if by_name else (source["species"], source["mass"])
    found = gauda.dask.fit(gauda.QDA(), source if by_name else source[list("abc")], *given)
    same_model(found, gauda.QDA().fit(frame[list("abc")], y, frame["mass"]), frame[list("abc")])
    assert gauda.dask.score(found, source, given[0]).compute() == found.score(frame[list("abc")], y)


@pytest.mark.parametrize("name", [name for name in GAUSSIAN if name in STEPWISE])
def test_rows_with_gaps_are_left_out_and_counted_once(name, recwarn):
    X, y = MODELS[name].data(120)
    X[np.arange(0, 120, 10), 1] = np.nan
    X[30:60] = np.nan  # a whole partition
    found = gauda.dask.fit(MODELS[name].make(missing="drop"), da.from_array(X, chunks=(30, 3)), y)
    (warning,) = recwarn
    assert "left out 39 of 120 rows" in str(warning.message)
    whole = ~np.isnan(X).any(axis=1)
    same_model(found, MODELS[name].make().fit(X[whole], y[whole]), X[whole])


def test_moments_leave_out_rows_with_gaps_and_count_them_once(recwarn):
    X, y = MODELS["QDA"].data(120)
    X[30:60] = np.nan  # a whole partition
    X[70] = np.nan
    found = gauda.dask.moments(da.from_array(X, chunks=(30, 3)), y, missing="drop").compute()
    (warning,) = recwarn
    assert "left out 31 of 120 rows" in str(warning.message)
    assert found.n_rows == 89


def test_a_collection_without_complete_rows_is_refused():
    X, y = MODELS["QDA"].data(120)
    X[:, 1] = np.nan
    with (
        pytest.raises(ValueError, match=r"no rows left: .* all 120 have some"),
        pytest.warns(UserWarning, match="120 of 120"),
    ):
        gauda.dask.fit(gauda.QDA(missing="drop"), as_array(X), y)


def test_chunks_of_workers_may_be_misaligned_and_read_only():
    X, y = MODELS["QDA"].data(60)
    weights = np.arange(1.0, 61.0)

    def odd(values):
        raw = np.empty(values.nbytes + 1, dtype=np.uint8)
        shifted = raw[1:].view(values.dtype).reshape(values.shape)
        shifted[:] = values
        shifted.flags.writeable = False
        return shifted

    arrays = [
        da.from_array(values, chunks=20).map_blocks(odd, dtype=values.dtype)
        for values in (X, weights)
    ]
    found = gauda.dask.fit(gauda.QDA(), arrays[0].rechunk((20, 3)).map_blocks(odd), y, arrays[1])
    same_model(found, gauda.QDA().fit(X, y, weights), X)


def test_a_fault_is_named_with_its_partition_row_and_column():
    X, y = MODELS["QDA"].data(100)
    X[57, 1] = np.nan
    with pytest.raises(ValueError, match=r"In partition 2: .*row 7.*column 1"):
        gauda.dask.fit(gauda.QDA(), da.from_array(X, chunks=(25, 3)), y)
    with pytest.raises(ValueError, match=r"In partition 2: .*row 7.*'b'"):
        gauda.dask.fit(gauda.QDA(), as_frame(X, y, 4), "species")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": "genus"}, r"There is no column 'genus'; the columns are \['a', 'b', 'c', 'species'"),
        ({"sample_weight": "mass"}, "There is no column 'mass'"),
        ({"y": np.zeros(100)}, "y of a data frame of Dask must be the name of a column"),
    ],
)
def test_what_does_not_belong_to_a_frame_is_refused(change, message):
    X, y = MODELS["QDA"].data(100)
    given = {"y": "species"} | change
    with pytest.raises((TypeError, ValueError), match=message):
        gauda.dask.fit(gauda.QDA(), as_frame(X, y), **given)


def test_labels_must_be_as_many_as_rows():
    X, y = MODELS["QDA"].data(100)
    with pytest.raises(ValueError, match="X has 100 rows, y has 99"):
        gauda.dask.fit(gauda.QDA(), as_array(X), y[:-1])


@pytest.mark.parametrize("given", [None, "species", 3, "frame"])
def test_labels_of_arrays_must_be_arrays(given):
    X, y = MODELS["QDA"].data(100)
    given = as_frame(X, y) if given == "frame" else given
    with pytest.raises(TypeError, match="y of an array of Dask must be an array or a column with"):
        gauda.dask.fit(gauda.QDA(), as_array(X), given)


def test_what_needs_all_rows_is_refused_before_any_is_read():
    X, y = MODELS["LDA"].data(100)
    estimated = gauda.LDA(solver="lsqr", covariance_estimator=EmpiricalCovariance())
    whole = estimated, gauda.QDA(class_weight="balanced")
    for estimator in (*whole, MODELS["RDA-CV"].make(class_weight="balanced")):
        with pytest.raises(ValueError, match="does not have all rows at once"):
            gauda.dask.fit(estimator, as_array(X), y)


def test_rows_in_memory_are_refused():
    X, y = MODELS["QDA"].data()
    with pytest.raises(TypeError, match=r"must be an array or a data frame of Dask; got ndarray"):
        gauda.dask.fit(gauda.QDA(), X, y)


def test_a_collection_without_rows_is_refused():
    empty = da.zeros((0, 3))
    with pytest.raises(ValueError, match="no rows"):
        gauda.dask.fit(gauda.QDA(), empty, [])
    with pytest.raises(ValueError, match="no rows"):
        gauda.dask.moments(empty, []).compute()


@pytest.mark.parametrize("name", MODELS)
def test_ordinary_estimators_never_gather_a_collection(name, tmp_path):
    X, y = MODELS[name].data()
    fitted = MODELS[name].fitted()
    for collection in (as_frame(X, y), da.from_array(np.asarray(X), chunks=20)):
        for call in (
            lambda rows: MODELS[name].make().fit(rows, y),
            fitted.predict,
            fitted.predict_proba,
            lambda rows: gauda.QDA().fit_stream(rows, target="species"),
            lambda rows: fitted.predict_stream(rows, tmp_path / "answers.parquet"),
        ):
            with pytest.raises(TypeError, match=r"of dask, which may be larger\. Use gauda\.dask"):
                call(collection)
    assert not list(tmp_path.iterdir())


def test_reading_a_partition_and_summing_it_up_are_one_task(tmp_path):
    X, y = MODELS["QDA"].data(120)
    frame = pd.DataFrame(X, columns=list("abc")).assign(species=y)
    for part in range(3):
        frame[40 * part : 40 * (part + 1)].to_parquet(tmp_path / f"{part}.parquet")
    made = da.ones((120, 3), chunks=(40, 3)) + 1
    labels = da.zeros(120, chunks=40, dtype=int)
    for data in ((dd.read_parquet(tmp_path), "species"), (made, labels)):
        lazy = gauda.dask.moments(*data)
        graph = lazy.__dask_optimize__(lazy.__dask_graph__(), [lazy.key])
        holders = [key for key in graph if "work_on" not in str(key) and "moments" not in str(key)]
        sizes = [np.size(dask.get(graph, key)) for key in holders]
        assert max(sizes, default=0) <= 40, "rows wait in a task of their own"
