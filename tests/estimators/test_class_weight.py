"""`class_weight` is the same as weights of the rows, to the bit, in every model and way to fit."""

import numpy as np
import pytest
from models import LABELS, MODELS, STEPWISE
from peers import balanced_weights

import gauda

WEIGHTS = {"ant": 3.0, "cicada": 0.25}
FACTORS = np.array([3.0, 1.0, 0.25])


@pytest.fixture(params=MODELS)
def entry(request):
    return MODELS[request.param]


@pytest.fixture(params=STEPWISE)
def stepwise(request):
    return MODELS[request.param]


def uneven(entry):
    """Return rows of which some of a class are left out, their labels, and weights."""
    X, y = entry.data()
    kept = np.flatnonzero((y != "bee") | (np.arange(len(y)) % 4 == 0))
    return X.iloc[kept] if hasattr(X, "iloc") else X[kept], y[kept], 1.0 + kept % 3


def answers(model, X):
    """Return what tells any two models apart."""
    return model.predict_joint_log_proba(X)


def of_rows(y, factors=FACTORS):
    """Return the weight of each row's class."""
    return factors[np.searchsorted(LABELS, y)]


@pytest.mark.parametrize("weighted", [False, True])
def test_weights_by_class_are_weights_of_rows(entry, weighted):
    X, y, weights = uneven(entry)
    given = weights if weighted else None
    by_class = entry.make(class_weight=WEIGHTS).fit(X, y, sample_weight=given)
    by_row = entry.make().fit(X, y, of_rows(y) * (weights if weighted else 1.0))
    np.testing.assert_array_equal(answers(by_class, X), answers(by_row, X))
    assert not np.array_equal(answers(by_class, X), answers(entry.make().fit(X, y, given), X))


@pytest.mark.parametrize("weighted", [False, True])
def test_balanced_weights_are_those_of_scikit_learn(entry, weighted):
    X, y, weights = uneven(entry)
    given = weights if weighted else None
    factors = balanced_weights(LABELS, y, given)
    balanced = entry.make(class_weight="balanced").fit(X, y, sample_weight=given)
    by_row = entry.make().fit(X, y, of_rows(y, factors) * (weights if weighted else 1.0))
    np.testing.assert_array_equal(answers(balanced, X), answers(by_row, X))


def test_balanced_classes_have_equal_priors():
    X, y, weights = uneven(MODELS["QDA"])
    np.testing.assert_allclose(gauda.QDA(class_weight="balanced").fit(X, y).priors_, 1 / 3)
    model = gauda.QDA(class_weight="balanced").fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.priors_, 1 / 3)


def test_batches_and_streams_weigh_alike(stepwise):
    X, y, weights = uneven(stepwise)
    whole = answers(stepwise.make(class_weight=WEIGHTS).fit(X, y, weights), X)
    model = stepwise.make(class_weight=WEIGHTS)
    for part in (slice(0, 30), slice(30, None)):
        model.partial_fit(X[part], y[part], classes=LABELS, sample_weight=weights[part])
    np.testing.assert_allclose(answers(model, X), whole, rtol=1e-9)
    batches = [(X[part], y[part], weights[part]) for part in (slice(0, 30), slice(30, None))]
    streamed = stepwise.make(class_weight=WEIGHTS).fit_stream(iter(batches))
    np.testing.assert_allclose(answers(streamed, X), whole, rtol=1e-9)
    model.forget_rows(X[:9], y[:9], sample_weight=weights[:9])
    rest = stepwise.make(class_weight=WEIGHTS).fit(X[9:], y[9:], weights[9:])
    np.testing.assert_allclose(answers(model, X), answers(rest, X), rtol=1e-8)


@pytest.mark.parametrize("method", ["partial_fit", "fit_stream", "forget_rows"])
def test_balanced_weights_need_all_rows(stepwise, method):
    X, y, _ = uneven(stepwise)
    model = stepwise.make(class_weight="balanced").fit(X, y)
    assert not hasattr(model, method)
    with pytest.raises(AttributeError) as refusal:
        getattr(model, method)
    assert f"{method} does not have all rows at once" in str(refusal.value.__cause__)
    assert "class_weight='balanced'" in str(refusal.value.__cause__)


def test_a_weight_of_another_class_is_named(entry):
    X, y, _ = uneven(entry)
    model = entry.make(class_weight=WEIGHTS | {"dog": 2.0})
    with pytest.raises(ValueError, match=r"'dog', which is not a class.*'ant', 'bee', 'cicada'"):
        model.fit(X, y)


