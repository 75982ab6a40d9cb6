"""Models from batches: whatever the batches, the model is that of all their rows."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models import GAUSSIAN, STEPWISE
from parity import assert_same, blobs
from sklearn.covariance import OAS
from sklearn.exceptions import NotFittedError
from support import MODELS, answers, fitted, ours

import gauda

LDA, QDA, NB = MODELS
PROFILE = settings(max_examples=25)
X, y = blobs([40, 30, 50], 4, seed=7)
PRIORS = [0.2, 0.5, 0.3]
CONFIGURATIONS = [
    (LDA, {}),
    (LDA, {"store_covariance": True}),
    (LDA, {"priors": PRIORS}),
    (LDA, {"priors": PRIORS, "store_covariance": True}),
    (LDA, {"unbiased": True, "n_components": 1}),
    (LDA, {"solver": "lsqr"}),
    (LDA, {"solver": "lsqr", "shrinkage": 0.3}),
    (LDA, {"solver": "lsqr", "priors": PRIORS, "shrinkage": 0.3}),
    (LDA, {"solver": "eigen"}),
    (LDA, {"solver": "eigen", "priors": PRIORS, "shrinkage": 0.1}),
    (LDA, {"conjugate_prior": "empirical"}),
    (QDA, {}),
    (QDA, {"priors": PRIORS, "store_covariance": True}),
    (QDA, {"reg_param": 0.2, "store_covariance": True}),
    (QDA, {"solver": "eigen", "shrinkage": 0.3, "store_covariance": True}),
    (QDA, {"unbiased": True}),
    (QDA, {"conjugate_prior": "empirical"}),
    (NB, {}),
    (NB, {"priors": PRIORS, "var_smoothing": 0.1}),
    (NB, {"unbiased": True}),
    (NB, {"conjugate_prior": "empirical"}),
]
HALVES = [slice(0, 50), slice(50, 120)]
THIRDS = [slice(0, 40), slice(40, 80), slice(80, 120)]
NEEDING_ALL_ROWS = [
    (LDA, {"solver": "eigen", "covariance_estimator": OAS()}),
    (LDA, {"solver": "lsqr", "covariance_estimator": OAS()}),
    (QDA, {"solver": "eigen", "covariance_estimator": OAS()}),
]


@pytest.fixture(
    params=CONFIGURATIONS, ids=lambda c: f"{c[0]}-{'-'.join(map(str, c[1])) or 'plain'}"
)
def configuration(request):
    return request.param


@pytest.fixture(params=[name for name in GAUSSIAN if name in STEPWISE])
def name(request):
    return request.param


def learn(model, batches, rows=X, *, weights=None, classes=None, **options):
    """Give batches to partial_fit; naive Bayes is told the classes, as scikit-learn's must be."""
    told = [0, 1, 2] if isinstance(model, gauda.GaussianNB) else classes
    for batch in batches:
        weight = None if weights is None else weights[batch]
        model.partial_fit(rows[batch], y[batch], told, weight, **options)
    return model


def made_of(name, moments):
    """Make the model of moments."""
    return type(ours(name)).from_moments(moments, **ours(name).get_params())


def assert_equal_models(got, expected, rtol=1e-10):
    """Check that attributes and answers are the same, axes up to their signs."""
    attributes, wanted = fitted(got), fitted(expected)
    assert attributes.keys() == wanted.keys()
    for attribute in wanted.keys() - {"moments_"}:
        assert_same_attribute(attribute, attributes[attribute], wanted[attribute], rtol)
    for method, values in answers(expected, X).items():
        assert_same(getattr(got, method)(X), values, rtol)


def assert_same_attribute(name, got, expected, rtol):
    """Check that an attribute is the same; axes that separate no classes may be any."""
    if name in {"scalings_", "rotations_"} and not isinstance(expected, list):
        got, expected = np.abs(got[:, :2]), np.abs(expected[:, :2])
    elif name == "rotations_":
        got, expected = list(np.abs(got)), list(np.abs(expected))
    assert_same(got, expected, rtol)


# From moments


def test_a_model_from_moments_is_that_of_fit_to_the_bit(configuration):
    name, parameters = configuration
    model = ours(name, **parameters).fit(X, y)
    moments = gauda.Moments.from_data(X, y, structure=model.moments_.structure)
    twin = type(model).from_moments(moments, **parameters)
    np.testing.assert_equal(fitted(twin), fitted(model))
    np.testing.assert_equal(answers(twin, X), answers(model, X))
    assert twin.get_params().keys() == model.get_params().keys()


