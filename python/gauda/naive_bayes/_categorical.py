"""Naive Bayes on columns of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags

from gauda import _core
from gauda._data.sklearn_private import Interval, StrOptions
from gauda._estimators.learner import Estimates
from gauda._estimators.making import make_from_given
from gauda._estimators.state import Current, FittedAttribute, Solution
from gauda._scoring.rules import Reject
from gauda._statistics.counts import Counts
from gauda._statistics.given_columns import given_counts
from gauda._statistics.tables import widen_table
from gauda._support.arrays import Floats, Indices
from gauda._support.errors import Names
from gauda.naive_bayes import _categorical_rows, _category_parameters, _column_rows
from gauda.naive_bayes._categorical_rows import named_levels
from gauda.naive_bayes._column_rows import ModelOfColumns
from gauda.naive_bayes._discrete import (
    DiscreteNB,
    log_shares,
)
from gauda.naive_bayes._parts import of_columns
from gauda.typing import ClassWeight, Costs, HandleUnknown, Labels, Missing, Priors, RejectLabel


@dataclass(eq=False, repr=False)
class CategoricalNB(DiscreteNB, saved_as="CategoricalNB"):
    """Naive Bayes on columns of categories: numbers 0, 1, 2, ..., text, or levels of any name.

    Takes the place of scikit-learn's class of this name. Columns of numbers and truth values hold
    the indices of categories, as there; the categories of other columns are what they hold: text,
    and the levels of categoricals, enums and dictionaries of pandas, polars and Arrow, as many as
    the fit finds. With N of the n rows of a class in one of m categories, its probability is
    estimated as

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
        The least number of categories of each column; by default those up to the highest seen, or
        those that were found. Where categories have names, one that the fit did not see takes the
        place of one that is still free; drawn by `sample`, it is None.

    prior_a : float, array-like of shape (n_features,) or list of arrays, default=None
        Parameters of a Dirichlet prior on the probabilities, at least 1, in place of `alpha`.

    handle_unknown : {'error', 'ignore'}, default='error'
        Whether a category beyond those of the fit is refused when rows are scored, or the column
        left out for that row.

    missing : {'raise', 'marginalize', 'propagate', 'drop'}, default='raise'
        How missing entries (NaN, None) are handled. 'raise' refuses them; 'marginalize' leaves them
        out of the counts of their columns, and of scores; 'propagate' answers NaN, and the reject
        label, for a row with any when it is scored, and refuses them in fits; 'drop' leaves rows
        with any out of fits, and says how many, and refuses them when rows are scored.

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
    categories_ : dict
        By index of a column its categories, sorted, where they have names; of others they are the
        numbers 0, 1, 2, ....

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

    Categories may have names:

    >>> nb = CategoricalNB().fit([["red", "S"], ["red", "M"], ["blue", "M"]], ["a", "a", "b"])
    >>> nb.categories_
    {0: ['blue', 'red'], 1: ['M', 'S']}
    >>> nb.predict([["blue", "M"]])
    array(['b'], dtype='<U1')
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
    _decided = staticmethod(attrgetter("class_prior", "handle_unknown", "missing"))
    _reads_tables = True
    _leaves_out = True

    categories_ = FittedAttribute[dict[Any, list[Any]]]()
    category_count_ = FittedAttribute[list[Floats]]()
    n_categories_ = FittedAttribute[Indices]()

    _: KW_ONLY
    alpha: float | ArrayLike = 1.0
    force_alpha: bool = True
    fit_prior: bool = True
    class_prior: Priors | None = None
    min_categories: int | ArrayLike | None = None
    prior_a: float | ArrayLike | None = None
    handle_unknown: HandleUnknown = "error"
    missing: Missing = "raise"
    class_weight: ClassWeight = None
    cost: Costs | None = None
    reject: Reject = None
    reject_label: RejectLabel = None
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
        return make_from_given(cls, counts, given, {"alpha": 0.0}, params, "Probabilities")

    def _solve(self, statistics: Counts, estimates: Estimates) -> Solution:  # noqa: ARG002 (counts are all)
        n_features = statistics.n_features
        seen = np.array([table.shape[1] for table in statistics.category_count], dtype=np.int64)
        alphas = self._pseudo_counts(n_features)
        n_categories = np.maximum(seen, self._min_categories(n_features), dtype=np.int64)
        n_categories = np.maximum(n_categories, [np.size(alpha) for alpha in alphas])
        _category_parameters.refuse_too_many(n_categories, len(statistics.classes))
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
            log_prior,
            log_prob,
            may_miss=self.missing == "marginalize",
            ignores_unknown=self.handle_unknown == "ignore",
        )
        return Solution(
            ModelOfColumns(core),
            {
                "categories_": named_levels(statistics),
                "category_count_": category_count,
                "feature_log_prob_": log_prob,
                "n_categories_": n_categories,
            },
        )

    def _parameters_of_part(self, current: Current, columns: Indices) -> dict[str, Any]:  # noqa: ARG002 (columns are all)
        names = ("alpha", "prior_a", "min_categories")
        return {name: of_columns(getattr(self, name), columns) for name in names}

    def _log_tables(self, current: Current) -> list[Floats]:
        tables: list[Floats] = current.attributes["feature_log_prob_"]
        return tables

    def _column_sums(self, current: Current) -> list[Any]:
        n_features = current.n_features
        alphas, kept = self._pseudo_counts(n_features), self._min_categories(n_features).tolist()
        sums: list[Any] = []
        columns = zip(self._tables(current, current.statistics), alphas, kept, strict=True)
        named = current.attributes["categories_"]
        for column, (table, alpha, least) in enumerate(columns):
            width = table.shape[1]
            forgotten = np.zeros(width, dtype=bool)
            fixed = max(least, np.size(alpha))
            first = 0 if column in named else -1  # a number goes only if no higher one is left
            forgotten[first:] = self.handle_unknown == "ignore" and width > fixed
            sums.append((table, np.broadcast_to(alpha, width).tolist(), forgotten.tolist()))
        return sums

    _min_categories = _category_parameters.min_categories
    _pseudo_counts = _category_parameters.pseudo_counts
    _fitting = _category_parameters.fitting
    _tables = _categorical_rows.tables
    _check_rows = _categorical_rows.check_rows
    _batch = _categorical_rows.batch
    _estimate = _categorical_rows.estimate
    _rows = _categorical_rows.rows_of
    _batch_rows = _categorical_rows.batch_rows
    _few_rows = _categorical_rows.few_rows
    _no_rows = _column_rows.no_rows
    _text_columns = _column_rows.text_columns_of
    _explain = _categorical_rows.explain
    _entries = _categorical_rows.entries
    _completed = _categorical_rows.fill_rows
    _row_of = _categorical_rows.row_of
    _code_columns = _categorical_rows.code_columns
    _row_at = _categorical_rows.row_at
    _as_row = _column_rows.as_row
    _level_names = _categorical_rows.level_names

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags
