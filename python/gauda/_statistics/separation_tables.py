"""The tables in which tests of separation are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gauda._support.tables import as_text

if TYPE_CHECKING:
    from gauda._statistics.separation_tests import SeparationTests

MAX_PAIRS = 10
MAX_COLUMNS = 20
"""How many pairs of classes and columns are listed."""

LOG_SMALLEST = -300 * np.log(10)
"""Smaller p-values are shown by their logarithms."""

MULTIVARIATE = {
    "wilks": "Wilks' lambda",
    "pillai": "Pillai's trace",
    "hotelling_lawley": "Hotelling-Lawley trace",
    "roy": "Roy's largest root",
}
TESTS = ("test", "statistic", "F", "df", "df", "p")
AXES = (
    "axis",
    "correlation",
    "eigenvalue",
    "proportion",
    "Wilks",
    "F",
    "df",
    "df",
    "p",
    "chi2",
    "df",
    "p",
)
PAIRS = ("i", "j", "D2", "F", "p")
COLUMNS = ("column", "F", "p", "R2")

Rows = list[tuple[Any, ...]]
Table = tuple[str, Any, Rows, int]
"""A title, a header (or why there is no table), the rows, and how many columns start left."""

EQUAL_MEANS = "all class means are equal"
CANONICAL = "canonical axes; the tests are of an axis and those after it"


def tables(tests: SeparationTests) -> list[Table]:
    """Return the tables; what cannot be computed is told once, in place of a header."""
    try:
        found: list[Table] = [
            (EQUAL_MEANS, TESTS, test_rows(tests), 1),
            (CANONICAL, AXES, axis_rows(tests), 1),
            (pairs_title(len(tests.classes)), PAIRS, pair_rows(tests), 2),
        ]
    except ValueError as error:
        found = [(EQUAL_MEANS, f"unknown. {error}", [], 1)]
    title = columns_title(tests._moments.n_features)
    try:
        found.append((title, COLUMNS, column_rows(tests), 1))
    except ValueError as error:
        found.append((title, f"unknown. {error}", [], 1))
    return found


def pairs_title(n_classes: int) -> str:
    """Return what the table of pairs shows."""
    n_pairs = n_classes * (n_classes - 1) // 2
    if n_pairs <= MAX_PAIRS:
        return "distances between class means"
    return f"the {MAX_PAIRS} smallest of {n_pairs} distances between class means"


def columns_title(n_features: int) -> str:
    """Return what the table of columns shows."""
    if n_features <= MAX_COLUMNS:
        return "each column alone, by R2"
    return f"the {MAX_COLUMNS} columns of largest R2, of {n_features}"


def test_rows(tests: SeparationTests) -> Rows:
    """Return a row for each test of all columns."""
    rows: Rows = []
    for name, title in MULTIVARIATE.items():
        test = getattr(tests, name)
        figures = as_text(test.statistic), as_text(test.f), *df_texts(test)
        rows.append((title, *figures, p_text(test.p_value, test.log_p_value)))
    return rows


def axis_rows(tests: SeparationTests) -> Rows:
    """Return a row for each canonical axis."""
    rows: Rows = []
    for number, axis in enumerate(tests.canonical, start=1):
        figures = [as_text(value) for value in axis[:5]]
        p = p_text(axis.p_value, axis.log_p_value)
        chi2_p = p_text(axis.chi2_p_value, axis.chi2_log_p_value)
        chi2 = as_text(axis.chi2), axis.chi2_df, chi2_p
        rows.append((number, *figures, *df_texts(axis), p, *chi2))
    return rows


def pair_rows(tests: SeparationTests) -> Rows:
    """Return a row for each of the nearest pairs of classes."""
    labels, pairs = tests.classes, tests.pairs
    first, second = np.triu_indices(len(labels), 1)
    nearest = np.argsort(pairs.mahalanobis[first, second], kind="stable")[:MAX_PAIRS]
    rows: Rows = []
    for i, j in zip(first[nearest], second[nearest], strict=True):
        figures = as_text(pairs.mahalanobis[i, j]), as_text(pairs.f[i, j])
        p = p_text(pairs.p_value[i, j], pairs.log_p_value[i, j])
        rows.append((labels[i], labels[j], *figures, p))
    return rows


def column_rows(tests: SeparationTests) -> Rows:
    """Return a row for each of the columns that separate most."""
    found = tests.univariate
    order = np.argsort(-found.r_squared, kind="stable")[:MAX_COLUMNS]
    return [
        (
            tests._features[column],
            as_text(found.f[column]),
            p_text(found.p_value[column], found.log_p_value[column]),
            as_text(found.r_squared[column]),
        )
        for column in order.tolist()
    ]


def df_texts(test: Any) -> tuple[str, str]:
    """Return degrees of freedom, which are whole as a rule."""
    return f"{test.df_num:.7g}", f"{test.df_den:.7g}"


def p_text(p_value: float, log_p_value: float) -> str:
    """Return a p-value with a few digits, also where it underflows."""
    if not log_p_value < LOG_SMALLEST or np.isinf(log_p_value):
        return as_text(p_value)
    exponent, digits = divmod(log_p_value / np.log(10), 1)
    return f"{10**digits:.3f}e{int(exponent)}"
