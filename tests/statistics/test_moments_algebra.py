"""Moments joined, removed and forgotten, against exact ones of the rows that are left."""

import re
from fractions import Fraction
from functools import reduce
from operator import sub

import numpy as np
import pandas as pd
import pytest
from exact_moments import STRUCTURES, Sample, assert_exact, structured
from hypothesis import given, settings
from hypothesis import strategies as st

from gauda import QDA, Moments

PROFILE = settings(max_examples=40)
FAR = st.sampled_from([0, 10**8, -(10**8)])
SEEDS = st.integers(0, 2**32)
STRUCTURE = st.sampled_from(STRUCTURES)
SAMPLE = Sample((90, 3, 3), seed=1)
X, Y = SAMPLE.X, SAMPLE.y
ALL = Moments.from_data(X, Y)
TREES = np.array(["oak", "elm", "fir"])[Y]


@pytest.fixture(params=STRUCTURES)
def structure(request):
    return request.param


def moments_of(sample, rows, structure="full"):
    return Moments.from_data(*sample.part(rows), structure)


def alike(ours, theirs):
    """Tell whether two moments hold the same numbers, however they came to them."""
    return (
        np.array_equal(ours.classes, theirs.classes)
        and np.array_equal(ours.counts, theirs.counts)
        and np.array_equal(ours.means, theirs.means)
        and np.array_equal(ours.scatter, theirs.scatter)
    )


# Joined


@PROFILE
@given(SEEDS, st.lists(st.integers(0, 6), min_size=80, max_size=80), FAR, st.booleans(), STRUCTURE)
def test_pieces_in_any_order_add_up_to_the_whole(seed, home, far, weighted, structure):
    sample = Sample((80, 3, 3), seed, far=far, weighted=weighted)
    order = np.random.default_rng(seed).permutation(8)  # the last is empty, others may be
    pieces = [np.flatnonzero(np.array(home) == piece) for piece in order]
    assert_exact(sum(moments_of(sample, piece, structure) for piece in pieces), sample)


@PROFILE
@given(SEEDS, FAR, STRUCTURE)
def test_single_rows_add_up_to_the_whole(seed, far, structure):
    sample = Sample((60, 3, 3), seed, far=far)
    joined = sum(moments_of(sample, [row], structure) for row in range(60))
    assert_exact(joined, sample)


@PROFILE
@given(SEEDS, FAR, STRUCTURE)
def test_halves_of_halves_add_up_to_the_whole(seed, far, structure):
    sample = Sample((64, 2, 3), seed, far=far)
    pieces = [moments_of(sample, [row], structure) for row in range(64)]
    while len(pieces) > 1:
        pieces = [a + b for a, b in zip(pieces[::2], pieces[1::2], strict=True)]
    assert_exact(pieces[0], sample)


def test_order_changes_no_more_than_rounding(structure):
    a, b = moments_of(SAMPLE, slice(0, 20), structure), moments_of(SAMPLE, slice(20, 90), structure)
    assert_exact(a + b, SAMPLE)
    assert_exact(b + a, SAMPLE)


def test_nothing_added_changes_nothing(structure):
    whole = moments_of(SAMPLE, slice(None), structure)
    nothing = moments_of(SAMPLE, slice(0, 0), structure)
    assert whole + nothing == whole
    assert alike(nothing + whole, whole)
    assert nothing + nothing == nothing


def test_rows_are_counted_together():
    assert (moments_of(SAMPLE, slice(0, 20)) + moments_of(SAMPLE, slice(0, 20))).n_rows == 40


