"""Decisions: costs and expected costs against Octave and published tables, rejection, priors."""

import numpy as np
import pytest
from models import GAUSSIAN, POOLED
from references import read_json, read_table
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from support import ours

import gauda

UNPOOLED = [name for name in GAUSSIAN if name not in {*POOLED, "ShrunkenCentroids-CV"}]
"""Models of which priors change neither estimates nor, here, what is chosen."""
OCTAVE = {"uniform": np.ones, "skew": lambda n: np.arange(1.0, n + 1)}


def octave(dataset, priors):
    """Read posteriors, expected costs, least costly labels and the cost matrix, by label."""
    header, rows = read_table(f"exact/{dataset}/octave_fitcdiscr_gamma0_{priors}")
    classes = [name.removeprefix("post_") for name in header if name.startswith("post_")]
    n_classes = len(classes)
    first, *others = read_table(f"exact/{dataset}/octave_cost_matrix")
    cost = np.array([first, *others[0]], dtype=float)
    values = np.array([row[:-1] for row in rows], dtype=float)
    order = np.argsort(classes)
    return (
        values[:, :n_classes][:, order],
        values[:, n_classes:][:, order],
        np.array([row[-1] for row in rows]),
        cost[np.ix_(order, order)],
        order,
    )


@pytest.mark.parametrize("priors", ["empirical", "uniform", "skew"])
@pytest.mark.parametrize("dataset", ["iris", "banknote", "skulls"])
def test_costs_and_least_costly_labels_are_octaves(dataset, priors, load_data):
    X, y = load_data(dataset)
    proba, costs, labels, cost, order = octave(dataset, priors)
    given = None
    if priors != "empirical":
        given = OCTAVE[priors](len(order))[order]
        given /= given.sum()
    lda = gauda.LDA(priors=given, unbiased=True, cost=cost).fit(X, y)
    np.testing.assert_allclose(lda.predict_proba(X), proba, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(lda.predict_cost(X), costs, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(lda.predict(X), labels)


def test_a_threshold_of_one_fifth_is_a_mistake_four_times_as_dear(load_data):
    X, y = load_data("islr_default")
    X = X[:, :2]  # student and balance
    labels = gauda.LDA(unbiased=True, cost=[[0, 1], [4, 0]]).fit(X, y).predict(X)
    counts = [[np.sum((labels == p) & (y == t)) for t in ("No", "Yes")] for p in ("No", "Yes")]
    assert counts == read_json("published_values")["ISLR_T4.5_Default_LDA_threshold0.2"]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_expected_costs_are_products_of_posteriors_and_costs(name, dtype, iris):
    X, y = iris
    X = X.astype(dtype)
    cost = np.random.default_rng(0).normal(size=(3, 4))
    model = ours(name).fit(X, y)
    expected = model.predict_proba(X).astype(float) @ cost
    costs = model.predict_cost(X, cost=cost)
    assert costs.dtype == dtype
    np.testing.assert_allclose(costs, expected, rtol=1e-4 if dtype == np.float32 else 1e-13)
    labels = np.append(model.classes_, "rejected")[expected.argmin(axis=1)]
    np.testing.assert_array_equal(model.predict(X, cost=cost), labels)


@pytest.mark.parametrize("name", GAUSSIAN)
def test_without_costs_mistakes_cost_one(name, iris):
    X, y = iris
    model = ours(name).fit(X, y)
    np.testing.assert_allclose(model.predict_cost(X), 1 - model.predict_proba(X), atol=1e-15)


@pytest.mark.parametrize("n_classes", [2, 26])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_many_rows_are_decided_as_few(name, n_classes):
    # Enough rows and columns for every way through the core.
    rng = np.random.default_rng(n_classes)
    y = np.arange(6000) % n_classes
    X = rng.normal(size=(6000, 20)) + rng.normal(size=(n_classes, 20))[y]
    cost = rng.uniform(1, 2, size=(n_classes, n_classes + 1)) - np.eye(n_classes, n_classes + 1)
    model = ours(name, cost=cost, reject={"posterior": 0.4, "typicality": 0.01}).fit(X, y)
    proba, tails = model.predict_proba(X), model.typicality(X)
    codes = (proba @ cost).argmin(axis=1)
    best = np.minimum(codes, n_classes - 1), np.arange(len(X))
    rejected = (codes == n_classes) | (proba[best[::-1]] < 0.4) | (tails[best[::-1]] < 0.01)
    np.testing.assert_array_equal(model.predict(X), np.where(rejected, -1, codes))


@pytest.mark.parametrize("name", GAUSSIAN)
def test_costs_beyond_float32_are_refused_for_rows_of_float32(name, iris):
    X, y = iris
    model = ours(name, cost=1e39 * (1 - np.eye(3))).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), ours(name).fit(X, y).predict(X))
    with pytest.raises(ValueError, match=r"is 1e\+39; that is too much for float32"):
        model.predict(X.astype(np.float32))


