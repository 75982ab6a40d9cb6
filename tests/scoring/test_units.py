"""Columns in any unit, weights of any size: the same answers, or a refusal naming the column."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from gauda import (
    LDA,
    QDA,
    RDA,
    GaussianNB,
    MixedNB,
    Moments,
)
from gauda._statistics.number_sums import NumberSums

UNIT_FREE = {
    "LDA svd": LDA(),
    "LDA lsqr": LDA(solver="lsqr"),
    "LDA eigen": LDA(solver="eigen"),
    "LDA auto": LDA(solver="lsqr", shrinkage="auto"),
    "LDA gaps": LDA(missing="marginalize"),
    "QDA": QDA(),
    "QDA auto": QDA(solver="eigen", shrinkage="auto"),
    "QDA gaps": QDA(missing="marginalize"),
    "RDA": RDA(alpha=0.3),
    "RDA diagonal": RDA(alpha=0.3, gamma=0.2, target="diagonal"),
    "RDA naive": RDA(gamma=1.0, target="diagonal"),
    "GaussianNB": GaussianNB(var_smoothing=0),
    "GaussianNB gaps": GaussianNB(var_smoothing=0, missing="marginalize"),
    "MixedNB": MixedNB(var_smoothing=0),
}
RNG = np.random.default_rng(11)
N, D = 90, 3
Y = np.arange(N) % 3
X = RNG.normal(size=(N, D)) @ (np.eye(D) + 0.4 * RNG.normal(size=(D, D))) + np.eye(3)[Y]
WEIGHTS = RNG.integers(1, 5, N).astype(float)
CELLS = RNG.random(X.shape) < 0.1
REFUSED = "in column {} are too (small|large): their squares (under|over)flow a double"


def rows_for(name):
    return np.where(CELLS, np.nan, X) if name.endswith("gaps") else X


def answers(model, rows, weights=None):
    fitted = clone(model).fit(rows, Y, sample_weight=weights)
    return fitted.predict(rows), fitted.predict_proba(rows)


def assert_same(found, expected, atol):
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1], rtol=0, atol=atol)


def same_or_refused(name, rows, columns, expected, weights=None):
    try:
        found = answers(UNIT_FREE[name], rows, weights)
    except ValueError as error:
        named = [j for j in columns if re.search(REFUSED.format(j), str(error))]
        assert named, error  # noqa: PT017 (or else the answers are compared)
        return False
    assert_same(found, expected, 1e-9)
    return True


@pytest.mark.parametrize("name", UNIT_FREE)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_columns_in_any_unit_give_the_same_answers_or_are_named(name, data):
    powers = data.draw(st.lists(st.integers(-1000, 1000), min_size=D, max_size=D))
    kept = data.draw(st.integers(0, D))
    powers[:kept] = [0] * kept
    rows = rows_for(name)
    expected = answers(UNIT_FREE[name], rows)
    given_answer = same_or_refused(name, np.ldexp(rows, powers), np.nonzero(powers)[0], expected)
    if all(-490 <= power <= 490 for power in powers):
        assert given_answer


@pytest.mark.parametrize("name", [name for name in UNIT_FREE if "auto" not in name])
@pytest.mark.parametrize("power", [-1070, -1045, -1000, -664, -300, 300, 664, 1000])
def test_weights_of_any_size_give_the_same_answers_or_a_refusal(name, power):
    rows = rows_for(name)
    expected = answers(UNIT_FREE[name], rows, WEIGHTS)
    given_answer = same_or_refused(name, rows, range(D), expected, np.ldexp(WEIGHTS, power))
    assert given_answer == (power >= -1000)


@pytest.mark.parametrize("name", UNIT_FREE)
@pytest.mark.parametrize("unit", [1e-162, 1e-200, 1e-310, 5e-324])
def test_a_column_too_small_to_be_squared_is_named_not_dropped(name, unit):
    rows = rows_for(name).copy()
    rows[:, 1] = np.rint(64 * rows[:, 1]) * unit
    with pytest.raises(ValueError, match="in column 1 are too small"):
        answers(UNIT_FREE[name], rows)
    if unit < 1e-300:
        return
    expected = answers(UNIT_FREE[name], np.where(np.arange(D) == 1, rows * 1e150, rows))
    again = answers(UNIT_FREE[name], np.where(np.arange(D) == 1, rows * 1e151, rows))
    assert_same(again, expected, 1e-9)


@pytest.mark.parametrize("name", UNIT_FREE)
def test_values_that_cancel_are_not_constant(name):
    signs = np.where(np.arange(N) // 3 % 2 == 0, 1.0, -1.0)
    rows = rows_for(name).copy()
    rows[:, 2] = np.ldexp(signs, -600)
    with pytest.raises(ValueError, match="in column 2 are too small"):
        answers(UNIT_FREE[name], rows)


@pytest.mark.parametrize("name", UNIT_FREE)
@pytest.mark.parametrize("unit", [1e-162, 1e-200, 5e-324])
@pytest.mark.parametrize("weighted", [False, True])
def test_values_that_cancel_after_many_that_are_equal_are_not_constant(name, unit, weighted):
    rows = np.tile(rows_for(name), (6, 1))
    if name.endswith("gaps"):
        rows[::7, 0] = np.nan
    half = len(rows) // 2
    rows[:, 2] = 0.0
    rows[half:, 2] = np.where(np.arange(half) // 3 % 2 == 0, unit, -unit)[: len(rows) - half]
    labels, weights = np.tile(Y, 6), np.tile(WEIGHTS, 6) if weighted else None
    with pytest.raises(ValueError, match="in column 2 are too small"):
        clone(UNIT_FREE[name]).fit(rows, labels, sample_weight=weights).predict(rows)


@pytest.mark.parametrize("name", ["LDA svd", "QDA", "RDA diagonal", "GaussianNB", "MixedNB"])
@pytest.mark.parametrize("structure", ["constant", "tiny"])
def test_constant_columns_are_told_from_tiny_ones(name, structure):
    rows = np.tile(X, (6, 1))
    rows[:, 1] = 0.0
    if structure == "tiny":
        rows[-9:, 1] = [1e-170, 1e-170, 1e-170, -1e-170, -1e-170, -1e-170, 0, 0, 0]
    model = clone(UNIT_FREE[name])
    if structure == "constant" and name == "LDA svd":
        model.fit(rows, np.tile(Y, 6))
        return
    words = "no variance|constant|full rank" if structure == "constant" else "too small"
    with pytest.raises((ValueError, np.linalg.LinAlgError), match=words):
        model.fit(rows, np.tile(Y, 6)).predict(rows)


@pytest.mark.parametrize("name", ["LDA svd", "LDA lsqr", "QDA", "RDA", "GaussianNB", "MixedNB"])
@pytest.mark.parametrize("power", [-122, -130, -140, -147])
def test_single_precision_too_small_is_refused_by_column(name, power):
    rows = (np.rint(4 * X) / 4).astype(np.float32)
    rows[:, 1] = np.ldexp(np.rint(4 * X[:, 1]), power)
    grid = np.rint(4 * X)
    expected = answers(UNIT_FREE[name], np.where(np.arange(D) == 1, grid, grid / 4))
    try:
        found = answers(UNIT_FREE[name], rows)
    except ValueError as error:
        assert re.search(r"float32.* column 1\b|column 1\b.* float32", str(error))  # noqa: PT017 (or else the answers are compared)
        assert power < -122
        return
    assert_same(found, expected, 1e-4)


def test_smoothing_makes_up_for_a_class_with_tiny_values():
    """Probabilities, for instance, may be as small as 1e-200 in one class and 0.5 in another."""
    rows = X.copy()
    rows[Y == 0, 1] = 1e-200 * np.arange(1, 31)
    zero = rows.copy()
    zero[Y == 0, 1] = 0
    for model in (GaussianNB(), MixedNB(), LDA(), RDA(alpha=0.5)):
        found, expected = answers(model, rows), answers(model, zero)
        assert_same(found, expected, 1e-12)
    with pytest.raises(ValueError, match="class 0 in column 1 are too small"):
        QDA().fit(rows, Y)


def test_batches_of_one_row_do_not_hide_what_is_too_small():
    model = GaussianNB(var_smoothing=0)
    rows = np.ldexp(np.rint(64 * X[:9]), -600)
    for row in range(9):
        model.partial_fit(rows[[row]], Y[[row]], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="too small"):
        model.predict(rows)


def test_sums_of_mixed_columns_keep_what_is_too_small_apart_from_constants():
    def of_one(value):
        return NumberSums.of([np.array([[value]])], (np.zeros(1, np.uint32), 1, None), None)

    tiny, constant = of_one(2.0**-600) + of_one(-(2.0**-600)), of_one(0.1) + of_one(0.1)
    assert tiny.are_tiny(tiny.variances()).all()
    assert constant.scatter == 0


@pytest.mark.parametrize("structure", ["full", "tied", "diag"])
def test_moments_times_a_tiny_factor_are_exact_or_refused(structure):
    moments = Moments.from_data(X, Y, structure=structure)
    small = moments * 2.0**-900
    np.testing.assert_array_equal(small.scatter * 2.0**900, moments.scatter)
    with pytest.raises(ValueError, match="too small"):
        small * 2.0**-150
    assert (moments * 0).counts.sum() == 0
    joined = small + small
    np.testing.assert_allclose(joined.scatter, 2 * small.scatter, rtol=1e-12)


@pytest.mark.parametrize("name", ["LDA svd", "QDA", "RDA diagonal", "GaussianNB", "MixedNB"])
@pytest.mark.parametrize("power", [-110, -60, 50])
def test_single_precision_rows_in_any_unit(name, power):
    grid = (np.rint(64 * X) / 64).astype(np.float32)
    expected = answers(UNIT_FREE[name], grid)
    assert_same(answers(UNIT_FREE[name], np.ldexp(grid, power)), expected, 1e-4)