@pytest.mark.parametrize(
    ("first", "second", "classes"),
    [
        ([3, 1], [2, 1], np.array([1, 2, 3])),
        (["b", "d"], ["apple", "d"], np.array(["apple", "b", "d"])),
        (np.array(["b", "a"], object), ["cc", "a"], np.array(["a", "b", "cc"], object)),
        (
            np.array(["b", "a"], object),
            np.array(["cc", "a"], object),
            np.array(["a", "b", "cc"], object),
        ),
        ([1, 2], [2.0, 7.0], np.array([1.0, 2.0, 7.0])),
        (np.array([1, 2], "i1"), np.array([2, 300], "i2"), np.array([1, 2, 300], "i2")),
        (np.array([1, 2]), np.array([2, 3], "u8"), np.array([1, 2, 3])),
        ([False, True], [1, 2], np.array([0, 1, 2])),
        (pd.Series(["b", "a"]), pd.Categorical(["c", "a"]), np.array(["a", "b", "c"], object)),
    ],
)
def test_classes_are_matched_by_label_and_new_ones_appear(first, second, classes):
    joined = Moments.from_data([[1.0], [2.0]], first) + Moments.from_data([[4.0], [5.0]], second)
    np.testing.assert_array_equal(joined.classes, classes)
    assert joined.classes.dtype == classes.dtype
    (shared,) = set(first) & set(second)
    values = [
        x for x, label in zip([1, 2, 4, 5], [*first, *second], strict=True) if label == shared
    ]
    place = list(classes).index(shared)
    np.testing.assert_allclose(joined.means[place], [np.mean(values)], rtol=1e-15)
    np.testing.assert_allclose(joined.scatter[place], [[np.ptp(values) ** 2 / 2]], rtol=1e-15)


def test_labels_beyond_two_to_the_53_are_not_mixed_up():
    near = Moments.from_data([[1.0]], [2**53]) + Moments.from_data(
        [[5.0]], np.array([2**53 + 1], "u8")
    )
    np.testing.assert_array_equal(near.classes, [2**53, 2**53 + 1])
    np.testing.assert_array_equal(near.counts, [1, 1])


def test_names_of_either_are_those_of_the_sum():
    named = Moments.from_data(pd.DataFrame(X, columns=list("abc")), Y)
    for joined in (ALL + named, named + ALL, named + named):
        np.testing.assert_array_equal(joined.feature_names, ["a", "b", "c"])


def test_attributes_of_a_model_are_double_unless_all_rows_are_single():
    single, double = Moments.from_data(X.astype("f4"), Y), Moments.from_data(X, Y)
    dtypes = [QDA.from_moments(m).means_.dtype for m in (single + single, single + double, double)]
    assert dtypes == [np.float32, np.float64, np.float64]


@pytest.mark.parametrize("less", ["tied", "diag"])
def test_full_moments_are_reduced_where_they_meet_others(less):
    first, second = moments_of(SAMPLE, slice(0, 20)), moments_of(SAMPLE, slice(20, 90))
    for whole in (first + second.to(less), first.to(less) + second):
        assert whole.structure == less
        assert_exact(whole, SAMPLE)
    for rest in ((ALL - first.to(less)), (ALL.to(less) - first)):
        assert rest.structure == less
        assert_exact(rest, SAMPLE, slice(20, 90))


# Removed


@PROFILE
@given(SEEDS, st.integers(0, 9), FAR, st.booleans(), STRUCTURE)
def test_removing_nine_tenths_leaves_nine_digits(seed, tenth, far, weighted, structure):
    sample = Sample((300, 3, 3), seed, far=far, weighted=weighted)
    order = np.argsort(sample.y, kind="stable")
    stays = np.zeros(300, bool)
    stays[order[tenth::10]] = True
    whole = moments_of(sample, slice(None), structure)
    rest = whole - moments_of(sample, np.flatnonzero(~stays), structure)
    assert_exact(rest, sample, np.flatnonzero(stays), rtol=1e-9)
    assert rest.n_rows == 30


