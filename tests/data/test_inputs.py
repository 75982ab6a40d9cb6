"""What X may be: element types, memory layouts, lists, frames and sparse matrices.

The answer is always that of the contiguous float64 copy of the same numbers.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from models import GAUSSIAN
from models import MODELS as ALL
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from peers import is_lacking, reason, theirs
from scipy import sparse
from support import SCORES, answers, fitted, ours, outcome

N, D = 150, 4

OF_ANY_NUMBERS = [*GAUSSIAN, "BernoulliNB", "MixedNB"]
"""Models that take negative and fractional numbers as they are."""

# Whole numbers from 0 to 120 are the same in every element type.
CODES = np.arange(N) % 3
WHOLE = np.random.default_rng(7).integers(0, 80, (N, D)) + 20.0 * CODES[:, None]
BITS = np.random.default_rng(8).random((N, D)) < 0.4 + 0.1 * CODES[:, None]

SCORED_IN_64_BITS = ["f8", ">f8", "i4", ">i4", "i8", "u4", "u8", ">u8", "longdouble", "object"]
SCORED_IN_32_BITS = ["f4", "i1", "u1", "i2", "u2"]
CONVERTED_FIRST = ["f2", ">f4", ">i2"]


@pytest.fixture
def model(name):
    return ours(name)


# Element types


@pytest.mark.parametrize("dtype", [*SCORED_IN_64_BITS, "i1", "u1", "i2", "u2", ">i2"])
def test_fit_depends_on_the_numbers_not_on_their_type(name, model, dtype):
    expected = ours(name).fit(WHOLE, CODES)
    np.testing.assert_equal(fitted(model.fit(WHOLE.astype(dtype), CODES)), fitted(expected))


@pytest.mark.parametrize("name", GAUSSIAN)
@pytest.mark.parametrize("dtype", ["f4", ">f4", "f2"])
def test_fit_of_short_floats_is_that_of_float64_to_float32_accuracy(name, model, dtype):
    model.fit(WHOLE.astype(dtype), CODES)
    expected = ours(name).fit(WHOLE, CODES)
    for method in SCORES:
        got = getattr(model, method)(WHOLE)
        np.testing.assert_allclose(got, getattr(expected, method)(WHOLE), rtol=2e-5, atol=2e-5)


def test_fitted_attributes_of_float32_have_the_types_scikit_learn_gives_them(twin):
    if twin == "GaussianNB" and is_lacking("GaussianNB's types"):
        pytest.skip(reason("GaussianNB's types"))
    peer = theirs(twin).fit(WHOLE.astype("f4"), CODES)
    model = ours(twin).fit(WHOLE.astype("f4"), CODES)
    for attribute in {"coef_", "intercept_", "means_", "theta_", "var_"} & set(vars(peer)):
        assert getattr(model, attribute).dtype == getattr(peer, attribute).dtype, attribute


@pytest.mark.parametrize("dtype", SCORED_IN_64_BITS)
def test_wide_types_score_as_their_float64_copy(model, dtype):
    model.fit(WHOLE, CODES)
    np.testing.assert_equal(answers(model, WHOLE.astype(dtype)), answers(model, WHOLE))


@pytest.mark.parametrize("name", GAUSSIAN)
@pytest.mark.parametrize("dtype", SCORED_IN_32_BITS + CONVERTED_FIRST)
@pytest.mark.parametrize("method", SCORES)
def test_narrow_types_score_to_float32_accuracy(model, dtype, method):
    score = getattr(model.fit(WHOLE, CODES), method)
    np.testing.assert_allclose(score(WHOLE.astype(dtype)), score(WHOLE), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name", GAUSSIAN)
@pytest.mark.parametrize("dtype", SCORED_IN_64_BITS + SCORED_IN_32_BITS)
@pytest.mark.parametrize("method", SCORES)
def test_scores_have_the_width_they_were_computed_in(model, dtype, method):
    scores = getattr(model.fit(WHOLE, CODES), method)(WHOLE.astype(dtype))
    assert scores.dtype == ("f4" if dtype in SCORED_IN_32_BITS else "f8")


@pytest.mark.parametrize("name", [name for name in ALL if name != "MixedNB"])
def test_booleans_are_zeros_and_ones(name, model):
    expected = ours(name).fit(BITS.astype("f8"), CODES)
    model.fit(BITS, CODES)
    np.testing.assert_equal(fitted(model), fitted(expected))
    np.testing.assert_equal(answers(model, BITS), answers(expected, BITS.astype("f8")))


@pytest.mark.parametrize("name", OF_ANY_NUMBERS)
@pytest.mark.parametrize("dtype", ["i8", "u8"])
def test_integers_past_2_to_the_53_round_to_the_nearest_double(name, model, dtype):
    X = WHOLE.astype(dtype) * 2**54 + np.array(2**62 + 1, dtype)
    expected = ours(name).fit(X.astype("f8"), CODES)
    np.testing.assert_equal(fitted(model.fit(X, CODES)), fitted(expected))


@pytest.mark.parametrize("name", OF_ANY_NUMBERS)
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8"])
def test_signed_integers_keep_their_sign(name, model, dtype):
    expected = ours(name).fit(WHOLE - 100, CODES)
    np.testing.assert_equal(fitted(model.fit((WHOLE - 100).astype(dtype), CODES)), fitted(expected))


# Layouts: each gives the same numbers otherwise placed; what lies between them is NaN or junk.


def every_other(X, axis):
    gaps = np.full([2 * s if a == axis else s for a, s in enumerate(X.shape)], 77, X.dtype)
    if X.dtype.kind == "f":
        gaps[:] = np.nan
    view = gaps[::2] if axis == 0 else gaps[:, ::2]
    view[:] = X
    return view


def field_of_records(X):
    records = np.zeros(len(X), dtype=[("flag", "i1"), ("x", X.dtype, X.shape[1:])])
    records["x"] = X
    return records["x"]


def off_by_one_byte(X):
    return np.frombuffer(b"\0" + X.tobytes(), X.dtype, offset=1).reshape(X.shape)


def read_only(X):
    X = X.copy()
    X.setflags(write=False)
    return X


LAYOUTS = {
    "fortran": np.asfortranarray,
    "transposed": lambda X: X.T.copy().T,
    "every other row": lambda X: every_other(X, 0),
    "every other column": lambda X: every_other(X, 1),
    "rows reversed": lambda X: X[::-1].copy()[::-1],
    "columns reversed": lambda X: X[:, ::-1].copy()[:, ::-1],
    "both reversed, fortran": lambda X: np.asfortranarray(X[::-1, ::-1])[::-1, ::-1],
    "slice of a cube": lambda X: np.stack([X[::-1], X, X[::-1]], axis=2)[:, :, 1],
    "field of packed records": field_of_records,
    "unaligned": off_by_one_byte,
    "unaligned, fortran": lambda X: off_by_one_byte(X.T).T,
    "read-only": read_only,
}


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i2", "u1", "bool"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_does_not_matter(name, model, layout, dtype):
    X = np.ascontiguousarray(BITS if dtype == "bool" else WHOLE.astype(dtype))
    laid_out = LAYOUTS[layout](X)
    np.testing.assert_array_equal(laid_out, X)
    expected = ours(name).fit(X, CODES)
    model.fit(laid_out, CODES)
    np.testing.assert_equal(fitted(model), fitted(expected))
    np.testing.assert_equal(answers(model, laid_out), answers(expected, X))


@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_mapped_file_is_read(name, model, order, tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, np.asarray(WHOLE, order=order))
    mapped = np.load(path, mmap_mode="r")
    expected = ours(name).fit(WHOLE, CODES)
    np.testing.assert_equal(fitted(model.fit(mapped, CODES)), fitted(expected))
    np.testing.assert_equal(answers(model, mapped), answers(expected, WHOLE))


@pytest.mark.parametrize("name", OF_ANY_NUMBERS)
def test_overlapping_windows_are_read_in_place(name, model):
    windows = sliding_window_view(np.random.default_rng(1).normal(size=N + D - 1), D)
    expected = ours(name).fit(windows.copy(), CODES)
    np.testing.assert_equal(fitted(model.fit(windows, CODES)), fitted(expected))
    np.testing.assert_equal(answers(model, windows), answers(expected, windows.copy()))


@pytest.mark.parametrize(
    "X",
    [
        np.broadcast_to(WHOLE[3], (N, D)),
        np.broadcast_to(WHOLE[:, [WHOLE.max(axis=0).argmin()]], (N, D)),
        as_strided(WHOLE[5], (1, D), (8 * 10**9, 8)),
        WHOLE[7:8, :],
    ],
    ids=["one row repeated", "one column repeated", "one row of any stride", "one row"],
)
def test_repeated_and_single_rows_score_as_their_copy(model, X):
    model.fit(WHOLE, CODES)
    np.testing.assert_equal(answers(model, X), answers(model, np.ascontiguousarray(X)))


def test_single_column_of_a_table_is_read_in_place(name, model):
    expected = ours(name).fit(WHOLE[:, 2:3].copy(), CODES)
    np.testing.assert_equal(fitted(model.fit(WHOLE[:, 2:3], CODES)), fitted(expected))


@pytest.mark.parametrize("convert", [list, np.ndarray.tolist, lambda X: tuple(map(tuple, X))])
def test_lists_and_tuples_are_arrays(name, model, convert):
    expected = ours(name).fit(WHOLE, CODES)
    np.testing.assert_equal(fitted(model.fit(convert(WHOLE), CODES.tolist())), fitted(expected))
    np.testing.assert_equal(answers(model, convert(WHOLE)), answers(expected, WHOLE))


@pytest.mark.parametrize("weights", [np.asarray, list, pd.Series, pl.Series, np.float32, np.uint8])
def test_weights_may_come_in_any_container(name, model, weights):
    values = np.arange(N) % 4 + 1.0
    expected = ours(name).fit(WHOLE, CODES, sample_weight=values)
    model.fit(WHOLE, CODES, sample_weight=weights(values))
    np.testing.assert_equal(fitted(model), fitted(expected))


# Frames

COLUMNS = ["sepal length", "sepal width", "petal length", "petal width"]
FRAME_TYPES = dict(zip(COLUMNS, ["float64", "int16", "Int64", "Float32"], strict=True))
PANDAS = pd.DataFrame(WHOLE, columns=COLUMNS)
FRAMES = {
    "pandas": PANDAS,
    "pandas, mixed types": PANDAS.astype(FRAME_TYPES),
    "pandas on arrow": PANDAS.astype("double[pyarrow]"),
    "polars": pl.DataFrame(WHOLE, schema=COLUMNS),
    "polars, mixed types": pl.DataFrame(WHOLE, schema=COLUMNS).with_columns(
        pl.col(COLUMNS[1]).cast(pl.Int16), pl.col(COLUMNS[3]).cast(pl.Float32)
    ),
}


@pytest.mark.parametrize("frame", FRAMES)
def test_frame_is_read_as_its_numbers(name, model, frame):
    expected = ours(name).fit(WHOLE, CODES)
    model.fit(FRAMES[frame], CODES)
    np.testing.assert_array_equal(model.feature_names_in_, COLUMNS)
    np.testing.assert_equal(answers(model, FRAMES[frame]), answers(expected, WHOLE))


STRANGE_FRAMES = {
    "wrong order": PANDAS[COLUMNS[::-1]],
    "missing": PANDAS[COLUMNS[:3]],
    "unseen": PANDAS.rename(columns={"petal width": "color"}),
    "one more": PANDAS.assign(color=1.0),
    "polars, wrong order": FRAMES["polars"].select(COLUMNS[::-1]),
    "no names": WHOLE,
    "numbered": pd.DataFrame(WHOLE),
    "names of two kinds": PANDAS.rename(columns={"petal width": 3}),
}


@pytest.mark.parametrize("method", ["predict", "predict_proba", "score"])
@pytest.mark.parametrize("other", STRANGE_FRAMES)
def test_other_columns_than_at_fit_get_scikit_learns_words(twin, other, method):
    X = STRANGE_FRAMES[other]
    arguments = (X, CODES) if method == "score" else (X,)
    peer = theirs(twin).fit(PANDAS, CODES)
    expected = outcome(lambda: getattr(peer, method)(*arguments))
    assert expected, "scikit-learn has something to say here"
    assert outcome(lambda: getattr(ours(twin).fit(PANDAS, CODES), method)(*arguments)) == expected


def test_names_unknown_at_fit_get_scikit_learns_warning(twin):
    expected = outcome(lambda: theirs(twin).fit(WHOLE, CODES).predict(PANDAS))
    assert outcome(lambda: ours(twin).fit(WHOLE, CODES).predict(PANDAS)) == expected
    assert "fitted without feature names" in expected[0]


# Sparse matrices


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_sparse_matrix_is_refused_as_by_scikit_learn_naming_who_takes_it(twin, kind):
    X = kind(WHOLE)
    assert outcome(lambda: theirs(twin).fit(X, CODES)).startswith("TypeError: Sparse data")
    for call in (lambda: ours(twin).fit(X, CODES), lambda: ours(twin).fit(WHOLE, CODES).predict(X)):
        with pytest.raises(TypeError, match="MultinomialNB, ComplementNB or BernoulliNB"):
            call()
