"""Reliability of posteriors, against scikit-learn's calibration curve and scipy's intervals."""

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

import gauda
from gauda.pictures import ReliabilityDisplay

pytestmark = pytest.mark.usefixtures("closed_figures")


@pytest.fixture(scope="module")
def cancer():
    """Give a model fitted to half of the rows, and the other half."""
    X, y = load_breast_cancer(return_X_y=True)
    return gauda.GaussianNB().fit(X[::2], y[::2]), X[1::2], y[1::2]


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("n_bins", [5, np.int64(10)])
def test_two_classes_have_scikit_learns_calibration_curve(cancer, strategy, n_bins):
    model, X, y = cancer
    probability = model.predict_proba(X)[:, 1]
    display = ReliabilityDisplay.from_estimator(model, X, y, n_bins=n_bins, strategy=strategy)
    expected = calibration_curve(y, probability, n_bins=n_bins, strategy=strategy)
    np.testing.assert_allclose([display.prob_true, display.prob_pred], expected, rtol=1e-12)


def test_the_posterior_of_a_class_is_judged_if_it_is_named(iris):
    X, y = iris
    nb = gauda.GaussianNB().fit(X, y)
    display = ReliabilityDisplay.from_estimator(nb, X, y, label="versicolor")
    expected = calibration_curve(y == "versicolor", nb.predict_proba(X)[:, 1], n_bins=10)
    np.testing.assert_allclose([display.prob_true, display.prob_pred], expected, rtol=1e-12)
    assert display.ax_.get_xlabel() == "mean posterior of versicolor"


def test_of_many_classes_the_largest_posterior_is_judged(load_data):
    X, y = load_data("esl_vowel_train")
    lda = gauda.LDA().fit(X, y)
    display = ReliabilityDisplay.from_estimator(lda, *load_data("esl_vowel_test"))
    X, y = load_data("esl_vowel_test")
    largest = lda.predict_proba(X).max(axis=1)
    expected = calibration_curve(lda.predict(X) == y, largest, n_bins=10)
    np.testing.assert_allclose([display.prob_true, display.prob_pred], expected, rtol=1e-12)


def test_counts_are_the_rows_of_the_bins(cancer):
    model, X, y = cancer
    display = ReliabilityDisplay.from_estimator(model, X, y)
    expected, _ = np.histogram(model.predict_proba(X)[:, 1], bins=np.linspace(0, 1, 11))
    np.testing.assert_array_equal(display.counts, expected)
    assert display.histogram_ax_.get_ylabel() == "rows"


def test_intervals_solve_wilsons_equation(cancer):
    display = ReliabilityDisplay.from_estimator(*cancer)
    counts = display.counts[display.counts > 0]
    z = 1.959963984540054
    for end in (display.lower, display.upper):
        residual = (display.prob_true - end) ** 2 - z**2 * end * (1 - end) / counts
        np.testing.assert_allclose(residual, 0, atol=1e-12)


def test_intervals_are_near_the_exact_ones(cancer):
    display = ReliabilityDisplay.from_estimator(*cancer)
    counts = display.counts[display.counts > 0]
    hits = display.prob_true * counts
    upper = np.where(hits == counts, 1.0, beta.ppf(0.975, hits + 1, np.maximum(counts - hits, 0.5)))
    assert (display.upper <= upper + 0.02).all()


def test_other_classifiers_can_be_judged_too(cancer):
    _, X, y = cancer
    peer = LogisticRegression(max_iter=10_000).fit(X / X.max(axis=0), y)
    display = ReliabilityDisplay.from_estimator(peer, X / X.max(axis=0), y)
    assert display.counts.sum() == len(y)


def test_predictions_give_what_the_estimator_gives(cancer):
    model, X, y = cancer
    expected = ReliabilityDisplay.from_estimator(model, X, y).prob_true
    got = ReliabilityDisplay.from_predictions(y, model.predict_proba(X)).prob_true
    np.testing.assert_array_equal(got, expected)


def test_the_posterior_of_the_second_class_will_do(cancer):
    model, X, y = cancer
    expected = ReliabilityDisplay.from_estimator(model, X, y).prob_true
    got = ReliabilityDisplay.from_predictions(y, model.predict_proba(X)[:, 1]).prob_true
    np.testing.assert_array_equal(got, expected)


def test_classes_name_the_columns_if_labels_lack_some():
    posteriors = [[0.2, 0.1, 0.7], [0.6, 0.3, 0.1]]
    display = ReliabilityDisplay.from_predictions(["c", "a"], posteriors, classes=["a", "b", "c"])
    np.testing.assert_array_equal(display.prob_true, [1, 1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"label": 7}, "label must be a class; got 7. The classes are"),
        ({"n_bins": 0}, "n_bins must be an integer of at least 1; got 0"),
        ({"strategy": "even"}, "strategy must be 'uniform' or 'quantile'; got 'even'"),
    ],
)
def test_odd_arguments_are_refused(cancer, arguments, message):
    with pytest.raises(ValueError, match=message):
        ReliabilityDisplay.from_estimator(*cancer, **arguments)


@pytest.mark.parametrize(
    ("y_prob", "message"),
    [
        ([[0.5, 0.2, 0.3], [1, 0, 0]], "a column for each class"),
        ([[0.5, 0.5], [1.5, -0.5]], "between 0 and 1; got values from -0.5 to 1.5"),
        ([[0.5, 0.5]], "inconsistent numbers of samples"),
        ([[0.5, np.nan], [1, 0]], "contains NaN"),
    ],
)
def test_odd_posteriors_are_refused(y_prob, message):
    with pytest.raises(ValueError, match=message):
        ReliabilityDisplay.from_predictions([0, 1], y_prob)