@PROFILE
@given(SEEDS, st.integers(1, 89), FAR, STRUCTURE)
def test_what_was_added_can_be_removed(seed, cut, far, structure):
    sample = Sample((90, 2, 3), seed, far=far)
    stays, goes = np.arange(cut), np.arange(cut, 90)
    both = moments_of(sample, stays, structure) + moments_of(sample, goes, structure)
    rest = both - moments_of(sample, goes, structure)
    labels, counts, means, scatters = sample.exact(stays)
    np.testing.assert_array_equal(rest.classes, labels)
    np.testing.assert_array_equal(rest.counts, counts)
    # A few rows left of many keep what rounding left of the many.
    np.testing.assert_allclose(rest.means, means + far, rtol=1e-12, atol=1e-11)
    total = sample.exact()[3].max() * 1e-12
    expected = structured(scatters, structure)
    np.testing.assert_allclose(rest.scatter, expected, rtol=1e-9, atol=total)


def test_all_removed_leaves_nothing(structure):
    whole = moments_of(SAMPLE, slice(None), structure)
    nothing = whole - whole
    assert (nothing.n_rows, len(nothing.classes)) == (0, 0)
    assert alike(nothing + whole, whole)


def test_nothing_removed_changes_nothing(structure):
    whole = moments_of(SAMPLE, slice(None), structure)
    assert whole - moments_of(SAMPLE, slice(0, 0), structure) == whole
    assert whole - Moments.from_data(X[:0], [], None, structure, classes=["never"]) == whole


def test_a_class_whose_rows_are_all_removed_is_gone(structure):
    whole = moments_of(SAMPLE, slice(None), structure)
    rest = whole - moments_of(SAMPLE, np.flatnonzero(Y == 1), structure)
    np.testing.assert_array_equal(rest.classes, [0, 2])
    assert_exact(rest, SAMPLE, np.flatnonzero(Y != 1), rtol=1e-12)


@pytest.mark.parametrize("far", [0.0, 1e8])
def test_rows_can_be_removed_one_by_one_to_the_last(far, structure):
    moved = X + far
    rows = [Moments.from_data(moved[[i]], Y[[i]], None, structure) for i in range(len(X))]
    left = reduce(sub, rows, Moments.from_data(moved, Y, None, structure))
    assert (left.n_rows, len(left.classes), left.scatter.any()) == (0, 0, False)


def test_classes_that_never_had_rows_stay():
    whole = Moments.from_data(X, Y, classes=[0, 1, 2, 3])
    rest = whole - moments_of(SAMPLE, np.flatnonzero(Y == 1))
    np.testing.assert_array_equal(rest.classes, [0, 2, 3])


def test_given_parameters_can_be_removed_from_what_they_were_added_to():
    known = QDA.from_parameters(np.zeros((3, 3)), [np.eye(3)] * 3).moments_
    rest = ALL + known - known
    assert_exact(rest, SAMPLE, rtol=1e-12)


# Forgotten


@pytest.mark.parametrize("factor", [Fraction(1, 2), np.float32(0.5), 0.5, np.float64(0.5)])
def test_a_factor_scales_weight_and_scatter(structure, factor):
    whole = moments_of(SAMPLE, slice(None), structure)
    for half in (whole * factor, factor * whole):
        np.testing.assert_array_equal(half.counts, [15, 15, 15])
        np.testing.assert_array_equal(half.scatter, whole.scatter / 2)
        np.testing.assert_array_equal(half.means, whole.means)
        assert half.n_rows == 90


@PROFILE
@given(SEEDS, FAR, STRUCTURE)
def test_forgetting_is_a_weight_for_each_row(seed, far, structure):
    sample = Sample((90, 3, 3), seed, far=far)
    old, new = np.arange(60), np.arange(60, 90)
    moments = moments_of(sample, old, structure) * 0.25 + moments_of(sample, new, structure)
    sample.weights = np.where(np.arange(90) < 60, 1.0, 4.0)  # whole ones, of four times the weight
    assert_exact(moments * 4, sample)


