"""Rows with numbers, truth values, levels and gaps, and their statistics of every kind."""

import numpy as np
import pandas as pd

from gauda import Counts, MixedStatistics, Moments

N, GRID = 48, 64
ALL = slice(None)
NAMES = ["a", "b", "c"]


class Rows:
    """Rows on a grid of 1/64, whose sums integers hold, with labels and whole weights."""

    def __init__(self, seed, *, weighted=False):
        rng = np.random.default_rng(seed)
        self.grid = rng.integers(-300, 300, (N, 3))
        self.levels = rng.integers(0, 4, (N, 3))
        self.missing = rng.random(N) < 0.2
        self.y = rng.integers(0, 4, N)
        self.weights = rng.integers(1, 5, N).astype(float) if weighted else None

    def __repr__(self):
        return f"Rows(weighted={self.weights is not None})"

    def part(self, rows):
        weights = None if self.weights is None else self.weights[rows]
        return self.y[rows], weights


def numbers(rows, part, **options):
    y, weights = rows.part(part)
    table = pd.DataFrame(rows.grid[part] / GRID, columns=NAMES)
    return Moments.from_data(table, y, weights, **options)


def counts(rows, part, **options):
    y, weights = rows.part(part)
    return Counts.from_data(pd.DataFrame(rows.levels[part], columns=NAMES), y, weights, **options)


def mixed_table(rows, part):
    return pd.DataFrame(
        {
            "a": np.where(rows.missing, np.nan, rows.grid[:, 0] / GRID)[part],
            "b": rows.levels[part, 1] > 1,
            "c": np.array(["fir", "oak", "elm", "ash"], object)[rows.levels[part, 2]],
        }
    )


def mixed(rows, part, **options):
    y, weights = rows.part(part)
    return MixedStatistics.from_data(mixed_table(rows, part), y, weights, **options)
