"""What every model does alike: refusals, warnings, advice, and what subclasses inherit."""

import inspect
import pickle
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from models import EXCEPT, GAUSSIAN, LABELS, MODELS, POOLED, SEARCHES, STEPWISE, named, with_gap
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError

import gauda

STATISTICS = ("moments_", "counts_", "statistics_")
NOT_ONE = [0.2, 0.3, 0.6]
RENORMALIZED = "The priors do not sum to 1"


# Nothing is known before a fit


def test_statistics_of_an_unfitted_model_are_refused(entry):
    model = entry.make()
    found = [own for own in STATISTICS if isinstance(getattr(type(model), own, None), property)]
    assert len(found) == 1
    with pytest.raises(NotFittedError):
        getattr(model, found[0])
    assert getattr(entry.fitted(), found[0]).n_rows == 90


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "score_samples", "classify", "adapt_priors", "save"]
)
def test_an_unfitted_model_answers_nothing(entry, method, tmp_path):
    if not hasattr(entry.make(), method):
        return  # a model without densities
    X, _ = entry.data()
    with pytest.raises(NotFittedError):
        getattr(entry.make(), method)(tmp_path / "model.gauda" if method == "save" else X)


# Columns that do not exist

TABLE = pa.table({"a": [1.0, 2.0], "b": [0.0, 1.0], "y": ["ant", "bee"]})
ROWS = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 1.0]])


@pytest.mark.parametrize("column", [7, -9, "z"])
@pytest.mark.parametrize(
    "ask",
    [
        lambda column, _: MODELS["QDA"].fitted().marginal([column]),
        lambda column, _: MODELS["QDA"].fitted().condition({column: 1.0}),
        lambda column, _: MODELS["QDA"].fitted().moments_.select([column]),
        lambda column, _: MODELS["BernoulliNB"].fitted().counts_.select([column]),
        lambda column, _: gauda.MixedNB(kinds={column: "gaussian"}).fit(ROWS, ["a", "b"]),
        lambda column, _: gauda.GaussianNB().fit_stream(TABLE, target=column),
        lambda column, _: gauda.GaussianNB().fit_stream(TABLE, target="y", features=[column]),
        lambda column, _: gauda.GaussianNB().fit_stream(TABLE, target="y", exclude=[column]),
        lambda column, _: gauda.Moments.from_stream(ROWS, target=["a", "b"], features=[column]),
        lambda column, path: MODELS["QDA"].fitted().predict_stream(ROWS, path, features=[column]),
        lambda column, path: MODELS["QDA"].fitted().predict_stream(ROWS, path, keep=[column]),
    ],
)
def test_a_column_that_does_not_exist_is_the_same_error_everywhere(ask, column, tmp_path):
    with pytest.raises(gauda.UnknownColumnError, match=f"{column}"):
        ask(column, tmp_path / "out.parquet")
    assert issubclass(gauda.UnknownColumnError, ValueError)


@pytest.mark.parametrize("features", [None, ["a"]])
@pytest.mark.parametrize("role", ["target", "sample_weight"])
def test_labels_beside_a_table_are_refused(role, features):
    frame = pd.DataFrame(ROWS, columns=["a", "b", "c"])
    given = {"target": "c"} | {role: np.arange(2.0)}
    with pytest.raises(ValueError, match=f"{role} must be the name of a column of the table"):
        gauda.GaussianNB().fit_stream(frame, features=features, **given)


# Warnings point at the line of the user, and come once