@pytest.mark.parametrize("name", GAUSSIAN)
def test_rows_of_small_posterior_are_rejected(name, iris):
    X, y = iris
    model = ours(name, reject=0.99).fit(X, y)
    proba = model.predict_proba(X)
    labels = np.where(proba.max(axis=1) < 0.99, "rejected", model.classes_[proba.argmax(axis=1)])
    assert (labels == "rejected").any()
    np.testing.assert_array_equal(model.predict(X), labels)
    same = model.set_params(reject=None).predict(X, reject={"posterior": 0.99})
    np.testing.assert_array_equal(same, labels)


@pytest.mark.parametrize("name", GAUSSIAN)
def test_untypical_rows_are_rejected(name, iris):
    X, y = iris
    codes = np.unique(y, return_inverse=True)[1]
    X = np.vstack([X, [[50.0, 50.0, 50.0, 50.0]]])
    model = ours(name, reject={"typicality": 0.05}, reject_label=9).fit(X[:-1], codes)
    labels = model.predict(X)
    plain = clone(model).set_params(reject=None).fit(X[:-1], codes).predict(X)
    tails = model.typicality(X)[np.arange(len(X)), plain]
    np.testing.assert_array_equal(labels, np.where(tails < 0.05, 9, plain))
    assert labels[-1] == 9


def test_a_cost_of_rejecting_is_a_further_column(iris):
    X, y = iris
    cost = np.array([[0, 5, 0.5], [2, 0, 1], [10, 1, 0]])
    lda = gauda.LDA(cost=cost, reject={"cost": 0.1}).fit(X, y)
    column = np.column_stack([cost, np.full(3, 0.1)])
    np.testing.assert_array_equal(lda.predict(X), gauda.LDA(cost=column).fit(X, y).predict(X))
    assert "rejected" in lda.predict(X)
    assert lda.predict_cost(X).shape == (len(X), 4)


def test_chows_rule_is_a_cost_of_rejecting(iris):
    X, y = iris
    lda = gauda.LDA().fit(X, y)
    by_cost = lda.predict(X, reject={"cost": 0.125})
    by_posterior = lda.predict(X, reject={"posterior": 0.875})
    np.testing.assert_array_equal(by_cost, by_posterior)


@pytest.mark.parametrize(
    ("classes", "label", "expected"),
    [
        ([0, 1], None, np.dtype(np.int64)),
        (np.array([0, 1], np.uint8), -1, np.dtype(np.int16)),
        (np.array([0, 1], np.uint8), 255, np.dtype(np.uint8)),
        ([0.0, 1.0], None, np.dtype(np.float64)),
        (["a", "b"], None, np.dtype("<U8")),
        (np.array(["a", "b"], object), "neither of them", np.dtype("<U15")),
        ([False, True], 2, np.dtype(np.uint8)),
    ],
)
def test_labels_are_of_a_type_that_holds_the_rejected_too(classes, label, expected):
    X, y = np.array([[-2.0], [-1], [1], [2]]), np.repeat(classes, 2)
    labels = gauda.LDA(reject=1.0, reject_label=label).fit(X, y).predict([[0.0], [1000.0]])
    assert labels.dtype == expected
    default = {"f": np.nan, "i": -1, "U": "rejected"}.get(labels.dtype.kind)
    np.testing.assert_array_equal(labels[0], default if label is None else label)
    assert labels[1] == classes[1]


@pytest.mark.parametrize("name", UNPOOLED)
def test_priors_for_a_call_are_those_of_another_fit(name, iris):
    X, y = iris
    priors = [0.2, 0.7, 0.1]
    model, other = ours(name).fit(X, y), ours(name, priors=priors).fit(X, y)
    close = {"rtol": 1e-9, "atol": 1e-13}
    for method in ["predict_proba", "predict_log_proba", "predict_joint_log_proba"]:
        answer = getattr(model, method)(X, priors=priors)
        np.testing.assert_allclose(answer, getattr(other, method)(X), **close)
    np.testing.assert_allclose(model.score_samples(X, priors=priors), other.score_samples(X))
    np.testing.assert_array_equal(model.predict(X, priors=priors), other.predict(X))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_each_row_may_have_its_own_priors(name, dtype, iris):
    X, y = iris
    X = X.astype(dtype)
    priors = np.random.default_rng(0).dirichlet(np.ones(3), size=len(X))
    priors[::7] = [0, 0.5, 0.5]
    model = ours(name).fit(X, y)
    together = model.classify(X, ("label", "proba", "log_density", "joint"), priors=priors)
    for row in range(len(X)):
        one = X[row : row + 1]
        alone = {"priors": priors[row]}
        close = {"rtol": 1e-5 if dtype == np.float32 else 1e-12, "atol": 1e-30}
        np.testing.assert_allclose(
            together.proba[row], model.predict_proba(one, **alone)[0], **close
        )
        np.testing.assert_allclose(
            together.log_density[row], model.score_samples(one, **alone)[0], **close
        )
        joint = model.predict_joint_log_proba(one, **alone)[0]
        np.testing.assert_allclose(together.joint[row], joint, **close)
    np.testing.assert_array_equal(together.label, model.classes_[together.proba.argmax(axis=1)])


