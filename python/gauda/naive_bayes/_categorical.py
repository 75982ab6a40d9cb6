"""Naive Bayes on columns of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags

from gauda import _core
from gauda._data.sklearn_private import Interval, StrOptions
from gauda._estimators.learner import Estimates
from gauda._estimators.making import made_of_given
from gauda._estimators.state import Current, FittedAttribute, Solution
from gauda._scoring.rules import Reject
from gauda._statistics.counts import Counts
from gauda._statistics.given_columns import given_counts
from gauda._statistics.tables import widen_table
from gauda._support.errors import Names
from gauda.naive_bayes._discrete import (
    DiscreteNB,
    ModelOfRows,
    check_columns,
    check_pseudo_counts,
    log_shares,
    numbers,
)
from gauda.naive_bayes._parts import of_columns
from gauda.typing import ClassWeight, Costs, HandleUnknown, Labels, Priors


@dataclass(eq=False, repr=False)
class CategoricalNB(DiscreteNB, saved_as="CategoricalNB"):
    """Naive Bayes on columns of categories, numbered 0, 1, 2, ...

    Takes the place of scikit-learn's class of this name. With N of the n rows of a class in one of
    m categories, its probability is estimated as

        (N + alpha) / (n + m alpha)

    so that alpha = 0 gives maximum likelihood and alpha = 1 Laplace's rule. Under a Dirichlet(a_1,
    ..., a_m) prior the estimate of largest posterior is (N + a_c - 1) / (n + a_1 + ... + a_m - m):
    that is what `prior_a` gives, and alpha is the same as a_c = alpha + 1.

    Parameters
    ----------
    alpha : float, array-like of shape (n_features,) or list of arrays, default=1.0
        What is added to counts: one number, one for each column, or for each column an array with
        one for each category (and so many categories there are then at least).

    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to it, with a warning.

    fit_prior : bool, default=True
        Whether priors are the proportions of the data, or equal.

    class_prior : array-like of shape (n_classes,), dict by class or 'uniform', default=None
        Priors of the classes, whatever the data. If they do not sum to 1, they are renormalized
        with a warning.

    min_categories : int or array-like of shape (n_features,), default=None
        The least number of categories of each column; by default those up to the highest seen.

    prior_a : float, array-like of shape (n_features,) or list of arrays, default=None
        Parameters of a Dirichlet prior on the probabilities, at least 1, in place of `alpha`.

    handle_unknown : {'error', 'ignore'}, default='error'
        Whether a category beyond those of the fit is refused when rows are scored, or the column
        left out for that row.

    class_weight : dict or 'balanced', default=None
        Weight of each class in the fit, by which those of its rows are multiplied; a class that is
        not in the dict weighs 1. With 'balanced' all classes weigh alike, which only `fit` can do.

    cost : array-like of shape (n_classes, n_classes or n_classes + 1), or dict, default=None
        `cost[i, j]` is what decision j costs where class i is the truth, in the order of
        `classes_`; `predict` then returns the label of least expected cost. A further column is the
        cost of rejecting a row. By name: {truth: {decision: cost}}, with None for rejecting.

    reject : float or dict, default=None
        When `predict` returns `reject_label`: {'posterior': t} if the posterior of the label is
        below t (a float alone means this), {'cost': c} if no label is expected to cost c or less.
        Both may be given.

    reject_label : default=None
        Label of rejected rows; by default -1 for integers, NaN for floats, 'rejected' for text. A
        dict gives one for each class that a row would have, and under None that of rows without.

    n_threads : int, default=None
        Number of threads; by default GAUDA_NUM_THREADS, RAYON_NUM_THREADS, OMP_NUM_THREADS or all
        cores. Results do not depend on it. Calls run without Python's lock: other threads may use
        the estimator meanwhile, and the same arrays, but must not write to these.

    Attributes
    ----------
    category_count_ : list of n_features ndarrays of shape (n_classes, n_categories)
        Rows of each class and category, or their weight.

    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or their weight.

    class_log_prior_ : ndarray of shape (n_classes,)
        Logarithms of the priors.

    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.

    counts_ : Counts
        Counts of the rows that were seen.

    feature_log_prob_ : list of n_features ndarrays of shape (n_classes, n_categories)
        Logarithms of the probabilities of the categories.

    n_categories_ : ndarray of shape (n_features,)
        Number of categories of each column.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if the data had names.

    See Also
    --------
    gauda.BernoulliNB : Columns of two categories.
    gauda.MixedNB : Columns of different kinds, with categories of any name.

    Examples
    --------
    >>> from gauda import CategoricalNB
    >>> X = [[0, 2], [0, 1], [1, 2], [1, 0]]
    >>> nb = CategoricalNB(alpha=[1.0, 0.5]).fit(X, ["low", "low", "high", "high"])
    >>> nb.predict([[1, 2]])
    array(['high'], dtype='<U4')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DiscreteNB._parameter_constraints,
        "min_categories": [None, "array-like", Interval(Integral, 1, None, closed="left")],
        "prior_a": [None, Interval(Real, 1, None, closed="left"), "array-like"],
        "handle_unknown": [StrOptions({"error", "ignore"})],
    }
    shell_name = "categorical"
    _kind = "categorical"
    _independent_columns = True
    _has_polynomials = False
    _decided = staticmethod(attrgetter("class_prior", "handle_unknown"))

    category_count_ = FittedAttribute()
    n_categories_ = FittedAttribute()

    _: KW_ONLY
    alpha: float | ArrayLike = 1.0
    force_alpha: bool = True
    fit_prior: bool = True
    class_prior: Priors | None = None
    min_categories: int | ArrayLike | None = None
    prior_a: float | ArrayLike | None = None
    handle_unknown: HandleUnknown = "error"
    class_weight: ClassWeight = None
    cost: Costs | None = None
    reject: Reject = None
    reject_label: Any = None
    n_threads: int | None = None

    @classmethod
    def from_parameters(
        cls,
        probabilities: Sequence[ArrayLike],
        priors: Priors | None = None,
        classes: Labels | None = None,
        **params: Any,
    ) -> Self:
        """Return an estimator with given probabilities, which has seen no rows.

        Each class weighs as much as one row, should `partial_fit` bring rows.

        Parameters
        ----------
        probabilities : sequence of arrays of shape (n_classes, n_categories)
            For each column the probabilities of its categories, which sum to 1 in each class.

        priors : array-like of shape (n_classes,), dict by class or 'uniform', default=None
            Priors of the classes; by default equal.

        classes : array-like of shape (n_classes,), default=None
            Labels, in the order of the probabilities; by default 0, 1, ...

        **params
            Other parameters of the estimator. Those that would change the probabilities are
            refused: `alpha`, `prior_a` and `min_categories`; alpha is 0 here by default.

        Returns
        -------
        Self
            The estimator, ready to predict.

        Examples
        --------
        >>> from gauda import CategoricalNB
        >>> size = [[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]]
        >>> CategoricalNB.from_parameters([size]).predict_proba([[2]])
        array([[0.25, 0.75]])
        """
        counts, given = given_counts(cls._kind, probabilities, priors, classes)
        return made_of_given(cls, counts, given, {"alpha": 0.0}, params, "Probabilities")

    def _solve(self, statistics: Counts, estimates: Estimates) -> Solution:  # noqa: ARG002 (counts are all)
        n_features = statistics.n_features
        seen = np.array([table.shape[1] for table in statistics.category_count], dtype=np.int64)
        alphas = self._pseudo_counts(n_features)
        n_categories = np.maximum(seen, self._min_categories(n_features), dtype=np.int64)
        n_categories = np.maximum(n_categories, [np.size(alpha) for alpha in alphas])
        pairs = zip(statistics.category_count, n_categories.tolist(), strict=True)
        category_count = [widen_table(table, width) for table, width in pairs]
        names = Names("", statistics.classes, statistics.feature_names)
        smoothed = [
            count + self._fitting(alpha, count.shape[1], names.column(column))
            for column, (count, alpha) in enumerate(zip(category_count, alphas, strict=True))
        ]
        with np.errstate(over="ignore"):
            totals = [table.sum(axis=1, keepdims=True) for table in smoothed]
        log_prob = list(map(log_shares, smoothed, totals))
        log_prior = self._log_prior(statistics)
        core = _core.ColumnModel(
            log_prior, log_prob, may_miss=False, ignores_unknown=self.handle_unknown == "ignore"
        )
        return Solution(
            ModelOfRows(core),
            {
                "category_count_": category_count,
                "feature_log_prob_": log_prob,
                "n_categories_": n_categories,
            },
        )

    def _parameters_of_part(self, current: Current, columns: NDArray[np.intp]) -> dict[str, Any]:  # noqa: ARG002 (columns are all)
        names = ("alpha", "prior_a", "min_categories")
        return {name: of_columns(getattr(self, name), columns) for name in names}

    def _tables(self, current: Current, statistics: Counts) -> list[NDArray[np.float64]]:
        widths = current.attributes["n_categories_"].tolist()
        tables = zip(statistics.category_count, widths, strict=True)
        wide = [widen_table(table, width) for table, width in tables]
        unknown = [table.shape[1] > width for table, width in zip(wide, widths, strict=True)]
        if any(unknown):
            column = Names("", current.classes, current.feature_names).column(unknown.index(True))
            raise ValueError(
                f"Counts must be of the categories of the model; got others in column {column}. "
                "Fit with a larger min_categories."
            )
        return wide

    def _log_tables(self, current: Current) -> list[NDArray[np.float64]]:
        tables: list[NDArray[np.float64]] = current.attributes["feature_log_prob_"]
        return tables

    def _column_sums(self, current: Current) -> list[Any]:
        n_features = current.n_features
        alphas, kept = self._pseudo_counts(n_features), self._min_categories(n_features).tolist()
        sums: list[Any] = []
        columns = zip(self._tables(current, current.statistics), alphas, kept, strict=True)
        for table, alpha, least in columns:
            width = table.shape[1]
            forgotten = np.zeros(width, dtype=bool)
            fixed = max(least, np.size(alpha))
            forgotten[-1] = self.handle_unknown == "ignore" and width > fixed
            sums.append((table, np.broadcast_to(alpha, width).tolist(), forgotten.tolist()))
        return sums

    def _min_categories(self, n_features: int) -> NDArray[np.int64]:
        """Return the minimum number of categories of each column."""
        if self.min_categories is None:
            return np.ones(n_features, dtype=np.int64)
        least = np.array(self.min_categories)
        if not np.issubdtype(least.dtype, np.signedinteger):
            raise ValueError(
                f"'min_categories' should have integral type. Got {least.dtype} instead."
            )
        if least.shape not in {(), (n_features,)}:
            raise ValueError(
                f"'min_categories' should have shape ({n_features},) when an array-like "
                f"is provided. Got {least.shape} instead."
            )
        return np.broadcast_to(least, (n_features,))

    def _pseudo_counts(self, n_features: int) -> list[NDArray[np.float64]]:
        """Return what is added to the counts of each column: a number, or one for each category."""
        if self.prior_a is None:
            alphas = per_column("alpha", self.alpha, n_features)
            return [self._large_enough(alpha) for alpha in alphas]
        parameters = per_column("prior_a", self.prior_a, n_features)
        if any(np.any(parameter < 1) for parameter in parameters):
            raise ValueError(
                "prior_a must be at least 1, so that there is an estimate of largest posterior; "
                f"got {self.prior_a!r}."
            )
        return [parameter - 1.0 for parameter in parameters]

    def _fitting(self, alpha: NDArray[np.float64], width: int, column: str) -> NDArray[np.float64]:
        """Return what is added to the counts of a column; refuse too few for its categories."""
        if alpha.ndim and len(alpha) != width:
            name = "alpha" if self.prior_a is None else "prior_a"
            raise ValueError(
                f"Column {column} has {width} categories, but {name} has {len(alpha)} values for "
                "it. Give one for each category, or one for all."
            )
        return alpha

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


def per_column(name: str, value: Any, n_features: int) -> list[NDArray[np.float64]]:
    """Return a number for all columns as many, or what each column was given."""
    if isinstance(value, Real) or getattr(value, "ndim", 1) == 0:
        return [np.asarray(value, dtype=np.float64)] * n_features
    check_columns(name, len(value), n_features)
    columns = [numbers(name, column) for column in value]
    for column in columns:
        if column.ndim > 1 or column.size == 0:
            raise ValueError(
                f"{name} must hold for each column a number, or one for each category; got an "
                f"array of shape {column.shape}."
            )
        check_pseudo_counts(name, column)
    return columns
