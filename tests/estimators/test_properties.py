"""What holds by algebra for any data: symmetries of a model and relations between its answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models import GAUSSIAN
from scipy.special import logsumexp
from support import MODELS, answers, fitted, ours

LDA, QDA, NB = MODELS
PROFILE = settings(max_examples=60)
CONFIGURATIONS = [
    (LDA, {}),
    (LDA, {"solver": "lsqr"}),
    (LDA, {"solver": "eigen"}),
    (QDA, {}),
    # The smoothing of naive Bayes depends on the units of all columns together.
    (NB, {"var_smoothing": 0.0}),
]


class Problem:
    """A model and data on a grid of 1/64: shifts and scalings by powers of two are exact."""

    def __init__(self, configuration, seed, shape, *, unbiased):
        self.name, self.parameters = configuration
        self.parameters = self.parameters | {"unbiased": unbiased}
        self.rng = np.random.default_rng(seed)
        self.d, self.k, extra = shape
        self.n = self.k * (self.d + 5) + extra
        self.y = self.rng.permutation(np.arange(self.n) % self.k)
        centers = self.rng.integers(-64, 64, (self.k, self.d))
        mixing = np.eye(self.d) + self.rng.integers(0, 2, (self.d, self.d)) * np.tri(self.d, k=-1)
        noise = self.rng.integers(-128, 128, (self.n, self.d)) @ mixing
        self.X = (centers[self.y] + noise) / 64

    def __repr__(self):
        return f"{self.name}({self.parameters}) on {self.n} x {self.d}, {self.k} classes"

    def model(self):
        return ours(self.name, **self.parameters)

    def fit(self, X=None, y=None, weights=None):
        X = self.X if X is None else X
        return self.model().fit(X, self.y if y is None else y, sample_weight=weights)


problems = st.builds(
    Problem,
    st.sampled_from(CONFIGURATIONS),
    st.integers(0, 2**32),
    st.tuples(st.integers(1, 6), st.integers(2, 5), st.integers(0, 40)),
    unbiased=st.booleans(),
)


def assert_same(got, expected, atol=1e-9):
    """Compare to rounding."""
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=atol)


# Symmetries


@PROFILE
@given(problems)
def test_order_of_the_training_rows_does_not_matter(problem):
    order = problem.rng.permutation(problem.n)
    shuffled = problem.fit(problem.X[order], problem.y[order])
    expected = problem.fit().predict_joint_log_proba(problem.X)
    assert_same(shuffled.predict_joint_log_proba(problem.X), expected)


@PROFILE
@given(problems)
def test_rows_are_scored_one_by_one(problem):
    model = problem.fit()
    order = problem.rng.permutation(problem.n)
    expected = model.predict_joint_log_proba(problem.X)
    assert_same(model.predict_joint_log_proba(problem.X[order]), expected[order])
    assert_same(model.predict_joint_log_proba(problem.X[order[:1]]), expected[order[:1]])


@PROFILE
@given(problems)
def test_order_of_the_columns_does_not_matter(problem):
    order = problem.rng.permutation(problem.d)
    shuffled = problem.fit(problem.X[:, order]).predict_joint_log_proba(problem.X[:, order])
    assert_same(shuffled, problem.fit().predict_joint_log_proba(problem.X))


@PROFILE
@given(problems)
def test_renamed_classes_move_their_columns(problem):
    names = problem.rng.permutation(problem.k)
    renamed = problem.fit(y=names[problem.y]).predict_joint_log_proba(problem.X)
    assert_same(renamed[:, names], problem.fit().predict_joint_log_proba(problem.X))


@PROFILE
@given(problems)
def test_whole_weights_are_repeated_rows(problem):
    weights = problem.rng.integers(1, 5, problem.n)
    repeated = problem.fit(problem.X.repeat(weights, axis=0), problem.y.repeat(weights))
    weighted = problem.fit(weights=weights).predict_joint_log_proba(problem.X)
    assert_same(weighted, repeated.predict_joint_log_proba(problem.X))


@PROFILE
@given(problems, st.integers(-20, 20))
def test_weights_have_no_unit_for_maximum_likelihood(problem, exponent):
    problem.parameters["unbiased"] = False
    weights = problem.rng.exponential(size=problem.n) + 0.1
    scaled = problem.fit(weights=weights * 2.0**exponent).predict_joint_log_proba(problem.X)
    assert_same(scaled, problem.fit(weights=weights).predict_joint_log_proba(problem.X))


@PROFILE
@given(problems, st.integers(-400, 400))
def test_units_of_the_columns_do_not_matter(problem, exponent):
    units = 2.0 ** (exponent + problem.rng.integers(-12, 13, problem.d))
    rescaled = problem.fit(problem.X * units)
    assert_same(
        rescaled.predict_log_proba(problem.X * units), problem.fit().predict_log_proba(problem.X)
    )
    # The density of u x is the density of x over the product of the units.
    expected = problem.fit().score_samples(problem.X) - np.log(units).sum()
    assert_same(rescaled.score_samples(problem.X * units), expected)


@PROFILE
@given(problems, st.integers(0, 26))
def test_origin_of_the_columns_does_not_matter(problem, exponent):
    origin = 2.0**exponent * problem.rng.integers(-8, 9, problem.d)
    shifted = problem.fit(problem.X + origin).predict_joint_log_proba(problem.X + origin)
    # A mean that far from 0 is a double as well: its rounding moves the distances by so much.
    rounding = np.abs(origin).max() * np.finfo(float).eps
    expected = problem.fit().predict_joint_log_proba(problem.X)
    assert_same(shifted, expected, atol=1e-9 + 100 * rounding)


@PROFILE
@given(problems, st.integers(1, 8))
def test_batches_of_naive_bayes_add_up_to_one_fit(problem, parts):
    problem.name, problem.parameters = NB, {"unbiased": problem.parameters["unbiased"]}
    whole = problem.fit()
    cuts = np.sort(problem.rng.integers(1, problem.n, parts))
    model = problem.model()
    for rows in np.split(np.arange(problem.n), cuts):
        if len(rows):
            model.partial_fit(problem.X[rows], problem.y[rows], np.arange(problem.k))
    for attribute in ["theta_", "var_", "class_count_", "class_prior_"]:
        assert_same(fitted(model)[attribute], fitted(whole)[attribute])
    assert model.epsilon_ == pytest.approx(whole.epsilon_, rel=1e-9, abs=0)


# Relations between the answers


@PROFILE
@given(problems)
def test_answers_follow_from_the_joint_log_probabilities(problem):
    model = problem.fit()
    got = answers(model, problem.X)
    joint = got["predict_joint_log_proba"]
    np.testing.assert_array_equal(got["predict"], model.classes_[joint.argmax(axis=1)])
    assert_same(got["score_samples"], logsumexp(joint, axis=1))
    assert_same(got["predict_log_proba"], joint - logsumexp(joint, axis=1, keepdims=True))
    assert_same(got["predict_proba"], np.exp(got["predict_log_proba"]))
    assert_same(got["predict_proba"].sum(axis=1), 1)


@PROFILE
@given(problems)
def test_joint_log_probability_is_a_constant_less_half_the_squared_distance(problem):
    model = problem.fit()
    distance = model.mahalanobis(problem.X)
    constant = model.predict_joint_log_proba(problem.X) + distance / 2
    assert_same(constant, np.broadcast_to(constant[0], constant.shape))
    assert (distance >= 0).all()


@PROFILE
@given(problems)
def test_class_means_are_at_no_distance_from_their_classes(problem):
    model = problem.fit()
    means = getattr(model, "means_", getattr(model, "theta_", None))
    np.testing.assert_allclose(np.diag(model.mahalanobis(means)), 0, atol=1e-18)


@PROFILE
@given(problems.filter(lambda problem: problem.name == LDA))
def test_distances_of_the_training_rows_average_to_the_number_of_columns(problem):
    problem.parameters["unbiased"] = False
    distance = problem.fit().mahalanobis(problem.X)[np.arange(problem.n), problem.y]
    assert_same(distance.mean(), problem.d)


@PROFILE
@given(problems.filter(lambda problem: problem.name != NB))
def test_decision_function_differs_between_classes_as_the_joint_log_probability(problem):
    model = problem.fit()
    joint = model.predict_joint_log_proba(problem.X)
    decision = model.decision_function(problem.X)
    if problem.k == 2:
        assert_same(decision, joint[:, 1] - joint[:, 0])
    else:
        assert_same(decision - decision[:, :1], joint - joint[:, :1])


@PROFILE
@given(problems)
def test_principal_axes_rebuild_the_covariances_whatever_the_units(problem):
    problem.name, problem.parameters = QDA, {"store_covariance": True}
    model = problem.fit(problem.X * 2.0 ** problem.rng.integers(-24, 25, problem.d))
    parts = zip(model.rotations_, model.scalings_, model.covariance_, strict=True)
    for axes, variances, covariance in parts:
        assert_same((axes * variances) @ axes.T, covariance, atol=1e-12 * covariance.max())


@pytest.mark.parametrize("name", GAUSSIAN)
@PROFILE
@given(problem=problems)
def test_single_precision_agrees_with_double(name, problem):
    problem.name, problem.parameters = name, {}
    model = problem.fit()
    expected = model.predict_log_proba(problem.X)
    got = model.predict_log_proba(problem.X.astype("f4"))
    np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-3)
