"""Upper tails of the F and chi-squared distributions, and their logarithms where these underflow.

A tail down to about 1e-290 is scipy's. Below, its logarithm comes from a continued fraction, which
has all digits out there: DLMF 8.17.22 for the incomplete beta function, 8.9.2 for gamma.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple

import numpy as np

from gauda._support.arrays import Floats, Mask
from gauda._support.lazy import special

Coefficients = Iterator[tuple[Floats, Floats]]

SMALL = 1e-290
"""Tails below this are computed as logarithms."""

TINY = 1e-300
"""In place of 0 in a denominator of a continued fraction."""

MAX_TERMS = 100_000


class Tail(NamedTuple):
    """Probabilities of more than some values, and their logarithms."""

    p_value: Floats
    log_p_value: Floats


def f_tail(f: Floats | float, df_num: Floats | float, df_den: Floats | float) -> Tail:
    """Return the probabilities that F exceeds some values; NaN gives NaN."""
    f, df_num, df_den = np.broadcast_arrays(*map(as_floats, (f, df_num, df_den)))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        odds = f * (df_num / df_den)
        x = 1 / (1 + odds)
        tail = special.betainc(df_den / 2, df_num / 2, x)
        # Where x is rounded to nearly 1, the complement has the digits.
        small = np.where(np.isinf(odds), 1.0, odds * x)
        tail = np.where(tail > 1 / 2, 1 - special.betainc(df_num / 2, df_den / 2, small), tail)
        return with_logarithm(
            tail, lambda at: log_beta_tail(df_den[at] / 2, df_num[at] / 2, odds[at])
        )


def chi2_tail(statistic: Floats | float, df: Floats | float) -> Tail:
    """Return the probabilities that chi-squared exceeds some values; NaN gives NaN."""
    statistic, df = np.broadcast_arrays(*map(as_floats, (statistic, df)))
    tail = special.gammaincc(df / 2, statistic / 2)
    return with_logarithm(tail, lambda at: log_gamma_tail(df[at] / 2, statistic[at] / 2))


def as_floats(values: Floats | float) -> Floats:
    """Return values in double precision."""
    return np.asarray(values, dtype=np.float64)


def with_logarithm(tail: Floats, log_tail: Callable[[Mask], Floats]) -> Tail:
    """Return tails with their logarithms, small ones by a function of where they are."""
    small = tail < SMALL
    with np.errstate(divide="ignore"):
        logs = np.asarray(np.log(tail))
    if small.any():
        logs[small] = log_tail(small)
    return Tail(np.where(small, np.exp(logs), tail), logs)


def log_beta_tail(a: Floats, b: Floats, odds: Floats) -> Floats:
    """Return log I_x(a, b) with x = 1 / (1 + odds), for x far below the mean."""
    x = 1 / (1 + odds)
    factor = -a * np.log1p(odds) + b * (np.log(odds) - np.log1p(odds))
    infinite = np.isinf(odds)
    fraction = continued_fraction(beta_coefficients(a, b, x))
    logs = factor - np.log(a) - special.betaln(a, b) - np.log(fraction)
    return np.where(infinite, -np.inf, logs)


def beta_coefficients(a: Floats, b: Floats, x: Floats) -> Coefficients:
    """Yield the partial numerators and denominators of 1 + d_1 / (1 + d_2 / (1 + ...))."""
    one = np.ones_like(x)
    for m in count():
        if m:
            yield m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), one
        yield -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), one


def log_gamma_tail(a: Floats, x: Floats) -> Floats:
    """Return log Q(a, x) for x far above a."""
    infinite = np.isinf(x)
    x = np.where(infinite, 1.0, x)
    first = x + 1 - a
    fraction = continued_fraction(gamma_coefficients(a, first), first)
    logs = a * np.log(x) - x - special.gammaln(a) - np.log(np.abs(fraction))
    return np.where(infinite, -np.inf, logs)


def gamma_coefficients(a: Floats, first: Floats) -> Coefficients:
    """Yield those of x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - ...))."""
    for n in count(1):
        yield -n * (n - a), first + 2 * n


def continued_fraction(coefficients: Coefficients, first: Floats | float = 1.0) -> Floats:
    """Return first + a_1 / (b_1 + a_2 / (b_2 + ...)), by Lentz's method."""
    value = ratio = np.asarray(first, dtype=np.float64)
    inverse: Floats | float = 0.0
    for _, (numerator, denominator) in zip(range(MAX_TERMS), coefficients, strict=False):
        inverse = 1 / not_zero(denominator + numerator * inverse)
        ratio = not_zero(denominator + numerator / ratio)
        change = ratio * inverse
        value = value * change
        if np.all(np.abs(change - 1) < np.finfo(np.float64).eps):
            break
    return np.asarray(value)


def not_zero(values: Floats) -> Floats:
    """Return values with a tiny one in place of 0."""
    return np.where(values == 0, TINY, values)