def test_nothing_is_left_of_moments_times_zero(structure):
    nothing = moments_of(SAMPLE, slice(None), structure) * 0
    assert nothing.n_rows == 0
    np.testing.assert_array_equal(nothing.classes, [0, 1, 2])
    for numbers in (nothing.counts, nothing.means, nothing.scatter):
        assert not numbers.any()


# Summed up


def test_a_sum_of_one_is_itself():
    assert sum([ALL]) == ALL


def test_a_sum_of_many_is_that_of_their_rows():
    assert_exact(sum(moments_of(SAMPLE, slice(i, i + 9)) for i in range(0, 90, 9)), SAMPLE)


# Refused


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ALL.to("tied") + ALL.to("diag"), "'tied' and 'diag' do not go together.*'full'"),
        (lambda: ALL.to("diag") - ALL.to("tied"), "'diag' and 'tied' do not go together"),
        (lambda: ALL + ALL.select([0]), r"3 and 1 features do not go together.*select\(\)"),
        (
            lambda: (
                Moments.from_data(pd.DataFrame(X, columns=list("abc")), Y)
                + Moments.from_data(pd.DataFrame(X, columns=list("cab")), Y)
            ),
            r"\['a', 'b', 'c'\] and \['c', 'a', 'b'\]; select\(\) the same ones in the same order",
        ),
        (lambda: ALL + Moments.from_data(X, TREES), "Numbers and text.*int64 and <U3.*Convert one"),
        (
            lambda: ALL + Moments.from_data(X, np.array(Y, dtype="M8[D]")),
            r"Numbers and dates.*int64 and datetime64\[D\].*Convert one",
        ),
        (
            lambda: Moments.from_data([[1.0]], [2**53 + 1]) + Moments.from_data([[1.0]], [0.0]),
            r"float64, the common type of int64 and float64.*\[9007199254740993\]",
        ),
        (
            lambda: ALL + Moments.from_data(np.full((9, 3), 1e160), Y[:9]),
            "overflow a double. Rescale the column",
        ),
        (lambda: moments_of(SAMPLE, slice(0, 20)) - ALL, "class 0 would have a negative row count"),
        (lambda: ALL - Moments.from_data(X[:9], Y[:9] + 5), r"no classes \[6 7\] among \[0 1 2\]"),
        (
            lambda: ALL - Moments.from_data(X[:9], TREES[:9]),
            r"no classes \['elm'.* among \[0 1 2\]",
        ),
        (lambda: ALL - Moments.from_data(X[:9] * 50, Y[:9]), "scatter that no rows have"),
        (lambda: ALL - Moments.from_data(X[:9], Y[:9], np.full(9, 99.0)), "with the same weights"),
        (
            lambda: ALL.to("tied") - Moments.from_data(X[:9] * 50, Y[:9], None, "tied"),
            "all classes would have a negative row count",
        ),
        (lambda: ALL * -1, "finite factor of at least 0; got -1"),
        (lambda: ALL * np.nan, "finite factor of at least 0; got nan"),
        (lambda: np.inf * ALL, "finite factor of at least 0; got inf"),
        (lambda: ALL * 1e308, "overflow"),
    ],
)
def test_refusals_say_what_is_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: ALL + 1,
        lambda: 1 + ALL,
        lambda: ALL + X,
        lambda: X + ALL,
        lambda: ALL - 0,
        lambda: ALL * "a",
        lambda: ALL * None,
        lambda: ALL * np.ones(3),
        lambda: np.ones(3) * ALL,
        lambda: ALL * ALL,
    ],
)
def test_moments_go_together_with_moments_only(call):
    with pytest.raises(TypeError):
        call()


def test_a_class_elsewhere_cannot_be_removed_whole(structure):
    moments = Moments.from_data([[0.0], [2.0], [9.0]], [1, 1, 2], structure=structure)
    elsewhere = Moments.from_data([[100.0], [102.0]], [1, 1], structure=structure)
    with pytest.raises(ValueError, match="not part of the moments"):
        moments - elsewhere


