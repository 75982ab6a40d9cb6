"""Many more columns than rows: models against scikit-learn, scipy and refits."""

import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest
from peers import LinearDiscriminantAnalysis as TheirLDA
from peers import QuadraticDiscriminantAnalysis as TheirQDA
from scipy.stats import chi2, multivariate_normal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, LeaveOneOut, StratifiedKFold, cross_val_predict

import gauda
from gauda import (
    LDA,
    QDA,
    RDA,
    GaussianNB,
    Moments,
    RegularizedDiscriminantAnalysisCV,
    ShrunkenCentroids,
)

N_CLASSES = 3


def wide(n=60, d=200, seed=0, unit=1.0, far=0.0):
    """Return rows of three classes with columns of several units, and labels."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % N_CLASSES
    X = rng.normal(size=(n, d)) * np.exp(rng.normal(size=d) / 2) + 5
    X += 0.3 * np.random.default_rng(9).normal(size=(N_CLASSES, d))[y]
    X[y == 2] += far
    return X * unit, y


X, Y = wide()
NEW = wide(25, seed=1)[0]


def covariances(alpha, gamma, target, pooling="covariance", unbiased=False, weights=None):  # noqa: FBT002, PLR0913
    """Return Friedman's covariances by their definition."""
    w = np.ones(len(Y)) if weights is None else weights
    total = np.array([w[k == Y].sum() for k in range(N_CLASSES)])
    scatters = []
    for k in range(N_CLASSES):
        apart = X[k == Y] - np.average(X[k == Y], axis=0, weights=w[k == Y])
        scatters.append((apart * w[k == Y][:, np.newaxis]).T @ apart)
    pooled, d = sum(scatters), X.shape[1]
    own, all_ = (total - 1, total.sum() - N_CLASSES) if unbiased else (total, total.sum())
    found = []
    for k in range(N_CLASSES):
        if pooling == "covariance":
            mixed = (1 - alpha) * scatters[k] / own[k] + alpha * pooled / all_
        else:
            divisor = (1 - alpha) * own[k] + alpha * all_
            mixed = ((1 - alpha) * scatters[k] + alpha * pooled) / divisor
        goal = {
            "spherical": np.eye(d) * np.trace(mixed) / d,
            "diagonal": np.diag(np.diag(mixed)),
            "identity": np.eye(d),
        }[target]
        found.append((1 - gamma) * mixed + gamma * goal)
    return found


def log_joint(matrices, rows, weights=None):
    w = np.ones(len(Y)) if weights is None else weights
    columns = []
    for k in range(N_CLASSES):
        mean = np.average(X[k == Y], axis=0, weights=w[k == Y])
        prior = w[k == Y].sum() / w.sum()
        columns.append(multivariate_normal(mean, matrices[k]).logpdf(rows) + np.log(prior))
    return np.column_stack(columns)


def normalized(joint):
    return joint - np.logaddexp.reduce(joint, axis=1)[:, np.newaxis]


# Linear discriminant analysis

LINEAR = [
    {},
    {"priors": [0.2, 0.3, 0.5]},
    {"solver": "lsqr", "shrinkage": 0.3},
    {"solver": "lsqr", "shrinkage": 1.0},
    {"solver": "lsqr", "shrinkage": 0.3, "priors": [0.2, 0.3, 0.5]},
    {"solver": "lsqr", "shrinkage": "auto"},
    {"solver": "eigen", "shrinkage": 0.3},
    {"solver": "eigen", "shrinkage": 0.3, "priors": [0.2, 0.3, 0.5]},
    {"solver": "eigen", "shrinkage": "auto"},
]


