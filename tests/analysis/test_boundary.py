"""Boundaries and discriminants, against exact posteriors and scikit-learn's coefficients."""

import numpy as np
import pandas as pd
import peers
import pytest
from support import ours

import gauda

MODELS = {
    "lda_ml": gauda.LDA(),
    "lda_unbiased": gauda.LDA(unbiased=True),
    "qda_ml": gauda.QDA(),
    "qda_unbiased": gauda.QDA(unbiased=True),
    "gnb_ml": gauda.GaussianNB(var_smoothing=0),
    "gnb_sklearn": gauda.GaussianNB(),
}


def polynomial(form, X):
    return np.einsum("ni,...ij,nj->n...", X, form.A, X) + X @ form.b.T + form.c


@pytest.fixture(params=["iris", "banknote", "skulls"])
def exact(request, load_data, load_oracle):
    """Give a function: model -> rows, the fitted estimator, and exact log-posteriors."""

    def of(model):
        X, y = load_data(request.param)
        return X, MODELS[model].fit(X, y), load_oracle(request.param, model)

    return of


@pytest.mark.parametrize("model", MODELS)
def test_the_polynomial_is_the_exact_difference_of_log_posteriors(exact, model):
    X, estimator, oracle = exact(model)
    i, j = 1, 0
    expected = oracle.log_posterior[:, i] - oracle.log_posterior[:, j]
    got = polynomial(estimator.boundary(oracle.classes[i], oracle.classes[j]), X)
    np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("model", MODELS)
def test_a_call_is_the_exact_difference_of_log_posteriors(exact, model):
    X, estimator, oracle = exact(model)
    i, j = 0, 1
    expected = oracle.log_posterior[:, i] - oracle.log_posterior[:, j]
    got = estimator.boundary(oracle.classes[i], oracle.classes[j])(X)
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_linear_classes_have_no_products(iris, solver):
    boundary = gauda.LDA(solver=solver).fit(*iris).boundary("setosa", "virginica")
    assert boundary.is_linear
    np.testing.assert_array_equal(boundary.A, np.zeros((4, 4)))


def test_equal_covariances_of_a_quadratic_model_have_no_products():
    matrix = [[2.0, 0.3], [0.3, 0.1]]
    model = gauda.QDA.from_parameters([[0.0, 1.0], [5.0, 2.0]], [matrix, matrix])
    assert model.boundary(0, 1).is_linear


def test_unequal_covariances_have_products(iris):
    assert not gauda.QDA().fit(*iris).boundary("setosa", "virginica").is_linear


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_theta_of_two_classes_is_scikit_learns_intercept_and_coefficients(iris, solver):
    X, y = (part[50:] for part in iris)
    peer = peers.LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    theta = gauda.LDA(solver=solver).fit(X, y).boundary("virginica", "versicolor").theta
    expected = [*peer.intercept_, *peer.coef_[0]]
    np.testing.assert_allclose(theta, expected, rtol=1e-9)


def test_the_sigmoid_of_theta_is_scikit_learns_posterior(iris):
    X, y = (part[50:] for part in iris)
    expected = peers.LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)[:, 1]
    boundary = gauda.LDA().fit(X, y).boundary("virginica", "versicolor")
    got = 1 / (1 + np.exp(-np.column_stack([np.ones(100), X]) @ boundary.theta))
    np.testing.assert_allclose(got, expected, rtol=1e-9)
    np.testing.assert_allclose(boundary.proba(X), expected, rtol=1e-9)


def test_the_sigmoid_is_the_posterior_among_two_of_three(iris):
    X, y = iris
    posterior = peers.QuadraticDiscriminantAnalysis().fit(X, y).predict_proba(X[50:])
    expected = posterior[:, 1] / (posterior[:, 1] + posterior[:, 2])
    got = gauda.QDA().fit(X, y).boundary("versicolor", "virginica").proba(X[50:])
    np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_there_is_no_theta_of_a_quadratic_boundary(iris):
    boundary = gauda.QDA().fit(*iris).boundary("setosa", "virginica")
    with pytest.raises(AttributeError, match="setosa and virginica is not linear"):
        _ = boundary.theta


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_linear_discriminants_are_scikit_learns(iris, solver):
    peer = peers.LinearDiscriminantAnalysis(solver=solver).fit(*iris)
    got = gauda.LDA(solver=solver).fit(*iris).discriminant_functions()
    np.testing.assert_array_equal(got.classes, peer.classes_)
    np.testing.assert_array_equal(got.A, np.zeros((3, 4, 4)))
    np.testing.assert_allclose(got.b, peer.coef_, rtol=1e-9)
    np.testing.assert_allclose(got.c, peer.intercept_, rtol=1e-9)