@pytest.mark.parametrize("name", UNPOOLED)
def test_priors_set_after_the_fit_are_those_of_another_fit(name, iris):
    X, y = iris
    priors = [0.2, 0.7, 0.1]
    model = ours(name).fit(X, y).set_params(priors=priors)
    other = ours(name, priors=priors).fit(X, y)
    assert model._fitted_model() == other._fitted_model()  # noqa: SLF001 (all of it)
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))
    back = model.set_params(priors=None)
    np.testing.assert_array_equal(back.predict_proba(X), ours(name).fit(X, y).predict_proba(X))


@pytest.mark.parametrize("shrinkage", [0.9, "auto"])
def test_costs_set_after_the_fit_leave_the_model_as_it_was_fitted(shrinkage, iris):
    X, y = iris
    lda = gauda.LDA(solver="lsqr").fit(X, y)
    before = lda.predict_proba(X)
    lda.set_params(shrinkage=shrinkage).set_params(cost=1 - np.eye(3), reject=0.5)
    np.testing.assert_array_equal(lda.predict_proba(X), before)


def test_priors_can_be_set_before_the_rows_are_enough(iris):
    X, y = iris
    model = gauda.QDA().partial_fit(X[:1], y[:1], classes=np.unique(y))
    model.set_params(priors=[0.2, 0.7, 0.1]).partial_fit(X[1:], y[1:])
    np.testing.assert_allclose(model.priors_, [0.2, 0.7, 0.1])


def test_priors_that_would_reweight_pooled_covariances_are_refused(iris):
    X, y = iris
    lda = gauda.LDA(solver="lsqr").fit(X, y)
    before = lda.predict_proba(X)
    with pytest.raises(ValueError, match="Refit with priors, or give them to predict"):
        lda.set_params(priors=[0.2, 0.7, 0.1])
    assert lda.priors is None
    np.testing.assert_array_equal(lda.predict_proba(X), before)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_adapted_priors_make_the_rows_likeliest(name, dtype):
    rng = np.random.default_rng(1)
    means = np.array([[0.0, 0.0], [2.5, 0.0], [0.0, 3.0]])
    y = np.arange(600) % 3
    model = ours(name).fit(rng.normal(size=(600, 2)) + means[y], y)
    truth = np.array([0.1, 0.3, 0.6])
    X = rng.normal(size=(2000, 2)) + means[rng.choice(3, size=2000, p=truth)]
    priors, n_iter = model.adapt_priors(X.astype(dtype), tol=1e-10, max_iter=5000)
    conditional = np.exp(model.predict_joint_log_proba(X)) * 3  # the fit's priors are equal

    def loss(logits):
        weights = np.exp(logits - logits.max())
        return -np.log(conditional @ (weights / weights.sum())).mean()

    best = np.exp(minimize(loss, np.zeros(3), tol=1e-12).x)
    np.testing.assert_allclose(priors, best / best.sum(), atol=2e-5)
    assert n_iter > 1
    np.testing.assert_allclose(priors, truth, atol=0.05)


