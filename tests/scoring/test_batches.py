"""A row's answers are its own: no bit depends on other rows, on order, or on threads."""

import numpy as np
import pytest
from gaps import correlated
from hypothesis import given, settings
from hypothesis import strategies as st

from gauda import LDA, QDA, RDA, BernoulliNB, CategoricalNB, GaussianNB, MixedNB

METHODS = [
    "predict",
    "predict_proba",
    "predict_log_proba",
    "predict_joint_log_proba",
    "score_samples",
    "mahalanobis",
    "typicality",
    "decision_function",
    "transform",
]
"""What can be asked of rows; `transform` takes none with gaps, and needs axes."""
NUMBERS = {
    "svd": LDA,
    "lsqr": lambda **parameters: LDA(solver="lsqr", **parameters),
    "eigen": lambda **parameters: LDA(solver="eigen", **parameters),
    "qda": QDA,
    "rda": lambda **parameters: RDA(alpha=0.5, gamma=0.1, **parameters),
    "tied rda": lambda **parameters: RDA(alpha=1.0, **parameters),
    "naive": GaussianNB,
}
LEVELS = {"bernoulli": BernoulliNB, "categorical": CategoricalNB}
SIZES = st.sampled_from([(1, 2), (3, 3), (5, 9), (12, 4), (20, 17)])
SEEDS = st.integers(0, 2**32 - 1)
DTYPES = st.sampled_from(["f8", "f4"])


def answers(model, X):
    """Collect what a model says about rows, by method."""
    gapped = X.dtype.kind == "f" and np.isnan(X).any()
    without_axes = getattr(model, "solver", None) == "lsqr"
    methods = METHODS[:-1] if gapped or without_axes else METHODS
    methods = [method for method in methods if hasattr(model, method)]
    return {method: getattr(model, method)(X) for method in methods}


def assert_same_bits(found, expected):
    assert found.keys() >= expected.keys()  # complete rows among gapped ones can be projected
    for method, answer in expected.items():
        assert found[method].dtype == answer.dtype, method
        assert found[method].tobytes() == answer.tobytes(), method


def assert_rows_stand_alone(model, X, seed):
    """Cut rows into batches, put them in another order, turn them, take other threads."""
    random = np.random.default_rng(seed)
    whole = answers(model, X)
    cuts = np.sort(random.integers(1, len(X), size=random.integers(1, 9)))
    batches = [answers(model, batch) for batch in np.split(X, cuts) if len(batch)]
    joined = {method: np.concatenate([batch[method] for batch in batches]) for method in whole}
    assert_same_bits(joined, whole)
    order = random.permutation(len(X))
    assert_same_bits(
        answers(model, X[order]), {method: answer[order] for method, answer in whole.items()}
    )
    row = int(random.integers(len(X)))
    alone = {method: answer[row : row + 1] for method, answer in whole.items()}
    assert_same_bits(answers(model, X[row : row + 1]), alone)
    assert_same_bits(answers(model, np.asfortranarray(X)), whole)
    if "n_threads" in model.get_params():
        model.set_params(n_threads=3)
        assert_same_bits(answers(model, X), whole)


def rows_with_gaps(X, random):
    """Return rows of all kinds: complete ones, patterns of one row and of many, without a value."""
    gapped = X.copy()
    gapped[random.random(X.shape) < 0.1] = np.nan
    shared = random.random((2, X.shape[1])) < 0.4
    chosen = random.integers(0, 5, len(X))  # 0 and 1: a pattern that others have too
    for pattern in range(2):
        gapped[chosen == pattern] = np.where(shared[pattern], np.nan, X[chosen == pattern])
    gapped[chosen == 2] = X[chosen == 2]
    gapped[random.integers(len(X))] = np.nan
    return gapped


@pytest.mark.parametrize("name", NUMBERS)
@settings(max_examples=15)
@given(size=SIZES, dtype=DTYPES, seed=SEEDS, gaps=st.booleans())
def test_rows_of_numbers(name, size, dtype, seed, gaps):
    d, k = size
    X, y = correlated(40 * k, d, k, seed=seed)
    X = X.astype(dtype)
    model = NUMBERS[name](missing="marginalize").fit(X, y)
    rows = X[: min(len(X), 200)]
    if gaps:
        rows = rows_with_gaps(rows, np.random.default_rng(seed))
    assert_rows_stand_alone(model, rows, seed)


@pytest.mark.parametrize("name", ["svd", "qda", "naive"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "u2"])
def test_many_rows_of_many_classes(name, dtype):
    """Enough of both that tasks, tiles and screened blocks end in the middle of batches."""
    X, y = correlated(6000, 16, 24, seed=1)
    X = (np.abs(X) * 100).astype(dtype)
    assert_rows_stand_alone(NUMBERS[name]().fit(X, y), X, seed=2)


@pytest.mark.parametrize("name", LEVELS)
@settings(max_examples=15)
@given(size=SIZES, seed=SEEDS)
def test_rows_of_levels(name, size, seed):
    d, k = size
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 4, (30 * k, d)), np.arange(30 * k) % k
    model = LEVELS[name]().fit(X, y)
    assert_rows_stand_alone(model, X, seed)


@settings(max_examples=15)
@given(size=SIZES, seed=SEEDS, gaps=st.booleans())
def test_mixed_rows(size, seed, gaps):
    d, k = size
    X, y = correlated(40 * k, d, k, seed=seed)
    X[:, 0] = np.abs(X[:, 0]).round() % 4
    kinds = ["categorical", *["gaussian"] * (d - 1)]
    model = MixedNB(kinds=kinds).fit(X, y)
    rows = rows_with_gaps(X, np.random.default_rng(seed)) if gaps else X
    assert_rows_stand_alone(model, rows, seed)