@pytest.mark.parametrize("params", LINEAR, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_linear_models_are_scikit_learns(params, n_classes):
    rows = n_classes > Y
    if n_classes == 2 and "priors" in params:
        params = params | {"priors": [0.3, 0.7]}
    ours, theirs = LDA(**params).fit(X[rows], Y[rows]), TheirLDA(**params).fit(X[rows], Y[rows])
    for name in ["coef_", "intercept_", "means_", "explained_variance_ratio_", "xbar_"]:
        if hasattr(theirs, name):
            expected = getattr(theirs, name)
            scale = np.abs(expected).max()
            np.testing.assert_allclose(getattr(ours, name), expected, atol=1e-11 * scale, rtol=0)
    for method in ["predict_proba", "decision_function"]:
        got, expected = getattr(ours, method)(NEW), getattr(theirs, method)(NEW)
        np.testing.assert_allclose(got, expected, atol=1e-9)
    if params.get("solver") != "lsqr":
        got, expected = ours.transform(NEW), theirs.transform(NEW)
        np.testing.assert_allclose(np.abs(got), np.abs(expected), atol=1e-9)


def test_linear_covariances_are_made_when_they_are_read():
    for params in LINEAR[2:]:
        ours, theirs = LDA(**params).fit(X, Y), TheirLDA(**params).fit(X, Y)
        np.testing.assert_allclose(ours.covariance_, theirs.covariance_, atol=1e-12)
    svd = LDA(store_covariance=True).fit(X, Y).covariance_
    np.testing.assert_allclose(
        svd, TheirLDA(store_covariance=True).fit(X, Y).covariance_, atol=1e-12
    )


def test_a_common_covariance_has_densities_and_distances():
    lda = LDA(solver="lsqr", shrinkage=0.3).fit(X, Y)
    expected = log_joint([lda.covariance_] * N_CLASSES, NEW)
    np.testing.assert_allclose(lda.predict_joint_log_proba(NEW), expected, rtol=1e-12)
    precision = np.linalg.inv(lda.covariance_)
    apart = NEW[:, np.newaxis] - lda.means_
    squares = np.einsum("ijk,kl,ijl->ij", apart, precision, apart)
    np.testing.assert_allclose(lda.mahalanobis(NEW), squares, rtol=1e-11)
    np.testing.assert_allclose(lda.typicality(NEW), chi2.sf(squares, X.shape[1]), rtol=1e-8)


def test_without_shrinkage_distances_are_those_in_the_span_and_there_is_no_density():
    lda = LDA().fit(X, Y)
    spread = np.sqrt(sum(((X[k == Y] - lda.means_[k]) ** 2).sum(axis=0) for k in range(3)) / len(X))
    rows = np.vstack([X[k == Y] - lda.means_[k] for k in range(3)]) / spread / np.sqrt(len(X))
    _, values, axes = np.linalg.svd(rows, full_matrices=False)
    white = axes[: len(X) - 3] / values[: len(X) - 3, np.newaxis]
    apart = (NEW[:, np.newaxis] - lda.means_) / spread
    squares = np.square(apart @ white.T).sum(axis=2)
    np.testing.assert_allclose(lda.mahalanobis(NEW), squares, rtol=1e-9)
    np.testing.assert_allclose(lda.typicality(NEW), chi2.sf(squares, len(X) - 3), rtol=1e-6)
    with pytest.raises(np.linalg.LinAlgError, match=f"rank {len(X) - 3} in 200 columns"):
        lda.score_samples(NEW)


def test_eigen_without_shrinkage_is_refused_from_counts():
    with pytest.raises(np.linalg.LinAlgError, match=r"rank at most 57.*solver='svd'.*shrinkage"):
        LDA(solver="eigen").fit(X, Y)


def test_reduced_rank_and_priors_that_change():
    kept = LDA(solver="eigen", shrinkage=0.3, reduced_rank=True, n_components=1).fit(X, Y)
    axis = LDA(solver="eigen", shrinkage=0.3).fit(X, Y).scalings_[:, :1]
    squares = np.square((NEW[:, np.newaxis] - kept.means_) @ axis)[:, :, 0]
    np.testing.assert_allclose(kept.mahalanobis(NEW), squares, rtol=1e-8, atol=1e-8)
    for params in [{}, {"solver": "lsqr", "shrinkage": 0.3}]:
        lda = LDA(**params).fit(X, Y)
        before = lda.predict_log_proba(NEW)
        lda.set_params(priors=[0.1, 0.1, 0.8]) if not params else None
        again = lda.predict_log_proba(NEW)
        shift = np.log([0.1, 0.1, 0.8]) - np.log(1 / 3) if not params else 0
        np.testing.assert_allclose(again, normalized(before + shift), atol=1e-10)


# Regularized and quadratic discriminant analysis

POINTS = [
    (0.5, 0.3, "spherical", "covariance", False),
    (0.0, 0.1, "spherical", "covariance", True),
    (0.5, 0.3, "identity", "scatter", False),
    (0.5, 0.3, "diagonal", "covariance", False),
    (0.0, 0.5, "diagonal", "scatter", True),
    (1.0, 0.2, "diagonal", "covariance", True),
    (1.0, 0.2, "spherical", "scatter", False),
    (1.0, 0.4, "identity", "covariance", False),
    (0.0, 1.0, "diagonal", "covariance", False),
    (0.5, 1.0, "spherical", "scatter", True),
    (1.0, 1.0, "diagonal", "covariance", False),
    (0.3, 1.0, "identity", "covariance", False),
]


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_regularized_models_have_the_densities_of_their_definition(point):
    alpha, gamma, target, pooling, unbiased = point
    params = {"target": target, "pooling": pooling, "unbiased": unbiased}
    rda = RDA(alpha, gamma, store_covariance=True, **params).fit(X, Y)
    matrices = covariances(*point)
    expected = log_joint(matrices, NEW)
    np.testing.assert_allclose(rda.predict_joint_log_proba(NEW), expected, rtol=1e-12)
    np.testing.assert_allclose(rda.predict_log_proba(NEW), normalized(expected), atol=1e-9)
    np.testing.assert_allclose(rda.covariance_, matrices, atol=1e-12)
    apart = NEW[:, np.newaxis] - rda.means_
    squares = [
        np.einsum("ij,jk,ik->i", apart[:, k], np.linalg.inv(matrices[k]), apart[:, k])
        for k in range(N_CLASSES)
    ]
    np.testing.assert_allclose(rda.mahalanobis(NEW), np.transpose(squares), rtol=1e-11)


@pytest.mark.parametrize("shrinkage", ["ledoit_wolf", "oas"])
@pytest.mark.parametrize("alpha", [0.0, 0.4])
def test_intensities_are_those_of_more_rows_than_half_the_columns(shrinkage, alpha):
    # The same rows twice, with half the weight: so many that scatters are kept as matrices.
    few = RDA(alpha, shrinkage=shrinkage).fit(X, Y)
    twice, labels = np.vstack([X, X]), np.r_[Y, Y]
    if shrinkage == "oas":
        many = RDA(alpha, shrinkage=shrinkage).fit(twice, labels, sample_weight=np.full(120, 0.5))
        np.testing.assert_allclose(few.shrinkage_, many.shrinkage_, rtol=1e-10)
    gammas = few.shrinkage_
    matrices = [covariances(alpha, gammas[k], "spherical")[k] for k in range(N_CLASSES)]
    np.testing.assert_allclose(
        few.predict_log_proba(NEW), normalized(log_joint(matrices, NEW)), atol=1e-9
    )


def test_ledoit_wolf_is_scikit_learns_for_one_class():
    from sklearn.covariance import OAS, LedoitWolf  # noqa: PLC0415 (only here)

    for name, theirs in [("ledoit_wolf", LedoitWolf()), ("oas", OAS())]:
        rda = RDA(shrinkage=name).fit(X, Y)
        expected = [theirs.fit(X[k == Y]).shrinkage_ for k in range(N_CLASSES)]
        np.testing.assert_allclose(rda.shrinkage_, expected, rtol=1e-10)


@pytest.mark.parametrize("shrinkage", [0.3, 1.0, "auto"])
def test_quadratic_models_are_scikit_learns(shrinkage):
    params = {"solver": "eigen", "shrinkage": shrinkage}
    ours, theirs = QDA(**params).fit(X, Y), TheirQDA(**params).fit(X, Y)
    np.testing.assert_allclose(
        ours.predict_log_proba(NEW), theirs.predict_log_proba(NEW), atol=1e-9
    )
    np.testing.assert_allclose(
        ours.decision_function(NEW), theirs.decision_function(NEW), rtol=1e-9
    )


# Bad input


@pytest.mark.parametrize(
    "model",
    [LDA(), LDA(solver="lsqr", shrinkage=0.2), RDA(0.5, 0.2), RDA(0.5, 0.2, target="diagonal")],
    ids=str,
)
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize(
    "case", ["single row", "twice", "constant", "weights", "far", "float32", "F"]
)
def test_models_of_awkward_rows_are_those_of_dense_sums(model, case, unit):
    rows, labels = wide(unit=unit)
    weights = None
    if case == "single row":
        labels = np.where(np.arange(60) == 7, 3, labels)
    elif case == "twice":
        rows[30:] = rows[:30]
    elif case == "constant":
        rows[:, :7] = 3.3 * unit
        if getattr(model, "target", "") == "diagonal":
            with pytest.raises(np.linalg.LinAlgError, match="constant: columns 0, 1, 2"):
                model.fit(rows, labels)
            return
    elif case == "weights":
        weights = np.random.default_rng(3).uniform(0, 2, 60)
        weights[::9] = 0
    elif case == "far":
        rows[labels == 2] += 1e6 * unit
    few = model.__class__(**model.get_params())
    # Rows of weight 0 make matrices of the same sums.
    padded = np.vstack([rows, np.repeat(rows[:1], 60, axis=0)])
    heavy = np.r_[np.ones(60) if weights is None else weights, np.zeros(60)]
    if case == "float32":
        rows, padded = rows.astype(np.float32), padded.astype(np.float32)
    if case == "F":
        rows = np.asfortranarray(rows)
    got = few.fit(rows, labels, sample_weight=weights)
    assert got.moments_.n_rows <= 60
    many = model.__class__(**model.get_params())
    many = many.fit(padded, np.r_[labels, np.repeat(labels[:1], 60)], sample_weight=heavy)
    new = (NEW + (1e6 if case == "far" else 0)) * unit
    tolerance = {"far": 1e-6, "float32": 1e-4}.get(case, 1e-8)
    expected = many.predict_log_proba(new)
    np.testing.assert_allclose(got.predict_log_proba(new), expected, atol=tolerance, rtol=tolerance)
    near = NEW * unit
    expected = many.predict_log_proba(near)
    np.testing.assert_allclose(
        got.predict_log_proba(near), expected, atol=tolerance, rtol=tolerance
    )


def test_nan_and_infinity_are_named():
    for value, word in [(np.nan, "NaN"), (np.inf, "infinity")]:
        spoiled = X.copy()
        spoiled[3, 150] = value
        for model in [LDA(), RDA(0.5, 0.3), QDA(solver="eigen", shrinkage=0.1)]:
            with pytest.raises(ValueError, match=f"{word}.*row 3, column 150"):
                model.fit(spoiled, Y)
            with pytest.raises(ValueError, match=f"{word}.*row 3, column 150"):
                model.fit(X, Y).predict(spoiled)


def test_rows_with_gaps_are_left_out_or_integrated_out():
    gapped = NEW.copy()
    gapped[2, 5] = np.nan
    rda = RDA(0.5, 0.3, missing="propagate").fit(X, Y)
    posteriors = rda.predict_proba(gapped)
    assert np.isnan(posteriors[2]).all()
    complete = np.arange(len(NEW)) != 2
    np.testing.assert_array_equal(posteriors[complete], rda.predict_proba(NEW)[complete])
    got = RDA(0.5, 0.3, missing="marginalize").fit(X, Y).predict_log_proba(gapped[2:3])
    seen = np.arange(200) != 5
    joint = [
        multivariate_normal(X[k == Y][:, seen].mean(axis=0), matrix[np.ix_(seen, seen)]).logpdf(
            gapped[2, seen]
        )
        for k, matrix in enumerate(covariances(0.5, 0.3, "spherical"))
    ]
    np.testing.assert_allclose(got, normalized(np.array([joint])), atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "model",
    [
        ShrunkenCentroids(0.3),
        RDA(0.5, 0.3),
        RDA(1.0, 0.3, reject={"typicality": 0.01}),
        LDA(solver="lsqr", shrinkage=0.3),
    ],
    ids=str,
)
def test_rows_beside_others_with_gaps_have_the_answers_that_they_have_alone(model, dtype):
    model = clone(model).fit(X, Y).set_params(missing="marginalize")
    rows, gapped = NEW.astype(dtype), NEW.astype(dtype)
    gapped[3, :] = gapped[::4, 7] = np.nan
    complete = ~np.isnan(gapped).any(axis=1)
    for ask in [
        model.predict,
        model.predict_proba,
        model.predict_joint_log_proba,
        model.mahalanobis,
        model.decision_function,
    ]:
        got = ask(gapped)
        np.testing.assert_array_equal(got[complete], ask(rows)[complete])
        np.testing.assert_array_equal(got[~complete], ask(gapped[~complete]))


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int64, bool])
def test_elements_of_any_type_are_read(dtype):
    rows = np.clip(X * 10, 0, 255).astype(dtype)
    model = RDA(0.5, 0.3).fit(rows, Y)
    double = RDA(0.5, 0.3).fit(rows.astype(np.float64), Y)
    expected = double.predict_log_proba(rows.astype(np.float64))
    np.testing.assert_allclose(model.predict_log_proba(rows), expected, rtol=2e-4, atol=2e-4)


