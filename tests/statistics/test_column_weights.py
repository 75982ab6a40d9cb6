"""Diagonal moments count the values that are there, column by column, in whatever way they come."""

import operator
import pickle
from pathlib import Path

import numpy as np
import pytest
from gaps import with_gaps
from sklearn.base import clone

import gauda

RNG = np.random.default_rng(5)
Y = np.arange(150) % 3
WHOLE = RNG.normal(size=(150, 4)) + 3 * np.eye(4)[Y] + [0, 1e6, 0, -3]
GAPPED = with_gaps(WHOLE, 0.3, seed=1)
WEIGHTS = RNG.uniform(0.2, 3.0, 150)
OLD = Path(__file__).parents[1] / "reference" / "files" / "py_gnb_gaps_without_seen.gauda"
WEIGHTED = pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])


def figures(X, y, weights=None, label=0):
    """Return weights, means and sums of squares of the values that are there, in plain numpy."""
    weights = np.ones(len(X)) if weights is None else weights
    X, weights = X[y == label], weights[y == label]
    counted = ~np.isnan(X) * weights[:, np.newaxis]
    means = np.nansum(X * counted, axis=0) / counted.sum(axis=0)
    return counted.sum(axis=0), means, np.nansum((X - means) ** 2 * counted, axis=0)


def part(weights, rows):
    return None if weights is None else weights[rows]


def moments(rows=slice(None), weights=None, missing="marginalize"):
    X, y = GAPPED[rows], Y[rows]
    return gauda.Moments.from_data(X, y, part(weights, rows), structure="diag", missing=missing)


def assert_same(found, expected):
    """Compare moments up to rounding."""
    assert found.has_gaps == expected.has_gaps
    np.testing.assert_array_equal(found.classes, expected.classes)
    np.testing.assert_array_equal(found.class_rows, expected.class_rows)
    np.testing.assert_allclose(found.counts, expected.counts, rtol=1e-12)
    np.testing.assert_allclose(found.observed_counts, expected.observed_counts, rtol=1e-12)
    np.testing.assert_allclose(found.means, expected.means, rtol=1e-13)
    np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-8)
    np.testing.assert_allclose(found.unweighted.scatter, expected.unweighted.scatter, rtol=1e-8)


@WEIGHTED
def test_columns_have_the_sums_of_what_is_there(weights):
    found = moments(weights=weights)
    assert found.has_gaps
    for label in range(3):
        counts, means, squares = figures(GAPPED, Y, weights, label)
        np.testing.assert_allclose(found.observed_counts[label], counts, rtol=1e-13)
        np.testing.assert_allclose(found.means[label], means, rtol=1e-13)
        np.testing.assert_allclose(found.scatter[label], squares, rtol=1e-8)
    counts, means, squares = figures(GAPPED, np.zeros(150, dtype=int))
    np.testing.assert_allclose(found.unweighted.scatter[0], squares, rtol=1e-8)
    np.testing.assert_array_equal(found.unweighted.observed_counts[0], counts)


def test_complete_rows_give_the_same_bits():
    ordinary = gauda.Moments.from_data(WHOLE, Y, structure="diag")
    taken = gauda.Moments.from_data(WHOLE, Y, structure="diag", missing="marginalize")
    assert taken == ordinary
    assert not taken.has_gaps
    np.testing.assert_array_equal(taken.observed_counts, np.repeat(taken.counts[:, None], 4, 1))


@WEIGHTED
def test_sums_of_batches_are_those_of_all_rows(weights):
    first, second = moments(slice(0, 70), weights), moments(slice(70, None), weights)
    both = moments(weights=weights)
    assert_same(first + second, both)
    assert_same(second + first, both)
    assert_same(both - second, first)
    doubled = both * 2.0
    np.testing.assert_allclose(doubled.observed_counts, 2 * both.observed_counts)
    np.testing.assert_allclose(doubled.scatter, 2 * both.scatter)
    assert_same(sum([first, second]).select([2, 0]), both.select([2, 0]))
    assert (both - both).has_gaps
    assert_same((both - both) + both, both)


