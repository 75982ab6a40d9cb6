"""Rows that join a fit the short way: the same bits as the general way, and the same refusals."""

from fractions import Fraction

import numpy as np
import pytest
from models import DISCRETE, MODELS, STEPWISE

from gauda import GaussianNB, MixedNB, MixedStatistics
from gauda._estimators import plain_batches
from gauda._estimators.access import statistics_of

PLAIN = [name for name in STEPWISE if isinstance(MODELS[name].data(6)[0], np.ndarray)]
"""Models whose rows come in arrays."""
LEARNERS = [*PLAIN, "MixedNB"]


def data_of(name, n=90, seed=0):
    """Return rows in an array, and their labels; MixedNB takes levels as numbers."""
    if name != "MixedNB":
        return MODELS[name].data(n, seed)
    X, y = MODELS["CategoricalNB"].data(n, seed)
    return np.column_stack([MODELS["GaussianNB"].data(n, seed)[0], X]), y


def make(name):
    if name != "MixedNB":
        return MODELS[name].make()
    return MixedNB(kinds=["gaussian"] * 3 + ["categorical"] * 3)


def begun(name, n=40):
    """Return a model that has learned some rows, and more of them."""
    X, y = data_of(name)
    return make(name).partial_fit(X[:n], y[:n], classes=np.unique(y)), X[n:], y[n:]


def learn_generally(model, X, y):
    """Learn rows of a list, which never go the short way."""
    return model.partial_fit(X.tolist(), y.tolist())


@pytest.fixture
def short_ways(monkeypatch):
    """Count how often rows went the short way."""
    taken = []

    def watched(*given):
        found = join(*given)
        taken.append(found)
        return found

    join = plain_batches.join_rows
    monkeypatch.setattr(plain_batches, "join_rows", watched)
    return taken


@pytest.mark.parametrize("step", [1, 2, 7, 50])
@pytest.mark.parametrize("name", LEARNERS)
def test_both_ways_give_the_same_bits(name, step, short_ways):
    short, X, y = begun(name)
    general = begun(name)[0]
    for start in range(0, len(X), step):
        rows = slice(start, start + step)
        short.partial_fit(X[rows], y[rows])
        learn_generally(general, X[rows], y[rows])
    if name != "MixedNB" or step == 1:
        assert any(short_ways)
    ours, theirs = statistics_of(short), statistics_of(general)
    assert ours == theirs
    assert ours.n_rows == theirs.n_rows
    np.testing.assert_array_equal(short.predict_proba(X), general.predict_proba(X))


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8])
@pytest.mark.parametrize("name", PLAIN)
def test_element_types_go_the_short_way(name, dtype, short_ways):
    X, y = data_of(name)
    X = np.rint(np.abs(X)).astype(dtype)
    classes = np.unique(y)
    short, general = (make(name).partial_fit(X[:60], y[:60], classes=classes) for _ in range(2))
    short_ways.clear()
    for row in range(60, 90):
        short.partial_fit(X[row : row + 1], y[row : row + 1])
        general.partial_fit(np.array(X[row : row + 1])[::-1].tolist(), y[row : row + 1].tolist())
    assert sum(short_ways) >= 30
    np.testing.assert_array_equal(short.predict_proba(X), general.predict_proba(X))


@pytest.mark.parametrize("entry", [np.nan, np.inf])
@pytest.mark.parametrize("name", PLAIN)
def test_refused_rows_change_nothing(name, entry):
    model, X, y = begun(name)
    before, rows = statistics_of(model), X[:2].astype(float)
    rows[1, 1] = entry
    with pytest.raises(ValueError, match=r"row 1, column 1|contains"):
        model.partial_fit(rows, y[:2])
    assert statistics_of(model) is before


@pytest.mark.parametrize("name", LEARNERS)
def test_unknown_labels_are_refused_where_classes_were_given(name):
    model, X, y = begun(name)
    before = statistics_of(model)
    with pytest.raises(ValueError, match="not exist"):
        model.partial_fit(X[:1], np.array(["zebra"])[:1].astype(y.dtype))
    assert statistics_of(model) is before


@pytest.mark.parametrize("name", LEARNERS)
def test_other_columns_are_refused(name):
    model, X, y = begun(name)
    before = statistics_of(model)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:1, :2].copy(), y[:1])
    with pytest.raises(ValueError, match="inconsistent"):
        model.partial_fit(X[:1], y[:2])
    assert statistics_of(model) is before


@pytest.mark.parametrize("name", LEARNERS)
def test_changed_parameters_are_checked(name):
    model, X, y = begun(name)
    before = statistics_of(model)
    model.n_threads = -3
    with pytest.raises(ValueError, match="n_threads"):
        model.partial_fit(X[:1], y[:1])
    assert statistics_of(model) is before