def test_answers_do_not_depend_on_neighbors_threads_or_pickles():
    for model in [LDA(), LDA(solver="lsqr", shrinkage=0.3), RDA(0.5, 0.3)]:
        one = model.fit(X, Y)
        together = one.predict_proba(NEW)
        alone = np.vstack([one.predict_proba(row[np.newaxis]) for row in NEW])
        np.testing.assert_array_equal(together, alone)
        np.testing.assert_array_equal(
            together, one.set_params(n_threads=2).fit(X, Y).predict_proba(NEW)
        )
        again = pickle.loads(pickle.dumps(one))  # noqa: S301 (our own)
        np.testing.assert_allclose(again.predict_proba(NEW), together, rtol=1e-12)
        np.testing.assert_allclose(again.mahalanobis(NEW), one.mahalanobis(NEW), rtol=1e-12)


def test_models_are_saved_and_loaded(tmp_path):
    for model in [
        LDA(),
        LDA(solver="lsqr", shrinkage="auto"),
        RDA(0.5, 0.3),
        QDA(solver="eigen", shrinkage=0.2),
    ]:
        path = tmp_path / "model.gauda"
        model.fit(X, Y).save(path)
        loaded = gauda.load(path)
        np.testing.assert_array_equal(loaded.predict_proba(NEW), model.predict_proba(NEW))


