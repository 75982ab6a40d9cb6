"""Threads: any number gives the same bits, the number asked for is used, and Python runs on."""

import os
import pickle
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Event, Thread

import numpy as np
import pytest
from models import GAUSSIAN
from support import MODELS, PATIENCE, answers, fitted, in_child, ours, threads_named

# Newer Pythons warn whenever a process with threads forks.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

LDA, QDA, NB = MODELS
VARIABLES = ["GAUDA_NUM_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS"]

N, D, K = 200_000, 20, 4
RNG = np.random.default_rng(51)
CODES = RNG.integers(0, K, N)
X = RNG.normal(size=(N, D)) + RNG.normal(size=(K, D))[CODES]
WEIGHTS = RNG.exponential(size=N)
CONFIGURATIONS = {
    LDA: {},
    f"{LDA}, Ledoit-Wolf": {"solver": "lsqr", "shrinkage": "auto"},
    QDA: {"store_covariance": True},
    f"{QDA}, Ledoit-Wolf": {"solver": "eigen", "shrinkage": "auto"},
    NB: {},
}


def configured(configuration, **parameters):
    return ours(configuration.split(",")[0], **CONFIGURATIONS[configuration], **parameters)


@pytest.fixture(params=GAUSSIAN)
def name(request):
    return request.param


# The same bits with any number of threads


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_fit_is_the_same_with_any_number_of_threads(configuration, weights):
    one, two, three = (
        fitted(configured(configuration, n_threads=threads).fit(X, CODES, sample_weight=weights))
        for threads in (1, 2, 3)
    )
    np.testing.assert_equal(two, one)
    np.testing.assert_equal(three, one)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_scores_are_the_same_with_any_number_of_threads(name, dtype):
    model = ours(name).fit(X, CODES)
    one, two, three = (
        answers(model.set_params(n_threads=threads), X.astype(dtype)) for threads in (1, 2, 3)
    )
    np.testing.assert_equal(two, one)
    np.testing.assert_equal(three, one)


def test_partial_fit_is_the_same_with_any_number_of_threads():
    def learn(threads):
        model = ours(NB, n_threads=threads)
        for part in np.array_split(np.arange(N), 3):
            model.partial_fit(X[part], CODES[part], np.arange(K), WEIGHTS[part])
        return fitted(model)

    np.testing.assert_equal(learn(2), learn(1))
    np.testing.assert_equal(learn(3), learn(1))


# How many threads: seen in a fresh child, where none of ours runs yet


def count_workers(at_least):
    """Count our threads in this process, which may take a moment to begin."""
    end = time.monotonic() + PATIENCE / 2
    while True:
        running = threads_named("gauda-")
        if running >= at_least or time.monotonic() > end:
            return running
        time.sleep(0.01)


def workers(environment, n_threads=None, cores=None, at_least=0):
    """Count the threads that a large fit starts beside the caller's, in this environment."""

    def fit_and_count():
        for variable in VARIABLES:
            os.environ.pop(variable, None)
        os.environ.update(environment)
        if cores:
            os.sched_setaffinity(0, set(list(os.sched_getaffinity(0))[:cores]))
        ours(NB, n_threads=n_threads).fit(X, CODES)
        return count_workers(at_least)

    return in_child(fit_and_count)


@pytest.mark.parametrize(
    ("values", "n_threads", "expected"),
    [
        ((None, None, "3"), None, 3),
        ((None, "4", "3"), None, 4),
        (("5", "4", "3"), None, 5),
        (("5", "4", "3"), 2, 2),
        ((None, None, "3,2"), None, 3),
        (("many", "4", "3"), None, 4),
        (("0", "", "3"), None, 3),
    ],
)
def test_threads_follow_the_parameter_then_each_variable_in_turn(values, n_threads, expected):
    environment = {
        v: value for v, value in zip(VARIABLES, values, strict=True) if value is not None
    }
    assert workers(environment, n_threads, at_least=expected - 1) == expected - 1


def test_one_thread_is_the_callers_own():
    assert workers({}, n_threads=1) == 0
    assert workers({"OMP_NUM_THREADS": "1"}) == 0


def test_threads_follow_the_cores_of_the_process_when_nothing_is_set():
    assert workers({}, cores=1) == 0


def test_small_fit_starts_no_thread():
    def fit_and_count():
        ours(NB, n_threads=3).fit(X[:100], CODES[:100]).predict(X[:100])
        return count_workers(at_least=0)

    assert in_child(fit_and_count) == 0


# Python's own threads


SIZES = [1000 * 4**power for power in range(8)]
"""Rows of calls ever longer, until one is long enough for another thread to be let in."""


@pytest.fixture
def polite_threads():
    """Let threads run only when another gives way of its own accord, and not by the clock."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e6)
    yield
    sys.setswitchinterval(interval)


def ticks_during(call):
    """Count how often another thread of Python's runs while a call is made."""
    ticks = count()
    done = Event()

    def tick():
        while not done.is_set():
            next(ticks)
            time.sleep(0)  # gives way

    ticker = Thread(target=tick)
    ticker.start()
    time.sleep(0)
    before = next(ticks)
    call()
    after = next(ticks)
    done.set()
    ticker.join()
    return after - before - 1


@pytest.mark.usefixtures("polite_threads")
@pytest.mark.parametrize("threads", [1, 2])
def test_python_runs_on_during_a_call(name, threads):
    model = ours(name, n_threads=threads).fit(X[:2000], CODES[:2000])
    # One row, read again and again: it takes no memory, and numpy would not look at it.
    calls = (
        ticks_during(lambda n=n: model.score_samples(np.broadcast_to(X[0], (n, D)))) for n in SIZES
    )
    assert any(calls)


@pytest.mark.usefixtures("polite_threads")
def test_python_waits_during_a_call_that_does_not_let_it_run():
    assert ticks_during(lambda: sum(range(1_000_000))) == 0


def test_python_threads_fit_and_predict_at_the_same_time(name):
    def job(seed):
        rows = np.random.default_rng(seed).permutation(N)[:50_000]
        model = ours(name, n_threads=2).fit(X[rows], CODES[rows])
        return model.predict_log_proba(X[:50_000])

    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(job, range(8)))
    np.testing.assert_equal(together, [job(seed) for seed in range(8)])


def test_python_threads_share_an_estimator_fresh_from_pickle(name):
    model = ours(name).fit(X, CODES)
    shared = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(shared.predict_proba, [X] * 4))
    np.testing.assert_equal(together, [model.predict_proba(X)] * 4)
