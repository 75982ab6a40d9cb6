"""Data sets, parameters and comparisons for holding gauda's classes against scikit-learn's."""

import numpy as np
from sklearn.covariance import OAS


def blobs(sizes, d, seed):
    """Draw overlapping Gaussian classes of these sizes in shuffled order, each of its own shape."""
    rng = np.random.default_rng(seed)
    classes = [
        rng.normal(size=(n, d)) @ (np.eye(d) + rng.normal(size=(d, d), scale=0.3))
        + rng.normal(size=d)
        for n in sizes
    ]
    order = rng.permutation(sum(sizes))
    return np.concatenate(classes)[order], np.repeat(np.arange(len(sizes)), sizes)[order]


def labeled(X, y, labels):
    return X, np.asarray(labels)[y]


def collinear(X, y):
    return np.column_stack([X, X[:, 0] - 2 * X[:, 1]]), y


FULL_RANK = {
    "two classes": labeled(*blobs([25, 40], 4, 0), [False, True]),
    "three classes": labeled(*blobs([50, 20, 30], 5, 1), ["setosa", "a", "virginica"]),
    "seven classes": labeled(*blobs([30, 40, 50, 25, 35, 45, 30], 6, 2), range(-30, 40, 10)),
    "one feature": labeled(*blobs([20, 25, 30], 1, 3), [-1.0, 2.0, 7.0]),
}
SINGULAR = {
    "more features than rows": blobs([6, 8, 7], 30, 4),
    "collinear": collinear(*blobs([30, 40, 35], 4, 5)),
    "collinear, two classes": collinear(*blobs([30, 40], 4, 6)),
}
DATASETS = FULL_RANK | SINGULAR

TOL = 0.02
"""Drops directions within classes, and in no data set one between the class means: these
scikit-learn judges by the largest difference, so that one far class hides the others."""


def priors(y):
    """Give uneven priors that sum to one, one for each class."""
    weights = np.arange(1.0, len(np.unique(y)) + 1)
    return weights / weights.sum()


def covariance_settings(solver):
    """List the parameters that replace the empirical covariance."""
    shrinkages = [{"shrinkage": value} for value in [0, 0.3, 1.0, "auto"]]
    return [
        {"solver": solver, **setting} for setting in [*shrinkages, {"covariance_estimator": OAS()}]
    ]


def lda_settings(y):
    return [
        {},
        {"priors": priors(y)},
        {"store_covariance": True},
        {"n_components": 1},
        {"tol": TOL},
        {"solver": "lsqr"},
        {"solver": "lsqr", "priors": priors(y)},
        *covariance_settings("lsqr"),
        {"solver": "eigen"},
        {"solver": "eigen", "priors": priors(y), "n_components": 1},
        *covariance_settings("eigen"),
    ]


def qda_settings(y):
    return [
        {},
        {"priors": priors(y)},
        {"store_covariance": True},
        {"reg_param": 0.2, "store_covariance": True},
        {"reg_param": 1.0},
        {"solver": "eigen", "store_covariance": True},
        {"solver": "eigen", "priors": priors(y)},
        *(setting | {"store_covariance": True} for setting in covariance_settings("eigen")),
    ]


def naive_bayes_settings(y):
    return [
        {},
        {"priors": priors(y)},
        {"var_smoothing": 0},
        {"var_smoothing": 0.5},
        {"var_smoothing": 0.01, "priors": priors(y)},
    ]


def is_well_posed(name, params, dataset):
    """Tell whether a singular covariance, if there is one, is dealt with by these parameters."""
    if name == "GaussianNB" or dataset in FULL_RANK:
        return True
    if params.get("shrinkage") or params.get("covariance_estimator"):
        return True
    if name == "LinearDiscriminantAnalysis":
        return params.get("solver") != "eigen"
    return "reg_param" in params and dataset != "more features than rows"


def assert_same(actual, expected, rtol):
    """Check type, dtype, shape and values, the latter to `rtol` of the largest."""
    assert type(actual) is type(expected)
    if isinstance(expected, list):
        assert len(actual) == len(expected)
        for a, e in zip(actual, expected, strict=True):
            assert_same(a, e, rtol)
        return
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind == "f":
        scale = np.abs(expected).max(initial=0)
        np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol * scale)
    else:
        np.testing.assert_array_equal(actual, expected)


def with_signs_of(axes, reference):
    """Flip columns so that each points to the same side as the reference's."""
    signs = np.sign(np.sum(axes * reference, axis=0))
    return axes * np.where(signs == 0, 1, signs).astype(axes.dtype)


def isolated(values):
    """Tell which of the eigenvalues, sorted, are apart from the others: only they have an axis."""
    gaps = np.abs(np.diff(values)) > 1e-6 * np.abs(values).max()
    return np.append(gaps, True) & np.insert(gaps, 0, True)
