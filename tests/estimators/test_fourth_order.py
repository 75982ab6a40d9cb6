"""Ledoit and Wolf's shrinkage without all rows at once: streams, batches, moments that are joined.

They must equal the model of all rows in memory, whose intensities are tested elsewhere.
"""

import pickle

import numpy as np
import pytest
from peers import LinearDiscriminantAnalysis
from sklearn.covariance import ledoit_wolf_shrinkage

import gauda
from gauda import LDA, QDA, RDA, Moments
from gauda._statistics.access import core_of

MODELS = {
    "lda lsqr": LDA(solver="lsqr", shrinkage="auto"),
    "lda eigen": LDA(solver="eigen", shrinkage="auto"),
    "lda priors": LDA(solver="lsqr", shrinkage="auto", priors=[0.2, 0.3, 0.5]),
    "lda unbiased": LDA(solver="eigen", shrinkage="auto", unbiased=True),
    "qda": QDA(solver="eigen", shrinkage="auto"),
    "qda unbiased": QDA(solver="eigen", shrinkage="auto", unbiased=True),
    "rda": RDA(shrinkage="ledoit_wolf"),
    "rda mixed": RDA(alpha=0.3, shrinkage="ledoit_wolf"),
}
RNG = np.random.default_rng(5)
SPREAD = np.array([1.0, 1e-3, 50.0, 2.0, 7.0])


