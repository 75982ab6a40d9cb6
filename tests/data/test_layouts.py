"""Arrays however they lie in memory: aligned or not, in strides of any kind, in any byte order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse as sp

import gauda

ELEMENTS = ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"]
GAUSSIAN = {
    "LDA, svd": gauda.LDA(),
    "LDA, lsqr": gauda.LDA(solver="lsqr", shrinkage="auto"),
    "LDA, eigen": gauda.LDA(solver="eigen", shrinkage=0.1),
    "QDA": gauda.QDA(reg_param=0.1),
    "RDA": gauda.RDA(alpha=0.5, gamma=0.1),
    "GaussianNB": gauda.GaussianNB(),
}
DISCRETE = {
    "BernoulliNB": gauda.BernoulliNB(),
    "CategoricalNB": gauda.CategoricalNB(min_categories=2),
    "MixedNB": gauda.MixedNB(kinds=["categorical", "categorical", "categorical"]),
}
MODELS = GAUSSIAN | DISCRETE
N, D, K = 30, 3, 3


def misaligned(array):
    """Give the same items one byte off."""
    raw = np.frombuffer(b"\0" + array.tobytes(), array.dtype, offset=1)
    return raw.reshape(array.shape)


def field(array):
    """Give the same items as fields of records, which have a byte besides."""
    records = np.zeros(array.shape, dtype=[("tag", "u1"), ("value", array.dtype)])
    records["value"] = array
    return records["value"]


def broadcast(array):
    """Give the first item or row as often as there are some, of memory for one."""
    return np.broadcast_to(array[:1], array.shape)


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


LAYOUTS = {
    "misaligned": misaligned,
    "field": field,
    "broadcast": broadcast,
    "read-only": read_only,
    "swapped": lambda array: array.astype(array.dtype.newbyteorder()),
    "swapped field": lambda array: field(array.astype(array.dtype.newbyteorder())),
    "fortran": np.asfortranarray,
    "every second": lambda array: np.repeat(array, 2, axis=0)[::2],
    "backwards": lambda array: array[::-1].copy()[::-1],
}


def plain(array):
    """Give a copy that is aligned, in one piece and in the machine's byte order."""
    return np.array(array, dtype=array.dtype.newbyteorder("="), order="C")


