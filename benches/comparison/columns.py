"""Columns chosen step by step: all steps by F over one fit, and by log-loss over scikit-learn's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SequentialFeatureSelector

from comparison.data import CLOSE, Table, gaussian_classes
from comparison.race import Effort, race
from comparison.table import Line, duration, faster
from gauda import LDA
from gauda.model_selection import ColumnSelector

BY_F = (100_000, 200, 10)
BY_F_TARGET = 2.0
BY_LOSS = (5_000, 50, 5)
BY_LOSS_TARGET = 50.0
N_COLUMNS, QUICK_N_COLUMNS = 10, 2
FOLDS = 5


def columns(effort: Effort) -> Iterator[Line]:
    """Yield both."""
    table = gaussian_classes(effort.rows(*BY_F), *BY_F[1:], CLOSE)
    ours, fit = race(effort, partial(stepwise, table), partial(fit_once, table))
    what = f"stepwise by F, all steps / one fit of LDA, {table.shape}"
    yield Line(what, duration(ours), duration(fit), ours / fit, BY_F_TARGET, at_most=True)
    few = replace(effort, rounds=min(effort.rounds, 2))
    table = gaussian_classes(effort.rows(*BY_LOSS), *BY_LOSS[1:], CLOSE)
    n_columns = N_COLUMNS if effort.shrink == 1 else QUICK_N_COLUMNS
    searches = partial(our_search, table, n_columns), partial(their_search, table, n_columns)
    if not np.array_equal(*(search() for search in searches)):
        raise AssertionError("The two searches must choose the same columns.")
    seconds = race(few, *searches)
    what = f"{n_columns} columns by log-loss, {FOLDS} folds, {table.shape}"
    yield faster(what, seconds, BY_LOSS_TARGET)


def stepwise(table: Table) -> None:
    """Take all steps by F, from the rows on."""
    ColumnSelector(LDA(), "stepwise", f_to_enter=0.0, f_to_remove=0.0).fit(*table)


def fit_once(table: Table) -> None:
    """Fit to all columns, and solve."""
    LDA().fit(*table).predict(table.X[:1])


def our_search(table: Table, n_columns: int) -> object:
    """Choose columns, one after another."""
    selector = ColumnSelector(LDA(), criterion="log_loss", n_columns=n_columns, cv=FOLDS)
    return selector.fit(*table).get_support()


def their_search(table: Table, n_columns: int) -> object:
    """Choose as many by scikit-learn's search."""
    search = SequentialFeatureSelector(
        LinearDiscriminantAnalysis(),
        n_features_to_select=n_columns,
        scoring="neg_log_loss",
        cv=FOLDS,
    )
    return search.fit(*table).get_support()
