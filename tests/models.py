"""All models, each with rows that suit it and what it can do: tests of models run over this list.

`CAPABILITIES` says for every capability how it is used; `EXCEPT` names the models that lack it,
why, and what they raise. A test tries every cell, and `python tests/models.py` prints the table of
the documentation.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.covariance import ShrunkCovariance

import gauda

N_CLASSES, N_COLUMNS = 3, 3
LABELS = np.array(["ant", "bee", "cicada"])


def numbers(y: Any, rng: np.random.Generator) -> Any:
    """Draw numbers about the mean of each row's class."""
    return rng.normal(size=(len(y), N_COLUMNS)) + 1.5 * np.eye(N_COLUMNS)[y]


def presence(y: Any, rng: np.random.Generator) -> Any:
    """Draw zeros and ones."""
    return (numbers(y, rng) > 0.7).astype(np.int64)


def levels(y: Any, rng: np.random.Generator) -> Any:
    """Draw levels 0, 1 and 2."""
    X = numbers(y, rng)
    return (X > 0).astype(np.int64) + (X > 1)


def named_levels(y: Any, rng: np.random.Generator) -> Any:
    """Draw a frame with a column of text, one of categories of pandas and one of numbers."""
    first, second, third = levels(y, rng).T
    return pd.DataFrame(
        {
            "color": np.array(["red", "green", "blue"])[first],
            "size": pd.Categorical(np.array(["small", "medium", "large"])[second]),
            "legs": third,
        }
    )


def amounts(y: Any, rng: np.random.Generator) -> Any:
    """Draw how often each of some terms occurs."""
    return rng.poisson(2.0 + 2.5 * np.eye(N_COLUMNS)[y])


def mixed(y: Any, rng: np.random.Generator) -> Any:
    """Draw a frame with a column of numbers, one of text and one of truth values."""
    X = numbers(y, rng)
    size = np.array(["small", "medium", "large"])[(X[:, 1] > 0).astype(int) + (X[:, 1] > 1)]
    return pd.DataFrame({"weight": X[:, 0], "size": size, "wings": X[:, 2] > 0.7})


@dataclass(frozen=True)
class Entry:
    """A model of the list."""

    make: Callable[..., Any]
    """Makes the estimator, with further parameters."""
    draw: Callable[..., Any] = numbers
    """Draws rows that suit it."""

    @property
    def is_gaussian(self) -> bool:
        """Whether all columns are numbers with a joint density."""
        return self.draw is numbers

    def data(self, n: int = 90, seed: int = 0) -> tuple[Any, Any]:
        """Draw rows, and their labels as text."""
        rng = np.random.default_rng(seed)
        y = np.arange(n) % N_CLASSES
        return self.draw(y, rng), LABELS[y]

    def fitted(self, n: int = 90, seed: int = 0, **parameters: Any) -> Any:
        """Make the estimator and fit it to such rows."""
        return self.make(**parameters).fit(*self.data(n, seed))


def making(kind: type, *given: Any, **fixed: Any) -> Callable[..., Any]:
    """Return a function that makes an estimator with some parameters fixed."""
    return lambda **parameters: kind(*given, **fixed | parameters)


