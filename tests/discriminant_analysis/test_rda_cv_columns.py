"""Grids of covariances whose points share coordinates: against models fitted to each split."""

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, StratifiedKFold

from gauda import RDA
from gauda import RegularizedDiscriminantAnalysisCV as RDACV  # noqa: N817

ALPHAS, GAMMAS = [0.0, 0.2, 0.7, 1.0], [0.0, 1e-7, 0.01, 0.3, 0.6, 1.0]
N, D, N_CLASSES = 48, 21, 3
LEAST = np.log(np.finfo(np.float64).eps)
TARGETS = ["spherical", "diagonal", "identity"]


def plain(n=N, d=D):
    rng = np.random.default_rng(0)
    y = np.arange(n) % N_CLASSES
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d)))
    return X + 0.7 * rng.normal(size=(N_CLASSES, d))[y], y


def many_rows():
    return plain(n=150)


def one_far_away():
    X, y = plain()
    X[0] += 1e2
    return X, y


def copied_columns():
    X, y = plain()
    X[:, 5] = X[:, 0]
    return X, y


def copied_rows():
    X, y = plain()
    X[24:] = X[:24]
    return X, y


def large_units():
    X, y = plain()
    return X * 1e6, y


def small_units():
    X, y = plain()
    return X * 1e-6, y


def unlike_columns():
    X, y = plain()
    X[:, ::3] *= 1e4
    return X, y


def a_constant_column():
    X, y = plain()
    X[:, 3] = 0.1
    return X, y


def two_columns():
    return plain(d=2)


def one_column():
    return plain(d=1)


KINDS = [
    many_rows,
    plain,
    one_far_away,
    copied_columns,
    copied_rows,
    large_units,
    small_units,
    unlike_columns,
    a_constant_column,
    two_columns,
    one_column,
]


def mean_loss(model, X, y, split):
    """Return the log-loss of a fit to some rows on others; NaN where it is refused."""
    train, test = split
    try:
        found = model.fit(X[train], y[train]).predict_log_proba(X[test])
    except ValueError as error:
        if isinstance(error, np.linalg.LinAlgError) or "no variance" in str(error):
            return np.nan
        raise
    return -np.maximum(found[np.arange(len(test)), y[test]], LEAST).mean()


def assert_scores_are_those_of_refits(X, y, splitter, cv, **params):
    ours = RDACV(ALPHAS, GAMMAS, cv=cv, **params)
    try:
        found = ours.fit(X, y).cv_results_["mean_test_score"]
    except np.linalg.LinAlgError:
        found = np.full(len(ALPHAS) * len(GAMMAS), np.nan)
    splits = list(splitter.split(X, y))
    points = [(alpha, gamma) for alpha in ALPHAS for gamma in GAMMAS]
    expected = [
        -np.mean([mean_loss(RDA(*point, **params), X, y, split) for split in splits])
        for point in points
    ]
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("make", KINDS)
def test_folds_are_scored_as_by_refits(make, target):
    X, y = make()
    folds = StratifiedKFold(3)
    assert_scores_are_those_of_refits(X, y, folds, folds, target=target)


@pytest.mark.parametrize("tol", [1e-2, 0.1, 0.3])
@pytest.mark.parametrize("target", TARGETS)
def test_points_that_are_singular_by_the_tolerance_are_so_in_folds(target, tol):
    X, y = plain()
    folds = StratifiedKFold(3)
    assert_scores_are_those_of_refits(X, y, folds, folds, target=target, tol=tol)


@pytest.mark.parametrize("target", ["spherical", "identity"])
@pytest.mark.parametrize("make", KINDS)
def test_rows_left_out_are_scored_as_by_refits(make, target):
    X, y = make()
    assert_scores_are_those_of_refits(X, y, LeaveOneOut(), "loo", target=target)
