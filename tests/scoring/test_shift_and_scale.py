"""Data far from the origin or in odd units cost no accuracy beyond their own rounding.

The reference is the exact answer for the data as rounded, computed in rational arithmetic.
"""

import math
import operator
from fractions import Fraction
from functools import cache
from types import SimpleNamespace

import numpy as np
import peers
import pytest
from scipy.special import logsumexp
from sklearn import naive_bayes

from gauda import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis


def solve_exactly(matrix, columns):
    """Solve matrix @ Z = columns by elimination in rationals: Z and the determinant."""
    n = len(matrix)
    rows = [list(left) + list(right) for left, right in zip(matrix, columns, strict=True)]
    determinant = Fraction(1)
    for i in range(n):  # positive definite: no pivot vanishes
        pivot = rows[i][i]
        determinant *= pivot
        rows[i] = [value / pivot for value in rows[i]]
        for j in range(n):
            if j != i and rows[j][i]:
                factor = rows[j][i]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [row[n:] for row in rows], determinant


def exact_moments(X):
    """Give the mean and the scatter matrix of the rows, in rationals."""
    columns = [[Fraction(value) for value in column] for column in X.T.tolist()]
    mean = [sum(column) / len(column) for column in columns]
    centered = [[v - m for v in column] for column, m in zip(columns, mean, strict=True)]
    scatter = [[sum(map(operator.mul, a, b)) for b in centered] for a in centered]
    return mean, scatter


def exact_covariances(kind, scatters, counts):
    """Give each class's maximum-likelihood covariance: its own, pooled, or diagonal."""
    d = range(len(scatters[0]))
    if kind == "lda":
        pooled = [[sum(s[i][j] for s in scatters) / sum(counts) for j in d] for i in d]
        return [pooled for _ in counts]
    keep = (lambda i, j: i == j) if kind == "gnb" else (lambda _i, _j: True)
    return [
        [[s[i][j] / n if keep(i, j) else Fraction(0) for j in d] for i in d]
        for s, n in zip(scatters, counts, strict=True)
    ]


def exact_joint(kind, X, y, rows):
    """Give log p(x, k) of X[rows] under the model fitted on (X, y), exact to the last rounding."""
    labels, counts = np.unique(y, return_counts=True)
    moments = [exact_moments(X[y == label]) for label in labels]
    covariances = exact_covariances(kind, [scatter for _, scatter in moments], counts.tolist())
    joint = []
    for (mean, _), covariance, count in zip(moments, covariances, counts, strict=True):
        columns = zip(X[rows].T.tolist(), mean, strict=True)
        differences = [[Fraction(value) - m for value in column] for column, m in columns]
        solutions, determinant = solve_exactly(covariance, differences)
        products = [map(operator.mul, *pair) for pair in zip(differences, solutions, strict=True)]
        distances = np.array([float(sum(terms)) for terms in zip(*products, strict=True)])
        constant = X.shape[1] * math.log(2 * math.pi) + math.log(determinant)
        joint.append(math.log(count / len(y)) - (constant + distances) / 2)
    return np.stack(joint, axis=1)


ESTIMATORS = {
    "lda": LinearDiscriminantAnalysis,
    "qda": QuadraticDiscriminantAnalysis,
    "gnb": GaussianNB,
}
PEERS = {
    "lda": peers.LinearDiscriminantAnalysis,
    "qda": peers.QuadraticDiscriminantAnalysis,
    "gnb": naive_bayes.GaussianNB,
}
MODELS = [
    ("lda", {"solver": "svd"}),
    ("lda", {"solver": "lsqr"}),
    ("lda", {"solver": "eigen"}),
    ("qda", {"solver": "svd"}),
    ("qda", {"solver": "eigen"}),
    ("gnb", {"var_smoothing": 0}),
]
CHANGES = {
    "shift 1e6": lambda X: X + 1e6,
    "shift -1e8": lambda X: X - 1e8,
    "shifts 1e8, -1e6, ...": lambda X: X + np.resize([1e8, -1e6], X.shape[1]),
    "units 1e-7": lambda X: X * 1e-7,
    "units 1e7": lambda X: X * 1e7,
    "units 1e-7 ... 1e7": lambda X: X * np.logspace(-7, 7, X.shape[1]),
    "units 1e7 ... 1e-7": lambda X: X * np.logspace(7, -7, X.shape[1]),
    "float32, shift 1e3": lambda X: (X + 1e3).astype(np.float32),
    "float32, units 1e-7 ... 1e7": lambda X: (X * np.logspace(-7, 7, X.shape[1])).astype(
        np.float32
    ),
}


