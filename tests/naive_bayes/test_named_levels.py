"""CategoricalNB takes text and the levels of categoricals as they are, from any table.

The oracle is scikit-learn's class on the indices of the sorted levels.
"""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.naive_bayes import CategoricalNB as Reference

import gauda
from gauda import CategoricalNB, Counts

N = 200
COLORS = np.array(["blue", "green", "red"], dtype=object)
SIZES = np.array(["L", "M", "S", "XL"], dtype=object)


def data(seed=0, n=N):
    """Draw codes of three columns, and labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    codes = np.column_stack(
        [(rng.integers(0, 3, n) + y) % 3, (rng.integers(0, 2, n) + y) % 4, rng.integers(0, 3, n)]
    )
    return codes, np.array(["p", "q", "r"])[y]


def frame_of(codes):
    """Return codes as a frame with two columns of text and one of numbers."""
    return pd.DataFrame(
        {"color": COLORS[codes[:, 0]], "size": SIZES[codes[:, 1]], "legs": codes[:, 2]}
    )


def categorical(frame, **options):
    return frame.assign(
        color=pd.Categorical(frame["color"], **options), size=pd.Categorical(frame["size"])
    )


TABLES = {
    "pandas object": lambda frame: frame.astype({"color": object, "size": object}),
    "pandas string": lambda frame: frame.astype({"color": "string", "size": "string"}),
    "pandas category": categorical,
    "pandas category with more": lambda frame: categorical(frame, categories=[*COLORS, "pink"]),
    "pandas ordered": lambda frame: categorical(frame, categories=[*COLORS[::-1]], ordered=True),
    "pandas arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "polars text": pl.from_pandas,
    "polars categorical": lambda frame: pl.from_pandas(frame).cast(
        {"color": pl.Categorical, "size": pl.Enum(list(SIZES))}
    ),
    "arrow text": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "arrow dictionary": lambda frame: pa.Table.from_pandas(
        categorical(frame), preserve_index=False
    ),
    "objects": lambda frame: frame.to_numpy(),
    "lists": lambda frame: frame.to_numpy().tolist(),
}


@pytest.fixture(params=TABLES)
def table(request):
    return TABLES[request.param]


def reference(codes, y, **parameters):
    return Reference(**parameters).fit(codes, y)


@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_levels_of_any_table_are_those_of_their_indices(table, alpha):
    codes, y = data()
    X = table(frame_of(codes))
    model = CategoricalNB(alpha=alpha).fit(X, y)
    expected = reference(codes, y, alpha=alpha)
    assert model.categories_ == {0: COLORS.tolist(), 1: SIZES.tolist()}
    np.testing.assert_array_equal(model.n_categories_, [3, 4, 3])
    for ours, theirs in zip(model.category_count_, expected.category_count_, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(codes), rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), expected.predict(codes))
    few = X[:2] if not isinstance(X, pa.Table) else X.slice(0, 2)
    np.testing.assert_array_equal(model.predict(few), expected.predict(codes[:2]))


def test_batches_and_streams_find_the_same_levels(table):
    codes, y = data()
    order = np.argsort(codes[:, 0], kind="stable")  # so that batches have other levels
    codes, y = codes[order], y[order]
    frame = frame_of(codes)
    whole = CategoricalNB().fit(table(frame), y)
    parts = [slice(0, 40), slice(40, 120), slice(120, N)]
    pieces = [(table(frame[part].reset_index(drop=True)), y[part]) for part in parts]
    learned = CategoricalNB()
    for X, labels in pieces:
        learned.partial_fit(X, labels, classes=["p", "q", "r"])
    streamed = CategoricalNB().fit_stream(pieces)
    summed = Counts.from_stream(pieces)
    added = sum(Counts.from_data(X, labels) for X, labels in pieces)
    for counts in (learned.counts_, streamed.counts_, summed, added):
        assert counts == whole.counts_
        assert counts.levels == (COLORS.tolist(), SIZES.tolist(), None)
    assert added - Counts.from_data(*pieces[0]) == Counts.from_data(*pieces[1]) + Counts.from_data(
        *pieces[2]
    )
    expected = whole.predict_proba(table(frame))
    for model in (learned, streamed, CategoricalNB.from_counts(summed)):
        np.testing.assert_array_equal(model.predict_proba(table(frame)), expected)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
@pytest.mark.parametrize("kind", ["pandas string", "pandas category"])
def test_files_hold_levels(kind, suffix, tmp_path):
    codes, y = data()
    frame = TABLES[kind](frame_of(codes)).assign(y=y)
    path = tmp_path / f"rows{suffix}"
    if suffix == ".parquet":
        frame.to_parquet(path, index=False)
    elif suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=True)
    model = CategoricalNB().fit_stream(path, target="y", batch_rows=64)
    assert model.counts_ == CategoricalNB().fit(frame_of(codes), y).counts_
    out = tmp_path / "out.parquet"
    model.predict_stream(path, out, ("label", "proba"), target="y", batch_rows=50)
    expected = reference(codes, y)
    found = pd.read_parquet(out)
    np.testing.assert_array_equal(found["label"], expected.predict(codes))
    np.testing.assert_allclose(
        found[["proba_p", "proba_q", "proba_r"]], expected.predict_proba(codes), rtol=1e-12
    )


def test_models_and_counts_are_saved_with_their_levels(tmp_path):
    codes, y = data()
    frame = frame_of(codes)
    model = CategoricalNB(min_categories=[3, 5, 3]).fit(frame, y)
    model.save(tmp_path / "model.gauda")
    model.counts_.save(tmp_path / "counts.gauda")
    assert Counts.load(tmp_path / "counts.gauda") == model.counts_
    for other in (gauda.load(tmp_path / "model.gauda"), pickle.loads(pickle.dumps(model))):  # noqa: S301 (our own)
        np.testing.assert_array_equal(other.predict_proba(frame), model.predict_proba(frame))
        assert other.categories_ == model.categories_
        pd.testing.assert_frame_equal(
            other.sample(5, random_state=1)[0], model.sample(5, random_state=1)[0]
        )


def test_unknown_levels_are_refused_or_left_out(table):
    codes, y = data()
    frame = frame_of(codes)
    strange = frame.copy()
    strange.loc[3, "color"] = "pink"
    model = CategoricalNB().fit(table(frame), y)
    of_category = isinstance(table(frame), pd.DataFrame)  # whose type may not have it
    given = strange if of_category else table(strange)
    match = "holds 'pink' at row 3, column .*, which is none of the 3 levels of the fit"
    with pytest.raises(gauda.UnknownCategoryError, match=match):
        model.predict(given)
    model.handle_unknown = "ignore"
    others = reference(codes[:, 1:], y).predict_proba(codes[3:4, 1:])
    np.testing.assert_allclose(model.predict_proba(given)[3:4], others, rtol=1e-12)


def test_a_level_that_is_free_is_taken_by_one_that_is_new():
    codes, y = data()
    frame = frame_of(codes)
    model = CategoricalNB(min_categories=[4, 4, 3]).fit(frame, y)
    expected = reference(codes, y, min_categories=[4, 4, 3])
    new, new_codes = frame[:1].copy(), codes[:1].copy()
    new["color"], new_codes[0, 0] = "pink", 3
    np.testing.assert_allclose(model.predict_proba(new), expected.predict_proba(new_codes))
    assert "free 1" in str(model.summary())
    assert model.sample(2000, random_state=0)[0]["color"].isna().any()


def test_numbers_of_categories_keep_their_meaning():
    codes, y = data()
    sparse = codes * np.array([2, 1, 3])  # not all numbers occur
    model = CategoricalNB().fit(pd.DataFrame(sparse), y)
    assert model.categories_ == {}
    expected = reference(sparse, y)
    np.testing.assert_array_equal(model.n_categories_, expected.n_categories_)
    np.testing.assert_allclose(model.predict_proba(sparse), expected.predict_proba(sparse))


def test_categoricals_of_numbers_are_levels_as_they_are():
    codes, y = data()
    frame = pd.DataFrame({"year": pd.Categorical(np.array([1990, 2000, 2010])[codes[:, 0]])})
    model = CategoricalNB().fit(frame, y)
    assert model.categories_ == {0: [1990, 2000, 2010]}
    plain = pd.DataFrame({"year": frame["year"].astype(int)})
    np.testing.assert_allclose(
        model.predict_proba(plain), reference(codes[:, :1], y).predict_proba(codes[:, :1])
    )


def test_truth_values_beside_text_are_numbers():
    codes, y = data()
    frame = pd.DataFrame({"color": COLORS[codes[:, 0]], "wings": codes[:, 2] > 0})
    model = CategoricalNB().fit(frame, y)
    both = np.column_stack([codes[:, 0], codes[:, 2] > 0])
    np.testing.assert_allclose(model.predict_proba(frame), reference(both, y).predict_proba(both))
    nullable = frame.astype({"wings": "boolean"})
    np.testing.assert_array_equal(model.predict_proba(nullable), model.predict_proba(frame))


@pytest.mark.parametrize("mark", [None, np.nan, pd.NA])
@pytest.mark.parametrize("kind", ["pandas object", "pandas string", "pandas category"])
def test_missing_levels(kind, mark):
    codes, y = data()
    frame = TABLES[kind](frame_of(codes))
    gappy = frame.copy()
    gappy.iloc[[2, 7], 0] = mark
    with pytest.raises(ValueError, match=r"contains .* at row 2, column 'color'"):
        CategoricalNB().fit(gappy, y)
    with pytest.raises(ValueError, match=r"contains .* at row 2, column 'color'"):
        CategoricalNB().fit(frame, y).predict(gappy)
    model = CategoricalNB(missing="marginalize").fit(gappy, y)
    assert model.counts_.has_gaps
    seen = np.delete(np.arange(N), [2, 7])
    one = reference(codes[seen][:, :1], y[seen])
    np.testing.assert_allclose(model.feature_log_prob_[0], one.feature_log_prob_[0])
    others = reference(codes[:, 1:], y)
    np.testing.assert_allclose(
        model.predict_proba(gappy)[[2, 7]], others.predict_proba(codes[[2, 7], 1:]), rtol=1e-12
    )
    propagating = CategoricalNB(missing="propagate").fit(frame, y)
    assert np.isnan(propagating.predict_proba(gappy)).any(axis=1).nonzero()[0].tolist() == [2, 7]
    with pytest.warns(UserWarning, match="left out 2 of 200 rows"):
        dropped = CategoricalNB(missing="drop").fit(gappy, y)
    np.testing.assert_allclose(
        dropped.predict_proba(frame), reference(codes[seen], y[seen]).predict_proba(codes)
    )
    filled = model.impute(gappy)
    assert set(filled["color"].iloc[[2, 7]]) <= set(COLORS)
    assert filled["color"].notna().all()


def test_missing_numbers_and_text_in_streams(tmp_path):
    codes, y = data()
    frame = frame_of(codes).astype({"legs": float}).assign(y=y)
    frame.loc[4, "color"] = None
    frame.loc[[5, 6], "legs"] = np.nan
    path = tmp_path / "rows.parquet"
    frame.to_parquet(path)
    features = frame.drop(columns="y")
    streamed = CategoricalNB(missing="marginalize").fit_stream(path, target="y", batch_rows=30)
    assert streamed.counts_ == CategoricalNB(missing="marginalize").fit(features, y).counts_
    with pytest.warns(UserWarning, match="left out 3 of 200 rows"):
        dropped = CategoricalNB(missing="drop").fit_stream(path, target="y", batch_rows=30)
    with pytest.warns(UserWarning, match="left out 3 of 200 rows"):
        assert dropped.counts_ == Counts.from_stream(path, target="y", missing="drop")
    with pytest.raises(ValueError, match=r"contains null at row 4, column 'color'"):
        CategoricalNB().fit_stream(path, target="y")


def test_text_where_numbers_were_is_refused():
    codes, y = data()
    frame = frame_of(codes)
    numbered = frame.assign(color=codes[:, 0])
    model = CategoricalNB().partial_fit(numbered, y, classes=["p", "q", "r"])
    before = model.counts_
    with pytest.raises(ValueError, match=r"Column 'color' must be numeric"):
        model.partial_fit(frame, y)
    with pytest.raises(ValueError, match=r"Column 'color' must be numeric"):
        model.predict(frame)
    assert model.counts_ == before
    with pytest.raises(ValueError, match=r"Column 'color' must hold numbers .* in both counts"):
        Counts.from_data(frame, y) + before


def test_levels_that_leave_are_forgotten():
    codes, y = data()
    frame = frame_of(codes)
    rare = frame.copy()
    rare.loc[0, "size"] = "tiny"
    model = CategoricalNB().fit(rare, y)
    assert "tiny" in model.categories_[1]
    model.forget_rows(rare[:1], y[:1])
    assert model.counts_ == Counts.from_data(frame[1:], y[1:])


def test_leaving_rows_out_counts_one_less():
    codes, y = data(n=40)
    frame = frame_of(codes)
    frame.loc[0, "size"], codes[0, 1] = "tiny", 4  # the only one
    for handle_unknown in ("error", "ignore"):
        model = CategoricalNB(alpha=0.5, handle_unknown=handle_unknown).fit(frame, y)
        found = np.exp(model.loo_log_proba(frame, y, refit_priors=True))
        kept = [0, 2] if handle_unknown == "ignore" else [0, 1, 2]
        for row in range(0, 40, 7):
            rest, columns = np.delete(np.arange(40), row), kept if row == 0 else [0, 1, 2]
            given = codes[:, columns]
            widths = np.array([3, 5, 3])[columns]
            other = reference(given[rest], y[rest], alpha=0.5, min_categories=widths)
            expected = other.predict_proba(given[row : row + 1])[0]
            np.testing.assert_allclose(found[row], expected, rtol=1e-9)


def test_draws_are_levels_in_a_table_of_the_library():
    codes, y = data()
    for kind, library in [("pandas category", pd), ("polars categorical", pl)]:
        X, labels = CategoricalNB().fit(TABLES[kind](frame_of(codes)), y).sample(50, random_state=0)
        assert isinstance(X, library.DataFrame)
        assert set(X["color"]) <= set(COLORS)
        assert set(X["legs"]) <= {0, 1, 2}
        assert len(labels) == 50


def test_a_row_may_be_a_list_or_a_dictionary():
    codes, y = data()
    model = CategoricalNB().fit(frame_of(codes), y)
    row = {"color": "red", "size": "M", "legs": 2}
    expected = reference(codes, y).predict_proba([[2, 1, 2]])
    np.testing.assert_allclose(model.predict_proba(row), expected)
    np.testing.assert_allclose(model.predict_proba([row, row])[1:], expected)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_allclose(model.predict_proba([["red", "M", 2]]), expected)
    given = model.condition({"color": "red"})
    np.testing.assert_allclose(given.predict_proba({"size": "M", "legs": 2}), expected)


def test_many_levels_and_one_row():
    names = np.array([f"item {index}" for index in range(5000)], dtype=object)
    y = np.arange(5000) % 2
    model = CategoricalNB().fit(names[:, np.newaxis], y)
    assert len(model.categories_[0]) == 5000
    assert model.predict(names[:10, np.newaxis]).tolist() == y[:10].tolist()
    one = CategoricalNB().fit([["x"]], [1])
    assert one.predict_proba([["x"]]).tolist() == [[1.0]]


def test_what_cannot_be_a_level_is_named():
    with pytest.raises(TypeError, match=r"Column 0 cannot hold categories"):
        CategoricalNB().fit(np.array([[{}], ["a"]], dtype=object), [0, 1])
    times = pd.DataFrame({"t": pd.to_datetime(["2020-01-01", "2020-01-02"]), "c": ["a", "b"]})
    message = r"Column 't' must be of a known kind; its type, datetime64.* convert it to text"
    with pytest.raises(ValueError, match=message):
        CategoricalNB().fit(times, [0, 1])
