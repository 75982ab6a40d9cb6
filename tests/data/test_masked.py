"""Masked arrays: what is masked is missing, whatever lies under the mask."""

import numpy as np
import pandas as pd
import pytest
from models import MODELS

N = 60
NUMERIC = [name for name, entry in MODELS.items() if isinstance(entry.data(3)[0], np.ndarray)]
MARGINALIZE = ["QDA", "LDA", "GaussianNB", "BernoulliNB", "CategoricalNB"]


def some_of(shape):
    """Choose entries here and there."""
    return np.arange(np.prod(shape)).reshape(shape) % 7 == 3


@pytest.fixture(params=NUMERIC)
def entry(request):
    return MODELS[request.param]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.int64, bool, object])
def test_masked_entries_are_refused_as_missing(entry, dtype):
    X, y = entry.data(N)
    rows = (X > 0).astype(dtype)
    masked = np.ma.masked_array(rows, mask=some_of(X.shape))
    with pytest.raises(ValueError, match="NaN at row 1, column 0"):
        entry.make().fit(masked, y)
    model = entry.make().fit(X, y)
    for rows_of_some in (masked, masked[1:2]):
        with pytest.raises(ValueError, match="NaN at row"):
            model.predict(rows_of_some)
        with pytest.raises(ValueError, match="NaN at row"):
            model.predict_proba(rows_of_some)


@pytest.mark.parametrize("name", MARGINALIZE)
def test_masked_entries_are_integrated_out_as_nan_is(name):
    entry = MODELS[name]
    X, y = entry.data(N)
    gaps = some_of(X.shape)
    masked = np.ma.masked_array(X, mask=gaps)
    holes = np.where(gaps, np.nan, X)
    found = entry.make(missing="marginalize").fit(masked, y)
    expected = entry.make(missing="marginalize").fit(holes, y)
    np.testing.assert_array_equal(
        found.predict_log_proba(masked), expected.predict_log_proba(holes)
    )
    scene = masked.reshape(6, 10, -1)
    np.testing.assert_array_equal(found.predict(scene).ravel(), expected.predict(holes))


def test_masked_truth_values_and_texts_keep_their_kind():
    entry = MODELS["MixedNB"]
    X, y = entry.data(N)
    for column, dtype in (("wings", bool), ("size", str)):
        values = np.asarray(X[[column]], dtype=dtype)
        gaps = some_of(values.shape)
        holes = pd.DataFrame(np.where(gaps, None, values.astype(object)))
        found = entry.make().fit(np.ma.masked_array(values, mask=gaps), y)
        expected = entry.make().fit(holes.to_numpy(), y)
        assert found.kinds_ == expected.kinds_
        np.testing.assert_array_equal(
            found.predict_log_proba(values), expected.predict_log_proba(values)
        )


def test_a_mask_of_nothing_changes_nothing(entry):
    X, y = entry.data(N)
    model = entry.make().fit(np.ma.masked_array(X), np.ma.masked_array(y))
    expected = entry.make().fit(X, y).predict_log_proba(X)
    np.testing.assert_array_equal(model.predict_log_proba(np.ma.masked_array(X)), expected)


def test_masked_labels_and_weights_are_refused(entry):
    X, y = entry.data(N)
    gap = np.arange(N) == 5
    with pytest.raises(ValueError, match="label of row 5 is missing"):
        entry.make().fit(X, np.ma.masked_array(y, mask=gap))
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        entry.make().fit(X, y, sample_weight=np.ma.masked_array(np.ones(N), mask=gap))
