"""MixedNB of given distributions of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from gauda._estimators.making import make_from_given, make_of
from gauda._statistics.given_columns import given_columns
from gauda._statistics.mixed import MixedStatistics
from gauda.naive_bayes._non_gaussian import NonGaussianNB
from gauda.typing import Labels, Priors


class GivenColumns(NonGaussianNB):
    """Base of `MixedNB`: how it is made of distributions that are known, and of statistics."""

    @classmethod
    def from_statistics(cls, statistics: MixedStatistics, **params: Any) -> Self:
        """Return an estimator fitted to statistics: the same as `fit` on their rows.

        Parameters
        ----------
        statistics : MixedStatistics
            Of rows of any number of batches; they tell the kinds of the columns.

        **params
            Parameters of the estimator.

        Returns
        -------
        Self
            The fitted estimator.

        Examples
        --------
        >>> from gauda import MixedNB, MixedStatistics
        >>> monday = MixedStatistics.from_data([[1.5, "red"], [2.5, "red"]], ["a", "a"])
        >>> tuesday = MixedStatistics.from_data([[7.0, "blue"], [5.0, "red"]], ["b", "b"])
        >>> MixedNB.from_statistics(monday + tuesday).predict([[6.0, "blue"]])
        array(['b'], dtype='<U1')
        """
        if not isinstance(statistics, MixedStatistics):
            raise TypeError(
                "from_statistics takes gauda.MixedStatistics; got "
                f"{type(statistics).__name__}. Make them with MixedStatistics.from_data."
            )
        if not statistics.class_count.any():
            raise ValueError("The statistics hold no rows; add some before they make a model.")
        return make_of(cls, "from_statistics", statistics, params)

    @classmethod
    def from_parameters(
        cls,
        columns: Mapping[Any, Any] | Sequence[Any],
        priors: Priors | None = None,
        classes: Labels | None = None,
        **params: Any,
    ) -> Self:
        """Return an estimator with given distributions of columns, which has seen no rows.

        Each class weighs as much as one row, should `partial_fit` bring rows.

        Parameters
        ----------
        columns : mapping by name, or sequence
            Each column: of numbers a tuple of their means and of their variances in the classes;
            of truth values the probabilities in the classes that it is true; of categories a
            mapping of levels to their probabilities in the classes, which sum to 1 in each.

        priors : array-like of shape (n_classes,), dict by class or 'uniform', default=None
            Priors of the classes; by default equal.

        classes : array-like of shape (n_classes,), default=None
            Labels, in the order of the values; by default 0, 1, ...

        **params
            Other parameters of the estimator. Those that would change the distributions are
            refused: `alpha` and `var_smoothing`, which are 0 here by default.

        Returns
        -------
        Self
            The estimator, ready to predict.

        Examples
        --------
        >>> import pandas as pd
        >>> from gauda import MixedNB
        >>> columns = {
        ...     "weight": ([1.0, 3.0], [1.0, 1.0]),
        ...     "wings": [0.5, 0.5],
        ...     "color": {"red": [0.75, 0.25], "blue": [0.25, 0.75]},
        ... }
        >>> nb = MixedNB.from_parameters(columns, classes=["ant", "bee"])
        >>> nb.predict_proba(pd.DataFrame({"weight": [2.0], "wings": [True], "color": ["red"]}))
        array([[0.75, 0.25]])
        """
        statistics, given = given_columns(columns, priors, classes)
        exact = {"alpha": 0.0, "var_smoothing": 0.0}
        return make_from_given(cls, statistics, given, exact, params, "Distributions")