def test_full_moments_serve_every_model(configuration):
    name, parameters = configuration
    model = ours(name, **parameters).fit(X, y)
    twin = type(model).from_moments(gauda.Moments.from_data(X, y), **parameters)
    assert_equal_models(twin, model, rtol=1e-12)


def test_moments_of_a_model_make_it_anew(configuration):
    name, parameters = configuration
    model = ours(name, **parameters).fit(X, y)
    twin = type(model).from_moments(model.moments_, **parameters)
    np.testing.assert_equal(answers(twin, X), answers(model, X))


def test_a_model_from_moments_knows_its_columns(name):
    table = pd.DataFrame(X, columns=list("abcd"))
    model = made_of(name, gauda.Moments.from_data(table, y))
    np.testing.assert_array_equal(model.feature_names_in_, list("abcd"))
    np.testing.assert_array_equal(model.predict(table), ours(name).fit(X, y).predict(X))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table[list("badc")])


def test_single_precision_of_moments_is_that_of_fit(name):
    moments = gauda.Moments.from_data(X.astype("f4"), y)
    got = fitted(made_of(name, moments))
    expected = fitted(ours(name).fit(X.astype("f4"), y))
    assert {k: getattr(v, "dtype", None) for k, v in got.items()} == {
        k: getattr(v, "dtype", None) for k, v in expected.items()
    }


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: gauda.QDA.from_moments(gauda.Moments.from_data(X, y, structure="tied")),
            "'full'; got 'tied'",
        ),
        (
            lambda: gauda.LDA.from_moments(gauda.Moments.from_data(X, y, structure="diag")),
            "'tied'; got 'diag'",
        ),
        (
            lambda: gauda.LDA.from_moments(
                gauda.Moments.from_data(X, y, structure="tied"), solver="lsqr", priors=PRIORS
            ),
            "with these parameters needs moments of structure 'full'",
        ),
        (
            lambda: gauda.GaussianNB.from_moments(gauda.Moments.from_data(X, y, structure="tied")),
            "'diag'; got 'tied'",
        ),
        (lambda: gauda.QDA.from_moments(gauda.Moments.from_data(X[:0], [])), "hold no rows"),
        (lambda: gauda.GaussianNB.from_moments(gauda.Moments.from_data(X, y) * 0), "hold no rows"),
        (lambda: gauda.QDA.from_moments(gauda.Moments.from_data(X, y), tol=-1), "'tol' parameter"),
        (
            lambda: gauda.QDA.from_moments(gauda.Moments.from_data(X, y, classes=range(4))),
            "Class 3 has no rows",
        ),
    ],
)
def test_moments_that_make_no_model_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_only_moments_are_moments(name):
    with pytest.raises(TypeError, match=r"takes gauda.Moments; got ndarray.*Moments.from_data"):
        made_of(name, X)


# Batches


@PROFILE
@given(st.sampled_from(CONFIGURATIONS), st.lists(st.integers(1, 119), max_size=6, unique=True))
def test_any_batches_give_the_model_of_one_fit(configuration, cuts):
    name, parameters = configuration
    batches = np.split(np.arange(120), sorted(cuts))
    # A batch need not have every class, but priors are for all of them.
    model = learn(ours(name, **parameters), batches, classes=[0, 1, 2])
    assert_equal_models(model, ours(name, **parameters).fit(X, y))


def test_single_rows_give_the_model_of_one_fit(name):
    batches = np.arange(120)[:, np.newaxis]
    assert_equal_models(learn(ours(name), batches), ours(name).fit(X, y))


def test_batches_of_one_class_each_give_the_model_of_one_fit(name):
    batches = [np.flatnonzero(y == k) for k in (2, 0, 1)]
    assert_equal_models(learn(ours(name), batches), ours(name).fit(X, y))


@pytest.mark.parametrize("name", [LDA, QDA])
def test_classes_may_appear_at_any_time(name):
    model = ours(name).partial_fit(X[y < 2], y[y < 2])
    np.testing.assert_array_equal(model.predict(X), ours(name).fit(X[y < 2], y[y < 2]).predict(X))
    model.partial_fit(X[y == 2], y[y == 2])
    assert_equal_models(model, ours(name).fit(X, y))


def test_every_batch_can_be_followed_by_questions(name):
    model = ours(name)
    for batch in (slice(0, 70), slice(70, 71), slice(71, 120)):
        learn(model, [batch])
        seen = slice(0, batch.stop)
        assert_equal_models(model, ours(name).fit(X[seen], y[seen]))


def test_weighted_batches_give_the_model_of_one_weighted_fit(name):
    weights = np.random.default_rng(3).uniform(0.5, 2, 120)
    model = learn(ours(name), HALVES, weights=weights)
    assert_equal_models(model, ours(name).fit(X, y, sample_weight=weights))


