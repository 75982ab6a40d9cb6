"""LDA's projections, and what both have beyond scikit-learn: densities, weights, divisors."""

import numpy as np
import pytest
from parity import (
    DATASETS,
    FULL_RANK,
    SINGULAR,
    TOL,
    assert_same,
    blobs,
    covariance_settings,
    priors,
    with_signs_of,
)
from peers import theirs
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from support import MODELS, ours, outcome

LDA, QDA, _ = MODELS
RTOL = 1e-9
PROJECTIONS = [
    {},
    {"n_components": 1},
    {"tol": TOL},
    {"solver": "eigen"},
    {"solver": "eigen", "n_components": 1},
    {"solver": "eigen", "shrinkage": 0.3},
    {"solver": "eigen", "shrinkage": "auto", "n_components": 1},
]


@pytest.mark.parametrize("params", PROJECTIONS)
@pytest.mark.parametrize("dataset", FULL_RANK)
def test_projections_are_scikit_learns_up_to_sign(params, dataset):
    X, y = DATASETS[dataset]
    expected = theirs(LDA, **params).fit(X, y).transform(X)
    actual = ours(LDA, **params).fit(X, y).transform(X)
    assert_same(with_signs_of(actual, expected), expected, RTOL)


def test_tol_drops_what_scikit_learn_drops_within_classes():
    X, y = blobs([40, 30, 50], 3, 7)
    noise = np.random.default_rng(0).normal(size=len(X), scale=0.02)
    X = np.column_stack([X, X[:, 0] - 2 * X[:, 1] + noise])
    for tol in (TOL, 1e-4):
        expected, actual = (lda.fit(X, y) for lda in (theirs(LDA, tol=tol), ours(LDA, tol=tol)))
        assert_same(actual.predict_proba(X), expected.predict_proba(X), RTOL)
        projected = expected.transform(X)
        assert_same(with_signs_of(actual.transform(X), projected), projected, RTOL)
    wide, narrow = (ours(LDA, tol=tol).fit(X, y).mahalanobis(X) for tol in (1e-4, TOL))
    assert np.all(narrow < wide)


@pytest.mark.parametrize("dataset", SINGULAR)
def test_projections_of_singular_data_are_scikit_learns_up_to_sign(dataset):
    X, y = DATASETS[dataset]
    expected = theirs(LDA).fit(X, y).transform(X)
    actual = ours(LDA).fit(X, y).transform(X)
    assert_same(with_signs_of(actual, expected), expected, RTOL)


@pytest.mark.parametrize("n_classes", [2, 3, 4, 6, 10])
@pytest.mark.parametrize("d", [1, 2, 3, 5, 12])
def test_projections_are_scikit_learns_whatever_the_shape(n_classes, d):
    # Means less their mean are a matrix of one rank less: singular vectors need some care there.
    for seed in range(20):
        X, y = blobs([2 * d + 5] * n_classes, d, seed)
        uneven = priors(y)
        expected = theirs(LDA, priors=uneven).fit(X, y).transform(X)
        actual = ours(LDA, priors=uneven).fit(X, y).transform(X)
        assert_same(with_signs_of(actual, expected), expected, rtol=1e-8)


@pytest.mark.parametrize("tol", [1e-6, 1e-8, 1e-12])
def test_small_tolerance_finds_no_more_axes_than_scikit_learn(tol):
    for seed in range(10):
        X, y = blobs([29] * 5, 12, seed)  # five means span four directions
        expected = theirs(LDA, tol=tol, priors=priors(y)).fit(X, y)
        assert expected.scalings_.shape == (12, 4)
        assert ours(LDA, tol=tol, priors=priors(y)).fit(X, y).scalings_.shape == (12, 4)


@pytest.mark.parametrize("params", PROJECTIONS)
def test_fit_transform_projects_the_training_rows(params):
    X, y = DATASETS["three classes"]
    lda = ours(LDA, **params)
    np.testing.assert_array_equal(lda.fit_transform(X, y), lda.transform(X))


@pytest.mark.parametrize("params", PROJECTIONS)
def test_projected_columns_have_scikit_learns_names(params):
    X, y = DATASETS["seven classes"]
    lda = ours(LDA, **params).fit(X, y)
    # scikit-learn also names columns that its transform leaves out
    expected = theirs(LDA, **params).fit(X, y).get_feature_names_out()[: lda.transform(X).shape[1]]
    assert_same(lda.get_feature_names_out(), expected, rtol=0)


