"""The search over alpha and gamma where it takes fits: weights row by row, and gaps."""

import numpy as np
import pytest
from gaps import correlated, with_gaps
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import gauda
from gauda import RDA

RDACV = gauda.RegularizedDiscriminantAnalysisCV

GRID = {"alpha": [0.0, 0.5], "gamma": [0.0, 0.3]}


def sample(n=40, d=3):
    """Return rows of classes, labels and weights."""
    X, y = correlated(n, d, 2, seed=1)
    weights = np.random.default_rng(1).uniform(0.3, 2.0, n)
    return X, np.array(["no", "yes"])[y], weights


def log_posteriors(model, X, y, weights=None):
    """Return those of each row under a model that is fitted to the others."""
    out = []
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        given = None if weights is None else weights[rest]
        out.append(model.fit(X[rest], y[rest], sample_weight=given).predict_log_proba(X[[i]])[0])
    return np.array(out)


@pytest.mark.parametrize("scoring", ["neg_log_loss", "accuracy", "neg_brier_score"])
def test_rows_with_weights_are_left_out_one_by_one(scoring):
    X, y, weights = sample()
    weights[3] = 0.0
    model = RDACV(GRID["alpha"], GRID["gamma"], cv="loo", scoring=scoring)
    model.fit(X, y, sample_weight=weights)
    truth = (y == "yes").astype(int)
    expected = []
    for point in model.cv_results_["params"]:
        log_proba = log_posteriors(RDA(**point), X, y, weights)
        scores = {
            "neg_log_loss": log_proba[np.arange(40), truth],
            "accuracy": log_proba.argmax(axis=1) == truth,
            "neg_brier_score": -((np.exp(log_proba[:, 1]) - truth) ** 2),
        }
        expected.append(np.average(scores[scoring], weights=weights))
    np.testing.assert_allclose(model.cv_results_["mean_test_score"], expected, rtol=1e-9)
    best = RDA(**model.best_params_)
    np.testing.assert_allclose(
        model.loo_log_proba_, log_posteriors(best, X, y, weights), rtol=1e-8, atol=1e-10
    )


def test_equal_weights_are_none():
    X, y, _ = sample()
    plain = RDACV(cv="loo").fit(X, y)
    weighted = RDACV(cv="loo").fit(X, y, sample_weight=np.ones(40))
    assert weighted.best_params_ == plain.best_params_
    np.testing.assert_allclose(
        weighted.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"], rtol=1e-9
    )
    np.testing.assert_allclose(weighted.loo_log_proba_, plain.loo_log_proba_, atol=1e-9)


def test_folds_of_rows_with_gaps_are_those_of_grid_search():
    X, y, _ = sample(80)
    X = with_gaps(X, 0.15)
    splits = StratifiedKFold(4, shuffle=True, random_state=0)
    search = GridSearchCV(RDA(missing="marginalize"), GRID, cv=splits, scoring="neg_log_loss")
    search.fit(X, y)
    model = RDACV(GRID["alpha"], GRID["gamma"], cv=splits, missing="marginalize").fit(X, y)
    for name in ("mean_test_score", "std_test_score", "split2_test_score", "rank_test_score"):
        np.testing.assert_allclose(model.cv_results_[name], search.cv_results_[name], rtol=1e-9)
    assert model.best_params_ == search.best_params_
    np.testing.assert_allclose(
        model.predict_proba(X), search.best_estimator_.predict_proba(X), rtol=1e-12
    )
    assert model.n_iter_ == search.best_estimator_.n_iter_ > 0


def test_one_row_cannot_cost_everything_where_rows_have_gaps():
    X, y, _ = sample(80)
    X[y == "yes"] += 30.0
    far = np.flatnonzero(y == "yes")[-1]
    X = with_gaps(X, 0.1)
    X[far] = 0.0
    splits = StratifiedKFold(4)
    search = GridSearchCV(RDA(missing="marginalize"), GRID, cv=splits, scoring="neg_log_loss")
    model = RDACV(GRID["alpha"], GRID["gamma"], cv=splits, missing="marginalize").fit(X, y)
    expected = search.fit(X, y).cv_results_
    np.testing.assert_allclose(
        model.cv_results_["mean_test_score"], expected["mean_test_score"], rtol=1e-9
    )
    others = RDA(0.5, 0.3, missing="marginalize").fit(np.delete(X, far, 0), np.delete(y, far))
    bound = np.log(np.finfo(float).eps)
    assert others.predict_log_proba(X[[far]])[0, 1] < 2 * bound


def test_rows_with_gaps_are_left_out_one_by_one():
    X, y, weights = sample()
    X = with_gaps(X, 0.1)
    model = RDACV([0.5], [0.1, 0.4], cv="loo", missing="marginalize")
    model.fit(X, y, sample_weight=weights)
    best = RDA(**model.best_params_, missing="marginalize")
    expected = log_posteriors(best, X, y, weights)
    np.testing.assert_allclose(model.loo_log_proba_, expected, rtol=1e-10)
    score = np.average(expected[np.arange(40), (y == "yes").astype(int)], weights=weights)
    assert model.best_score_ == pytest.approx(score, rel=1e-10)


def test_decisions_class_weights_and_priors_do_not_disturb_the_search(tmp_path):
    X, y, _ = sample(80)
    X = with_gaps(X, 0.1)
    settings = {
        "cost": {"no": {"no": 0, "yes": 5}, "yes": {"no": 1, "yes": 0}},
        "class_weight": {"yes": 2.0},
        "priors": {"no": 0.7, "yes": 0.3},
        "missing": "marginalize",
    }
    model = RDACV([0.0, 0.5], [0.0], cv=3, **settings).fit(X, y)
    chosen = RDA(**model.best_params_, **settings).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), chosen.predict(X))
    model.save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_points_that_are_singular_are_not_chosen():
    X, y, _ = sample(60)
    X = np.column_stack([X, np.where(y == "yes", 1.0, X[:, 0] > 5)])  # constant in a class
    X[::7, 0] = np.nan
    model = RDACV([0.0], [0.0, 0.2], cv=3, missing="marginalize").fit(X, y)
    assert np.isnan(model.cv_results_["mean_test_score"]).tolist() == [True, False]
    assert model.best_params_ == {"alpha": 0.0, "gamma": 0.2}
