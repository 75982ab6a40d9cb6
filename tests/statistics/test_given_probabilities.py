"""Discrete and mixed models of given probabilities, against products of them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.utils.validation import check_is_fitted

import gauda
from gauda import BernoulliNB, CategoricalNB, MixedNB, MultinomialNB

PRIORS = np.array([0.5, 0.2, 0.3])
LABELS = ["oak", "elm", "fir"]
PRESENT = np.array([[0.9, 0.2], [0.3, 0.5], [0.0, 1.0]])
SIZE = np.array([[0.5, 0.3, 0.2], [0.1, 0.3, 0.6], [0.2, 0.8, 0.0]])
HAS = np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]])
TREES = {
    "height": ([20.0, 15.0, 30.0], [4.0, 9.0, 16.0]),
    "leaves": [0.9, 0.8, 0.0],
    "bark": {"rough": [0.7, 0.2, 0.5], "smooth": [0.3, 0.8, 0.5]},
}
MAKERS = {
    "BernoulliNB": lambda **given: BernoulliNB.from_parameters(PRESENT, **given),
    "CategoricalNB": lambda **given: CategoricalNB.from_parameters([SIZE, HAS], **given),
    "MultinomialNB": lambda **given: MultinomialNB.from_parameters(SIZE, **given),
    "MixedNB": lambda **given: MixedNB.from_parameters(TREES, **given),
}
ROWS = {
    "BernoulliNB": np.array([[1, 0], [0, 1], [1, 1]]),
    "CategoricalNB": np.array([[0, 1], [2, 1], [1, 0]]),
    "MultinomialNB": np.array([[3, 1, 0], [0, 2, 0], [1, 0, 4]]),
    "MixedNB": pd.DataFrame(
        {"height": [21.0, 12.0, 33.0], "leaves": [True, True, False], "bark": ["rough"] * 3}
    ),
}


def densities(name):
    """Return p(x | k) of each row and class."""
    X = ROWS[name]
    if name == "BernoulliNB":
        return np.array([np.prod(np.where(x, PRESENT, 1 - PRESENT), axis=1) for x in X])
    if name == "CategoricalNB":
        return np.array([SIZE[:, a] * HAS[:, b] for a, b in X])
    if name == "MultinomialNB":
        return np.array([np.prod(SIZE**x, axis=1) for x in X])
    means, variances = TREES["height"]
    heights = stats.norm.pdf(X["height"].to_numpy()[:, None], means, np.sqrt(variances))
    leaves = np.where(X["leaves"].to_numpy()[:, None], TREES["leaves"], 1 - np.array([0.9, 0.8, 0]))
    return heights * leaves * np.array(TREES["bark"]["rough"])


@pytest.fixture(params=MAKERS)
def name(request):
    return request.param


def test_posteriors_are_those_of_products(name):
    joint = densities(name) * PRIORS
    model = MAKERS[name](priors=PRIORS)
    expected = joint / joint.sum(axis=1, keepdims=True)
    assert_allclose(model.predict_proba(ROWS[name]), expected, rtol=1e-12, atol=1e-300)
    assert_allclose(model.score_samples(ROWS[name]), np.log(joint.sum(axis=1)), rtol=1e-12)
    check_is_fitted(model)


def test_priors_are_equal_by_default_and_go_by_class(name):
    equal = densities(name)
    found = MAKERS[name]().predict_proba(ROWS[name])
    assert_allclose(found, equal / equal.sum(axis=1, keepdims=True), rtol=1e-12)
    by_class = dict(zip(LABELS, PRIORS.tolist(), strict=True))
    model = MAKERS[name](priors=by_class, classes=LABELS)
    assert_array_equal(model.classes_, sorted(LABELS))
    plain = MAKERS[name](priors=PRIORS).predict_proba(ROWS[name])
    assert_allclose(model.predict_proba(ROWS[name]), plain[:, np.argsort(LABELS)], rtol=1e-14)


def test_a_model_of_what_a_fit_has_found_is_that_fit():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = rng.integers(0, 3, (200, 4))
    fits = [
        (BernoulliNB, BernoulliNB().fit(X, y), lambda nb: np.exp(nb.feature_log_prob_)),
        (MultinomialNB, MultinomialNB().fit(X, y), lambda nb: np.exp(nb.feature_log_prob_)),
        (
            CategoricalNB,
            CategoricalNB().fit(X, y),
            lambda nb: [np.exp(table) for table in nb.feature_log_prob_],
        ),
    ]
    for kind, model, probabilities in fits:
        priors = np.exp(model.class_log_prior_)
        other = kind.from_parameters(probabilities(model), priors)
        assert_allclose(other.predict_proba(X), model.predict_proba(X), rtol=1e-10)


def test_a_class_weighs_as_much_as_one_row_when_rows_come():
    model = BernoulliNB.from_parameters([[0.5], [1.0]], classes=["a", "b"])
    model.partial_fit([[1], [1], [0]], ["a", "a", "b"])
    assert_array_equal(model.feature_count_, [[2.5], [1.0]])
    assert_array_equal(model.class_count_, [3.0, 2.0])


def test_files_and_copies_hold_the_model(name, tmp_path):
    model = MAKERS[name](priors=PRIORS, classes=LABELS)
    model.save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    assert_array_equal(loaded.predict_proba(ROWS[name]), model.predict_proba(ROWS[name]))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: BernoulliNB.from_parameters([[0.5], [1.5]]), "between 0 and 1"),
        (lambda: BernoulliNB.from_parameters([[0.5], [np.nan]]), "between 0 and 1"),
        (lambda: BernoulliNB.from_parameters([0.5, 0.5]), "a row for each class"),
        (lambda: BernoulliNB.from_parameters([[0.5]], classes=["a", "b"]), "as many distinct"),
        (lambda: BernoulliNB.from_parameters([[0.5], [0.4]], [1.0]), "as many distinct"),
        (lambda: CategoricalNB.from_parameters([[[0.5, 0.4]]]), "must sum to 1"),
        (lambda: CategoricalNB.from_parameters([]), "at least one column"),
        (lambda: CategoricalNB.from_parameters([SIZE, HAS[:2]]), "in every column"),
        (lambda: MultinomialNB.from_parameters([[0.5, 0.4]]), "must sum to 1"),
        (lambda: MixedNB.from_parameters({"x": ([0.0], [0.0])}), "positive variances"),
        (lambda: MixedNB.from_parameters({"x": ([0.0], [1.0, 2.0])}), "as many means"),
        (lambda: MixedNB.from_parameters({"x": [0.5, 1.5]}), "between 0 and 1"),
        (lambda: MixedNB.from_parameters({"x": {"a": [0.5], "b": [0.4]}}), "must sum to 1"),
        (lambda: MixedNB.from_parameters({"x": [0.5], "z": [0.5, 0.4]}), "value for each class"),
        (lambda: MixedNB.from_parameters({}), "mapping by name or a sequence"),
        (lambda: MixedNB.from_parameters("abc"), "mapping by name or a sequence"),
        (lambda: BernoulliNB.from_parameters(PRESENT, alpha=1.0), "Set alpha=0.0"),
        (lambda: CategoricalNB.from_parameters([HAS], alpha=[1.0]), "Set alpha=0.0"),
        (lambda: BernoulliNB.from_parameters(PRESENT, prior_a=2.0), "Set prior_a=None"),
        (lambda: MixedNB.from_parameters(TREES, var_smoothing=0.1), "Set var_smoothing=0.0"),
        (lambda: BernoulliNB.from_parameters(PRESENT, class_weight={0: 2}), "class_weight"),
    ],
)
def test_what_cannot_be_given_is_refused(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
