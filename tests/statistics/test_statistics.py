"""The algebra of statistics of every kind: what adds up, comes back, and is refused."""

# ruff: noqa: SLF001 (what a file holds)

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows_of_kinds import ALL, NAMES, N, Rows, counts, mixed, numbers

import gauda
from gauda import Counts, MixedStatistics, Moments

PROFILE = settings(max_examples=25)
KINDS = {
    "categorical": counts,
    "bernoulli": lambda *args, **options: counts(*args, kind="bernoulli", **options),
    "mixed": mixed,
    "full": numbers,
    "tied": lambda *args, **options: numbers(*args, structure="tied", **options),
    "diag": lambda *args, **options: numbers(*args, structure="diag", **options),
}
MOMENTS = ["full", "tied", "diag"]
EXACT = ["categorical", "bernoulli"]
"""Kinds whose sums of whole weights have no rounding."""

seeds = st.integers(0, 2**32)
kinds = st.sampled_from(list(KINDS))


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def without_past(arrays):
    """Leave out what statistics remember of rows that were removed, which is not a sum."""
    return {name: array for name, array in arrays.items() if name.split(".")[-1] != "past"}


def assert_close(ours, theirs, rtol=1e-11):
    """Hold two statistics against each other, to rounding; everything else is the same."""
    (our_arrays, our_metadata), (their_arrays, their_metadata) = ours._state(), theirs._state()
    our_arrays, their_arrays = without_past(our_arrays), without_past(their_arrays)
    assert our_metadata == their_metadata
    assert our_arrays.keys() == their_arrays.keys()
    for name, array in our_arrays.items():
        if array.dtype.kind != "f":
            np.testing.assert_array_equal(array, their_arrays[name])
        elif name.split(".")[-1] not in {"shift", "offset"}:  # which parts of means are in which
            scale = np.abs(array).max(initial=1.0)
            np.testing.assert_allclose(array, their_arrays[name], rtol=rtol, atol=rtol * scale)
    if isinstance(ours, Moments):
        np.testing.assert_allclose(ours.means, theirs.means, rtol=rtol, atol=rtol)
        once = ours.unweighted.means, theirs.unweighted.means
        np.testing.assert_allclose(*once, rtol=rtol, atol=rtol)


def splits(data, n_parts):
    """Return the indices of rows that fall to each of some parts."""
    homes = np.array(data.draw(st.lists(st.integers(0, n_parts - 1), min_size=N, max_size=N)))
    return [np.flatnonzero(homes == part) for part in range(n_parts)]


def nonempty(data, n_parts):
    """Return splits in which each part has a row."""
    parts = splits(data, n_parts)
    return [np.union1d(part, [index]) for index, part in enumerate(parts)]


# Laws


@PROFILE
@given(seeds, kinds, st.booleans(), st.data())
def test_addition_is_commutative_and_associative(seed, kind, weighted, data):
    rows = Rows(seed, weighted=weighted)
    a, b, c = (KINDS[kind](rows, part) for part in nonempty(data, 3))
    assert_close(a + b, b + a)
    assert_close((a + b) + c, a + (b + c))
    assert_close(sum([a, b, c]), a + b + c)
    if kind in EXACT:
        assert a + b == b + a
        assert (a + b) + c == a + (b + c)


@PROFILE
@given(seeds, kinds, st.booleans(), st.data())
def test_parts_add_up_to_the_whole(seed, kind, weighted, data):
    rows = Rows(seed, weighted=weighted)
    order = np.argsort(data.draw(st.permutations(range(N))))
    cut = data.draw(st.integers(1, N - 1))
    first, second = (KINDS[kind](rows, part) for part in (order[:cut], order[cut:]))
    assert_close(first + second, KINDS[kind](rows, ALL))


