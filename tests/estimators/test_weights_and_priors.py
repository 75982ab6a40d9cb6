"""Weights and priors: nonsense is refused, a zero takes its row or class out."""

import numpy as np
import pytest
from models import GAUSSIAN, taken
from models import MODELS as ALL
from peers import needs, theirs
from support import MODELS, ours, outcome

LDA, QDA, NB = MODELS
CODES = np.arange(90) % 3
X = np.random.default_rng(31).normal(size=(90, 4)) + np.eye(3, 4)[CODES]
INSECTS = np.array(["ant", "bee", "cicada"])[CODES]


@pytest.fixture
def rows(name):
    """Draw rows that suit the model."""
    return ALL[name].draw(CODES, np.random.default_rng(31))


def ones_but(value, row):
    weights = np.ones(90)
    weights[row] = value
    return weights


# Weights


def test_negative_weight_is_named_by_row(name, rows):
    with pytest.raises(ValueError, match=r"-0\.5 at row 57\b"):
        ours(name).fit(rows, CODES, sample_weight=ones_but(-0.5, 57))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weight_that_is_not_finite_is_refused(name, rows, value):
    expected = outcome(lambda: theirs(NB).fit(X, CODES, sample_weight=ones_but(value, 57)))
    word = "NaN" if np.isnan(value) else "infinity"
    assert expected.startswith(f"ValueError: Input sample_weight contains {word}")
    with pytest.raises(ValueError, match=f"sample_weight contains {word}"):
        ours(name).fit(rows, CODES, sample_weight=ones_but(value, 57))


@pytest.mark.parametrize("weights", [np.zeros(90), 0.0, np.zeros(90, dtype=int)])
@needs("refused weights")
def test_weights_that_are_all_zero_are_refused_in_scikit_learns_words(name, rows, weights):
    expected = outcome(lambda: theirs(NB).fit(X, CODES, sample_weight=weights))
    assert expected.startswith("ValueError: ")
    assert outcome(lambda: ours(name).fit(rows, CODES, sample_weight=weights)) == expected


@pytest.mark.parametrize("weights", [np.ones(89), np.ones((90, 1)), np.ones((90, 2)), ["a"] * 90])
def test_weights_of_another_shape_or_kind_are_refused_in_scikit_learns_words(name, rows, weights):
    expected = outcome(lambda: theirs(NB).fit(X, CODES, sample_weight=weights))
    assert expected.startswith("ValueError: ")
    assert outcome(lambda: ours(name).fit(rows, CODES, sample_weight=weights)) == expected


def test_weights_whose_sum_overflows_are_refused(name, rows):
    with pytest.raises(ValueError, match=r"(?i)weight"):
        ours(name).fit(rows, CODES, sample_weight=np.full(90, 1e308))


DIAGONAL = [NB, "ShrunkenCentroids"]
"""Models with an answer for classes of which nothing is known: their posterior is 0."""


@pytest.mark.parametrize("name", [name for name in GAUSSIAN if name not in DIAGONAL])
def test_class_without_weight_is_named(name):
    with pytest.raises(ValueError, match=r"\bbee\b"):
        ours(name).fit(X, INSECTS, sample_weight=np.where(INSECTS == "bee", 0.0, 1.0))


@pytest.mark.parametrize("name", DIAGONAL)
def test_class_without_weight_has_prior_zero_in_naive_bayes(name):
    model = ours(name).fit(X, INSECTS, sample_weight=np.where(INSECTS == "bee", 0.0, 1.0))
    priors = model.class_prior_ if name == NB else model.priors_
    np.testing.assert_array_equal(priors, [0.5, 0.0, 0.5])
    np.testing.assert_array_equal(model.predict_proba(X)[:, 1], np.zeros(90))
    np.testing.assert_array_equal(model.predict_log_proba(X)[:, 1], np.full(90, -np.inf))


