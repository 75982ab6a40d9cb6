"""BernoulliNB and CategoricalNB: exact answers, scikit-learn's, and data as they come."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from models import DISCRETE, MODELS
from numpy.testing import assert_allclose, assert_array_equal
from references import read_table
from sklearn import naive_bayes
from sklearn.base import clone

import gauda
from gauda import BernoulliNB, CategoricalNB, Counts

RNG = np.random.default_rng(7)
N, D, K, M = 700, 9, 3, 4
Y = RNG.integers(0, K, N)
LEVELS = np.minimum(RNG.poisson(1 + 0.6 * Y[:, np.newaxis], (N, D)), M - 1)
NUMBERS = RNG.normal(size=(N, D)) + 0.4 * Y[:, np.newaxis]
WEIGHTS = RNG.exponential(size=N)
QUESTIONS = ["predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"]
PAIRS = {
    "categorical": (CategoricalNB, naive_bayes.CategoricalNB, LEVELS),
    "bernoulli": (BernoulliNB, naive_bayes.BernoulliNB, NUMBERS),
}
DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


@pytest.fixture(params=PAIRS)
def pair(request):
    return PAIRS[request.param]


def same_answers(ours, theirs, X, rtol=1e-12):
    """Compare all that two fitted classifiers say of rows."""
    for question in QUESTIONS:
        expected = getattr(theirs, question)(X)
        if question == "predict":
            assert_array_equal(ours.predict(X), expected)
        else:
            assert_allclose(getattr(ours, question)(X), expected, rtol=rtol, atol=1e-13)


def same_attributes(ours, theirs, rtol=1e-13):
    """Compare what the fits have made."""
    for name in ["class_count_", "class_log_prior_", "feature_log_prob_", "classes_"]:
        for a, b in zip(getattr(ours, name), getattr(theirs, name), strict=True):
            assert_allclose(a, b, rtol=rtol, atol=0)
    for name in ["feature_count_", "category_count_", "n_categories_"]:
        if hasattr(theirs, name):
            for a, b in zip(getattr(ours, name), getattr(theirs, name), strict=True):
                assert_allclose(a, b, rtol=rtol)


# Exact answers


def titanic():
    """Give the passengers' columns numbered, and who survived."""
    _, rows = read_table("data/titanic_cat")
    columns = list(zip(*rows, strict=True))
    X = np.column_stack([np.unique(column, return_inverse=True)[1] for column in columns[:-1]])
    return X, np.array(columns[-1])


def exact(model):
    """Give exact log-posteriors and log-probabilities of the passengers."""
    values = np.array(read_table(f"exact/titanic_cat/{model}")[1], dtype=np.float64)
    return values[:, :-1], values[:, -1]


@pytest.mark.parametrize("alpha", [0.5, 1, 2])
def test_titanic_is_exact(alpha):
    X, y = titanic()
    nb = CategoricalNB(alpha=alpha).fit(X, y)
    log_posterior, log_probability = exact(f"catnb_alpha{alpha}")
    assert_allclose(nb.predict_log_proba(X), log_posterior, rtol=2e-14)
    assert_allclose(nb.score_samples(X), log_probability, rtol=1e-14)


def test_titanic_is_exact_with_given_priors():
    X, y = titanic()
    counts = np.unique(y, return_counts=True)[1]
    nb = CategoricalNB(class_prior=(counts + 1) / (len(y) + 2)).fit(X, y)
    log_posterior, log_probability = exact("catnb_alpha1_wekaprior")
    assert_allclose(nb.predict_log_proba(X), log_posterior, rtol=2e-14)
    assert_allclose(nb.score_samples(X), log_probability, rtol=1e-14)


# scikit-learn's answers


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
@pytest.mark.parametrize(
    "params",
    [{}, {"alpha": 0.3}, {"fit_prior": False}, {"class_prior": [0.2, 0.5, 0.3]}],
    ids=str,
)
def test_answers_are_scikit_learns(pair, params, weights):
    ours, theirs, X = pair
    a = ours(**params).fit(X, Y, sample_weight=weights)
    b = theirs(**params).fit(X, Y, sample_weight=weights)
    same_attributes(a, b)
    same_answers(a, b, X)


