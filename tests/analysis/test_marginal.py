"""Models of some columns, marginal and conditional, against densities of scipy."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.covariance import OAS

import gauda

RNG = np.random.default_rng(5)
FACTORS = RNG.normal(size=(3, 4, 4))
MEANS = 2 * RNG.normal(size=(3, 4))
Y = np.arange(90) % 3
X = pd.DataFrame(
    MEANS[Y] + np.einsum("nij,nj->ni", FACTORS[Y], RNG.normal(size=(90, 4))), columns=list("pqrs")
)
NIW = gauda.NormalInverseWishart(np.zeros(4), 2.0, 3 * np.eye(4), 7.0)
EIGEN, STORED = {"solver": "eigen"}, {"store_covariance": True}
MODELS = {
    "LDA": gauda.LDA(**STORED),
    "LDA, unbiased": gauda.LDA(**STORED, unbiased=True),
    "LDA, n_components": gauda.LDA(**STORED, n_components=2),
    "LDA, lsqr, priors": gauda.LDA(solver="lsqr", priors=[0.2, 0.3, 0.5]),
    "LDA, shrinkage": gauda.LDA(**EIGEN, shrinkage=0.3),
    "LDA, Ledoit-Wolf": gauda.LDA(**EIGEN, shrinkage="auto"),
    "LDA, OAS": gauda.LDA(solver="lsqr", covariance_estimator=OAS()),
    "LDA, prior": gauda.LDA(**STORED, conjugate_prior=NIW),
    "LDA, lsqr, prior": gauda.LDA(solver="lsqr", conjugate_prior=NIW),
    "QDA": gauda.QDA(**STORED),
    "QDA, unbiased": gauda.QDA(**STORED, unbiased=True),
    "QDA, reg_param": gauda.QDA(**STORED, reg_param=0.2, priors=[0.2, 0.3, 0.5]),
    "QDA, shrinkage": gauda.QDA(**STORED, **EIGEN, shrinkage=0.3, unbiased=True),
    "QDA, Ledoit-Wolf": gauda.QDA(**STORED, **EIGEN, shrinkage="auto"),
    "QDA, OAS": gauda.QDA(**STORED, **EIGEN, covariance_estimator=OAS()),
    "QDA, prior": gauda.QDA(**STORED, conjugate_prior="empirical"),
    "NB": gauda.GaussianNB(),
    "NB, var_smoothing": gauda.GaussianNB(var_smoothing=0.1),
    "NB, prior": gauda.GaussianNB(conjugate_prior=NIW, var_smoothing=0.1),
}


@pytest.fixture(params=MODELS)
def model(request):
    return clone(MODELS[request.param]).fit(X, Y)


def parameters(model):
    """Return priors, means and the covariance of each class."""
    if isinstance(model, gauda.GaussianNB):
        return model.class_prior_, model.theta_, model.var_[:, :, None] * np.eye(4)
    return model.priors_, model.means_, np.broadcast_to(model.covariance_, (3, 4, 4))


def joint(model, columns, rows):
    """Return the logarithm of prior times scipy's density of some columns."""
    densities = [
        multivariate_normal(mean[columns], covariance[np.ix_(columns, columns)]).logpdf(rows)
        for mean, covariance in zip(*parameters(model)[1:], strict=True)
    ]
    return np.log(parameters(model)[0]) + np.stack(densities, axis=1)


def test_marginal_densities_are_scipys(model):
    got = model.marginal(["r", "p"]).predict_joint_log_proba(X[["r", "p"]])
    np.testing.assert_allclose(got, joint(model, [2, 0], X[["r", "p"]]), rtol=1e-9, atol=1e-9)


def test_conditional_densities_are_scipys(model):
    rows = X.assign(r=0.5, p=-1.0)
    given = logsumexp(joint(model, [2, 0], [[0.5, -1.0]] * 2)[0])
    expected = joint(model, [0, 1, 2, 3], rows) - given
    got = model.condition({"r": 0.5, "p": -1.0}).predict_joint_log_proba(X[["q", "s"]])
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)


def test_conditional_priors_are_posteriors_of_the_values(model):
    expected = joint(model, [1, 3], [[0.5, -1.0]] * 2)[0]
    conditional = model.condition({"q": 0.5, "s": -1.0})
    priors = parameters_of_rest(conditional)[0]
    np.testing.assert_allclose(priors, np.exp(expected - logsumexp(expected)), rtol=1e-9)


def parameters_of_rest(conditional):
    if isinstance(conditional, gauda.GaussianNB):
        return conditional.class_prior_, conditional.theta_
    return conditional.priors_, conditional.means_


