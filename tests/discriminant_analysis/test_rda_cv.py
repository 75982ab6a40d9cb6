"""The grid of regularized models: against GridSearchCV, and against models fitted without a row."""

import numpy as np
import pytest
from peers import needs
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.utils.estimator_checks import estimator_checks_generator

import gauda
from gauda import RDA, Moments
from gauda import RegularizedDiscriminantAnalysisCV as RDACV  # noqa: N817

ALPHAS, GAMMAS = [0.0, 0.3, 1.0], [0.0, 0.25, 1.0]
BRIER = pytest.param("neg_brier_score", marks=needs("Brier scores of many classes"))
SCORINGS = ["neg_log_loss", "accuracy", BRIER]


@pytest.fixture
def skulls(load_data):
    return load_data("skulls")


def by_grid_search(X, y, cv, scoring, gammas=GAMMAS, **params):
    """Return scikit-learn's search over our models."""
    grid = {"alpha": ALPHAS, "gamma": gammas}
    return GridSearchCV(RDA(**params), grid, cv=cv, scoring=scoring).fit(X, y)


@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize("target", ["spherical", "diagonal", "identity"])
@pytest.mark.parametrize("pooling", ["covariance", "scatter"])
def test_results_are_those_of_scikit_learns_search(scoring, target, pooling, skulls):
    X, y = skulls
    params = {"target": target, "pooling": pooling, "unbiased": True}
    # where all is the identity, rounding decides between equal points
    gammas = GAMMAS[:2] if target == "identity" else GAMMAS
    theirs = by_grid_search(X, y, 5, scoring, gammas, **params)
    ours = RDACV(ALPHAS, gammas, cv=5, scoring=scoring, **params).fit(X, y)
    assert ours.cv_results_.keys() == theirs.cv_results_.keys()
    timeless = [name for name in ours.cv_results_ if not name.endswith("time")]
    for name in timeless:
        given, expected = ours.cv_results_[name], theirs.cv_results_[name]
        if name == "params":
            assert given == expected
        else:
            assert given.dtype == expected.dtype
            np.testing.assert_allclose(given, expected, rtol=1e-9, atol=1e-12)
    assert (ours.best_params_, ours.best_index_) == (theirs.best_params_, theirs.best_index_)
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-12)


@pytest.mark.parametrize(
    "cv",
    [
        3,
        KFold(4, shuffle=True, random_state=0),
        StratifiedKFold(3, shuffle=True, random_state=0),
        ShuffleSplit(5, test_size=0.2, train_size=0.5, random_state=0),
    ],
)
def test_any_splitter_of_scikit_learn_will_do(cv, skulls):
    X, y = skulls
    theirs = by_grid_search(X, y, cv, "neg_log_loss")
    ours = RDACV(ALPHAS, GAMMAS, cv=cv).fit(X, y)
    assert ours.n_splits_ == theirs.n_splits_
    for name in ("mean_test_score", "std_test_score"):
        np.testing.assert_allclose(ours.cv_results_[name], theirs.cv_results_[name], rtol=1e-9)


def test_splits_may_be_given_one_by_one(skulls):
    X, y = skulls
    splits = list(StratifiedKFold(4).split(X, y))
    given = RDACV(ALPHAS, GAMMAS, cv=splits).fit(X, y).cv_results_["mean_test_score"]
    generated = RDACV(ALPHAS, GAMMAS, cv=iter(splits)).fit(X, y).cv_results_["mean_test_score"]
    expected = RDACV(ALPHAS, GAMMAS, cv=4).fit(X, y).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(given, expected)
    np.testing.assert_array_equal(generated, expected)


def test_ten_stratified_folds_are_the_default(skulls):
    X, y = skulls
    expected = RDACV(cv=StratifiedKFold(10)).fit(X, y).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(RDACV().fit(X, y).cv_results_["mean_test_score"], expected)


