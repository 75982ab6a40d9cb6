"""Pickles between processes: a fresh interpreter answers and goes on learning as the first did."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from models import GAUSSIAN, STEPWISE
from models import MODELS as ALL
from support import PATIENCE, answers, fitted, ours

import gauda

CODES = np.arange(120) % 3
X = np.random.default_rng(5).normal(size=(120, 4)) + np.eye(3, 4)[CODES]
SPECIES = np.array(["setosa", "versicolor", "virginica"])[CODES]
HALVES = slice(0, 60), slice(60, 120)
READER = """
import pickle, sys
model, calls = pickle.load(sys.stdin.buffer)
results = [getattr(model, method)(*arguments) for method, *arguments in calls]
pickle.dump(results, sys.stdout.buffer)
"""


ALL_READER = """
import copy, pickle, sys
results = []
for model, (X, y) in zip(*pickle.load(sys.stdin.buffer)):
    before, labels = model.predict_log_proba(X), model.predict(X)
    batch = copy.deepcopy(model).partial_fit(X, y) if hasattr(model, "partial_fit") else model
    answers = before, labels, batch.predict_log_proba(X)
    results.append((*answers, model.fit(X, y).predict_log_proba(X)))
pickle.dump(results, sys.stdout.buffer)
"""


def run(code, given):
    """Run code elsewhere that reads a pickle, and return the one that it writes."""
    ended = subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-c", code],
        input=pickle.dumps(given),
        capture_output=True,
        check=True,
        timeout=PATIENCE,
    )
    return ended.stdout


def in_fresh_interpreter(model, *calls):
    """Call methods of a pickled model elsewhere; return the results, pickled on their way back."""
    return pickle.loads(run(READER, (model, calls)))  # noqa: S301 - our own


def test_models_of_all_kinds_answer_and_learn_alike_in_another_process():
    models = [entry.fitted() for entry in ALL.values()]
    rows = [entry.data(seed=1) for entry in ALL.values()]
    found = pickle.loads(run(ALL_READER, (models, rows)))  # noqa: S301 - our own
    for name, model, (X, y), (before, labels, batch, after) in zip(
        ALL, models, rows, found, strict=True
    ):
        np.testing.assert_array_equal(before, model.predict_log_proba(X), err_msg=name)
        np.testing.assert_array_equal(labels, model.predict(X), err_msg=name)
        if name in STEPWISE:
            expected = model.partial_fit(X, y).predict_log_proba(X)
            np.testing.assert_array_equal(batch, expected, err_msg=name)
        expected = model.fit(X, y).predict_log_proba(X)
        np.testing.assert_array_equal(after, expected, err_msg=name)


@pytest.mark.parametrize("name", [name for name in GAUSSIAN if name in STEPWISE])
def test_pickled_model_answers_and_is_fitted_alike_in_another_process(name):
    model = ours(name, unbiased=True, priors=[0.2, 0.3, 0.5]).fit(X.astype("f4"), SPECIES)
    posteriors, log_densities, refitted = in_fresh_interpreter(
        model, ("predict_proba", X), ("score_samples", X), ("fit", -X, CODES)
    )
    np.testing.assert_equal(posteriors, model.predict_proba(X))
    np.testing.assert_equal(log_densities, model.score_samples(X))
    model.fit(-X, CODES)
    np.testing.assert_equal(fitted(refitted), fitted(model))
    np.testing.assert_equal(answers(refitted, X), answers(model, X))


@pytest.mark.parametrize("name", [name for name in GAUSSIAN if name in STEPWISE])
def test_pickled_model_goes_on_learning_in_another_process(name):
    model = ours(name).partial_fit(X[:50], CODES[:50], classes=[0, 1, 2])
    (returned,) = in_fresh_interpreter(model, ("partial_fit", X[50:], CODES[50:]))
    model.partial_fit(X[50:], CODES[50:])
    np.testing.assert_equal(answers(returned, X), answers(model, X))


def test_pickled_moments_add_up_in_another_process():
    first, second = (gauda.Moments.from_data(X[half], CODES[half]) for half in HALVES)
    (total,) = in_fresh_interpreter(first, ("__add__", second))
    np.testing.assert_equal(total.means, (first + second).means)
    np.testing.assert_equal(total.scatter, (first + second).scatter)
