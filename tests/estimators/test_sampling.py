"""Rows drawn from models: Gaussian to the eye of statistical tests, and the same for a seed."""

import numpy as np
import pytest
from numpy.linalg import LinAlgError
from scipy import stats
from support import MODELS, ours

import gauda

N = 100_000
LEAST_P = 1e-4
"""Seeds are fixed: a test that passes once passes always."""

SIGMAS = 4.5
"""Sampling errors that an average may be off."""

LABELS = np.array(["ant", "bee", "cat"])
PRIORS = np.array([0.5, 0.2, 0.3])
MEANS = np.array([[0.0, 5.0, -1.0, 100.0], [3.0, 5.0, 1.0, 101.0], [-2.0, 8.0, 0.0, 99.0]])
MIXING = np.array([[1.0, 0, 0, 0], [0.9, 0.5, 0, 0], [-3, 2, 1.5, 0], [0.01, 0.02, 0, 0.01]])


def covariances(name):
    """Return known covariances of the shape that a model takes, and the matrix of each class."""
    if name == "GaussianNB":
        variances = np.array([[1.0, 4, 9, 0.01], [2.0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4]])
        return variances, [np.diag(row) for row in variances]
    common = MIXING @ MIXING.T
    if name == "LinearDiscriminantAnalysis":
        return common, [common] * 3
    each = np.array([common, np.diag([1.0, 2, 3, 4]), 0.25 * common + np.eye(4)])
    return each, list(each)


def known(name, **params):
    """Return a model whose parameters are known, and the covariance of each class."""
    given, each = covariances(name)
    model = getattr(gauda, name).from_parameters(MEANS, given, PRIORS, LABELS, **params)
    return model, each


@pytest.fixture(params=[*MODELS, "RegularizedDiscriminantAnalysis"])
def name(request):
    """Give the name of each model in turn."""
    return request.param


@pytest.fixture
def draws(name):
    """Give rows, labels, and the covariance of each class."""
    model, each = known(name)
    return *model.sample(N, random_state=1), each


def whitened(X, y, each):
    """Return the rows of each class, with its mean and covariance taken away."""
    parts = zip(LABELS, MEANS, each, strict=True)
    roots = [(X[y == label] - mean, np.linalg.cholesky(s)) for label, mean, s in parts]
    return [np.linalg.solve(root, rows.T).T for rows, root in roots]


def test_classes_come_with_their_priors(draws):
    _, y, _ = draws
    counts = [np.sum(y == label) for label in LABELS]
    assert stats.chisquare(counts, N * PRIORS).pvalue > LEAST_P


def test_whitened_columns_are_standard_normal(draws):
    for white in whitened(*draws):
        assert min(stats.kstest(column, "norm").pvalue for column in white.T) > LEAST_P


def test_whitened_columns_are_independent(draws):
    for white in whitened(*draws):
        # distances feel every pair of columns, and more than pairs
        assert stats.kstest(np.sum(white**2, axis=1), "chi2", args=(4,)).pvalue > LEAST_P
        correlations = (white.T @ white / len(white))[np.tril_indices(4, -1)]
        assert np.all(np.abs(correlations) < SIGMAS / np.sqrt(len(white)))


def test_rows_are_independent_of_their_neighbors(draws):
    X, y, each = draws
    whites = np.empty_like(X)
    for label, white in zip(LABELS, whitened(X, y, each), strict=True):
        whites[y == label] = white
    for lag in (1, 2, 7, 8, 64, 4096):
        product = np.mean(whites[lag:] * whites[:-lag], axis=0)
        assert np.all(np.abs(product) < SIGMAS / np.sqrt(N - lag))


def test_means_and_covariances_are_within_their_sampling_error(draws):
    X, y, each = draws
    for label, mean, covariance in zip(LABELS, MEANS, each, strict=True):
        rows = X[y == label]
        variances = np.diag(covariance)
        assert np.all(np.abs(rows.mean(axis=0) - mean) < SIGMAS * np.sqrt(variances / len(rows)))
        error = np.sqrt((np.outer(variances, variances) + covariance**2) / len(rows))
        assert np.all(np.abs(np.cov(rows.T) - covariance) < SIGMAS * error)


def test_a_model_of_the_samples_is_the_model_again(name):
    model, _ = known(name)
    X, y = model.sample(N, random_state=2)
    again = ours(name).fit(X, y)
    points, _ = model.sample(N, random_state=3)
    divergence = np.mean(model.score_samples(points) - again.score_samples(points))
    n_parameters = 2 + MEANS.size + 3 * 10  # at most; by Wilks's theorem each costs 1 / (2 n)
    assert abs(divergence) < 4 * n_parameters / (2 * N)


def test_typicalities_of_samples_are_uniform(name):
    model, _ = known(name)
    X, y = model.sample(50_000, random_state=4)
    own = model.typicality(X)[np.arange(len(y)), np.searchsorted(LABELS, y)]
    assert stats.kstest(own, "uniform").pvalue > LEAST_P


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_every_solver_of_lda_draws_with_its_covariance(iris, solver):
    lda = gauda.LDA(solver=solver, store_covariance=True).fit(*iris)
    X, _ = lda.sample(y=["setosa"] * N, random_state=0)
    variances = np.diag(lda.covariance_)
    error = np.sqrt((np.outer(variances, variances) + lda.covariance_**2) / N)
    assert np.all(np.abs(np.cov(X.T) - lda.covariance_) < SIGMAS * error)


