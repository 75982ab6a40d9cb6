"""Tests whether class means differ, from sums: values in, values out.

Columns are divided by the roots of their sums of squares within classes, so units do not matter.
With W the scatter within classes and M the deviations of class means from the mean of all rows,
weighted by the roots of the counts, everything follows from Z = inv(L) M', where L L' = W: the
squared singular values of Z are the eigenvalues of inv(W) B. The scatter of all rows is never
formed, so small differences and large ones keep their digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gauda._statistics.equal_covariances import correlations
from gauda._statistics.tails import chi2_tail, f_tail
from gauda._support.arrays import Floats
from gauda._support.lazy import linalg

if TYPE_CHECKING:
    from gauda._statistics.moments import Moments

MIN_CLASSES = 2


class FTest(NamedTuple):
    """A test of equal class means, with its approximation by F."""

    statistic: float
    f: float
    df_num: float
    df_den: float
    p_value: float
    """Probability of a larger F if the means are equal and rows Gaussian with one covariance."""
    log_p_value: float
    """Logarithm of `p_value`, also where that underflows."""


class CanonicalTest(NamedTuple):
    """A canonical axis, and the test whether this one and all after it separate nothing."""

    correlation: float
    """Of the axis with the classes."""
    eigenvalue: float
    """Of inv(W) B: variance between over variance within classes, as sums of squares."""
    proportion: float
    """Of the sum of the eigenvalues, R's proportion of trace."""
    wilks: float
    """Wilks' lambda of this axis and those after it."""
    f: float
    """Rao's."""
    df_num: float
    df_den: float
    p_value: float
    log_p_value: float
    chi2: float
    """Bartlett's."""
    chi2_df: int
    chi2_p_value: float
    chi2_log_p_value: float


class PairTests(NamedTuple):
    """Tests of equal means of each two classes, as matrices."""

    mahalanobis: Floats
    """Squared distances, by the pooled covariance with divisor n - n_classes."""
    f: Floats
    df_num: int
    df_den: float
    p_value: Floats
    log_p_value: Floats


class ColumnTests(NamedTuple):
    """Analyses of variance, one for each column."""

    f: Floats
    df_num: int
    df_den: float
    p_value: Floats
    log_p_value: Floats
    r_squared: Floats
    """Share of a column's variance that is between classes."""


@dataclass(frozen=True)
class Separation:
    """Class means on the scale of the scatter within classes."""

    counts: Floats
    """Rows of each class."""
    whitened: Floats
    """Z', a row for each class."""

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.whitened.shape[1])

    @property
    def df_between(self) -> int:
        """Degrees of freedom between classes."""
        return len(self.counts) - 1

    @property
    def df_within(self) -> float:
        """Degrees of freedom within classes."""
        return float(self.counts.sum()) - len(self.counts)

    def eigenvalues(self) -> Floats:
        """Return those of inv(W) B that may differ from 0, the largest first."""
        values = np.linalg.svd(self.whitened, compute_uv=False)
        return np.asarray(np.square(values[: min(self.n_features, self.df_between)]))


def separation_of(moments: Moments) -> Separation:
    """Return the class means of moments whose scatter within classes is regular."""
    counts, d = moments.counts, moments.n_features
    if counts.sum() - len(counts) < d:
        raise ValueError(
            "Tests of several columns together need at least as many rows as columns and classes "
            f"together, {d + len(counts)}; got {counts.sum():.15g}. Give more rows, select "
            "columns, or see the tests of single columns."
        )
    scatter, deviations = within_and_between(moments)
    units = np.sqrt(np.diag(scatter))
    rank = np.linalg.matrix_rank(correlations(scatter[np.newaxis]), hermitian=True)[0]
    if rank < d:
        constant = np.flatnonzero(units == 0)
        cause = "some are linear functions of others"
        if len(constant):
            cause = f"column {moments._names().column(int(constant[0]))} has no variance in them"
        raise ValueError(
            f"Tests of several columns together need a regular scatter within classes; got one of "
            f"rank {rank} for {d} columns, as {cause}. Leave such columns out with select()."
        )
    lower = linalg.cholesky(scatter / np.outer(units, units), lower=True)
    return Separation(counts, linalg.solve_triangular(lower, (deviations / units).T, lower=True).T)


def within_and_between(moments: Moments) -> tuple[Floats, Floats]:
    """Return the scatter within classes, and class means about that of all rows, weighted."""
    return moments._to("tied").scatter, weighted_deviations(moments)


def weighted_deviations(moments: Moments) -> Floats:
    """Return class means about the mean of all rows, times the roots of the counts."""
    core = moments._core
    center = core.mean_of_means(core.weights)
    return np.asarray(np.sqrt(core.weights)[:, np.newaxis] * ((core.shift - center) + core.offset))


def f_test(statistic: float, f: float, df_num: float, df_den: float) -> FTest:
    """Return a test with its tail; without degrees of freedom there is none."""
    if not df_den > 0:
        f = float("nan")
    tail = f_tail(f, df_num, df_den)
    return FTest(
        float(statistic),
        float(f),
        float(df_num),
        float(df_den),
        float(tail.p_value),
        float(tail.log_p_value),
    )


def wilks(values: Floats, p: int, q: int, df: float) -> FTest:
    """Return Wilks' lambda, the product of 1 / (1 + eigenvalue), with Rao's F."""
    log_lambda = -np.log1p(values).sum()
    return rao(log_lambda, p, q, df - (p - q + 1) / 2)


def rao(log_lambda: float, p: int, q: int, w: float) -> FTest:
    """Return Rao's F for a logarithm of Wilks' lambda."""
    squares = p * p + q * q - 5
    t = np.sqrt((p * p * q * q - 4) / squares) if squares > 0 else 1.0
    df_num, df_den = p * q, w * t - (p * q - 2) / 2
    with np.errstate(over="ignore"):
        f = np.expm1(-log_lambda / t) * df_den / df_num
    return f_test(np.exp(log_lambda), f, df_num, df_den)