MODELS = {
    "QDA": Entry(gauda.QDA),
    "LDA": Entry(gauda.LDA),
    "LDA, lsqr": Entry(making(gauda.LDA, solver="lsqr")),
    "LDA, eigen": Entry(making(gauda.LDA, solver="eigen", shrinkage=0.1)),
    "RDA": Entry(making(gauda.RDA, alpha=0.3, gamma=0.1)),
    "RDA-CV": Entry(making(gauda.RegularizedDiscriminantAnalysisCV, [0, 0.5], [0, 0.5], cv=3)),
    "GaussianNB": Entry(gauda.GaussianNB),
    "ShrunkenCentroids": Entry(making(gauda.ShrunkenCentroids, threshold=0.5, offset=0.1)),
    "ShrunkenCentroids-CV": Entry(making(gauda.ShrunkenCentroidsCV, [0, 0.5, 1], cv=3, offset=0.1)),
    "BernoulliNB": Entry(gauda.BernoulliNB, presence),
    "CategoricalNB": Entry(gauda.CategoricalNB, levels),
    "CategoricalNB, text": Entry(gauda.CategoricalNB, named_levels),
    "MixedNB": Entry(gauda.MixedNB, mixed),
    "MultinomialNB": Entry(gauda.MultinomialNB, amounts),
    "ComplementNB": Entry(gauda.ComplementNB, amounts),
}
GAUSSIAN = [name for name, entry in MODELS.items() if entry.is_gaussian]
DISCRETE = [name for name in MODELS if name not in GAUSSIAN]
TEXT = [name for name, entry in MODELS.items() if entry.draw is amounts]
"""Models of counts of terms."""
LEVELED = [name for name in DISCRETE if name not in TEXT]
"""Models whose columns hold levels, maybe among others, independent within a class."""
NAMED = [name for name in LEVELED if name != "BernoulliNB"]
"""Models of levels that may have names."""
FRAMES = [name for name, entry in MODELS.items() if entry.draw in (mixed, named_levels)]
"""Models whose rows are data frames."""
SEARCHES = ["RDA-CV", "ShrunkenCentroids-CV"]
"""Models that choose parameters by cross-validation."""
STEPWISE = [name for name in MODELS if name not in SEARCHES]
"""Models that learn batch by batch."""
INDEPENDENT = ["GaussianNB", "ShrunkenCentroids", "ShrunkenCentroids-CV"]
"""Gaussian models that keep no products of columns."""
POOLED = ["LDA, lsqr", "LDA, eigen"]
"""Models whose priors weight the covariances of the classes."""


def named(X: Any) -> pd.DataFrame:
    """Return rows as a frame whose columns have names."""
    return X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=["a", "b", "c"])


def first_rows(X: Any, n: int = 5) -> Any:
    """Return the first rows of an array or a frame."""
    return X[:n]


def taken(X: Any, index: Any) -> Any:
    """Return some rows of an array or a frame."""
    return X.iloc[index].reset_index(drop=True) if isinstance(X, pd.DataFrame) else X[index]


def with_gap(X: Any) -> Any:
    """Return rows of which one lacks a value."""
    rows = X.copy()
    if isinstance(rows, pd.DataFrame):
        rows.iloc[1, 0] = np.nan
        return rows
    rows = rows.astype(np.float64)
    rows[1, 0] = np.nan
    return rows


Probe = Callable[[Entry], None]
CAPABILITIES: dict[str, Probe] = {}


def capability(name: str) -> Callable[[Probe], Probe]:
    """Enter a function that uses a capability, and raises where a model lacks it."""

    def enter(probe: Probe) -> Probe:
        CAPABILITIES[name] = probe
        return probe

    return enter


@capability("`predict`, `predict_proba`, `predict_log_proba`")
def _(entry):
    X, _ = entry.data()
    model = entry.fitted()
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert (
        model.predict_proba(X).argmax(axis=1) == np.searchsorted(LABELS, model.predict(X))
    ).all()


@capability("densities: `score_samples`")
def _(entry):
    X, _ = entry.data()
    model = entry.fitted()
    scores = model.score_samples(X)
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(model.classify(X, "log_density").log_density, scores)


@capability("`sample_weight`")
def _(entry):
    X, y = entry.data()
    entry.make().fit(X, y, sample_weight=np.ones(len(y)))


@capability("`class_weight`")
def _(entry):
    X, y = entry.data()
    entry.make(class_weight={"bee": 2.0}).fit(X, y)
    entry.make(class_weight="balanced").fit(X, y)


@capability("`partial_fit`, with `forget=`")
def _(entry):
    X, y = entry.data()
    model = entry.make().partial_fit(X, y, classes=LABELS)
    model.partial_fit(X, y, forget=0.5).predict(X)


@capability("`forget_rows`")
def _(entry):
    X, y = entry.data()
    model = entry.fitted().forget_rows(X[:20], y[:20])
    refit = entry.make().fit(X[20:], y[20:])
    np.testing.assert_allclose(model.predict_proba(X), refit.predict_proba(X), rtol=1e-9)


@capability("`fit_stream`")
def _(entry):
    X, y = entry.data()
    entry.make().fit_stream(iter([(X[:60], y[:60]), (X[60:], y[60:])]))


