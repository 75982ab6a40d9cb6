"""Sparse matrices whose parts do not fit together are refused before scipy reads them."""

import numpy as np
import pytest
from scipy import sparse as sp

from gauda import BernoulliNB, Counts

DENSE = np.array([[0, 1, 0], [1, 0, 1], [0, 0, 0], [1, 1, 1]])
Y = [0, 1, 0, 1]
MANY = 10**8
STARTS = {
    "csr": [
        [0, 9, 2, 3, 6],
        [0, 3, 2, 3, 6],
        [0, 1, 2],
        [0, 1, 3, 3, 6, 6],
        [-5, 1, 3, 3, 6],
        [1, 1, 3, 3, 6],
        [0, MANY, MANY, MANY, MANY],
        [0, 1, 3, 3, MANY],
        [0.0, 1.0, 3.0, 3.0, 6.0],
        [[0, 1, 3, 3, 6]],
    ],
    "csc": [[0, 9, 2, 6], [0, 2], [-1, 2, 4, 6], [0, MANY, MANY, MANY], [0, 2, 4, MANY]],
}
STARTS["bsr"] = STARTS["csr"]
INDICES = [[9] * 6, [-1] * 6, [0], [0] * 9, [0.5] * 6, [MANY] * 6, [-MANY] * 6, [2**31 + 5] * 6]


def matrix(form):
    return sp.bsr_matrix(DENSE, blocksize=(1, 1)) if form == "bsr" else make(sp.csr_matrix, form)


def make(kind, form):
    return kind(DENSE).asformat(form)


def narrow(values):
    array = np.array(values)
    return array.astype(np.int32) if array.dtype == int and abs(array).max() < 2**31 else array


def broken():
    for form, all_starts in STARTS.items():
        yield from ((form, "indptr", starts) for starts in all_starts)
        yield from ((form, "indices", indices) for indices in INDICES)
    for part in ("row", "col"):
        whole = [indices for indices in INDICES if 0.5 not in indices]  # which scipy makes of them
        yield from (("coo", part, indices) for indices in whole)


@pytest.mark.parametrize(("form", "part", "values"), list(broken()))
def test_parts_that_do_not_fit_are_refused(form, part, values):
    X = matrix(form)
    setattr(X, part, narrow(values))
    nb = BernoulliNB().fit(DENSE, Y)
    for call in (
        lambda: BernoulliNB().fit(X, Y),
        lambda: BernoulliNB().partial_fit(X, Y, classes=[0, 1]),
        lambda: nb.predict(X),
        lambda: nb.predict_joint_log_proba(X),
        lambda: Counts.from_data(X, Y, kind="bernoulli"),
    ):
        with pytest.raises(ValueError, match="Sparse X must have"):
            call()


LOOSE = {
    "fewer rows": ("lil", lambda X: setattr(X, "rows", X.rows[:-1])),
    "fewer rows of entries": ("lil", lambda X: setattr(X, "data", X.data[:-1])),
    "fewer columns": ("lil", lambda X: X.rows[1].pop()),
    "fewer entries": ("lil", lambda X: X.data[1].pop()),
    "half a column": ("lil", lambda X: X.rows[1].__setitem__(0, 0.5)),
    "no list": ("lil", lambda X: X.rows.__setitem__(0, None)),
    "fewer offsets": ("dia", lambda X: setattr(X, "offsets", X.offsets[:-1])),
    "fewer diagonals": ("dia", lambda X: setattr(X, "data", X.data[:-1])),
    "flat diagonals": ("dia", lambda X: setattr(X, "data", X.data.ravel())),
    "offset twice": ("dia", lambda X: X.offsets.__setitem__(0, X.offsets[1])),
    "half an offset": ("dia", lambda X: setattr(X, "offsets", X.offsets + 0.5)),
    "listed offsets": ("dia", lambda X: setattr(X, "offsets", X.offsets.tolist())),
    "half a key": ("dok", lambda X: X._dict.__setitem__((0.5, 0), 1)),  # noqa: SLF001 - as some do
    "entries in a column": ("csc", lambda X: setattr(X, "data", X.data[:, np.newaxis])),
    "flat blocks": ("bsr", lambda X: setattr(X, "data", X.data.ravel())),
}


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("case", LOOSE)
def test_parts_that_scipy_would_guess_at_are_refused(case, kind):
    form, damage = LOOSE[case]
    X = make(kind, form)
    damage(X)
    nb = BernoulliNB().fit(DENSE, Y)
    for call in (lambda: BernoulliNB().fit(X, Y), lambda: nb.predict(X)):
        with pytest.raises(ValueError, match="Sparse X must have"):
            call()


@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
def test_entries_without_a_place_are_refused(form):
    X = matrix(form)
    X.data = X.data[:2]
    with pytest.raises(ValueError, match="as many indices as entries, 2; got 6"):
        BernoulliNB().fit(X, Y)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
def test_every_format_is_read(form, kind):
    X = make(kind, form)
    expected = BernoulliNB().fit(DENSE, Y)
    nb = BernoulliNB().fit(X, Y)
    np.testing.assert_array_equal(nb.feature_count_, expected.feature_count_)
    np.testing.assert_allclose(nb.predict_proba(X), expected.predict_proba(DENSE), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4", "u2", "i1"])
def test_indices_of_any_integers_are_read(dtype):
    X = matrix("csr")
    X.indices, X.indptr = X.indices.astype(dtype), X.indptr.astype(dtype)
    expected = BernoulliNB().fit(DENSE, Y).feature_count_
    np.testing.assert_array_equal(BernoulliNB().fit(X, Y).feature_count_, expected)


def test_room_for_more_entries_is_left_alone():
    X = matrix("csr")
    X.data, X.indices = np.append(X.data, [7, 7]), np.append(X.indices, [99, -99]).astype("i4")
    expected = BernoulliNB().fit(DENSE, Y).feature_count_
    np.testing.assert_array_equal(BernoulliNB().fit(X, Y).feature_count_, expected)
    assert len(X.data) == len(DENSE.nonzero()[0]) + 2


def test_what_a_matrix_knows_of_its_order_may_be_out_of_date():
    X = matrix("csr")
    assert X.has_canonical_format
    X.indices[-2:] = 2
    nb = BernoulliNB().fit(X, Y)
    np.testing.assert_array_equal(
        nb.feature_count_, BernoulliNB().fit(X.toarray(), Y).feature_count_
    )


def test_misaligned_parts_are_read():
    X = matrix("csr")
    off = lambda part: np.frombuffer(b"\0" + part.tobytes(), part.dtype, offset=1)  # noqa: E731
    X.data, X.indices, X.indptr = off(X.data), off(X.indices), off(X.indptr)
    expected = BernoulliNB().fit(DENSE, Y).feature_count_
    np.testing.assert_array_equal(BernoulliNB().fit(X, Y).feature_count_, expected)
