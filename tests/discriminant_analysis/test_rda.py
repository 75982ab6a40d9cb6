"""Regularized discriminant analysis: its formula, its corners, and what it shares with others."""

import numpy as np
import pytest
from click.testing import CliRunner
from peers import is_lacking
from sklearn.covariance import OAS, LedoitWolf
from sklearn.neighbors import NearestCentroid
from sklearn.utils.estimator_checks import estimator_checks_generator
from support import SCORES, answers

import gauda
from gauda import (
    LDA,
    QDA,
    RDA,
    GaussianNB,
    Moments,
    RegularizedDiscriminantAnalysis,
)
from gauda.cli import shell

DATASETS = ["iris", "banknote", "skulls"]
TARGETS = ["spherical", "diagonal", "identity"]
POOLINGS = ["covariance", "scatter"]
STRUCTURES = ["full", "tied", "diag", "tied_diag", "spherical", "tied_spherical"]


@pytest.fixture
def skulls(load_data):
    return load_data("skulls")


@pytest.fixture
def uneven(iris):
    """Give iris with classes of 20, 35 and 50 rows."""
    X, y = iris
    kept = np.r_[0:20, 50:85, 100:150]
    return X[kept], y[kept]


def by_the_formula(X, y, point, target, pooling, *, unbiased=False):  # noqa: PLR0913
    """Return the covariances written out."""
    alpha, gamma = point
    classes = np.unique(y)
    groups = [X[y == label] - X[y == label].mean(axis=0) for label in classes]
    scatters = [group.T @ group for group in groups]
    n = [len(group) - unbiased for group in groups]
    total, all_rows = sum(scatters), len(X) - unbiased * len(classes)
    covariances = []
    for scatter, rows in zip(scatters, n, strict=True):
        if pooling == "covariance":
            bracket = (1 - alpha) * scatter / rows + alpha * total / all_rows
        else:
            mixed = (1 - alpha) * scatter + alpha * total
            bracket = mixed / ((1 - alpha) * rows + alpha * all_rows)
        targets = {
            "spherical": np.trace(bracket) / len(bracket) * np.eye(len(bracket)),
            "diagonal": np.diag(np.diag(bracket)),
            "identity": np.eye(len(bracket)),
        }
        covariances.append((1 - gamma) * bracket + gamma * targets[target])
    return np.stack(covariances)