def with_covariances(entry: Entry, **parameters: Any) -> Any:
    """Make an estimator whose covariances are estimated otherwise, as its solver allows."""
    if entry.make is gauda.QDA:
        parameters["solver"] = "eigen"
    return entry.make(**parameters)


@capability("Ledoit and Wolf's shrinkage, in batches and streams too")
def _(entry):
    X, y = entry.data()
    parameters = {"shrinkage": "auto"}
    if "gamma" in entry.make().get_params():
        parameters = {"shrinkage": "ledoit_wolf", "gamma": 0.0}
    expected = with_covariances(entry, **parameters).fit(X, y).predict_proba(X)
    model = with_covariances(entry, **parameters)
    for part in (slice(0, 20), slice(20, 90)):
        model.partial_fit(X[part], y[part])
    stream = with_covariances(entry, **parameters).fit_stream([(X[:50], y[:50]), (X[50:], y[50:])])
    for other in (model, stream):
        np.testing.assert_allclose(other.predict_proba(X), expected, rtol=1e-10)


@capability("`covariance_estimator` of each class")
def _(entry):
    X, y = entry.data()
    shrunk = {"shrinkage": None} if "shrinkage" in entry.make().get_params() else {}
    given = with_covariances(entry, **shrunk, covariance_estimator=ShrunkCovariance()).fit(X, y)
    expected = with_covariances(entry, shrinkage=ShrunkCovariance().shrinkage).fit(X, y)
    np.testing.assert_allclose(given.predict_proba(X), expected.predict_proba(X), rtol=1e-8)


@capability("`predict_stream`")
def _(entry):
    X, _ = entry.data()
    with TemporaryDirectory() as folder:
        assert entry.fitted().predict_stream(X, Path(folder, "out.parquet")) == len(X)


@capability("`save`, `load`, pickle")
def _(entry):
    X, _ = entry.data()
    model = entry.fitted()
    with TemporaryDirectory() as folder:
        model.save(Path(folder, "model.gauda"))
        loaded = gauda.load(Path(folder, "model.gauda"))
    copied = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own
    for other in (loaded, copied):
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))


@capability("`loo_log_proba`")
def _(entry):
    X, y = entry.data()
    assert np.isfinite(entry.fitted().loo_log_proba(X, y)).all()
    weights = 1.0 + np.arange(len(y)) % 3
    model = entry.make().fit(X, y, sample_weight=weights)
    assert np.isfinite(model.loo_log_proba(X, y, sample_weight=weights)).all()


@capability("costs: `cost=`, `predict_cost`")
def _(entry):
    X, _ = entry.data()
    cost = 1.0 - np.eye(N_CLASSES)
    entry.fitted(cost=cost).predict(X)
    entry.fitted().predict_cost(X, cost=cost)


@capability("rejection by posterior: `reject=0.9`")
def _(entry):
    X, _ = entry.data()
    assert "rejected" in entry.fitted(reject=0.9).predict(X)


@capability("rejection by typicality, `typicality`, `mahalanobis`")
def _(entry):
    X, _ = entry.data()
    model = entry.fitted(reject={"typicality": 0.3})
    assert "rejected" in model.predict(X)
    assert model.typicality(X).shape == model.mahalanobis(X).shape


@capability("priors for a call, also of each row")
def _(entry):
    X, _ = entry.data()
    model = entry.fitted()
    model.predict(X, priors=[0.2, 0.2, 0.6])
    model.predict_proba(X, priors=np.full((len(X), N_CLASSES), 1 / N_CLASSES))


@capability("`classify`: several answers in one pass")
def _(entry):
    X, _ = entry.data()
    entry.fitted().classify(X, ("label", "proba", "joint", "top_k"))


@capability("`adapt_priors`")
def _(entry):
    X, _ = entry.data()
    assert np.isclose(entry.fitted().adapt_priors(X).priors.sum(), 1)


@capability("`sample`")
def _(entry):
    assert len(entry.fitted().sample(7, random_state=0)[0]) == 7


@capability("`marginal`")
def _(entry):
    assert entry.fitted().marginal([0, 2]).n_features_in_ == 2


@capability("`condition`")
def _(entry):
    X, _ = entry.data()
    value = np.asarray(X)[0, 0]
    assert entry.fitted().condition({0: value}).n_features_in_ == N_COLUMNS - 1


