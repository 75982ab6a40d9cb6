"""Counts: what is counted, how counts add up, and what they refuse."""

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import gauda
from gauda import BernoulliNB, CategoricalNB, Counts

RNG = np.random.default_rng(3)
X = RNG.integers(0, 5, (90, 3))
Y = RNG.integers(0, 4, 90)
KINDS = {"categorical": CategoricalNB, "bernoulli": BernoulliNB}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def tables(counts):
    return counts.category_count if counts.kind == "categorical" else [counts.feature_count]


def test_counts_are_those_of_a_loop():
    weights = RNG.integers(1, 9, 90) / 4  # whose sums are exact
    counts = Counts.from_data(X, Y, weights)
    for j, table in enumerate(counts.category_count):
        expected = np.zeros((4, X[:, j].max() + 1))
        for row in range(90):
            expected[Y[row], X[row, j]] += weights[row]
        assert_array_equal(table, expected)
    assert_array_equal(counts.class_count, [weights[k == Y].sum() for k in range(4)])
    present = Counts.from_data(X, Y, weights, kind="bernoulli", binarize=2).feature_count
    expected = [[weights[(k == Y) & (X[:, j] > 2)].sum() for j in range(3)] for k in range(4)]
    assert_array_equal(present, expected)


@pytest.mark.parametrize("cut", [1, 45, 89])
def test_parts_add_up_to_the_whole(kind, cut):
    parts = [Counts.from_data(X[part], Y[part], kind=kind) for part in (slice(cut), slice(cut, 90))]
    assert parts[0] + parts[1] == sum(parts) == Counts.from_data(X, Y, kind=kind)


def test_classes_and_categories_of_one_part_are_0_in_the_other():
    both = Counts.from_data([[0]], ["a"]) + Counts.from_data([[2]], ["b"])
    assert both.classes.tolist() == ["a", "b"]
    assert_array_equal(both.category_count[0], [[1, 0, 0], [0, 0, 1]])


def test_what_was_added_can_be_subtracted(kind):
    whole = Counts.from_data(X, Y, kind=kind)
    part = Counts.from_data(X[:30], Y[:30], kind=kind)
    rest = Counts.from_data(X[30:], Y[30:], kind=kind)
    for ours, expected in zip(tables(whole - part), tables(rest), strict=True):
        assert_array_equal(ours, expected)


def test_weights_can_be_subtracted_despite_rounding(kind):
    weights = RNG.exponential(size=90)
    part = Counts.from_data(X[Y == 2], Y[Y == 2], weights[Y == 2], kind=kind)
    rest = Counts.from_data(X, Y, weights, kind=kind) - part
    assert rest.classes.tolist() == [0, 1, 3]
    assert all((table >= 0).all() for table in tables(rest))


def test_a_factor_scales_all_counts(kind):
    counts = Counts.from_data(X, Y, kind=kind)
    twice = Counts.from_data(np.vstack([X, X]), np.concatenate([Y, Y]), kind=kind)
    assert counts * 2 == 2 * counts == twice
    assert np.float64(2) * counts == twice


def test_a_model_of_counts_is_that_of_their_rows(kind):
    counts = Counts.from_data(X, Y, kind=kind)
    a, b = KINDS[kind].from_counts(counts, alpha=0.5), KINDS[kind](alpha=0.5).fit(X, Y)
    assert_array_equal(a.predict_log_proba(X), b.predict_log_proba(X))
    assert a.counts_ == b.counts_ == counts


def test_counts_are_saved_and_loaded(kind, tmp_path):
    counts = Counts.from_data(X, Y, kind=kind)
    counts.save(tmp_path / "counts")
    assert gauda.load(tmp_path / "counts") == counts


def test_sparse_rows_are_counted():
    assert Counts.from_data(sp.csr_matrix(X), Y, kind="bernoulli") == Counts.from_data(
        X, Y, kind="bernoulli"
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda c: c - c - c, "there are no classes|was not part of the counts"),
        (lambda c: Counts.from_data(X[:30], Y[:30]) - c, "was not part of the counts"),
        (lambda c: c + Counts.from_data(X[:, :2], Y), "3 and 2 features"),
        (lambda c: c + Counts.from_data(X, Y, kind="bernoulli"), "must be of one kind; got"),
        (lambda c: c + Counts.from_data(X, Y.astype(str)), "Numbers and text"),
        (lambda c: c * -1, "at least 0"),
        (lambda c: c * np.nan, "at least 0"),
        (BernoulliNB.from_counts, "needs counts of kind 'bernoulli'"),
        (lambda c: CategoricalNB.from_counts(c * 0), "hold no rows"),
        (lambda _: Counts.from_data(X, Y, kind="normal"), "kind must be one of"),
        (lambda _: Counts.from_data(-X, Y), "Negative values"),
        (lambda _: Counts.from_data(X, Y, classes=[0, 1]), "do not exist in the initial classes"),
    ],
)
def test_what_does_not_go_together_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong(Counts.from_data(X, Y))


def test_only_counts_make_a_model_of_counts():
    with pytest.raises(TypeError, match="got ndarray"):
        CategoricalNB.from_counts(X)


@pytest.mark.parametrize("factor", [1e300, np.float64(1e305)])
def test_counts_that_overflow_are_refused(factor):
    counts = gauda.Counts.from_data(np.ones((3, 2), dtype=int), [0, 0, 1]) * 1e10
    with pytest.raises(ValueError, match="too large for a float"):
        counts * factor


def test_categories_that_are_gone_are_forgotten():
    a, b = Counts.from_data([[0], [1]], [0, 1]), Counts.from_data([[3], [0]], [0, 1])
    assert a + b - b == a


@pytest.mark.parametrize("batch_rows", [1, 7, 1000])
@pytest.mark.parametrize("weighted", [False, True])
def test_streams_are_counted_as_their_rows(kind, batch_rows, weighted):
    weights = np.arange(90.0) % 4 if weighted else None
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": Y, "w": np.arange(90.0) % 4})
    streamed = Counts.from_stream(
        table,
        target="y",
        features=["a", "b", "c"],
        sample_weight="w" if weighted else None,
        kind=kind,
        batch_rows=batch_rows,
        classes=range(9),
    )
    frame = table.to_pandas()[["a", "b", "c"]]
    assert streamed == Counts.from_data(frame, Y, weights, kind=kind, classes=range(9))
    assert streamed.n_rows == np.count_nonzero(weights) if weighted else 90


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "round"}, "kind must be one of"),
        ({"n_threads": 0}, "n_threads must be at least 1"),
        ({"classes": [0, "a"]}, "all numbers or all text"),
    ],
)
def test_options_of_streams_are_checked_before_rows_are_read(options, words):
    def rows():
        pytest.fail("read a row")
        yield [[1]], [0]

    with pytest.raises(ValueError, match=words):
        Counts.from_stream(rows(), **options)


def test_errors_name_rows_of_the_stream():
    items = [([[1]], [0]), ([[-1]], [0])]
    with pytest.raises(ValueError, match="-1 at row 1, column 0"):
        Counts.from_stream(items, batch_rows=1)
