"""Whatever comes in, a call refuses it with a message or gives finite answers; Rust never panics.

Tables are drawn at random: shapes, strides, element types, labels, weights, and magnitudes over the
whole range of a double.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models import GAUSSIAN
from support import MODELS, fitted, ours

LDA, QDA, NB = MODELS
RDA = "RegularizedDiscriminantAnalysis"
PROFILE = settings(max_examples=400)
DTYPES = ["f8", "f4", "f2", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "bool", ">f8", "O"]
SPECIAL = [0.0, -0.0, 5e-324, 1e-310, 1e-160, 1e19, 1e39, 1e154, 1e200, -1e308, np.nan, np.inf]
LAYOUTS = [
    np.ascontiguousarray,
    np.asfortranarray,
    lambda X: np.repeat(X, 2, axis=0)[::2],
    lambda X: np.repeat(X, 3, axis=1)[:, 1::3],
    lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    lambda X: np.broadcast_to(X[:1], X.shape),
    lambda X: np.broadcast_to(X[:, :1], X.shape),
    lambda X: np.frombuffer(b"\0" + X.tobytes(), X.dtype, offset=1).reshape(X.shape),
]
LOGARITHMS = ["predict_log_proba", "predict_joint_log_proba", "decision_function"]
LABELS = [
    np.arange(4),
    np.array(["ant", "bee", "cicada", "drone"]),
    np.array([-7, 3, 10**12, -(2**63)]),
    np.array([0.0, 1.0, -3.0, 1e15]),
    np.array([False, True, False, True]),
    np.zeros(4, dtype="u8"),
]
WEIGHTS = [
    lambda rng, n: rng.integers(0, 4, n),
    lambda rng, n: rng.exponential(size=n),
    lambda rng, n: 10.0 ** rng.integers(-300, 300, n),
    lambda rng, n: rng.normal(size=n),
    lambda _, n: np.zeros(n),
]
PARAMETERS = {
    LDA: {
        "solver": st.sampled_from(["svd", "lsqr", "eigen"]),
        "shrinkage": st.sampled_from([None, None, "auto", 0.0, 0.5, 1.0]),
        "tol": st.sampled_from([1e-4, 0.0, 1.0]),
        "store_covariance": st.booleans(),
    },
    QDA: {
        "solver": st.sampled_from(["svd", "eigen"]),
        "shrinkage": st.sampled_from([None, None, "auto", 0.5]),
        "reg_param": st.sampled_from([0.0, 0.0, 0.5, 1.0]),
        "tol": st.sampled_from([1e-4, 0.0, 1.0]),
        "store_covariance": st.booleans(),
    },
    RDA: {
        "alpha": st.sampled_from([0.0, 0.3, 1.0]),
        "gamma": st.sampled_from([0.0, 1e-9, 0.5, 1.0]),
        "covariance": st.sampled_from(["full", "tied", "diag", "tied_diag", "spherical"]),
    },
    NB: {"var_smoothing": st.sampled_from([1e-9, 0.0, 1e300])},
    "BernoulliNB": {
        "alpha": st.sampled_from([1.0, 0.0, 1e-300, 1e300]),
        "binarize": st.sampled_from([0.0, -1e300, 1e-310]),
    },
    "CategoricalNB": {"alpha": st.sampled_from([1.0, 0.0, 1e-300, 1e300])},
    "MultinomialNB": {"alpha": st.sampled_from([1.0, 0.0, 1e-300, 1e300])},
    "ComplementNB": {
        "alpha": st.sampled_from([1.0, 0.0, 1e-300, 1e300]),
        "norm": st.booleans(),
    },
    "MixedNB": {
        "alpha": st.sampled_from([1.0, 0.0, 1e-300, 1e300]),
        "var_smoothing": st.sampled_from([1e-9, 0.0, 1e300]),
    },
}


@st.composite
def tables(draw, columns=None):
    """Draw a 2-D array whose columns differ wildly in size and offset, with a few odd entries."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, 60))
    d = columns or draw(st.integers(1, 6))
    tame = draw(st.integers(0, 3)) > 0
    reach = 3 if tame else draw(st.sampled_from([20, 150, 307]))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-reach, reach + 1, d)
    X += draw(st.booleans()) * 10.0 ** rng.integers(-reach, reach, d)
    for value in draw(st.lists(st.sampled_from(SPECIAL), max_size=0 if tame else 3)):
        X[rng.integers(n), rng.integers(d)] = value
    with np.errstate(all="ignore"):
        X = X.astype(draw(st.sampled_from(DTYPES)))
    if X.dtype == object:
        return X
    return draw(st.sampled_from(LAYOUTS))(X)


