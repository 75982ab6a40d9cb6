"""Leave-one-out posteriors: against exact ones, R's, and models fitted without each row."""

import numpy as np
import pandas as pd
import pytest
from references import read_table
from sklearn.base import clone
from sklearn.covariance import OAS

import gauda
from gauda import LDA, QDA, RDA, GaussianNB, Moments, NormalInverseWishart

DATASETS = ["iris", "banknote", "skulls"]
SKEWED = [0.5, 0.2, 0.3]


@pytest.fixture
def uneven(iris):
    """Give iris with classes of 12, 20 and 30 rows, in mixed order."""
    X, y = iris
    kept = np.random.default_rng(0).permutation(np.r_[0:12, 50:70, 100:130])
    return X[kept], y[kept]


def read_posteriors(path):
    """Read reference/<path>.csv as numbers."""
    return np.array(read_table(path)[1], dtype=np.float64)


def by_fitting(estimator, X, y, *, refit_priors):
    """Return the log-posteriors of each row under a model fitted to all others."""
    whole = clone(estimator).fit(X, y)
    fixed = whole.class_prior_ if isinstance(whole, GaussianNB) else whole.priors_
    out = np.empty((len(X), len(whole.classes_)))
    for row in range(len(X)):
        rest = np.arange(len(X)) != row
        model = clone(estimator)
        if not refit_priors:
            model.set_params(priors=fixed)
        out[row] = model.fit(X[rest], y[rest]).predict_log_proba(X[[row]])[0]
    return out


