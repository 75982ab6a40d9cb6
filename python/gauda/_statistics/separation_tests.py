"""Tests of separation, computed when first read, and the tables that show them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from gauda._statistics import separation
from gauda._statistics.equal_covariances import BoxM, box_m
from gauda._statistics.features import written_names
from gauda._statistics.separation import (
    CanonicalTest,
    ColumnTests,
    FTest,
    PairTests,
    Separation,
    separation_of,
    validate_moments,
)
from gauda._statistics.separation_tables import MULTIVARIATE, p_text, tables
from gauda._support.arrays import Floats, Indices
from gauda._support.optional import need
from gauda._support.tables import align, as_text, format_or_explain, html_table, sizes_text

if TYPE_CHECKING:
    from pandas import DataFrame

    from gauda._statistics.moments import Moments


@dataclass(frozen=True, eq=False, repr=False)
class SeparationTests:
    """Whether and where class means differ, as multivariate analysis of variance tells.

    The tests assume independent rows, Gaussian in each class, with one covariance for all; `box_m`
    tests the last of these. What moments do not hold is refused when it is read: the tests of
    several columns need products of columns ('full' or 'tied' moments), Box's M 'full' ones.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels of the classes that have rows.

    wilks, pillai, hotelling_lawley, roy : FTest
        Tests that all class means are equal: `statistic`, `f`, `df_num`, `df_den`, `p_value` and
        `log_p_value`, the approximations by F as in R's `summary.manova`. Wilks' is exact for up to
        three classes or two columns. Roy's F is an upper bound, so its p-value is a lower one. F
        is NaN where too few rows leave it no degrees of freedom.

    canonical : list of CanonicalTest
        For each axis `correlation`, `eigenvalue` and `proportion`, and the test that this axis and
        those after it separate nothing: `wilks`, Rao's `f`, `df_num`, `df_den`, `p_value` and
        `log_p_value`, and Bartlett's `chi2`, `chi2_df`, `chi2_p_value` and `chi2_log_p_value`.

    canonical_correlations : ndarray of shape (min(n_classes - 1, n_features),)
        Of the axes with the classes, largest first.

    pairs : PairTests
        For each two classes the squared `mahalanobis` distance of their means by the pooled
        covariance (divisor n - n_classes), with `f`, `df_num`, `df_den`, `p_value` and
        `log_p_value`; NaN on the diagonal of the tests.

    univariate : ColumnTests
        For each column alone `f`, `df_num`, `df_den`, `p_value`, `log_p_value` and `r_squared`.

    box_m : BoxM
        Test of equal covariances.
    """

    classes: NDArray[Any]
    _moments: Moments = field(repr=False)
    _features: list[str] = field(repr=False)

    @cached_property
    def _separation(self) -> Separation:
        if self._moments.structure == "diag":
            raise ValueError(
                "Tests of several columns together need products of columns, which 'diag' moments "
                "do not hold: use Moments.from_data(X, y).separation_tests(). The tests of single "
                "columns are in univariate."
            )
        return separation_of(self._moments)

    def _test(self, name: str) -> FTest:
        found = self._separation
        sizes = found.n_features, found.df_between, found.df_within
        test: FTest = getattr(separation, name)(found.eigenvalues(), *sizes)
        return test

    @cached_property
    def wilks(self) -> FTest:
        """Wilks' lambda: the share of variance within classes, in all directions together."""
        return self._test("wilks")

    @cached_property
    def pillai(self) -> FTest:
        """Pillai's trace: the sum of the squared canonical correlations."""
        return self._test("pillai")

    @cached_property
    def hotelling_lawley(self) -> FTest:
        """Hotelling and Lawley's trace: the sum of the eigenvalues."""
        return self._test("hotelling_lawley")

    @cached_property
    def roy(self) -> FTest:
        """Roy's largest root: the first eigenvalue."""
        return self._test("roy")

    @cached_property
    def canonical(self) -> list[CanonicalTest]:
        """Canonical axes with sequential tests."""
        return separation.canonical_tests(self._separation)

    @property
    def canonical_correlations(self) -> Floats:
        """Correlations of the canonical axes with the classes."""
        return np.array([axis.correlation for axis in self.canonical])

    @cached_property
    def pairs(self) -> PairTests:
        """Distances between class means, and their tests."""
        return separation.pair_tests(self._separation)

    @cached_property
    def univariate(self) -> ColumnTests:
        """Analyses of variance, one for each column."""
        return separation.column_tests(self._moments)

    @cached_property
    def box_m(self) -> BoxM:
        """Box's M test of equal covariances."""
        return box_m(self._moments)

    def to_frame(
        self, part: Literal["multivariate", "canonical", "pairs", "univariate"] = "multivariate"
    ) -> DataFrame:
        """Return one of the tables as a pandas DataFrame.

        Parameters
        ----------
        part : {'multivariate', 'canonical', 'pairs', 'univariate'}, default='multivariate'
            Which table: tests of all columns, canonical axes, pairs of classes, single columns.

        Returns
        -------
        DataFrame
            A row for each test, axis, pair or column.

        Examples
        --------
        >>> from gauda import Moments
        >>> moments = Moments.from_data([[0.0], [2.0], [5.0], [9.0]], ["a", "a", "b", "b"])
        >>> moments.separation_tests().to_frame()[["statistic", "f"]].round(3).loc["wilks"].tolist()
        [0.217, 7.2]
        """
        pd = need("pandas", extra="pandas")
        if part == "multivariate":
            rows = [getattr(self, name) for name in MULTIVARIATE]
            return pd.DataFrame(rows, index=pd.Index(MULTIVARIATE, name="test"))
        if part == "canonical":
            axes = pd.RangeIndex(1, len(self.canonical) + 1, name="axis")
            return pd.DataFrame(self.canonical, index=axes)
        if part == "pairs":
            first, second = np.triu_indices(len(self.classes), 1)
            labels = [self.classes[first], self.classes[second]]
            index = pd.MultiIndex.from_arrays(labels, names=["i", "j"])
            return pd.DataFrame(
                {
                    name: at_pairs(value, first, second)
                    for name, value in self.pairs._asdict().items()
                },
                index=index,
            )
        if part == "univariate":
            return pd.DataFrame(self.univariate._asdict(), pd.Index(self._features, name="column"))
        raise ValueError(
            f"part must be 'multivariate', 'canonical', 'pairs' or 'univariate'; got {part!r}."
        )

    def __repr__(self) -> str:
        return f"<SeparationTests of {self._sizes()}>"

    def __str__(self) -> str:
        parts = [f"Tests of separation: {self._sizes()}"]
        for title, header, rows, left in tables(self):
            table = align([header, *rows], left=left) if rows else header
            parts.append(f"{title}\n{table}")
        return "\n\n".join([*parts, f"Box's M  {format_or_explain(self._box_m_text)}"])

    def _repr_html_(self) -> str:
        parts = [f"<b>Tests of separation: {escape(self._sizes())}</b>"]
        for title, header, rows, left in tables(self):
            parts.append(escape(title))
            parts.append(
                html_table(rows, header, left) if rows else f"<p>{escape(str(header))}</p>"
            )
        parts.append(f"<p>Box's M: {escape(format_or_explain(self._box_m_text))}</p>")
        return "<div>" + "\n".join(parts) + "</div>"

    def _sizes(self) -> str:
        sizes = sizes_text(len(self.classes), self._moments.n_features)
        return f"{sizes}, {self._moments.counts.sum():.15g} rows"

    def _box_m_text(self) -> str:
        test = self.box_m
        p = p_text(test.p_value, test.log_p_value)
        return f"chi2 = {as_text(test.statistic)}, df = {test.df}, p = {p}"


