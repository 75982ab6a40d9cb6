"""Processes: a child forked after the parent used its threads works, and Ctrl-C is heard."""

import os
import pickle
import signal
import time
from threading import Event, Thread

import numpy as np
import pytest
from support import FORK, MODELS, PATIENCE, fitted, in_child, ours, receive, start_child

# Newer Pythons warn whenever a process with threads forks.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

LDA, QDA, NB = MODELS
N, D, K = 200_000, 20, 4
CODES = np.random.default_rng(61).integers(0, K, N)
X = np.random.default_rng(62).normal(size=(N, D)) + np.eye(K, D)[CODES]


@pytest.fixture(params=MODELS)
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


# Ctrl-C: calls of many seconds on a row that is read again and again

WIDE, MANY = 400, 30


@pytest.fixture(scope="module")
def wide():
    """Data of 30 classes in 400 columns, just enough of it for QDA."""
    y = np.arange(MANY * (WIDE + 20)) % MANY
    return np.random.default_rng(3).normal(size=(len(y), WIDE)), y


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("name", "method", "rows"),
    [
        (LDA, "fit", 3_000_000),
        (QDA, "fit", 3_000_000),
        (NB, "fit", 60_000_000),
        (LDA, "score_samples", 4_000_000),
        (QDA, "mahalanobis", 300_000),
        (NB, "score_samples", 8_000_000),
    ],
)
def test_interrupt_ends_a_long_call_within_a_second_and_changes_nothing(
    wide, name, method, rows, threads
):
    model = ours(name, n_threads=threads).fit(*wide)
    repeated = np.broadcast_to(wide[0][0], (rows, WIDE))
    y = np.tile(np.arange(MANY, dtype="i1"), rows // MANY)
    arguments = (repeated, y) if method == "fit" else (repeated,)

    def interrupted(pipe):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        before = pickle.dumps([model, model.predict_proba(wide[0][:50])])
        stopped = np.inf
        pipe.send("ready")
        try:
            getattr(model, method)(*arguments)
        except KeyboardInterrupt:
            stopped = time.monotonic()
        assert pickle.dumps([model, model.predict_proba(wide[0][:50])]) == before
        return stopped

    child, receiver = start_child(interrupted)
    assert receive(child, receiver) == "ready"
    time.sleep(0.5)
    sent = time.monotonic()
    os.kill(child.pid, signal.SIGINT)
    stopped = receive(child, receiver)
    child.join()
    assert sent < stopped < sent + 1


def test_interrupt_is_heard_during_linear_algebra():
    """A repeated column asks for the eigenvalues of 1500 x 1500, which take seconds."""
    X = np.random.default_rng(0).normal(size=(3000, 1500))
    X[:, 7] = X[:, 3]
    y = np.arange(3000) % 3

    def interrupted(pipe):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        pipe.send("ready")
        try:
            ours(LDA, n_threads=1).fit(X, y)
        except KeyboardInterrupt:
            return time.monotonic()
        return np.inf

    child, receiver = start_child(interrupted)
    assert receive(child, receiver) == "ready"
    time.sleep(1)
    sent = time.monotonic()
    os.kill(child.pid, signal.SIGINT)
    assert sent < receive(child, receiver) < sent + 1
    child.join()
