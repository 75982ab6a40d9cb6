"""A few rows in any form are answered as many are: lists, dictionaries, frames, of every model."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from models import LABELS, MODELS

from gauda import LDA, UnknownCategoryError

NAMES = ["weight", "size", "wings"]


@pytest.fixture(params=MODELS)
def entry(request):
    return MODELS[request.param]


def frame_of(entry):
    """Return rows of a model as a frame with names."""
    X, y = entry.data()
    frame = X.copy() if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
    return frame.set_axis(NAMES, axis=1), y


def entries(frame):
    """Return the rows of a frame as lists of Python's own types."""
    return [list(row) for row in frame.astype(object).to_numpy().tolist()]


def test_one_row_in_any_form_is_answered_like_many(entry):
    frame, y = frame_of(entry)
    model = entry.make().fit(frame, y)
    many, posteriors = model.predict(frame), model.predict_proba(frame)
    rows = entries(frame)
    for index in (0, 1, 5, 44):
        row = dict(zip(NAMES, rows[index], strict=True))
        shuffled = {name: row[name] for name in reversed(NAMES)}
        forms = [
            frame.iloc[index : index + 1],
            pl.from_pandas(frame)[index : index + 1],
            row,
            shuffled,
            [shuffled],
        ]
        for form in forms:
            assert model.predict(form).tolist() == [many[index]]
            np.testing.assert_array_equal(model.predict_proba(form), posteriors[index : index + 1])
            np.testing.assert_allclose(
                model.predict_log_proba(form), np.log(posteriors[index : index + 1]), rtol=1e-12
            )


def test_lists_and_arrays_are_answered_like_many_where_columns_have_no_names(entry):
    X, y = entry.data()
    rows = entries(pd.DataFrame(X))
    model = entry.make().fit(np.asarray(X), y)
    many, posteriors = model.predict(np.asarray(X)), model.predict_proba(np.asarray(X))
    for index in (0, 7):
        for form in ([rows[index]], [tuple(rows[index])], np.asarray(X)[index : index + 1]):
            assert model.predict(form).tolist() == [many[index]]
            np.testing.assert_array_equal(model.predict_proba(form), posteriors[index : index + 1])
    some = model.predict(rows[:10])
    assert some.dtype == many.dtype
    np.testing.assert_array_equal(some, many[:10])


def test_columns_by_name_are_a_table(entry):
    frame, y = frame_of(entry)
    model = entry.make().fit(frame, y)
    columns = {name: frame[name].to_numpy() for name in reversed(NAMES)}
    np.testing.assert_array_equal(model.predict(columns), model.predict(frame))
    records = frame.astype(object).to_dict("records")
    np.testing.assert_array_equal(model.predict(records), model.predict(frame))


def test_rows_without_names_are_warned_of_once(entry):
    frame, y = frame_of(entry)
    model = entry.make().fit(frame, y)
    row = entries(frame)[:1]
    for form in (row, np.array(row, dtype=None if entry.is_gaussian else object)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.predict(form)
        (warning,) = caught
        assert "X does not have valid feature names" in str(warning.message)


def test_wrong_names_are_refused(entry):
    frame, y = frame_of(entry)
    model = entry.make().fit(frame, y)
    row = dict(zip(NAMES, entries(frame)[0], strict=True))
    with pytest.raises(ValueError, match="unseen at fit time:\n- color"):
        model.predict(row | {"color": 1})
    with pytest.raises(ValueError, match="yet now missing:\n- size"):
        model.predict({name: value for name, value in row.items() if name != "size"})
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.iloc[:1].rename(columns={"size": "length"}))
    X, _ = entry.data()
    unnamed = entry.make().fit(np.asarray(X), y)
    with pytest.raises(TypeError, match="columns without names"):
        unnamed.predict(row)


def test_one_bad_row_is_refused_like_many(entry):
    X, y = entry.data()
    model = entry.make().fit(np.asarray(X), y)
    rows = entries(pd.DataFrame(X))
    for bad in ([rows[0][:2]], [[*rows[0], 1.0]], [rows[0], rows[1][:1]], [], [[]], rows[0]):
        with pytest.raises((ValueError, TypeError)):
            model.predict(bad)
    if entry.is_gaussian:
        with pytest.raises(ValueError, match=r"row 0, column 1"):
            model.predict([[1.0, np.nan, 2.0]])


def test_unknown_levels_of_one_row_follow_the_parameter():
    entry = MODELS["MixedNB"]
    frame, y = frame_of(entry)
    row = {"weight": 1.0, "size": "huge", "wings": True}
    with pytest.raises(UnknownCategoryError, match="'huge'"):
        entry.make().fit(frame, y).predict(row)
    model = entry.make(handle_unknown="ignore").fit(frame, y)
    known = pd.concat([frame, pd.DataFrame([row])], ignore_index=True)
    assert model.predict(row).tolist() == [model.predict(known)[-1]]


def test_priors_and_costs_act_on_one_row(entry):
    X, y = entry.data()
    model = entry.make().fit(np.asarray(X), y)
    row = np.asarray(X)[:1]
    model.set_params(reject=1.0)
    assert model.predict(row).tolist() == ["rejected"]
    model.set_params(reject=None, cost=[[1, 0, 1]] * 3)
    assert model.predict(row).tolist() == [LABELS[1]]


class TestTensors:
    """Types of others: bfloat16, and tensors that carry a gradient."""

    def test_bfloat16_is_read_as_float32(self):
        ml_dtypes = pytest.importorskip("ml_dtypes")
        X, y = MODELS["LDA"].data()
        model = LDA().fit(X, y)
        short = X.astype(ml_dtypes.bfloat16)
        np.testing.assert_array_equal(model.predict(short), model.predict(short.astype(np.float32)))
        fitted = LDA().fit(short, y)
        np.testing.assert_array_equal(fitted.means_, LDA().fit(short.astype(np.float32), y).means_)

    def test_a_tensor_is_detached(self):
        X, y = MODELS["LDA"].data()

        class Tensor:
            """Behaves like one of torch's, which refuses numpy until it is detached."""

            __module__ = "torch"
            dtype = "torch.float64"
            shape, ndim = X.shape, X.ndim

            def __array__(self, *_args, **_kwargs):
                raise RuntimeError("Can't call numpy() on Tensor that requires grad.")

            def __len__(self):
                return len(X)

            def detach(self):
                return self

            def cpu(self):
                return self

            def numpy(self):
                return X

        model = LDA().fit(Tensor(), y)
        np.testing.assert_array_equal(model.predict(Tensor()), model.predict(X))
        np.testing.assert_array_equal(model.predict_proba(Tensor()), model.predict_proba(X))