SHIFTS = [change for change in CHANGES if change.startswith("shift")]
# What is as good as exact: absolute and relative error.
TOLERANCES = {np.float64: (1e-9, 1e-12), np.float32: (1e-5, 1e-6)}


@pytest.fixture(scope="module")
def solve(load_data):
    """Give a cached function: (data set, change, kind) -> what the tests below compare."""

    @cache
    def problem(dataset, change, kind):
        X, y = load_data(dataset)
        X, rows = CHANGES[change](X), np.arange(0, len(y), 11)
        joint = exact_joint(kind, X, y, rows)
        posterior = joint - logsumexp(joint, axis=1, keepdims=True)
        return SimpleNamespace(X=X, y=y, some=X[rows], joint=joint, posterior=posterior)

    return problem


def cases(changes):
    """Cross the models with changes of the two data sets."""
    return pytest.mark.parametrize(
        ("kind", "params", "change", "dataset"),
        [
            pytest.param(kind, params, change, dataset, id=f"{dataset}-{change}-{kind}-{params}")
            for kind, params in MODELS
            for change in changes
            for dataset in ["iris", "banknote"]
        ],
    )


def largest_error(model, problem):
    """Fit, and find the largest error of a log-posterior."""
    log_posterior = model.fit(problem.X, problem.y).predict_log_proba(problem.some)
    return np.abs(log_posterior - problem.posterior).max()


@cases(CHANGES)
def test_joint_log_probabilities_are_exact(kind, params, change, dataset, solve):
    problem = solve(dataset, change, kind)
    model = ESTIMATORS[kind](**params).fit(problem.X, problem.y)
    atol, rtol = TOLERANCES[problem.X.dtype.type]
    joint = model.predict_joint_log_proba(problem.some)
    np.testing.assert_allclose(joint, problem.joint, atol=atol, rtol=rtol)


@cases(CHANGES)
def test_log_posteriors_are_exact(kind, params, change, dataset, solve):
    problem = solve(dataset, change, kind)
    model = ESTIMATORS[kind](**params).fit(problem.X, problem.y)
    atol, rtol = TOLERANCES[problem.X.dtype.type]
    log_posterior = model.predict_log_proba(problem.some)
    np.testing.assert_allclose(log_posterior, problem.posterior, atol=atol, rtol=rtol)


@cases(CHANGES)
def test_log_posteriors_are_no_worse_than_scikit_learns(kind, params, change, dataset, solve):
    problem = solve(dataset, change, kind)
    tolerant = {"tol": 0} if kind == "qda" else {}
    try:
        theirs = largest_error(PEERS[kind](**params, **tolerant), problem)
    except np.linalg.LinAlgError:  # scikit-learn gives no answer at all
        theirs = np.inf
    # Either may be a few roundings ahead of the other: these count as equal.
    roundings = TOLERANCES[problem.X.dtype.type][1] * np.abs(problem.posterior).max()
    assert largest_error(ESTIMATORS[kind](**params), problem) <= max(theirs, roundings)


@cases(SHIFTS)
def test_far_away_errors_are_a_thousandth_of_scikit_learns(kind, params, change, dataset, solve):
    problem = solve(dataset, change, kind)
    theirs = largest_error(PEERS[kind](**params), problem)
    assert largest_error(ESTIMATORS[kind](**params), problem) < theirs / 1000


@pytest.mark.parametrize("solver", ["svd", "eigen"])
def test_qda_fits_small_units_that_scikit_learn_refuses(solver, iris):
    X, y = iris[0] / 100, iris[1]  # centimetres as metres: variances near 1e-5
    with pytest.raises(np.linalg.LinAlgError, match="not full rank"):
        PEERS["qda"](solver=solver).fit(X, y)
    rows = np.arange(0, 150, 7)
    joint = QuadraticDiscriminantAnalysis(solver=solver).fit(X, y).predict_joint_log_proba(X[rows])
    np.testing.assert_allclose(joint, exact_joint("qda", X, y, rows), rtol=1e-12, atol=1e-9)