def sample(n=400, far=0.0, seed=0):
    """Rows of three classes, skewed and heavy-tailed, in columns of unlike units."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = rng.standard_t(5, size=(n, 5)) + rng.exponential(size=(n, 5)) + y[:, np.newaxis]
    X[:, 1] += X[:, 0]
    return (X + far) * SPREAD, np.array(["ash", "elm", "oak"])[y]


X, Y = sample()
CUTS = [slice(0, 7), slice(7, 150), slice(150, 151), slice(151, 400)]


def make(name):
    return pickle.loads(pickle.dumps(MODELS[name]))  # noqa: S301 (our own)


def log_proba(model, rows=X):
    return model.predict_log_proba(rows)


@pytest.fixture(params=MODELS)
def name(request):
    return request.param


def test_batches_give_the_model_of_all_rows(name):
    expected = log_proba(make(name).fit(X, Y))
    model = make(name)
    for cut in CUTS:
        model.partial_fit(X[cut], Y[cut])
    np.testing.assert_allclose(log_proba(model), expected, rtol=1e-10, atol=1e-10)
    stream = make(name).fit_stream([(X[cut], Y[cut]) for cut in CUTS])
    np.testing.assert_allclose(log_proba(stream), expected, rtol=1e-10, atol=1e-10)


def test_one_batch_is_scikit_learns():
    model = LDA(solver="eigen", shrinkage="auto").partial_fit(X, Y)
    theirs = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(X, Y)
    np.testing.assert_allclose(
        model.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-7, atol=1e-9
    )
    np.testing.assert_allclose(model.covariance_, theirs.covariance_, rtol=1e-10)


def test_intensities_are_scikit_learns():
    model = RDA(shrinkage="ledoit_wolf")
    for cut in CUTS:
        model.partial_fit(X[cut] / SPREAD, Y[cut])
    expected = [ledoit_wolf_shrinkage(X[label == Y] / SPREAD) for label in model.classes_]
    np.testing.assert_allclose(model.shrinkage_, expected, rtol=1e-11)


def test_weights_count_rows(name):
    weights = RNG.integers(0, 4, len(Y))
    weights[150] = 3  # a batch alone
    repeated = np.repeat(X, weights, axis=0), np.repeat(Y, weights)
    expected = log_proba(make(name).fit(*repeated))
    model = make(name)
    for cut in CUTS:
        model.partial_fit(X[cut], Y[cut], sample_weight=weights[cut])
    np.testing.assert_allclose(log_proba(model), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_weights_of_any_size(unit):
    weights = unit * RNG.uniform(size=len(Y))
    expected = QDA(solver="eigen", shrinkage="auto").fit(X, Y, sample_weight=weights)
    moments = sum(Moments.from_data(X[c], Y[c], weights[c], order=4) for c in CUTS)
    model = QDA.from_moments(moments, solver="eigen", shrinkage="auto")
    np.testing.assert_allclose(log_proba(model), log_proba(expected), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("unit", [1e-140, 1e-30, 1e30, 1e140])
def test_the_units_of_columns_do_not_matter(unit):
    units = np.array([1.0, unit, 1.0, 1 / unit, 1.0])
    plain, other = LDA(solver="lsqr", shrinkage="auto"), LDA(solver="lsqr", shrinkage="auto")
    for cut in CUTS:
        plain.partial_fit(X[cut], Y[cut])
        other.partial_fit(X[cut] * units, Y[cut])
    np.testing.assert_allclose(log_proba(other, X * units), log_proba(plain), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(("far", "digits"), [(1e3, 1e-9), (1e6, 1e-7), (1e9, 1e-4)])
def test_far_from_zero_digits_last(far, digits):
    rows, labels = sample(far=far)
    expected = log_proba(QDA(solver="eigen", shrinkage="auto").fit(rows, labels), rows)
    model = QDA(solver="eigen", shrinkage="auto")
    for cut in CUTS:
        model.partial_fit(rows[cut], labels[cut])
    np.testing.assert_allclose(log_proba(model, rows), expected, rtol=digits, atol=digits)


def test_tiny_classes_and_constant_columns():
    rows = np.column_stack([X, np.full(len(X), 0.1)])
    labels = Y.copy()
    labels[:2] = "fir"
    plain = LDA(solver="lsqr", shrinkage="auto").fit(rows[:, :5], labels)
    model = LDA(solver="lsqr", shrinkage="auto")
    for cut in CUTS:
        model.partial_fit(rows[cut][:, :5], labels[cut])
    np.testing.assert_allclose(log_proba(model), log_proba(plain), rtol=1e-10, atol=1e-10)
    whole = Moments.from_data(rows, labels, order=4)
    parts = sum(Moments.from_data(rows[c], labels[c], order=4) for c in CUTS)
    for ours, theirs in zip(core_of(whole).fourth, core_of(parts).fourth, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)


def test_rows_that_leave_are_gone(name):
    model = make(name).partial_fit(X, Y)
    model.forget_rows(X[300:], Y[300:])
    expected = log_proba(make(name).fit(X[:300], Y[:300]))
    np.testing.assert_allclose(log_proba(model), expected, rtol=1e-9, atol=1e-9)


def test_old_rows_count_less(name):
    weights = np.where(np.arange(len(Y)) < 150, 0.25, 1.0)
    expected = log_proba(make(name).fit(X, Y, sample_weight=weights))
    model = make(name).partial_fit(X[:150], Y[:150])
    model.partial_fit(X[150:], Y[150:], forget=0.25)
    np.testing.assert_allclose(log_proba(model), expected, rtol=1e-10, atol=1e-10)


def test_each_row_is_left_out_as_by_another_fit(name):
    rows, labels = X[:60], Y[:60]
    found = make(name).fit(rows, labels).loo_log_proba(rows, labels)
    after_batches = make(name).partial_fit(rows, labels).loo_log_proba(rows[:5], labels[:5])
    np.testing.assert_allclose(after_batches, found[:5], rtol=1e-10, atol=1e-10)
    priors = [np.mean(labels == label) for label in np.unique(labels)]
    for index in (0, 17, 59):
        others = np.arange(60) != index
        model = make(name)
        if model.priors is None:
            model.set_params(priors=priors)
        expected = model.fit(rows[others], labels[others]).predict_log_proba(rows[[index]])
        np.testing.assert_allclose(found[[index]], expected, rtol=1e-9, atol=1e-9)


def test_an_outlier_is_left_out_all_the_same():
    rows, labels = X[:60].copy(), Y[:60]
    rows[3, 0] = 1e9
    model = QDA(solver="eigen", shrinkage="auto").fit(rows, labels)
    others = np.arange(60) != 3
    priors = [np.mean(labels == label) for label in np.unique(labels)]
    expected = QDA(solver="eigen", shrinkage="auto", priors=priors).fit(
        rows[others], labels[others]
    )
    np.testing.assert_allclose(
        model.loo_log_proba(rows, labels)[3], expected.predict_log_proba(rows[[3]])[0], rtol=1e-8
    )


# Moments


def test_moments_are_joined_saved_and_made_models_of(tmp_path, name):
    first, second = (
        Moments.from_data(X[c], Y[c], order=4) for c in (slice(0, 150), slice(150, 400))
    )
    first.save(tmp_path / "first")
    loaded = Moments.load(tmp_path / "first")
    assert loaded == first
    assert loaded.order == 4
    assert pickle.loads(pickle.dumps(first)) == first  # noqa: S301 (our own)
    parameters = make(name).get_params()
    model = type(make(name)).from_moments(loaded + second, **parameters)
    expected = log_proba(make(name).fit(X, Y))
    np.testing.assert_allclose(log_proba(model), expected, rtol=1e-10, atol=1e-10)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(log_proba(gauda.load(tmp_path / "model")), log_proba(model))
    gauda.load(tmp_path / "model").partial_fit(X[:9], Y[:9])


def test_less_is_known_of_what_less_is_known_of():
    fourth, second = Moments.from_data(X, Y, order=4), Moments.from_data(X, Y)
    assert (fourth.order, second.order) == (4, 2)
    assert (fourth + second).order == (fourth - Moments.from_data(X[:9], Y[:9])).order == 2
    assert fourth.to("tied").order == fourth.to("diag").order == 2
    assert fourth != second
    assert fourth.total().order == fourth.select([1, 3]).order == (fourth * 0.5).order == 4
    assert (
        fourth.relabel({"ash": "elm"}).order
        == fourth.widen(["ash", "elm", "fir", "oak"]).order
        == 4
    )


def test_selected_columns_and_joined_classes_are_those_of_the_rows():
    moments = Moments.from_data(X, Y, order=4)
    for found, rows, labels in [
        (moments.select([3, 0]), X[:, [3, 0]], Y),
        (moments.relabel({"ash": "elm"}), X, np.where(Y == "ash", "elm", Y)),
    ]:
        expected = Moments.from_data(rows, labels, order=4)
        parameters = {"solver": "eigen", "shrinkage": "auto"}
        ours, theirs = (QDA.from_moments(m, **parameters) for m in (found, expected))
        np.testing.assert_allclose(
            log_proba(ours, rows), log_proba(theirs, rows), rtol=1e-9, atol=1e-9
        )


def test_threads_change_no_bit():
    rows, labels = sample(20_000)
    one, many = (Moments.from_data(rows, labels, order=4, n_threads=n) for n in (1, 4))
    assert one == many


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.uint8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_other_types_and_layouts(dtype, order):
    rows = np.asarray(np.abs(X[:, [0, 2, 4]]) * 3, dtype=dtype, order=order)
    plain = Moments.from_data(rows.astype(float), Y, order=4)
    for ours, theirs in zip(
        core_of(Moments.from_data(rows, Y, order=4)).fourth, core_of(plain).fourth, strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)


# What is refused


def test_moments_of_second_order_are_refused(name):
    with pytest.raises(ValueError, match="needs moments of order 4; got those of order 2"):
        type(make(name)).from_moments(Moments.from_data(X, Y), **make(name).get_params())


def test_a_fit_to_all_rows_takes_no_batches(name):
    model = make(name).fit(X, Y)
    before = pickle.dumps(model)
    for method in ("partial_fit", "forget_rows"):
        assert not hasattr(model, method)
        with pytest.raises(AttributeError, match="fit, which had all rows, has kept those of orde"):
            getattr(model, method)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"order": 3}, r"order must be one of \(2, 4\); got 3"),
        ({"order": 4, "structure": "tied"}, "Moments of order 4 must be of structure 'full'"),
        ({"order": 4, "structure": "diag"}, "Moments of order 4 must be of structure 'full'"),
    ],
)
def test_orders_must_be_possible(given, message):
    with pytest.raises(ValueError, match=message):
        Moments.from_data(X, Y, **given)
    with pytest.raises(ValueError, match=message):
        Moments.from_stream([(X, Y)], **given)


def test_nan_is_refused_and_changes_nothing(name):
    model = make(name).partial_fit(X, Y)
    before = pickle.dumps(model)
    bad = X[:5].copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(bad, Y[:5])
    assert pickle.dumps(model) == before


def test_an_outlier_that_hides_the_rest_cannot_be_subtracted():
    rows = X.copy()
    rows[0, 0] = 1e5
    whole, part = (Moments.from_data(rows[c], Y[c], order=4) for c in (slice(400), slice(1)))
    with pytest.raises(ValueError, match="digits"):
        whole - part


def test_too_many_columns_for_moments_are_said_to_be_those_of_the_shrinkage():
    X = np.zeros((40, 60_000), np.float32)
    with pytest.raises(MemoryError, match=r"shrinkage='auto' without all rows at once takes"):
        LDA(solver="lsqr", shrinkage="auto").partial_fit(X, np.arange(40) % 2)