@st.composite
def problems(draw):
    """Draw a model, data of some element type, and how each array of them lies in memory."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    name = draw(st.sampled_from(sorted(MODELS)))
    element = draw(st.sampled_from(ELEMENTS))
    top = 2 if name in DISCRETE or element == "?" else 100
    layouts = [LAYOUTS[draw(st.sampled_from(sorted(LAYOUTS)))] for _ in range(4)]
    X = layouts[0](rng.integers(0, top, (N, D)).astype(element))
    labels = draw(st.sampled_from(["i8", "f4", "U3", "u2"]))
    y = layouts[1](np.array((np.arange(N) % K).tolist()).astype(labels))
    if len(np.unique(y)) < K:  # all the same, where labels are broadcast
        y = np.arange(N) % K
    weights = layouts[2](rng.exponential(size=N) + 0.1)
    return MODELS[name], X, y, weights, layouts[3]


def answers(model, X):
    methods = ["predict", "predict_proba", "predict_log_proba", "score_samples", "mahalanobis"]
    return {name: getattr(model, name)(X) for name in methods if hasattr(model, name)}


def attempt(call):
    """Give what a call returns, or what it says."""
    try:
        return call()
    except ValueError as error:
        return str(error)


@settings(max_examples=400)
@given(problems())
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_layout_changes_no_bit(problem):
    model, X, y, weights, again = problem
    expected = attempt(
        lambda: answers(model.fit(plain(X), plain(y), sample_weight=plain(weights)), plain(X))
    )
    got = attempt(lambda: answers(model.fit(X, y, sample_weight=weights), X))
    np.testing.assert_equal(got, expected)
    if isinstance(expected, dict):
        queried = again(plain(X))
        np.testing.assert_equal(answers(model, queried), answers(model, plain(queried)))


@pytest.mark.parametrize("layout", ["misaligned", "field", "swapped", "every second", "fortran"])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_layout_of_priors_and_costs_changes_no_bit(name, layout):
    lay = LAYOUTS[layout]
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(N, D)), np.arange(N) % K
    priors, each = rng.dirichlet(np.ones(K)), rng.dirichlet(np.ones(K), size=N)
    cost = rng.exponential(size=(K, K))
    model = GAUSSIAN[name].fit(X, y)
    np.testing.assert_equal(
        [
            model.predict_proba(X, priors=lay(priors)),
            model.predict_proba(X, priors=lay(each)),
            model.predict(X, cost=lay(cost)),
        ],
        [
            model.predict_proba(X, priors=priors),
            model.predict_proba(X, priors=each),
            model.predict(X, cost=cost),
        ],
    )


@pytest.mark.parametrize("layout", ["misaligned", "field", "swapped", "every second", "fortran"])
def test_layout_of_parameters_changes_no_bit(layout):
    lay = LAYOUTS[layout]
    rng = np.random.default_rng(6)
    means, X = rng.normal(size=(K, D)), rng.normal(size=(N, D))
    covariances = np.array([np.diag(rng.exponential(size=D)) for _ in range(K)])
    got = gauda.QDA.from_parameters(lay(means), lay(covariances), lay(np.full(K, 1 / K)))
    expected = gauda.QDA.from_parameters(means, covariances, np.full(K, 1 / K))
    np.testing.assert_equal(got.predict_proba(X), expected.predict_proba(X))


# Booleans: any byte but 0 is true


def odd_booleans(shape, seed):
    """Give booleans whose bytes are not only 0 and 1, as views and foreign libraries make them."""
    return np.random.default_rng(seed).choice(np.array([0, 1, 2, 255], "u1"), shape).view(bool)


@pytest.mark.parametrize("lay", [np.asarray, np.asfortranarray, broadcast], ids=["C", "F", "0"])
@pytest.mark.parametrize("name", MODELS)
def test_booleans_of_any_byte_are_true_or_false(name, lay):
    X, y = lay(odd_booleans((N, D), 1)), np.arange(N) % K
    clean = X.view("u1") != 0
    model = MODELS[name]
    expected = attempt(lambda: answers(model.fit(clean, y), clean))
    np.testing.assert_equal(attempt(lambda: answers(model.fit(X, y), X)), expected)


@pytest.mark.parametrize("name", MODELS)
def test_labels_of_any_byte_are_two_classes(name):
    y, X = odd_booleans(N, 2), np.random.default_rng(3).integers(0, 2, (N, D))
    X[:4] = [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]]
    y[:4] = False
    y.view("u1")[4:8], X[4:8] = 255, X[:4]
    model = MODELS[name].fit(X, y)
    np.testing.assert_array_equal(model.classes_, [False, True])
    assert model.classes_.view("u1").tolist() == [0, 1]
    expected = MODELS[name].fit(X, y.view("u1") != 0).predict(X)
    np.testing.assert_array_equal(model.fit(X, y).predict(X), expected)


def test_weights_and_sparse_entries_of_any_byte_are_0_or_1():
    y, weights = np.arange(N) % K, odd_booleans(N, 4)
    X = odd_booleans((N, D), 5)
    got = gauda.BernoulliNB().fit(X, y, sample_weight=weights)
    expected = gauda.BernoulliNB().fit(X.view("u1") != 0, y, sample_weight=weights.view("u1") != 0)
    np.testing.assert_array_equal(got.feature_count_, expected.feature_count_)
    entries = np.full(4, 255, "u1").view(bool)
    rows = sp.csr_matrix((entries, [0, 1, 0, 2], [0, 1, 2, 4]), shape=(3, 3))
    for binarize in (0.0, None):
        nb = gauda.BernoulliNB(binarize=binarize).fit(rows, [0, 1, 1])
        np.testing.assert_array_equal(nb.feature_count_, [[1, 0, 0], [1, 1, 1]])