def test_quadratic_discriminants_are_scikit_learns(iris):
    peer = peers.QuadraticDiscriminantAnalysis().fit(*iris)
    got = polynomial(gauda.QDA().fit(*iris).discriminant_functions(), iris[0])
    np.testing.assert_allclose(got, peer.decision_function(iris[0]), rtol=1e-9)


def test_discriminants_of_naive_bayes_differ_as_exact_log_posteriors_do(exact):
    X, estimator, oracle = exact("gnb_ml")
    got = polynomial(estimator.discriminant_functions(), X)
    expected = oracle.log_posterior[:, 1:] - oracle.log_posterior[:, :1]
    np.testing.assert_allclose(got[:, 1:] - got[:, :1], expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", ["LDA", "QDA", "GaussianNB"])
def test_columns_far_from_zero_lose_no_digits_in_a_call(iris, name):
    X, y = np.round(64 * iris[0]) / 64, iris[1]
    near = ours(name).fit(X, y).boundary("setosa", "virginica")(X)
    far = ours(name).fit(X + 2**27, y).boundary("setosa", "virginica")(X + 2**27)
    np.testing.assert_allclose(far, near, rtol=1e-9)


def test_a_boundary_outlives_another_fit(iris):
    X, y = iris
    qda = gauda.QDA().fit(X, y)
    boundary = qda.boundary("setosa", "virginica")
    before = boundary(X)
    qda.fit(X[:, :2] + 1, y)
    np.testing.assert_array_equal(boundary(X), before)


def test_a_class_of_prior_0_is_infinitely_far_behind(iris):
    X, y = iris
    boundary = gauda.QDA(priors=[0, 0.5, 0.5]).fit(X, y).boundary("virginica", "setosa")
    assert boundary.c == np.inf
    np.testing.assert_array_equal(boundary(X), np.full(150, np.inf))


def test_formulas_are_written_out():
    # Between N(0, 1) and N(2, 1) the difference is 2 x - 2, by hand.
    model = gauda.LDA.from_parameters([[0.0], [2.0]], [[1.0]], classes=["a", "b"])
    assert str(model.boundary("b", "a")) == (
        "f(x) = log p(b | x) - log p(a | x) = -2 + 2 * x0\np(b | x) = 1 / (1 + exp(-f(x)))"
    )


def test_formulas_use_the_names_of_columns():
    # Means are equal, variances 1 and 4 in the first column, equal in the second; by hand.
    rows = [[-1, 0], [1, 2], [-2, 0], [2, 2]]
    X = pd.DataFrame(rows, columns=["tall", "wide"], dtype=float)
    model = gauda.GaussianNB(var_smoothing=0).fit(X, [0, 0, 1, 1])
    expected = f"{-np.log(2):.6g} + 0.375 * tall^2"
    assert str(model.boundary(1, 0)).splitlines()[0].endswith(f"= {expected}")


def test_formulas_of_many_columns_stay_short():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 30)), np.arange(200) % 2
    text = str(gauda.QDA().fit(X, y).boundary(0, 1))
    assert "495 coefficients of 30 columns" in text  # 30 * 31 / 2 products and 30 columns
    assert len(text) < 200


@pytest.mark.parametrize("unit", ["D", "ns"])
def test_classes_may_be_dates(iris, unit):
    X, y = iris
    dates = (np.datetime64("2020-01-01") + (y == "setosa")).astype(f"M8[{unit}]")
    lda = gauda.LDA().fit(X, dates)
    boundary = lda.boundary(*lda.classes_[::-1])
    np.testing.assert_array_equal(boundary(X) > 0, y == "setosa")


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (("setosa", "rose"), r"must be one of \['setosa', .*; got 'rose'"),
        ((0, "setosa"), "must be one of .*; got 0"),
        ((np.array(["setosa", "virginica"]), "setosa"), "must be one of .*; got array"),
        (("setosa", "setosa"), "two different classes; got .setosa. twice"),
    ],
)
def test_labels_that_make_no_boundary_are_refused(iris, labels, words):
    model = gauda.LDA().fit(*iris)
    with pytest.raises(ValueError, match=words):
        model.boundary(*labels)


def test_two_classes_of_prior_0_have_no_boundary(iris):
    model = gauda.QDA(priors=[0, 0, 1]).fit(*iris)
    with pytest.raises(ValueError, match="setosa and versicolor both have prior 0"):
        model.boundary("setosa", "versicolor")


def test_rows_of_other_columns_are_refused(iris):
    boundary = gauda.LDA().fit(*iris).boundary("setosa", "virginica")
    with pytest.raises(ValueError, match="expecting 4 features"):
        boundary(iris[0][:, :2])