def test_fit_can_be_followed_by_batches(name):
    model = ours(name).fit(X[:70], y[:70]).partial_fit(X[70:], y[70:])
    assert_equal_models(model, ours(name).fit(X, y))


def test_fit_begins_anew_after_batches(name):
    model = learn(ours(name), HALVES).fit(X[:60], y[:60])
    np.testing.assert_equal(answers(model, X), answers(ours(name).fit(X[:60], y[:60]), X))


def test_batches_can_follow_moments(name):
    moments = gauda.Moments.from_data(X[:70], y[:70])
    model = made_of(name, moments).partial_fit(X[70:], y[70:])
    assert_equal_models(model, ours(name).fit(X, y))


def test_moments_of_batches_are_those_of_all_rows(name):
    moments = learn(ours(name), HALVES).moments_
    expected = gauda.Moments.from_data(X, y, structure=moments.structure)
    np.testing.assert_array_equal(moments.counts, expected.counts)
    np.testing.assert_allclose(moments.scatter, expected.scatter, rtol=1e-11, atol=1e-11)


def test_batches_in_single_precision_have_attributes_in_single_precision(name):
    single = X.astype("f4")
    assert_equal_models(learn(ours(name), HALVES, single), ours(name).fit(single, y), rtol=1e-6)


def test_threads_do_not_change_a_bit_of_batches(name):
    one, two = (learn(ours(name, n_threads=n), HALVES) for n in (1, 2))
    np.testing.assert_equal(answers(one, X), answers(two, X))


def test_strings_may_grow_longer_from_batch_to_batch():
    names = np.array(["a", "bb", "cicada"])[y]
    model = ours(QDA)
    for k in range(3):
        model.partial_fit(X[y == k], names[y == k].astype(f"U{[1, 2, 6][k]}"))
    np.testing.assert_array_equal(model.predict(X), ours(QDA).fit(X, names).predict(X))


# Forgetting


@pytest.mark.parametrize("forget", [0.5, 0.9, 1.0])
def test_forgetting_weights_rows_by_powers(name, forget):
    # Weighted rows count once each in naive Bayes's smoothing, as in scikit-learn: without it.
    parameters = {"var_smoothing": 0.0} if name == NB else {}
    model = learn(ours(name, **parameters), THIRDS, forget=forget)
    weights = np.repeat(forget ** np.array([2.0, 1.0, 0.0]), 40)
    assert_equal_models(model, ours(name, **parameters).fit(X, y, sample_weight=weights))


def test_smoothing_forgets_as_well():
    model = learn(ours(NB, var_smoothing=0.1), THIRDS, forget=0.5)
    weights = np.repeat([0.25, 0.5, 1.0], 40)
    variances = np.cov(X.T, aweights=weights, ddof=0).diagonal()
    np.testing.assert_allclose(model.epsilon_, 0.1 * variances.max(), rtol=1e-12)


def test_all_is_forgotten_by_zero(name):
    model = learn(ours(name), [slice(0, 60)])
    model.partial_fit(X[60:], y[60:], forget=0)
    assert_equal_models(model, ours(name).fit(X[60:], y[60:]))


IMPOSSIBLE = [-0.1, 1.0 + 1e-12, 2, 1e300, np.nan, np.inf, "half", None, True, np.True_]


@pytest.mark.parametrize("forget", IMPOSSIBLE)
def test_impossible_factors_are_refused_at_once(name, forget):
    model = ours(name)
    with pytest.raises(ValueError, match=r"forget must be a factor from 0, .* to 1, .*; got "):
        learn(model, [slice(0, 60)], forget=forget)
    assert vars(model) == vars(ours(name))


@pytest.mark.parametrize("forget", IMPOSSIBLE)
@pytest.mark.parametrize("name", ["RDA", "BernoulliNB", "CategoricalNB"])
def test_impossible_factors_are_refused_by_all(name, forget):
    rows = X if name == "RDA" else (X > 0).astype(int)
    model = ours(name).partial_fit(rows, y, classes=np.unique(y))
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"forget must be a factor from 0, .* to 1, .*; got "):
        model.partial_fit(rows, y, forget=forget)
    assert pickle.dumps(model) == before


# Labels


@pytest.mark.parametrize("name", [LDA, QDA])
def test_classes_that_were_given_are_all_there_are(name):
    model = ours(name).partial_fit(X[y < 2], y[y < 2], classes=[0, 1])
    before = pickle.dumps(model)
    with pytest.raises(
        ValueError, match=r"label\(s\) \[2\] in y do not exist in the initial classes \[0 1\]"
    ):
        model.partial_fit(X, y)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("name", [LDA, QDA])