@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize(("model", "name"), [(LDA, "lda"), (QDA, "qda")])
@pytest.mark.parametrize("refit", [False, True])
def test_posteriors_are_exact(dataset, model, name, refit, load_data):
    X, y = load_data(dataset)
    priors = "reprior" if refit else "fixedprior"
    exact = read_posteriors(f"exact/{dataset}/{name}_unbiased_loo_{priors}")[:, :-1]
    given = model(unbiased=True).fit(X, y).loo_log_proba(X, y, refit_priors=refit)
    np.testing.assert_allclose(given, exact, rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize(("alpha", "name"), [(1, "lda"), (0, "qda")])
def test_corners_of_rda_are_exact(dataset, alpha, name, load_data):
    X, y = load_data(dataset)
    exact = read_posteriors(f"exact/{dataset}/{name}_unbiased_loo_reprior")[:, :-1]
    given = RDA(alpha, unbiased=True).fit(X, y).loo_log_proba(X, y, refit_priors=True)
    np.testing.assert_allclose(given, exact, rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize(
    "estimator",
    [
        LDA(),
        LDA(solver="lsqr"),
        LDA(solver="eigen", unbiased=True),
        LDA(solver="lsqr", priors=SKEWED),
        LDA(solver="eigen", priors=SKEWED, unbiased=True),
        LDA(priors=SKEWED),
        LDA(solver="lsqr", shrinkage=0.3),
        LDA(solver="eigen", shrinkage=0.3, priors=SKEWED),
        LDA(reduced_rank=True, n_components=1, priors=SKEWED),
        QDA(),
        QDA(priors=SKEWED, unbiased=True),
        QDA(reg_param=0.2),
        QDA(solver="eigen", shrinkage=0.4, unbiased=True),
        QDA(solver="eigen"),
        QDA(conjugate_prior="empirical"),
        QDA(conjugate_prior=NormalInverseWishart([5, 3, 3, 1], 1.0, np.eye(4), 6.0)),
        LDA(conjugate_prior="empirical"),
        GaussianNB(),
        GaussianNB(var_smoothing=0.1, unbiased=True),
        GaussianNB(priors=SKEWED, var_smoothing=0),
        GaussianNB(conjugate_prior="empirical"),
        RDA(0.3, 0.2),
        RDA(0.3, 0.2, target="identity", unbiased=True),
        RDA(0.3, 0.2, target="diagonal"),
        RDA(0, 0.2, target="diagonal"),
        RDA(0.3, 0.2, pooling="scatter", unbiased=True),
        RDA(1, 0.5),
        RDA(1, 1),
        RDA(1, 0.5, target="diagonal"),
        RDA(covariance="diag"),
        RDA(covariance="tied_diag"),
        RDA(covariance="spherical"),
        RDA(covariance="tied_spherical"),
        RDA(0.5, 1, target="identity"),
        RDA(0.3, shrinkage="oas"),
    ],
    ids=lambda estimator: "".join(repr(estimator).split()),
)
@pytest.mark.parametrize("refit", [False, True])
def test_posteriors_are_those_of_models_fitted_without_the_row(estimator, refit, uneven):
    X, y = uneven
    given = estimator.fit(X, y).loo_log_proba(X, y, refit_priors=refit)
    expected = by_fitting(estimator, X, y, refit_priors=refit)
    np.testing.assert_allclose(given, expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize(("model", "name"), [(LDA, "lda"), (QDA, "qda")])
def test_posteriors_are_those_of_mass(dataset, model, name, load_data):
    X, y = load_data(dataset)
    theirs = read_posteriors(f"exact/{dataset}/mass_{name}_loo")
    given = np.exp(model().fit(X, y).loo_log_proba(X, y))
    np.testing.assert_allclose(given, theirs, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(("model", "errors"), [(LDA, 3), (QDA, 4)])
def test_errors_on_iris_are_those_that_r_counts(model, errors, iris):
    X, y = iris
    labels = np.unique(y)[model(unbiased=True).fit(X, y).loo_log_proba(X, y).argmax(axis=1)]
    assert np.sum(labels != y) == errors


def test_some_of_the_rows_have_the_same_posteriors(uneven):
    X, y = uneven
    qda = QDA().fit(X, y)
    some = np.r_[3:9, 40:45]
    np.testing.assert_allclose(
        qda.loo_log_proba(X[some], y[some]), qda.loo_log_proba(X, y)[some], rtol=1e-13
    )


def test_streams_can_be_asked_batch_by_batch(uneven):
    X, y = uneven
    lda = LDA().partial_fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    np.testing.assert_allclose(
        lda.loo_log_proba(X[30:], y[30:]), LDA().fit(X, y).loo_log_proba(X, y)[30:], rtol=1e-9
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_memory_layout_will_do(dtype, order, uneven):
    X, y = uneven
    plain = np.ascontiguousarray(X, dtype=dtype)
    laid = np.asarray(np.repeat(plain, 2, axis=0), order=order)[::2]
    expected = QDA().fit(plain, y).loo_log_proba(plain.astype(np.float64), y)
    np.testing.assert_allclose(QDA().fit(laid, y).loo_log_proba(laid, y), expected, rtol=1e-9)


def test_the_number_of_threads_changes_no_bit():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(5000, 6)), random.integers(0, 4, 5000)
    for model in (QDA, LDA, RDA, GaussianNB):
        one, two = (model(n_threads=n).fit(X, y).loo_log_proba(X, y) for n in (1, 3))
        np.testing.assert_array_equal(one, two)


def test_far_from_zero_digits_are_kept(uneven):
    X, y = uneven
    near = QDA().fit(X, y).loo_log_proba(X, y)
    moved = X + 2.0**20
    far = QDA().fit(moved, y).loo_log_proba(moved, y)
    kept = QDA().fit(moved - 2.0**20, y).loo_log_proba(moved - 2.0**20, y)
    np.testing.assert_allclose(far, kept, rtol=1e-6, atol=1e-6)
    assert np.abs(far - near).max() < 0.1


def test_unfitted_models_are_refused(iris):
    with pytest.raises(ValueError, match="not fitted"):
        QDA().loo_log_proba(*iris)


@pytest.mark.parametrize(
    "estimator",
    [
        LDA(solver="lsqr", covariance_estimator=OAS()),
        QDA(solver="eigen", covariance_estimator=OAS()),
    ],
)
def test_covariances_that_moments_do_not_give_are_refused(estimator, iris):
    X, y = iris
    estimator.fit(X, y)
    with pytest.raises(ValueError, match="loo_log_proba does not have all rows at once"):
        estimator.loo_log_proba(X, y)


def test_weights_are_refused(iris):
    X, y = iris
    qda = QDA().fit(X, y, sample_weight=np.linspace(1, 2, len(X)))
    with pytest.raises(ValueError, match="have weights"):
        qda.loo_log_proba(X, y)


@pytest.mark.parametrize("model", [LDA, QDA, RDA, GaussianNB])
def test_models_of_rows_with_missing_values_are_refused(model, iris, tmp_path):
    X, y = iris
    gap = X.copy()
    gap[0, 0] = np.nan
    fitted = model(missing="marginalize").fit(gap, y)
    fitted.save(tmp_path / "model.gauda")
    for estimator in (fitted, gauda.load(tmp_path / "model.gauda")):
        with pytest.raises(ValueError, match="Values of the rows of this model were missing"):
            estimator.loo_log_proba(X[1:], y[1:])
    assert fitted.fit(X, y).loo_log_proba(X, y).shape == (150, 3)


def test_given_parameters_are_refused(iris):
    X, y = iris
    lda = LDA.from_parameters([[0.0], [1.0]], [[1.0]], classes=["setosa", "virginica"])
    with pytest.raises(ValueError, match="given, not fitted"):
        lda.loo_log_proba(X[:, :1], y)


def test_rows_that_were_not_fitted_are_refused(iris):
    X, y = iris
    qda = QDA().fit(X[:100], y[:100])
    for rows, labels in [(X, y), (10 * X[:100], y[:100]), (X[:50], y[50:100])]:
        with pytest.raises(ValueError, match="rows that the model was fitted to"):
            qda.loo_log_proba(rows, labels)


def test_a_class_of_one_row_is_named(iris):
    X, y = iris
    kept = np.r_[0:1, 50:150]
    lda = LDA().fit(X[kept], y[kept])
    with pytest.raises(ValueError, match="Class setosa has one row only"):
        lda.loo_log_proba(X[kept], y[kept])
    assert lda.loo_log_proba(X[50:], y[50:]).shape == (100, 3)


def test_a_class_that_is_singular_without_a_row_is_named(iris):
    X, y = iris
    kept = np.r_[0:55, 100:150]  # five rows span four directions, four do not
    with pytest.raises(
        np.linalg.LinAlgError, match="Without row 50 the covariance of class versicolor"
    ):
        QDA().fit(X[kept], y[kept]).loo_log_proba(X[kept], y[kept])


def test_nan_is_named(iris):
    X, y = iris
    qda = QDA().fit(X, y)
    X = X.copy()
    X[7, 2] = np.nan
    with pytest.raises(ValueError, match="NaN at row 7, column 2"):
        qda.loo_log_proba(X, y)


def test_column_names_are_kept(iris):
    X, y = iris
    table = pd.DataFrame(X, columns=list("abcd"))
    model = QDA(conjugate_prior="empirical").fit(table, y)
    assert model.loo_log_proba(table, y).shape == (150, 3)


def test_nothing_changes_in_the_model(iris):
    X, y = iris
    qda = QDA().fit(X, y)
    before = qda.predict_log_proba(X), Moments.from_data(X, y)
    qda.loo_log_proba(X, y)
    np.testing.assert_array_equal(qda.predict_log_proba(X), before[0])
    assert qda.moments_ == before[1]


@pytest.mark.parametrize(
    "estimator",
    [
        LDA(solver="lsqr"),
        LDA(solver="eigen", shrinkage=0.2),
        LDA(solver="lsqr", shrinkage="auto"),
        QDA(),
        RDA(0.5, 0.1),
        GaussianNB(),
    ],
)
@pytest.mark.parametrize("refit", [False, True])
def test_rows_of_weight_0_are_not_among_those_of_the_fit(estimator, refit, uneven):
    X, y = uneven
    weights = np.where(np.arange(len(y)) % 5 == 1, 0.0, 1.0 + np.arange(len(y)) % 3)
    counted = weights > 0
    model = clone(estimator).fit(X, y, sample_weight=weights)
    given = model.loo_log_proba(X, y, sample_weight=weights, refit_priors=refit)
    model = clone(estimator).fit(X[counted], y[counted], sample_weight=weights[counted])
    expected = model.loo_log_proba(
        X[counted], y[counted], sample_weight=weights[counted], refit_priors=refit
    )
    np.testing.assert_allclose(given[counted], expected, rtol=1e-9, atol=1e-12)
