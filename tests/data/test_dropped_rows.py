"""Rows with missing values left out of fits, and what missing values are called."""

import numpy as np
import polars as pl
import pytest
from gaps import correlated, with_gaps
from support import MODELS, ours

import gauda
from gauda import Moments, RegularizedDiscriminantAnalysisCV

GAUSSIAN = [*MODELS, "RegularizedDiscriminantAnalysis"]


def make(name, **parameters):
    """Make an estimator, also those that scikit-learn does not have."""
    return getattr(gauda, name)(**parameters)


def rows(n=120):
    """Return rows with gaps, labels and weights."""
    X, y = correlated(n, 3, 3)
    return with_gaps(X, 0.1), np.array(["ant", "bee", "fly"])[y], np.arange(n) % 3 + 1.0


def whole(X, *others):
    """Return the rows in which nothing is missing."""
    kept = ~np.isnan(X).any(axis=1)
    return [X[kept], *(other[kept] for other in others)]


def said(X):
    """Return what is said of rows that were left out."""
    n = np.isnan(X).any(axis=1).sum()
    return f"has left out {n} of {len(X)} rows, in which values are missing"


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_a_fit_leaves_out_rows_and_says_how_many(name, weighted):
    X, y, weights = rows()
    given = {"sample_weight": weights} if weighted else {}
    kept, labels, kept_weights = whole(X, y, weights)
    kept_given = {"sample_weight": kept_weights} if weighted else {}
    with pytest.warns(UserWarning, match=said(X)):
        model = make(name, missing="drop").fit(X, y, **given)
    assert model.moments_ == make(name).fit(kept, labels, **kept_given).moments_


@pytest.mark.parametrize("name", GAUSSIAN)
def test_batches_and_streams_leave_them_out_too(name):
    X, y, _ = rows()
    X[:40] = np.nan  # a batch without any whole row
    kept, labels = whole(X, y)
    expected = make(name).fit(kept, labels).moments_
    batches = [(X[start : start + 20], y[start : start + 20]) for start in range(0, 120, 20)]
    with pytest.warns(UserWarning, match=said(X)):
        streamed = make(name, missing="drop").fit_stream(batches, batch_rows=20)
    np.testing.assert_allclose(streamed.moments_.means, expected.means, rtol=1e-12)
    np.testing.assert_allclose(streamed.moments_.scatter, expected.scatter, rtol=1e-10)
    np.testing.assert_array_equal(streamed.moments_.counts, expected.counts)
    model = make(name, missing="drop")
    for part, part_labels in batches[2:]:
        with pytest.warns(UserWarning, match="has left out"):
            model.partial_fit(part, part_labels, classes=["ant", "bee", "fly"])
    np.testing.assert_allclose(model.moments_.scatter, expected.scatter, rtol=1e-10)


def test_a_search_leaves_them_out():
    X, y, _ = rows()
    kept, labels = whole(X, y)
    with pytest.warns(UserWarning, match=said(X)):
        model = RegularizedDiscriminantAnalysisCV(missing="drop", cv="loo").fit(X, y)
    expected = RegularizedDiscriminantAnalysisCV(cv="loo").fit(kept, labels)
    assert model.best_params_ == expected.best_params_
    np.testing.assert_array_equal(model.loo_log_proba_, expected.loo_log_proba_)


def test_moments_say_how_many_too():
    X, y, _ = rows()
    with pytest.warns(UserWarning, match=said(X)):
        Moments.from_data(X, y, missing="drop")
    with pytest.warns(UserWarning, match=said(X)):
        Moments.from_stream([(X[:50], y[:50]), (X[50:], y[50:])], missing="drop")


@pytest.mark.parametrize("name", GAUSSIAN)
def test_rows_that_are_scored_are_not_left_out(name):
    X, y, _ = rows()
    with pytest.warns(UserWarning, match=said(X)):
        model = make(name, missing="drop").fit(X, y)
    first = np.flatnonzero(np.isnan(X).any(axis=1))[0]
    message = f"NaN at row {first}, .*get an answer each: use missing='marginalize'"
    with pytest.raises(ValueError, match=message):
        model.predict_proba(X)
    assert model.set_params(missing="marginalize").predict_proba(X).shape == (120, 3)


@pytest.mark.parametrize("name", GAUSSIAN)
def test_a_fit_that_would_have_no_row_left_is_refused(name):
    X, y, _ = rows()
    X[:, 1] = np.nan
    model = make(name, missing="drop")
    with pytest.raises(ValueError, match="all 120 have some"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="no rows"), pytest.warns(UserWarning, match="120 of 120"):
        model.fit_stream([(X, y)])
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("name", MODELS)
def test_complete_rows_are_fitted_without_a_word(name):
    X, y = correlated(90, 3, 3)
    assert ours(name, missing="drop").fit(X, y).moments_ == ours(name).fit(X, y).moments_


def table():
    """Return a table with a NaN in row 2 and a null in row 5."""
    X, y = correlated(30, 2, 2)
    X[2, 0] = np.nan
    frame = pl.DataFrame(X, schema=["a", "b"]).with_columns(y=pl.Series(y))
    null = pl.when(pl.int_range(pl.len()) == 5).then(None).otherwise(pl.col("b"))
    return frame.with_columns(b=null)


@pytest.mark.parametrize("name", GAUSSIAN)
def test_what_is_null_in_a_table_is_called_so(name, tmp_path):
    frame = table()
    with pytest.raises(ValueError, match="contains NaN at row 2, column 'a'"):
        make(name).fit_stream(frame, target="y")
    with pytest.raises(ValueError, match="contains null at row 5, column 'b'"):
        make(name).fit_stream(frame, target="y", features=["b"])
    whole = frame.fill_nan(None).drop_nulls()
    model = make(name).fit_stream(whole, target="y")
    nulls = frame.with_columns(a=pl.lit(0.0))
    with pytest.raises(ValueError, match="contains null at row 5, column 'b'"):
        model.predict_stream(nulls, tmp_path / "out.parquet", batch_rows=4)


def test_moments_call_it_so_too():
    with pytest.raises(ValueError, match="contains null at row 5, column 'b'"):
        Moments.from_stream(table(), target="y", features=["b"], batch_rows=2)
