"""Leave-one-out posteriors of independent columns among outliers, against 60-digit arithmetic."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from gauda import RDA, GaussianNB

PRIORS = [0.2, 0.3, 0.5]
N, CLASSES = 24, 3


def with_outliers(d, size, seed):
    """Draw rows of which two entries are so many times larger than the others."""
    rng = np.random.default_rng(seed)
    y = np.arange(N) % CLASSES
    X = rng.normal(size=(N, d)) + 0.3 * y[:, np.newaxis]
    X[rng.integers(N), rng.integers(d)] *= size
    X[rng.integers(N), rng.integers(d)] *= size
    return X, y


def sums_of(X, y):
    """Return counts, means and sums of squares of each class in many digits."""
    exact = [[Decimal(value) for value in row] for row in X.tolist()]
    counts, means, squares = [], [], []
    for k in range(CLASSES):
        rows = [row for row, label in zip(exact, y, strict=True) if label == k]
        mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        counts.append(len(rows))
        means.append(mean)
        columns = zip(mean, zip(*rows, strict=True), strict=True)
        squares.append([sum((value - m) ** 2 for value in c) for m, c in columns])
    return counts, means, squares


def log_posteriors(X, y, row, alpha, target):
    """Return the log-posteriors of a row under variances mixed and moved toward a target."""
    kept = np.arange(len(X)) != row
    counts, means, squares = sums_of(X[kept], y[kept])
    x, d = [Decimal(value) for value in X[row].tolist()], X.shape[1]
    total = [sum(column) / sum(counts) for column in zip(*squares, strict=True)]
    scores, share = [], Decimal(alpha)
    for k in range(CLASSES):
        own = [
            (1 - share) * s / counts[k] + share * t for s, t in zip(squares[k], total, strict=True)
        ]
        if target == "spherical":
            own = [sum(own) / d] * d
        elif target == "identity":
            own = [Decimal(1)] * d
        distance = sum((a - m) ** 2 / v for a, m, v in zip(x, means[k], own, strict=True))
        log_det = sum(v.ln() for v in own)
        scores.append(Decimal(PRIORS[k]).ln() - (distance + log_det) / 2)
    top = max(scores)
    log_sum = top + sum((score - top).exp() for score in scores).ln()
    return [float(score - log_sum) for score in scores]


@pytest.mark.parametrize("size", [1.0, 1e6, 1e12, 1e20])
@pytest.mark.parametrize("d", [7, 130])
@pytest.mark.parametrize(
    ("model", "alpha", "target"),
    [
        (GaussianNB(priors=PRIORS, var_smoothing=0), 0, "diagonal"),
        (RDA(priors=PRIORS, covariance="diag"), 0, "diagonal"),
        (RDA(priors=PRIORS, covariance="tied_diag"), 1, "diagonal"),
        (RDA(priors=PRIORS, covariance="spherical"), 0, "spherical"),
        (RDA(priors=PRIORS, covariance="tied_spherical"), 1, "spherical"),
        (RDA(0.5, 1, target="diagonal", priors=PRIORS), 0.5, "diagonal"),
        (RDA(0.5, 1, target="spherical", priors=PRIORS), 0.5, "spherical"),
        (RDA(0, 1, target="identity", priors=PRIORS), 0, "identity"),
    ],
    ids=lambda value: "".join(repr(value).split()),
)
def test_rows_among_outliers_have_exact_posteriors(model, alpha, target, d, size):
    X, y = with_outliers(d, size, seed=d)
    given = model.fit(X, y).loo_log_proba(X, y)
    # The rows of the outliers, and the first others.
    rows = np.unique([*np.argsort(-np.abs(X).max(axis=1))[:2], *range(5)])
    with localcontext() as context:
        context.prec = 80
        context.Emin = -(10**9)
        exact = np.array([log_posteriors(X, y, row, alpha, target) for row in rows])
    scale = np.maximum(1, -exact.min(axis=1, keepdims=True))
    assert (np.abs(given[rows] - exact) <= 1e-9 * scale).all()
    assert model.moments_.structure == "diag"


@pytest.mark.parametrize("model", [RDA(covariance="tied_diag"), RDA(1, 1)])
@pytest.mark.parametrize("d", [7, 130])
def test_columns_that_are_constant_without_a_row_are_left_out(model, d):
    rng = np.random.default_rng(0)
    y = np.arange(N) % CLASSES
    X = rng.normal(size=(N, d))
    X[:, 2] = 0.1
    X[4, 2] = 0.7
    given = model.fit(X, y).loo_log_proba(X, y, refit_priors=True)
    for row in (0, 4):
        kept = np.arange(N) != row
        refit = model.fit(X[kept], y[kept]).predict_log_proba(X[[row]])[0]
        np.testing.assert_allclose(given[row], refit, rtol=1e-9)