@PROFILE
@given(seeds, kinds, st.booleans(), st.data())
def test_what_was_added_comes_off_again(seed, kind, weighted, data):
    rows = Rows(seed, weighted=weighted)
    a, b = (KINDS[kind](rows, part) for part in nonempty(data, 2))
    gaps = a.has_gaps or b.has_gaps
    rest = a + b - b
    assert rest.has_gaps == gaps
    assert_close(rest, with_gaps(a, gaps), rtol=1e-9)
    if kind in EXACT:
        assert rest == a


def with_gaps(statistics, gaps):
    """Return the same sums with another note on gaps."""
    arrays, metadata = statistics._state()
    return type(statistics)._from_state(arrays, metadata | {"has_gaps": gaps})


@PROFILE
@given(seeds, kinds, st.integers(2, 5))
def test_a_factor_is_that_many_samples(seed, kind, times):
    statistics = KINDS[kind](Rows(seed), ALL)
    repeated, scaled = sum([statistics] * times), statistics * times
    np.testing.assert_array_equal(scaled.class_weight, repeated.class_weight)
    assert scaled.n_rows == statistics.n_rows
    assert_close(scaled * (1 / 4) * 4, scaled)
    assert times * statistics == scaled == np.float64(times) * statistics


@PROFILE
@given(seeds, kinds, st.data())
def test_columns_and_labels_change_before_or_after_a_sum(seed, kind, data):
    rows = Rows(seed, weighted=True)
    a, b = (KINDS[kind](rows, part) for part in nonempty(data, 2))
    columns = data.draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    assert_close((a + b).select(columns), a.select(columns) + b.select(columns))
    labels = {label: data.draw(st.integers(0, 9)) for label in range(4)}
    before = relabeled(a, labels) + relabeled(b, labels)
    assert_close(relabeled(a + b, labels), before)


def relabeled(statistics, labels):
    return statistics.relabel({k: v for k, v in labels.items() if k in statistics.classes})


def test_zero_times_leaves_classes_without_rows(kind):
    nothing = KINDS[kind](Rows(1), ALL) * 0
    assert nothing.n_rows == 0
    np.testing.assert_array_equal(nothing.classes, [0, 1, 2, 3])
    assert not nothing.class_weight.any()
    np.testing.assert_array_equal((nothing + KINDS[kind](Rows(1), ALL)).class_weight.sum(), N)


def test_all_less_all_is_nothing(kind):
    whole = KINDS[kind](Rows(1), ALL)
    nothing = whole - whole
    assert (nothing.n_rows, len(nothing.classes)) == (0, 0)
    np.testing.assert_array_equal((nothing + whole).class_weight, whole.class_weight)


def test_subtracting_a_class_drops_it(kind):
    rows = Rows(2)
    whole = KINDS[kind](rows, ALL)
    rest = whole - KINDS[kind](rows, np.flatnonzero(rows.y == 1))
    np.testing.assert_array_equal(rest.classes, [0, 2, 3])
    assert_close(
        rest, with_gaps(KINDS[kind](rows, np.flatnonzero(rows.y != 1)), rest.has_gaps), 1e-9
    )


# Labels and names


@pytest.mark.parametrize(
    ("first", "second", "classes"),
    [
        ([3, 1], [2, 1], np.array([1, 2, 3])),
        (["b", "d"], ["apple", "d"], np.array(["apple", "b", "d"])),
        (np.array(["b", "a"], object), ["cc", "a"], np.array(["a", "b", "cc"], object)),
        ([1, 2], [2.0, 7.0], np.array([1.0, 2.0, 7.0])),
        (np.array([1, 2], "i1"), np.array([1, 2], "i2"), np.array([1, 2], "i2")),
        (np.array([1, 2], "i2"), np.array([1, 2], "i1"), np.array([1, 2], "i2")),
        (np.array([2**53]), np.array([2**53 + 1], "u8"), np.array([2**53, 2**53 + 1])),
        ([False, True], [1, 2], np.array([0, 1, 2])),
        (pd.Series(["b", "a"]), pd.Categorical(["c", "a"]), np.array(["a", "b", "c"], object)),
    ],
)
def test_classes_are_matched_by_label_whatever_their_types(kind, first, second, classes):
    a, b = (of_labels(kind, labels) for labels in (first, second))
    for joined in (a + b, b + a):
        np.testing.assert_array_equal(joined.classes, classes)
        assert joined.classes.dtype.kind == classes.dtype.kind
        assert joined.n_rows == len(first) + len(second)
        shared = [label for label in classes if label in list(first) and label in list(second)]
        weights = [2.0 if label in shared else 1.0 for label in classes]
        np.testing.assert_array_equal(joined.class_weight, weights)


