"""One removal after another: what is left is that of a refit, or refused, wherever it was kept."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gauda
from gauda import LostDigitsError, MixedStatistics, Moments

MAKERS = {
    **{
        structure: lambda X, y, structure=structure: Moments.from_data(X, y, structure=structure)
        for structure in ("full", "tied", "diag")
    },
    "mixed": lambda X, y: MixedStatistics.from_data(X, y, kinds=["gaussian", "gaussian"]),
}
MODELS = {
    "LDA": gauda.LDA,
    "QDA": gauda.QDA,
    "GaussianNB": lambda: gauda.GaussianNB(var_smoothing=0),
    "MixedNB": lambda: gauda.MixedNB(var_smoothing=0, kinds=["gaussian", "gaussian"]),
}


def on_disk(statistics, folder):
    path = folder / "kept.gauda"
    statistics.save(path)
    return gauda.load(path)


KEPT = {
    "in memory": lambda statistics, _: statistics,
    "pickled": lambda statistics, _: pickle.loads(pickle.dumps(statistics)),  # noqa: S301 (our own)
    "on disk": on_disk,
}


@pytest.fixture(params=KEPT, scope="module")
def kept(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept")
    return lambda statistics: KEPT[request.param](statistics, folder)


def batches(seed, spreads):
    """Return batches of two classes, each of its own spread."""
    rng = np.random.default_rng(seed)
    y = np.arange(40) % 2
    return [(rng.normal(size=(40, 2)) * spread + y[:, np.newaxis], y) for spread in spreads]


def squares(statistics):
    if isinstance(statistics, MixedStatistics):
        return statistics.numbers.scatter
    return statistics.scatter


@pytest.mark.parametrize("kind", MAKERS)
@settings(max_examples=15)
@given(st.integers(0, 2**32), st.lists(st.sampled_from([10.0, 1e2, 1e3]), max_size=5))
def test_what_is_left_is_that_of_a_refit_or_refused(kept, kind, seed, steps):
    data = batches(seed, np.cumprod([1.0, *steps]))
    parts = [MAKERS[kind](*batch) for batch in data]
    rest = kept(sum(parts[1:], start=parts[0]))
    try:
        for part in parts[:0:-1]:
            rest = kept(rest - part)
    except LostDigitsError:
        assert np.prod(steps) > 1e3  # so much leaves digits enough
        return
    np.testing.assert_allclose(squares(rest), squares(parts[0]), rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("kind", MAKERS)
def test_many_digits_lost_bit_by_bit_are_refused(kept, kind):
    first, second, third, fourth = (MAKERS[kind](*b) for b in batches(1, [1.0, 1e3, 1e6, 1e9]))
    rest = kept(kept(first + second + third + fourth) - fourth)
    with pytest.raises(LostDigitsError):
        kept(rest - third) - second


@pytest.mark.parametrize("name", MODELS)
def test_models_remember_what_they_forgot(kept, name):
    data = batches(2, [1.0, 1e3, 1e6, 1e9])
    model = MODELS[name]()
    for batch in data:
        model.partial_fit(*batch, classes=[0, 1])
    model = kept(kept(model).forget_rows(*data[3]))
    with pytest.raises(LostDigitsError):
        kept(model.forget_rows(*data[2])).forget_rows(*data[1])


@pytest.mark.parametrize("kind", MAKERS)
def test_sums_are_equal_however_they_came_about(kept, kind):
    whole = np.arange(8.0).reshape(4, 2), [0, 1] * 2
    first, second = (
        MAKERS[kind](*(array[part] for array in whole)) for part in (slice(2), slice(2, 4))
    )
    rest = (first + second) - second
    assert kept(rest) == rest == first
