"""What is wrong is told of the first row that has it, with any number of threads."""

import re

import numpy as np
import pytest

import gauda

N, D, K = 24_000, 48, 3
RNG = np.random.default_rng(71)
Y = RNG.integers(0, K, N)
NUMBERS = RNG.normal(size=(N, D)) + Y[:, None]
LEVELS = RNG.integers(0, 3, (N, D)).astype(float)
PRESENCE = RNG.integers(0, 2, (N, D)).astype(float)

# Estimators, rows that they take, and an entry that they do not.
CASES = {
    "LDA, svd": (gauda.LDA(), NUMBERS, np.nan),
    "LDA, lsqr": (gauda.LDA(solver="lsqr"), NUMBERS, np.inf),
    "LDA, eigen": (gauda.LDA(solver="eigen"), NUMBERS, np.nan),
    "QDA": (gauda.QDA(), NUMBERS, np.nan),
    "QDA, missing": (gauda.QDA(missing="marginalize"), NUMBERS, -np.inf),
    "RDA": (gauda.RDA(alpha=0.5, gamma=0.1), NUMBERS, np.nan),
    "GaussianNB": (gauda.GaussianNB(), NUMBERS, np.nan),
    "BernoulliNB": (gauda.BernoulliNB(), PRESENCE, np.nan),
    "BernoulliNB, shares": (gauda.BernoulliNB(binarize=None), PRESENCE, 2.0),
    "CategoricalNB": (gauda.CategoricalNB(), LEVELS, -1.0),
    "CategoricalNB, NaN": (gauda.CategoricalNB(), LEVELS, np.nan),
    "MixedNB": (gauda.MixedNB(), NUMBERS, np.inf),
}
SCORES = ["predict", "predict_proba", "score_samples"]


def spoiled(X, value, seed):
    """Give rows of which a few hold a value, near one another or not, and the first of these."""
    rng = np.random.default_rng(seed)
    reach = rng.choice([30, 3000, N])
    rows = rng.integers(0, reach, 9) + rng.integers(0, N - reach + 1)
    X = X.copy()
    X[rows, rng.integers(2, X.shape[1], 9)] = value
    return X, rows.min()


def row_in(message):
    return int(re.search(r"row (\d+)", message)[1])


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("case", CASES)
def test_first_row_that_cannot_be_scored_is_told(case, threads):
    estimator, X, value = CASES[case]
    estimator.set_params(n_threads=threads).fit(X, Y)
    for seed, method in enumerate(SCORES):
        bad, first = spoiled(X, value, seed)
        with pytest.raises(ValueError, match="row") as refusal:
            getattr(estimator, method)(bad)
        assert row_in(str(refusal.value)) == first


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("case", CASES)
def test_first_row_that_cannot_be_learned_is_told(case, threads):
    estimator, X, value = CASES[case]
    for seed in range(3):
        bad, first = spoiled(X, value, seed)
        with pytest.raises(ValueError, match="row") as refusal:
            estimator.set_params(n_threads=threads).fit(bad, Y)
        assert row_in(str(refusal.value)) == first


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("case", CASES)
def test_first_weight_that_is_none_is_told(case, threads):
    estimator, X, _ = CASES[case]
    weights = np.ones(N)
    weights[[20_000, 9000, 9001]] = -1
    with pytest.raises(ValueError, match="row 9000"):
        estimator.set_params(n_threads=threads).fit(X, Y, sample_weight=weights)