def test_labels_may_be_text(pair):
    ours, theirs, X = pair
    y = np.array(["lime", "fig", "apricot"])[Y]
    same_answers(ours().fit(X, y), theirs().fit(X, y), X)


def test_many_classes_are_scored(pair):
    ours, theirs, X = pair
    y = np.arange(N) % 41
    same_answers(ours().fit(X, y), theirs().fit(X, y), X)


@pytest.mark.parametrize("binarize", [0.0, 0.5, 1])
def test_the_threshold_is_scikit_learns(binarize):
    a, b = BernoulliNB(binarize=binarize), naive_bayes.BernoulliNB(binarize=binarize)
    X = np.round(NUMBERS, 1)
    same_answers(a.fit(X, Y), b.fit(X, Y), X)


def test_a_threshold_is_compared_in_the_type_of_the_rows():
    X = np.full((4, 1), 0.1, dtype=np.float32)  # which is more than 0.1
    a, b = BernoulliNB(binarize=0.1), naive_bayes.BernoulliNB(binarize=0.1)
    assert_array_equal(a.fit(X, [0, 0, 1, 1]).feature_count_, b.fit(X, [0, 0, 1, 1]).feature_count_)


def test_shares_between_0_and_1_count_as_such():
    X = RNG.random((50, 4))
    a, b = BernoulliNB(binarize=None), naive_bayes.BernoulliNB(binarize=None)
    y = Y[:50]
    same_answers(a.fit(X, y), b.fit(X, y), X)


def test_batches_are_scikit_learns(pair):
    ours, theirs, X = pair
    a, b = ours(), theirs()
    for rows in np.array_split(np.arange(N), 7):
        a.partial_fit(X[rows], Y[rows], classes=[0, 1, 2])
        b.partial_fit(X[rows], Y[rows], classes=[0, 1, 2])
    same_answers(a, b, X)


# Estimates


def test_without_smoothing_probabilities_are_proportions():
    X, y = [[0, 1], [0, 0], [1, 0], [2, 1]], [0, 0, 0, 1]
    nb = CategoricalNB(alpha=0).fit(X, y)
    assert_allclose(np.exp(nb.feature_log_prob_[0]), [[2 / 3, 1 / 3, 0], [0, 0, 1]])
    assert_array_equal(nb.predict_joint_log_proba([[2, 0]]), [[-np.inf, -np.inf]])
    assert_allclose(np.exp(nb.predict_joint_log_proba([[0, 0]])), [[0.75 * 2 / 3 * 2 / 3, 0]])


@pytest.mark.parametrize("container", [np.array, sp.csr_matrix])
def test_certain_presence_and_absence_need_no_smoothing(container):
    X = container([[1, 0, 1], [1, 0, 0], [0, 1, 1], [1, 1, 1]])
    nb = BernoulliNB(alpha=0).fit(X, [0, 0, 1, 1])
    new = container([[1, 0, 1], [1, 1, 1], [0, 0, 1], [0, 1, 1]])
    # Class 0 always has column 0 and never 1; class 1 always has columns 1 and 2.
    expected = 0.5 * np.array([[0.5, 0], [0, 0.5], [0, 0], [0, 0.5]])
    assert_allclose(np.exp(nb.predict_joint_log_proba(new)), expected)
    assert_array_equal(nb.predict_proba(container([[1, 0, 1]])), [[1, 0]])


def test_a_row_that_is_impossible_in_every_class_is_named():
    nb = BernoulliNB(alpha=0).fit([[1, 0], [0, 1]], [0, 1])
    with pytest.raises(ValueError, match=r"Row 1 of X has probability 0 .* alpha > 0"):
        nb.predict([[1, 0], [1, 1]])
    assert_array_equal(nb.score_samples([[1, 1]]), [-np.inf])


