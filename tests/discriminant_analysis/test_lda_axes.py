"""How the axes of LDA are read: standardized and structure coefficients, class means; R's MASS."""

import pickle

import numpy as np
import pytest

import gauda

DATA = ["iris", "banknote", "skulls", "esl_vowel_train"]
KINDS = ["within", "total", "between"]


@pytest.fixture(params=DATA)
def found(request, load_data, load_json):
    """Give a model, what R reads of its own, and the signs by which the axes differ."""
    model = gauda.LDA(unbiased=True).fit(*load_data(request.param))
    r = load_json(f"statistics/r_{request.param}")["reading"]
    scaling = np.array(r["scaling"])
    signs = np.sign((model.scalings_[:, : scaling.shape[1]] * scaling).sum(axis=0))
    return model, r, signs


def test_standardized_coefficients_are_rs(found):
    model, r, signs = found
    got = model.standardized_coefficients_ * signs
    np.testing.assert_allclose(got, r["standardized"], atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_structure_coefficients_are_rs(found, kind):
    model, r, signs = found
    np.testing.assert_allclose(model.structure_coefficients(kind) * signs, r[kind], atol=1e-11)


def test_class_means_on_the_axes_are_rs(found):
    model, r, signs = found
    np.testing.assert_allclose(model.means_on_axes_ * signs, r["means"], atol=1e-11)
    np.testing.assert_allclose(model.means_on_axes_, model.transform(model.means_), atol=1e-11)


def test_axes_read_late_are_those_of_the_fit(iris):
    expected = gauda.LDA().fit(*iris).scalings_
    changed = gauda.LDA().fit(*iris).set_params(unbiased=True, tol=0.5)
    stored = pickle.loads(pickle.dumps(gauda.LDA().fit(*iris)))  # noqa: S301 (our own)
    for model in (changed, stored):
        np.testing.assert_array_equal(model.scalings_, expected)


def test_proportions_of_trace_are_rs(found):
    model, r, _ = found
    np.testing.assert_allclose(
        model.explained_variance_ratio_, np.atleast_1d(r["proportion"]), rtol=1e-10
    )


def test_iris_is_as_sas_prints_it(iris):
    """PROC CANDISC: pooled within-class standardized coefficients, total canonical structure."""
    model = gauda.LDA().fit(*iris)
    first, second = np.abs(model.standardized_coefficients_.T)
    assert first == pytest.approx([0.4269548, 0.5212417, 0.9472572, 0.5751608], abs=5e-8)
    assert second == pytest.approx([0.0124075, 0.7352613, 0.4010378, 0.5810399], abs=5e-8)
    total = np.abs(model.structure_coefficients("total"))
    assert total[:, 0] == pytest.approx([0.791888, 0.530759, 0.984951, 0.972812], abs=5e-7)


def test_divisors_do_not_matter(iris):
    plain, unbiased = gauda.LDA().fit(*iris), gauda.LDA(unbiased=True).fit(*iris)
    got, expected = plain.standardized_coefficients_, unbiased.standardized_coefficients_
    np.testing.assert_allclose(np.abs(got), np.abs(expected), rtol=1e-10)


def test_the_eigen_solver_has_the_same_axes(iris):
    svd, eigen = gauda.LDA().fit(*iris), gauda.LDA(solver="eigen").fit(*iris)
    for kind in KINDS:
        got, expected = eigen.structure_coefficients(kind), svd.structure_coefficients(kind)
        np.testing.assert_allclose(np.abs(got), np.abs(expected), rtol=1e-9)
    np.testing.assert_allclose(
        np.abs(eigen.standardized_coefficients_), np.abs(svd.standardized_coefficients_), rtol=1e-8
    )


@pytest.mark.parametrize("unit", [1e-6, 1e6, 1e-150, 1e140])
def test_units_do_not_matter_to_correlations(iris, unit):
    X, y = iris
    plain, scaled = gauda.LDA().fit(X, y), gauda.LDA().fit(X * [unit, 1, 1, 1 / unit], y)
    for kind in KINDS:
        got, expected = scaled.structure_coefficients(kind), plain.structure_coefficients(kind)
        np.testing.assert_allclose(np.abs(got), np.abs(expected), rtol=1e-8)


def test_single_precision_stays_single(iris):
    X, y = iris
    model = gauda.LDA().fit(X.astype(np.float32), y)
    assert model.standardized_coefficients_.dtype == np.float32
    assert model.means_on_axes_.dtype == np.float32
    expected = np.abs(gauda.LDA().fit(X, y).standardized_coefficients_)
    np.testing.assert_allclose(np.abs(model.standardized_coefficients_), expected, rtol=1e-4)


def test_columns_that_do_not_vary_have_no_correlation():
    X = np.array([[0, 1, 7.0], [1, 2, 7.0], [5, 1, 7.0], [6, 3, 7.0]])
    model = gauda.LDA().fit(X, [0, 0, 1, 1])
    for kind in KINDS:
        assert np.isnan(model.structure_coefficients(kind)[2]).all()
        assert np.isfinite(model.structure_coefficients(kind)[:2]).all()


def test_models_without_axes_are_refused(iris):
    model = gauda.LDA(solver="lsqr").fit(*iris)
    for name in ("standardized_coefficients_", "means_on_axes_"):
        with pytest.raises(AttributeError, match=f"no {name}. Fit with solver='svd' or 'eigen'"):
            getattr(model, name)
    with pytest.raises(AttributeError, match="no structure_coefficients"):
        model.structure_coefficients()
    with pytest.raises(ValueError, match="kind must be 'within', 'total' or 'between'; got 'all'"):
        gauda.LDA().fit(*iris).structure_coefficients("all")


def test_a_covariance_estimator_leaves_correlations_of_means(iris):
    covariance = pytest.importorskip("sklearn.covariance")
    estimator = covariance.EmpiricalCovariance()
    model = gauda.LDA(solver="eigen", covariance_estimator=estimator).fit(*iris)
    with pytest.raises(ValueError, match="Use kind='between'"):
        model.structure_coefficients()
    expected = np.abs(gauda.LDA().fit(*iris).structure_coefficients("between"))
    np.testing.assert_allclose(np.abs(model.structure_coefficients("between")), expected, rtol=1e-8)
    assert np.isfinite(model.standardized_coefficients_).all()
