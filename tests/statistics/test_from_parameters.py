"""Models of given means and covariances, against densities of scipy."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.covariance import OAS

import gauda

RNG = np.random.default_rng(8)
ROWS = 2 * RNG.normal(size=(50, 3))
MEANS = RNG.normal(size=(4, 3))
FACTORS = RNG.normal(size=(4, 3, 3))
MATRICES = FACTORS @ FACTORS.transpose(0, 2, 1) + np.eye(3)
VARIANCES = RNG.uniform(0.5, 2, size=(4, 3))
PRIORS = np.array([0.4, 0.1, 0.3, 0.2])
LABELS = ["oak", "elm", "fir", "ash"]
# Estimator, covariances as it takes them, and the matrix of each class.
MODELS = {
    "LDA": (gauda.LDA, MATRICES[0], np.repeat(MATRICES[:1], 4, axis=0), {}),
    "LDA, lsqr": (gauda.LDA, MATRICES[0], np.repeat(MATRICES[:1], 4, axis=0), {"solver": "lsqr"}),
    "LDA, eigen": (gauda.LDA, MATRICES[0], np.repeat(MATRICES[:1], 4, axis=0), {"solver": "eigen"}),
    "QDA": (gauda.QDA, MATRICES, MATRICES, {}),
    "QDA, eigen": (gauda.QDA, MATRICES, MATRICES, {"solver": "eigen"}),
    "RDA": (gauda.RDA, MATRICES, MATRICES, {"target": "identity", "pooling": "scatter"}),
    "NB": (gauda.GaussianNB, VARIANCES, VARIANCES[:, :, np.newaxis] * np.eye(3), {}),
}


@pytest.fixture(params=MODELS)
def given(request):
    return MODELS[request.param]


def joint(matrices, priors):
    """Return the logarithm of prior times density for each row and class."""
    densities = [
        multivariate_normal(m, s).logpdf(ROWS) for m, s in zip(MEANS, matrices, strict=True)
    ]
    return np.log(priors) + np.stack(densities, axis=1)


def make(given, **parameters):
    estimator, covariances, _, others = given
    return estimator.from_parameters(MEANS, covariances, **others | parameters)


def test_densities_are_scipys(given):
    model = make(given, priors=PRIORS)
    expected = joint(given[2], PRIORS)
    np.testing.assert_allclose(model.predict_joint_log_proba(ROWS), expected, rtol=1e-11)
    np.testing.assert_allclose(model.score_samples(ROWS), logsumexp(expected, axis=1), rtol=1e-11)


def test_posteriors_are_those_of_scipys_densities(given):
    expected = joint(given[2], PRIORS)
    expected -= logsumexp(expected, axis=1, keepdims=True)
    got = make(given, priors=PRIORS).predict_log_proba(ROWS)
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-11)


def test_priors_are_equal_by_default(given):
    got = make(given).predict_joint_log_proba(ROWS)
    np.testing.assert_allclose(got, joint(given[2], np.full(4, 0.25)), rtol=1e-11)


def test_labels_are_sorted_and_all_else_with_them(given):
    model = make(given, priors=PRIORS, classes=LABELS)
    np.testing.assert_array_equal(model.classes_, sorted(LABELS))
    expected = joint(given[2], PRIORS)[:, np.argsort(LABELS)]
    np.testing.assert_allclose(model.predict_joint_log_proba(ROWS), expected, rtol=1e-11)


def test_labels_are_numbered_by_default(given):
    np.testing.assert_array_equal(make(given).classes_, [0, 1, 2, 3])


@pytest.mark.parametrize("classes", [[3, 1, 2, 0], [0.5, 1.5, 2.5, 3.5], np.array(LABELS, object)])
def test_labels_may_be_numbers_or_text(given, classes):
    got = make(given, classes=classes).classes_
    np.testing.assert_array_equal(got, np.sort(classes))


def test_means_are_those_given(given):
    model = make(given, classes=LABELS)
    means = model.theta_ if isinstance(model, gauda.GaussianNB) else model.means_
    np.testing.assert_array_equal(means, MEANS[np.argsort(LABELS)])


@pytest.mark.parametrize("priors", [None, PRIORS])
@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e9])
def test_covariances_are_those_given(given, priors, scale):
    estimator, covariances, _, others = given
    if estimator is not gauda.GaussianNB:
        others = others | {"store_covariance": True}
    model = estimator.from_parameters(
        scale * MEANS, scale**2 * covariances, priors, LABELS, **others
    )
    expected = scale**2 * covariances
    if estimator is not gauda.LDA:
        expected = expected[np.argsort(LABELS)]
    got = model.var_ if estimator is gauda.GaussianNB else model.covariance_
    np.testing.assert_allclose(got, expected, rtol=4e-16)


def test_a_saved_model_answers_the_same(given, tmp_path):
    model = make(given, priors=PRIORS, classes=LABELS)
    model.save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    np.testing.assert_array_equal(loaded.predict_proba(ROWS), model.predict_proba(ROWS))
    np.testing.assert_array_equal(loaded.predict(ROWS), model.predict(ROWS))


def test_one_column_is_enough():
    model = gauda.QDA.from_parameters([[0.0], [4.0]], [[[1.0]], [[1.0]]])
    np.testing.assert_allclose(model.predict_proba([[2.0]]), [[0.5, 0.5]], rtol=1e-15)


def test_far_means_lose_no_digits():
    grid, rows = np.round(64 * MEANS) / 64, np.round(64 * ROWS) / 64
    near = gauda.QDA.from_parameters(grid, MATRICES)
    far = gauda.QDA.from_parameters(grid + 2**27, MATRICES)
    expected = near.predict_log_proba(rows)
    np.testing.assert_allclose(far.predict_log_proba(rows + 2**27), expected, rtol=1e-9, atol=1e-11)


# What was given weighs one row for each class


def with_rows(mean, matrix, rows):
    """Return mean and covariance of rows and of what weighs one row more."""
    count = 1 + len(rows)
    middle = (mean + rows.sum(axis=0)) / count
    about = rows - middle
    scatter = matrix + np.outer(mean - middle, mean - middle) + about.T @ about
    return middle, scatter, count


def test_rows_join_what_was_given_as_one_row_does():
    y = np.arange(50) % 4
    model = gauda.QDA.from_parameters(MEANS, MATRICES, store_covariance=True).partial_fit(ROWS, y)
    for k in range(4):
        mean, scatter, count = with_rows(MEANS[k], MATRICES[k], ROWS[y == k])
        np.testing.assert_allclose(model.means_[k], mean, rtol=1e-12)
        np.testing.assert_allclose(model.covariance_[k], scatter / count, rtol=1e-12)


def test_rows_join_a_common_covariance_as_a_row_of_each_class_does():
    y = np.arange(50) % 4
    model = gauda.LDA.from_parameters(MEANS, MATRICES[0], store_covariance=True)
    model.partial_fit(ROWS, y)
    parts = [with_rows(MEANS[k], MATRICES[0], ROWS[y == k]) for k in range(4)]
    expected = sum(scatter / count for _, scatter, count in parts) / 4  # by the equal priors
    np.testing.assert_allclose(model.covariance_, expected, rtol=1e-12)


def test_a_single_row_moves_one_class_of_naive_bayes():
    model = gauda.GaussianNB.from_parameters(MEANS, VARIANCES).partial_fit([[1.0, 2.0, 3.0]], [2])
    mean, scatter, _ = with_rows(MEANS[2], np.diag(VARIANCES[2]), np.array([[1.0, 2.0, 3.0]]))
    np.testing.assert_allclose(model.theta_[2], mean, rtol=1e-14)
    np.testing.assert_allclose(model.var_[2], np.diag(scatter) / 2, rtol=1e-14)
    np.testing.assert_array_equal(model.theta_[[0, 1, 3]], MEANS[[0, 1, 3]])
    np.testing.assert_array_equal(model.var_[[0, 1, 3]], VARIANCES[[0, 1, 3]])


# What is refused


SQUARE, TWO = np.eye(2), [[0.0, 0.0], [2.0, 0.0]]
OFF = [[1.0, 2.0], [2.0, 1.0]]


@pytest.mark.parametrize(
    ("estimator", "arguments", "words"),
    [
        (gauda.LDA, ([0.0, 2.0], SQUARE), r"shape \(n_classes, n_features\); got \(2,\)"),
        (gauda.LDA, ([[[0.0, 2.0]]], SQUARE), r"got \(1, 1, 2\)"),
        (gauda.LDA, ([], SQUARE), r"got \(0,\)"),
        (gauda.LDA, (np.empty((0, 2)), SQUARE), r"got \(0, 2\)"),
        (gauda.LDA, (TWO, [SQUARE, SQUARE]), r"shape \(2, 2\); got \(2, 2, 2\)"),
        (gauda.QDA, (TWO, SQUARE), r"shape \(2, 2, 2\); got \(2, 2\)"),
        (gauda.GaussianNB, (TWO, [1.0, 1.0]), r"shape \(2, 2\); got \(2,\)"),
        (gauda.LDA, ([[0.0, np.nan], [2.0, 0.0]], SQUARE), "must be finite"),
        (gauda.LDA, (TWO, np.inf * np.ones((2, 2))), "must be finite"),
        (gauda.LDA, (TWO, [[1.0, 0.5], [0.4, 1.0]]), "common covariance is not symmetric"),
        (gauda.LDA, (TWO, OFF), "common covariance is not positive definite"),
        (gauda.QDA, (TWO, [OFF, SQUARE], None, ["b", "a"]), "of class b is not positive definite"),
        (gauda.QDA, (TWO, [SQUARE, OFF], None, ["b", "a"]), "of class a is not positive definite"),
        (gauda.GaussianNB, (TWO, [[1.0, 0.0], [1.0, 1.0]]), "Variances must be positive"),
        (gauda.LDA, (TWO, SQUARE, [0.5, 0.3, 0.2]), r"as means \(2\).*priors \[0.5 0.3 0.2\]"),
        (gauda.LDA, (TWO, SQUARE, [-0.5, 1.5]), "non-negative"),
        (gauda.QDA, (TWO, [SQUARE, SQUARE], [-0.5, 1.5], ["b", "a"]), "prior of class b is -0.5"),
        (gauda.GaussianNB, (TWO, [[1, 1], [1, 1]], [0.5, 0.6]), "sum of the priors should be 1"),
        (gauda.LDA, (TWO, SQUARE, None, ["a", "a"]), r"distinct classes.*\['a' 'a'\]"),
        (gauda.LDA, (TWO, SQUARE, None, ["a"]), "distinct classes"),
        (gauda.LDA, (TWO, SQUARE, None, [1, "a"]), "all numbers or all text"),
        (gauda.LDA, (TWO, SQUARE, None, [["a"], ["b"]]), "all numbers or all text"),
        (gauda.QDA, (TWO[:1], [SQUARE]), "number of classes has to be greater than one"),
    ],
)
def test_parameters_that_make_no_model_are_refused(estimator, arguments, words):
    with pytest.raises(ValueError, match=words):
        estimator.from_parameters(*arguments)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"unbiased": True}, "Set unbiased=False"),
        ({"conjugate_prior": "empirical"}, "Set conjugate_prior=None"),
        ({"solver": "lsqr", "shrinkage": "auto"}, "Set shrinkage=None"),
        (
            {"solver": "lsqr", "covariance_estimator": OAS()},
            "does not have all rows.*covariance_estimator",
        ),
        ({"solver": "magic"}, "'solver' parameter"),
    ],
)
def test_parameters_that_need_rows_are_refused(parameters, words):
    with pytest.raises(ValueError, match=words):
        gauda.LDA.from_parameters(TWO, SQUARE, **parameters)


CHANGES = [
    (gauda.LDA, {"solver": "lsqr", "shrinkage": 0.3}),
    (gauda.LDA, {"solver": "eigen", "shrinkage": 1}),
    (gauda.LDA, {"unbiased": True}),
    (gauda.LDA, {"conjugate_prior": "empirical"}),
    (gauda.QDA, {"reg_param": 1e-9}),
    (gauda.QDA, {"solver": "eigen", "shrinkage": np.float32(0.5)}),
    (gauda.QDA, {"unbiased": True}),
    (gauda.RDA, {"alpha": 0.5}),
    (gauda.RDA, {"alpha": 1}),
    (gauda.RDA, {"gamma": 0.1}),
    (gauda.RDA, {"gamma": 1.0, "target": "diagonal"}),
    (gauda.RDA, {"covariance": "tied"}),
    (gauda.RDA, {"covariance": "diag"}),
    (gauda.RDA, {"shrinkage": "oas"}),
    (gauda.RDA, {"unbiased": True}),
    (gauda.GaussianNB, {"var_smoothing": 1e-9}),
    (gauda.GaussianNB, {"var_smoothing": 0.5}),
    (gauda.GaussianNB, {"unbiased": True}),
]


@pytest.mark.parametrize(("estimator", "parameters"), CHANGES)
def test_parameters_that_change_covariances_are_refused(estimator, parameters):
    shapes = {gauda.LDA: SQUARE, gauda.GaussianNB: np.ones((2, 2))}
    covariances = shapes.get(estimator, [SQUARE, SQUARE])
    *_, name = [name for name in parameters if name not in {"solver", "target"}]
    with pytest.raises(ValueError, match=f"used as they are, but {name}=.*Set {name}="):
        estimator.from_parameters(TWO, covariances, **parameters)


@pytest.mark.parametrize(
    ("estimator", "parameters"),
    [
        (gauda.LDA, {"solver": "lsqr", "shrinkage": 0}),
        (gauda.QDA, {"reg_param": 0.0}),
        (gauda.RDA, {"alpha": 0, "gamma": 0.0}),
        (gauda.RDA, {"covariance": "full"}),
        (gauda.GaussianNB, {"var_smoothing": 0}),
    ],
)
def test_parameters_that_change_nothing_are_taken(estimator, parameters):
    shapes = {gauda.LDA: SQUARE, gauda.GaussianNB: np.ones((2, 2))}
    covariances = shapes.get(estimator, [SQUARE, SQUARE])
    model = estimator.from_parameters(TWO, covariances, **parameters)
    np.testing.assert_array_equal(model.mahalanobis([[0.0, 0.0]]), [[0.0, 4.0]])


def test_a_single_row_joins_given_quadratic_parameters():
    model = gauda.QDA.from_parameters([[0.0, 0.0], [2.0, 0.0]], [np.eye(2)] * 2).partial_fit(
        [[1.0, 1.0]], [1]
    )
    np.testing.assert_allclose(model.means_[1], [1.5, 0.5])
    assert model.predict([[1.0, 1.0]]) == [1]


def test_a_row_of_each_class_joins_given_linear_parameters():
    model = gauda.LDA.from_parameters([[0.0, 0.0], [2.0, 0.0]], np.eye(2)).partial_fit(
        [[0.0, 1.0], [1.0, 1.0]], [0, 1]
    )
    assert model.predict([[3.0, 0.0]]) == [1]


def test_few_rows_do_not_switch_regularization_of_given_parameters_off():
    model = gauda.QDA.from_parameters(np.zeros((2, 5)), [4 * np.eye(5)] * 2, store_covariance=True)
    model.set_params(reg_param=1.0).partial_fit(np.ones((4, 5)), [0, 0, 1, 1])
    np.testing.assert_allclose(model.covariance_[0], np.eye(5))


@pytest.mark.parametrize("priors", [dict(zip(LABELS, PRIORS, strict=True)), "uniform"])
def test_priors_by_name_belong_to_their_classes(priors):
    model = gauda.QDA.from_parameters(MEANS, MATRICES, priors=priors, classes=LABELS)
    expected = PRIORS if isinstance(priors, dict) else np.full(4, 0.25)
    assert dict(zip(model.classes_, model.priors_, strict=True)) == dict(
        zip(LABELS, expected, strict=True)
    )


def test_a_prior_of_an_unknown_class_is_refused():
    with pytest.raises(ValueError, match="priors must have the classes as keys; got 'yew'"):
        gauda.QDA.from_parameters(MEANS, MATRICES, priors={"yew": 1.0}, classes=LABELS)
