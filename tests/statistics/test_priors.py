"""Priors that are given: one rule for all models, wherever they come in."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

import gauda

PROFILE = settings(deadline=None, derandomize=True, database=None, max_examples=40)
RNG = np.random.default_rng(31)
Y = np.arange(90) % 3
X = RNG.normal(size=(90, 3)) + np.eye(3)[Y]
LEVELS = RNG.integers(0, 3, size=(90, 2))
WORDS = "The priors do not sum to 1. Renormalizing"
GAUSSIAN = {
    "LDA": (gauda.LDA, {}),
    "LDA, lsqr": (gauda.LDA, {"solver": "lsqr"}),
    "LDA, eigen": (gauda.LDA, {"solver": "eigen"}),
    "QDA": (gauda.QDA, {}),
    "QDA, eigen": (gauda.QDA, {"solver": "eigen", "shrinkage": 0.1}),
    "RDA": (gauda.RDA, {"alpha": 0.3, "gamma": 0.1}),
    "RDA, common": (gauda.RDA, {"alpha": 1.0}),
    "RDA, diagonal": (gauda.RDA, {"covariance": "diag"}),
    "RDA-CV": (gauda.RegularizedDiscriminantAnalysisCV, {"alphas": [0, 1], "gammas": [0], "cv": 3}),
}
DISCRETE = {"BernoulliNB": gauda.BernoulliNB, "CategoricalNB": gauda.CategoricalNB}
REFUSING = {"GaussianNB": gauda.GaussianNB, "MixedNB": gauda.MixedNB}
GIVEN = st.lists(st.floats(1e-3, 1e3), min_size=3, max_size=3)


def quietly(call):
    """Call without warnings of priors."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", WORDS)
        return call()


def shares_of(priors):
    return np.array(priors) / np.sum(priors)


# Priors are renormalized, and all that follows from them is right


@pytest.mark.parametrize("name", GAUSSIAN)
@given(GIVEN)
@PROFILE
def test_a_factor_of_all_priors_changes_nothing(name, priors):
    estimator, parameters = GAUSSIAN[name]
    model = quietly(lambda: estimator(priors=priors, **parameters).fit(X, Y))
    expected = estimator(priors=shares_of(priors), **parameters).fit(X, Y)
    np.testing.assert_allclose(model.priors_, shares_of(priors), rtol=1e-5)
    # Within scikit-learn's tolerance of a sum of 1 they stay as they are.
    slack = 1.1e-5 if abs(sum(priors) - 1) <= 1e-5 else 1e-9
    for method in ("predict_joint_log_proba", "score_samples", "predict_log_proba"):
        got, wanted = getattr(model, method)(X), getattr(expected, method)(X)
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=slack)


@pytest.mark.parametrize("name", DISCRETE)
@given(GIVEN)
@PROFILE
def test_a_factor_of_all_priors_changes_nothing_for_discrete_columns(name, priors):
    model = quietly(lambda: DISCRETE[name](class_prior=priors).fit(LEVELS, Y))
    expected = DISCRETE[name](class_prior=shares_of(priors)).fit(LEVELS, Y)
    slack = 1.1e-5 if abs(sum(priors) - 1) <= 1e-5 else 1e-12
    np.testing.assert_allclose(model.class_log_prior_, np.log(shares_of(priors)), atol=slack)
    for method in ("predict_joint_log_proba", "score_samples", "predict_log_proba"):
        got, wanted = getattr(model, method)(LEVELS), getattr(expected, method)(LEVELS)
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=slack)


def plain_joint(priors):
    """Return log(prior times density) of quadratic discriminant analysis, by scipy."""
    groups = [X[k == Y] for k in range(3)]
    densities = [multivariate_normal(g.mean(axis=0), np.cov(g.T, ddof=0)).logpdf(X) for g in groups]
    return np.log(shares_of(priors)) + np.stack(densities, axis=1)


@pytest.mark.parametrize("priors", [[2, 2, 2], [0.1, 0.2, 0.1], [1e-9, 3e-9, 1e-9], [1, 0, 3]])
@pytest.mark.parametrize("estimator", [gauda.QDA, gauda.RDA])
def test_likelihoods_are_those_of_shares(estimator, priors):
    model = quietly(lambda: estimator(priors=priors).fit(X, Y))
    with np.errstate(divide="ignore"):
        joint = plain_joint(priors)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-10)
    np.testing.assert_allclose(model.score_samples(X), logsumexp(joint, axis=1), rtol=1e-10)
    if 0 in priors:  # a class that has rows cannot have been impossible
        return
    diagnostics = model.diagnostics()
    expected = joint[np.arange(90), Y].sum()
    np.testing.assert_allclose(diagnostics.log_likelihood, expected, rtol=1e-11)
    free = 3 * 3 + 3 * 6
    np.testing.assert_allclose(diagnostics.aic, 2 * free - 2 * expected, rtol=1e-11)
    np.testing.assert_allclose(diagnostics.bic, free * np.log(90) - 2 * expected, rtol=1e-11)


