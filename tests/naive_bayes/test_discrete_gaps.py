"""Gaps in rows of discrete and mixed models: left out, answered with NaN, refused, or dropped.

Columns are independent within a class, so that each must be that of scikit-learn's model of the
rows in which it is observed.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from models import DISCRETE, FRAMES, LEVELED, MODELS, TEXT, with_gap
from sklearn import naive_bayes

import gauda
from gauda import BernoulliNB, CategoricalNB, Counts

N = 120


def data(seed=0, highest=1):
    """Draw levels with gaps, labels and weights."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, N)
    X = rng.integers(0, highest + 1, (N, 4)).astype(float)
    X[np.arange(N), y] = highest
    X[rng.random(X.shape) < 0.2] = np.nan
    return X, y, rng.integers(1, 4, N).astype(float)


MAKERS = {
    "BernoulliNB": (BernoulliNB, naive_bayes.BernoulliNB, 1, {}),
    "CategoricalNB": (CategoricalNB, naive_bayes.CategoricalNB, 3, {"min_categories": 4}),
}


def joint_by_columns(theirs, X, y, weights, parameters):
    """Return log p(class, observed entries) by scikit-learn's models of each column."""
    counts = np.bincount(y, weights)
    joint = np.tile(np.log(counts / counts.sum()), (N, 1))
    for column in range(X.shape[1]):
        seen = ~np.isnan(X[:, column])
        one = theirs(fit_prior=False, alpha=0.7, **parameters)
        one.fit(
            X[seen][:, [column]], y[seen], sample_weight=None if weights is None else weights[seen]
        )
        found = one.predict_joint_log_proba(X[seen][:, [column]])
        joint[seen] += found + np.log(len(counts))
    return joint


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", MAKERS)
def test_each_column_is_that_of_the_rows_that_have_it(name, weighted):
    own, theirs, highest, parameters = MAKERS[name]
    X, y, weights = data(highest=highest)
    weights = weights if weighted else None
    model = own(alpha=0.7, missing="marginalize", **parameters).fit(X, y, weights)
    expected = joint_by_columns(theirs, X, y, weights, parameters)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), expected, rtol=1e-11, atol=1e-11)
    assert model.counts_.has_gaps
    each = np.ones(N) if weights is None else weights
    seen = np.array(
        [(each[y == k, np.newaxis] * ~np.isnan(X[y == k])).sum(axis=0) for k in range(3)]
    )
    np.testing.assert_allclose(model.counts_.observed_count, seen)


@pytest.mark.parametrize("name", MAKERS)
def test_counts_with_gaps_add_up_and_come_off(name):
    own, _, highest, _ = MAKERS[name]
    kind = name.removesuffix("NB").lower()
    X, y, weights = data(highest=highest)
    make = lambda rows, **k: Counts.from_data(  # noqa: E731 (short)
        X[rows], y[rows], weights[rows], kind=kind, missing="marginalize", classes=[0, 1, 2], **k
    )
    first, second, whole = make(slice(50)), make(slice(50, None)), make(slice(None))
    complete = Counts.from_data(np.ones((3, 4)), [0, 1, 2], kind=kind)
    assert first + second == whole
    assert (whole - first).observed_count.tolist() == second.observed_count.tolist()
    assert whole - first + first == whole
    assert ((whole + complete) - complete).observed_count.tolist() == whole.observed_count.tolist()
    np.testing.assert_allclose((whole * 0.5).observed_count, whole.observed_count / 2)
    one = whole.relabel({2: 1})
    np.testing.assert_array_equal(one.observed_count[1], whole.observed_count[1:].sum(axis=0))
    np.testing.assert_array_equal(
        whole.select([2, 0]).observed_count, whole.observed_count[:, [2, 0]]
    )
    stream = [(X[:30], y[:30], weights[:30]), (X[30:], y[30:], weights[30:])]
    assert Counts.from_stream(stream, kind=kind, missing="marginalize") == whole
    learned = own(missing="marginalize")
    for rows in (slice(50), slice(50, None)):
        learned.partial_fit(X[rows], y[rows], classes=[0, 1, 2], sample_weight=weights[rows])
    assert learned.counts_ == whole == own(missing="marginalize").fit(X, y, weights).counts_


def test_counts_with_gaps_are_saved(tmp_path):
    X, y, _ = data()
    model = BernoulliNB(missing="marginalize").fit(X, y)
    model.save(tmp_path / "model.gauda")
    other = gauda.load(tmp_path / "model.gauda")
    assert other.counts_ == model.counts_
    np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))


