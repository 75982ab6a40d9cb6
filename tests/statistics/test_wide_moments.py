"""Moments of few rows in many columns: exact sums, and the algebra of samples."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from gauda import Moments

D = 120
LABELS = np.array([0, 1, 2] * 8)


def rows(seed=0, offset=0.0, n=24):
    return np.random.default_rng(seed).normal(size=(n, D)) + offset


def exact(X, y, weights, label):
    """Return weight, mean and scatter of a class in exact arithmetic, of a few columns."""
    chosen = np.flatnonzero((y == label) & (weights > 0))
    w = [Fraction(float(weights[i])) for i in chosen]
    x = [[Fraction(float(v)) for v in X[i, :6]] for i in chosen]
    total = sum(w)
    mean = [sum(wi * xi[j] for wi, xi in zip(w, x, strict=True)) / total for j in range(6)]
    scatter = [
        [
            sum(wi * (xi[j] - mean[j]) * (xi[k] - mean[k]) for wi, xi in zip(w, x, strict=True))
            for k in range(6)
        ]
        for j in range(6)
    ]
    return total, mean, scatter


@pytest.mark.parametrize("offset", [0.0, 1e5, 1e8])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("parts", [1, 3, 12])
def test_sums_are_exact_however_rows_come(offset, weighted, parts):
    X = rows(offset=offset)
    weights = np.random.default_rng(5).uniform(0.1, 3, 24) if weighted else np.ones(24)
    pieces = np.array_split(np.arange(24), parts)
    classes = [0, 1, 2]
    moments = sum(
        (
            Moments.from_data(X[p], LABELS[p], weights[p] if weighted else None, classes=classes)
            for p in pieces[1:]
        ),
        Moments.from_data(
            X[pieces[0]],
            LABELS[pieces[0]],
            weights[pieces[0]] if weighted else None,
            classes=classes,
        ),
    )
    for label in classes:
        total, mean, scatter = exact(X, LABELS, weights, label)
        assert abs(Fraction(moments.counts[label]) - total) <= 1e-15 * float(total)
        for j in range(6):
            apart = Fraction(moments.means[label, j]) - mean[j]
            assert abs(apart) <= 4e-16 * max(1, abs(float(mean[j])))
            for k in range(6):
                size = float(scatter[j][j] * scatter[k][k]) ** 0.5
                bound = 2e-14 if parts == 1 else 1e-14 * max(1, offset * 1e-4)
                assert abs(float(Fraction(moments.scatter[label, j, k]) - scatter[j][k])) <= (
                    bound * size
                )


@pytest.mark.parametrize("structure", ["full", "tied", "diag"])
def test_sums_of_squares_are_the_diagonal_of_the_scatter(structure):
    moments = Moments.from_data(rows(), LABELS, structure=structure)
    expected = moments.scatter
    if structure != "diag":
        expected = np.diagonal(expected.reshape(-1, D, D), axis1=1, axis2=2)
    np.testing.assert_allclose(moments.squares, expected, rtol=1e-15)


def assert_same(got, expected, rtol=1e-11):
    np.testing.assert_array_equal(got.classes, expected.classes)
    np.testing.assert_array_equal(got.class_rows, expected.class_rows)
    np.testing.assert_allclose(got.counts, expected.counts, rtol=1e-14)
    np.testing.assert_allclose(got.means, expected.means, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(got.scatter, expected.scatter, rtol=0, atol=rtol * 100)


@pytest.mark.parametrize("structure", ["full", "tied"])
def test_the_algebra_is_that_of_matrices(structure):
    X = rows()
    whole = Moments.from_data(X, LABELS, structure=structure)
    part, rest = (
        Moments.from_data(X[r], LABELS[r], structure=structure) for r in (slice(9), slice(9, 24))
    )
    assert_same(part + rest, whole)
    assert_same(whole - part, rest)
    weights = np.r_[np.full(9, 0.25), np.ones(15)]
    assert_same(
        part * 0.25 + rest,
        Moments.from_data(X, LABELS, sample_weight=weights, structure=structure),
    )
    kept = [3, 100, 7]
    assert_same(whole.select(kept), Moments.from_data(X[:, kept], LABELS, structure=structure))
    named = whole.relabel({0: "a", 1: "a", 2: "b"})
    names = np.array(["a", "a", "b"])[LABELS]
    assert_same(named, Moments.from_data(X, names, structure=structure))
    assert_same(whole.total(), Moments.from_data(X, np.zeros(24, int)))
    assert_same(whole.to("tied"), Moments.from_data(X, LABELS, structure="tied"))


def test_rows_one_after_another_can_be_taken_out_again():
    X = rows(offset=1e3)
    left = Moments.from_data(X, LABELS)
    for row in range(15):
        left = left - Moments.from_data(X[row : row + 1], LABELS[row : row + 1])
    assert_same(left, Moments.from_data(X[15:], LABELS[15:]), rtol=1e-9)


def test_what_is_no_part_cannot_be_taken_out():
    whole = Moments.from_data(rows(), LABELS)
    with pytest.raises(ValueError, match="part"):
        whole - Moments.from_data(rows(1, n=3), LABELS[:3])
    with pytest.raises(ValueError, match="part"):
        Moments.from_data(rows()[:6], LABELS[:6]) - whole


@pytest.mark.parametrize("structure", ["full", "tied"])
def test_many_batches_become_matrices_from_counts_alone(structure):
    X, y = rows(n=90), np.arange(90) % 3
    joined = Moments.from_data(X[:20], y[:20], structure=structure)
    for first in range(20, 90, 10):
        batch = slice(first, first + 10)
        joined = joined + Moments.from_data(X[batch], y[batch], structure=structure)
    assert_same(joined, Moments.from_data(X, y, structure=structure))


@pytest.mark.parametrize("structure", ["full", "tied"])
def test_moments_are_saved_loaded_pickled_and_streamed(structure, tmp_path):
    X = rows()
    whole = Moments.from_data(X, LABELS, structure=structure)
    whole.save(tmp_path / "sums.gauda")
    for again in (Moments.load(tmp_path / "sums.gauda"), pickle.loads(pickle.dumps(whole))):  # noqa: S301 (our own)
        assert again == whole
        np.testing.assert_array_equal(again.scatter, whole.scatter)
    batches = ((X[i : i + 5], LABELS[i : i + 5]) for i in range(0, 24, 5))
    assert_same(Moments.from_stream(batches, structure=structure), whole)


def test_memory_is_that_of_the_rows_and_scatters_are_refused_by_size():
    X = np.random.default_rng(0).normal(size=(20, 300_000))
    moments = Moments.from_data(X, np.arange(20) % 4)
    assert moments.squares.shape == (4, 300_000)
    with pytest.raises(MemoryError, match="bytes"):
        moments.scatter  # noqa: B018 (made when it is read)


def test_awkward_weights_and_classes():
    X = rows()
    weights = np.where(np.arange(24) < 12, 1e-200, 0.0)
    tiny = Moments.from_data(X, LABELS, sample_weight=weights)
    plain = Moments.from_data(X[:12], LABELS[:12])
    np.testing.assert_allclose(tiny.scatter * 1e200, plain.scatter, rtol=1e-11, atol=1e-11)
    np.testing.assert_array_equal(tiny.class_rows, plain.class_rows)
    absent = Moments.from_data(X, LABELS, classes=[0, 1, 2, 3])
    np.testing.assert_array_equal(absent.counts, [8, 8, 8, 0])
    assert not absent.scatter[3].any()
    with pytest.raises(ValueError, match="too large"):
        Moments.from_data(X * 1e200, LABELS)