@pytest.mark.parametrize("scoring", ["neg_log_loss", "accuracy", "neg_brier_score"])
@pytest.mark.parametrize("target", ["spherical", "diagonal", "identity"])
def test_leaving_out_rows_equals_fitting_without_them(scoring, target, skulls):
    X, y = skulls[0][::3], skulls[1][::3]
    ours = RDACV(ALPHAS, GAMMAS, cv="loo", scoring=scoring, target=target).fit(X, y)
    codes = np.unique(y, return_inverse=True)[1]
    for place, point in enumerate(ours.cv_results_["params"]):
        losses = np.empty(len(X))
        for row in range(len(X)):
            rest = np.arange(len(X)) != row
            model = RDA(**point, target=target).fit(X[rest], y[rest])
            posterior = model.predict_proba(X[[row]])[0]
            losses[row] = {
                "neg_log_loss": np.log(max(posterior[codes[row]], np.finfo(float).eps)),
                "accuracy": posterior.argmax() == codes[row],
                "neg_brier_score": -np.square(posterior - np.eye(5)[codes[row]]).sum(),
            }[scoring]
        assert ours.cv_results_["mean_test_score"][place] == pytest.approx(losses.mean(), rel=1e-8)
        assert ours.cv_results_["std_test_score"][place] == pytest.approx(losses.std(), rel=1e-6)


def test_left_out_posteriors_are_those_of_the_chosen_model(skulls):
    X, y = skulls
    rda = RDACV(ALPHAS, GAMMAS, cv="loo").fit(X, y)
    model = RDA(rda.alpha_, rda.gamma_).fit(X, y)
    np.testing.assert_array_equal(rda.loo_log_proba_, model.loo_log_proba(X, y, refit_priors=True))
    assert -log_loss(y, np.exp(rda.loo_log_proba_)) == pytest.approx(rda.best_score_, rel=1e-12)
    assert rda.n_splits_ == len(X)


def test_scores_of_rows_left_out_are_those_of_single_splits(skulls):
    X, y = skulls[0][::3], skulls[1][::3]
    by_splits = RDACV(ALPHAS, GAMMAS, cv=LeaveOneOut()).fit(X, y).cv_results_
    by_rows = RDACV(ALPHAS, GAMMAS, cv="loo").fit(X, y).cv_results_
    for name in ("mean_test_score", "std_test_score", "rank_test_score"):
        np.testing.assert_allclose(by_rows[name], by_splits[name], rtol=1e-8)


@pytest.mark.parametrize("cv", [5, "loo"])
def test_the_model_is_that_of_all_rows_at_the_chosen_point(cv, skulls):
    X, y = skulls
    rda = RDACV(ALPHAS, GAMMAS, cv=cv, store_covariance=True).fit(X, y)
    model = RDA(rda.alpha_, rda.gamma_, store_covariance=True).fit(X, y)
    np.testing.assert_array_equal(rda.predict_log_proba(X), model.predict_log_proba(X))
    np.testing.assert_array_equal(rda.covariance_, model.covariance_)


def test_given_priors_are_used_in_every_fold(skulls):
    X, y = skulls
    priors = [0.4, 0.3, 0.1, 0.1, 0.1]
    theirs = by_grid_search(X, y, 5, "neg_log_loss", priors=priors)
    ours = RDACV(ALPHAS, GAMMAS, cv=5, priors=priors).fit(X, y)
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-10
    )


@needs("weighted searches")
def test_weights_count_where_models_learn_and_where_they_are_scored(skulls):
    X, y = skulls
    weights = np.random.default_rng(0).uniform(0.5, 2, len(X))
    grid = {"alpha": ALPHAS, "gamma": GAMMAS}
    theirs = GridSearchCV(RDA(), grid, cv=5, scoring="neg_log_loss")
    theirs.fit(X, y, sample_weight=weights)
    ours = RDACV(ALPHAS, GAMMAS, cv=5).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-9
    )