def pillai(values: Floats, p: int, q: int, df: float) -> FTest:
    """Return Pillai's trace, the sum of eigenvalue / (1 + eigenvalue)."""
    s, most = min(p, q), max(p, q)
    statistic = (values / (1 + values)).sum()
    lacking = (1 / (1 + values)).sum() + s - len(values)  # s less the statistic, with all digits
    df_num, df_den = s * most, s * (df - p + s)
    with np.errstate(divide="ignore"):
        return f_test(statistic, statistic / lacking * df_den / df_num, df_num, df_den)


def hotelling_lawley(values: Floats, p: int, q: int, df: float) -> FTest:
    """Return Hotelling and Lawley's trace, the sum of the eigenvalues, with Pillai's F."""
    s, most = min(p, q), max(p, q)
    statistic, df_num, df_den = values.sum(), s * most, s * (df - p - 1) + 2
    return f_test(statistic, statistic / s * df_den / df_num, df_num, df_den)


def roy(values: Floats, p: int, q: int, df: float) -> FTest:
    """Return Roy's largest eigenvalue, with an upper bound of F."""
    most = max(p, q)
    df_den = df - most + q
    return f_test(values[0], values[0] * df_den / most, most, df_den)


def canonical_tests(separation: Separation) -> list[CanonicalTest]:
    """Return the canonical axes, each with the test of itself and those after it."""
    values = separation.eigenvalues()
    p, q, df = separation.n_features, separation.df_between, separation.df_within
    w = df - (p - q + 1) / 2  # the same for all, as Bartlett's factor
    total, tests = values.sum(), []
    for axis, value in enumerate(values):
        log_lambda = float(-np.log1p(values[axis:]).sum())
        test = rao(log_lambda, p - axis, q - axis, w)
        chi2, chi2_df = -w * log_lambda, (p - axis) * (q - axis)
        tail = chi2_tail(chi2, chi2_df)
        tests.append(
            CanonicalTest(
                float(np.sqrt(value / (1 + value))),
                float(value),
                float(value / total) if total > 0 else 0.0,
                test.statistic,
                *test[1:],
                chi2,
                chi2_df,
                float(tail.p_value),
                float(tail.log_p_value),
            )
        )
    return tests


def pair_tests(separation: Separation) -> PairTests:
    """Return distances between class means, and whether they are more than chance."""
    counts, d, df = separation.counts, separation.n_features, separation.df_within
    means = separation.whitened / np.sqrt(counts)[:, np.newaxis]
    apart = means[:, np.newaxis] - means
    with np.errstate(over="ignore"):
        squares = df * np.square(apart).sum(axis=2)
    df_den = df - d + 1
    shares = 1 / (1 / counts[:, np.newaxis] + 1 / counts)
    f = shares * squares * (df_den / (d * df))
    np.fill_diagonal(f, np.nan)  # a class is not tested against itself
    tail = f_tail(f, d, df_den)
    return PairTests(squares, f, d, df_den, tail.p_value, tail.log_p_value)


def column_tests(moments: Moments) -> ColumnTests:
    """Return an analysis of variance for each column."""
    counts = moments.counts
    df_num, df_den = len(counts) - 1, float(counts.sum()) - len(counts)
    if df_den < 1:
        raise ValueError(
            f"Analyses of variance need more rows than classes, {len(counts)}; got "
            f"{counts.sum():.15g}. Give more rows."
        )
    within = squares_within(moments)
    deviations = weighted_deviations(moments)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        ratio = np.square(deviations / np.sqrt(within)).sum(axis=0)
        f = ratio * (df_den / df_num)
        share = np.where(np.isinf(ratio), 1.0, ratio / (1 + ratio))
    tail = f_tail(f, df_num, df_den)
    return ColumnTests(f, df_num, df_den, tail.p_value, tail.log_p_value, share)


def squares_within(moments: Moments) -> Floats:
    """Return the sum of squares of each column about the means of the classes."""
    if moments.structure == "diag":
        return np.asarray(moments.scatter.sum(axis=0))
    return np.asarray(np.diag(moments._to("tied").scatter))


def validate_moments(moments: Moments) -> Moments:
    """Return the classes that have rows; refuse moments by which nothing can be tested."""
    if moments.n_rows == 0:
        raise ValueError(
            "Tests need rows, of which there are none here: a model that was given has seen none. "
            "Use Moments.from_data(X, y).separation_tests()."
        )
    if moments.has_gaps:
        raise ValueError(
            "Tests need complete rows, but values of these were missing. Leave incomplete rows out "
            "with Moments.from_data(X, y, missing='drop')."
        )
    seen = moments._with_classes(moments.counts > 0)
    check_counts(seen.counts, seen.class_rows, seen.classes)
    if len(seen.classes) < MIN_CLASSES:
        raise ValueError(
            f"Tests of separation need at least two classes with rows; got {len(seen.classes)} "
            "class. Give rows of another one."
        )
    return seen


def check_counts(counts: Floats, rows: NDArray[np.uint64], classes: NDArray[np.generic]) -> None:
    """Refuse weights that cannot be numbers of rows."""
    wrong = np.flatnonzero((counts != np.round(counts)) | (counts < rows))
    if len(wrong):
        first = wrong[0]
        raise ValueError(
            "Tests take a weight for a number of equal, independent rows; got a total weight of "
            f"{counts[first]:.15g} for the {rows[first]} rows of class {classes[first]}. Use "
            "weights that are whole numbers, or Moments.from_data(X, y) without weights."
        )