@st.composite
def calls(draw):
    """Draw a model, what to fit it on, and what to ask it about."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = draw(tables())
    y = draw(st.sampled_from(LABELS))[rng.integers(0, draw(st.integers(1, 4)), len(X))]
    weights = draw(st.none() | st.sampled_from(WEIGHTS))
    name = draw(st.sampled_from(list(PARAMETERS)))
    parameters = {key: draw(values) for key, values in PARAMETERS[name].items()}
    if parameters.get("solver") == "svd":
        parameters["shrinkage"] = None
    classes = len(np.unique(y))
    known = ours(name).get_params()
    parameters["priors" if "priors" in known else "class_prior"] = draw(
        st.sampled_from([None, None, np.full(classes, 1 / classes), np.eye(classes)[0]])
    )
    if "unbiased" in known:
        parameters["unbiased"] = draw(st.booleans())
    parameters["n_threads"] = draw(st.integers(1, 3))
    query = draw(tables(columns=X.shape[1]))
    return ours(name, **parameters), X, y, weights and weights(rng, len(X)), query


def attempt(call):
    """Give the result of a call, or None where it was refused with a message."""
    try:
        return call()
    except (ValueError, TypeError, NotImplementedError) as error:
        if len(str(error)) < 10:
            pytest.fail(f"a refusal that does not say why: {error!r}")
        return None


def assert_no_nan(value, name):
    for part in value if isinstance(value, list) else [value]:
        array = np.asarray(part)
        assert array.dtype.kind != "f" or not np.isnan(array).any(), name


def scores_of(model, methods, X):
    """Give the answers of those methods that exist and do not refuse X."""
    for method in methods:
        if hasattr(model, method):
            scores = attempt(lambda method=method: getattr(model, method)(X))
            if scores is not None:
                yield method, scores


def priors_of(model):
    """Return the priors of a fitted model, under whichever name it keeps them."""
    if hasattr(model, "class_log_prior_"):
        return np.exp(model.class_log_prior_)
    return model.class_prior_ if hasattr(model, "class_prior_") else model.priors_


def assert_scores_are_sound(model, X):
    single = np.asarray(X).dtype in [np.dtype(t) for t in ["f4", "i1", "u1", "i2", "u2"]]
    for _, posterior in scores_of(model, ["predict_proba"], X):
        assert np.isfinite(posterior).all()
        assert (posterior >= 0).all()
        np.testing.assert_allclose(posterior.sum(axis=1), 1, rtol=1e-5 if single else 1e-12)
    for method, scores in scores_of(model, ["mahalanobis", "transform"], X):
        assert np.isfinite(scores).all(), method
        assert method != "mahalanobis" or (scores >= 0).all()
    # Logarithms of 0 are the only way to infinity: of a prior, or of a level that a class lacks.
    impossible_levels = model.get_params().get("alpha") == 0 and "class_prior" in model.get_params()
    for method, scores in scores_of(model, ["score_samples", *LOGARITHMS], X):
        bounded = not impossible_levels and (method == "score_samples" or 0 not in priors_of(model))
        assert not np.isnan(scores).any(), method
        assert not bounded or np.isfinite(scores).all(), method
    for _, labels in scores_of(model, ["predict"], X):
        assert set(labels.tolist()) <= set(model.classes_.tolist())


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(PROFILE, max_examples=1000)
@given(calls())
def test_answers_are_finite_or_refused(call):
    model, X, y, weights, query = call
    if attempt(lambda: model.fit(X, y, sample_weight=weights)) is None:
        return
    for name, value in fitted(model).items():
        assert_no_nan(value, name)
    assert_scores_are_sound(model, X)
    assert_scores_are_sound(model, query)


@PROFILE
@given(tables(), st.integers(0, 2**32), st.sampled_from(["f8", "f4"]))
def test_naive_bayes_learns_wild_batches_or_refuses_them(X, seed, dtype):
    rng = np.random.default_rng(seed)
    model = ours(NB, var_smoothing=rng.choice([0.0, 1e-9]))
    for size in (1e-200, 1.0, 1e200):
        with np.errstate(all="ignore"):
            batch = (np.asarray(X, "f8") * size).astype(dtype)
        y = rng.integers(0, 3, len(X))
        attempt(lambda batch=batch, y=y: model.partial_fit(batch, y, [0, 1, 2]))
        if hasattr(model, "classes_"):
            for name, value in fitted(model).items():
                assert_no_nan(value, name)
            assert_scores_are_sound(model, X)


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_spread_lost_in_the_rounding_of_the_means_gives_finite_scores_or_none(solver):
    y = np.arange(20) % 2
    X = y[:, None] + 1e-17 * np.random.default_rng(0).normal(size=(20, 1))
    model = ours(LDA, solver=solver)
    if attempt(lambda: model.fit(X, y)) is not None:
        assert_scores_are_sound(model, X)


@pytest.mark.parametrize("method", ["fit", "predict_proba"])
@pytest.mark.parametrize(
    "junk", [object(), 3, "abc", {"a": 1}, [[]], [[None]], [["x"]], [[1], [2, 3]]]
)
@pytest.mark.parametrize("name", GAUSSIAN)
def test_junk_is_refused_with_a_message(name, method, junk):
    rng = np.random.default_rng(0)
    model = ours(name).fit(rng.normal(size=(20, 1)), np.arange(20) % 2)
    arguments = (junk, [0]) if method == "fit" else (junk,)
    with pytest.raises((ValueError, TypeError), match=r"\w{3,}"):
        getattr(model, method)(*arguments)
