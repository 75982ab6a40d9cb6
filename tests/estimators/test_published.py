"""Error rates, confusion tables and coefficients printed in ESL, ISLR and by R's MASS.

The R code behind them divides class scatters by n_k - 1 and pooled ones by n - K, hence
`unbiased=True` throughout.
"""

import numpy as np
import pytest

from gauda import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis


@pytest.fixture(scope="module")
def published(load_json):
    return load_json("published_values")


@pytest.fixture(scope="module")
def vowel(load_data):
    return load_data("esl_vowel_train"), load_data("esl_vowel_test")


@pytest.fixture(scope="module")
def smarket(load_data):
    """Give the two lags of the years before 2005, and those of 2005, each with the direction."""
    X, y = load_data("islr_smarket")
    before = X[:, 0] < 2005
    lags = X[:, 1:3]
    return (lags[before], y[before]), (lags[~before], y[~before])


@pytest.fixture(scope="module")
def default(load_data):
    """Give student (0 or 1), balance and income of 10,000 customers, and whether they defaulted."""
    return load_data("islr_default")


def confusion(predicted, truth):
    """Count predictions (rows) against the truth (columns), both in alphabetical order."""
    labels = np.unique(truth)
    return [[int(np.sum((predicted == p) & (truth == t))) for t in labels] for p in labels]


def up_to_sign(columns, reference):
    """Flip each column so that it points the same way as the reference's."""
    return columns * np.sign(np.sum(columns * reference, axis=0))


@pytest.mark.parametrize(
    ("estimator", "entry"),
    [
        (LinearDiscriminantAnalysis(unbiased=True), "ESL_T4.1_vowel_LDA_train_test"),
        (QuadraticDiscriminantAnalysis(unbiased=True), "ESL_T4.1_vowel_QDA_train_test"),
    ],
)
def test_vowel_errors_are_those_of_esl_table_4_1(estimator, entry, vowel, published):
    train, test = vowel
    estimator.fit(*train)
    assert [1 - estimator.score(*train), 1 - estimator.score(*test)] == pytest.approx(
        published[entry], abs=1e-12
    )


@pytest.mark.parametrize("solver", ["svd", "eigen"])
@pytest.mark.parametrize("part", ["train", "test"])
def test_reduced_rank_vowel_errors_are_those_of_esl_figure_4_10(solver, part, vowel, published):
    train, test = vowel
    X, y = train if part == "train" else test
    lda = LinearDiscriminantAnalysis(solver=solver, unbiased=True).fit(*train)
    coordinates, centroids = lda.transform(X), lda.transform(lda.means_)
    squares = (coordinates[:, None, :] - centroids[None, :, :]) ** 2
    nearest = lda.classes_[np.cumsum(squares, axis=2).argmin(axis=1)]  # one column per rank
    errors = (nearest != y[:, None]).mean(axis=0)
    expected = published[f"ESL_Fig4.10_vowel_reducedrank_LDA_{part}_by_dim"]
    np.testing.assert_allclose(errors, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("estimator", "entry"),
    [
        (
            LinearDiscriminantAnalysis(unbiased=True),
            "ISLR_Smarket_LDA_confusion_rows_pred_DownUp_cols_true",
        ),
        (QuadraticDiscriminantAnalysis(unbiased=True), "ISLR_Smarket_QDA_confusion"),
        (GaussianNB(var_smoothing=0, unbiased=True), "ISLR2_Smarket_NB_confusion"),
    ],
)
def test_smarket_confusion_tables_are_those_of_islr(estimator, entry, smarket, published):
    train, (X, y) = smarket
    assert confusion(estimator.fit(*train).predict(X), y) == published[entry]


def test_smarket_lda_posteriors_cross_a_half_as_often_as_islr_says(smarket, published):
    train, (X, _) = smarket
    down = LinearDiscriminantAnalysis(unbiased=True).fit(*train).predict_proba(X)[:, 0]
    counts = [np.sum(down >= 0.5), np.sum(down < 0.5), np.sum(down > 0.9)]
    assert counts == published["ISLR_Smarket_LDA_n_post_Down_ge_.5_lt_.5_gt_.9"]