def test_batches_give_the_model_of_all_rows():
    whole = RDA(0.5, 0.3).fit(X, Y)
    parts = RDA(0.5, 0.3)
    for first in range(0, 60, 7):
        parts.partial_fit(X[first : first + 7], Y[first : first + 7])
    np.testing.assert_allclose(
        parts.predict_log_proba(NEW), whole.predict_log_proba(NEW), atol=1e-10
    )
    parts.forget_rows(X[:5], Y[:5])
    rest = RDA(0.5, 0.3).fit(X[5:], Y[5:])
    np.testing.assert_allclose(parts.predict_log_proba(NEW), rest.predict_log_proba(NEW), atol=1e-9)


# Refusals from counts


@pytest.mark.parametrize(
    ("model", "rank"),
    [
        (QDA(), 19),
        (QDA(reg_param=0.1), 19),
        (QDA(conjugate_prior="empirical"), 58),
        (RDA(), 19),
        (RDA(0.5), 57),
        (RDA(covariance="full"), 19),
    ],
    ids=str,
)
def test_too_few_rows_are_refused_from_counts_with_remedies(model, rank):
    with pytest.raises(np.linalg.LinAlgError) as caught:
        model.fit(X, Y)
    message = str(caught.value)
    assert message.startswith("The covariance matrix of class 0 is not full rank.")
    assert f"20 rows, 200 columns, rank at most {rank}; too few rows" in message
    assert "gamma=0.1" in message
    RDA(alpha=0.5, gamma=0.1).fit(X, Y).predict(NEW)
    parts = type(model)(**model.get_params()).partial_fit(X[:30], Y[:30])
    with pytest.raises(np.linalg.LinAlgError, match="rank at most"):
        parts.partial_fit(X[30:], Y[30:]).predict(NEW)


