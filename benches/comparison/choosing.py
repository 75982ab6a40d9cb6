"""Models judged by unseen rows: a grid on folds, and every row left out in turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV

from comparison.data import CLOSE, Table, gaussian_classes
from comparison.race import Effort, race
from comparison.table import Line, faster
from gauda import QDA, RegularizedDiscriminantAnalysisCV

GRID = (100_000, 50, 10)
GRID_TARGET = 50.0
SHARES = np.linspace(0, 1, 10)
POINTS = len(SHARES) ** 2
TRIED = (0.1, 0.5)
"""Values of scikit-learn's reg_param that are timed; all others would take as long."""

LEFT_OUT = (10_000, 20, 5)
LEFT_OUT_TARGET = 5000.0
ROWS_TRIED = 5
"""Rows that scikit-learn's model is fitted without; all others would take as long."""


def choosing(effort: Effort) -> Iterator[Line]:
    """Yield both, against scikit-learn's QDA, whose time is measured on a few and scaled."""
    few = replace(effort, rounds=min(effort.rounds, 2))
    table = gaussian_classes(effort.rows(*GRID), *GRID[1:], CLOSE)
    ours, theirs = race(few, partial(our_grid, table), partial(their_grid, table))
    what = f"RDA, 10 x 10 grid, 10 folds / QDA, 100 values, {table.shape}"
    yield faster(what, [ours, theirs * POINTS / len(TRIED)], GRID_TARGET)
    table = gaussian_classes(effort.rows(*LEFT_OUT), *LEFT_OUT[1:], CLOSE)
    model = QDA().fit(*table)
    ours, theirs = race(effort, partial(model.loo_log_proba, *table), partial(refit, table))
    what = f"QDA, each row left out / refitted, {table.shape}"
    yield faster(what, [ours, theirs * len(table.y) / ROWS_TRIED], LEFT_OUT_TARGET)


def our_grid(table: Table) -> None:
    """Choose among all points."""
    RegularizedDiscriminantAnalysisCV(SHARES, SHARES).fit(*table)


def their_grid(table: Table) -> None:
    """Try a few values."""
    grid = {"reg_param": TRIED}
    search = GridSearchCV(
        QuadraticDiscriminantAnalysis(), grid, cv=10, scoring="neg_log_loss", refit=False
    )
    search.fit(*table)


def refit(table: Table) -> None:
    """Fit without a few rows, each in turn, and ask for its posteriors."""
    for row in range(ROWS_TRIED):
        rest = np.arange(len(table.y)) != row
        model = QuadraticDiscriminantAnalysis().fit(table.X[rest], table.y[rest])
        model.predict_log_proba(table.X[row : row + 1])
