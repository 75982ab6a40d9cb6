"""Pickles and files with changed numbers: a ValueError, or a model that answers in numbers."""

# ruff: noqa: SLF001 (what a pickle holds)

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gauda
from gauda._storage.format import Content
from gauda._storage.loading import restore

CODES = np.arange(60) % 3
X = np.random.default_rng(8).normal(size=(60, 3)) + np.eye(3)[CODES]
LEVELS = (np.abs(X) > 0.7).astype(float)

ESTIMATORS = {
    "svd": gauda.LDA(),
    "lsqr": gauda.LDA(solver="lsqr"),
    "eigen": gauda.LDA(solver="eigen", reduced_rank=True, n_components=1),
    "qda": gauda.QDA(),
    "rda": gauda.RegularizedDiscriminantAnalysis(alpha=0.5, gamma=0.1),
    "nb": gauda.GaussianNB(),
    "bernoulli": gauda.BernoulliNB(),
    "categorical": gauda.CategoricalNB(),
    "mixed": gauda.MixedNB(),
}
DISCRETE = {"bernoulli", "categorical", "mixed"}
GAUSSIAN = [name for name in ESTIMATORS if name not in DISCRETE]
ODD = [np.nan, np.inf, -np.inf, -1.0, 0.0, 1e300, 5e-324]


def data_of(name):
    return LEVELS if name in DISCRETE else X


FITTED = {name: model.fit(data_of(name), CODES) for name, model in ESTIMATORS.items()}


def with_entry(array, value, place):
    """Change one entry."""
    changed = np.array(array)
    if changed.size and changed.dtype.kind in "fiu":
        if changed.dtype.kind != "f":
            value = 7 if not np.isfinite(value) or value < 0 else min(value, 2**31)
        changed.flat[place % changed.size] = value
    return changed


CHANGES = [
    lambda array, *_: array[:-1],
    lambda array, *_: np.concatenate([array, array]),
    lambda array, *_: array[..., :-1],
    lambda array, *_: array[..., np.newaxis],
    lambda array, *_: array[:0],
    lambda array, *_: array.T,
    lambda array, *_: array.reshape(-1),
    lambda array, *_: np.zeros_like(array),
    with_entry,
    with_entry,
    with_entry,
]
"""Ways to change an array of one dimension or more."""

changes = st.tuples(st.sampled_from(CHANGES), st.sampled_from(ODD), st.integers(0, 10_000))


def changed_parts(parts, place, change):
    """Change one array or number somewhere in nested tuples."""
    how, value, entry = change
    place %= len(parts)
    part = parts[place]
    if isinstance(part, tuple):
        new = changed_parts(part, entry, change)
    elif isinstance(part, list):
        new = how(np.array(part), value, entry).tolist() if part else [value]
    elif isinstance(part, np.ndarray):
        new = how(part, value, entry)
    else:
        new = None if part is not None else (np.zeros((3, 1)), False)
    return (*parts[:place], new, *parts[place + 1 :])


def assert_answers(model, rows):
    """Ask for everything; numbers, or a ValueError."""
    for method in ("predict_proba", "predict_joint_log_proba", "score_samples", "mahalanobis"):
        if hasattr(model, method):
            try:
                answers = getattr(model, method)(rows)
            except ValueError:
                continue
            assert not np.isnan(answers).any()


@pytest.mark.parametrize("name", GAUSSIAN)
@given(place=st.integers(0, 5), change=changes)
def test_changed_parts_of_a_model_are_refused_or_answer(name, place, change):
    kind, parts = FITTED[name]._fitted_model().__reduce__()
    try:
        made = kind(*changed_parts(parts, place, change))
    except (ValueError, TypeError):  # what is not an array has another type
        return
    labels = np.empty(len(X), np.uint32)
    joint = np.empty((len(X), made.n_classes))
    for asked in ("label", "posterior", "log_posterior", "joint"):
        out = labels if asked == "label" else joint
        try:
            made.answer(X, **{asked: out})
        except ValueError:
            continue
        assert not np.isnan(out).any()
        assert asked != "label" or (out < made.n_classes).all()
    assert pickle.loads(pickle.dumps(made)).n_classes == made.n_classes  # noqa: S301 - our own


@given(structure=st.sampled_from(["full", "tied", "diag"]), place=st.integers(1, 5), change=changes)
def test_changed_moments_are_refused_or_sound(structure, place, change):
    kind, parts = gauda.Moments.from_data(X, CODES, structure=structure)._core.__reduce__()
    try:
        made = kind(*changed_parts(parts, place, change))
    except (ValueError, TypeError, OverflowError):  # a row count that is no count
        return
    assert np.isfinite(made.means).all()
    assert np.isfinite(made.scatter).all()
    assert (made.weights >= 0).all()
    try:
        total = made.total()
    except ValueError:  # weights of 1e300 are each a sum, but not all together
        return
    assert np.isfinite(total.scatter).all()


@pytest.mark.parametrize("name", ESTIMATORS)
@given(place=st.integers(0, 50), change=changes)
def test_changed_files_are_refused_or_answer(name, place, change):
    model = FITTED[name]
    arrays, metadata = model._state()
    how, value, entry = change
    key = sorted(arrays)[place % len(arrays)]
    try:
        damaged = arrays | {key: how(arrays[key], value, entry)}
        content = Content(type(model).__name__, damaged, metadata, gauda.__version__, 1)
        loaded = restore("changed.gauda", content)
    except ValueError:
        return
    assert_answers(loaded, data_of(name))


@pytest.mark.parametrize("copies", [0, 2, 4])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_as_many_matrices_as_determinants_are_needed(name, copies):
    kind, (center, means, log_prior, spread, log_det, tied) = (
        FITTED[name]._fitted_model().__reduce__()
    )
    with pytest.raises(ValueError, match=r"parts|expected|must"):
        kind(center, means, log_prior, np.repeat(spread[:1], copies, axis=0), log_det, tied)