def test_least_squares_projects_nothing_and_says_so_in_scikit_learns_words():
    X, y = DATASETS["three classes"]
    expected = outcome(lambda: theirs(LDA, solver="lsqr").fit(X, y).transform(X))
    assert expected.startswith("NotImplementedError: ")
    assert outcome(lambda: ours(LDA, solver="lsqr").fit(X, y).transform(X)) == expected


@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize("solver", ["svd", "eigen"])
@pytest.mark.parametrize("dataset", FULL_RANK)
def test_axes_of_lda_whiten_the_within_covariance(unbiased, solver, dataset):
    X, y = DATASETS[dataset]
    lda = ours(LDA, solver=solver, unbiased=unbiased, store_covariance=True).fit(X, y)
    within = lda.scalings_.T @ lda.covariance_ @ lda.scalings_
    np.testing.assert_allclose(within, np.eye(len(within)), atol=1e-12)


@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize("dataset", FULL_RANK)
def test_axes_of_qda_diagonalise_the_class_covariances(unbiased, dataset):
    X, y = DATASETS[dataset]
    qda = ours(QDA, store_covariance=True, unbiased=unbiased).fit(X, y)
    for rotation, scaling, covariance in zip(
        qda.rotations_, qda.scalings_, qda.covariance_, strict=True
    ):
        np.testing.assert_allclose((rotation * scaling) @ rotation.T, covariance, atol=1e-13)
        np.testing.assert_allclose(rotation.T @ rotation, np.eye(X.shape[1]), atol=1e-13)


def covariances(name, model):
    """List one covariance per class."""
    return [model.covariance_] * len(model.classes_) if name == LDA else model.covariance_


DENSITIES = [
    (LDA, {"store_covariance": True}),
    *((LDA, setting) for setting in covariance_settings("lsqr")),
    *((LDA, setting) for setting in covariance_settings("eigen")),
    (QDA, {"store_covariance": True}),
    (QDA, {"store_covariance": True, "reg_param": 0.3}),
    *((QDA, {"store_covariance": True, **setting}) for setting in covariance_settings("eigen")),
]


@pytest.mark.parametrize(("name", "params"), DENSITIES)
@pytest.mark.parametrize("dataset", FULL_RANK)
def test_densities_are_scipys_for_scikit_learns_parameters(name, params, dataset):
    X, y = DATASETS[dataset]
    reference = theirs(name, **params).fit(X, y)
    classes = zip(reference.means_, covariances(name, reference), reference.priors_, strict=True)
    joint = np.stack(
        [
            np.log(prior) + multivariate_normal(mean, covariance).logpdf(X)
            for mean, covariance, prior in classes
        ],
        axis=1,
    )
    model = ours(name, **params).fit(X, y)
    assert_same(model.predict_joint_log_proba(X), joint, RTOL)
    assert_same(model.score_samples(X), logsumexp(joint, axis=1), RTOL)


@pytest.mark.parametrize(("name", "params"), DENSITIES)
@pytest.mark.parametrize("dataset", FULL_RANK)
def test_mahalanobis_distances_are_scipys_squared(name, params, dataset):
    X, y = DATASETS[dataset]
    reference = theirs(name, **params).fit(X, y)
    expected = [
        cdist(X, mean[None], "mahalanobis", VI=np.linalg.inv(covariance))[:, 0] ** 2
        for mean, covariance in zip(reference.means_, covariances(name, reference), strict=True)
    ]
    model = ours(name, **params).fit(X, y)
    assert_same(model.mahalanobis(X), np.stack(expected, axis=1), RTOL)


WEIGHTED = [
    (LDA, {}),
    (LDA, {"store_covariance": True, "priors": [0.2, 0.3, 0.5]}),
    (LDA, {"solver": "lsqr"}),
    (LDA, {"solver": "lsqr", "shrinkage": "auto"}),
    (LDA, {"solver": "eigen"}),
    (LDA, {"solver": "eigen", "shrinkage": 0.3}),
    (LDA, {"solver": "eigen", "shrinkage": "auto"}),
    (QDA, {"store_covariance": True}),
    (QDA, {"reg_param": 0.3}),
    (QDA, {"solver": "eigen", "shrinkage": 0.3}),
    (QDA, {"solver": "eigen", "shrinkage": "auto"}),
]