def test_alpha_may_differ_between_columns():
    alpha = RNG.exponential(size=D)
    whole = BernoulliNB(alpha=alpha).fit(NUMBERS, Y)
    for j in range(D):
        alone = naive_bayes.BernoulliNB(alpha=alpha[j]).fit(NUMBERS[:, [j]], Y)
        assert_allclose(whole.feature_log_prob_[:, [j]], alone.feature_log_prob_)
    whole = CategoricalNB(alpha=alpha).fit(LEVELS, Y)
    for j in range(D):
        alone = naive_bayes.CategoricalNB(alpha=alpha[j]).fit(LEVELS[:, [j]], Y)
        assert_allclose(whole.feature_log_prob_[j], alone.feature_log_prob_[0])


def test_alpha_may_differ_between_categories():
    alpha = [[1.0, 2.0, 0.5], 0.25]
    X, y = np.array([[0, 1], [1, 0], [0, 1], [1, 1]]), [0, 0, 1, 1]
    nb = CategoricalNB(alpha=alpha).fit(X, y)
    assert_array_equal(nb.n_categories_, [3, 2])
    assert_allclose(np.exp(nb.feature_log_prob_[0]), np.array([[2, 3, 0.5]] * 2) / 5.5)
    assert_allclose(np.exp(nb.feature_log_prob_[1]), [[0.5, 0.5], [0.25 / 2.5, 2.25 / 2.5]])
    nb = BernoulliNB(alpha=[[0.5, 3.0]]).fit([[1], [0], [1]], [0, 0, 0])
    assert_allclose(np.exp(nb.feature_log_prob_), [[(2 + 3) / (3 + 3.5)]])


def test_a_beta_prior_gives_the_mode_of_the_posterior():
    a, b = 2.5, 4.0
    X, y = RNG.random((40, 1)) < 0.3, np.zeros(40)
    nb = BernoulliNB(prior_a=a, prior_b=b).fit(X, y)
    grid = np.linspace(1e-6, 1 - 1e-6, 1_000_001)
    ones = X.sum()
    log_posterior = (ones + a - 1) * np.log(grid) + (40 - ones + b - 1) * np.log1p(-grid)
    assert_allclose(np.exp(nb.feature_log_prob_), grid[log_posterior.argmax()], atol=2e-6)


def test_a_dirichlet_prior_is_alpha_and_one():
    prior = [1 + alpha for alpha in (0.5, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0)]
    a = CategoricalNB(prior_a=prior).fit(LEVELS, Y)
    b = CategoricalNB(alpha=[parameter - 1 for parameter in prior]).fit(LEVELS, Y)
    for ours, theirs in zip(a.feature_log_prob_, b.feature_log_prob_, strict=True):
        assert_array_equal(ours, theirs)


def test_batches_may_bring_new_categories():
    nb = CategoricalNB().partial_fit([[5], [0]], [0, 1], classes=[0, 1])
    nb.partial_fit([[1]], [1])
    assert_array_equal(nb.n_categories_, [6])
    whole = CategoricalNB().fit([[5], [0], [1]], [0, 1, 1])
    assert_array_equal(nb.category_count_[0], whole.category_count_[0])
    assert_array_equal(nb.partial_fit([[8]], [0]).n_categories_, [9])


def test_earlier_batches_can_be_forgotten(pair):
    ours, _, X = pair
    nb = ours().partial_fit(X, Y, classes=[0, 1, 2]).partial_fit(X, Y, forget=0.5)
    assert_allclose(nb.class_count_, 1.5 * np.bincount(Y))


def test_unknown_categories_are_refused_or_left_out():
    X, y = np.array([[0, 1], [1, 0], [1, 1]]), [0, 1, 1]
    nb = CategoricalNB().fit(X, y)
    with pytest.raises(IndexError, match="category 7 at row 1, column 0"):
        nb.predict([[0, 0], [7, 0]])
    ignoring = CategoricalNB(handle_unknown="ignore").fit(X, y)
    without = CategoricalNB().fit(X[:, 1:], y)
    assert_allclose(
        ignoring.predict_joint_log_proba([[7, 0]]), without.predict_joint_log_proba([[0]])
    )