def of_labels(kind, labels):
    """Return statistics of as many rows as labels."""
    rows = Rows(3)
    rows.part = lambda _: (labels, None)
    return KINDS[kind](rows, np.arange(len(labels)))


def test_names_of_either_are_those_of_the_sum(kind):
    rows = Rows(4)
    named = KINDS[kind](rows, ALL)
    arrays, metadata = named._state()
    del arrays["feature_names"]
    unnamed = type(named)._from_state(arrays, metadata)
    for joined in (named + unnamed, unnamed + named):
        assert joined.feature_names.tolist() == NAMES
    assert (unnamed + unnamed).feature_names is None
    assert unnamed != named


def test_other_names_and_columns_are_refused_by_name(kind):
    whole = KINDS[kind](Rows(4), ALL)
    other = whole.select(["b", "c"])
    arrays, metadata = whole._state()
    renamed = type(whole)._from_state(
        arrays | {"feature_names": np.array(["a", "x", "c"])}, metadata
    )
    for join in (lambda x, y: x + y, lambda x, y: x - y):
        with pytest.raises(ValueError, match=r"\['a', 'b', 'c'\] and \['a', 'x', 'c'\]; select"):
            join(whole, renamed)
        with pytest.raises(ValueError, match=r"3 and 2 features do not go together|same kind"):
            join(whole, other)


def test_numbers_and_text_are_not_classes_of_one_model(kind):
    whole = KINDS[kind](Rows(4), ALL)
    text = whole.relabel(dict(enumerate("abcd")))
    with pytest.raises(ValueError, match="Numbers and text"):
        whole + text
    with pytest.raises(ValueError, match="no classes"):
        whole - text


def test_classes_may_be_known_before_they_appear(kind):
    rows = Rows(4)
    wide = KINDS[kind](rows, ALL).widen([9, 3, 2, 1, 0])
    np.testing.assert_array_equal(wide.classes, [0, 1, 2, 3, 9])
    assert wide.class_weight[4] == 0
    assert wide == KINDS[kind](rows, ALL, classes=[0, 1, 2, 3, 9])
    later = copy.copy(rows)
    later.y = rows.y + 9
    assert (wide + KINDS[kind](later, ALL)).classes.tolist() == [0, 1, 2, 3, 9, 10, 11, 12]
    np.testing.assert_array_equal((wide - KINDS[kind](rows, ALL)).classes, [9])
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        wide.widen([0, 1])


@pytest.mark.parametrize("classes", [[0, 1, 2, 3, "x"], [0.0, np.nan]])
def test_classes_that_are_not_labels_are_refused(kind, classes):
    with pytest.raises(ValueError, match=r"all numbers or all text|NaN"):
        KINDS[kind](Rows(4), ALL, classes=classes)


@pytest.mark.parametrize("n_threads", [0, -1, 1.5, "two", True])
def test_threads_are_a_number_of_at_least_one(kind, n_threads):
    with pytest.raises(ValueError, match="n_threads must be at least 1, or None for all; got"):
        KINDS[kind](Rows(4), ALL, n_threads=n_threads)


