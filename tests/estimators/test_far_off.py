"""Rows far off among those that are held out: posteriors and scores are those of plain refits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

from gauda import LDA, QDA, RDA, GaussianNB, NormalInverseWishart
from gauda import RegularizedDiscriminantAnalysisCV as RDACV  # noqa: N817

PROFILE = settings(deadline=None, derandomize=True, database=None, max_examples=4)
SKEWED = [0.5, 0.2, 0.3]
SENTINELS = st.sampled_from([1e3, -9999.0, 1e6, 999999999.0, -1e12, 1e20])
OUTLIERS = st.lists(
    st.tuples(st.integers(0, 44), st.integers(0, 2), SENTINELS), min_size=1, max_size=3
)
MODELS = [
    LDA(),
    LDA(priors=SKEWED, unbiased=True),
    LDA(solver="lsqr"),
    LDA(solver="eigen", priors=SKEWED),
    LDA(solver="lsqr", shrinkage=0.2),
    LDA(reduced_rank=True),
    QDA(),
    QDA(unbiased=True, priors=SKEWED),
    QDA(reg_param=0.1),
    QDA(solver="eigen", shrinkage=0.2),
    QDA(conjugate_prior=NormalInverseWishart(np.zeros(3), 1.0, np.eye(3), 5.0)),
    RDA(0.4),
    RDA(0.4, 0.2),
    RDA(0.4, 0.2, target="identity"),
    RDA(0.4, 0.2, target="diagonal", pooling="scatter"),
    RDA(0.4, 1.0, target="diagonal"),
    RDA(1.0, 0.0),
    RDA(1.0, 0.3),
    RDA(1.0, 1.0),
    RDA(1.0, 0.3, target="diagonal"),
    RDA(1.0, 1.0, target="diagonal"),
    RDA(0.4, 1.0, target="identity"),
    RDA(1.0, 0.7, target="identity", unbiased=True),
    GaussianNB(),
    GaussianNB(var_smoothing=0.1),
]


def rows_with(outliers, seed=0):
    random = np.random.default_rng(seed)
    y = np.arange(45) % 3
    X = random.normal(size=(45, 3)) @ [[1, 0.5, 0], [0, 1, 0.5], [0, 0, 1]] + y[:, np.newaxis]
    for row, column, value in outliers:
        X[row, column] = value
    return X, y


def by_fitting(estimator, X, y, *, refit_priors):
    """Return the log-posteriors of each row under a model of the others; NaN without a model."""
    out = np.full((len(X), 3), np.nan)
    for row in range(len(X)):
        rest = np.arange(len(X)) != row
        model = clone(estimator)
        if not refit_priors and estimator.priors is None:
            model.set_params(priors=np.bincount(y) / len(y))
        try:
            out[row] = model.fit(X[rest], y[rest]).predict_log_proba(X[[row]])[0]
        except np.linalg.LinAlgError:
            continue
    return out


@pytest.mark.parametrize("estimator", MODELS, ids=lambda model: "".join(repr(model).split()))
@PROFILE
@given(OUTLIERS, st.booleans(), st.integers(0, 9))
def test_rows_left_out_have_the_posteriors_of_refits(estimator, outliers, refit_priors, seed):
    X, y = rows_with(outliers, seed)
    expected = by_fitting(estimator, X, y, refit_priors=refit_priors)
    try:
        given = clone(estimator).fit(X, y).loo_log_proba(X, y, refit_priors=refit_priors)
    except np.linalg.LinAlgError:
        given = None
    if given is None:
        assert np.isnan(expected).any()
    else:
        # Posteriors follow from scores, which are rounded in proportion to their size.
        size = np.nan_to_num(np.abs(expected), nan=0.0, posinf=0.0).max(axis=1, keepdims=True)
        near = np.isclose(given, expected, rtol=1e-8, atol=1e-8 + np.spacing(size), equal_nan=True)
        assert near.all(), (given[~near], expected[~near])


@pytest.mark.parametrize("value", [1e6, 999999999, 1e12, 1e20])
@pytest.mark.parametrize("target", ["spherical", "diagonal", "identity"])
@pytest.mark.parametrize(
    "cv",
    [StratifiedKFold(5), RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)],
    ids=["folds", "repeated"],
)
def test_scores_of_a_search_are_those_of_refits(value, target, cv):
    X, y = rows_with([(7, 1, value), (20, 2, -value)])
    search = RDACV([0.0, 0.5, 1.0], [0.0, 0.25, 1.0], cv=cv, target=target).fit(X, y)
    results = search.cv_results_
    for place, point in enumerate(results["params"]):
        for number, (train, test) in enumerate(cv.split(X, y)):
            model = RDA(**point, target=target).fit(X[train], y[train])
            loss = log_loss(y[test], model.predict_proba(X[test]), labels=[0, 1, 2])
            score = results[f"split{number}_test_score"][place]
            assert score == pytest.approx(-loss, rel=1e-8)


@pytest.mark.parametrize("value", [1e6, 999999999, 1e12, 1e20])
@pytest.mark.parametrize("target", ["spherical", "diagonal", "identity"])
def test_scores_of_rows_left_out_one_by_one_are_those_of_refits(value, target):
    X, y = rows_with([(7, 1, value), (20, 2, -value)])
    results = (
        RDACV([0.0, 0.5, 1.0], [0.0, 0.25, 1.0], cv="loo", target=target).fit(X, y).cv_results_
    )
    for point, score in zip(results["params"], results["mean_test_score"], strict=True):
        logs = by_fitting(RDA(**point, target=target), X, y, refit_priors=True)
        held = np.maximum(logs[np.arange(45), y], np.log(np.finfo(float).eps))
        assert score == pytest.approx(held.mean(), rel=1e-8)


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
@pytest.mark.parametrize("params", [{}, {"shrinkage": 0.3}, {"unbiased": True}])
def test_priors_that_are_the_proportions_change_nothing(solver, params, iris):
    X, y = iris
    kept = np.r_[0:12, 50:70, 100:130]
    X, y = X[kept], y[kept]
    plain = LDA(solver=solver, **params).fit(X, y)
    given = LDA(solver=solver, priors=plain.priors_, **params).fit(X, y)
    np.testing.assert_allclose(plain.loo_log_proba(X, y), given.loo_log_proba(X, y), rtol=1e-10)


@pytest.mark.parametrize(
    "params",
    [{"solver": "eigen"}, {"store_covariance": True}, {"solver": "eigen", "priors": SKEWED}],
)
def test_models_of_few_axes_leave_rows_out(params, iris):
    X, y = iris[0][::3], np.unique(iris[1], return_inverse=True)[1][::3]
    estimator = LDA(reduced_rank=True, **params)
    expected = by_fitting(estimator, X, y, refit_priors=False)
    given = estimator.fit(X, y).loo_log_proba(X, y)
    np.testing.assert_allclose(given, expected, rtol=1e-8, atol=1e-9)