def test_complete_and_gapped_batches_mix():
    X = np.vstack([GAPPED[:60], WHOLE[60:]])
    expected = gauda.Moments.from_data(X, Y, structure="diag", missing="marginalize")
    gaps = gauda.Moments.from_data(X[:60], Y[:60], structure="diag", missing="marginalize")
    for structure in ("diag", "full"):  # full ones are reduced
        whole = gauda.Moments.from_data(X[60:], Y[60:], structure=structure)
        assert_same(gaps + whole, expected)
        assert_same(whole + gaps, expected)


def test_classes_merge_with_their_counts():
    merged = moments().relabel({0: 1})
    y = np.where(Y == 0, 1, Y)
    expected = gauda.Moments.from_data(GAPPED, y, structure="diag", missing="marginalize")
    assert_same(merged, expected)
    total = moments().total()
    counts, means, squares = figures(GAPPED, np.zeros(150, dtype=int))
    np.testing.assert_array_equal(total.observed_counts[0], counts)
    np.testing.assert_allclose(total.means[0], means, rtol=1e-13)
    np.testing.assert_allclose(total.scatter[0], squares, rtol=1e-8)
    assert moments().widen([0, 1, 2, 3]).observed_counts[3].tolist() == [0, 0, 0, 0]


def test_files_and_pickles_keep_the_counts(tmp_path):
    found = moments(weights=WEIGHTS)
    found.save(tmp_path / "a.moments")
    for again in (gauda.Moments.load(tmp_path / "a.moments"), pickle.loads(pickle.dumps(found))):  # noqa: S301 (our own)
        assert again == found
        np.testing.assert_array_equal(again.observed_counts, found.observed_counts)
        assert_same(again + moments(slice(0, 9)), found + moments(slice(0, 9)))


def test_what_was_not_there_cannot_be_subtracted():
    both = moments()
    missing = np.isnan(GAPPED[:, 0]).argmax()
    row = np.where(np.isnan(GAPPED[missing]), 0.5, GAPPED[missing])[np.newaxis]
    part = gauda.Moments.from_data(row, Y[missing : missing + 1], structure="diag")
    many = gauda.Moments.from_data(WHOLE, Y, structure="diag")
    with pytest.raises(ValueError, match="was not part of the"):
        both - many
    one = moments(slice(missing, missing + 1))
    with pytest.raises(ValueError, match="was not part of the"):
        one - part


@pytest.mark.parametrize("structure", ["full", "tied"])
def test_other_structures_take_no_gaps(structure):
    with pytest.raises(ValueError, match=r"not sums of rows.*structure='diag'"):
        gauda.Moments.from_data(GAPPED, Y, structure=structure, missing="marginalize")
    with pytest.raises(ValueError, match=r"not sums of rows.*structure='diag'"):
        gauda.Moments.from_stream([(GAPPED, Y)], structure=structure, missing="marginalize")
    with pytest.raises(ValueError, match="missing must be one of"):
        gauda.Moments.from_data(GAPPED, Y, missing="ignore")
    with pytest.raises(ValueError, match="NaN at row"):
        gauda.Moments.from_data(GAPPED, Y, structure=structure)


# The model


@WEIGHTED
@pytest.mark.parametrize(
    "parameters",
    [{}, {"unbiased": True}, {"conjugate_prior": "empirical"}, {"priors": [0.2, 0.3, 0.5]}],
    ids=["plain", "unbiased", "prior", "priors"],
)
def test_every_way_to_learn_gives_the_model_of_one_fit(weights, parameters):
    blank = gauda.GaussianNB(missing="marginalize", **parameters)
    fit = clone(blank).fit(GAPPED, Y, weights)
    halves = [slice(0, 70), slice(70, None)]
    stream = [(GAPPED[h], Y[h], *([] if weights is None else [weights[h]])) for h in halves]
    batch = clone(blank).partial_fit(GAPPED[:70], Y[:70], [0, 1, 2], part(weights, slice(0, 70)))
    later = clone(blank).fit(GAPPED[:70], Y[:70], part(weights, slice(0, 70)))
    ways = {
        "stream": clone(blank).fit_stream(stream),
        "batches": batch.partial_fit(GAPPED[70:], Y[70:], None, part(weights, halves[1])),
        "fit, then a batch": later.partial_fit(GAPPED[70:], Y[70:], None, part(weights, halves[1])),
        "moments": gauda.GaussianNB.from_moments(
            moments(weights=weights), missing="marginalize", **parameters
        ),
    }
    for model in ways.values():
        np.testing.assert_allclose(model.theta_, fit.theta_, rtol=1e-13)
        np.testing.assert_allclose(model.var_, fit.var_, rtol=1e-8)
        np.testing.assert_allclose(
            model.predict_log_proba(GAPPED), fit.predict_log_proba(GAPPED), rtol=1e-5, atol=1e-7
        )
        np.testing.assert_allclose(model.class_prior_, fit.class_prior_)
    rest = later.forget_rows(GAPPED[70:], Y[70:], part(weights, halves[1]))
    first = clone(blank).fit(GAPPED[:70], Y[:70], part(weights, halves[0]))
    np.testing.assert_allclose(rest.var_, first.var_, rtol=1e-7)


