"""Discrete naive Bayes against scikit-learn's: fit and predict, dense and sparse, and memory."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn import naive_bayes

import gauda
from comparison.data import shape
from comparison.memory import ALLOWED, REHEARSED_ROWS, peak_of
from comparison.peers import check_agreement
from comparison.race import Effort, race
from comparison.table import Line, faster, short

MODELS: dict[str, tuple[type, type]] = {
    "Categorical": (gauda.CategoricalNB, naive_bayes.CategoricalNB),
    "Bernoulli": (gauda.BernoulliNB, naive_bayes.BernoulliNB),
    "Multinomial": (gauda.MultinomialNB, naive_bayes.MultinomialNB),
    "Complement": (gauda.ComplementNB, naive_bayes.ComplementNB),
}
"""By name: ours, scikit-learn's."""

METHODS = ("fit", "predict", "predict_proba")
TARGET = 5.0
DENSITY = 0.01


class Case(NamedTuple):
    """A table of levels."""

    name: str
    n: int
    d: int
    k: int
    levels: int
    dtype: str
    sparse: bool = False
    terms: int = 0
    """Terms of each row, where rows are texts."""

    def table(self) -> tuple[Any, Any]:
        """Return rows, whose levels depend on the class a little, and their classes."""
        random = np.random.default_rng(0)
        y = random.integers(0, self.k, self.n)
        if self.terms:
            return texts(self.n, self.d, self.terms, random), y
        if self.sparse:
            X = sparse.random(self.n, self.d, DENSITY, "csr", self.dtype, random_state=0)
            return X, y
        X = random.integers(0, self.levels, (self.n, self.d), dtype=np.int8)
        X[:, 0] = (X[:, 0] + y) % self.levels
        return X.astype(self.dtype), y

    def what(self, method: str) -> str:
        """Return the words for a line."""
        kind = f"{self.dtype}{', sparse' * self.sparse}"
        return f"{self.name} {method}, {shape(self.n, self.d, self.k)}, {kind}"


CASES = [
    Case("Categorical", 1_000_000, 10, 3, 5, "int64"),
    Case("Categorical", 1_000_000, 10, 3, 5, "uint8"),
    Case("Categorical", 500_000, 20, 10, 10, "float64"),
    Case("Bernoulli", 1_000_000, 20, 3, 2, "float64"),
    Case("Bernoulli", 1_000_000, 20, 3, 2, "bool"),
    Case("Bernoulli", 50_000, 784, 10, 2, "uint8"),
    Case("Bernoulli", 200_000, 5000, 3, 2, "float64", sparse=True),
    Case("Multinomial", 100_000, 50_000, 20, 0, "int64", sparse=True, terms=100),
    Case("Complement", 100_000, 50_000, 20, 0, "int64", sparse=True, terms=100),
]
LARGE = [
    Case("Categorical", 10_000_000, 10, 3, 5, "int64"),
    Case("Bernoulli", 10_000_000, 10, 3, 2, "float64"),
    Case("Multinomial", 300_000, 2000, 20, 0, "int64", sparse=True, terms=100),
]


def texts(n: int, d: int, terms: int, random: np.random.Generator) -> Any:
    """Return how often terms occur in texts of so many, the commoner the lower their number."""
    shares = 1 / np.arange(1, d + 1)
    columns = random.choice(d, n * terms, p=shares / shares.sum()).astype(np.int32)
    starts = np.arange(0, n * terms + 1, terms)
    matrix = sparse.csr_matrix((np.ones(n * terms, dtype=np.int64), columns, starts), (n, d))
    matrix.sum_duplicates()
    return matrix


def shrunk(cases: list[Case], effort: Effort) -> Iterator[Case]:
    """Return the cases with as many rows as the effort allows."""
    return (case._replace(n=effort.rows(case.n, case.d, case.k)) for case in cases)


def discrete(effort: Effort) -> Iterator[Line]:
    """Race every method on every table, then measure memory on large ones."""
    for case in shrunk(CASES, effort):
        X, y = case.table()
        ours, other = (model().fit(X, y) for model in MODELS[case.name])
        check_agreement(ours.predict, other.predict, X)
        for method in METHODS:
            given = (X, y) if method == "fit" else (X,)
            contestants = [partial(getattr(model, method), *given) for model in (ours, other)]
            yield faster(case.what(method), race(effort, *contestants), TARGET)
    yield from memory(effort)


def memory(effort: Effort) -> Iterator[Line]:
    """Fit and predict on tables much larger than what they may take, each in a fresh process."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["gauda", "sklearn.naive_bayes"])
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as processes:
        for case in shrunk(LARGE, effort):
            for method in METHODS[:2]:
                ours, other = (processes.submit(peak, case, method, who).result() for who in (0, 1))
                figures = f"{short(ours)} MB", f"{short(other)} MB"
                yield Line(case.what(method), *figures, ours, ALLOWED, " MB", at_most=True)


def peak(case: Case, method: str, contestant: int) -> float:
    """Return the megabytes that a call takes at its peak, in this process, which must be fresh."""
    X, y = case.table()
    model = MODELS[case.name][contestant]()
    rehearsal = slice(REHEARSED_ROWS)
    model.fit(X[rehearsal], y[rehearsal]).predict(X[rehearsal])
    given = (X, y) if method == "fit" else (X,)
    return peak_of(partial(getattr(model, method), *given))