def test_row_without_weight_is_as_good_as_absent(name, rows):
    weights = (np.arange(90) % 5 != 0).astype("f8")
    got = ours(name).fit(rows, CODES, sample_weight=weights).predict_log_proba(rows)
    kept = weights > 0
    expected = ours(name).fit(taken(rows, kept), CODES[kept])
    # scikit-learn smooths naive Bayes by the variance of all rows, whatever their weight.
    tolerance = 1e-6 if name == NB else 1e-11
    np.testing.assert_allclose(
        got, expected.predict_log_proba(rows), rtol=tolerance, atol=tolerance
    )


def test_one_weight_for_all_changes_nothing_but_the_counts(name, rows):
    weighted = ours(name).fit(rows, CODES, sample_weight=4.0)
    expected = ours(name).fit(rows, CODES)
    for attribute in ["means_", "theta_", "var_", "coef_", "priors_", "class_prior_"]:
        if hasattr(expected, attribute):
            for one, other in zip(
                numbers_of(weighted, attribute), numbers_of(expected, attribute), strict=True
            ):
                np.testing.assert_allclose(one, other, rtol=1e-12)


def numbers_of(model, attribute):
    """Return a fitted attribute in parts: MixedNB keeps one a column."""
    value = getattr(model, attribute)
    return list(value.values()) if isinstance(value, dict) else [value]


# Priors


@pytest.mark.parametrize("name", GAUSSIAN)
@pytest.mark.filterwarnings("ignore:The priors do not sum to 1")
@pytest.mark.parametrize("priors", [[0.5, 0.6, -0.1], [0.2, 0.8], [np.nan, 0.5, 0.5], [0, 0, 0]])
def test_impossible_priors_are_refused(name, priors):
    with pytest.raises(ValueError, match=r"(?i)prior"):
        ours(name, priors=priors).fit(X, CODES)


@pytest.mark.parametrize("name", [LDA, NB])
def test_negative_priors_are_refused_in_scikit_learns_words(name):
    expected = outcome(lambda: theirs(name, priors=[0.5, 0.6, -0.1]).fit(X, CODES))
    assert expected.startswith("ValueError: ")
    assert outcome(lambda: ours(name, priors=[0.5, 0.6, -0.1]).fit(X, CODES)) == expected


@pytest.mark.parametrize("name", [LDA, NB])
def test_priors_that_do_not_sum_to_one_are_treated_as_by_scikit_learn(name):
    expected = outcome(lambda: theirs(name, priors=[0.2, 0.3, 0.6]).fit(X, CODES))
    got = outcome(lambda: ours(name, priors=[0.2, 0.3, 0.6]).fit(X, CODES))
    assert got[: len(expected)] == expected
    assert bool(got) == bool(expected)


@pytest.mark.filterwarnings("ignore:The priors do not sum to 1")
@pytest.mark.parametrize("name", [LDA, QDA])
def test_priors_that_do_not_sum_to_one_give_the_posteriors_of_scikit_learn(name):
    expected = theirs(name, priors=[0.2, 0.3, 0.6]).fit(X, CODES)
    model = ours(name, priors=[0.2, 0.3, 0.6]).fit(X, CODES)
    # scikit-learn's QDA keeps priors as they are, with which its joint probabilities are too large.
    shares = expected.priors_ / expected.priors_.sum()
    np.testing.assert_allclose(model.priors_, shares, rtol=1e-15)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("name", GAUSSIAN)
def test_class_of_prior_zero_is_never_predicted(name):
    model = ours(name, priors=[0.5, 0.0, 0.5]).fit(X, CODES)
    posterior = model.predict_proba(X)
    np.testing.assert_array_equal(posterior[:, 1], np.zeros(90))
    np.testing.assert_allclose(posterior.sum(axis=1), 1, rtol=1e-15)
    assert set(model.predict(X)) == {0, 2}


def test_priors_that_are_no_array_are_refused_in_scikit_learns_words(twin):
    expected = outcome(lambda: theirs(twin, priors="equal").fit(X, CODES))
    assert expected.startswith("InvalidParameterError: ")
    more = "an array-like, an instance of 'dict', a str among {'uniform'} or None"
    expected = expected.replace("an array-like or None", more)
    assert outcome(lambda: ours(twin, priors="equal").fit(X, CODES)) == expected