def test_priors_that_still_change_are_told(iris):
    X, y = iris
    with pytest.warns(ConvergenceWarning, match="max_iter=1 rounds"):
        priors, n_iter = gauda.LDA().fit(X, y).adapt_priors(X[:60], max_iter=1)
    assert n_iter == 1
    assert priors.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cost": np.ones((2, 2))}, r"cost must have shape \(3, 3\).*got shape \(2, 2\)"),
        ({"cost": np.ones(3)}, r"got shape \(3,\)"),
        ({"cost": np.ones((3, 5))}, r"got shape \(3, 5\)"),
        (
            {"cost": [[0, 1, 1], [1, 0, np.nan], [1, 1, 0]]},
            r"cost\[1, 2\] \(truth versicolor, decision virginica\) is nan",
        ),
        ({"cost": np.full((3, 4), np.inf)}, "costs must be finite"),
        ({"cost": [[0, 1, 1], [1, 0], [1, 1, 0]]}, "cost must be an array of real numbers"),
        ({"cost": [["dear"] * 3] * 3}, r"real numbers; got \[\['dear', 'dear', 'dear'\]"),
        ({"cost": 1j * np.eye(3)}, "cost must be an array of real numbers"),
        ({"reject": 1.5}, "threshold must lie between 0 and 1"),
        ({"reject": {"posterior": -0.1}}, "threshold must lie between 0 and 1"),
        ({"reject": {"typicality": np.nan}}, "threshold must lie between 0 and 1"),
        ({"reject": {"density": 0.1}}, "'posterior', 'typicality', 'cost'; got {'density': 0.1}"),
        ({"reject": {"posterior": "often"}}, "a dict of numbers"),
        ({"reject": {}}, "a dict of numbers"),
        ({"reject": {"cost": np.inf}}, "costs must be finite"),
        ({"cost": np.ones((3, 4)), "reject": {"cost": 1}}, "Give one of them"),
        ({"reject": 0.5, "reject_label": "setosa"}, "reject_label='setosa' is a class"),
        ({"reject": 0.5, "reject_label": -1}, "is not of the kind of the classes"),
        ({"reject": 0.5, "reject_label": 2**70}, "is not of the kind of the classes"),
    ],
)
@pytest.mark.parametrize("name", GAUSSIAN)
def test_rules_that_cannot_be_are_refused_and_change_nothing(name, parameters, message, iris):
    X, y = iris
    with pytest.raises(ValueError, match=message):
        ours(name, **parameters).fit(X, y)
    model = ours(name).fit(X, y)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=message):
        model.set_params(**parameters)
    assert vars(model) == before
    if "reject_label" not in parameters:
        with pytest.raises(ValueError, match=message):
            model.predict(X, **parameters)


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ([0.5, 0.5], r"priors must have shape \(3,\).*got shape \(2,\)"),
        ([0.5, 0.5, 0.5], "priors sum to 1.5"),
        ([1.5, -0.5, 0], "prior of class versicolor is -0.5"),
        ([np.nan, 0.5, 0.5], "prior of class setosa is nan"),
        (["rare", "rare", "common"], "priors must be an array of real numbers"),
        (np.full((7, 3), 1 / 3), "priors has 7 rows, X has 150"),
        (np.full((150, 3), 0.3), "The priors of row 0 sum to 0.9"),
        (np.where(np.arange(450).reshape(150, 3) == 31, -1, 1 / 3), "at row 10 is -1"),
        (np.full((1, 150, 3), 1 / 3), "got shape"),
    ],
)
@pytest.mark.parametrize("name", GAUSSIAN)
def test_priors_of_a_call_that_cannot_be_are_refused(name, priors, message, iris):
    X, y = iris
    model = ours(name).fit(X, y)
    with pytest.raises(ValueError, match=message):
        model.predict(X, priors=priors)


@pytest.mark.parametrize("name", GAUSSIAN)
@pytest.mark.parametrize("priors", [[0.5, 0.5], [0.5, -0.5, 1.0], "many"])
def test_priors_that_cannot_be_set_leave_the_model_alone(name, priors, iris):
    X, y = iris
    model = ours(name).fit(X, y)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=r"[Pp]rior"):
        model.set_params(priors=priors)
    assert vars(model) == before


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"tol": -1}, "tol must be"), ({"tol": None}, "tol must be"), ({"max_iter": 0}, "max_iter")],
)
def test_adapting_takes_sensible_limits(parameters, message, iris):
    X, y = iris
    with pytest.raises(ValueError, match=message):
        gauda.LDA().fit(X, y).adapt_priors(X, **parameters)


@pytest.mark.parametrize("n_threads", [2, 5])
def test_the_number_of_threads_changes_no_bit(n_threads):
    rng = np.random.default_rng(0)
    y = np.arange(40_000) % 3
    X = rng.standard_normal((40_000, 3)) + 2 * np.eye(3)[y]
    cost = rng.uniform(size=(3, 3))
    models = [gauda.QDA(n_threads=n).fit(X, y) for n in (1, n_threads)]
    costs = [model.predict_cost(X, cost=cost).tobytes() for model in models]
    adapted = [model.adapt_priors(X[:20_000]).priors.tobytes() for model in models]
    assert costs[0] == costs[1]
    assert adapted[0] == adapted[1]


@pytest.mark.parametrize("dtype", ["f4", "u1", "f8"])
@pytest.mark.parametrize("unit", [1e-200, 1e-45, 1e-30, 1e30])
def test_costs_may_be_in_any_unit(iris, dtype, unit):
    X, y = iris
    rows, cost = (10 * X).astype(dtype), np.array([[0, 1, 5], [1, 0, 0.5], [2, 1, 0]])
    model = gauda.QDA().fit(rows, y)
    np.testing.assert_array_equal(
        model.predict(rows, cost=cost * unit), model.predict(rows, cost=cost)
    )