@pytest.mark.parametrize("estimator", [gauda.LDA, gauda.QDA, gauda.RDA])
def test_rows_are_left_out_under_shares(estimator):
    model = quietly(lambda: estimator(priors=[2, 1, 1]).fit(X, Y))
    expected = estimator(priors=[0.5, 0.25, 0.25]).fit(X, Y).loo_log_proba(X, Y)
    np.testing.assert_allclose(model.loo_log_proba(X, Y), expected, rtol=1e-12, atol=1e-14)


# Wherever they come in, the warning points here


def by_set_params(estimator, priors):
    return estimator().fit(X, Y).set_params(priors=priors)


def by_set_params_before_a_batch_is_enough(estimator, priors):
    return estimator().partial_fit(X, Y).set_params(priors=priors)


MATRICES = {gauda.LDA: np.eye(3), gauda.QDA: [np.eye(3)] * 3, gauda.RDA: [np.eye(3)] * 3}
MOMENTS = gauda.Moments.from_data(X, Y)
WAYS = [
    lambda estimator, priors: estimator(priors=priors).fit(X, Y),
    lambda estimator, priors: estimator(priors=priors).partial_fit(X, Y),
    lambda estimator, priors: estimator(priors=priors).fit_stream([(X, Y)]),
    lambda estimator, priors: estimator.from_moments(MOMENTS, priors=priors),
    lambda estimator, priors: estimator.from_parameters(np.eye(3), MATRICES[estimator], priors),
    by_set_params,
    by_set_params_before_a_batch_is_enough,
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("estimator", MATRICES)
def test_the_warning_points_at_the_line_that_gave_the_priors(estimator, way):
    with pytest.warns(UserWarning, match=WORDS) as caught:
        model = way(estimator, [2.0, 2.0, 4.0])
    assert [warning.filename for warning in caught] == [__file__]
    np.testing.assert_allclose(model.priors_, [0.25, 0.25, 0.5], rtol=1e-15)


@pytest.mark.parametrize("estimator", DISCRETE.values())
def test_the_warning_of_discrete_models_points_here_too(estimator):
    counts = estimator().fit(LEVELS, Y).counts_
    for way in (
        lambda: estimator(class_prior=[1, 1, 2]).fit(LEVELS, Y),
        lambda: estimator(class_prior=[1, 1, 2]).partial_fit(LEVELS, Y, classes=[0, 1, 2]),
        lambda: estimator.from_counts(counts, class_prior=[1, 1, 2]),
    ):
        with pytest.warns(UserWarning, match=WORDS) as caught:
            model = way()
        assert [warning.filename for warning in caught] == [__file__]
        np.testing.assert_allclose(np.exp(model.class_log_prior_), [0.25, 0.25, 0.5], rtol=1e-15)


@pytest.mark.parametrize("estimator", [*MATRICES, *DISCRETE.values()])
def test_files_and_later_batches_do_not_warn_again(estimator, tmp_path):
    name = "class_prior" if estimator in DISCRETE.values() else "priors"
    rows = LEVELS if name == "class_prior" else X
    model = quietly(lambda: estimator(**{name: [1, 1, 2]}).partial_fit(rows, Y, classes=[0, 1, 2]))
    model.partial_fit(rows, Y).save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    np.testing.assert_array_equal(loaded.predict_proba(rows), model.predict_proba(rows))


# What cannot be priors


IMPOSSIBLE = [
    [0.5, 0.6, -0.1],
    [np.nan, 0.5, 0.5],
    [np.inf, 0.5, 0.5],
    [0, 0, 0],
    [0.5, 0.5],
    [0.25] * 4,
    [[0.5, 0.25, 0.25]],
    ["a", "b", "c"],
    [1j, 0.5, 0.5],
    [1e308, 1e308, 1e308],
]


@pytest.mark.parametrize("priors", IMPOSSIBLE)
@pytest.mark.parametrize("name", [*GAUSSIAN, *DISCRETE, *REFUSING])
def test_what_cannot_be_priors_is_refused_by_all(name, priors):
    estimator, parameters = GAUSSIAN.get(name, ((DISCRETE | REFUSING).get(name), {}))
    key, rows = ("class_prior", LEVELS) if name in DISCRETE else ("priors", X)
    with pytest.raises(ValueError, match=r"(?i)prior"):
        estimator(**{key: priors}, **parameters).fit(rows, Y)


@pytest.mark.parametrize("priors", [[2, 2, 2], [0.2, 0.3, 0.6], [0.3, 0.3, 0.3]])
@pytest.mark.parametrize("estimator", REFUSING.values())
def test_naive_bayes_refuses_another_sum(estimator, priors):
    with pytest.raises(ValueError, match=r"(?i)sum"):
        estimator(priors=priors).fit(X, Y)