def test_refusals_come_before_sums():
    rows, labels = np.zeros((60, 200_000)), Y
    rows[:, 0] = np.arange(60)
    rows[-1, -1] = np.nan  # which sums would refuse first
    with pytest.raises(np.linalg.LinAlgError, match="200000 columns"):
        QDA().fit(rows, labels)


# Diagonal models


def test_independent_columns_of_a_million():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(6, 1_000_000)).astype(np.float32), np.arange(6) % 2
    for model in [GaussianNB(), *(RDA(covariance=name) for name in DIAGONAL)]:
        model.fit(rows, labels)
        assert model.predict(rows).tolist() == labels.tolist()


DIAGONAL = ["diag", "tied_diag", "spherical", "tied_spherical"]


@pytest.mark.parametrize("name", DIAGONAL)
def test_moments_of_independent_columns_are_diagonal_and_rows_can_be_left_out(name):
    model = RDA(covariance=name).fit(X, Y)
    assert model.moments_.structure == "diag"
    from_full = RDA.from_moments(Moments.from_data(X, Y), covariance=name)
    np.testing.assert_allclose(from_full.predict_proba(NEW), model.predict_proba(NEW), atol=1e-12)
    got = model.loo_log_proba(X, Y, refit_priors=True)
    for row in [0, 17, 59]:
        rest = np.arange(60) != row
        left = RDA(covariance=name).fit(X[rest], Y[rest])
        np.testing.assert_allclose(got[row], left.predict_log_proba(X[row : row + 1])[0], atol=1e-8)


# Rows left out, and grids