def warned(call):
    """Call; return the one warning that it gave, which must point here."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert len(caught) == 1, [str(one.message) for one in caught]
    assert caught[0].filename == __file__
    return caught[0]


@pytest.mark.parametrize(
    "name",
    # The others refuse them, as scikit-learn's GaussianNB does.
    [name for name in MODELS if name not in {"GaussianNB", "MixedNB"}],
)
def test_priors_that_do_not_sum_to_one_are_told_once(name):
    entry = MODELS[name]
    X, y = entry.data()
    parameter = "class_prior" if "class_prior" in entry.make().get_params() else "priors"
    given = {parameter: NOT_ONE}
    calls = [lambda: entry.make(**given).fit(X, y)]
    if name in STEPWISE:
        calls.append(lambda: entry.make(**given).partial_fit(X, y, classes=LABELS))
    if name not in EXCEPT["`fit_stream`"]:
        calls.append(lambda: entry.make(**given).fit_stream([(X[:45], y[:45]), (X[45:], y[45:])]))
    if name not in POOLED:
        calls.append(lambda: entry.fitted().set_params(**given))
    for call in calls:
        assert RENORMALIZED in str(warned(call).message)


def test_what_was_told_at_the_fit_is_not_told_again(name, entry, tmp_path):
    X, y = entry.data()
    given = {"class_prior": NOT_ONE} if hasattr(entry.make(), "class_prior") else {}
    if hasattr(entry.make(), "force_alpha"):
        given |= {"alpha": 0.0, "force_alpha": False}
    elif name not in {"GaussianNB", "MixedNB"}:
        given |= {"priors": NOT_ONE}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = entry.make(**given).fit(X, y)
    assert len(caught) == len({str(one.message) for one in caught}) <= 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X)
        pickle.loads(pickle.dumps(model)).predict(X)  # noqa: S301 - our own
        model.save(tmp_path / "model.gauda")
        gauda.load(tmp_path / "model.gauda").predict(X)
        model.set_params(n_threads=2).predict(X)
        if name in STEPWISE:
            model.partial_fit(X, y).predict(X)


def test_labels_in_a_column_are_told_once(entry):
    X, y = entry.data()
    caught = warned(lambda: entry.make().fit(X, y[:, np.newaxis]))
    assert caught.category is DataConversionWarning
    assert "A column-vector y was passed" in str(caught.message)


def test_names_of_columns_that_are_missing_are_told_once(name, entry):
    X, y = entry.data()
    frame = named(X)
    model = entry.make().fit(frame, y)
    bare = frame.to_numpy()
    asked = ["predict", "predict_proba", "score_samples", "classify", "predict_cost"]
    asked = [method for method in asked if hasattr(model, method)]
    calls = [lambda method=method: getattr(model, method)(bare) for method in asked]
    if name in STEPWISE:
        calls += [
            lambda: model.partial_fit(bare, y),
            lambda: model.forget_rows(bare[:20], y[:20]),
        ]
    for call in calls:
        assert "X does not have valid feature names" in str(warned(call).message)


def test_names_of_columns_that_the_fit_did_not_know_are_told_once(name, entry):
    X, y = entry.data()
    frame = named(X)
    if name == "MixedNB":
        model = entry.make(kinds=["gaussian", "categorical", "bernoulli"])
        model.fit(frame.to_numpy(), y)
    else:
        model = entry.make().fit(np.asarray(X), y)
    message = str(warned(lambda: model.predict(frame)).message)
    assert "X has feature names" in message


def test_other_columns_are_refused_in_spite_of_names(entry):
    X, y = entry.data()
    frame = named(X)
    model = entry.make().fit(frame, y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[frame.columns[::-1]])
    with (
        pytest.raises(ValueError, match="2 features"),
        pytest.warns(UserWarning, match="valid feature names"),
    ):
        model.predict(frame.to_numpy()[:, :2])


def test_priors_that_still_change_are_told_once(entry):
    X, _ = entry.data()
    model = entry.fitted()
    caught = warned(lambda: model.adapt_priors(X, max_iter=1, tol=0))
    assert caught.category is ConvergenceWarning


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in GAUSSIAN
        if name not in {*SEARCHES, "GaussianNB", "ShrunkenCentroids"}  # no gaps, no EM
    ],
)
def test_em_that_has_not_converged_is_told_once(name):
    entry = MODELS[name]
    X, y = entry.data()
    X[::4, 0] = np.nan
    model = entry.make(missing="marginalize", em_max_iter=1)
    assert warned(lambda: model.fit(X, y)).category is ConvergenceWarning


# Subclasses


def renamed(kind):
    """Make a subclass that has another name and nothing of its own."""
    return type("Renamed", (kind,), {"__module__": __name__})


def troubles(name, X, y):
    """Yield calls that a model refuses with advice."""
    yield lambda model: model.predict(X)
    yield lambda model: model.fit(X, np.full(len(y), np.nan))
    if name not in GAUSSIAN:
        return
    same = np.column_stack([X, X[:, 0]])
    constant = np.column_stack([X, np.ones(len(X))])
    yield lambda model: model.fit(with_gap(X), y)
    yield lambda model: model.fit(X[:7], y[:7])
    yield lambda model: model.fit(same, y)
    yield lambda model: model.fit(same, y).score_samples(same)
    yield lambda model: model.fit(constant, y)
    yield lambda model: model.fit(X, np.where(np.arange(len(y)) == 1, "dragonfly", y))
    yield lambda model: model.fit(X[:12], y[:12]).loo_log_proba(X[:12], y[:12])
    yield lambda model: model.set_params(missing="marginalize").fit(same, y).predict(with_gap(same))


def words(call, model, name):
    """Return what a call says, whatever the class is called, or None."""
    try:
        call(model)
    except ValueError as error:  # LinAlgError is one
        return str(error).replace(type(model).__name__, name).replace(name, "NAME")
    return None


@pytest.mark.filterwarnings("ignore:The least populated class")
def test_advice_does_not_depend_on_the_name_of_the_class(name, entry):
    X, y = entry.data()
    said = []
    for call in troubles(name, X, y):
        model = entry.make()
        own = type(model).__name__
        other = renamed(type(model))(**model.get_params())
        said.append(words(call, model, own))
        assert words(call, other, own) == said[-1]
    assert len(set(said) - {None}) >= 2


def test_subclasses_can_be_saved(entry, tmp_path):
    X, y = entry.data()
    plain = entry.make()
    kind = renamed(type(plain))
    model = kind(**plain.get_params()).fit(X, y)
    model.save(tmp_path / "model.gauda")
    loaded = gauda.load(tmp_path / "model.gauda")
    assert type(loaded) is kind
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), entry.fitted().predict_proba(X))


def test_loo_says_that_it_trusts_the_rows():
    text = " ".join(inspect.getdoc(gauda.QDA.loo_log_proba).split())
    assert "trusts that these are among them" in text