# Data as they come


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed", "read-only"])
def test_any_type_and_layout_is_read(pair, dtype, layout):
    ours, _, _ = pair
    X = (LEVELS > 0).astype(dtype) if dtype == "?" else LEVELS.astype(dtype)
    expected = ours().fit(X.astype(np.int64), Y)
    other = {
        "C": X,
        "F": np.asfortranarray(X),
        "strided": np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        "reversed": X[::-1, ::-1].copy()[::-1, ::-1],
        "read-only": X.copy(),
    }[layout]
    other.flags.writeable = layout != "read-only"
    nb = ours().fit(other, Y)
    assert_array_equal(nb.class_count_, expected.class_count_)
    for ours_, theirs in zip(nb.feature_log_prob_, expected.feature_log_prob_, strict=True):
        assert_array_equal(ours_, theirs)
    assert_array_equal(nb.predict_proba(other), expected.predict_proba(X.astype(np.int64)))


@pytest.mark.parametrize(
    "container", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_matrix]
)
@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "f8"])
def test_sparse_rows_are_like_dense_ones(container, dtype):
    dense = (LEVELS * (LEVELS > 1)).astype(dtype)
    sparse = container(dense)
    a, b = BernoulliNB().fit(dense, Y, WEIGHTS), BernoulliNB().fit(sparse, Y, WEIGHTS)
    assert_allclose(b.feature_log_prob_, a.feature_log_prob_, rtol=1e-14)
    assert_allclose(b.predict_log_proba(sparse), a.predict_log_proba(dense), rtol=1e-11)


@given(
    entries=st.lists(
        st.tuples(
            st.integers(0, 5), st.integers(0, 3), st.sampled_from([-1.5, 0.0, 0.5, 1.0, 2.0])
        ),
        max_size=30,
    ),
    threshold=st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 1.0, 3.0, np.inf, np.nan]),
    shuffled=st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_sparse_counts_are_those_of_the_dense_matrix_or_refused(entries, threshold, shuffled):
    """Entries come in any order, may be 0, and add up where they are given twice."""
    shuffled.shuffle(entries)
    by_row = [[entry for entry in entries if entry[0] == row] for row in range(6)]
    flat = [entry for row in by_row for entry in row]
    X = sp.csr_matrix((6, 4))
    X.data = np.array([value for _, _, value in flat], dtype=float)
    X.indices = np.array([column for _, column, _ in flat], dtype=np.int32)
    X.indptr = np.cumsum([0, *map(len, by_row)]).astype(np.int32)
    X.has_canonical_format = True  # as of a matrix that was changed since
    y = [0, 1] * 3

    def count(rows):
        return Counts.from_data(rows, y, WEIGHTS[:6], "bernoulli", binarize=threshold)

    if threshold >= 0:
        dense = np.zeros((6, 4))
        for row, column, value in flat:
            dense[row, column] += value
        assert_allclose(count(X).feature_count, count(dense).feature_count, rtol=1e-14)
        finite = min(threshold, 1e9)
        a, b = (BernoulliNB(binarize=finite).fit(rows, y) for rows in (dense, X))
        assert_allclose(b.predict_log_proba(X), a.predict_log_proba(dense), rtol=1e-11)
    else:
        with pytest.raises(ValueError, match="binarize must be"):
            count(X)


