"""Few rows of many columns taken out again: what is left against fits to the other rows."""

import numpy as np
import pytest

from gauda import LDA, RDA, Moments
from gauda._support.errors import LostDigitsError

N_CLASSES = 3
MODELS = [
    LDA(),
    LDA(solver="lsqr", shrinkage=0.3),
    RDA(0.5, 0.3),
    RDA(0.5, 0.3, target="diagonal"),
    RDA(1.0, 0.3, target="identity"),
]


def rows_of(n=30, d=150, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % N_CLASSES
    return rng.normal(size=(n, d)) + 0.3 * rng.normal(size=(N_CLASSES, d))[y], y


def nearly_twice(apart):
    """Return rows of which two are so far apart."""
    X, y = rows_of()
    X[3] = X[0] + apart * np.random.default_rng(1).normal(size=X.shape[1])
    return X, y


def of_small_class(size):
    X, y = rows_of()
    X[y == 2] *= size
    return X, y


CASES = [
    *(
        pytest.param(nearly_twice, apart, id=f"rows {apart:g} apart")
        for apart in [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 0.0]
    ),
    *(
        pytest.param(of_small_class, size, id=f"a class of size {size:g}")
        for size in [1e-2, 1e-4, 1e-6, 1e-8, 1e-12]
    ),
]


@pytest.mark.parametrize(("make", "size"), CASES)
@pytest.mark.parametrize("structure", ["full", "tied"])
def test_scatters_of_what_is_left_are_those_of_the_other_rows(make, size, structure):
    X, y = make(size)
    whole = Moments.from_data(X, y, structure=structure)
    for gone in [[0], [3], [2], [0, 2, 3, 5], [0, 3, 6, 9, 12, 15, 18, 21, 24]]:
        kept = np.setdiff1d(np.arange(len(X)), gone)
        part = Moments.from_data(X[gone], y[gone], structure=structure)
        left = whole - part.widen(whole.classes)
        expected = Moments.from_data(X[kept], y[kept], structure=structure)
        shape = -1, X.shape[1], X.shape[1]
        scatters = left.scatter.reshape(shape), expected.scatter.reshape(shape)
        for got, scatter in zip(*scatters, strict=True):
            units = np.sqrt(np.diag(scatter))
            units[units == 0] = 1.0  # of a row that is left alone
            np.testing.assert_allclose(
                got / np.outer(units, units), scatter / np.outer(units, units), atol=1e-8
            )
        np.testing.assert_allclose(left.means, expected.means, atol=1e-13)


@pytest.mark.parametrize(("make", "size"), CASES)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: "".join(repr(model).split()))
def test_models_of_what_is_left_are_those_of_the_other_rows(model, make, size):
    X, y = make(size)
    new = np.random.default_rng(2).normal(size=(5, X.shape[1]))
    left = type(model)(**model.get_params()).fit(X, y).forget_rows(X[:1], y[:1])
    fitted = type(model)(**model.get_params()).fit(X[1:], y[1:])
    expected = fitted.predict_log_proba(new)
    np.testing.assert_allclose(left.predict_log_proba(new), expected, rtol=1e-7, atol=1e-7)
    got = fitted.fit(X, y).loo_log_proba(X, y, refit_priors=True)
    for row in [0, 2, 3]:
        others = np.arange(len(X)) != row
        refit = type(model)(**model.get_params()).fit(X[others], y[others])
        expected = refit.predict_log_proba(X[row : row + 1])[0]
        np.testing.assert_allclose(got[row], expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_columns_of_other_units_keep_their_digits(unit):
    X, y = rows_of()
    X[:, ::2] *= unit
    whole = Moments.from_data(X, y)
    left = whole - Moments.from_data(X[:2], y[:2]).widen(whole.classes)
    expected = Moments.from_data(X[2:], y[2:])
    scales = np.sqrt(np.einsum("kii->ki", expected.scatter))
    outer = scales[:, :, np.newaxis] * scales[:, np.newaxis]
    np.testing.assert_allclose(left.scatter / outer, expected.scatter / outer, atol=1e-12)


def test_columns_that_are_constant_in_what_is_left_are_constant():
    X, y = rows_of()
    X[1:, 7] = 0.1
    model = LDA().fit(X, y).forget_rows(X[:1], y[:1])
    assert (model.moments_.squares[:, 7] == 0).all()
    expected = LDA().fit(X[1:], y[1:]).predict_log_proba(X)
    np.testing.assert_allclose(model.predict_log_proba(X), expected, rtol=1e-9, atol=1e-9)


def test_rows_that_hide_the_others_are_refused_by_column():
    X, y = rows_of()
    X[0, 5] = 1e9
    whole = Moments.from_data(X, y)
    with pytest.raises(LostDigitsError, match="column 5"):
        whole - Moments.from_data(X[:1], y[:1]).widen(whole.classes)


@pytest.mark.parametrize("size", [1e5, 1e7, 1e9, 1e12])
def test_rows_beside_one_far_away_are_left_out_with_their_digits(size):
    X, y = rows_of()
    X[0] *= size
    model = RDA(0.5, 0.3)
    got = model.fit(X, y).loo_log_proba(X, y, refit_priors=True)
    for row in [0, 1, 3]:
        others = np.arange(len(X)) != row
        expected = model.fit(X[others], y[others]).predict_log_proba(X[row : row + 1])[0]
        np.testing.assert_allclose(got[row], expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("apart", [1.0, 1e-4])
def test_rows_that_were_not_there_are_refused(apart):
    X, y = rows_of()
    whole = Moments.from_data(X, y)
    foreign = X[:1] + apart * np.random.default_rng(3).normal(size=(1, X.shape[1]))
    with pytest.raises(ValueError, match="not part"):
        whole - Moments.from_data(foreign, y[:1]).widen(whole.classes)


@pytest.mark.parametrize("tol", [1e-4, 0.0])
@pytest.mark.parametrize("unit", [1e-8, 1e-6, 1e3, 1e6, 1e8])
@pytest.mark.parametrize("target", ["identity", "spherical"])
@pytest.mark.parametrize("point", [(1.0, 0.2), (0.5, 0.3), (0.0, 0.1), (0.5, 1.0)])
def test_rows_left_out_are_scored_by_refits_in_any_units(point, target, unit, tol):
    X, y = rows_of(18, 110)
    X *= unit
    model = RDA(*point, target=target, tol=tol)
    try:
        model.fit(X, y)
    except np.linalg.LinAlgError:
        assert (target, tol) == ("identity", 1e-4)
        assert unit > 1
        return
    got = model.loo_log_proba(X, y, refit_priors=True)
    for row in [0, 7]:
        others = np.arange(len(X)) != row
        refit = RDA(*point, target=target, tol=tol).fit(X[others], y[others])
        expected = refit.predict_log_proba(X[row : row + 1])[0]
        np.testing.assert_allclose(got[row], expected, rtol=1e-9, atol=1e-9)