@pytest.mark.parametrize(
    ("attribute", "entry"),
    [("priors_", "ISLR_Smarket_LDA_prior"), ("means_", "ISLR_Smarket_LDA_means")],
)
def test_smarket_lda_parameters_are_those_of_islr(attribute, entry, smarket, published):
    lda = LinearDiscriminantAnalysis(unbiased=True).fit(*smarket[0])
    np.testing.assert_allclose(getattr(lda, attribute), published[entry], rtol=1e-13)


@pytest.mark.parametrize("lag", [1, 2])
def test_smarket_naive_bayes_means_and_sds_are_those_of_islr(lag, smarket, published):
    nb = GaussianNB(var_smoothing=0, unbiased=True).fit(*smarket[0])
    table = np.column_stack([nb.theta_[:, lag - 1], np.sqrt(nb.var_[:, lag - 1])])
    suffix = "_mean_sd" if lag == 1 else ""
    expected = published[f"ISLR2_Smarket_NB_tables_Lag{lag}{suffix}"]
    np.testing.assert_allclose(table, expected, rtol=1e-13)


def test_smarket_naive_bayes_posteriors_are_those_of_islr(smarket, published):
    train, (X, _) = smarket
    posterior = GaussianNB(var_smoothing=0, unbiased=True).fit(*train).predict_proba(X[:5])
    np.testing.assert_allclose(posterior, published["ISLR2_Smarket_NB_raw_first5"], rtol=1e-13)


@pytest.mark.parametrize(
    ("threshold", "entry"),
    [
        (0.5, "ISLR_T4.4_Default_LDA_confusion_pred_rows"),
        (0.2, "ISLR_T4.5_Default_LDA_threshold0.2"),
    ],
)
def test_default_lda_tables_are_those_of_islr(threshold, entry, default, published):
    X, y = default[0][:, :2], default[1]
    posterior = LinearDiscriminantAnalysis(unbiased=True).fit(X, y).predict_proba(X)
    predicted = np.where(posterior[:, 1] > threshold, "Yes", "No")
    assert confusion(predicted, y) == published[entry]


@pytest.mark.parametrize(
    ("columns", "threshold", "entry"),
    [
        ([1], 0.5, "ISLR2_errata_T4.8_Default_NB_student_balance"),
        ([1, 2], 0.5, "ISLR2_T4.8_Default_NB_with_income"),
        ([1, 2], 0.2, "ISLR2_T4.9_Default_NB_income_threshold0.2"),
    ],
)
def test_default_naive_bayes_tables_are_those_of_islr(
    columns, threshold, entry, default, published
):
    # R's naiveBayes takes `student` as a factor: its frequencies multiply the Gaussian part.
    X, y = default
    student = X[:, 0].astype(int)
    nb = GaussianNB(var_smoothing=0, unbiased=True).fit(X[:, columns], y)
    rate = np.array([student[y == label].mean() for label in nb.classes_])
    log_student = np.log(np.array([1 - rate, rate]))[student]
    joint = nb.predict_joint_log_proba(X[:, columns]) + log_student
    log_odds = joint[:, 1] - joint[:, 0]
    predicted = np.where(log_odds > np.log(threshold / (1 - threshold)), "Yes", "No")
    assert confusion(predicted, y) == published[entry]


@pytest.mark.parametrize("solver", ["svd", "eigen"])
@pytest.mark.parametrize("unbiased", [False, True])
def test_iris_scalings_are_those_of_mass_up_to_sign_and_divisor(solver, unbiased, iris, published):
    X, y = iris
    expected = np.array(published["iris_LDA_scaling"])
    lda = LinearDiscriminantAnalysis(solver=solver, unbiased=unbiased).fit(X, y)
    divisor = 1 if unbiased else 147 / 150  # (n - K) / n
    scalings = lda.scalings_[:, :2] * np.sqrt(divisor)
    np.testing.assert_allclose(up_to_sign(scalings, expected), expected, rtol=1e-11)


def test_smarket_scaling_is_that_of_islr(smarket, published):
    expected = np.array(published["ISLR_Smarket_LDA_scaling"])
    lda = LinearDiscriminantAnalysis(unbiased=True).fit(*smarket[0])
    np.testing.assert_allclose(up_to_sign(lda.scalings_, expected), expected, rtol=1e-11)
