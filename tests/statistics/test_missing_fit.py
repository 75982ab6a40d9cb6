"""Fits to rows with missing values: EM against plain numpy and closed forms, available cases."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from gaps import correlated, log_densities, plain_em, with_gaps
from models import GAUSSIAN, STEPWISE
from numpy.linalg import LinAlgError
from sklearn.covariance import LedoitWolf
from sklearn.exceptions import ConvergenceWarning
from support import MODELS, fitted, ours

import gauda
from gauda import (
    LDA,
    QDA,
    GaussianNB,
    RegularizedDiscriminantAnalysisCV,
)

LEARNERS = [name for name in GAUSSIAN if name in STEPWISE]
EM = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]


def marginalizing(name, **parameters):
    """Make an estimator that takes missing values."""
    if name == "QuadraticDiscriminantAnalysis":
        parameters = {"store_covariance": True, **parameters}
    return ours(name, missing="marginalize", **parameters)


def covariances(estimator):
    """Return the maximum-likelihood covariance of each class, or that of all."""
    moments = estimator.moments_
    if moments.structure == "tied":
        return moments.scatter / moments.counts.sum()
    return moments.scatter / moments.counts[:, np.newaxis, np.newaxis]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_iter", [1, 2, 7])
@pytest.mark.parametrize("name", EM)
def test_each_iteration_is_that_of_plain_em(name, n_iter, weighted):
    X, y = correlated(90, 4, 3)
    X = with_gaps(X)
    weights = np.arange(90) % 4 / 2 + 0.5 if weighted else None
    model = marginalizing(name, em_max_iter=n_iter, em_tol=0)
    with pytest.warns(ConvergenceWarning, match=f"em_max_iter={n_iter}"):
        model.fit(X, y, sample_weight=weights)
    tied = name == "LinearDiscriminantAnalysis"
    means, expected = plain_em(X, y, n_iter, tied=tied, weights=weights)
    np.testing.assert_allclose(model.means_, means, rtol=1e-12)
    np.testing.assert_allclose(covariances(model), expected[0] if tied else expected, rtol=1e-10)
    assert (model.n_iter_, model.converged_) == (n_iter, False)


@pytest.mark.parametrize("name", EM)
def test_log_likelihood_is_that_of_the_observed_values(name):
    X, y = correlated(120, 5, 2)
    X = with_gaps(X, 0.2)
    model = marginalizing(name).fit(X, y)
    means, matrices = model.means_, np.broadcast_to(covariances(model), (2, 5, 5))
    expected = log_densities(X, means, matrices)[np.arange(120), y].sum()
    np.testing.assert_allclose(model.log_likelihood_[-1], expected, rtol=1e-12)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6])
@pytest.mark.parametrize("name", EM)
def test_log_likelihood_never_falls(name, share):
    X, y = correlated(1000, 4, 2, seed=3)
    model = marginalizing(name, em_tol=0, em_max_iter=20000).fit(with_gaps(X, share), y)
    assert model.converged_
    assert (np.diff(model.log_likelihood_) >= 0).all()
    assert len(model.log_likelihood_) == model.n_iter_ + 1


def factored_likelihood(X):
    """Return the estimates for columns each of which is there only where the one before is.

    Anderson (1957): the first column's from all its values, each further one's by regression on
    those before, over the rows that have it.
    """
    d = X.shape[1]
    mean, covariance = np.zeros(d), np.zeros((d, d))
    for j in range(d):
        rows = ~np.isnan(X[:, j])
        before, column = X[rows, :j], X[rows, j]
        design = np.column_stack([np.ones(rows.sum()), before])
        (intercept, *slopes), *_ = np.linalg.lstsq(design, column, rcond=None)
        residual = np.mean((column - design @ [intercept, *slopes]) ** 2)
        slopes = np.array(slopes)
        mean[j] = intercept + slopes @ mean[:j]
        covariance[j, :j] = covariance[:j, j] = covariance[:j, :j] @ slopes
        covariance[j, j] = residual + slopes @ covariance[:j, :j] @ slopes
    return mean, covariance


@pytest.mark.parametrize("d", [2, 3, 5])
def test_monotone_patterns_have_their_closed_form(d):
    X, y = correlated(80 * d, d, 2, seed=d)
    for j in range(1, d):
        X[y.size - 40 * j :, j] = np.nan
    model = marginalizing("QuadraticDiscriminantAnalysis", em_tol=0, em_max_iter=50000).fit(X, y)
    for k in range(2):
        mean, covariance = factored_likelihood(X[y == k])
        np.testing.assert_allclose(model.means_[k], mean, rtol=1e-7)
        np.testing.assert_allclose(model.covariance_[k], covariance, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", LEARNERS)
def test_complete_rows_give_the_ordinary_fit_to_the_bit(name, iris):
    X, y = iris
    weights = np.arange(len(y)) % 3 + 1.0
    plain = ours(name).fit(X, y, sample_weight=weights)
    model = ours(name, missing="marginalize").fit(X, y, sample_weight=weights)
    assert model.moments_ == plain.moments_
    for attribute, value in fitted(plain).items():
        np.testing.assert_array_equal(getattr(model, attribute), value, strict=True)
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
    assert (model.n_iter_, model.converged_, model.log_likelihood_.size) == (0, True, 0)


@pytest.mark.parametrize("name", LEARNERS)
def test_weights_count_rows(name):
    X, y = correlated(60, 3, 2)
    X = with_gaps(X)
    times = np.arange(60) % 3
    weighted = marginalizing(name, em_tol=1e-12).fit(X, y, sample_weight=times)
    repeated = marginalizing(name, em_tol=1e-12).fit(np.repeat(X, times, 0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.moments_.means, repeated.moments_.means, rtol=1e-12)
    np.testing.assert_allclose(weighted.moments_.scatter, repeated.moments_.scatter, rtol=1e-10)


@pytest.mark.parametrize("name", EM)
def test_rows_without_any_value_change_priors_only(name):
    X, y = correlated(60, 3, 2)
    X = with_gaps(X, 0.2)
    X[np.isnan(X).all(axis=1)] = 0.0
    tight = {"em_tol": 1e-13, "em_max_iter": 10000}
    without = marginalizing(name, **tight).fit(X, y)
    more = marginalizing(name, **tight).fit(
        np.vstack([X, np.full((20, 3), np.nan)]), np.append(y, [1] * 20)
    )
    np.testing.assert_allclose(more.means_, without.means_, rtol=1e-6)
    np.testing.assert_allclose(covariances(more), covariances(without), rtol=1e-5)
    np.testing.assert_allclose(more.priors_, [30 / 80, 50 / 80], rtol=1e-15)


@pytest.mark.parametrize("unbiased", [False, True])
def test_naive_bayes_takes_available_cases(unbiased):
    X, y = correlated(60, 4, 3)
    X = with_gaps(X, 0.4)
    nb = GaussianNB(missing="marginalize", unbiased=unbiased, var_smoothing=0).fit(X, y)
    for k in range(3):
        rows = X[y == k]
        np.testing.assert_allclose(nb.theta_[k], np.nanmean(rows, axis=0), rtol=1e-14)
        np.testing.assert_allclose(nb.var_[k], np.nanvar(rows, axis=0, ddof=unbiased), rtol=1e-13)


def test_naive_bayes_smooths_by_the_largest_variance_of_what_is_observed():
    X, y = correlated(60, 4, 3)
    X = with_gaps(X, 0.4)
    nb = GaussianNB(missing="marginalize", var_smoothing=0.1).fit(X, y)
    np.testing.assert_allclose(nb.epsilon_, 0.1 * np.nanvar(X, axis=0).max(), rtol=1e-13)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_column_never_observed_in_a_class_is_named_with_it(name):
    X, y = correlated(60, 3, 2)
    X[y == 1, 2] = np.nan
    frame = pd.DataFrame(X, columns=["length", "width", "height"])
    labels = np.array(["wolf", "dog"])[y]
    with pytest.raises(ValueError, match="Column 'height' is never observed in class dog"):
        marginalizing(name).fit(frame, labels)


@pytest.mark.parametrize("name", EM)
def test_em_cannot_start_without_variance(name):
    X, y = correlated(60, 3, 2)
    X[:, 1] = 7.0
    X[0, 0] = np.nan
    with pytest.raises(LinAlgError, match=r"EM .* cannot start: .*no variance in column 1"):
        marginalizing(name).fit(X, y)


@pytest.mark.parametrize("name", EM)
def test_em_ends_where_columns_depend_on_each_other(name):
    X, y = correlated(60, 3, 2)
    X[:, 2] = X[:, 0] - 2 * X[:, 1]
    X[0, 0] = np.nan
    with pytest.raises(LinAlgError, match=r"after iteration \d+: .*dependence of columns 0, 1, 2"):
        marginalizing(name).fit(X, y)


@pytest.mark.parametrize("name", LEARNERS)
def test_infinity_is_no_missing_value(name):
    X, y = correlated(60, 3, 2)
    X[4, 1], X[7, 2] = np.nan, -np.inf
    with pytest.raises(ValueError, match="infinity at row 7, column 2"):
        marginalizing(name).fit(X, y)


@pytest.mark.parametrize("missing", ["raise", "propagate"])
@pytest.mark.parametrize("name", LEARNERS)
def test_fit_names_the_first_gap_unless_told_to_marginalize(name, missing):
    X, y = correlated(60, 3, 2)
    X[4, 1] = np.nan
    with pytest.raises(ValueError, match=r"NaN at row 4, column 1\..*missing='marginalize'"):
        ours(name, missing=missing).fit(X, y)


@pytest.mark.parametrize(
    "parameters",
    [
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "covariance_estimator": LedoitWolf()},
    ],
)
def test_estimates_that_need_complete_rows_are_refused(parameters):
    X, y = correlated(60, 3, 2)
    X[4, 1] = np.nan
    given = list(parameters)[-1]
    with pytest.raises(ValueError, match=f"which {given}.* does not allow: it takes complete rows"):
        QDA(missing="marginalize", **parameters).fit(X, y)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "GaussianNB"])
def test_batches_of_em_take_complete_rows_only(name):
    X, y = correlated(60, 3, 2)
    model = marginalizing(name).partial_fit(X, y, classes=[0, 1])
    before = model.moments_
    Z = X.copy()
    Z[4, 1] = np.nan
    refusal = r"NaN at row 4, column 1\. .*partial_fit, which never has all rows"
    with pytest.raises(ValueError, match=refusal):
        model.partial_fit(Z, y)
    assert model.moments_ is before


@pytest.mark.parametrize("name", LEARNERS)
def test_a_failed_fit_changes_nothing(name):
    X, y = correlated(60, 3, 2)
    model = marginalizing(name).fit(with_gaps(X), y)
    before = dict(vars(model))
    X[y == 0, 0] = np.nan
    with pytest.raises(ValueError, match="never observed"):
        model.fit(X, y)
    assert vars(model) == before


def test_iterations_are_counted_on_stderr_when_asked(capfd):
    X, y = correlated(60, 3, 2)
    model = QDA(missing="marginalize", verbose=True).fit(with_gaps(X), y)
    assert f"{model.n_iter_}/1000" in capfd.readouterr().err
    QDA(missing="marginalize").fit(with_gaps(X), y)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", LEARNERS)
def test_threads_change_no_bit(name):
    X, y = correlated(40000, 5, 3)
    X = with_gaps(X, 0.1)
    one, two = (marginalizing(name, n_threads=n).fit(X, y) for n in (1, 2))
    assert one.moments_ == two.moments_
    np.testing.assert_array_equal(one.log_likelihood_, two.log_likelihood_)


@pytest.mark.parametrize("name", LEARNERS)
def test_memory_layout_and_precision_do_not_matter(name):
    X, y = correlated(300, 4, 3)
    X = with_gaps(X.astype(np.float32), 0.2).astype(np.float32)
    expected = marginalizing(name).fit(X.astype(np.float64), y).moments_
    strided = np.full((600, 8), -1, dtype=np.float32)
    strided[::2, ::2] = X
    for rows in (X, np.asfortranarray(X), strided[::2, ::2], np.ascontiguousarray(X[::-1])[::-1]):
        moments = marginalizing(name).fit(rows, y).moments_
        np.testing.assert_allclose(moments.means, expected.means, rtol=1e-13)
        np.testing.assert_allclose(moments.scatter, expected.scatter, rtol=1e-11)


def test_missing_values_of_every_kind_are_taken():
    X, y = correlated(60, 2, 2)
    X = np.round(with_gaps(X, 0.2))
    expected = QDA(missing="marginalize").fit(X, y).moments_
    columns = {"a": X[:, 0], "b": X[:, 1]}
    frame = pd.DataFrame(columns)
    objects = np.where(np.isnan(X), None, X.astype(object))
    kinds = [
        frame.astype("Int64"),
        frame.convert_dtypes(),
        frame.astype("Float64").astype(object),
        objects,
        objects.tolist(),
        pl.DataFrame(columns, strict=False).fill_nan(None),
    ]
    for rows in kinds:
        found = QDA(missing="marginalize").fit(rows, y).moments_
        np.testing.assert_array_equal(found.means, expected.means)
        np.testing.assert_array_equal(found.scatter, expected.scatter)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_model_of_estimated_moments_is_one_like_others(name, tmp_path):
    X, y = correlated(200, 4, 2)
    X = with_gaps(X)
    model = marginalizing(name).fit(X, y)
    model.save(tmp_path / "model.gauda")
    for copy in (gauda.load(tmp_path / "model.gauda"), pickle.loads(pickle.dumps(model))):  # noqa: S301 (our own)
        np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(copy.log_likelihood_, model.log_likelihood_)
        assert (copy.n_iter_, copy.converged_) == (model.n_iter_, model.converged_)
    assert model.sample(5, random_state=0)[0].shape == (5, 4)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_batch_more_ends_what_is_told_of_iterations(name):
    X, y = correlated(200, 4, 2)
    model = marginalizing(name).fit(X, y)
    both = model.moments_ + model.moments_
    np.testing.assert_allclose(both.means, model.moments_.means, rtol=1e-14)
    assert model.n_iter_ == 0
    assert not hasattr(model.partial_fit([[1.0] * 4], [0]), "n_iter_")


def test_groups_of_every_size_give_the_same_sums():
    # of complete rows many, of one pattern more than it has columns, of others fewer, of one a row
    X, y = correlated(9000, 6, 1)
    X[:50, 0] = np.nan
    X[50:53, 1:4] = np.nan
    X[53, 5] = np.nan
    labels = np.append(y, np.ones(9000, dtype=int))
    model = QDA(missing="marginalize", em_max_iter=3, em_tol=0, store_covariance=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(np.vstack([X, X + 1]), labels)
    means, expected = plain_em(X, y, 3)
    np.testing.assert_allclose(model.means_, [means[0], means[0] + 1], rtol=1e-12)
    np.testing.assert_allclose(model.covariance_, np.repeat(expected, 2, axis=0), rtol=1e-9)


@pytest.mark.parametrize("name", LEARNERS)
def test_how_well_rows_with_gaps_are_fitted_is_not_told_by_moments(name):
    X, y = correlated(90, 4, 3)
    model = marginalizing(name).fit(with_gaps(X), y)
    for figure in ("log_likelihood", "aic", "bic", "box_m"):
        with pytest.raises(ValueError, match="Values of the rows were missing"):
            getattr(model.diagnostics(), figure)
    assert "unknown. Values of the rows were missing" in str(model.diagnostics())
    whole = gauda.Moments.from_data(X, y)
    joint = model.predict_joint_log_proba(X)[np.arange(90), y]
    assert model.diagnostics(whole).log_likelihood == pytest.approx(joint.sum())


@pytest.mark.parametrize(
    ("estimator", "advice"),
    [
        (gauda.CategoricalNB(), "missing='marginalize', which leaves missing values out"),
        (gauda.BernoulliNB(), "missing='marginalize', which leaves missing values out"),
        (RegularizedDiscriminantAnalysisCV(), "missing='marginalize'"),
        (QDA(), "Or use missing='marginalize'"),
    ],
)
def test_a_gap_leads_to_a_model_that_takes_it(estimator, advice):
    X, y = [[0.0], [1.0], [np.nan], [1.0]], [0, 0, 1, 1]
    with pytest.raises(ValueError, match=f"NaN at row 2, column 0.*{advice}"):
        estimator.fit(X, y)


def test_values_far_from_zero_keep_their_digits():
    X, y = correlated(300, 3, 2)
    X = with_gaps(X)
    near = QDA(missing="marginalize", store_covariance=True).fit(X, y)
    far = QDA(missing="marginalize", store_covariance=True).fit(X + 2.0**30, y)
    np.testing.assert_allclose(far.covariance_, near.covariance_, rtol=1e-6)


def test_units_do_not_matter():
    X, y = correlated(300, 3, 2)
    X = with_gaps(X)
    units = np.array([1e-14, 1.0, 1e14])
    plain = LDA(missing="marginalize").fit(X, y)
    scaled = LDA(missing="marginalize").fit(X * units, y)
    np.testing.assert_allclose(scaled.means_, plain.means_ * units, rtol=1e-10)
    assert scaled.n_iter_ == plain.n_iter_