def test_conditional_means_are_those_of_regression_on_the_values(model):
    _, means, covariances = parameters(model)
    expected = [
        mean[[0, 2]] + s[np.ix_([0, 2], [1, 3])] @ np.linalg.solve(
            s[np.ix_([1, 3], [1, 3])], [0.5, -1.0] - mean[[1, 3]]
        )
        for mean, s in zip(means, covariances, strict=True)
    ]  # fmt: skip
    got = parameters_of_rest(model.condition({"q": 0.5, "s": -1.0}))[1]
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


def test_values_one_after_another_are_values_at_once(model):
    once = model.condition({"q": 0.5, "s": -1.0}).score_samples(X[["p", "r"]])
    twice = model.condition({"s": -1.0}).condition({"q": 0.5}).score_samples(X[["p", "r"]])
    np.testing.assert_allclose(twice, once, rtol=1e-9)


def test_no_values_leave_the_densities_as_they_are(model):
    expected = joint(model, [0, 1, 2, 3], X)
    got = model.condition({}).predict_joint_log_proba(X)
    np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_columns_keep_their_names(model):
    assert model.marginal(["s", "q"]).feature_names_in_.tolist() == ["s", "q"]
    assert model.condition({"q": 0.0}).feature_names_in_.tolist() == ["p", "r", "s"]


def test_labels_stay():
    labels = np.array(["oak", "elm", "fir"], object)[Y]
    for estimator in (gauda.LDA(), gauda.QDA(), gauda.GaussianNB()):
        estimator.fit(X, labels)
        for part in (estimator.marginal([0]), estimator.condition({0: 1.0})):
            np.testing.assert_array_equal(part.classes_, ["elm", "fir", "oak"])


@pytest.mark.parametrize("features", [[3, 1], [-1, 1], ["s", "q"]])
def test_columns_have_names_and_indices(features):
    lda = gauda.LDA().fit(X, Y)
    got = lda.marginal(features).means_
    np.testing.assert_array_equal(got, lda.means_[:, [3, 1]])


def test_columns_may_be_masked():
    lda = gauda.LDA().fit(X, Y)
    got = lda.marginal([False, True, False, True]).means_
    np.testing.assert_array_equal(got, lda.means_[:, [1, 3]])


def test_a_single_name_is_enough():
    assert gauda.LDA().fit(X, Y).marginal("r").n_features_in_ == 1


def test_names_and_indices_may_be_mixed_in_a_condition():
    lda = gauda.LDA().fit(X, Y)
    by_name = lda.condition({"p": 1.0, "r": 2.0})
    np.testing.assert_array_equal(lda.condition({0: 1.0, "r": 2.0}).means_, by_name.means_)


@pytest.mark.parametrize(
    "model",
    [
        gauda.LDA(solver="lsqr", priors=[0.2, 0.3, 0.5]),
        gauda.QDA(reg_param=0.2, unbiased=True),
        gauda.GaussianNB(var_smoothing=0),
    ],
)
def test_a_marginal_model_goes_on_learning(model):
    columns = ["r", "p"]
    whole = model.fit(X[columns], Y)
    expected = whole.predict_log_proba(X[columns])
    part = model.fit(X[:60], Y[:60]).marginal(columns).partial_fit(X[columns][60:], Y[60:])
    np.testing.assert_allclose(part.predict_log_proba(X[columns]), expected, rtol=1e-9)


def test_what_naive_bayes_adds_to_variances_stays():
    nb = gauda.GaussianNB(var_smoothing=0.1).fit(X, Y, RNG.uniform(size=90))
    part = nb.marginal(["q"])
    assert part.epsilon_ == pytest.approx(nb.epsilon_, rel=1e-14)
    np.testing.assert_allclose(part.var_, nb.var_[:, [1]], rtol=1e-14)


def test_a_condition_of_naive_bayes_leaves_other_columns_alone():
    nb = gauda.GaussianNB(var_smoothing=0).fit(X, Y)
    rest = nb.condition({"q": 3.0})
    np.testing.assert_array_equal(rest.theta_, nb.theta_[:, [0, 2, 3]])
    np.testing.assert_allclose(rest.var_, nb.var_[:, [0, 2, 3]], rtol=1e-14)


def test_units_of_columns_do_not_matter():
    units = np.array([1e-7, 1.0, 1e7, 1e3])
    rows = X.to_numpy()
    for estimator in (gauda.LDA(), gauda.QDA(), gauda.GaussianNB(var_smoothing=0)):
        plain = estimator.fit(rows, Y).condition({1: 0.5}).predict_log_proba(rows[:, [0, 2, 3]])
        scaled = estimator.fit(rows * units, Y).condition({1: 0.5})
        got = scaled.predict_log_proba((rows * units)[:, [0, 2, 3]])
        np.testing.assert_allclose(got, plain, rtol=1e-8, atol=1e-9)