def test_batches_may_bring_a_class_later():
    X, y, _ = uneven(MODELS["QDA"])
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    first = np.flatnonzero(y != "cicada")
    model = gauda.QDA(class_weight=WEIGHTS).partial_fit(X[first], y[first])
    model.partial_fit(X[len(first) :], y[len(first) :])
    whole = gauda.QDA(class_weight=WEIGHTS).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-9)


def test_an_unknown_class_is_named_once_all_are_known(stepwise):
    X, y, _ = uneven(stepwise)
    model = stepwise.make(class_weight={"dog": 2.0})
    refusal = r"'dog', which is not a class.*'ant', 'bee', 'cicada'"
    with pytest.raises(ValueError, match=refusal):
        model.partial_fit(X, y, classes=LABELS)
    with pytest.raises(ValueError, match=refusal):
        model.fit_stream([(X, y)])
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, "2", None])
def test_weights_that_are_none_are_refused(entry, weight):
    X, y, _ = uneven(entry)
    with pytest.raises(ValueError, match=r"class_weight\['bee'\] must be a finite number"):
        entry.make(class_weight={"bee": weight}).fit(X, y)


@pytest.mark.parametrize("given", ["unbalanced", [1.0, 2.0, 3.0], 2.0])
def test_other_kinds_of_weights_are_refused(entry, given):
    with pytest.raises(ValueError, match="'class_weight' parameter"):
        entry.fitted(class_weight=given)


def test_some_class_must_weigh_something(entry):
    with pytest.raises(ValueError, match="class_weight must be positive for a class"):
        entry.fitted(class_weight=dict.fromkeys(LABELS.tolist(), 0))


def test_weights_beyond_floats_are_refused_with_their_row(entry):
    X, y = entry.data()
    weights = np.where(np.arange(len(y)) == 3, 1e300, 1.0)
    model = entry.make(class_weight={"ant": 1e300})
    with pytest.raises(ValueError, match=r"sample_weight times class_weight must be finite.*row 3"):
        model.fit(X, y, sample_weight=weights)


def test_large_weights_are_balanced_too():
    X, y, weights = uneven(MODELS["QDA"])
    model = gauda.QDA(class_weight="balanced").fit(X, y, sample_weight=weights * 1e300)
    np.testing.assert_allclose(model.priors_, 1 / 3)


def test_a_negative_weight_is_refused_even_in_a_class_of_weight_0(entry):
    X, y = entry.data()
    weights = np.where(np.arange(len(y)) == 3, -1.0, 1.0)
    model = entry.make(class_weight={"ant": 0})
    with pytest.raises(ValueError, match=r"-1.* row 3|row 3.*-1|[Nn]egative"):
        model.fit(X, y, sample_weight=weights)


def test_weights_act_at_the_fit_and_are_kept_in_files(entry, tmp_path):
    X, y, _ = uneven(entry)
    model = entry.make(class_weight=WEIGHTS).fit(X, y)
    model.save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    assert loaded.class_weight == WEIGHTS
    np.testing.assert_array_equal(answers(loaded, X), answers(model, X))
    loaded.set_params(class_weight=None)
    np.testing.assert_array_equal(answers(loaded, X), answers(model, X))


def test_integers_are_keys_as_well():
    X, y, _ = uneven(MODELS["LDA"])
    codes = np.searchsorted(LABELS, y)
    for labels in (codes, codes.astype(float), codes.astype(np.uint8)):
        model = gauda.LDA(class_weight={0: 3.0, 2: 0.25}).fit(X, labels)
        expected = gauda.LDA().fit(X, labels, of_rows(y))
        np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize("class_weight", [WEIGHTS, "balanced"])
@pytest.mark.parametrize("name", STEPWISE)
def test_statistics_have_no_rows_to_weigh(name, class_weight):
    model = MODELS[name].fitted()
    makers = {
        "moments_": "from_moments",
        "counts_": "from_counts",
        "statistics_": "from_statistics",
    }
    sums = next(attribute for attribute in makers if hasattr(model, attribute))
    make = makers[sums]
    with pytest.raises(ValueError, match=f"{make} .*class_weight|class_weight .*{make}"):
        getattr(type(model), make)(getattr(model, sums), class_weight=class_weight)