@pytest.mark.parametrize("factor", [-1, np.nan, np.inf, -0.5])
def test_factors_are_finite_and_not_negative(kind, factor):
    with pytest.raises(
        ValueError, match="must be multiplied by a finite factor of at least 0; got"
    ):
        KINDS[kind](Rows(4), ALL) * factor


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s + 1,
        lambda s: 1 + s,
        lambda s: s - 0,
        lambda s: s * "a",
        lambda s: s * s,
        lambda s: np.ones(3) * s,
        hash,
    ],
)
def test_statistics_go_together_with_their_kind_only(kind, call):
    with pytest.raises(TypeError):
        call(KINDS[kind](Rows(4), ALL))


def test_kinds_do_not_mix():
    rows = Rows(4)
    with pytest.raises(TypeError):
        counts(rows, ALL) + mixed(rows, ALL)
    assert counts(rows, ALL) != mixed(rows, ALL)


def test_what_was_not_added_does_not_come_off(kind):
    rows = Rows(5)
    a, b = (KINDS[kind](rows, part) for part in (slice(0, 12), slice(0, 40)))
    with pytest.raises(ValueError, match="was not part of the"):
        a - b


# Files, pickles, and what may not be written to


def through_a_file(statistics, folder):
    statistics.save(folder / "file")
    return gauda.load(folder / "file")


def by_class(statistics, folder):
    statistics.save(folder / "file")
    return type(statistics).load(folder / "file")


TWINS = {
    "file": through_a_file,
    "load of the class": by_class,
    "pickle": lambda s, _: pickle.loads(pickle.dumps(s)),  # noqa: S301 - our own
    "copy": lambda s, _: copy.copy(s),
    "deepcopy": lambda s, _: copy.deepcopy(s),
}


@pytest.mark.parametrize("way", TWINS)
@pytest.mark.parametrize("gaps", [False, True])
def test_twins_are_the_same_to_the_bit(kind, way, gaps, tmp_path):
    rows = Rows(6, weighted=True)
    rows.weights /= 3  # whose sums are rounded
    statistics = with_gaps(KINDS[kind](rows, ALL), gaps)
    twin = TWINS[way](statistics, tmp_path)
    assert twin == statistics
    assert (twin.n_rows, twin.has_gaps) == (N, gaps)
    (ours, _), (theirs, _) = statistics._state(), twin._state()
    assert all(
        ours[name].tobytes() == theirs[name].tobytes() for name in ours if name != "feature_names"
    )
    with pytest.raises(ValueError, match="read-only"):
        twin.classes[0] = 7
    with pytest.raises(ValueError, match="read-only"):
        twin.feature_names[0] = "x"


def test_a_file_of_another_kind_is_refused(kind, tmp_path):
    KINDS[kind](Rows(6), ALL).save(tmp_path / "file")
    others = [
        c for c in (Counts, MixedStatistics, Moments) if c is not type(KINDS[kind](Rows(6), ALL))
    ]
    for other in others:
        with pytest.raises(ValueError, match=r"holds a .*, not .*Use gauda.load"):
            other.load(tmp_path / "file")


def test_gaps_are_part_of_statistics(kind):
    rows = Rows(7)
    rows.missing[:] = False
    whole = KINDS[kind](rows, ALL)
    assert not whole.has_gaps
    gapped = with_gaps(whole, gaps=True)
    assert gapped != whole
    assert "with gaps" in repr(gapped)
    assert "with gaps" not in repr(whole)
    kept = [
        gapped.select(["a", "b"]),
        gapped.relabel({0: 17}),
        gapped * 1,
        sum([gapped]),
        gapped.widen(range(8)),
    ]
    assert all(statistics.has_gaps for statistics in kept)
    part = KINDS[kind](rows, slice(0, 9))
    for join in (
        lambda: gapped + part,
        lambda: part + gapped,
        lambda: gapped - part,
        lambda: gapped * 0.5,
        lambda: gapped.relabel({0: 1}),
    ):
        if kind in MOMENTS:  # which do not tell how many values of a column there were
            with pytest.raises(ValueError, match="values were missing cannot be"):
                join()
        else:
            assert join().has_gaps
