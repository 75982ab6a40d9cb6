"""Pickles between processes: a fresh interpreter answers and goes on learning as the first did."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from support import MODELS, PATIENCE, answers, fitted, ours

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


def in_fresh_interpreter(model, *calls):
    """Call methods of a pickled model elsewhere; return the results, pickled on their way back."""
    ended = subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-c", READER],
        input=pickle.dumps((model, calls)),
        capture_output=True,
        check=True,
        timeout=PATIENCE,
    )
    return pickle.loads(ended.stdout)  # noqa: S301 - our own


@pytest.mark.parametrize("name", MODELS)
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


@pytest.mark.parametrize("name", MODELS)
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