def test_nothing_before_moments_changes_nothing():
    moments = Moments.from_data(X, Y)
    assert Moments.from_data(X[:0], []) + moments == moments


@pytest.mark.parametrize("weights", [[], 2.0])
def test_no_rows_may_have_no_weights_or_one_for_all(weights):
    assert Moments.from_data(X[:0], [], sample_weight=weights).n_rows == 0


def test_half_the_weight_can_be_removed(structure):
    whole = ALL.to(structure)
    half = whole - whole * 0.5
    np.testing.assert_allclose(half.counts, whole.counts / 2, rtol=1e-15)
    np.testing.assert_allclose(half.scatter, whole.scatter / 2, rtol=1e-12)
    np.testing.assert_allclose(half.means, whole.means, rtol=1e-12)


# Digits

NEAR, FAR_AWAY = 1e3, 1e7
FAR_OFF = st.tuples(st.integers(0, 39), st.integers(0, 2), st.floats(2, 20))
WINDOW = 20


def exact_scatters(X, y):
    """Return the scatter of each class in rational arithmetic."""
    return np.array([exact_scatter(X[y == label]) for label in np.unique(y)])


def exact_scatter(X):
    rows = [[Fraction(value) for value in row] for row in X.tolist()]
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    apart = np.array(
        [[x - mean for x, mean in zip(row, means, strict=True)] for row in rows], object
    )
    return (apart.T @ apart).astype(float)


@PROFILE
@given(SEEDS, st.lists(FAR_OFF, max_size=4), st.sampled_from([0.0, 1e3, -1e6]), STRUCTURE)
def test_what_is_added_to_values_far_off_comes_back_to_six_digits_or_is_refused(
    seed, outliers, center, structure
):
    random = np.random.default_rng(seed)
    y = np.arange(60) % 3
    X = random.normal(size=(60, 3)) @ random.normal(size=(3, 3)) + center
    for row, column, power in outliers:
        X[row, column] = 10**power
    goes, stays = slice(0, 40), slice(40, 60)
    part = Moments.from_data(X[goes], y[goes], None, structure)
    whole = Moments.from_data(X[stays], y[stays], None, structure) + part
    rest, refusal = rest_or_refusal(whole, part)
    widest = np.abs(X[goes] - center).max()
    if rest is None:
        assert re.search(r"in column \d exceeds what remains", refusal)
        assert widest > NEAR
        return
    assert widest < FAR_AWAY
    scatters = exact_scatters(X[stays], y[stays])
    expected = structured(scatters, structure)
    np.testing.assert_allclose(rest.scatter, expected, atol=1e-6 * scatters.max())


def rest_or_refusal(whole, part):
    """Return what remains, or why it cannot be told."""
    try:
        return whole - part, ""
    except ValueError as refusal:
        return None, str(refusal)


def test_the_class_and_the_column_that_lose_digits_are_named(structure):
    table = pd.DataFrame(X[:30], columns=list("abc"))
    far = table.copy()
    far.iloc[3, 1] = 999999999
    a, b = (Moments.from_data(rows, TREES[:30], None, structure) for rows in (far, table))
    owner = "all classes" if structure == "tied" else f"class {TREES[3]}"
    words = f"subtracted from {owner} in column 'b' exceeds what remains.*Moments.from_data"
    with pytest.raises(ValueError, match=words):
        a + b - a