def test_one_standard_error_chooses_the_most_regularized_point_near_the_best(skulls):
    X, y = skulls
    rda = RDACV(ALPHAS, GAMMAS, cv=5, one_se=True).fit(X, y)
    results = rda.cv_results_
    best = results["mean_test_score"].argmax()
    error = results["std_test_score"][best] / np.sqrt(5)
    near = results["mean_test_score"] >= results["mean_test_score"][best] - error
    sums = [sum(point.values()) for point in results["params"]]
    assert near[rda.best_index_]
    assert sums[rda.best_index_] == max(np.array(sums)[near])
    assert rda.best_index_ != best


def test_points_at_which_a_class_is_singular_are_passed_over(iris):
    X, y = iris
    kept = np.r_[0:5, 50:150]
    for cv in (5, "loo"):
        rda = RDACV([0.0, 0.5], [0.0, 0.5], cv=cv).fit(X[kept], y[kept])
        assert np.isnan(rda.cv_results_["mean_test_score"]).tolist() == [True, False, False, False]
        assert rda.cv_results_["rank_test_score"][0] == 4
    with pytest.raises(np.linalg.LinAlgError, match="Try larger alphas or gammas"):
        RDACV([0.0], [0.0], cv=5).fit(X[kept], y[kept])


def test_a_fold_in_which_a_class_vanishes_is_named(iris):
    X, y = iris
    rda = RDACV(cv=KFold(3))
    with pytest.raises(ValueError, match="Class setosa has no rows to learn from in split 0"):
        rda.fit(X, y)
    assert not hasattr(rda, "classes_")


def test_a_class_that_leaving_out_its_row_empties_is_named(iris):
    X, y = iris
    kept = np.r_[0:1, 50:150]
    with pytest.raises(ValueError, match="Class setosa has one row only"):
        RDACV(cv="loo").fit(X[kept], y[kept])


@pytest.mark.parametrize("name", ["alphas", "gammas"])
@pytest.mark.parametrize("values", [[0.5, 1.5], [-0.1], [np.nan], [], [[0.5]], ["x"]])
def test_shares_outside_0_to_1_are_refused(name, values, iris):
    rda = RDACV(**{name: values})
    with pytest.raises(ValueError, match=name if values != ["x"] else "x"):
        rda.fit(*iris)
    assert not hasattr(rda, "classes_")


@pytest.mark.parametrize("params", [{"cv": 1}, {"cv": "all"}, {"scoring": "roc_auc"}])
def test_parameters_that_mean_nothing_are_refused(params, iris):
    with pytest.raises(ValueError, match=next(iter(params))):
        RDACV(**params).fit(*iris)


def test_it_needs_all_rows(iris):
    assert not hasattr(RDACV(), "partial_fit")
    with pytest.raises(ValueError, match="Use fit, or RegularizedDiscriminantAnalysis"):
        RDACV.from_moments(Moments.from_data(*iris))


def test_parts_of_it_are_those_of_the_chosen_model(skulls):
    X, y = skulls
    rda = RDACV(ALPHAS, GAMMAS, cv=5).fit(X, y)
    model = RDA(rda.alpha_, rda.gamma_).fit(X, y)
    np.testing.assert_array_equal(
        rda.marginal([0, 2]).predict_proba(X[:, [0, 2]]),
        model.marginal([0, 2]).predict_proba(X[:, [0, 2]]),
    )
    np.testing.assert_array_equal(
        rda.condition({1: 130.0}).means_, model.condition({1: 130.0}).means_
    )
    np.testing.assert_array_equal(rda.loo_log_proba(X, y), model.loo_log_proba(X, y))
    assert rda.diagnostics().n_parameters == model.diagnostics().n_parameters
    assert str(rda.boundary(*rda.classes_[:2])) == str(model.boundary(*rda.classes_[:2]))


def test_a_saved_model_comes_back(skulls, tmp_path):
    X, y = skulls
    rda = RDACV(np.array(ALPHAS), tuple(GAMMAS), cv="loo").fit(X, y)
    rda.save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    assert loaded.best_params_ == rda.best_params_
    np.testing.assert_array_equal(loaded.predict_log_proba(X), rda.predict_log_proba(X))