def test_the_number_of_threads_changes_no_bit(name):
    draws = [known(name, n_threads=n)[0].sample(30_000, random_state=5) for n in (1, 2, 5)]
    for X, y in draws[1:]:
        assert X.tobytes() == draws[0][0].tobytes()
        assert np.array_equal(y, draws[0][1])


@pytest.mark.parametrize("make", [lambda: 7, lambda: np.random.RandomState(7)])
def test_a_seed_gives_the_same_rows_each_time(name, make):
    model, _ = known(name)
    (X, y), (again, y_again) = (model.sample(100, random_state=make()) for _ in range(2))
    assert np.array_equal(X, again)
    assert np.array_equal(y, y_again)


def test_a_generator_goes_on_from_call_to_call(name):
    model, _ = known(name)
    first, second = (np.random.default_rng(7) for _ in range(2))
    X, _ = model.sample(100, first)
    assert np.array_equal(X, model.sample(100, second)[0])
    assert not np.isin(X, model.sample(100, first)[0]).any()


def test_without_a_seed_numpys_global_state_decides(name):
    model, _ = known(name)
    before = np.random.get_state()  # noqa: NPY002 (scikit-learn's convention)
    X, _ = model.sample(10)
    other, _ = model.sample(10)
    np.random.set_state(before)  # noqa: NPY002
    assert np.array_equal(X, model.sample(10)[0])
    assert not np.isin(X, other).any()


def test_given_labels_get_a_row_each(name):
    model, each = known(name)
    y = np.array(["cat", "ant"])[np.arange(N) % 2]
    X, labels = model.sample(y=y, random_state=6)
    assert np.array_equal(labels, y)
    ant, _, cat = whitened(X, y, each)
    columns = np.vstack([ant.T, cat.T])
    assert min(stats.kstest(column, "norm").pvalue for column in columns) > LEAST_P


def test_labels_that_were_drawn_give_their_rows_again(name):
    model, _ = known(name)
    X, y = model.sample(10_000, random_state=8)
    assert np.array_equal(model.sample(y=y, random_state=8)[0], X)


def test_one_row_is_drawn_by_default(name):
    X, y = known(name)[0].sample()
    assert X.shape == (1, 4)
    assert y.shape == (1,)


def test_priors_need_not_sum_to_one(iris):
    with pytest.warns(UserWarning, match="do not sum to 1. Renormalizing"):
        qda = gauda.QDA(priors=[2.0, 1.0, 1.0]).fit(*iris)
    _, y = qda.sample(100_000, random_state=0)
    _, counts = np.unique(y, return_counts=True)
    assert stats.chisquare(counts, [50_000, 25_000, 25_000]).pvalue > LEAST_P


def test_rows_are_of_float64_whatever_was_fitted(iris):
    X, y = iris
    assert gauda.QDA().fit(X.astype(np.float32), y).sample(3)[0].dtype == np.float64


def test_spreads_far_from_zero_are_drawn():
    qda = gauda.QDA.from_parameters([[1e8], [-1e8]], [[[1.0]], [[4.0]]])
    X, y = qda.sample(50_000, random_state=0)
    assert stats.kstest(X[y == 0, 0] - 1e8, "norm").pvalue > LEAST_P


def test_many_classes_are_drawn_each_with_its_own_covariance():
    k = 300
    deviations = 1.0 + np.arange(k)
    qda = gauda.QDA.from_parameters(np.zeros((k, 1)), (deviations**2)[:, None, None])
    X, y = qda.sample(60_000, random_state=0)
    assert stats.kstest(X[:, 0] / deviations[y], "norm").pvalue > LEAST_P


def test_a_singular_pooled_covariance_has_no_rows_to_draw(iris):
    X, y = iris
    lda = gauda.LDA().fit(np.column_stack([X, X[:, 0]]), y)
    with pytest.raises(LinAlgError, match="rank 4 in 5 columns, so rows have no density"):
        lda.sample(3)


@pytest.mark.parametrize("n_samples", [0, -1, 2.5, True, "3", None])
def test_a_count_that_is_none_is_refused(name, n_samples):
    with pytest.raises(ValueError, match="n_samples must be an integer of at least 1"):
        known(name)[0].sample(n_samples)


def test_labels_never_seen_are_named(name):
    with pytest.raises(ValueError, match=r"knows nothing: \['dog'\]. It knows \['ant', 'bee'"):
        known(name)[0].sample(y=["ant", "dog"])


def test_classes_without_rows_are_named():
    X, y = [[1.0], [3.0], [5.0], [8.0]], [0, 0, 1, 1]
    nb = gauda.GaussianNB().partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match=r"knows nothing: \[2\]. It knows \[0, 1\]"):
        nb.sample(y=[0, 2])


def test_a_refusal_leaves_the_random_state_as_it_was(name):
    model, _ = known(name)
    state, untouched = (np.random.default_rng(0) for _ in range(2))
    for bad in ({"n_samples": 0}, {"y": ["dog"]}, {"y": []}):
        with pytest.raises(ValueError, match=r"n_samples|y holds"):
            model.sample(random_state=state, **bad)
    assert state.bit_generator.state == untouched.bit_generator.state


def test_a_count_beside_labels_is_refused(name):
    with pytest.raises(ValueError, match="Both y and n_samples=3"):
        known(name)[0].sample(3, y=["ant"])


def test_no_labels_are_refused(name):
    with pytest.raises(ValueError, match="y holds no labels"):
        known(name)[0].sample(y=[])


def test_what_is_no_random_state_is_refused(name):
    with pytest.raises(ValueError, match="cannot be used to seed"):
        known(name)[0].sample(random_state="seed")
