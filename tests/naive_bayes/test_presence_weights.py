"""Presence in rows whose weights lie far apart: what is absent keeps its digits."""

from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
import pytest
from exact_odds import log
from scipy import sparse

import gauda
from gauda import BernoulliNB, Counts
from gauda._storage.format import read, write

N_ROWS, N_COLUMNS = 60, 4
KINDS = ["dense", "fortran", "float32", "sparse", "shares", "gaps", "sparse gaps"]


def rows_of(kind, seed=0):
    """Draw rows; heavy ones have everything, so that differences of sums would lose the others."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=N_ROWS)
    y[:4] = [0, 0, 1, 1]
    # Sparse rows give differences of sums with twice the digits, dense ones sums by themselves.
    lightest = 0 if kind.startswith("sparse") else -16
    weights = 10.0 ** rng.uniform(lightest, lightest + 4, size=N_ROWS)
    heavy = [0, 2, 17]
    weights[heavy] = 10.0 ** rng.uniform(14, 16, size=3)
    X = rng.integers(2, size=(N_ROWS, N_COLUMNS)).astype(float)
    if kind == "shares":
        X = rng.integers(5, size=X.shape) / 4
    X[heavy] = 1
    if "gaps" in kind:
        X[rng.random(X.shape) < 0.3] = np.nan
    return X, y, weights


def given(X, kind):
    """Return rows in the form that a model is given."""
    if kind.startswith("sparse"):
        return sparse.csr_array(X)
    if kind == "float32":
        return X.astype(np.float32)
    return np.asfortranarray(X) if kind == "fortran" else X


def options(kind):
    """Return the parameters by which a model takes such rows."""
    found = {"binarize": None if kind == "shares" else 0.0}
    return found | ({"missing": "marginalize"} if "gaps" in kind else {})


def exact_sums(X, y, weights):
    """Sum weights of what is absent and of what is seen, by class and column, as fractions."""
    absent = [[Fraction(0)] * N_COLUMNS for _ in range(2)]
    seen = [[Fraction(0)] * N_COLUMNS for _ in range(2)]
    for row, label, weight in zip(X, y, weights, strict=True):
        for column, entry in enumerate(row):
            if not np.isnan(entry):
                absent[label][column] += Fraction(weight) * (1 - Fraction(float(entry)))
                seen[label][column] += Fraction(weight)
    return absent, seen


def as_floats(sums):
    return np.array([[float(entry) for entry in row] for row in sums])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_counts_of_absence_are_exact_sums(kind, seed):
    X, y, weights = rows_of(kind, seed)
    counts = Counts.from_data(given(X, kind), y, weights, "bernoulli", **options(kind))
    absent, seen = exact_sums(X, y, weights)
    np.testing.assert_allclose(counts.absent_count, as_floats(absent), rtol=1e-14)
    np.testing.assert_allclose(counts.observed_count, as_floats(seen), rtol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_nothing_scores_by_exact_probabilities(kind):
    X, y, weights = rows_of(kind)
    alpha = 1e-18
    with np.errstate(all="raise"):
        model = BernoulliNB(alpha=alpha, force_alpha=True, fit_prior=False, **options(kind))
        model.fit(given(X, kind), y, sample_weight=weights)
    absent, seen = exact_sums(X, y, weights)
    added = Fraction(alpha)
    expected = [
        log(Fraction(1, 2))
        + sum(log((a + added) / (s + 2 * added)) for a, s in zip(*pair, strict=True))
        for pair in zip(absent, seen, strict=True)
    ]
    found = model.classify(np.zeros((1, N_COLUMNS)), ["joint"]).joint[0]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("kind", ["dense", "sparse", "gaps"])
def test_what_is_absent_survives_sums_parts_and_files(kind, tmp_path):
    X, y, weights = rows_of(kind)

    def count(rows):
        part = given(X[rows], kind)
        return Counts.from_data(part, y[rows], weights[rows], "bernoulli", **options(kind))

    absent = as_floats(exact_sums(X, y, weights)[0])

    def check(counts, expected):
        np.testing.assert_allclose(counts.absent_count, expected, rtol=1e-13)

    parts = [count(np.arange(start, start + 15)) for start in range(0, N_ROWS, 15)]
    whole = reduce(add, parts)
    check(whole, absent)
    check(whole * 8, absent * 8)
    check(whole.select([2, 0]), absent[:, [2, 0]])
    check(whole.relabel({0: "a", 1: "a"}), absent.sum(axis=0, keepdims=True))
    check(whole.relabel({0: "b", 1: "a"}), absent[::-1])
    whole.save(tmp_path / "counts.gauda")
    check(Counts.load(tmp_path / "counts.gauda"), absent)
    assert Counts.load(tmp_path / "counts.gauda") == whole
    model = BernoulliNB.from_counts(whole, **options(kind))
    model.save(tmp_path / "model.gauda")
    check(gauda.load(tmp_path / "model.gauda").counts_, absent)


def test_whole_weights_count_like_repeated_rows():
    X, y, _ = rows_of("dense")
    weights = np.arange(N_ROWS) % 3
    repeated = np.repeat(X, weights, axis=0), np.repeat(y, weights), None
    weighted = Counts.from_data(X, y, weights, "bernoulli")
    assert weighted == Counts.from_data(*repeated, "bernoulli")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda absent: absent * 1e40, "more was counted"),
        (lambda absent: absent[:, 1:], "what is absent must be"),
        (lambda absent: -absent, "what is absent must be"),
    ],
)
def test_files_must_hold_absence_that_rows_can_have(change, reason, tmp_path):
    X, y, weights = rows_of("dense")
    path = tmp_path / "counts.gauda"
    Counts.from_data(X, y, weights, "bernoulli").save(path)
    content = read(path)
    arrays = content.arrays | {"absent": change(content.arrays["absent"])}
    write(path, "Counts", arrays, content.metadata)
    with pytest.raises(ValueError, match=reason):
        Counts.load(path)


@pytest.mark.parametrize("kind", ["categorical", "multinomial"])
def test_other_counts_do_not_tell_what_is_absent(kind):
    counts = Counts.from_data([[0, 1], [1, 0]], [0, 1], kind=kind)
    with pytest.raises(AttributeError, match="do not tell what is absent"):
        counts.absent_count  # noqa: B018 (the access is what fails)


def test_a_light_row_stays_when_it_joins_a_heavy_one():
    light = Counts.from_data([[0.0]], ["a"], [1.0], "bernoulli")
    heavy = Counts.from_data([[1.0]], ["a"], [1e17], "bernoulli")
    assert (light + heavy).absent_count == 1


def test_a_light_row_stays_when_its_class_joins_a_heavy_one():
    counts = Counts.from_data([[0.0], [1.0]], ["a", "b"], [1.0, 1e17], "bernoulli")
    assert counts.relabel({"a": "c", "b": "c"}).absent_count == 1