@pytest.mark.parametrize("seed", range(10))
def test_windows_over_values_of_one_decimal_go_on(seed, iris, structure):
    X, y = iris
    order = np.random.default_rng(seed).permutation(len(X))
    X, y = X[order], y[order]
    rows = [Moments.from_data(X[[i]], y[[i]], None, structure) for i in range(len(X))]
    window = sum(rows[:WINDOW])
    for i in range(WINDOW, len(X)):
        window = window + rows[i] - rows[i - WINDOW]
        now = slice(i - WINDOW + 1, i + 1)
        scatters = exact_scatters(X[now], y[now])
        np.testing.assert_allclose(window.scatter, structured(scatters, structure), atol=1e-12)
        if structure != "tied":
            constant = np.einsum("kii->ki", scatters) < 1e-25
            given = window.to("diag").scatter
            assert not given[constant].any()
    for i in range(len(X) - WINDOW, len(X)):
        window = window - rows[i]
        if i + 1 < len(X):
            scatters = exact_scatters(X[i + 1 :], y[i + 1 :])
            np.testing.assert_allclose(window.scatter, structured(scatters, structure), atol=1e-12)
    assert (window.n_rows, len(window.classes), window.scatter.any()) == (0, 0, False)


EQUAL = {
    "zeros": ([0, 0], [5]),
    "zeros of many": ([0] * 50, [5, 7, 900, 0, 3]),
    "negative": ([-3, -3, -3], [12, 800]),
    "decimals": ([0.0, 0.0], [0.3]),
    "prices": ([1.99, 1.99, 1.99], [199.5, 0.01]),
    "halves": ([0.0, 0.0, 0.0], [0.5, -0.25]),
    "large": ([40_000, 40_000], [40_001, 2, 65_535]),
    "far from zero": ([1.7e9 + 0.5, 1.7e9 + 0.5], [1.7e9, 1.7e9 + 40]),
}


@pytest.mark.parametrize("case", EQUAL)
def test_equal_values_are_left(case, structure):
    stays, goes = EQUAL[case]
    values, labels = (
        np.array([*stays, *goes], float)[:, np.newaxis],
        np.zeros(len(stays + goes), int),
    )
    X, y = values, labels
    if structure != "tied":  # beside another class, which stays as it is
        X, y = np.concatenate([X, [[1.0], [2.0]]]), np.concatenate([y, [1, 1]])
    gone = values[len(stays) :], labels[len(stays) :]
    part = Moments.from_data(*gone, None, structure, classes=np.unique(y))
    rest = Moments.from_data(X, y, None, structure) - part
    assert rest.counts[0] == len(stays)
    np.testing.assert_allclose(rest.means[0], stays[0], rtol=1e-14)
    assert not np.ravel(rest.scatter)[0]


@pytest.mark.parametrize("stays", [[-1.0, 1.0], [1e-8, 3e-8], [0.5, 0.25], [0.1, 0.7]])
@pytest.mark.parametrize("goes", [[999999999.0], [-1e10], [1e9, 1e8], [1e12]])
def test_values_that_rounding_hides_are_not_equal(stays, goes, structure):
    values = np.array([*stays, *goes])[:, np.newaxis]
    labels = np.zeros(len(values), int)
    whole = Moments.from_data(values, labels, None, structure)
    with pytest.raises(ValueError, match="in column 0 exceeds what remains"):
        whole - Moments.from_data(values[2:], labels[2:], None, structure)


@PROFILE
@given(SEEDS, st.permutations([9, 7, 5, 3]), STRUCTURE)
def test_digits_lost_in_one_removal_are_not_found_in_the_next(seed, powers, structure):
    """Each row removed leaves most of the digits of what was left before, all together do not."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(24, 2))
    y = np.zeros(24, int)
    for row, power in enumerate(powers):
        X[row, 1] = 10.0**power
    left = Moments.from_data(X, y, None, structure)
    expected = exact_scatters(X[4:], y[4:])
    try:
        for row in range(4):
            left = left - Moments.from_data(X[[row]], y[[row]], None, structure)
    except ValueError as refusal:
        assert re.search(r"in column 1 exceeds what remains", str(refusal))  # noqa: PT017 (or else the sums are compared)
        return
    np.testing.assert_allclose(left.scatter, structured(expected, structure), rtol=1e-6, atol=1e-6)
