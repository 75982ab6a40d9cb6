"""Statistics of mixed columns: exact sums, gaps, kinds and levels; and models made of them."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows_of_kinds import ALL, GRID, N, Rows, mixed, mixed_table

import gauda
from gauda import MixedNB, MixedStatistics
from gauda._statistics.number_sums import NumberSums

PROFILE = settings(max_examples=25)
seeds = st.integers(0, 2**32)


# Against exact sums


def exact_column(grid, weights):
    """Return weight, mean and sum of squares of integers over the grid, rounded at the end."""
    w = [int(weight) for weight in weights]
    values = [Fraction(int(value), GRID) for value in grid]
    total = sum(w)
    mean = sum(a * x for a, x in zip(w, values, strict=True)) / total
    squares = sum(a * (x - mean) ** 2 for a, x in zip(w, values, strict=True))
    return total, float(mean), float(squares)


@PROFILE
@given(seeds, st.booleans(), st.integers(1, N - 1))
def test_sums_of_merged_numbers_are_those_of_fractions(seed, weighted, cut):
    rows = Rows(seed, weighted=weighted)
    whole = mixed(rows, slice(0, cut)) + mixed(rows, slice(cut, N))
    assert_numbers(whole.relabel(dict.fromkeys(whole.classes, "both")), rows, ALL, None)
    for index, label in enumerate(whole.classes):
        assert_numbers(whole, rows, rows.y == label, index)


def assert_numbers(statistics, rows, members, index):
    """Hold the sums of the numeric column in one class against exact ones."""
    weights = np.ones(N) if rows.weights is None else rows.weights
    seen = ~rows.missing & (np.ones(N, bool) if index is None else members)
    if not seen.any():
        return
    expected = exact_column(rows.grid[seen, 0], weights[seen])
    sums = statistics.numbers
    got = [table[index or 0, 0] for table in (sums.weights, sums.means, sums.scatter)]
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


@PROFILE
@given(seeds, st.booleans())
def test_each_row_counts_once_in_unweighted_sums(seed, weighted):
    rows = Rows(seed, weighted=weighted)
    sums = mixed(rows, ALL).unweighted
    expected = exact_column(rows.grid[~rows.missing, 0], np.ones((~rows.missing).sum()))
    got = [table[0, 0] for table in (sums.weights, sums.means, sums.scatter)]
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


@PROFILE
@given(seeds, st.integers(1, N - 1))
def test_merged_levels_are_those_of_a_loop(seed, cut):
    rows = Rows(seed, weighted=True)
    merged = mixed(rows, slice(0, cut)) + mixed(rows, slice(cut, N))
    table = mixed_table(rows, ALL)
    for count, name in zip(merged.counts, ["b", "c"], strict=True):
        expected = [
            [
                rows.weights[(rows.y == label) & (table[name] == level)].sum()
                for level in count.levels
            ]
            for label in merged.classes
        ]
        np.testing.assert_array_equal(count.table, expected)


# Gaps


@pytest.mark.parametrize("column", ["a", "c"])
@pytest.mark.parametrize("weighted", [False, True])
def test_mixed_columns_notice_their_gaps(column, weighted):
    rows = Rows(8, weighted=weighted)
    rows.missing[:] = False
    table = mixed_table(rows, ALL)
    y, weights = rows.part(ALL)
    assert not MixedStatistics.from_data(table, y, weights).has_gaps
    table.loc[5, column] = None
    assert MixedStatistics.from_data(table, y, weights).has_gaps
    if weighted:
        weights[5] = 0
        assert not MixedStatistics.from_data(table, y, weights).has_gaps


# Mixed columns


@pytest.mark.parametrize("alpha", [0.5, 1.0])
def test_a_model_of_mixed_statistics_is_that_of_the_rows(alpha):
    rows = Rows(9, weighted=True)
    y, weights = rows.part(ALL)
    table = mixed_table(rows, ALL)
    fitted = gauda.MixedNB(alpha=alpha).fit(table, y, weights)
    assert fitted.statistics_ == mixed(rows, ALL)
    again = gauda.MixedNB.from_statistics(mixed(rows, ALL), alpha=alpha)
    np.testing.assert_array_equal(again.predict_log_proba(table), fitted.predict_log_proba(table))
    assert again.feature_names_in_.tolist() == ["a", "b", "c"]


def test_rows_are_taken_out_of_a_model_by_their_statistics():
    rows = Rows(9)
    table = mixed_table(rows, ALL)
    rest = mixed(rows, ALL) - mixed(rows, slice(0, 10))
    expected = gauda.MixedNB().fit(table[10:], rows.y[10:]).predict_log_proba(table)
    got = gauda.MixedNB.from_statistics(rest).predict_log_proba(table)
    np.testing.assert_allclose(got, expected, rtol=1e-10)


def test_earlier_rows_are_forgotten_by_a_factor():
    rows = Rows(9)
    table = mixed_table(rows, ALL)
    model = gauda.MixedNB().fit(table[:30], rows.y[:30])
    model.partial_fit(table[30:], rows.y[30:], forget=0.25)
    weights = np.where(np.arange(N) < 30, 0.25, 1.0)
    expected = MixedStatistics.from_data(table, rows.y, weights)
    np.testing.assert_array_equal(model.class_count_, expected.class_count)
    np.testing.assert_allclose(model.statistics_.numbers.scatter, expected.numbers.scatter)
    for ours, theirs in zip(model.statistics_.counts, expected.counts, strict=True):
        np.testing.assert_array_equal(ours.table, theirs.table)


@pytest.mark.parametrize(
    ("statistics", "error"),
    [(lambda: "rows", TypeError), (lambda: mixed(Rows(9), ALL) * 0, ValueError)],
)
def test_only_statistics_of_rows_make_a_model(statistics, error):
    with pytest.raises(error, match=r"takes gauda.MixedStatistics|hold no rows"):
        gauda.MixedNB.from_statistics(statistics())


@pytest.mark.parametrize(
    "kinds", [["gaussian", "bernoulli", "categorical"], {"a": "gaussian"}, {2: "categorical"}]
)
def test_kinds_of_mixed_columns_may_be_given(kinds):
    rows = Rows(9)
    assert mixed(rows, ALL, kinds=kinds) == mixed(rows, ALL)
    assert mixed(rows, ALL).kinds == ("gaussian", "bernoulli", "categorical")


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ("gaussian", "kinds must be 'auto', a kind for each column, or a dict; got 'gaussian'"),
        (["gaussian"], "kinds must have an entry for each of the 3 columns; got 1"),
        ({"x": "gaussian"}, "'x', which is not a column"),
        ({"a": "round"}, "Column 'a' must be of a known kind; got 'round'"),
        ({"c": "gaussian"}, "Column 'c' must be numeric"),
    ],
)
def test_kinds_that_columns_cannot_have_are_refused(kinds, words):
    with pytest.raises(ValueError, match=words):
        mixed(Rows(9), ALL, kinds=kinds)


def test_columns_of_other_kinds_are_refused_by_name():
    rows = Rows(9)
    with pytest.raises(ValueError, match="Column 'b' must be of the same kind in both"):
        mixed(rows, ALL) + mixed(rows, ALL, kinds={"b": "categorical"})


def test_levels_that_are_gone_are_forgotten():
    a = MixedStatistics.from_data([["red"], ["blue"]], [0, 1])
    b = MixedStatistics.from_data([["green"], ["red"]], [0, 1])
    assert (a + b).counts[0].levels == ["blue", "green", "red"]
    assert (a + b - b) == a
    assert (a + b - a) == b


def test_squares_of_numbers_that_overflow_are_refused_with_their_column():
    a, b = (MixedStatistics.from_data(pd.DataFrame({"x": [v]}), ["k"]) for v in (1e200, -1e200))
    with pytest.raises(ValueError, match="class k in column 'x' are too large"):
        a + b


def test_lost_digits_are_refused_with_class_and_column():
    rows = Rows(10)
    table = mixed_table(rows, ALL)
    far = table.copy()
    far.loc[3, "a"] = 1e9
    a, b = (MixedStatistics.from_data(t, rows.y) for t in (far, table))
    with pytest.raises(ValueError, match=f"class {rows.y[3]} in column 'a' exceeds what remains"):
        a + b - a


EXTREMES = [0.0, 1e-300, 2.0**-20, 1.0, 1e153, 1e300, 1.7e308]


@pytest.mark.parametrize("weight", [weight for weight in EXTREMES if weight])
@pytest.mark.parametrize("square", EXTREMES)
@pytest.mark.parametrize("mean", [0.0, -1.7e308, 1.7e308])
def test_what_passes_for_moderate_overflows_nowhere(weight, square, mean):
    weights = np.array([[weight, weight], [0.0, 0.0]])
    means, scatter = np.array([[mean, mean], [0.0, 0.0]]), np.array([[square, 1.0], [0.0, 0.0]])
    sums = NumberSums.of_parts(weights[:, 0], weights, means, scatter)
    largest = Fraction(max(square, 1.0)) / Fraction(weight)
    assert largest <= Fraction(np.finfo(float).max) or not sums.are_moderate()
    assert sums.are_moderate() or mean or max(square, 1.0) / min(weight, 1.0) > 1e299


def test_usual_rows_are_moderate():
    statistics = mixed(Rows(0, weighted=True), ALL)
    assert statistics.numbers.are_moderate()
    assert statistics.unweighted.are_moderate()


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_without_numbers_can_be_taken_out_after_a_file(tmp_path, weighted):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"size": rng.normal(1e3, 50, 40), "color": np.array(["red", "green"] * 20)})
    y, weights = np.arange(40) % 3, rng.integers(1, 4, 40) * 0.5 if weighted else np.ones(40)
    X.loc[X.index % 5 == 0, "size"] = np.nan
    X.loc[30:, "size"] = np.nan
    parts = [
        MixedStatistics.from_data(X[rows], y[rows], sample_weight=weights[rows])
        for rows in (slice(0, 30), slice(30, 40))
    ]
    (parts[0] + parts[1]).save(tmp_path / "sums.gauda")
    rest = MixedStatistics.load(tmp_path / "sums.gauda") - parts[1]
    found, expected = MixedNB.from_statistics(rest), MixedNB.from_statistics(parts[0])
    np.testing.assert_allclose(found.epsilon_, expected.epsilon_, rtol=1e-12)
    answers = found.predict_joint_log_proba(X[:30])
    np.testing.assert_allclose(answers, expected.predict_joint_log_proba(X[:30]), rtol=1e-9)