def test_sparse_rows_may_have_gaps():
    X, y, weights = data()
    for w in (None, weights):
        dense = BernoulliNB(missing="marginalize").fit(X, y, w)
        sparse = BernoulliNB(missing="marginalize").fit(sp.csr_array(X), y, w)
        assert sparse.counts_ == dense.counts_
        np.testing.assert_array_equal(sparse.predict_proba(X), dense.predict_proba(X))
        with pytest.raises(ValueError, match="score the rows that have gaps as a dense array"):
            sparse.predict_proba(sp.csr_array(X))


@pytest.mark.parametrize("name", MAKERS)
def test_rows_left_out_with_gaps(name):
    own, _, highest, parameters = MAKERS[name]
    X, y, weights = data(highest=highest)
    model = own(missing="marginalize", **parameters).fit(X, y, weights)
    found = model.loo_log_proba(X, y, sample_weight=weights, refit_priors=True)
    for row in range(0, N, 17):
        rest = np.delete(np.arange(N), row)
        other = own(missing="marginalize", **parameters).fit(X[rest], y[rest], weights[rest])
        np.testing.assert_allclose(found[row], other.predict_log_proba(X[[row]])[0], rtol=1e-9)


@pytest.mark.parametrize("name", LEVELED)
def test_what_is_missing_is_answered_with_nan(name):
    entry = MODELS[name]
    X, y = entry.data()
    model = entry.make(missing="propagate", reject_label="none").fit(X, y)
    gappy = with_gap(X)
    assert np.isnan(model.predict_proba(gappy)).any(axis=1).nonzero()[0].tolist() == [1]
    assert (model.predict(gappy) == "none").nonzero()[0].tolist() == [1]
    answers = model.classify(gappy, ("label", "proba", "log_density"))
    assert np.isnan(answers.log_density).nonzero()[0].tolist() == [1]
    with pytest.raises(ValueError, match="contains NaN at row 1, column"):
        entry.make(missing="propagate").fit(gappy, y)


@pytest.mark.parametrize("missing", ["raise", "drop"])
@pytest.mark.parametrize("name", DISCRETE)
def test_rows_that_are_scored_must_be_complete_unless_gaps_are_taken(name, missing):
    entry = MODELS[name]
    X, y = entry.data()
    model = entry.make(missing=missing).fit(X, y)
    ways = ["predict", "predict_proba", "score_samples", "classify", "predict_joint_log_proba"]
    for way in ways:
        if way == "score_samples" and name == "ComplementNB":
            continue
        with pytest.raises(ValueError, match=r"contains NaN at row 1, column .*missing="):
            getattr(model, way)(with_gap(X))
    one = with_gap(X)[1:2]
    with pytest.raises(ValueError, match="contains NaN at row 0, column"):
        model.predict(one)


@pytest.mark.parametrize("name", DISCRETE)
def test_streams_drop_rows_and_say_how_many(name, tmp_path):
    entry = MODELS[name]
    X, y = entry.data()
    gappy = with_gap(X)
    frame = gappy if name in FRAMES else pd.DataFrame(gappy, columns=["a", "b", "c"])
    frame = frame.assign(y=y)
    path = tmp_path / "rows.parquet"
    frame.to_parquet(path, index=False)
    with pytest.warns(UserWarning, match="left out 1 of 90 rows"):
        streamed = entry.make(missing="drop").fit_stream(path, target="y", batch_rows=20)
    with pytest.warns(UserWarning, match="left out 1 of 90 rows"):
        fitted = entry.make(missing="drop").fit(frame.drop(columns="y"), y)
    rows = frame.drop(columns="y").drop(index=1)
    np.testing.assert_allclose(streamed.predict_proba(rows), fitted.predict_proba(rows), rtol=1e-12)
    every = frame.assign(**{frame.columns[0]: None if name in FRAMES else np.nan})
    with (
        pytest.raises(ValueError, match="all 90 have some"),
        pytest.warns(UserWarning, match="left out 90 of 90 rows"),
    ):
        entry.make(missing="drop").fit_stream(pl.from_pandas(every), target="y")


@pytest.mark.parametrize("name", TEXT)
def test_counts_of_terms_cannot_be_left_out(name):
    with pytest.raises(ValueError, match=r"'missing' parameter .* must be a str among"):
        MODELS[name].fitted(missing="marginalize")
    with pytest.raises(ValueError, match="missing must be one of 'raise' and 'drop'"):
        Counts.from_data([[1.0]], [0], kind="multinomial", missing="marginalize")
