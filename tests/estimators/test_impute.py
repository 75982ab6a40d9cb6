"""Missing values filled in: conditional means, deviations and draws against plain numpy."""

import numpy as np
import pandas as pd
import pytest
from gaps import correlated, expected, posteriors, with_gaps
from models import GAUSSIAN, INDEPENDENT
from numpy.linalg import LinAlgError
from scipy import stats
from support import ours

from gauda import LDA, QDA, GaussianNB


def parameters(model):
    """Return means and covariances of a fitted model, one for each class."""
    if isinstance(model, GaussianNB):
        return model.theta_, np.array([np.diag(variances) for variances in model.var_])
    if hasattr(model, "centroids_"):
        variances = np.square(model.deviations_ + model.offset_)
        return model.centroids_, np.array([np.diag(variances)] * len(model.centroids_))
    covariances = np.array(model.covariance_)
    shape = (len(model.means_), *covariances.shape[-2:])
    return model.means_, np.broadcast_to(covariances, shape)


def model_and_rows(name, n=150, d=4, k=3):
    """Fit to complete rows; return the model, rows with gaps, and labels."""
    X, y = correlated(n, d, k)
    more = {} if name in INDEPENDENT else {"store_covariance": True}
    return ours(name, **more).fit(X, y), with_gaps(X, 0.35, seed=1), y


def mixture(model, Z, weights):
    """Return mean and standard deviation of every value, given what a row shows."""
    parts = [
        [expected(z, *gaussian) for gaussian in zip(*parameters(model), strict=True)] for z in Z
    ]
    means = np.array([[mean for mean, _ in part] for part in parts])
    variances = np.array([[np.diag(spread) for _, spread in part] for part in parts])
    mean = np.einsum("nk,nkj->nj", weights, means)
    apart = means - mean[:, np.newaxis]
    return mean, np.sqrt(np.einsum("nk,nkj->nj", weights, variances + apart**2))


@pytest.mark.parametrize("name", GAUSSIAN)
def test_gaps_are_filled_by_the_mean_of_the_mixture(name):
    model, Z, _ = model_and_rows(name)
    priors = model.class_prior_ if name == "GaussianNB" else model.priors_
    mean, deviation = mixture(model, Z, posteriors(Z, *parameters(model), priors))
    filled, std = model.impute(Z, return_std=True)
    np.testing.assert_allclose(filled, mean, rtol=1e-9)
    np.testing.assert_allclose(std, np.where(np.isnan(Z), deviation, 0.0), rtol=1e-8)


