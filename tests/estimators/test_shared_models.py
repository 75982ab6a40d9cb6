"""Threads share a model: while one fits it, the others are answered by the model before."""

import copy
import os
import pickle
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.covariance import OAS
from sklearn.exceptions import NotFittedError

import gauda
from gauda._estimators.state import Memo

RNG = np.random.default_rng(5)
PACKAGE = f"{Path(gauda.__file__).parent}{os.sep}"
POINTS = 12  # interleavings of each reader


def numbers_of(n_classes, d, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(90) % n_classes
    return rng.normal(size=(90, d)) + 3 * rng.normal(size=(n_classes, d))[y], y


def levels_of(n_classes, d, seed):
    X, y = numbers_of(n_classes, d, seed)
    return (X > 0).astype(int) + (X > 2), y


def answers(model, X, y):
    """Return what can be asked of rows, by name."""
    methods = ["predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"]
    methods += ["score_samples", "mahalanobis", "typicality", "predict_cost", "adapt_priors"]
    methods += ["impute", "decision_function"]
    methods += ["transform"] if getattr(model, "solver", None) != "lsqr" else []
    asked = {name: lambda m=name: getattr(model, m)(X) for name in methods if hasattr(model, name)}
    asked["score"] = lambda: model.score(X, y)
    if hasattr(model, "loo_log_proba"):
        asked["loo_log_proba"] = lambda: model.loo_log_proba(X, y)
        asked["classify"] = lambda: classified(model, X)
        asked["predict, rejecting"] = lambda: model.predict(X, reject=0.9)
    return asked


def classified(model, X):
    answer = model.classify(X, ("label", "proba", "top_k"))
    return answer.label, answer.proba, answer.top_k.labels, answer.top_k.proba


def figures(model):
    """Return what can be asked without rows, by name."""
    asked = {
        "copy": lambda: copy.copy(model).classes_,
        "deepcopy": lambda: copy.deepcopy(model).classes_,
        "pickle": lambda: pickle.loads(pickle.dumps(model)).classes_,  # noqa: S301 - our own
        "state": lambda: saved_arrays(model),
    }
    if hasattr(model, "sample"):
        asked |= {
            "sample": lambda: model.sample(5, random_state=0),
            "sample of labels": lambda: model.sample(y=[0, 1, 0], random_state=0),
            "marginal": lambda: model.marginal([1, 0]).predict_joint_log_proba(np.eye(2)),
            "diagnostics": lambda: str(model.diagnostics()),
        }
    if hasattr(model, "boundary"):
        asked |= {
            "boundary": lambda: str(model.boundary(0, 1)),
            "boundary's function": lambda: boundary_at_zero(model),
            "discriminants": lambda: model.discriminant_functions().b,
        }
    if hasattr(model, "condition"):
        asked["condition"] = lambda: model.condition({0: 1.0}).n_features_in_
    if isinstance(model, gauda.QDA):
        asked["rotations_"] = lambda: model.rotations_
        asked["scalings_"] = lambda: model.scalings_
    if isinstance(model, gauda.RegularizedDiscriminantAnalysisCV):
        asked["best_params_"] = lambda: list(model.best_params_.items())
    return asked


def saved_arrays(model):
    """Return what save writes, but for the times that a search has taken."""
    arrays, _ = model._state()  # noqa: SLF001 - what save writes
    return sorted(item for item in arrays.items() if "time" not in item[0])


def boundary_at_zero(model):
    boundary = model.boundary(0, 1)
    return boundary(np.zeros((2, len(boundary.b))))


MODELS = {
    "LDA": gauda.LDA(),
    "LDA, lsqr": gauda.LDA(solver="lsqr"),
    "LDA, eigen": gauda.LDA(solver="eigen", shrinkage=0.1),
    "QDA": gauda.QDA(),
    "RDA": gauda.RDA(alpha=0.3),
    "RDA-CV": gauda.RegularizedDiscriminantAnalysisCV([0, 0.5], [0, 0.5], cv=3),
    "GaussianNB": gauda.GaussianNB(),
    "BernoulliNB": gauda.BernoulliNB(),
    "CategoricalNB": gauda.CategoricalNB(),
    "MixedNB": gauda.MixedNB(),
}
DISCRETE = {"BernoulliNB", "CategoricalNB"}
STEPWISE = [name for name, model in MODELS.items() if hasattr(model, "partial_fit")]
"""Models that learn batch by batch."""


@pytest.fixture(params=MODELS)
def name(request):
    return request.param


def data_of(name, n_classes, d, seed=0):
    return (levels_of if name in DISCRETE else numbers_of)(n_classes, d, seed)


def fitted(name, n_classes=3, d=3, seed=0):
    return clone(MODELS[name]).fit(*data_of(name, n_classes, d, seed))


def outcome(ask):
    """Return an answer, or the words of a refusal."""
    try:
        return ask()
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


def alike(got, expected):
    try:
        np.testing.assert_equal(got, expected)
    except AssertionError:
        return False
    return True


# The state may be replaced at any line of a call that reads


class Interruption:
    """Runs an action before the n-th line of gauda that is run."""

    def __init__(self, point, action):
        self.left, self.action = point, action

    def __call__(self, frame, event, _):
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                sys.settrace(None)
                self.action()
                return None
        return self

    def during(self, ask):
        before = sys.gettrace()
        sys.settrace(self)
        try:
            return outcome(ask)
        finally:
            sys.settrace(before)


def lines_of(ask):
    counter = Interruption(1 << 60, None)
    counter.during(ask)
    return (1 << 60) - counter.left


def as_after_a_batch(model):
    """Return a state whose model is still to be made."""
    return vars(model) | {"_fitted": replace(model._fitted, memo=Memo())}  # noqa: SLF001 - all of it


@pytest.mark.parametrize(("d", "unsettled"), [(3, True), (4, False)])
def test_a_reader_answers_by_one_state(name, d, unsettled):
    X, y = data_of(name, 3, 3)
    old, new = fitted(name), fitted(name, 2, d, seed=1)
    model = copy.copy(old)
    asked = answers(model, X, y) | figures(model)
    others = answers(old, X, y) | figures(old), answers(new, X, y) | figures(new)
    for key, ask in asked.items():
        possible = [outcome(other[key]) for other in others]

        state_of = as_after_a_batch if unsettled else lambda one: dict(vars(one))
        model.__dict__ = state_of(old)
        n_lines = lines_of(ask)
        assert n_lines > 0, key
        for point in np.unique(np.linspace(1, n_lines, POINTS).astype(int)):
            model.__dict__, second = state_of(old), state_of(new)
            interruption = Interruption(
                point, lambda second=second: setattr(model, "__dict__", second)
            )
            got = interruption.during(ask)
            assert any(alike(got, one) for one in possible), (key, point, got, possible)


# A fit shows nothing of itself until it is done


class Watching:
    """Rows that ask something whenever they are read."""

    def __init__(self, values, action):
        self.values, self.action = values, action
        self.shape, self.dtype = values.shape, values.dtype

    def __array__(self, dtype=None, copy=None):
        self.action()
        return np.array(self.values, dtype=dtype)

    def __len__(self):
        return len(self.values)


def changes(name, model, action):
    """Return calls that change a model, in the midst of which an action is run."""
    X, y = data_of(name, 2, 4, seed=1)
    same, labels = data_of(name, 3, 3, seed=2)
    calls = {"fit": lambda: model.fit(Watching(X, action), y)}
    if name != "RDA-CV":
        calls["partial_fit"] = lambda: model.partial_fit(Watching(same, action), labels)
    if hasattr(model, "predict_stream") and name != "RDA-CV":
        calls["fit_stream"] = lambda: model.fit_stream(batches(X, y, action))
    if isinstance(model, (gauda.QDA, gauda.RDA, gauda.GaussianNB)):
        priors = np.array([0.2, 0.3, 0.5])
        calls["set_params"] = lambda: model.set_params(priors=Watching(priors, action))
    return calls


def batches(X, y, action):
    for part in np.array_split(np.arange(len(y)), 3):
        action()
        yield X[part], y[part]
    action()


CHANGES = [(name, call) for name, model in MODELS.items() for call in changes(name, model, None)]


@pytest.mark.parametrize(("name", "call"), CHANGES)
def test_the_model_before_serves_until_the_next_is_complete(name, call):
    X, y = data_of(name, 3, 3)
    model = fitted(name)
    expected = {key: ask() for key, ask in answers(fitted(name), X, y).items()}
    seen = []

    def look():
        seen.append({key: ask() for key, ask in mine.items()})

    mine = answers(model, X, y)
    changes(name, model, look)[call]()
    assert seen
    for answered in seen:
        np.testing.assert_equal(answered, expected)
    if call in {"fit", "fit_stream"}:
        other = clone(MODELS[name]).fit(*data_of(name, 2, 4, seed=1))
        rows, _ = data_of(name, 2, 4, seed=3)
        np.testing.assert_allclose(model.predict_proba(rows), other.predict_proba(rows))


def test_no_line_of_a_fit_touches_the_state(name):
    X, y = data_of(name, 2, 4, seed=1)
    model = fitted(name)
    copied = dict(model.__dict__)
    before_the_fit = model._fitted  # noqa: SLF001 - the whole state
    parameters, unlike = model.get_params(), []

    def watch(frame, _event, _):
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        shown = dict(model.__dict__)
        state = shown["_fitted"]
        if state is before_the_fit:
            if shown != copied:
                unlike.append(frame.f_lineno)
        elif state.n_features != 4 or shown | {"_fitted": before_the_fit} != copied:
            unlike.append(frame.f_lineno)
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        model.fit(X, y)
    finally:
        sys.settrace(before)
    assert unlike == []
    assert model.get_params() == parameters
    assert model._fitted is not before_the_fit  # noqa: SLF001
    assert model.n_features_in_ == 4


def test_a_covariance_estimator_may_ask_the_model_that_is_fitted():
    X, y = numbers_of(3, 3, 0)
    other, labels = numbers_of(2, 4, 1)

    class Curious(OAS):
        def fit(self, rows, y=None):
            answered.append(model.predict_proba(X))
            return super().fit(rows, y)

    model = gauda.QDA(solver="eigen", covariance_estimator=OAS()).fit(X, y)
    expected, answered = model.predict_proba(X), []
    model.set_params(covariance_estimator=Curious()).fit(other, labels)
    assert len(answered) == 2
    np.testing.assert_array_equal(answered, [expected, expected])
    assert len(model.classes_) == 2


def test_before_the_first_fit_there_is_nothing_to_ask(name):
    X, y = data_of(name, 3, 3)
    model = clone(MODELS[name])

    def ask():
        with pytest.raises(NotFittedError):
            model.predict(X)

    assert model.fit(Watching(X, ask), y) is model


# Changes at the same time


@pytest.mark.parametrize("name", STEPWISE)
def test_two_batches_at_the_same_time_are_both_learnt(name):
    X, y = data_of(name, 3, 3)
    first, second, third = np.array_split(np.arange(90), 3)
    model = clone(MODELS[name]).partial_fit(X[first], y[first], classes=[0, 1, 2])
    others = [lambda: model.partial_fit(X[second], y[second])]
    model.partial_fit(Watching(X[third], lambda: others and others.pop()()), y[third])
    expected = clone(MODELS[name]).partial_fit(X[first], y[first], classes=[0, 1, 2])
    expected.partial_fit(X[second], y[second]).partial_fit(X[third], y[third])
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "call"),
    [*((name, "fit") for name in MODELS), *((name, "partial_fit") for name in STEPWISE)],
)
def test_parameters_set_during_a_fit_stay_set(name, call):
    X, y = data_of(name, 3, 3)
    model = fitted(name)
    getattr(model, call)(Watching(X, lambda: model.set_params(n_threads=2)), y)
    assert model.n_threads == 2
    model.fit(Watching(X, lambda: setattr(model, "n_threads", 3)), y)
    assert model.n_threads == 3


