"""How often what was given a probability came true, counted in bins of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._support.arrays import Floats, Indices
from gauda._support.lazy import stats

Bins = tuple[Indices, Floats, Floats]
"""Rows, hits and sums of probabilities in each bin."""


def sums_in_bins(probability: Floats, hit: NDArray[Any], edges: Floats) -> Bins:
    """Return for each bin its rows, how many are hits, and the sum of their probabilities."""
    bins = np.searchsorted(edges[1:-1], probability)
    n_bins = len(edges) - 1
    hits = np.bincount(bins, weights=hit, minlength=n_bins).astype(np.float64)
    sums = np.bincount(bins, weights=probability, minlength=n_bins).astype(np.float64)
    return np.bincount(bins, minlength=n_bins), hits, sums


def merge_bins(first: Bins, second: Bins) -> Bins:
    """Return the sums of two samples together."""
    return first[0] + second[0], first[1] + second[1], first[2] + second[2]


def curve_of(counts: Indices, hits: Floats, sums: Floats) -> dict[str, Any]:
    """Return counts, and for each bin that holds rows its means and the interval about them."""
    filled = np.flatnonzero(counts)
    pairs = zip(hits[filled].astype(int).tolist(), counts[filled].tolist(), strict=True)
    intervals = [stats.binomtest(k, n).proportion_ci(method="wilson") for k, n in pairs]
    return {
        "prob_true": hits[filled] / counts[filled],
        "prob_pred": sums[filled] / counts[filled],
        "lower": np.array([interval.low for interval in intervals]),
        "upper": np.array([interval.high for interval in intervals]),
        "counts": counts,
    }
