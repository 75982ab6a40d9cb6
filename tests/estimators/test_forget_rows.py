"""Rows that a model forgets: what is left is the model of a fit to the other rows."""

import threading

import numpy as np
import pandas as pd
import pytest
from models import DISCRETE, FRAMES, LABELS, MODELS, STEPWISE
from sklearn.exceptions import NotFittedError

import gauda

FORGOTTEN = np.arange(90) < 20


@pytest.fixture(params=STEPWISE)
def name(request):
    return request.param


def assert_same_model(model, expected, X):
    np.testing.assert_array_equal(model.classes_, expected.classes_)
    for method in ("predict_joint_log_proba", "predict_proba"):
        got, known = getattr(model, method)(X), getattr(expected, method)(X)
        np.testing.assert_allclose(got, known, rtol=1e-9, atol=1e-12)


def refused(model, match, *rows):
    """Assert that rows are refused, and that this has changed nothing."""
    before = dict(vars(model))
    with pytest.raises(ValueError, match=match):
        model.forget_rows(*rows)
    assert vars(model) == before


@pytest.mark.parametrize("weighted", [False, True])
def test_a_refit_gives_the_same(name, weighted):
    entry = MODELS[name]
    X, y = entry.data()
    weights = np.random.default_rng(1).integers(1, 9, 90) / 4 if weighted else np.ones(90)
    given = [weights[part] if weighted else None for part in (FORGOTTEN, ~FORGOTTEN)]
    model = entry.make().fit(X, y, sample_weight=weights)
    assert model.forget_rows(X[FORGOTTEN], y[FORGOTTEN], given[0]) is model
    expected = entry.make().fit(X[~FORGOTTEN], y[~FORGOTTEN], sample_weight=given[1])
    assert_same_model(model, expected, X)
    assert model._fitted.statistics.n_rows == 70  # noqa: SLF001 - whatever the model calls them


@pytest.mark.parametrize("name", ["BernoulliNB", "CategoricalNB"])
def test_counts_are_exactly_those_of_a_refit(name):
    entry = MODELS[name]
    X, y = entry.data()
    model = entry.fitted().forget_rows(X[FORGOTTEN], y[FORGOTTEN])
    expected = entry.make().fit(X[~FORGOTTEN], y[~FORGOTTEN])
    assert model.counts_ == expected.counts_
    np.testing.assert_array_equal(model.predict_log_proba(X), expected.predict_log_proba(X))


def test_levels_of_forgotten_rows_are_forgotten():
    X = pd.DataFrame({"wood": ["oak", "elm", "oak", "fir"]})
    y = ["a", "a", "b", "b"]
    model = gauda.MixedNB().fit(X, y).forget_rows(X[3:], y[3:])
    expected = gauda.MixedNB().fit(X[:3], y[:3])
    assert model.categories_ == expected.categories_ == {0: ["elm", "oak"]}
    np.testing.assert_array_equal(model.predict_proba(X[:3]), expected.predict_proba(X[:3]))


def test_batches_come_and_go(name):
    entry = MODELS[name]
    X, y = entry.data()
    model = entry.make().partial_fit(X[:60], y[:60], classes=LABELS)
    model.partial_fit(X[60:], y[60:]).forget_rows(X[:30], y[:30])
    expected = entry.make().partial_fit(X[30:60], y[30:60], classes=LABELS)
    assert_same_model(model, expected.partial_fit(X[60:], y[60:]), X)
    model.partial_fit(X[:30], y[:30])
    assert_same_model(model, entry.make().partial_fit(X, y, classes=LABELS), X)


def test_rows_that_weigh_less_by_now_are_forgotten_with_their_weight(name):
    entry = MODELS[name]
    X, y = entry.data()
    exact = {"var_smoothing": 0} if "var_smoothing" in entry.make().get_params() else {}
    model = entry.make(**exact).partial_fit(X[:60], y[:60], classes=LABELS)
    model.partial_fit(X[60:], y[60:], forget=0.5).forget_rows(X[:20], y[:20], np.full(20, 0.5))
    weights = np.where(np.arange(20, 90) < 60, 0.5, 1.0)
    expected = entry.make(**exact).fit(X[20:], y[20:], sample_weight=weights)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-9)


def test_all_but_a_few_rows_that_weigh_less_by_now_can_be_forgotten(name):
    entry = MODELS[name]
    X, y = entry.data()
    model = entry.make().partial_fit(X, y, classes=LABELS)
    model.partial_fit(X[81:], y[81:], forget=0.25)
    model.forget_rows(X[:60], y[:60], np.full(60, 0.25))
    np.testing.assert_allclose(model._fitted.statistics.class_weight, 2.5 + 3)  # noqa: SLF001