@pytest.mark.parametrize("estimator", [gauda.LDA, gauda.QDA, gauda.RDA, gauda.GaussianNB])
def test_priors_set_during_a_fit_are_those_of_the_model(estimator):
    X, y = numbers_of(3, 3, 0)
    priors = [0.7, 0.2, 0.1]
    model = estimator().fit(X, y)
    model.fit(Watching(X[:60], lambda: model.set_params(priors=priors)), y[:60])
    expected = estimator(priors=priors).fit(X[:60], y[:60]).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9, atol=1e-300)


def test_a_failed_fit_changes_nothing(name):
    X, y = data_of(name, 3, 3)
    model = fitted(name)
    state, copied = model.__dict__, dict(model.__dict__)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, y[:-1])
    assert model.__dict__ is state
    assert state.keys() == copied.keys()


# Threads


@pytest.fixture
def eager_threads():
    """Have Python switch threads as often as it can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def together(calls):
    """Run calls in threads; return the errors that they end with."""
    errors = []

    def run(call):
        try:
            call()
        except BaseException as error:  # noqa: BLE001 - told to the test
            errors.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


@pytest.mark.usefixtures("eager_threads")
@pytest.mark.parametrize("d", [3, 4])
def test_threads_are_answered_by_one_model_or_the_other(name, d):
    X, y = data_of(name, 3, 3)
    data = [(X, y), data_of(name, 2, d, seed=1)]
    model = clone(MODELS[name]).set_params(n_threads=1).fit(*data[0])
    models = [clone(model).fit(*rows) for rows in data]
    possible = [
        {key: outcome(ask) for key, ask in (answers(one, X, y) | figures(one)).items()}
        for one in models
    ]
    asked = answers(model, X, y) | figures(model)
    done = threading.Event()

    def read(shift):
        keys = list(asked)
        keys = keys[shift:] + keys[:shift]
        finished = False
        while not finished:
            finished = done.is_set()
            for key in keys:
                got = outcome(asked[key])
                assert any(alike(got, one[key]) for one in possible), (key, got)

    def fit():
        try:
            for turn in range(6):
                model.fit(*data[(turn + 1) % 2])
        finally:
            done.set()

    assert together([fit, lambda: read(0), lambda: read(len(asked) // 2)]) == []


@pytest.mark.usefixtures("eager_threads")
@pytest.mark.parametrize("name", STEPWISE)
def test_threads_may_all_be_the_first_to_ask(name):
    X, y = data_of(name, 3, 3)
    expected = fitted(name).predict_proba(X)
    for _ in range(5):
        model = clone(MODELS[name]).partial_fit(X, y, classes=[0, 1, 2])

        def ask(model=model):
            for _ in range(3):
                np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-12)
                pickle.dumps(model)
                copy.deepcopy(model)
                assert len(model.classes_) == 3

        assert together([ask] * 6) == []


@pytest.mark.usefixtures("eager_threads")
@pytest.mark.parametrize("name", STEPWISE)
def test_threads_that_learn_lose_no_batch(name):
    X, y = data_of(name, 3, 3)
    parts = np.array_split(np.arange(90), 6)
    model = clone(MODELS[name]).partial_fit(X[parts[0]], y[parts[0]], classes=[0, 1, 2])
    learn = [lambda part=part: model.partial_fit(X[part], y[part]) for part in parts[1:]]
    assert together(learn) == []
    np.testing.assert_allclose(
        model.predict_log_proba(X), fitted(name).predict_log_proba(X), rtol=1e-7, atol=1e-9
    )


@pytest.mark.usefixtures("eager_threads")
def test_named_columns_of_transform_are_of_one_state():
    X, y = numbers_of(4, 3, 0)
    model = gauda.LDA().set_output(transform="pandas").fit(X, y)
    two = np.minimum(y, 1)
    done = threading.Event()

    def read():
        finished = False
        while not finished:
            finished = done.is_set()
            assert model.transform(X).shape[1] in {1, 3}

    def fit():
        try:
            for turn in range(20):
                model.fit(X, two if turn % 2 else y)
        finally:
            done.set()

    assert together([fit, read, read]) == []


@pytest.mark.parametrize("name", ["LDA", "QDA", "RDA", "GaussianNB"])
def test_a_stream_is_scored_by_one_model(name, tmp_path):
    X, _ = numbers_of(3, 3, 0)
    model = fitted(name)
    expected = model.predict(X)

    def rows():
        for part in np.array_split(X, 3):
            yield part
            model.fit(*numbers_of(2, 4, 1))

    model.predict_stream(rows(), tmp_path / "out.parquet", progress=False)
    got = pl.read_parquet(tmp_path / "out.parquet")["label"].to_numpy()
    np.testing.assert_array_equal(got, expected)
