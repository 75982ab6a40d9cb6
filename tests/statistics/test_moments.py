"""Moments of rows: what they hold, how they are seen otherwise, and what they refuse."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from exact_moments import STRUCTURES, Sample, assert_exact
from hypothesis import given, settings
from hypothesis import strategies as st

from gauda import Moments

PROFILE = settings(max_examples=40)
SAMPLE = Sample((90, 3, 3), seed=1)
X, Y = SAMPLE.X, SAMPLE.y
TABLE = pd.DataFrame(X, columns=["length", "width", "weight"])
TREES = np.array(["oak", "elm", "fir"])[Y]


@pytest.fixture(params=STRUCTURES)
def structure(request):
    return request.param


# What they hold


@PROFILE
@given(
    st.integers(0, 2**32),
    st.tuples(st.integers(10, 60), st.integers(1, 5), st.integers(1, 4)),
    st.sampled_from([0, 10**8, -(10**8)]),
    st.booleans(),
    st.sampled_from(STRUCTURES),
)
def test_moments_are_exact_to_twelve_digits(seed, size, far, weighted, structure):
    sample = Sample(size, seed, far=far, weighted=weighted)
    X, y, weights = sample.part(slice(None))
    assert_exact(Moments.from_data(X, y, weights, structure), sample)


def test_long_columns_lose_no_digits(structure):
    sample = Sample((20_000, 2, 2), seed=2, far=10**8)
    assert_exact(Moments.from_data(sample.X, sample.y, structure=structure), sample)


def test_shapes_are_those_of_the_structure():
    shapes = {s: Moments.from_data(X[:, :2], Y, structure=s).scatter.shape for s in STRUCTURES}
    assert shapes == {"full": (3, 2, 2), "tied": (2, 2), "diag": (3, 2)}


def test_attributes_describe_the_rows():
    moments = Moments.from_data(TABLE, TREES)
    np.testing.assert_array_equal(moments.classes, ["elm", "fir", "oak"])
    assert (moments.n_rows, moments.n_features, moments.structure) == (90, 3, "full")
    np.testing.assert_array_equal(moments.feature_names, ["length", "width", "weight"])


def test_rows_without_names_have_none():
    assert Moments.from_data(X, Y).feature_names is None


def test_names_come_from_polars_too():
    table = pl.DataFrame(X, schema=["a", "b", "c"])
    np.testing.assert_array_equal(Moments.from_data(table, Y).feature_names, ["a", "b", "c"])


def test_rows_of_weight_zero_are_not_counted():
    weights = np.where(np.arange(90) < 30, 0.0, 2.5)
    moments = Moments.from_data(X, Y, weights)
    assert moments.n_rows == 60
    np.testing.assert_array_equal(moments.counts, 2.5 * np.bincount(Y[30:]))


def test_whole_weights_are_repeated_rows(structure):
    times = np.arange(90) % 4
    weighted = Moments.from_data(X, Y, times, structure)
    repeated = Moments.from_data(np.repeat(X, times, axis=0), np.repeat(Y, times), None, structure)
    np.testing.assert_allclose(weighted.scatter, repeated.scatter, rtol=1e-13, atol=1e-11)
    np.testing.assert_allclose(weighted.means, repeated.means, rtol=1e-13)
    np.testing.assert_array_equal(weighted.counts, repeated.counts)


def test_classes_may_have_no_rows():
    moments = Moments.from_data(X, Y, classes=[7, 2, 1, 0])
    np.testing.assert_array_equal(moments.classes, [0, 1, 2, 7])
    np.testing.assert_array_equal(moments.counts, [30, 30, 30, 0])
    np.testing.assert_array_equal(moments.means[3], np.zeros(3))
    np.testing.assert_array_equal(moments.scatter[3], np.zeros((3, 3)))


def test_no_rows_have_moments_too(structure):
    moments = Moments.from_data(np.empty((0, 4)), [], structure=structure)
    assert (moments.n_rows, moments.n_features, len(moments.classes)) == (0, 4, 0)
    assert not moments.scatter.any()


@pytest.mark.parametrize("dtype", ["f4", "i1", "i8", "u2", "?"])
def test_element_types_are_read_as_they_are(dtype):
    rows = np.array([[0, 1], [1, 1], [1, 0]], dtype=dtype)
    moments = Moments.from_data(rows, [0, 0, 0])
    np.testing.assert_allclose(moments.scatter[0], [[2 / 3, -1 / 3], [-1 / 3, 2 / 3]], rtol=1e-15)


def test_threads_do_not_change_a_bit(structure):
    sample = Sample((30_000, 4, 3), seed=3, weighted=True)
    one, two = (
        Moments.from_data(*sample.part(slice(None)), structure, n_threads=n) for n in (1, 2)
    )
    assert one == two


# How they read


@pytest.mark.parametrize(
    ("moments", "text"),
    [
        (
            Moments.from_data(X, TREES),
            "Moments('full', 90 rows, 3 features; elm: 30, fir: 30, oak: 30)",
        ),
        (Moments.from_data([[1]], [5], [2.5]), "Moments('full', 1 row, 1 feature; 5: 2.5)"),
        (Moments.from_data([[1]], [5], [1234567]), "Moments('full', 1 row, 1 feature; 5: 1234567)"),
        (
            Moments.from_data(X[:0], [], structure="tied"),
            "Moments('tied', 0 rows, 3 features; no classes)",
        ),
        (
            Moments.from_data(X[:9, :1], range(0, 90, 10), structure="diag"),
            (
                "Moments('diag', 9 rows, 1 feature; "
                "0: 1, 10: 1, 20: 1, 30: 1, 40: 1, 50: 1, 60: 1, 70: 1, … (9 classes))"
            ),
        ),
    ],
)
def test_moments_read_as_a_line_of_text(moments, text):
    assert repr(moments) == text


# Whether they are the same


def test_the_same_rows_have_equal_moments(structure):
    assert Moments.from_data(X, Y, structure=structure) == Moments.from_data(X, Y, None, structure)


@pytest.mark.parametrize(
    "other",
    [
        Moments.from_data(X + 1, Y),
        Moments.from_data(X, Y + 1),
        Moments.from_data(X, TREES),
        Moments.from_data(X, Y, structure="diag"),
        Moments.from_data(X[:, :2], Y),
        Moments.from_data(TABLE, Y),
        Moments.from_data(X, Y, classes=[0, 1, 2, 3]),
        Moments.from_data(X, Y, 2 * np.ones(90)),
        "moments",
    ],
)
def test_other_moments_are_not_equal(other):
    assert Moments.from_data(X, Y) != other


def test_moments_cannot_be_hashed():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Moments.from_data(X, Y))


def test_moments_cannot_be_changed():
    moments = Moments.from_data(X, Y)
    with pytest.raises(AttributeError):
        moments.classes = Y
    moments.counts[:] = moments.means[:] = moments.scatter[:] = 0
    assert moments == Moments.from_data(X, Y)


def pickled(moments):
    return pickle.loads(pickle.dumps(moments))  # noqa: S301 (our own)


@pytest.mark.parametrize("twin", [pickled, copy.copy, copy.deepcopy])
def test_copies_are_equal(structure, twin):
    sample = Sample((60, 3, 2), seed=4, far=10**8, weighted=True)
    moments = Moments.from_data(*sample.part(slice(None)), structure)
    joined = moments + Moments.from_data(TABLE, Y, structure=structure)
    assert twin(joined) == joined
    np.testing.assert_array_equal(twin(joined).feature_names, TABLE.columns)


# Columns


def assert_columns(selected, columns):
    """Check that these are the moments of some columns of the table."""
    np.testing.assert_array_equal(selected.feature_names, TABLE.columns[columns])
    sample = copy.copy(SAMPLE)
    sample.grid = SAMPLE.grid[:, columns]
    assert_exact(selected, sample)


@pytest.mark.parametrize(
    "features",
    [["weight", "length"], [2, 0], [-1, -3], np.array([2, 0]), TABLE.columns[[2, 0]]],
)
def test_selected_columns_have_the_moments_of_their_own_rows(structure, features):
    moments = Moments.from_data(TABLE, Y, structure=structure)
    assert_columns(moments.select(features), [2, 0])


@pytest.mark.parametrize("mask", [[True, False, True], pd.Series([True, False, True])])
def test_a_mask_selects_columns(structure, mask):
    assert_columns(Moments.from_data(TABLE, Y, structure=structure).select(mask), [0, 2])


@pytest.mark.parametrize("feature", ["width", 1])
def test_a_single_column_needs_no_list(structure, feature):
    assert_columns(Moments.from_data(TABLE, Y, structure=structure).select(feature), [1])


# Labels


@PROFILE
@given(st.integers(0, 2**32), st.sampled_from([0, 10**8]), st.sampled_from(STRUCTURES))
def test_classes_given_one_label_have_the_moments_of_their_rows_together(seed, far, structure):
    sample = Sample((60, 3, 4), seed, far=far)
    merged = Moments.from_data(sample.X, sample.y, structure=structure).relabel({3: 0, 1: 9})
    sample.y = np.array([0, 9, 2, 0])[sample.y]
    assert_exact(merged, sample)


@pytest.mark.parametrize(
    ("y", "mapping", "classes"),
    [
        (TREES, {"oak": "tree", "elm": "tree"}, np.array(["fir", "tree"])),
        (TREES, {"oak": 1, "elm": 2, "fir": 3}, np.array([1, 2, 3])),
        (
            TREES.astype(object),
            {"oak": "evergreen oak"},
            np.array(["elm", "evergreen oak", "fir"], object),
        ),
        (Y, {0: 2.5}, np.array([1.0, 2.0, 2.5])),
        (Y == 1, {True: "yes", False: "no"}, np.array(["no", "yes"])),
        (Y, {np.int64(0): 5}, np.array([1, 2, 5])),
        (TREES, pd.Series({"fir": "oak"}), np.array(["elm", "oak"])),
    ],
)
def test_new_labels_are_sorted_and_of_their_own_type(y, mapping, classes):
    relabeled = Moments.from_data(X, y).relabel(mapping)
    np.testing.assert_array_equal(relabeled.classes, classes)
    assert relabeled.classes.dtype == classes.dtype


def test_labels_may_be_swapped():
    sample = copy.copy(SAMPLE)
    sample.y = np.array([1, 0, 2])[Y]
    assert_exact(Moments.from_data(X, Y).relabel({0: 1, 1: 0}), sample)


def test_no_classes_have_no_labels_to_change():
    nothing = Moments.from_data(X[:0], np.empty(0, "U3"))
    assert nothing.relabel({}) == nothing


# Structures


@pytest.mark.parametrize("less", STRUCTURES)
def test_full_moments_hold_the_others(less):
    sample = Sample((60, 3, 2), seed=5, far=10**8, weighted=True)
    reduced = Moments.from_data(*sample.part(slice(None))).to(less)
    assert reduced.structure == less
    assert_exact(reduced, sample)


# What they refuse


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: Moments.from_data(X, Y, structure="round"),
            r"'full', 'tied', 'diag'\); got 'round'",
        ),
        (lambda: Moments.from_data(X, Y[:3]), r"inconsistent numbers of samples: \[90, 3\]"),
        (lambda: Moments.from_data(X, X[:, 0] / 7), "continuous"),
        (lambda: Moments.from_data(X[0], Y), "Expected 2D array"),
        (lambda: Moments.from_data(np.empty((2, 0)), [0, 1]), "0 feature"),
        (
            lambda: Moments.from_data(TABLE.replace(X[41, 0], np.nan), Y),
            "NaN at row .*, column 'length'",
        ),
        (lambda: Moments.from_data(X, Y, np.where(np.arange(90) == 7, -1.0, 1.0)), "-1.0 at row 7"),
        (lambda: Moments.from_data(X * 1e200, Y), "class 0 in column 0 are too large"),
        (lambda: Moments.from_data(X, Y, n_threads=0), "n_threads must be at least 1, .* got 0"),
        (lambda: Moments.from_data(X, Y, classes=[0, 1]), r"\[2\] in y do not exist .* \[0 1\]"),
        (
            lambda: Moments.from_data(X, Y, classes=map(str, range(200))),
            r"\[0 1 2\] in y do not exist",
        ),
        (lambda: Moments.from_data(X, Y, classes=[0, 1, 2, "x"]), "all numbers or all text"),
        (lambda: Moments.from_data(X, Y).select(["width"]), "no names.*'width'.*by index"),
        (
            lambda: Moments.from_data(TABLE, Y).select(["size"]),
            r"no columns \['size'\]; the names are \['length'",
        ),
        (lambda: Moments.from_data(X, Y).select([]), r"at least one column; got \[\]"),
        (lambda: Moments.from_data(X, Y).select([False] * 3), "at least one column"),
        (
            lambda: Moments.from_data(X, Y).select([True]),
            "one entry for each of the 3 columns; got 1",
        ),
        (lambda: Moments.from_data(X, Y).select([0.0]), "names, indices or a mask"),
        (lambda: Moments.from_data(X, Y).select(None), "names, indices or a mask"),
        (
            lambda: Moments.from_data(X, Y).relabel({5: 1}),
            r"by classes, which are \[0, 1, 2\]; got \[5\]",
        ),
        (
            lambda: Moments.from_data(X, Y).relabel({0: "a"}),
            r"all numbers or all text; got \['a', 1, 2\]",
        ),
        (lambda: Moments.from_data(X, Y).relabel({0: None}), "all numbers or all text"),
        (lambda: Moments.from_data(X, Y).relabel({0: (1, 2)}), "all numbers or all text"),
        (lambda: Moments.from_data(X, Y).relabel({0: np.nan}), "NaN cannot be a label"),
        (lambda: Moments.from_data(X, Y).to("round"), "must be one of .* got 'round'"),
        (
            lambda: Moments.from_data(X, Y).to("tied").to("full"),
            "'tied' moments do not hold what 'full' ones need",
        ),
        (
            lambda: Moments.from_data(X, Y).to("diag").to("tied"),
            "again from the rows with structure='full'",
        ),
    ],
)
def test_refusals_say_what_is_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_column_that_is_not_there_is_no_index():
    with pytest.raises(IndexError, match=r"indices from 0 to 2.* got \[3\]"):
        Moments.from_data(X, Y).select([3])
