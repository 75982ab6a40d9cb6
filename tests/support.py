"""What several test files need: the models, scikit-learn's namesakes, and how to compare them."""

import multiprocessing
import warnings
from contextlib import suppress
from pathlib import Path

import pytest
from models import MODELS as ALL
from sklearn.base import BaseEstimator

import gauda

# Of those that scikit-learn has too; tests/models.py lists all.
MODELS = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "GaussianNB"]
DENSITIES = ["predict_joint_log_proba", "score_samples", "mahalanobis"]
SCORES = ["predict_proba", "predict_log_proba", *DENSITIES]
FORK = multiprocessing.get_context("fork")
PATIENCE = 300  # seconds after which a child counts as hanging, on however slow a machine


def ours(name, *arguments, **parameters):
    """Make gauda's estimator of this name, or the one that the list of all models calls so."""
    if name in ALL:
        return ALL[name].make(*arguments, **parameters)
    return getattr(gauda, name)(*arguments, **parameters)


def by_name(selection):
    """Return the candidates of a selection by their names."""
    return {candidate.name: candidate for candidate in selection.candidates}


def fitted(estimator):
    """Collect everything that fitting has made, by name."""
    names = [name for name in dir(estimator) if name.endswith("_") and not name.startswith("_")]
    values = {name: getattr(estimator, name) for name in names if hasattr(estimator, name)}
    for name, value in values.items():
        if isinstance(value, BaseEstimator):  # which knows no equality
            values[name] = fitted(value)
        if name == "cv_results_":  # whose times differ from fit to fit
            values[name] = {key: table for key, table in value.items() if "_time" not in key}
    return values


def answers(estimator, X):
    """Collect what a fitted estimator says about X, by method."""
    methods = [method for method in [*SCORES, "predict"] if hasattr(estimator, method)]
    return {method: getattr(estimator, method)(X) for method in methods}


def outcome(call):
    """Say in words what a call leads to: its error, or else its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
        except Exception as error:  # noqa: BLE001 - compared by the caller, whatever it is
            return f"{type(error).__name__}: {error}"
    return [f"{warning.category.__name__}: {warning.message}" for warning in caught]


def threads_named(prefix):
    """Count the threads of this process whose names begin so."""
    count = 0
    for task in Path("/proc/self/task").glob("*/comm"):
        with suppress(OSError):  # it has ended meanwhile
            count += task.read_text().startswith(prefix)
    return count


def start_child(function):
    """Fork; the child calls the function with its pipe, then sends what it returned."""
    receiver, sender = FORK.Pipe(duplex=False)
    child = FORK.Process(target=lambda: sender.send(function(sender)))
    child.start()
    sender.close()
    return child, receiver


def receive(child, receiver):
    """Wait for what the child sends next."""
    if not receiver.poll(PATIENCE):
        child.kill()
        pytest.fail("the child hangs")
    return receiver.recv()


def in_child(function):
    """Call the function in a forked child."""
    child, receiver = start_child(lambda _: function())
    result = receive(child, receiver)
    child.join()
    return result


def note_calls(monkeypatch, module, name):
    """Return a list that grows with each call of a function of a module."""
    seen = []
    function = getattr(module, name)

    def note(*given):
        seen.append(given)
        return function(*given)

    monkeypatch.setattr(module, name, note)
    return seen
