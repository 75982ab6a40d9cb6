"""RDA with covariance='test': pooled unless Box's M rejects, as POOL=TEST in SAS."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import gauda


@pytest.mark.parametrize(("dataset", "kind"), [("iris", "full"), ("skulls", "tied")])
def test_the_test_chooses(load_data, dataset, kind):
    """Box's M has p = 3.4e-20 for iris and 0.26 for the skulls, as R's heplots::boxM prints it."""
    X, y = load_data(dataset)
    model = gauda.RDA(covariance="test").fit(X, y)
    assert model.covariance_structure_ == kind
    expected = (gauda.QDA if kind == "full" else gauda.LDA)().fit(X, y)
    np.testing.assert_allclose(
        model.predict_log_proba(X), expected.predict_log_proba(X), rtol=1e-9, atol=1e-12
    )
    parameters = model.diagnostics().n_parameters
    assert parameters == expected.diagnostics().n_parameters


def test_classes_too_small_for_the_test_are_pooled(iris):
    X, y = iris
    few = np.r_[0:50, 50:100, 100:103]
    model = gauda.RDA(covariance="test").fit(X[few], y[few])
    assert model.covariance_structure_ == "tied"


def test_rows_left_out_are_tested_anew(iris):
    X, y = iris
    few = np.r_[0:12, 50:62, 100:112]
    X, y = X[few], y[few]
    model = gauda.RDA(covariance="test").fit(X, y)
    found = model.loo_log_proba(X, y)
    priors = [1 / 3] * 3
    for row in range(0, 36, 7):
        rest = np.arange(36) != row
        refit = gauda.RDA(covariance="test", priors=priors).fit(X[rest], y[rest])
        expected = refit.predict_log_proba(X[row : row + 1])[0]
        np.testing.assert_allclose(found[row], expected, rtol=1e-8, atol=1e-10)


def test_what_the_test_takes_is_said(iris):
    X, y = iris
    with pytest.raises(ValueError, match="number of equal, independent rows"):
        gauda.RDA(covariance="test").fit(X, y, sample_weight=np.full(150, 0.3)).predict(X)
    with pytest.raises(ValueError, match="leaves nothing to choose"):
        gauda.RDA(0.5, covariance="test").fit(X, y)
    holey = X.copy()
    holey[0, 0] = np.nan
    with pytest.raises(ValueError, match="Tests need complete rows"):
        gauda.RDA(covariance="test", missing="marginalize").fit(holey, y).predict(X)
    with pytest.raises(AttributeError, match="Fit with covariance='test'"):
        gauda.RDA().fit(X, y).covariance_structure_  # noqa: B018 (there is none)


def test_files_batches_and_parts_keep_the_choice(iris, tmp_path):
    X, y = iris
    model = gauda.RDA(covariance="test").fit(X, y)
    model.save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    copied = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own
    batches = clone(model).partial_fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2])
    for other in (loaded, copied, batches):
        assert other.covariance_structure_ == "full"
        np.testing.assert_allclose(other.predict_proba(X), model.predict_proba(X), atol=1e-12)
    part = model.marginal([0, 2])
    expected = gauda.QDA().fit(X, y).marginal([0, 2]).predict_proba(X[:, [0, 2]])
    np.testing.assert_allclose(part.predict_proba(X[:, [0, 2]]), expected, atol=1e-9)