@pytest.mark.parametrize("cv", [12, "loo"])
def test_a_saved_search_comes_back_with_its_results(cv, skulls, tmp_path):
    rda = RDACV(ALPHAS, GAMMAS, cv=cv).fit(*skulls)
    rda.save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    assert list(loaded.cv_results_) == list(rda.cv_results_)
    for name, column in rda.cv_results_.items():
        assert type(loaded.cv_results_[name]) is type(column)
        np.testing.assert_array_equal(loaded.cv_results_[name], column)
    for name in ("best_index_", "best_score_", "n_splits_"):
        assert getattr(loaded, name) == getattr(rda, name)
    left_out = [getattr(model, "loo_log_proba_", None) for model in (rda, loaded)]
    np.testing.assert_array_equal(*left_out)


@pytest.mark.parametrize("name", ["alpha_", "gamma_", "best_params_"])
def test_before_the_fit_nothing_is_chosen(name):
    with pytest.raises(AttributeError, match="has seen no rows yet; call fit"):
        getattr(RDACV(), name)


def test_the_result_of_a_splitter_is_saved_without_it(skulls, tmp_path):
    X, y = skulls
    rda = RDACV(ALPHAS, GAMMAS, cv=KFold(3, shuffle=True, random_state=0)).fit(X, y)
    rda.save(tmp_path / "model.gauda")
    with pytest.warns(UserWarning, match="The cv of this RegularizedDiscriminantAnalysisCV"):
        loaded = gauda.load(tmp_path / "model.gauda")
    np.testing.assert_array_equal(loaded.predict_log_proba(X), rda.predict_log_proba(X))


@pytest.mark.parametrize(
    ("splits", "said"),
    [([], "at least one split"), ([(np.arange(90), np.arange(0))], "Split 0 holds out no rows")],
)
def test_splits_without_rows_are_refused(splits, said, skulls):
    X, y = skulls
    with pytest.raises(ValueError, match=said):
        RDACV(cv=splits).fit(X[:90], y[:90])


def test_a_column_without_variance_costs_common_covariances_nothing(skulls):
    X, y = skulls
    wider = np.column_stack([X, np.ones(len(X))])
    for target in ("diagonal", "spherical"):
        theirs = GridSearchCV(
            RDA(target=target), {"alpha": [1.0], "gamma": [0.0, 0.5]}, cv=5, scoring="neg_log_loss"
        ).fit(wider, y)
        ours = RDACV([1.0], [0.0, 0.5], target=target, cv=5).fit(wider, y)
        np.testing.assert_allclose(
            ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-9
        )


def test_the_number_of_threads_changes_no_bit():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(4000, 8)), random.integers(0, 3, 4000)
    for cv in (4, "loo"):
        one, two = (RDACV(ALPHAS, GAMMAS, cv=cv, n_threads=n).fit(X, y).cv_results_ for n in (1, 3))
        np.testing.assert_array_equal(one["mean_test_score"], two["mean_test_score"])


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_other_element_types_are_read(dtype, skulls):
    X, y = skulls
    X = X.astype(dtype)
    ours = RDACV(ALPHAS, GAMMAS, cv=5).fit(X, y).cv_results_["mean_test_score"]
    expected = RDACV(ALPHAS, GAMMAS, cv=5).fit(X.astype(np.float64), y).cv_results_
    np.testing.assert_allclose(ours, expected["mean_test_score"], rtol=1e-9)


# Rows of weight 2 and rows given twice are folded differently.
OWN_FOLDS = {"check_sample_weight_equivalence_on_dense_data"}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{check.func.__name__}-{check.keywords}")
        for _, check in estimator_checks_generator(RDACV([0.5, 1], [0.1, 1], cv=3))
        if check.func.__name__ not in OWN_FOLDS | {"check_array_api_input"}
    ],
)
def test_scikit_learn_check_passes(check):
    check(RDACV([0.5, 1], [0.1, 1], cv=3))