def test_sparse_rows_may_be_empty_and_hold_entries_twice():
    twice = sp.csr_matrix((np.ones(4), [0, 0, 2, 1], [0, 3, 3, 4]), shape=(3, 3))
    nb = BernoulliNB().fit(twice, [0, 0, 1])
    assert_array_equal(nb.feature_count_, [[1, 0, 1], [0, 1, 0]])
    dense = BernoulliNB().fit(twice.toarray(), [0, 0, 1])
    assert_allclose(nb.predict_proba(twice), dense.predict_proba(twice.toarray()))


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_are_not_copied(pair, order):
    ours, _, _ = pair
    X = np.zeros((20_000, 200), dtype=np.float32, order=order)
    y = np.zeros(len(X), dtype=np.int8)
    ours().fit(X, y).predict(X)
    tracemalloc.start()
    try:
        ours().fit(X, y).predict(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes / 20


@pytest.mark.parametrize("weights", [None, "weights"])
def test_bits_do_not_depend_on_threads(pair, weights):
    ours, _, _ = pair
    X = np.tile(LEVELS, (300, 1))
    y, w = np.tile(Y, 300), RNG.exponential(size=len(X)) if weights else None
    states = [ours(n_threads=threads).fit(X, y, w) for threads in (1, 2, 5)]
    for other in states[1:]:
        for a, b in zip(states[0].feature_log_prob_, other.feature_log_prob_, strict=True):
            assert_array_equal(a, b)
        for question in QUESTIONS:
            assert_array_equal(getattr(other, question)(X), getattr(states[0], question)(X))


@pytest.mark.parametrize("kind", PAIRS)
def test_a_copy_answers_as_before(kind, tmp_path):
    ours, _, X = PAIRS[kind]
    nb = ours(alpha=np.linspace(0.1, 2, D), class_prior=[0.5, 0.25, 0.25]).fit(X, Y)
    nb.predict(X)
    nb.save(tmp_path / "nb")
    loaded = gauda.load(tmp_path / "nb")
    for copy in (pickle.loads(pickle.dumps(nb)), loaded, clone(nb).fit(X, Y)):  # noqa: S301 (ours)
        assert_array_equal(copy.predict_log_proba(X), nb.predict_log_proba(X))
    assert loaded.partial_fit(X, Y).class_count_.sum() == 2 * N


def test_names_of_columns_are_kept():
    frame = pd.DataFrame(LEVELS, columns=list("abcdefghi"))
    nb = CategoricalNB().fit(frame, Y)
    assert nb.counts_.feature_names.tolist() == list("abcdefghi")
    with pytest.raises(ValueError, match="feature names"):
        nb.predict(frame[list("ihgfedcba")])


# What is refused


BAD_ENTRIES = [
    (-1.0, r"Negative values in data .*: -1 at row 3, column 2"),
    (1.5, r"X holds 1.5 at row 3, column 2, which is not an integer"),
    (np.nan, r"contains NaN at row 3, column 2"),
    (np.inf, r"contains infinity at row 3, column 2"),
    (1e12, r"X holds 1e\+12 at row 3, column 2, too large"),
]


@pytest.mark.parametrize(("value", "message"), BAD_ENTRIES)
def test_what_is_no_category_is_named(value, message):
    nb = CategoricalNB().fit(LEVELS, Y)
    bad = LEVELS.astype(float)
    bad[3, 2] = value
    before = nb.predict_proba(LEVELS)
    for call in (nb.fit, nb.partial_fit):
        with pytest.raises(ValueError, match=message):
            call(bad, Y)
    with pytest.raises(ValueError, match=message):
        nb.predict(bad)
    assert_array_equal(nb.predict_proba(LEVELS), before)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(
    ("params", "value", "message"),
    [
        ({}, np.nan, "contains NaN at row 3, column 2"),
        ({}, -np.inf, "contains infinity at row 3, column 2"),
        ({"binarize": None}, 1.5, "X holds 1.5 at row 3, column 2; with binarize=None"),
        ({"binarize": None}, -0.5, "X holds -0.5 at row 3, column 2; with binarize=None"),
    ],
)
def test_what_cannot_be_present_is_named(container, params, value, message):
    X = (NUMBERS > 0).astype(float)
    nb = BernoulliNB(**params).fit(X, Y)
    X[3, 2] = value
    with pytest.raises(ValueError, match=message):
        nb.fit(container(X), Y)
    with pytest.raises(ValueError, match=message):
        nb.predict(container(X))


BAD_PARAMETERS = [
    (BernoulliNB(alpha=[1.0, 2.0]), "Got 2 elements instead of 9"),
    (CategoricalNB(alpha=[1.0, 2.0]), "Got 2 elements instead of 9"),
    (CategoricalNB(alpha=[[1.0, 2.0]] * D), "has 4 categories, but alpha has 2 values"),
    (CategoricalNB(alpha=[[[1.0]]] * D), "for each column a number, or one for each category"),
    (CategoricalNB(prior_a=[1.0]), "When prior_a is an array, .* Got 1 elements instead of 9"),
    (CategoricalNB(prior_a=[0.5] * D), "prior_a must be at least 1"),
    (BernoulliNB(prior_a=[0.5] * D), "prior_a must be at least 1"),
    (BernoulliNB(prior_b=[1.0]), "When prior_b is an array, .* Got 1 elements instead of 9"),
    (BernoulliNB(alpha=np.ones((D, 3))), r"alpha must be .* got shape \(9, 3\)"),
    (BernoulliNB(alpha=[np.nan] * D), "All values in alpha must be greater than 0"),
    (CategoricalNB(alpha=[-1.0] * D), "All values in alpha must be greater than 0"),
    (CategoricalNB(class_prior=[0.5, 0.5]), "Number of priors must match number of classes"),
    (CategoricalNB(class_prior=[-1, 1, 1]), "class_prior must be finite, at least 0"),
    (CategoricalNB(min_categories=2.5), "min_categories"),
    (CategoricalNB(handle_unknown="guess"), "handle_unknown"),
]


@pytest.mark.parametrize(("estimator", "message"), BAD_PARAMETERS)
def test_parameters_that_do_not_fit_are_refused(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(LEVELS, Y)
    assert not hasattr(estimator, "classes_")
    assert vars(estimator) == estimator.get_params()


def test_weights_must_not_be_negative(pair):
    ours, _, X = pair
    with pytest.raises(ValueError, match=r"sample_weight is -1\.0 at row 5"):
        ours().fit(X, Y, sample_weight=np.where(np.arange(N) == 5, -1.0, 1.0))


@pytest.mark.parametrize("category", [2**30, 4_000_000_000])
def test_a_category_whose_counts_would_take_all_memory_is_refused(category):
    X = np.zeros((1000, 2), dtype=np.uint32)
    X[7, 1] = category
    with pytest.raises(ValueError, match="at row 7, column 1, too large for the number"):
        CategoricalNB().fit(X, np.arange(1000))


@pytest.mark.parametrize("least", [2**27 + 1, 2**40, 2**62, [2, 2**31]])
def test_more_categories_than_memory_are_an_error(least):
    model = CategoricalNB(min_categories=least)
    with pytest.raises(ValueError, match="min_categories must leave room for the counts"):
        model.fit([[0, 1], [1, 0]], [0, 1])
    assert not hasattr(model, "classes_")


def test_more_columns_than_memory_are_an_error():
    X = sp.csr_array((2, 2**50))
    with pytest.raises(MemoryError, match="counts need 18014398509481984 bytes"):
        BernoulliNB().fit(X, [0, 1])


def test_no_warning_is_given_for_counts_of_0(pair):
    ours, _, X = pair
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nb = ours(alpha=0).partial_fit(X, Y, classes=[0, 1, 2, 3])
        assert np.all(nb.predict(X) < 3)


@pytest.mark.parametrize("name", DISCRETE)
def test_what_levels_do_not_have_is_refused_with_what_to_use(name):
    model = MODELS[name].fitted()
    for asked in ("typicality", "mahalanobis"):
        assert not hasattr(model, asked)
        with pytest.raises(AttributeError, match=r"has no distances of rows to classes.*Use "):
            getattr(model, asked)
    assert not hasattr(model, "separation_tests")
    with pytest.raises(AttributeError, match=r"has no tests of class means.*column_importance"):
        _ = model.separation_tests