def test_means_and_variances_are_those_of_what_is_there():
    model = gauda.GaussianNB(missing="marginalize", var_smoothing=0, unbiased=True).fit(GAPPED, Y)
    for label in range(3):
        counts, means, squares = figures(GAPPED, Y, None, label)
        np.testing.assert_allclose(model.theta_[label], means, rtol=1e-13)
        np.testing.assert_allclose(model.var_[label], squares / (counts - 1), rtol=1e-8)
    biased = gauda.GaussianNB(missing="marginalize").fit(GAPPED, Y)
    counts, _, squares = figures(GAPPED, np.zeros(150, dtype=int))
    np.testing.assert_allclose(biased.epsilon_, 1e-9 * max(squares / counts), rtol=1e-8)


def test_a_prior_is_joined_to_what_is_there():
    prior = gauda.NormalInverseWishart([1.0, 2.0], 0.5, np.diag([3.0, 4.0]), nu=5)
    X = GAPPED[:, [0, 2]]
    model = gauda.GaussianNB(missing="marginalize", var_smoothing=0, conjugate_prior=prior)
    model.fit(X, Y)
    n, m, s = figures(X, Y, None, 1)
    mean = (0.5 * np.array([1.0, 2.0]) + n * m) / (0.5 + n)
    joined = [3.0, 4.0] + s + 0.5 * n / (0.5 + n) * (m - [1.0, 2.0]) ** 2
    np.testing.assert_allclose(model.theta_[1], mean, rtol=1e-12)
    np.testing.assert_allclose(model.var_[1], joined / (4 + n + 3), rtol=1e-10)  # nu less d - 1


def test_forgetting_fades_what_is_there():
    model = gauda.GaussianNB(missing="marginalize").fit(GAPPED[:70], Y[:70])
    model.partial_fit(GAPPED[70:], Y[70:], forget=0.25)
    weights = np.where(np.arange(150) < 70, 0.25, 1.0)
    _, means, _ = figures(GAPPED, Y, weights, 2)
    np.testing.assert_allclose(model.theta_[2], means, rtol=1e-13)


def test_a_column_may_appear_with_a_later_batch():
    hidden = GAPPED[:30].copy()
    hidden[Y[:30] == 1, 2] = np.nan
    model = gauda.GaussianNB(missing="marginalize").partial_fit(hidden, Y[:30], [0, 1, 2])
    with pytest.raises(ValueError, match="Column 2 is never observed in class 1"):
        model.predict(WHOLE)
    with pytest.raises(ValueError, match="Column 2 is never observed in class 1"):
        gauda.GaussianNB(missing="marginalize").fit(hidden, Y[:30])
    model.partial_fit(GAPPED[30:], Y[30:])
    whole = gauda.GaussianNB(missing="marginalize")
    expected = whole.fit(np.vstack([hidden, GAPPED[30:]]), Y)
    np.testing.assert_allclose(model.theta_, expected.theta_, rtol=1e-13)


def test_files_of_earlier_versions_serve_their_model():
    model = gauda.load(OLD)
    assert model.moments_.has_gaps
    rng = np.random.default_rng(77)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 3)) + 5 * np.eye(3)[y]
    X = np.where(rng.random((60, 3)) < 0.2, np.nan, X)
    again = gauda.GaussianNB(missing="marginalize").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), again.predict_proba(X), rtol=1e-9)
    # They do not tell how many values of each column there were.
    refusal = "values were missing cannot be .* Fit all rows together"
    with pytest.raises(ValueError, match=refusal):
        model.partial_fit(X, y)
    for join in (operator.add, operator.sub):
        with pytest.raises(ValueError, match=refusal):
            join(model.moments_, again.moments_)
