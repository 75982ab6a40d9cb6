"""Sums in which each row counts once: weighted naive Bayes of moments is that of the rows."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gauda
from gauda import GaussianNB, Moments

RNG = np.random.default_rng(5)
N, D = 90, 3
GRID = 64
X = RNG.integers(-300, 300, (N, D)) / GRID
Y = np.arange(N) % 3
WEIGHTS = RNG.exponential(size=N) ** 3
STRUCTURES = ["full", "diag"]
FITTED = GaussianNB(var_smoothing=0.5).fit(X, Y, WEIGHTS)
"""With so much smoothing, an epsilon of weighted variances would be far off."""


@pytest.fixture(params=STRUCTURES)
def structure(request):
    return request.param


def moments_of(rows, structure, weights=WEIGHTS):
    return Moments.from_data(X[rows], Y[rows], weights[rows], structure)


def model_of(moments):
    return GaussianNB.from_moments(moments, var_smoothing=0.5)


def exact_squares(rows):
    """Return the sums of squares of columns about their means, in rational arithmetic."""
    columns = [[Fraction(value) for value in column] for column in X[rows].T.tolist()]
    means = [sum(column) / len(column) for column in columns]
    return [
        float(sum((x - mean) ** 2 for x in column))
        for column, mean in zip(columns, means, strict=True)
    ]


def through_a_file(moments, folder):
    moments.save(folder / "moments")
    return Moments.load(folder / "moments")


def test_the_weights_would_make_a_difference():
    weighted = np.cov(X.T, aweights=WEIGHTS, bias=True).diagonal().max()
    assert abs(0.5 * weighted / FITTED.epsilon_ - 1) > 0.01


WAYS = {
    "as they are": lambda moments, _: moments,
    "file": through_a_file,
    "diagonal": lambda moments, _: moments.to("diag"),
    "scaled": lambda moments, _: moments * 0.25 * 4,
    "columns there and back": lambda moments, _: moments.select([2, 0, 1]).select([1, 2, 0]),
    "labels there and back": lambda moments, _: moments.relabel({0: 9}).relabel({9: 0}),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_model_of_weighted_moments_is_that_of_the_rows(structure, way, tmp_path):
    model = model_of(WAYS[way](moments_of(slice(None), structure), tmp_path))
    np.testing.assert_allclose(model.epsilon_, FITTED.epsilon_, rtol=1e-15)
    np.testing.assert_allclose(model.var_, FITTED.var_, rtol=1e-13)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 3), min_size=N, max_size=N), st.sampled_from(STRUCTURES))
def test_merged_moments_count_each_row_once(homes, structure):
    parts = [np.flatnonzero(np.array(homes) == home) for home in range(4)]
    merged = sum(moments_of(part, structure) for part in parts)
    once = merged.unweighted
    assert (once.structure, once.counts.tolist(), once.classes.tolist()) == ("diag", [N], [0])
    np.testing.assert_allclose(once.scatter[0], exact_squares(slice(None)), rtol=1e-13)
    np.testing.assert_allclose(model_of(merged).epsilon_, FITTED.epsilon_, rtol=1e-13)


def test_what_is_subtracted_no_longer_counts(structure):
    rest = moments_of(slice(None), structure) - moments_of(slice(0, 30), structure)
    np.testing.assert_array_equal(rest.unweighted.counts, [60])
    np.testing.assert_allclose(rest.unweighted.scatter[0], exact_squares(slice(30, N)), rtol=1e-12)


def test_rows_with_and_without_weights_go_together(structure):
    plain = Moments.from_data(X[:30], Y[:30], structure=structure)
    for both in (
        plain + moments_of(slice(30, N), structure),
        moments_of(slice(30, N), structure) + plain,
    ):
        np.testing.assert_array_equal(both.unweighted.counts, [N])
        expected = exact_squares(slice(None))
        np.testing.assert_allclose(both.unweighted.scatter[0], expected, rtol=1e-13)


def test_streams_count_each_row_once(structure):
    batches = ((X[a : a + 7], Y[a : a + 7], WEIGHTS[a : a + 7]) for a in range(0, N, 7))
    moments = Moments.from_stream(batches, structure=structure, batch_rows=7)
    np.testing.assert_allclose(model_of(moments).epsilon_, FITTED.epsilon_, rtol=1e-13)


@pytest.mark.parametrize("way", ["fit", "partial_fit", "file"])
def test_a_fitted_model_hands_them_on(way, tmp_path):
    model = GaussianNB(var_smoothing=0.5)
    if way == "partial_fit":
        for part in (slice(0, 40), slice(40, N)):
            model.partial_fit(X[part], Y[part], [0, 1, 2], WEIGHTS[part])
    else:
        model.fit(X, Y, WEIGHTS)
    if way == "file":
        model.save(tmp_path / "model")
        model = gauda.load(tmp_path / "model")
    assert model_of(model.moments_).epsilon_ == model.epsilon_
    np.testing.assert_allclose(model.epsilon_, FITTED.epsilon_, rtol=1e-13)


def test_rows_with_gaps_count_the_values_that_are_there(tmp_path):
    gapped = np.where(np.random.default_rng(6).random(X.shape) < 0.2, np.nan, X)
    model = GaussianNB(var_smoothing=0.5, missing="marginalize").fit(gapped, Y, WEIGHTS)
    expected = 0.5 * np.nanvar(gapped, axis=0).max()
    np.testing.assert_allclose(model.epsilon_, expected, rtol=1e-13)
    again = model_of(through_a_file(model.moments_, tmp_path))
    assert again.epsilon_ == model.epsilon_
    np.testing.assert_array_equal(again.var_, model.var_)


def test_classes_too_far_apart_for_a_total_have_moments_all_the_same(structure):
    far = np.array([[0.0], [1.0], [1e200], [1e200]])
    moments = Moments.from_data(far, [0, 0, 1, 1], [1, 2, 1, 1], structure)
    doubled = moments + moments - moments
    np.testing.assert_array_equal(doubled.counts, [3, 2])
    with pytest.raises(ValueError, match="overflow a double"):
        _ = moments.unweighted
    with pytest.raises(ValueError, match="overflow a double"):
        GaussianNB.from_moments(moments)