@pytest.mark.parametrize("name", [name for name in LEARNERS if name in DISCRETE])
def test_attributes_follow_each_row(name):
    model, X, y = begun(name)
    counted = model.class_count_.sum()
    assert model.partial_fit(X[:1], y[:1]).class_count_.sum() == counted + 1
    known = model.feature_log_prob_
    model.partial_fit(X[1:2], y[1:2])
    logs = model.feature_log_prob_
    pairs = [(known, logs)] if isinstance(known, np.ndarray) else zip(known, logs, strict=True)
    if isinstance(known, dict):
        pairs = [(known[column], logs[column]) for column in known]
    assert any(np.any(ours != theirs) for ours, theirs in pairs)


def test_counts_that_might_overflow_are_refused_at_once():
    model = MODELS["MultinomialNB"].make()
    X, y = np.ones((2, 2)), np.array([0, 1])
    model.partial_fit(X, y, classes=[0, 1])
    before = statistics_of(model)
    with pytest.raises(ValueError, match=r"too large|more than"):
        model.partial_fit(np.full((2, 2), 1.7e308), y)
    assert statistics_of(model) is before


def test_rows_so_far_apart_that_squares_overflow_are_refused_at_once():
    model = GaussianNB().partial_fit(np.zeros((2, 1)), np.array([0, 1]), classes=[0, 1])
    before = statistics_of(model)
    with pytest.raises(ValueError, match="too large"):
        model.partial_fit(np.array([[1e300]]), np.array([1]))
    assert statistics_of(model) is before


def test_float32_attributes_become_doubles_with_rows_of_doubles():
    X, y = data_of("GaussianNB")
    model = GaussianNB().partial_fit(X[:60].astype(np.float32), y[:60], classes=np.unique(y))
    assert model.theta_.dtype == np.float32
    assert model.partial_fit(X[60:61].astype(np.float32), y[60:61]).theta_.dtype == np.float32
    assert model.partial_fit(X[61:62], y[61:62]).theta_.dtype == np.float64


def test_gaps_of_mixed_rows_are_left_out():
    rows = np.array([[1.0, 0.0], [2.0, 1.0], [np.nan, 1.0], [4.0, np.nan]])
    y = np.array([0, 1, 0, 1])
    kinds = ["gaussian", "categorical"]
    model = MixedNB(kinds=kinds).partial_fit(rows[:2], y[:2])
    for row in (2, 3):
        model.partial_fit(rows[row : row + 1], y[row : row + 1])
    statistics = model.statistics_
    parts = [MixedStatistics.from_data(rows[p], y[p], kinds=kinds) for p in ([0, 1], [2], [3])]
    assert statistics == sum(parts)
    assert statistics.has_gaps
    assert statistics.numbers.weights.tolist() == [[1], [2]]


class TestMixedMeansFarFromZero:
    """Sums of numbers on a grid about 2**40, against integers."""

    CENTER, GRID = 2.0**40, 64

    @pytest.fixture
    def data(self):
        rng = np.random.default_rng(5)
        grid, y = rng.integers(-500, 500, (300, 2)), np.arange(300) % 3
        return grid, grid / self.GRID + self.CENTER, y

    def exact(self, grid):
        """Return means less the center, and sums of squares about them."""
        columns = [[Fraction(int(x), self.GRID) for x in column] for column in grid.T]
        means = [sum(column) / len(column) for column in columns]
        squares = [
            sum((x - mean) ** 2 for x in column)
            for column, mean in zip(columns, means, strict=True)
        ]
        return means, [float(square) for square in squares]

    def check(self, statistics, grid, y):
        shift, offset = statistics.numbers.core.shift, statistics.numbers.core.offset
        for k in range(3):
            means, squares = self.exact(grid[y == k])
            np.testing.assert_allclose(statistics.numbers.scatter[k], squares, rtol=1e-12)
            for column, mean in enumerate(means):
                found = Fraction(shift[k, column]) + Fraction(offset[k, column])
                apart = abs(found - Fraction(self.CENTER) - mean)
                assert apart < Fraction(2) ** -44  # a double alone is off by 2**-14

    def test_row_by_row(self, data):
        grid, X, y = data
        model = MixedNB().partial_fit(X[:3], y[:3])
        for row in range(3, len(X)):
            model.partial_fit(X[row : row + 1], y[row : row + 1])
        self.check(model.statistics_, grid, y)

    def test_batches_and_what_is_left_of_them(self, data):
        grid, X, y = data
        parts = [MixedStatistics.from_data(X[i : i + 30], y[i : i + 30]) for i in range(0, 300, 30)]
        self.check(sum(parts), grid, y)
        rest = sum(parts) - parts[0]
        kept = np.arange(300) >= 30
        self.check(rest, grid[kept], y[kept])

    def test_files_keep_both_parts(self, data, tmp_path):
        grid, X, y = data
        whole = MixedStatistics.from_data(X[:99], y[:99]) + MixedStatistics.from_data(
            X[99:], y[99:]
        )
        whole.save(tmp_path / "sums")
        loaded = MixedStatistics.load(tmp_path / "sums")
        assert loaded == whole
        self.check(loaded, grid, y)
