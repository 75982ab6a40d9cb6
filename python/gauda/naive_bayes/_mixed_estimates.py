"""Variances and probabilities of mixed columns, from the statistics of their rows."""

from __future__ import annotations

import numpy as np

from gauda._statistics.access import names_of
from gauda._statistics.mixed import MixedStatistics
from gauda._statistics.mixed_sums import columns_of_kinds
from gauda._support.arrays import Floats
from gauda._support.errors import underflow
from gauda._support.remedies import NOTHING_VARIES, rows_text
from gauda.naive_bayes._discrete import log_shares
from gauda.naive_bayes._gaussian import smoothing


def added_variance(statistics: MixedStatistics, var_smoothing: float) -> float:
    """Return what is added to the variances."""
    largest = np.max(statistics.unweighted.variances(), initial=0.0)
    return smoothing(var_smoothing, float(largest))


def smoothed_variances(statistics: MixedStatistics, epsilon: float) -> Floats:
    """Return smoothed variances; refuse columns that no class or model can do without."""
    numbers, counted = statistics.numbers, statistics.class_count
    gaussian, _ = columns_of_kinds(statistics.kinds)
    names = names_of(statistics)
    variances = numbers.variances() + epsilon
    present = (counted > 0)[:, np.newaxis]
    unseen = np.argwhere((numbers.weights == 0) & present)
    if len(unseen):
        code, at = unseen[0]
        raise ValueError(
            f"Column {names.column(gaussian[at])} is missing in all rows of class "
            f"{names.label(code)}, so nothing is known of it there. Drop the column, "
            "or fill it in."
        )
    tiny = np.argwhere(numbers.are_tiny(variances) & present)
    if len(tiny):
        code, at = tiny[0].tolist()
        raise underflow(names, gaussian[at], code)
    flat = np.argwhere((variances <= 0) & present)
    if len(flat):
        code, at = flat[0]
        raise ValueError(
            f"Class {names.label(code)} ({rows_text(counted[code])}) has no variance in column "
            f"{names.column(gaussian[at])}. {without_variance(variances)}"
        )
    return np.where(present, variances, 1.0)  # a class without rows has prior 0


def without_variance(variances: Floats) -> str:
    """Return what helps where some variances are 0."""
    if not variances.any():
        return NOTHING_VARIES
    return "Drop the column; or smooth the variances with var_smoothing=1e-9."


def log_probabilities(table: Floats, alpha: float) -> Floats:
    """Return the log-probabilities of levels, smoothed; where nothing was seen, equal ones."""
    smoothed = table + float(alpha)
    total = smoothed.sum(axis=1, keepdims=True)
    return np.where(total > 0, log_shares(smoothed, total), 0.0)