@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize("point", [(0.75, 0.25), (0, 0.5), (0.5, 0)])
def test_posteriors_and_densities_are_exact(dataset, point, load_data, load_oracle):
    X, y = load_data(dataset)
    alpha, gamma = point
    exact = load_oracle(dataset, f"rda_a{alpha}_g{gamma}")
    rda = RDA(alpha, gamma, unbiased=True, store_covariance=True).fit(X, y)
    np.testing.assert_allclose(rda.predict_log_proba(X), exact.log_posterior, atol=1e-9, rtol=1e-12)
    np.testing.assert_allclose(rda.score_samples(X), exact.log_density, atol=1e-9, rtol=1e-12)
    np.testing.assert_allclose(rda.covariance_, exact.covariances, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("dataset", DATASETS)
def test_common_variances_give_exact_posteriors(dataset, load_data, load_oracle):
    X, y = load_data(dataset)
    exact = load_oracle(dataset, "dlda_ml")
    rda = RDA(covariance="tied_diag").fit(X, y)
    np.testing.assert_allclose(rda.predict_log_proba(X), exact.log_posterior, atol=1e-9, rtol=1e-12)
    np.testing.assert_allclose(rda.score_samples(X), exact.log_density, atol=1e-9, rtol=1e-12)


def test_vowel_errors_are_those_of_esl_figure_4_7(load_data, load_json):
    (X, y), (X_test, y_test) = load_data("esl_vowel_train"), load_data("esl_vowel_test")
    expected = load_json("published_values")["ESL_Fig4.7_vowel_RDA_test_alpha_0_to_1_step0.1"]
    # the book's alpha is the share of the class's own covariance
    shares = np.linspace(0, 1, 11)
    errors = [1 - RDA(1 - share, unbiased=True).fit(X, y).score(X_test, y_test) for share in shares]
    np.testing.assert_allclose(errors, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("unbiased", [False, True])
def test_covariances_follow_the_formula(target, pooling, unbiased, uneven):
    X, y = uneven
    rda = RDA(0.3, 0.2, target=target, pooling=pooling, unbiased=unbiased, store_covariance=True)
    expected = by_the_formula(X, y, (0.3, 0.2), target, pooling, unbiased=unbiased)
    np.testing.assert_allclose(rda.fit(X, y).covariance_, expected, rtol=1e-11)


@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize(
    ("corner", "known"),
    [
        ({}, QDA),
        ({"alpha": 1}, LDA),
        ({"gamma": 1, "target": "diagonal"}, GaussianNB),
    ],
)
def test_corners_are_the_classifiers_known_by_name(corner, known, pooling, unbiased, uneven):
    X, y = uneven
    params = {"var_smoothing": 0} if known is GaussianNB else {}
    theirs = known(unbiased=unbiased, **params).fit(X, y)
    rda = RDA(pooling=pooling, unbiased=unbiased, **corner).fit(X, y)
    for method in SCORES:
        expected = getattr(theirs, method)(X)
        np.testing.assert_allclose(getattr(rda, method)(X), expected, rtol=1e-9, atol=1e-12)


def test_with_equal_priors_a_common_sphere_decides_by_the_nearest_mean(skulls):
    X, y = skulls
    rda = RDA(1, 1, priors=np.full(5, 0.2)).fit(X, y)
    np.testing.assert_array_equal(rda.predict(X), NearestCentroid().fit(X, y).predict(X))


@pytest.mark.parametrize(
    ("structure", "point"),
    [
        ("full", {}),
        ("tied", {"alpha": 1}),
        ("diag", {"gamma": 1, "target": "diagonal"}),
        ("tied_diag", {"alpha": 1, "gamma": 1, "target": "diagonal"}),
        ("spherical", {"gamma": 1}),
        ("tied_spherical", {"alpha": 1, "gamma": 1}),
    ],
)
def test_pure_structures_are_corners(structure, point, uneven):
    X, y = uneven
    pure = RDA(covariance=structure, store_covariance=True).fit(X, y)
    rda = RDA(**point, store_covariance=True).fit(X, y)
    np.testing.assert_array_equal(pure.covariance_, rda.covariance_)
    np.testing.assert_array_equal(pure.predict_log_proba(X), rda.predict_log_proba(X))


@pytest.mark.parametrize(("shrinkage", "theirs"), [("ledoit_wolf", LedoitWolf), ("oas", OAS)])
def test_intensities_of_classes_are_scikit_learns(shrinkage, theirs, uneven):
    X, y = uneven
    rda = RDA(shrinkage=shrinkage, store_covariance=True).fit(X, y)
    for label, intensity, covariance in zip(
        rda.classes_, rda.shrinkage_, rda.covariance_, strict=True
    ):
        expected = theirs().fit(X[y == label])
        assert intensity == pytest.approx(expected.shrinkage_, rel=1e-9)
        np.testing.assert_allclose(covariance, expected.covariance_, rtol=1e-10)


@pytest.mark.parametrize(("shrinkage", "theirs"), [("ledoit_wolf", LedoitWolf), ("oas", OAS)])
def test_intensity_of_the_pooled_covariance_is_that_of_rows_about_their_means(
    shrinkage, theirs, uneven
):
    X, y = uneven
    residuals = X - LDA().fit(X, y).means_[np.unique(y, return_inverse=True)[1]]
    expected = theirs(assume_centered=True).fit(residuals)
    rda = RDA(alpha=1, shrinkage=shrinkage, store_covariance=True).fit(X, y)
    np.testing.assert_allclose(rda.shrinkage_, expected.shrinkage_, rtol=1e-9)
    np.testing.assert_allclose(rda.covariance_[0], expected.covariance_, rtol=1e-10)


@pytest.mark.parametrize("shrinkage", ["ledoit_wolf", "oas"])
def test_weights_count_rows_in_intensities(shrinkage, uneven):
    X, y = uneven
    times = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = RDA(alpha=0.3, shrinkage=shrinkage).fit(X, y, sample_weight=times)
    repeated = RDA(alpha=0.3, shrinkage=shrinkage).fit(X.repeat(times, 0), y.repeat(times))
    np.testing.assert_allclose(weighted.shrinkage_, repeated.shrinkage_, rtol=1e-10)


@pytest.mark.parametrize("shrinkage", ["ledoit_wolf", "oas"])
def test_a_single_column_has_intensity_0(shrinkage, iris):
    X, y = iris
    assert RDA(shrinkage=shrinkage).fit(X[:, :1], y).shrinkage_.tolist() == [0.0, 0.0, 0.0]


def test_ledoit_and_wolfs_intensity_needs_moments_of_fourth_order(iris):
    X, y = iris
    with pytest.raises(ValueError, match=r"needs moments of order 4.*from_data\(X, y, order=4\)"):
        RDA.from_moments(Moments.from_data(X, y), shrinkage="ledoit_wolf")


POINTS = [
    RDA(),
    RDA(0.5, 0.25),
    RDA(0.3, 0.4, target="diagonal", pooling="scatter"),
    RDA(1.0, 0.1),
    RDA(0.2, 1.0),
    RDA(0.2, shrinkage="oas"),
]


def same(a, b, X):
    """Check that two fitted estimators say the same."""
    for method, expected in answers(a, X).items():
        given = answers(b, X)[method]
        if given.dtype.kind == "f":
            np.testing.assert_allclose(given, expected, rtol=1e-8, atol=1e-10)
        else:
            np.testing.assert_array_equal(given, expected)


@pytest.mark.parametrize("rda", POINTS)
def test_batches_streams_and_moments_give_the_same_model(rda, uneven):
    X, y = uneven
    params = rda.get_params()
    whole = RDA(**params).fit(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    parts = np.array_split(order, 3)
    by_batches = RDA(**params)
    for part in parts:
        by_batches.partial_fit(X[part], y[part])
    same(whole, by_batches, X)
    same(whole, RDA(**params).fit_stream((X[part], y[part]) for part in parts), X)
    same(whole, RDA.from_moments(Moments.from_data(X, y), **params), X)


@pytest.mark.parametrize("rda", [*POINTS, RDA(shrinkage="ledoit_wolf")])
def test_a_saved_model_comes_back_to_the_bit(rda, uneven, tmp_path):
    X, y = uneven
    rda.fit(X, y).save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    assert type(loaded) is RegularizedDiscriminantAnalysis
    np.testing.assert_array_equal(loaded.predict_log_proba(X), rda.predict_log_proba(X))


def test_given_parameters_are_used_as_they_are(uneven):
    X, y = uneven
    qda = QDA(store_covariance=True).fit(X, y)
    given = RDA.from_parameters(qda.means_, qda.covariance_, qda.priors_, qda.classes_)
    np.testing.assert_allclose(given.predict_log_proba(X), qda.predict_log_proba(X), rtol=1e-9)


@pytest.mark.parametrize("rda", [*POINTS, RDA(shrinkage="ledoit_wolf")])
def test_marginal_model_has_the_sub_matrices(rda, uneven):
    X, y = uneven
    columns = [2, 0]
    rda.set_params(store_covariance=True).fit(X, y)
    part = rda.marginal(columns)
    expected = RDA.from_parameters(
        rda.means_[:, columns],
        [covariance[np.ix_(columns, columns)] for covariance in rda.covariance_],
        rda.priors_,
        rda.classes_,
    )
    same(expected, part, X[:, columns])


@pytest.mark.parametrize("rda", POINTS)
def test_conditional_densities_are_joint_over_marginal(rda, uneven):
    X, y = uneven
    rda.fit(X, y)
    rest = rda.condition({1: 3.0})
    rows = X.copy()
    rows[:, 1] = 3.0
    expected = rda.score_samples(rows) - rda.marginal([1]).score_samples([[3.0]])
    np.testing.assert_allclose(rest.score_samples(rows[:, [0, 2, 3]]), expected, rtol=1e-8)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_boundaries_are_linear_where_the_covariance_is_common(structure, uneven):
    X, y = uneven
    rda = RDA(covariance=structure).fit(X, y)
    boundary = rda.boundary("setosa", "virginica")
    assert boundary.is_linear == structure.startswith("tied")
    log_posterior = rda.predict_log_proba(X)
    np.testing.assert_allclose(
        boundary(X), log_posterior[:, 0] - log_posterior[:, 2], rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize(
    ("structure", "covariances"),
    [
        ("full", 3 * 10),
        ("tied", 10),
        ("diag", 3 * 4),
        ("tied_diag", 4),
        ("spherical", 3),
        ("tied_spherical", 1),
    ],
)
def test_parameters_are_counted_by_structure(structure, covariances, uneven):
    X, y = uneven
    diagnostics = RDA(covariance=structure).fit(X, y).diagnostics()
    assert diagnostics.n_parameters == 2 + 3 * 4 + covariances


@pytest.mark.parametrize("rda", POINTS)
def test_log_likelihood_is_the_sum_over_rows(rda, uneven):
    X, y = uneven
    rda.fit(X, y)
    joint = rda.predict_joint_log_proba(X)[np.arange(len(X)), np.unique(y, return_inverse=True)[1]]
    assert rda.diagnostics().log_likelihood == pytest.approx(joint.sum(), rel=1e-9)


def test_samples_have_the_regularized_covariance(uneven):
    rda = RDA(0.5, 0.5, store_covariance=True).fit(*uneven)
    X, y = rda.sample(200_000, random_state=0)
    for label, covariance in zip(rda.classes_, rda.covariance_, strict=True):
        drawn = np.cov(X[y == label].T)
        np.testing.assert_allclose(drawn, covariance, atol=0.03 * np.trace(covariance))


@pytest.mark.parametrize("name", ["alpha", "gamma"])
@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan, "much"])
def test_shares_outside_0_to_1_are_refused(name, value, iris):
    rda = RDA(**{name: value})
    with pytest.raises(ValueError, match=f"'{name}' parameter of RegularizedDiscriminantAnalysis"):
        rda.fit(*iris)
    assert not hasattr(rda, "classes_")


@pytest.mark.parametrize(
    "params",
    [
        {"covariance": "tied", "alpha": 0.5},
        {"covariance": "diag", "shrinkage": "oas"},
        {"shrinkage": "oas", "gamma": 0.5},
        {"shrinkage": "oas", "target": "diagonal"},
    ],
)
def test_parameters_that_contradict_each_other_are_refused(params, iris):
    with pytest.raises(ValueError, match=r"[Ll]eave"):
        RDA(**params).fit(*iris)


def test_a_singular_class_is_named_and_helped_by_either_share(iris):
    X, y = iris
    kept = np.r_[0:3, 50:150]
    with pytest.raises(np.linalg.LinAlgError, match=r"class setosa.*`alpha` or `gamma`"):
        RDA().fit(X[kept], y[kept])
    for point in [{"alpha": 0.1}, {"gamma": 0.1}]:
        assert RDA(**point).fit(X[kept], y[kept]).score(X[kept], y[kept]) > 0.9


# On the data of these a class has no covariance: only regularized ones can be used there.
SINGULAR = {
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
}
if is_lacking("QDA's checks"):
    SINGULAR |= {"check_n_features_in_after_fitting", "check_dtype_object"}


def checks(estimator):
    """List scikit-learn's checks that apply to an estimator."""
    unfit = SINGULAR if (estimator.alpha, estimator.gamma) == (0, 0) else set()
    name = "".join(str(estimator).split())
    return [
        pytest.param(estimator, check, id=f"{name}-{check.func.__name__}-{check.keywords}")
        for _, check in estimator_checks_generator(estimator)
        if check.func.__name__ not in unfit | {"check_array_api_input"}
    ]


@pytest.mark.parametrize(
    ("estimator", "check"),
    [
        case
        for rda in [
            RDA(),
            RDA(0.5, 0.1),
            RDA(1.0),
            RDA(gamma=0.5, target="identity"),
            RDA(0.5, shrinkage="oas"),
        ]
        for case in checks(rda)
    ],
)
def test_scikit_learn_check_passes(estimator, check):
    check(estimator)


def test_the_shell_fits_it(uneven, tmp_path):
    X, y = uneven
    moments, model = tmp_path / "all.moments", tmp_path / "model.gauda"
    Moments.from_data(X, y).save(moments)
    command = ["fit", str(moments), "--model", "rda", "-p", "alpha=0.5", "-o", str(model)]
    assert CliRunner().invoke(shell, command).exit_code == 0
    same(RDA(0.5).fit(X, y), gauda.load(model), X)


@pytest.mark.parametrize("shrinkage", ["oas", "ledoit_wolf"])
def test_estimated_shares_of_the_target_are_counted_by_class(shrinkage, uneven):
    X, y = uneven
    rda = RDA(shrinkage=shrinkage).fit(X, y)
    covariances = ((1 - rda.shrinkage_) * 10 + rda.shrinkage_).sum()
    assert rda.diagnostics().n_parameters == pytest.approx(2 + 3 * 4 + covariances, rel=1e-12)
