"""Means and standard deviations of NIST's reference data sets, read from fitted estimators.

Digits are counted against the exact answers for the data as stored in doubles. A univariate set
becomes a classification problem by giving the same column to two classes.
"""

from decimal import Decimal

import numpy as np
import pytest

from gauda import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

UNIVARIATE = [
    "Lew",
    "Lottery",
    "Mavro",
    "Michelso",
    "NumAcc1",
    "NumAcc2",
    "NumAcc3",
    "NumAcc4",
    "PiDigits",
]
EASY = [name for name in UNIVARIATE if name not in {"NumAcc3", "NumAcc4"}]
ANOVA = ["AtmWtAg", "SiRstv", "SmLs01", "SmLs04", "SmLs06", "SmLs07", "SmLs09"]
COMMON_DIGITS = 15  # more than that is within a few roundings of a double


def digits(value, exact):
    """Count correct significant digits, NIST's log relative error."""
    error = abs((Decimal(float(value)) - Decimal(exact)) / Decimal(exact))
    return COMMON_DIGITS if error == 0 else min(COMMON_DIGITS, -float(error.log10()))


def two_pass(x):
    """Compute the mean and the unbiased variance: first the mean, then squares about it."""
    mean = x.mean()
    return mean, np.sum((x - mean) ** 2) / (len(x) - 1)


def fit_twice(estimator, x):
    """Fit on the column given to two classes."""
    y = np.repeat([0, 1], len(x))
    return estimator.fit(np.concatenate([x, x])[:, None], y)


def naive_bayes(x):
    nb = fit_twice(GaussianNB(var_smoothing=0, unbiased=True), x)
    return nb.theta_[0, 0], nb.var_[0, 0]


def quadratic(x):
    qda = fit_twice(QuadraticDiscriminantAnalysis(store_covariance=True, unbiased=True), x)
    return qda.means_[0, 0], qda.covariance_[0][0, 0]


def linear(x):
    # Pooling x with itself divides twice its scatter by 2n - 2: again the unbiased variance.
    lda = fit_twice(LinearDiscriminantAnalysis(solver="lsqr", unbiased=True), x)
    return lda.means_[0, 0], lda.covariance_[0, 0]


every_model = pytest.mark.parametrize("moments", [naive_bayes, quadratic, linear])


@pytest.fixture(scope="module")
def certified(load_json):
    return load_json("nist/certified")


@every_model
@pytest.mark.parametrize("name", EASY)
def test_easy_means_and_sds_have_13_digits(moments, name, load_column, certified):
    mean, variance = moments(load_column(f"nist/{name}"))
    exact = certified["univariate"][name]
    assert digits(mean, exact["float64_mean"]) >= 13
    assert digits(np.sqrt(variance), exact["float64_sd_n_minus_1"]) >= 13


@every_model
@pytest.mark.parametrize("name", UNIVARIATE)
def test_no_digit_is_lost_against_two_passes(moments, name, load_column, certified):
    x = load_column(f"nist/{name}")
    exact = certified["univariate"][name]
    (mean, variance), (mean_twice, variance_twice) = moments(x), two_pass(x)
    true_mean, true_sd = exact["float64_mean"], exact["float64_sd_n_minus_1"]
    assert digits(mean, true_mean) >= digits(mean_twice, true_mean)
    assert digits(np.sqrt(variance), true_sd) >= digits(np.sqrt(variance_twice), true_sd)


@pytest.mark.parametrize("name", ANOVA)
def test_pooled_variances_have_no_fewer_digits_than_two_passes(name, load_data, certified):
    X, y = load_data(name, "nist")
    scatter = sum(two_pass(X[y == k])[1] * (np.sum(y == k) - 1) for k in np.unique(y))
    two_passes = scatter / (len(y) - len(np.unique(y)))
    lda = LinearDiscriminantAnalysis(solver="lsqr", unbiased=True).fit(X, y)
    exact = certified["anova"][name]["float64_pooled_var_n_minus_K"]
    assert digits(lda.covariance_[0, 0], exact) >= max(13, digits(two_passes, exact))


@pytest.mark.parametrize("name", ANOVA)
def test_class_means_are_the_nearest_doubles_but_one(name, load_data, certified):
    X, y = load_data(name, "nist")
    nb = GaussianNB(var_smoothing=0).fit(X, y)
    for label, mean in zip(nb.classes_, nb.theta_[:, 0], strict=True):
        exact = Decimal(certified["anova"][name]["float64_class_means"][label])
        assert abs(Decimal(mean) - exact) <= Decimal(np.spacing(mean))


@every_model
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("Lew", np.int16),
        ("Lottery", np.uint16),
        ("PiDigits", np.int8),
        ("PiDigits", np.uint8),
        ("NumAcc1", np.int32),
        ("NumAcc1", np.uint64),
    ],
)
def test_integers_give_the_moments_of_the_same_doubles(moments, name, dtype, load_column):
    x = load_column(f"nist/{name}")
    assert moments(x.astype(dtype)) == moments(x)


@every_model
@pytest.mark.parametrize("name", ["Lew", "Lottery", "PiDigits", "NumAcc1"])
def test_single_precision_columns_give_the_exact_moments_rounded_once(
    moments, name, load_column, certified
):
    x = load_column(f"nist/{name}").astype(np.float32)  # these values are exact in float32
    mean, variance = moments(x)
    exact = certified["univariate"][name]
    n = len(x)
    assert mean == np.float32(exact["float64_mean"])
    assert np.float32(variance) == np.float32(float(exact["float64_var_n"]) * n / (n - 1))