def test_columns_far_from_zero_lose_no_digits():
    rows = np.round(64 * X.to_numpy()) / 64
    for estimator in (gauda.LDA(), gauda.QDA(), gauda.GaussianNB(var_smoothing=0)):
        near = estimator.fit(rows, Y).condition({1: 0.5}).predict_log_proba(rows[:, [0, 2, 3]])
        far = estimator.fit(rows + 2**27, Y).condition({1: 2**27 + 0.5})
        got = far.predict_log_proba((rows + 2**27)[:, [0, 2, 3]])
        np.testing.assert_allclose(got, near, rtol=1e-7, atol=1e-8)


def test_attributes_stay_in_single_precision():
    lda = gauda.LDA().fit(X.astype(np.float32), Y)
    assert lda.marginal([0]).means_.dtype == np.float32
    assert lda.condition({0: 1.0}).means_.dtype == np.float32


def test_a_marginal_of_a_singular_model_may_be_regular():
    repeated = X.assign(t=X["p"])
    lda = gauda.LDA(store_covariance=True).fit(repeated, Y)
    plain = gauda.LDA(store_covariance=True).fit(X, Y)
    got = lda.marginal(["r", "p"]).predict_joint_log_proba(X[["r", "p"]])
    np.testing.assert_allclose(got, joint(plain, [2, 0], X[["r", "p"]]), rtol=1e-9, atol=1e-9)


def test_a_conditional_model_can_be_saved(tmp_path):
    rest = gauda.QDA().fit(X, Y).condition({"q": 0.5})
    rest.save(tmp_path / "rest.gauda")
    loaded = gauda.load(tmp_path / "rest.gauda")
    rows = X[["p", "r", "s"]]
    np.testing.assert_array_equal(loaded.predict_proba(rows), rest.predict_proba(rows))


def test_values_that_rule_a_class_out_leave_it_a_prior_of_0():
    model = gauda.QDA.from_parameters([[0.0, 0.0], [1e3, 0.0]], [np.eye(2), np.eye(2)])
    np.testing.assert_array_equal(model.condition({0: 0.0}).priors_, [1.0, 0.0])
    np.testing.assert_array_equal(model.condition({0: 0.0}).predict([[9.0]]), [0])


# What is refused


@pytest.mark.parametrize(
    ("features", "words"),
    [
        (["p", "x"], r"no columns \['x'\]; the names are \['p', 'q', 'r', 's'\]"),
        ([0, 4], r"indices from 0 to 3, as there are 4 columns; got \[4\]"),
        ([0, -4], "chosen once only"),
        (["p", "p"], "chosen once only"),
        ([], "at least one column"),
        ([0.5], "names, indices or a mask"),
        ([True, False], "A mask must have one entry for each of the 4 columns"),
    ],
)
def test_unknown_features_are_refused(features, words):
    with pytest.raises(ValueError, match=words):
        gauda.LDA().fit(X, Y).marginal(features)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"x": 1.0}, r"no columns \['x'\]"),
        ({7: 1.0}, "must be indices from 0 to"),
        ({"p": 1.0, 0: 1.0}, "one value only"),
        ({"p": np.nan}, "one finite value; got {'p': nan}"),
        ({"p": [1.0, 2.0]}, "one finite value"),
        ({"p": "much"}, "one finite value; got {'p': 'much'}"),
        (dict.fromkeys("pqrs", 1.0), "All 4 columns are given"),
        ({"p": 1e200}, "so far from all classes"),
    ],
)
def test_values_that_cannot_be_given_are_refused(values, words):
    with pytest.raises(ValueError, match=words):
        gauda.QDA().fit(X, Y).condition(values)


@pytest.mark.parametrize("values", [[1.0, 2.0], None, 3])
def test_values_need_the_names_of_their_columns(values):
    with pytest.raises(TypeError, match="condition takes a dict of values by the names"):
        gauda.QDA().fit(X, Y).condition(values)


def test_a_singular_model_has_no_conditional_one():
    lda = gauda.LDA().fit(X.assign(t=X["p"]), Y)
    with pytest.raises(np.linalg.LinAlgError, match="rank 4 in 5 columns"):
        lda.condition({"q": 1.0})


@pytest.mark.parametrize("method", ["marginal", "condition"])
def test_an_estimator_that_was_not_fitted_has_no_parts(method):
    with pytest.raises(ValueError, match="not fitted"):
        getattr(gauda.LDA(), method)({0: 1.0})


@pytest.mark.parametrize("part", [lambda lda: lda.marginal([0]), lambda lda: lda.condition({0: 1})])
def test_model_of_a_few_axes_has_no_parts(part):
    rows = np.random.default_rng(3).normal(size=(60, 4))
    lda = gauda.LDA(reduced_rank=True, n_components=1).fit(rows, np.arange(60) % 3)
    with pytest.raises(np.linalg.LinAlgError, match="With reduced_rank=True the model knows"):
        part(lda)