@capability("`diagnostics`")
def _(entry):
    assert "BIC" in str(entry.fitted().diagnostics())


@capability("`separation_tests`")
def _(entry):
    assert "R2" in str(entry.fitted().separation_tests())


@capability("`contrast`")
def _(entry):
    assert np.isclose(entry.fitted().contrast("ant", "bee").share.sum(), 1)


@capability("`summary`, `explain`")
def _(entry):
    X, _ = entry.data()
    model = entry.fitted()
    assert "bee" in str(model.summary())
    found = model.explain(first_rows(X, 1))
    log_proba = np.sort(model.predict_log_proba(first_rows(X, 1))[0])
    assert np.isclose(found.log_ratio, log_proba[-1] - log_proba[-2])


@capability("`column_importance`, `loo_confusion`")
def _(entry):
    X, y = entry.data()
    model = entry.fitted()
    assert np.isfinite(model.column_importance(X, y).log_loss_increase).all()
    assert model.loo_confusion(X, y).sum() == len(y)


@capability("`ColumnSelector`")
def _(entry):
    X, y = entry.data()
    selector = gauda.model_selection.ColumnSelector(
        entry.make(), criterion="log_loss", n_columns=2, cv=2
    )
    assert selector.fit(X, y).get_support().sum() == 2


@capability("`boundary`, `discriminant_functions`")
def _(entry):
    model = entry.fitted()
    assert "p(ant" in str(model.boundary("ant", "bee"))
    assert "delta_ant" in str(model.discriminant_functions())


@capability("gaps in rows that are scored")
def _(entry):
    X, _ = entry.data()
    assert np.isfinite(entry.fitted(missing="marginalize").predict_proba(with_gap(X))).all()


@capability("gaps in `fit`")
def _(entry):
    X, y = entry.data()
    entry.make(missing="marginalize").fit(with_gap(X), y)


@capability("rows with gaps left out of fits: `missing='drop'`")
def _(entry):
    X, y = entry.data()
    with pytest.warns(UserWarning, match="left out 1 of 90 rows"):
        model = entry.make(missing="drop").fit(with_gap(X), y)
    others = np.arange(len(y)) != 1
    complete = entry.make().fit(taken(X, others), y[others])
    np.testing.assert_array_equal(model.predict_proba(X), complete.predict_proba(X))


@capability("`impute`, `sample_missing`")
def _(entry):
    X, _ = entry.data()
    model = entry.fitted()
    assert not pd.isna(np.asarray(model.impute(with_gap(X)))).any()
    assert not pd.isna(np.asarray(model.sample_missing(with_gap(X), 2, random_state=0))).any()


@capability("sparse matrices")
def _(entry):
    X, y = entry.data()
    is_frame = isinstance(X, pd.DataFrame)
    sparse = scipy.sparse.csr_matrix(np.eye(len(y), N_COLUMNS) if is_frame else X)
    entry.make().fit(sparse, y).predict(sparse)


@dataclass(frozen=True)
class Lack:
    """That a model lacks a capability."""

    reason: str
    """Why, for the table."""
    error: type[Exception]
    """What is raised where it is used."""
    words: str
    """A part of what the error says."""


def lacking(reason: str, error: type[Exception], words: str, *names: str) -> dict[str, Lack]:
    """Return how each of some models lacks a capability."""
    return dict.fromkeys(names, Lack(reason, error, words))


def hidden(reason: str, words: str, *names: str) -> dict[str, Lack]:
    """Return the same of models that do not have the method at all."""
    return lacking(reason, AttributeError, words, *names)


def not_taken(reason: str, parameter: str, *names: str) -> dict[str, Lack]:
    """Return the same of models that do not have a parameter."""
    words = f"got an unexpected keyword argument '{parameter}'"
    return lacking(reason, TypeError, words, *names)


CHOOSES = "chooses its parameters by all rows at once"
NO_DISTANCE = "levels have no distance to a class"
NO_MEANS = "levels have no means; see the mutual information in `diagnostics`"
ZERO = "a term that a text does not have is 0"
NO_LENGTH = "how many terms a text has is not part of the model"
NO_DENSITY = "weights are scores by the other classes, not probabilities"
NO_POLYNOMIAL = "levels are names, of which there are no polynomials"