def test_a_class_that_is_forgotten_goes_unless_classes_are_fixed(name):
    entry = MODELS[name]
    X, y = entry.data()
    ants = y == "ant"
    model = entry.fitted().forget_rows(X[ants], y[ants])
    expected = entry.make().fit(X[~ants], y[~ants])
    posteriors = model.predict_proba(X)
    np.testing.assert_array_equal(model.classes_, LABELS[1:])
    np.testing.assert_allclose(posteriors, expected.predict_proba(X), rtol=1e-9)
    if name not in {"GaussianNB", *DISCRETE}:
        return  # covariances of no rows are refused, see test_a_class_without_rows_yet_is_named
    fixed = entry.make().partial_fit(X, y, classes=LABELS).forget_rows(X[ants], y[ants])
    np.testing.assert_array_equal(fixed.classes_, LABELS)
    if name != "ComplementNB":  # which does not use priors
        posteriors = fixed.predict_proba(X)
        np.testing.assert_array_equal(posteriors[:, 0], 0)
        np.testing.assert_allclose(posteriors[:, 1:], expected.predict_proba(X), rtol=1e-9)


def test_what_was_not_part_is_refused_and_changes_nothing(name):
    entry = MODELS[name]
    X, y = entry.data()
    model = entry.fitted()
    refused(model, "there are no classes", X[:3], ["ant", "bee", "dragonfly"])
    refused(model, "was not part", X[:40], np.repeat("ant", 40))
    refused(model, "must leave some rows", X, y)
    refused(model, "inconsistent numbers of samples", X[:5], y[:4])
    refused(model, "feature|column", X[:5].iloc[:, :2] if name in FRAMES else X[:5, :2], y[:5])
    assert_same_model(model, entry.fitted(), X)


@pytest.mark.parametrize(
    ("model", "X", "wrong"),
    [
        (gauda.BernoulliNB(), [[1], [1], [0]], [[0]]),
        (gauda.CategoricalNB(), [[1], [1], [0]], [[0]]),
        (gauda.MixedNB(), [["elm"], ["elm"], ["oak"]], [["oak"]]),
        (gauda.MixedNB(), [["elm"], ["elm"], ["oak"]], [[None]]),
        (gauda.MixedNB(), [[1.0], [2.0], [4.0]], [[np.nan]]),
        (gauda.QDA(), [[1.0], [2.0], [4.0]], [[9.0]]),
        (gauda.LDA(), [[1.0], [2.0], [4.0]], [[9.0]]),
        (gauda.GaussianNB(), [[1.0], [2.0], [4.0]], [[9.0]]),
    ],
)
def test_an_entry_that_the_class_never_had_is_refused(model, X, wrong):
    """By the sums alone: two rows of class 0 have no such entry, or not so far off."""
    rest = [X[-1], X[0], X[1]]
    model.fit(
        np.array([*X[:2], *rest], dtype=object if isinstance(X[0][0], str) else float),
        [0, 0, 1, 1, 1],
    )
    refused(model, "was not part", np.array(wrong, dtype=object), [0])


def test_priors_of_a_class_that_would_go_are_refused():
    entry = MODELS["QDA"]
    X, y = entry.data()
    model = entry.fitted(priors=[0.2, 0.3, 0.5])
    refused(model, "prior", X[y == "ant"], y[y == "ant"])


def test_moments_with_gaps_are_refused():
    entry = MODELS["QDA"]
    X, y = entry.data()
    gaps = X.copy()
    gaps[7, 0] = np.nan
    model = entry.make(missing="marginalize").fit(gaps, y)
    refused(model, "values were missing cannot be subtracted", X[:2], y[:2])


def test_estimators_that_have_seen_nothing_refuse(name):
    X, y = MODELS[name].data()
    with pytest.raises(NotFittedError):
        MODELS[name].make().forget_rows(X, y)


def test_estimates_that_take_all_rows_cannot_forget():
    X, y = MODELS["LDA"].data()
    model = gauda.LDA(solver="lsqr", shrinkage="auto").fit(X, y)
    assert not hasattr(model, "forget_rows")
    assert not hasattr(MODELS["RDA-CV"].make(), "forget_rows")


def test_threads_may_forget_and_learn_at_the_same_time(name):
    entry = MODELS[name]
    X, y = entry.data()
    model = entry.make().partial_fit(X[:60], y[:60], classes=LABELS)
    calls = [
        (model.forget_rows, X[:20], y[:20]),
        (model.partial_fit, X[60:], y[60:]),
        (model.forget_rows, X[20:30], y[20:30]),
    ]
    threads = [threading.Thread(target=call, args=rows) for call, *rows in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_same_model(model, entry.make().partial_fit(X[30:], y[30:], classes=LABELS), X)