@pytest.mark.parametrize(
    "model",
    [
        LDA(),
        LDA(solver="lsqr", shrinkage=0.3),
        LDA(solver="lsqr", shrinkage=0.3, priors=[0.2, 0.3, 0.5]),
        RDA(0.5, 0.3),
        RDA(1.0, 0.3),
        RDA(0.5, 0.3, target="identity"),
        RDA(0.5, 0.3, target="diagonal"),
        QDA(solver="eigen", shrinkage=0.3),
    ],
    ids=str,
)
def test_rows_left_out_are_scored_by_the_fit_to_the_others(model):
    got = model.fit(X, Y).loo_log_proba(X, Y, refit_priors=True)
    for row in [0, 17, 59]:
        rest = np.arange(60) != row
        left = type(model)(**model.get_params()).fit(X[rest], Y[rest])
        expected = left.predict_log_proba(X[row : row + 1])[0]
        np.testing.assert_allclose(got[row], expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("target", ["spherical", "identity", "diagonal"])
def test_grids_are_those_of_refits(target):
    grid = {"alpha": [0.0, 0.5, 1.0], "gamma": [0.0, 0.2, 1.0]}
    folds = StratifiedKFold(4)
    ours = RegularizedDiscriminantAnalysisCV(
        grid["alpha"], grid["gamma"], target=target, cv=folds
    ).fit(X, Y)
    theirs = GridSearchCV(
        RDA(target=target), grid, cv=folds, scoring="neg_log_loss", error_score=np.nan
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of points that cannot be fitted
        theirs.fit(X, Y)
    for name in ["mean_test_score", "std_test_score"]:
        got, expected = ours.cv_results_[name], theirs.cv_results_[name]
        np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10)
    assert ours.best_params_ == theirs.best_params_


def test_grid_with_each_row_left_out_is_that_of_refits():
    ours = RegularizedDiscriminantAnalysisCV([0.0, 0.5, 1.0], [0.0, 0.1, 0.6], cv="loo").fit(X, Y)
    means = ours.cv_results_["mean_test_score"]
    for index, params in enumerate(ours.cv_results_["params"]):
        if np.isnan(means[index]):
            assert params["gamma"] == 0
            assert params["alpha"] < 1
            continue
        posteriors = cross_val_predict(
            RDA(**params), X, Y, cv=LeaveOneOut(), method="predict_proba"
        )
        losses = -np.log(np.maximum(posteriors[np.arange(60), Y], np.finfo(float).eps))
        np.testing.assert_allclose(means[index], -losses.mean(), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(
    "model", [LDA(solver="lsqr", shrinkage=0.3), RDA(0.5, 0.3), RDA(1.0, 0.3)], ids=str
)
def test_the_likelihood_is_that_of_the_rows(model):
    joint = model.fit(X, Y).predict_joint_log_proba(X)[np.arange(60), Y]
    np.testing.assert_allclose(model.diagnostics().log_likelihood, joint.sum(), rtol=1e-10)


def test_select_model_ends():
    selection = gauda.select_model(X, Y, cv=3)
    known = {"LDA", "RDA", "GaussianNB", "ShrunkenCentroids", "logistic regression"}
    assert selection.best.name in known


# Without matrices of all columns


@pytest.mark.parametrize(
    "model",
    [
        RDA(0.5, 0.3, store_covariance=True),
        RDA(0.5, 0.4, target="diagonal", store_covariance=True),
        LDA(solver="lsqr", shrinkage=0.3, store_covariance=True),
        RDA(covariance="tied_diag", store_covariance=True),
    ],
    ids=lambda model: "".join(repr(model).split()),
)
def test_rows_are_drawn_with_means_and_covariances_of_the_model(model):
    rows, labels = wide(36, 110, seed=3)
    model.fit(rows, labels)
    n = 20000
    drawn, _ = model.sample(y=np.full(n, 1), random_state=5)
    covariances = model.covariance_
    covariance = covariances if isinstance(covariances, np.ndarray) else covariances[1]
    variances = np.diag(covariance)
    error = np.sqrt(variances / n)
    assert (np.abs(drawn.mean(axis=0) - model.means_[1]) < 5 * error).all()
    # the variance of a sample covariance of Gaussians: (s_ij^2 + s_ii s_jj) / n
    error = np.sqrt((covariance**2 + np.outer(variances, variances)) / n)
    assert (np.abs(np.cov(drawn.T) - covariance) < 5.5 * error).all()
    again, _ = model.set_params(n_threads=1).sample(y=np.full(n, 1), random_state=5)
    np.testing.assert_array_equal(drawn, again)


@pytest.mark.parametrize(
    "model",
    [RDA(0.5, 0.3), RDA(1, 0.3), LDA(solver="lsqr", shrinkage=0.3), RDA(0, 0.4, target="diagonal")],
    ids=lambda model: "".join(repr(model).split()),
)
def test_models_of_few_columns_are_those_of_integrals(model):
    rows, labels = wide(36, 110, seed=3)
    columns = [7, 100, 3]
    part = model.fit(rows, labels).marginal(columns)
    gaps = np.full_like(rows, np.nan)
    gaps[:, columns] = rows[:, columns]
    expected = model.set_params(missing="marginalize").predict_log_proba(gaps)
    np.testing.assert_allclose(part.predict_log_proba(rows[:, columns]), expected, rtol=1e-8)
    model.set_params(missing="raise")


def test_what_needs_matrices_of_too_many_columns_is_refused_by_size():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(12, 9000)), np.arange(12) % 3
    model = RDA(0.5, 0.3).fit(rows, labels)
    gaps = rows.copy()
    gaps[0, 0] = np.nan
    for ask in (
        lambda: model.condition({0: 1.0}),
        lambda: model.impute(gaps),
        lambda: model.boundary(0, 1),
        model.diagnostics,
    ):
        with pytest.raises(MemoryError, match="bytes"):
            ask()
    assert np.isfinite(model.sample(3, random_state=0)[0]).all()
    assert model.marginal([5, 8000]).n_features_in_ == 2


@pytest.mark.parametrize("d", [60, 140])
def test_constant_columns_are_left_out_of_a_common_covariance(d):
    rows, labels = wide(36, d, seed=3)
    constant = np.insert(rows, 11, 0.1, axis=1)
    model = RDA(covariance="tied_diag")
    expected = model.fit(rows, labels).predict_log_proba(rows)
    distances = model.mahalanobis(rows)
    model.fit(constant, labels)
    np.testing.assert_allclose(model.predict_log_proba(constant), expected, rtol=1e-9)
    np.testing.assert_allclose(model.mahalanobis(constant), distances, rtol=1e-9)
    np.testing.assert_allclose(model.typicality(constant), chi2.sf(distances, d), rtol=1e-9)
    for refused in (model.score_samples, lambda rows: model.sample(len(rows))):
        with pytest.raises(np.linalg.LinAlgError, match=f"rank {d} in {d + 1} columns"):
            refused(constant)
    copied = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own
    np.testing.assert_array_equal(copied.predict_proba(constant), model.predict_proba(constant))


@pytest.mark.parametrize(
    "model", [LDA(), RDA(covariance="tied_diag"), gauda.ShrunkenCentroids(0.5)]
)
def test_linear_boundaries_of_many_columns_are_hyperplanes(model):
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(24, 9000)), np.arange(24) % 3
    found = model.fit(rows, labels).boundary(2, 0)
    assert found.is_linear
    log_proba = model.predict_log_proba(rows)
    expected = log_proba[:, 2] - log_proba[:, 0]
    np.testing.assert_allclose(rows @ found.b + found.c, expected, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(found(rows), expected, rtol=1e-7, atol=1e-7)


def test_quadratic_boundaries_of_many_columns_are_refused_by_size():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(24, 9000)), np.arange(24) % 3
    model = GaussianNB().fit(rows, labels)
    for ask in (lambda: model.boundary(0, 1), model.discriminant_functions):
        with pytest.raises(MemoryError, match=r"of 9000 columns take \d+ bytes"):
            ask()