NO_SHRINKAGE = "'svd' takes no covariance; 'lsqr' and 'eigen' do"
NO_COVARIANCE = "columns are independent within a class"
REGULARIZED = "covariances are regularized by the model itself"
WITHOUT_COVARIANCES = (*INDEPENDENT, *DISCRETE)
ALL_AT_ONCE = "does not have all rows at once"
DENSITY = "ComplementNB has no density of rows"
ONE_WAY = "'missing' parameter of .* must be a str among"

EXCEPT: dict[str, dict[str, Lack]] = {
    "Ledoit and Wolf's shrinkage, in batches and streams too": lacking(
        NO_SHRINKAGE, NotImplementedError, "shrinkage not supported with 'svd' solver", "LDA"
    )
    | not_taken(NO_COVARIANCE, "shrinkage", *WITHOUT_COVARIANCES)
    | not_taken(CHOOSES, "shrinkage", "RDA-CV"),
    "`covariance_estimator` of each class": lacking(
        NO_SHRINKAGE, ValueError, "covariance estimator is not supported with svd solver", "LDA"
    )
    | not_taken(NO_COVARIANCE, "covariance_estimator", *WITHOUT_COVARIANCES)
    | not_taken(REGULARIZED, "covariance_estimator", "RDA", "RDA-CV"),
    "`partial_fit`, with `forget=`": hidden(CHOOSES, f"partial_fit {ALL_AT_ONCE}", *SEARCHES),
    "`forget_rows`": hidden(CHOOSES, f"forget_rows {ALL_AT_ONCE}", *SEARCHES),
    "`fit_stream`": hidden(CHOOSES, f"fit_stream {ALL_AT_ONCE}", *SEARCHES),
    "densities: `score_samples`": hidden(NO_DENSITY, DENSITY, "ComplementNB"),
    "`sample`": hidden(NO_DENSITY, DENSITY, "ComplementNB"),
    "`condition`": lacking(NO_LENGTH, ValueError, "counts of some terms leave no", *TEXT),
    "`diagnostics`": hidden(NO_DENSITY, DENSITY, "ComplementNB"),
    "`contrast`": hidden(NO_DENSITY, DENSITY, "ComplementNB"),
    "`impute`, `sample_missing`": lacking(NO_LENGTH, ValueError, "cannot fill in counts", *TEXT),
    "rejection by typicality, `typicality`, `mahalanobis`": lacking(
        NO_DISTANCE, ValueError, "typicalities are not defined for models of discrete", *DISCRETE
    ),
    "`separation_tests`": hidden(NO_MEANS, "has no tests of class means", *DISCRETE),
    "`boundary`, `discriminant_functions`": hidden(
        NO_POLYNOMIAL, "has no boundary of the form x'Ax", *NAMED
    ),
    "gaps in rows that are scored": lacking(ZERO, ValueError, ONE_WAY, *TEXT),
    "gaps in `fit`": lacking(ZERO, ValueError, ONE_WAY, *TEXT),
    "sparse matrices": lacking(
        "zeros are values like others", TypeError, "must be given a dense X", *GAUSSIAN, *NAMED
    ),
}
"""The models that lack a capability, each with the reason and what it then raises."""


def table() -> str:
    """Return what works with what, as a table in Markdown with the reasons below."""
    marks = {reason: mark for mark, reason in enumerate(reasons(), start=1)}
    lines = [f"| | {' | '.join(MODELS)} |", f"|-|{'-|' * len(MODELS)}"]
    for name in CAPABILITIES:
        missing = EXCEPT.get(name, {})
        cells = [
            f"[{marks[missing[model].reason]}]" if model in missing else "✓" for model in MODELS
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    notes = [f"[{mark}] {reason}" for reason, mark in marks.items()]
    return "\n".join([*lines, "", "; ".join(notes) + "."])


def reasons() -> list[str]:
    """Return the reasons in the order in which the table needs them."""
    found = [lack.reason for cells in EXCEPT.values() for lack in cells.values()]
    return list(dict.fromkeys(found))


if __name__ == "__main__":
    print(table())  # noqa: T201 (for the documentation)