def test_a_class_without_rows_yet_is_named(name):
    model = ours(name).partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="Class 2 has no rows"):
        model.predict(X)
    assert_equal_models(model.partial_fit(X[y == 2], y[y == 2]), ours(name).fit(X, y))


@pytest.mark.parametrize("name", [LDA, QDA])
def test_numbers_and_text_are_not_mixed(name):
    model = ours(name).partial_fit(X, y)
    with pytest.raises(ValueError, match="Numbers and text cannot be classes of one model"):
        model.partial_fit(X, y.astype(str))


def test_text_of_a_number_is_not_the_number(name):
    with pytest.raises(ValueError, match=r"\[0 1 2\] in y do not exist"):
        ours(name).partial_fit(X, y, classes=[str(k) for k in range(100)])


# Attributes


LAZY = [
    (
        LDA,
        {"store_covariance": True},
        ["coef_", "intercept_", "covariance_", "scalings_", "xbar_", "explained_variance_ratio_"],
    ),
    (LDA, {"solver": "lsqr"}, ["coef_", "intercept_", "covariance_"]),
    (LDA, {"solver": "eigen"}, ["coef_", "covariance_", "scalings_", "explained_variance_ratio_"]),
    (QDA, {"store_covariance": True}, ["covariance_", "rotations_", "scalings_"]),
    (NB, {}, ["var_"]),
    (NB, {"unbiased": True}, ["var_"]),
]


@pytest.mark.parametrize(("name", "parameters", "attributes"), LAZY)
def test_attributes_are_there_without_a_prediction(name, parameters, attributes):
    expected = ours(name, **parameters).fit(X, y)
    for attribute in attributes:
        model = learn(ours(name, **parameters), HALVES)
        assert attribute in dir(model)
        assert hasattr(model, attribute)
        values = getattr(model, attribute)
        assert_same_attribute(attribute, values, getattr(expected, attribute), 1e-10)


@pytest.mark.parametrize(("name", "parameters", "attributes"), LAZY)
def test_attributes_follow_the_next_batch(name, parameters, attributes):
    model = learn(ours(name, **parameters), [slice(0, 50)])
    for attribute in attributes:
        assert hasattr(model, attribute)  # so that it is made, and must be made anew
    model.partial_fit(X[50:], y[50:])
    expected = ours(name, **parameters).fit(X, y)
    for attribute in attributes:
        values = getattr(model, attribute)
        assert_same_attribute(attribute, values, getattr(expected, attribute), 1e-10)


@pytest.mark.parametrize(
    ("name", "attribute"),
    [(LDA, "covariance_"), (QDA, "covariance_"), (QDA, "coef_"), (NB, "coef_")],
)
def test_attributes_that_were_not_asked_for_are_absent(name, attribute):
    model = learn(ours(name), [slice(0, 120)])
    assert not hasattr(model, attribute)
    with pytest.raises(AttributeError, match=attribute):
        getattr(model, attribute)


def test_a_fitted_model_lists_no_more_than_it_has(name):
    model = ours(name).fit(X, y)
    assert [attribute for attribute in dir(model) if not hasattr(model, attribute)] == []


EARLY = [
    (LDA, "more than the number of classes", "coef_"),
    (QDA, "number of classes has to be greater than one", "covariance_"),
    (NB, "has no variance in columns 0, 1, 2, 3", None),
]


@pytest.mark.parametrize(("name", "words", "attribute"), EARLY)
def test_questions_that_come_too_early_are_refused_and_change_nothing(name, words, attribute):
    model = learn(ours(name), [slice(0, 1)])
    before = pickle.dumps(model)
    for method in ("predict", "predict_proba", "score_samples"):
        with pytest.raises(ValueError, match=words):
            getattr(model, method)(X)
    if attribute is not None:
        assert not hasattr(model, attribute)
        with pytest.raises(NotFittedError, match=f"{attribute} does not exist yet.*{words}"):
            getattr(model, attribute)
    assert pickle.dumps(model) == before
    assert_equal_models(model.partial_fit(X[1:], y[1:]), ours(name).fit(X, y))


def test_singular_covariances_are_refused_only_when_asked_for():
    few = np.concatenate([np.flatnonzero(y == k)[:3] for k in range(3)])
    model = learn(ours(QDA), [few])
    with pytest.raises(
        np.linalg.LinAlgError, match="covariance matrix of class 0 is not full rank"
    ):
        model.predict(X)
    rest = np.setdiff1d(np.arange(120), few)
    assert_equal_models(learn(model, [rest]), ours(QDA).fit(X, y))


