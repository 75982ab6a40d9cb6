"""Processes: a child forked after the parent used its threads works, and Ctrl-C is heard."""

import os
import pickle
import signal
import time
from functools import cache
from threading import Event, Thread

import numpy as np
import pytest
from models import GAUSSIAN, STEPWISE
from support import (
    FORK,
    MODELS,
    PATIENCE,
    fitted,
    in_child,
    ours,
    receive,
    start_child,
    threads_named,
)

# Newer Pythons warn whenever a process with threads forks.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

LDA, QDA, NB = MODELS
N, D, K = 200_000, 20, 4
CODES = np.random.default_rng(61).integers(0, K, N)
X = np.random.default_rng(62).normal(size=(N, D)) + np.eye(K, D)[CODES]


@pytest.fixture(params=[name for name in GAUSSIAN if name in STEPWISE])
def name(request):
    return request.param


# Forks


def test_forked_child_answers_as_its_parent(name):
    model = ours(name, n_threads=2).fit(X, CODES)
    expected = model.predict_proba(X)
    np.testing.assert_equal(in_child(lambda: model.predict_proba(X)), expected)
    refitted = in_child(lambda: fitted(ours(name, n_threads=2).fit(X, CODES)))
    np.testing.assert_equal(refitted, fitted(model))
    np.testing.assert_equal(model.predict_proba(X), expected)


def test_bare_fork_works():
    model = ours(QDA, n_threads=2).fit(X, CODES)
    expected = model.predict(X)
    pid = os.fork()
    if pid == 0:
        os._exit(0 if np.array_equal(model.predict(X), expected) else 1)
    deadline = time.monotonic() + PATIENCE
    while (ended := os.waitpid(pid, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    if ended == (0, 0):
        os.kill(pid, signal.SIGKILL)
        pytest.fail("the child hangs")
    assert os.waitstatus_to_exitcode(ended[1]) == 0


def test_pool_of_forked_processes_works(name):
    model = ours(name, n_threads=2).fit(X, CODES)
    parts = np.array_split(X, 4)
    with FORK.Pool(2) as pool:
        got = pool.map_async(model.predict, parts).get(timeout=PATIENCE)
    np.testing.assert_array_equal(np.concatenate(got), model.predict(X))


def test_grandchild_works():
    expected = ours(NB, n_threads=2).fit(X, CODES).theta_
    got = in_child(lambda: in_child(lambda: ours(NB, n_threads=2).fit(X, CODES).theta_))
    np.testing.assert_array_equal(got, expected)


def test_fork_during_a_call_of_another_thread_works():
    model = ours(NB, n_threads=2).fit(X, CODES)
    expected = model.predict(X)
    done = Event()

    def work():
        while not done.is_set():
            ours(NB, n_threads=2).fit(X, CODES)

    worker = Thread(target=work)
    worker.start()
    try:
        for _ in range(10):
            np.testing.assert_array_equal(in_child(lambda: model.predict(X)), expected)
    finally:
        done.set()
        worker.join()


# Ctrl-C. A call that does not hear it goes on for longer than patience lasts.

MANY, WIDE, WIDEST = 30, 400, 20_000


@cache
def sample(width):
    """Give data of 30 classes, just enough of it for QDA in 400 columns."""
    n = MANY * (WIDE + 20) if width == WIDE else 2 * MANY
    return np.random.default_rng(3).normal(size=(n, width)), np.arange(n) % MANY


def interrupt_child(call, state):
    """Interrupt a call in a forked child; tell whether it ended so and left the state alone."""

    def interrupted(pipe):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        before = pickle.dumps(state())
        try:
            pipe.send("ready")
            call()
        except KeyboardInterrupt:
            return pickle.dumps(state()) == before
        return False

    child, receiver = start_child(interrupted)
    assert receive(child, receiver) == "ready"
    time.sleep(0.5)  # as a rule the core is at work by then
    os.kill(child.pid, signal.SIGINT)
    undisturbed = receive(child, receiver)
    child.join()
    return undisturbed


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("name", "method", "width", "rows"),
    [
        (LDA, "fit", WIDE, 60_000_000),
        (QDA, "fit", WIDE, 60_000_000),
        (NB, "fit", WIDEST, 60_000_000),
        (LDA, "score_samples", WIDE, 60_000_000),
        (QDA, "mahalanobis", WIDE, 5_000_000),
        (NB, "score_samples", WIDEST, 10_000_000),
    ],
)
def test_interrupt_ends_a_long_call_and_changes_nothing(name, method, width, rows, threads):
    X, y = sample(width)
    model = ours(name, n_threads=threads).fit(X, y)
    repeated = np.broadcast_to(X[0], (rows, width))
    labels = [np.tile(np.arange(MANY, dtype="i1"), rows // MANY)] if method == "fit" else []
    assert interrupt_child(
        lambda: getattr(model, method)(repeated, *labels),
        lambda: [model, model.predict_proba(X[:50])],
    )


def interrupt_algebra():
    """Interrupt linear algebra under way; tell whether it was left behind, still at work.

    A repeated column asks for the eigenvalues of 700 x 700, which take their time.
    """
    X = np.random.default_rng(0).normal(size=(1000, 700))
    X[:, 7] = X[:, 3]

    def interrupt():
        while not threads_named("gauda-algebra"):
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    signal.signal(signal.SIGINT, signal.default_int_handler)
    Thread(target=interrupt, daemon=True).start()
    try:
        ours(LDA, n_threads=1).fit(X, np.arange(1000) % 3)
    except KeyboardInterrupt:
        return threads_named("gauda-algebra") > 0
    return False


def test_interrupt_is_heard_during_linear_algebra():
    assert any(in_child(interrupt_algebra) for _ in range(10))
