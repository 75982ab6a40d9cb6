"""A fit to a stream is the fit to all of its rows."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from models import GAUSSIAN, STEPWISE
from sklearn.covariance import OAS
from support import fitted, ours

from gauda import GaussianNB, Moments, QuadraticDiscriminantAnalysis

LEARNERS = [name for name in GAUSSIAN if name in STEPWISE]
NAMES = ["a", "b", "c"]


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(8)
    frame = pd.DataFrame(random.standard_normal((600, 3)) * [1, 5, 0.1], columns=NAMES)
    species = np.array(["ash", "elm", "oak"])[np.arange(600) // 200]  # classes appear later
    return frame.assign(y=species, w=random.uniform(0.5, 2, size=600))


@pytest.fixture
def path(frame, tmp_path):
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


def assert_same_fit(found, expected):
    found, expected = fitted(found), fitted(expected)
    assert found.keys() == expected.keys()
    for name in expected.keys() - {"moments_"}:
        value = np.asarray(expected[name])
        assert np.asarray(found[name]).dtype.kind == value.dtype.kind, name
        if value.dtype.kind == "f":
            np.testing.assert_allclose(found[name], value, rtol=1e-9, atol=1e-12, err_msg=name)
        else:
            np.testing.assert_array_equal(found[name], value, err_msg=name)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("model", LEARNERS)
def test_stream_gives_the_fit_of_all_rows(model, weighted, frame, path):
    names = {"sample_weight": "w"} if weighted else {}
    found = ours(model).fit_stream(path, target="y", features=NAMES, batch_rows=50, **names)
    weights = frame["w"] if weighted else None
    # Labels of Arrow's text come as numpy's text, not as objects.
    expected = ours(model).fit(frame[NAMES], frame["y"].to_numpy(dtype=str), weights)
    assert_same_fit(found, expected)


@pytest.mark.parametrize("model", LEARNERS)
def test_earlier_fit_is_forgotten(model, path):
    columns = {"target": "y", "features": NAMES}
    once = ours(model).fit_stream(path, **columns)
    twice = ours(model).fit([[0.0], [1.0], [3.0], [7.0]], [0, 0, 1, 1]).fit_stream(path, **columns)
    assert_same_fit(twice, once)


@pytest.mark.parametrize("model", LEARNERS)
def test_rows_can_be_added_after_a_stream(model, frame, path):
    more = frame[::7]
    found = ours(model).fit_stream(path, target="y", features=NAMES)
    found.partial_fit(more[NAMES], more["y"])
    both = pd.concat([frame, more])
    expected = ours(model).fit(both[NAMES], both["y"])
    np.testing.assert_allclose(
        found.predict_proba(frame[NAMES]), expected.predict_proba(frame[NAMES]), rtol=1e-9
    )


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_failed_stream_leaves_the_estimator_as_it_was(error):
    def failing():
        yield [[5.0], [6.0]], [3, 4]
        raise error

    estimator = GaussianNB().fit([[0.0], [1.0], [5.0], [7.0]], [0, 0, 1, 1])
    before = dict(vars(estimator))
    with pytest.raises(error):
        estimator.fit_stream(failing(), batch_rows=1)
    assert vars(estimator) == before


def test_stream_without_rows_cannot_be_fitted(path):
    empty = pq.read_table(path).slice(0, 0)
    with pytest.raises(ValueError, match="source has no rows"):
        GaussianNB().fit_stream(empty, target="y")


def test_batches_without_rows_are_passed_over():
    batches = [(np.empty((0, 1)), []), ([[0.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])]
    found = GaussianNB().fit_stream(batches, batch_rows=1)
    assert found.theta_.ravel().tolist() == [1.0, 6.0]


def test_covariances_that_need_all_rows_are_refused(path):
    estimator = QuadraticDiscriminantAnalysis(solver="eigen", covariance_estimator=OAS())
    with pytest.raises(AttributeError, match="fit_stream"):
        estimator.fit_stream(path, target="y", features=NAMES)


def test_wrong_parameter_is_found_before_the_stream_is_read():
    def untouched():
        pytest.fail("the stream was read")
        yield

    with pytest.raises(ValueError, match="reg_param"):
        QuadraticDiscriminantAnalysis(reg_param=2).fit_stream(untouched())


def test_nan_is_told_by_the_estimator(path):
    table = pq.read_table(path).slice(0, 100)
    table = table.set_column(0, "a", [[1.0] * 66 + [float("nan")] + [1.0] * 33])
    with pytest.raises(ValueError, match=r"NaN at row 66, column 'a'\. GaussianNB takes"):
        GaussianNB().fit_stream(table, target="y", features=NAMES, batch_rows=10)


def test_moments_come_from_streams_too(frame, path):
    found = Moments.from_stream(path, target="y", features=NAMES, structure="tied")
    expected = Moments.from_data(frame[NAMES], frame["y"], structure="tied")
    np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-12, atol=1e-10)


def test_unknown_structure_is_refused(path):
    with pytest.raises(ValueError, match="structure must be one of"):
        Moments.from_stream(path, target="y", features=NAMES, structure="round")