# Failures


BAD_BATCHES = {
    "NaN": (np.full((2, 4), np.nan), [0, 1], {}, "NaN at row 0"),
    "columns": (X[:2, :3], y[:2], {}, "3 features, but .* expecting 4"),
    "rows": (X[:0], y[:0], {}, "0 sample"),
    "lengths": (X[:3], y[:2], {}, "inconsistent numbers"),
    "weights": (X[:2], y[:2], {"sample_weight": [-1, 1]}, "-1.0 at row 0"),
    "labels": (X[:2], [0.5, 0.7], {}, "continuous"),
    "classes": (X[:2], [0, 1], {"classes": [0, 1]}, r"was: array\(\[0, 1, 2\]\)"),
    "forget": (X[:2], [0, 1], {"forget": -1}, "forget"),
    "overflow": (np.full((2, 4), 1e200), [0, 1], {}, "too large"),
}


@pytest.mark.parametrize("batch", BAD_BATCHES)
@pytest.mark.parametrize("asked", [False, True])
def test_a_batch_that_fails_leaves_all_as_it_was(name, batch, asked):
    rows, labels, options, words = BAD_BATCHES[batch]
    model = learn(ours(name), [slice(0, 120)])
    if asked:
        model.predict(X)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=words):
        model.partial_fit(rows, labels, **options)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(("name", "parameters"), NEEDING_ALL_ROWS)
def test_estimates_that_need_all_rows_leave_no_partial_fit(name, parameters):
    model = ours(name, **parameters)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as refusal:
        model.partial_fit(X, y)
    assert "does not have all rows at once" in str(refusal.value.__cause__)


@pytest.mark.parametrize(("name", "parameters"), NEEDING_ALL_ROWS)
def test_estimates_that_need_all_rows_are_not_made_from_moments(name, parameters):
    with pytest.raises(
        ValueError, match=r"covariance_estimator needs to estimate covariances\. Use shrinkage"
    ):
        getattr(gauda, name).from_moments(gauda.Moments.from_data(X, y), **parameters)


# Parameters changed on the way


def test_parameters_set_between_batches_hold_from_then_on():
    model = ours(QDA).partial_fit(X[:60], y[:60]).set_params(reg_param=0.3, priors=PRIORS)
    expected = ours(QDA, reg_param=0.3, priors=PRIORS).fit(X, y)
    assert_equal_models(model.partial_fit(X[60:], y[60:]), expected)


@pytest.mark.parametrize(("name", "solver"), [(QDA, "eigen"), (LDA, "lsqr"), (LDA, "eigen")])
def test_estimates_of_fit_are_dropped_when_batches_follow(name, solver):
    parameters = {"solver": solver, "priors": PRIORS}
    model = ours(name, shrinkage="auto", **parameters).fit(X[:60], y[:60])
    model.set_params(shrinkage=0.1).partial_fit(X[60:], y[60:])
    assert_equal_models(model, ours(name, shrinkage=0.1, **parameters).fit(X, y))


def test_parameters_that_need_more_of_the_rows_seen_are_refused():
    model = ours(LDA, priors=PRIORS).partial_fit(X[:60], y[:60]).set_params(solver="lsqr")
    before = pickle.dumps(model)
    with pytest.raises(
        ValueError, match=r"needs moments of structure 'full'.*Set the parameters back"
    ):
        model.partial_fit(X[60:], y[60:])
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("attribute", ["rotations_", "scalings_"])
def test_axes_are_absent_while_rows_are_too_few(attribute):
    assert not hasattr(ours(QDA).partial_fit(X[:1], y[:1]), attribute)


def test_parameters_changed_to_nonsense_are_refused_with_the_next_batch():
    model = ours(LDA).partial_fit(X, y).set_params(solver="magic")
    np.testing.assert_array_equal(model.predict(X), ours(LDA).fit(X, y).predict(X))
    with pytest.raises(ValueError, match="The 'solver' parameter"):
        model.partial_fit(X, y)


def test_class_for_which_no_prior_was_given_is_refused():
    model = ours(QDA, priors=[0.5, 0.5]).partial_fit(X[y < 2], y[y < 2])
    with pytest.raises(ValueError, match="Number of priors must match number of classes"):
        model.partial_fit(X, y)
    assert model.classes_.tolist() == [0, 1]


def test_parameters_that_contradict_each_other_are_refused_by_the_first_batch():
    with pytest.raises(NotImplementedError, match="shrinkage not supported with 'svd' solver"):
        ours(LDA, shrinkage=0.5).partial_fit(X, y)