@pytest.mark.parametrize("name", GAUSSIAN)
def test_known_labels_leave_one_class(name):
    model, Z, y = model_and_rows(name)
    mean, deviation = mixture(model, Z, np.eye(3)[y])
    filled, std = model.impute(Z, y, return_std=True)
    np.testing.assert_allclose(filled, mean, rtol=1e-9)
    np.testing.assert_allclose(std, np.where(np.isnan(Z), deviation, 0.0), rtol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_observed_values_are_untouched_to_the_bit(name, dtype):
    model, Z, _ = model_and_rows(name)
    Z = Z.astype(dtype)
    Z[0], Z[1] = -0.0, np.finfo(dtype).smallest_subnormal
    there = ~np.isnan(Z)
    for rows in (Z, np.asfortranarray(Z)):
        filled = model.impute(rows)
        assert filled.dtype == dtype
        assert filled[there].tobytes() == Z[there].tobytes()
        draws = model.sample_missing(rows, 3, random_state=0)
        assert all(draw[there].tobytes() == Z[there].tobytes() for draw in draws)
        assert not np.isnan(draws).any()
    assert np.isnan(Z).any(), "the rows that were given keep their gaps"


def test_draws_have_the_distribution_of_the_mixture():
    model, Z, _ = model_and_rows("QuadraticDiscriminantAnalysis", d=3, k=2)
    z = np.array([[np.nan, Z[np.isfinite(Z[:, 1])][0, 1], np.nan]])
    draws = model.sample_missing(z, 20000, random_state=0)[:, 0]
    weights = posteriors(z, *parameters(model), model.priors_)[0]
    parts = [expected(z[0], *gaussian) for gaussian in zip(*parameters(model), strict=True)]
    for j in (0, 2):
        gaussians = [stats.norm(mean[j], np.sqrt(spread[j, j])) for mean, spread in parts]

        def cdf(x, gaussians=gaussians):
            return sum(w * g.cdf(x) for w, g in zip(weights, gaussians, strict=True))

        assert stats.kstest(draws[:, j], cdf).pvalue > 0.001
    mean, _ = mixture(model, z, weights[np.newaxis])
    second = sum(
        w * (spread + np.outer(m - mean[0], m - mean[0]))
        for w, (m, spread) in zip(weights, parts, strict=True)
    )
    spread = np.cov(draws[:, [0, 2]], rowvar=False)
    np.testing.assert_allclose(spread, second[np.ix_([0, 2], [0, 2])], rtol=0.05, atol=0.02)


@pytest.mark.parametrize("name", GAUSSIAN)
def test_draws_depend_on_the_seed_and_not_on_threads(name):
    X, y = correlated(9000, 4, 2)
    Z = with_gaps(X)
    one, two = (ours(name, n_threads=n).fit(X, y) for n in (1, 2))
    draws = one.sample_missing(Z, 2, random_state=3)
    np.testing.assert_array_equal(draws, two.sample_missing(Z, 2, random_state=3))
    np.testing.assert_array_equal(one.impute(Z), two.impute(Z))
    gaps = np.isnan(Z)
    assert (draws[0] != draws[1])[gaps].all()
    assert (one.sample_missing(Z, 2, random_state=4) != draws)[:, gaps].all()


@pytest.mark.parametrize("count", [1, 4])
def test_draws_always_have_three_axes(count):
    model, Z, _ = model_and_rows("LinearDiscriminantAnalysis")
    draws = model.sample_missing(Z, count, random_state=0)
    assert draws.shape == (count, *Z.shape)
    assert model.sample_missing(np.nan_to_num(Z), count).ndim == 3


def test_draws_have_the_mean_and_deviation_that_imputation_gives():
    model, Z, y = model_and_rows("QuadraticDiscriminantAnalysis", d=3, k=2)
    draws = model.sample_missing(Z[:20], 4000, random_state=0, y=y[:20])
    means, std = model.impute(Z[:20], y[:20], return_std=True)
    np.testing.assert_allclose(draws.mean(axis=0), means, atol=6 * std.max() / np.sqrt(4000))
    np.testing.assert_allclose(draws.std(axis=0), std, rtol=0.1, atol=1e-12)


def test_a_row_without_any_value_gets_the_mean_of_the_class_means():
    model, _, _ = model_and_rows("QuadraticDiscriminantAnalysis")
    filled = model.impute(np.full((1, 4), np.nan))
    np.testing.assert_allclose(filled[0], model.priors_ @ model.means_, rtol=1e-12)


def test_whole_numbers_have_no_gaps():
    model, _, _ = model_and_rows("QuadraticDiscriminantAnalysis")
    X = np.arange(8).reshape(2, 4)
    filled = model.impute(X)
    np.testing.assert_array_equal(filled, X, strict=True)
    assert not np.shares_memory(filled, X)


def test_tables_keep_their_columns_in_order():
    X, y = correlated(60, 2, 2)
    model = QDA().fit(pd.DataFrame(X, columns=["a", "b"]), y)
    table = pd.DataFrame({"a": [1.5, None], "b": [pd.NA, 2.0]}, dtype="Float64")
    plain = QDA().fit(X, y).impute([[1.5, np.nan], [np.nan, 2.0]])
    np.testing.assert_array_equal(model.impute(table), plain)


@pytest.mark.parametrize(
    ("call", "refusal"),
    [
        ({"y": [0]}, "inconsistent numbers of samples"),
        ({"y": [0, 7]}, r"knows nothing: \[7\]"),
        ({"n_samples": 0}, "n_samples must be an integer"),
        ({"n_samples": 1.5}, "n_samples must be an integer"),
        ({"X": [[np.inf, 1.0], [1.0, np.nan]]}, "infinity at row 0, column 0"),
        ({"X": [[1.0]]}, "X has 1 features"),
        ({"X": [[1.0, np.nan], [np.nan, 1e300]]}, "Row 1 of X is so far"),
    ],
)
def test_bad_input_is_refused(call, refusal):
    X, y = correlated(60, 2, 2)
    rows = call.pop("X", [[np.nan, 1.0], [1.0, np.nan]])
    model = QDA().fit(X, y)
    with pytest.raises(ValueError, match=refusal):
        (model.sample_missing if "n_samples" in call else model.impute)(rows, **call)


def test_a_singular_common_covariance_is_refused():
    X, y = correlated(60, 2, 2)
    model = LDA().fit(np.column_stack([X, X[:, 0]]), y)
    with pytest.raises(LinAlgError, match="singular"):
        model.impute([[np.nan, 1.0, 1.0]])