OWN_COVARIANCES = [
    lambda: RDA(0.0, 0.3),
    lambda: RDA(0.0, 0.01, target="diagonal"),
    lambda: QDA(solver="eigen", shrinkage=0.3),
    lambda: QDA(solver="eigen", shrinkage="auto"),
]


@pytest.mark.parametrize("make", OWN_COVARIANCES)
@pytest.mark.parametrize("size", [1e3, 1e7, 1e12, 1e18])
@pytest.mark.parametrize("what", ["row", "class", "distance"])
def test_a_class_beside_which_others_are_small_costs_none_of_their_digits(make, size, what):
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((36, 150)), np.arange(36) % 3
    # Distances of other classes do not depend on class 2.
    if what == "row":
        X[2, 0] = size
    elif what == "class":
        X[y == 2] *= size
    else:
        X[y == 2] += size * rng.standard_normal(150)
        X[y == 2] *= 1 + 1e-6 * rng.standard_normal((12, 150))
    near = make().fit(X[y < 2], y[y < 2])
    model = make().fit(X, y)
    rows = np.vstack([X[:2], X[:2] + rng.standard_normal(150)])
    np.testing.assert_allclose(
        model.mahalanobis(rows)[:, :2], near.mahalanobis(rows), rtol=1e-10, atol=1e-10
    )
    odds, expected = (m.predict_log_proba(rows) for m in (model, near))
    np.testing.assert_allclose(
        odds[:, 0] - odds[:, 1], expected[:, 0] - expected[:, 1], rtol=1e-9, atol=1e-9
    )
    # Nor does the distance of the large class depend on the small ones.
    pair = y != 0
    np.testing.assert_allclose(
        model.mahalanobis(X[y == 2])[:, 2],
        make().fit(X[pair], y[pair]).mahalanobis(X[y == 2])[:, 1],
        rtol=1e-9,
    )