def at_pairs(value: Any, first: Indices, second: Indices) -> Any:
    """Return the entries of a matrix for pairs; what is the same for all stays."""
    return value if np.ndim(value) == 0 else value[first, second]


def separation_tests(self: Moments) -> SeparationTests:
    """Return tests of whether and where class means differ.

    A weight counts as a number of equal rows, so weights must be whole numbers.

    Returns
    -------
    SeparationTests
        Wilks' lambda, the traces of Pillai and of Hotelling and Lawley, and Roy's largest root;
        canonical correlations with sequential tests; Mahalanobis distances between class means and
        analyses of variance of the columns, each with F and p; Box's M beside them. They are
        computed when first read; printed, or shown in a notebook, they make tables.

    Examples
    --------
    >>> from gauda import Moments
    >>> moments = Moments.from_data([[0.0], [2.0], [5.0], [9.0]], ["a", "a", "b", "b"])
    >>> tests = moments.separation_tests()
    >>> round(tests.wilks.f, 6), round(tests.wilks.p_value, 4)
    (7.2, 0.1153)
    >>> tests.pairs.mahalanobis[0, 1].round(6)
    np.float64(7.2)
    """
    checked = validate_moments(self)
    features = written_names(checked.feature_names, checked.n_features)
    return SeparationTests(checked.classes, checked, features)
