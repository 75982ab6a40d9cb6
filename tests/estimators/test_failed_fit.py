"""Nothing is lost: after a fit or partial_fit that failed, the estimator is what it was before."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from models import GAUSSIAN, STEPWISE
from sklearn.exceptions import NotFittedError
from support import MODELS, answers, fitted, ours

LDA, QDA, NB = MODELS
CODES = np.arange(90) % 3
X = np.random.default_rng(41).normal(size=(90, 4)) + np.eye(3, 4)[CODES]
ONES = np.ones(90)
TABLE = pd.DataFrame(2 * X, columns=["a", "b", "c", "d"])
ERRORS = (ValueError, TypeError, np.linalg.LinAlgError, NotImplementedError)


class Broken:
    """A covariance estimator that fails half way through the classes."""

    def __init__(self):
        self.calls = 0

    def fit(self, data):
        self.calls += 1
        if self.calls % 2 == 0:
            raise ValueError("out of order")
        self.covariance_ = np.cov(data.T)
        return self


def put(values, row, column, value):
    values = np.array(values, dtype="f8")
    values[row, column] = value
    return values


# X, y, weights: each is refused by all three models.
BATCHES = {
    "NaN": (put(X, 80, 1, np.nan), CODES, None),
    "infinity": (put(X, 80, 1, np.inf), CODES, None),
    "too large": (put(X, 80, 1, 1e200), CODES, None),
    "no rows": (X[:0], CODES[:0], None),
    "one dimension": (X[:, 0], CODES, None),
    "complex": (X + 1j, CODES, None),
    "strings": (np.full((90, 4), "a"), CODES, None),
    "y too short": (X, CODES[:-1], None),
    "y with NaN": (X, np.where(CODES == 1, np.nan, CODES), None),
    "negative weight": (X, CODES, np.where(np.arange(90) == 70, -1.0, 1.0)),
    "no weight at all": (X, CODES, 0 * ONES),
    "weights too short": (X, CODES, ONES[:-1]),
    "names and NaN": (pd.DataFrame(put(X, 9, 3, np.nan), columns=list("wxyz")), CODES, None),
}
# Parameters, X: what one model refuses.
REFUSALS = {
    "too many components": (LDA, {"n_components": 3}, X),
    "shrinkage by svd": (LDA, {"shrinkage": 0.5}, X),
    "unknown solver": (LDA, {"solver": "magic"}, X),
    "negative priors of LDA": (LDA, {"priors": [0.5, 0.6, -0.1]}, X),
    "broken estimator of LDA": (LDA, {"solver": "lsqr", "covariance_estimator": Broken()}, X),
    "singular class": (QDA, {}, np.column_stack([X[:, :3], CODES])),
    "negative priors of QDA": (QDA, {"priors": [0.5, 0.6, -0.1]}, X),
    "broken estimator of QDA": (QDA, {"solver": "eigen", "covariance_estimator": Broken()}, X),
    "zero variance": (NB, {"var_smoothing": 0.0}, np.column_stack([X[:, :3], CODES])),
    "priors that sum to 1.1": (NB, {"priors": [0.2, 0.3, 0.6]}, X),
}


@pytest.fixture(params=[name for name in GAUSSIAN if name in STEPWISE])
def name(request):
    return request.param


def snapshot(model, data):
    """Copy everything that could be lost: what it reads as, what it answers, what is stored."""
    return copy.deepcopy([fitted(model), answers(model, data), pickle.dumps(model)])


def fitted_on_the_table(name):
    """Fit on named columns and strings, so that a failed fit has something to overwrite."""
    return ours(name).fit(TABLE, np.array(["ant", "bee", "cicada"])[CODES])


@pytest.mark.parametrize("batch", BATCHES)
def test_failed_fit_leaves_the_previous_one(name, batch):
    data, y, weights = BATCHES[batch]
    model = fitted_on_the_table(name)
    before = snapshot(model, TABLE)
    with pytest.raises(ERRORS):
        model.fit(data, y, sample_weight=weights)
    np.testing.assert_equal(snapshot(model, TABLE), before)


@pytest.mark.parametrize("refusal", REFUSALS)
def test_fit_refused_for_a_parameter_leaves_the_previous_one(refusal):
    name, parameters, data = REFUSALS[refusal]
    model = fitted_on_the_table(name)
    defaults = model.get_params()
    before = snapshot(model, TABLE)
    with pytest.raises(ERRORS):
        model.set_params(**parameters).fit(data, CODES)
    np.testing.assert_equal(snapshot(model.set_params(**defaults), TABLE), before)


@pytest.mark.parametrize("batch", BATCHES)
def test_failed_first_fit_leaves_nothing_behind(name, batch):
    data, y, weights = BATCHES[batch]
    model = ours(name)
    with pytest.raises(ERRORS):
        model.fit(data, y, sample_weight=weights)
    assert vars(model) == vars(ours(name))
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_fit_after_a_failed_one_is_as_good_as_new(name):
    model = fitted_on_the_table(name)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(*BATCHES["NaN"])
    np.testing.assert_equal(fitted(model.fit(X, CODES)), fitted(ours(name).fit(X, CODES)))


WRONG_BATCHES = {
    **{batch: data for batch, data in BATCHES.items() if batch != "no weight at all"},
    "unseen label": (X, CODES + 1, None),
    "other columns": (X[:, :3], CODES, None),
}


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("batch", WRONG_BATCHES)
def test_failed_partial_fit_leaves_what_was_learnt(batch):
    data, y, weights = WRONG_BATCHES[batch]
    model = ours(NB).partial_fit(X, CODES, classes=[0, 1, 2])
    before = snapshot(model, X)
    with pytest.raises(ERRORS):
        model.partial_fit(data, y, sample_weight=weights)
    np.testing.assert_equal(snapshot(model, X), before)
    expected = ours(NB).partial_fit(X, CODES, classes=[0, 1, 2]).partial_fit(-X, CODES)
    np.testing.assert_equal(fitted(model.partial_fit(-X, CODES)), fitted(expected))


@pytest.mark.parametrize(
    ("classes", "words"),
    [
        (None, "classes must be passed on the first call to partial_fit"),
        ([0, 1], r"The target label\(s\) \[2\] in y do not exist in the initial classes \[0 1\]"),
    ],
)
def test_failed_first_partial_fit_leaves_nothing_behind(classes, words):
    model = ours(NB)
    with pytest.raises(ValueError, match=words):
        model.partial_fit(X, CODES, classes=classes)
    assert vars(model) == vars(ours(NB))


def test_classes_may_not_change_between_partial_fits():
    model = ours(NB).partial_fit(X, CODES, classes=[0, 1, 2])
    before = snapshot(model, X)
    with pytest.raises(ValueError, match="is not the same as on last call to partial_fit"):
        model.partial_fit(X, CODES, classes=[0, 1, 2, 3])
    np.testing.assert_equal(snapshot(model, X), before)