@pytest.mark.parametrize("target", ["spherical", "identity"])
@pytest.mark.parametrize(
    ("size", "far"), [(1e3, 0.0), (1e9, 0.0), (1e12, 0.0), (1.0, 1e6), (1.0, 1e9), (1e6, 1e10)]
)
def test_grids_of_classes_unlike_in_size_or_far_apart_are_those_of_refits(target, size, far):
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = rng.normal(size=(30, 200)) + 0.3 * rng.normal(size=(3, 200))[y]
    X[y == 2] = X[y == 2] * size + far * rng.normal(size=200)
    folds = list(StratifiedKFold(3).split(X, y))
    grid = {"alphas": [0, 0.5, 1], "gammas": [0.01, 0.3, 1]}
    found = RegularizedDiscriminantAnalysisCV(cv=folds, target=target, **grid).fit(X, y)
    for place, point in enumerate(found.cv_results_["params"]):
        losses = []
        for train, test in folds:
            model = RDA(point["alpha"], point["gamma"], target=target)
            try:
                posteriors = model.fit(X[train], y[train]).predict_log_proba(X[test])
            except np.linalg.LinAlgError:
                losses.append(np.nan)
                continue
            own = posteriors[np.arange(len(test)), y[test]]
            losses.append(np.maximum(own, np.log(np.finfo(np.float64).eps)).mean())
        np.testing.assert_allclose(
            found.cv_results_["mean_test_score"][place], np.mean(losses), rtol=1e-9, atol=1e-9
        )


def exact_distances(X, y, rows, gamma):
    """Return squared distances with (1 - gamma) S + gamma I, S pooled over n, in fractions."""
    data, n = [[Fraction(value) for value in row] for row in X], len(X)
    share = Fraction(gamma)
    means = []
    for k in range(y.max() + 1):
        members = [row for row, label in zip(data, y, strict=True) if label == k]
        means.append([sum(column) / len(members) for column in zip(*members, strict=True)])
    apart = [
        [a - b for a, b in zip(row, means[k], strict=True)] for row, k in zip(data, y, strict=True)
    ]
    ratio = share * n / (1 - share)
    inner = [[dot(a, b) + ratio * (a is b) for b in apart] for a in apart]
    found = np.empty((len(rows), len(means)))
    for i, row in enumerate(rows):
        for k, mean in enumerate(means):
            v = [Fraction(a) - b for a, b in zip(row, mean, strict=True)]
            along = [dot(a, v) for a in apart]
            found[i, k] = (dot(v, v) - dot(along, solve_exactly(inner, along))) / share
    return found


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def solve_exactly(matrix, right):
    """Solve a positive definite system by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i, pivot in enumerate(rows):
        for j, row in enumerate(rows):
            if j != i:
                factor = row[i] / pivot[i]
                rows[j] = [a - factor * b for a, b in zip(row, pivot, strict=True)]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


@pytest.mark.parametrize("size", [1.0, 1e3, 1e4, 1e5])
@pytest.mark.parametrize("what", ["row", "class"])
def test_a_large_row_costs_a_common_covariance_no_digits_of_others(size, what):
    rng = np.random.default_rng(5)
    y = np.arange(8) % 2
    X = rng.normal(size=(8, 100)) + rng.normal(size=(2, 100))[y]
    X[[5] if what == "row" else y == 1] *= size
    rows = rng.normal(size=(3, 100))
    model = RDA(1.0, 0.5, target="identity").fit(X, y)
    np.testing.assert_allclose(model.mahalanobis(rows), exact_distances(X, y, rows, 0.5), rtol=1e-9)