@pytest.mark.parametrize(("name", "params"), WEIGHTED)
def test_weights_count_rows_as_scikit_learn_counts_repeated_ones(name, params):
    X, y = DATASETS["three classes"]
    weights = np.arange(len(y)) % 4
    reference = theirs(name, **params).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    model = ours(name, **params).fit(X, y, sample_weight=weights)
    for attribute in ["priors_", "means_", "covariance_", "coef_", "intercept_"]:
        if hasattr(reference, attribute):
            assert_same(getattr(model, attribute), getattr(reference, attribute), RTOL)
    assert_same(model.decision_function(X), reference.decision_function(X), RTOL)


@pytest.mark.parametrize("name", [LDA, QDA])
@pytest.mark.parametrize("far", [1e3, 1e9])
def test_rows_of_weight_zero_cost_no_accuracy_however_far_they_lie(name, far):
    X, y = blobs([30, 40], 3, 9)
    reference = theirs(name).fit(X, y)
    outliers = np.full_like(X, far)
    weights = np.repeat([0, 1], len(y))
    model = ours(name).fit(np.vstack([outliers, X]), np.tile(y, 2), sample_weight=weights)
    assert_same(model.predict_proba(X), reference.predict_proba(X), RTOL)


def test_weighted_shrinkage_copes_with_a_class_of_one_row_many_times():
    X, y = blobs([4, 8, 8], 6, 10)
    weights = np.arange(len(y)) % 3 + 1
    weights[y == 0] = [0, 3, 0, 0]
    reference = theirs(LDA, solver="lsqr", shrinkage="auto")
    reference.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    lda = ours(LDA, solver="lsqr", shrinkage="auto").fit(X, y, sample_weight=weights)
    assert_same(lda.covariance_, reference.covariance_, RTOL)


@pytest.mark.parametrize("solver", ["svd", "eigen"])
def test_weighted_projections_are_scikit_learns_of_repeated_rows(solver):
    X, y = DATASETS["three classes"]
    weights = np.arange(len(y)) % 4
    reference = theirs(LDA, solver=solver)
    reference.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    actual = ours(LDA, solver=solver).fit(X, y, sample_weight=weights).transform(X)
    expected = reference.transform(X)
    assert_same(with_signs_of(actual, expected), expected, RTOL)


@pytest.mark.parametrize("weighted", [False, True])
def test_unbiased_class_covariances_divide_by_one_less(weighted):
    X, y = DATASETS["three classes"]
    weights = np.arange(len(y)) % 4 if weighted else np.ones(len(y), dtype=int)
    qda = ours(QDA, store_covariance=True, unbiased=True).fit(X, y, sample_weight=weights)
    expected = [np.cov(X[y == k].T, fweights=weights[y == k]) for k in qda.classes_]
    assert_same(qda.covariance_, expected, RTOL)


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
@pytest.mark.parametrize("weighted", [False, True])
def test_unbiased_pooled_covariance_divides_by_n_less_the_classes(solver, weighted):
    X, y = DATASETS["three classes"]  # of different sizes
    weights = np.arange(len(y)) % 4 if weighted else np.ones(len(y), dtype=int)
    lda = ours(LDA, solver=solver, store_covariance=True, unbiased=True)
    lda.fit(X, y, sample_weight=weights)
    scatters = [
        np.cov(X[y == k].T, fweights=weights[y == k]) * (weights[y == k].sum() - 1)
        for k in lda.classes_
    ]
    assert_same(lda.covariance_, sum(scatters) / (weights.sum() - 3), RTOL)


@pytest.mark.parametrize("name", [LDA, QDA])
def test_unbiased_distances_shrink_by_the_ratio_of_the_divisors(name):
    X, y = blobs([30, 30, 30], 4, 8)
    ratio = 29 / 30  # (n_k - 1) / n_k for a class, (n - K) / n for the pool
    plain, unbiased = (ours(name, unbiased=flag).fit(X, y) for flag in [False, True])
    assert_same(unbiased.mahalanobis(X), plain.mahalanobis(X) * ratio, rtol=1e-13)


def test_priors_move_decisions_by_their_logarithms():
    X, y = DATASETS["three classes"]
    plain = ours(QDA).fit(X, y)
    moved = ours(QDA, priors=priors(y)).fit(X, y)
    expected = plain.predict_joint_log_proba(X) + np.log(priors(y) / plain.priors_)
    assert_same(moved.predict_joint_log_proba(X), expected, rtol=1e-14)
