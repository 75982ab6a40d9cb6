"""Which columns a classifier should be given: a search step by step."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from gauda._data.frames import as_table
from gauda._data.sklearn_private import HasMethods, Interval, StrOptions, checks_parameters
from gauda._statistics.base import Statistics
from gauda._statistics.features import written_names
from gauda._support.arrays import Mask
from gauda._support.tables import align, as_text
from gauda.model_selection._column_criteria import criterion_of, statistics_for
from gauda.model_selection._cross_validated import HeldOutRows
from gauda.model_selection._selection_data import SelectionData
from gauda.model_selection._steps import Step, search
from gauda.typing import Columns, Labels, MatrixLike, Source, Splits, Target, Weights

BY_ROWS = ("log_loss", "accuracy")
SCORES = {"f": "Wilks", "bic": "BIC", "log_loss": "log-loss", "accuracy": "accuracy"}


@dataclass(eq=False, repr=False)
class ColumnSelector(SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Choose columns for a classifier: one enters or leaves at each step.

    A selector of scikit-learn's kind, for pipelines. With criterion='f' and 'bic' all steps follow
    from one pass over the rows. With 'log_loss' and 'accuracy' the classifier is fitted once for
    each split, and sets of columns are judged by its marginals; where these are not what a fit to
    the set would give (shrinkage, a conjugate prior, searches, classifiers of other packages), it
    is fitted to each set.

    Parameters
    ----------
    estimator : classifier
        What the columns are for. For 'f' and 'bic' a classifier of gauda.

    direction : {'forward', 'backward', 'stepwise'}, default='forward'
        Columns enter one by one ('forward'), leave one by one ('backward'), or enter and may leave
        again ('stepwise').

    criterion : {'f', 'log_loss', 'accuracy', 'bic'}, default='f'
        'f' is the F of partial Wilks' lambda, as in SAS's STEPDISC. 'log_loss' and 'accuracy' are
        those of held-out rows. 'bic' is that of a model in which the columns chosen differ between
        classes, and the others depend on these alone, the same in all classes; it takes LDA, QDA,
        RDA of one of these structures, and naive Bayes, but not that of terms.

    n_columns : int, default=None
        Stop at so many columns, whatever the criterion says; by default when no step is worth it.

    f_to_enter, f_to_remove : float, default=None
        A column enters with at least, and leaves with less than, this F. By default the F whose
        p-value is 0.15, SAS's defaults for entry and stay.

    cv : int, cross-validation generator or iterable, default=5
        Splits for 'log_loss' and 'accuracy', as of scikit-learn.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,)
        Which columns are chosen.

    n_features_to_select_ : int
        How many.

    path_ : list of Step
        Each with `action` ('enter' or 'remove'), `column`, `name`, `statistic` (F, or how much the
        score gains or loses), `p_value` (of F) and `score` after the step: Wilks' lambda, log-loss,
        accuracy, or BIC less that without columns. Backward searches start with all columns.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if the data had names.

    See Also
    --------
    gauda.pictures.SelectionPathDisplay : A picture of `path_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gauda import LDA
    >>> from gauda.model_selection import ColumnSelector
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = ColumnSelector(LDA(), "stepwise").fit(X, y)
    >>> [(step.name, round(step.statistic, 2)) for step in selector.path_]
    [('x2', 1180.16), ('x1', 43.04), ('x3', 34.57), ('x0', 4.72)]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict_proba"])],
        "direction": [StrOptions({"forward", "backward", "stepwise"})],
        "criterion": [StrOptions({"f", "log_loss", "accuracy", "bic"})],
        "n_columns": [Interval(Integral, 1, None, closed="left"), None],
        "f_to_enter": [Interval(Real, 0, None, closed="left"), None],
        "f_to_remove": [Interval(Real, 0, None, closed="left"), None],
        "cv": ["cv_object"],
    }

    estimator: BaseEstimator
    direction: Literal["forward", "backward", "stepwise"] = "forward"
    criterion: Literal["f", "log_loss", "accuracy", "bic"] = "f"
    n_columns: int | None = None
    f_to_enter: float | None = None
    f_to_remove: float | None = None
    cv: Splits = 5

    @checks_parameters
    def fit(self, X: MatrixLike, y: Labels, sample_weight: Weights | None = None) -> Self:
        """Choose columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or DataFrame
            Rows.

        y : array-like of shape (n_samples,)
            Labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights. For 'f' they must be numbers of rows.

        Returns
        -------
        Self
            The fitted selector.

        Examples
        --------
        >>> from gauda import GaussianNB
        >>> from gauda.model_selection import ColumnSelector
        >>> X, y = [[0, 7], [1, 8], [5, 7], [6, 8]], [0, 0, 1, 1]
        >>> ColumnSelector(GaussianNB(), n_columns=1, criterion="bic").fit(X, y).get_support()
        array([ True, False])
        """
        table = rows_to_index(X)
        trial = clone(self, safe=False)
        check_limits(self)
        if self.criterion in BY_ROWS:
            data = SelectionData.of(table, y, sample_weight, self.cv)
            validate_data(trial, table, reset=True, skip_check_array=True)
            judge: Any = HeldOutRows(self.estimator, data, self.criterion)
        else:
            statistics = statistics_for(self.estimator, self.criterion, table, y, sample_weight)
            validate_data(trial, table, reset=True, skip_check_array=True)
            judge = criterion_of(self, statistics)
        names = getattr(trial, "feature_names_in_", None)
        return self._search(judge, names, trial.n_features_in_)

    @checks_parameters
    def fit_statistics(self, statistics: Statistics) -> Self:
        """Choose columns by sums of rows, for criterion='f' and 'bic'.

        Parameters
        ----------
        statistics : Moments, Counts or MixedStatistics
            Of the kind that the estimator is made of.

        Returns
        -------
        Self
            The fitted selector.

        Examples
        --------
        >>> from gauda import LDA, Moments
        >>> from gauda.model_selection import ColumnSelector
        >>> moments = Moments.from_data([[0, 7], [1, 8], [5, 7], [6, 8]], [0, 0, 1, 1])
        >>> ColumnSelector(LDA()).fit_statistics(moments).get_support()
        array([ True, False])
        """
        check_limits(self)
        if self.criterion in BY_ROWS:
            raise ValueError(
                f"criterion={self.criterion!r} needs rows, which sums do not hold. Use 'f' or "
                "'bic', or fit."
            )
        judge = criterion_of(self, statistics)
        return self._search(judge, statistics.feature_names, statistics.n_features)

    def fit_stream(
        self,
        source: Source,
        *,
        target: Target = None,
        features: Columns | None = None,
        exclude: Columns | None = None,
        sample_weight: Weights | None = None,
        **options: Any,
    ) -> Self:
        """Choose columns of a stream of rows, for criterion='f' and 'bic'.

        Parameters
        ----------
        source : path, array, Arrow stream or iterable
            As for `Moments.from_stream`, as are the columns and how they are read.

        target : str, int or array-like, default=None
            The column of labels.

        features, exclude : sequence of str or int, default=None
            The columns to choose from, or those not to.

        sample_weight : str, int or array-like, default=None
            The column of weights.

        **options
            How the stream is read: `batch_rows`, `delimiter`, `n_threads`, `progress`.

        Returns
        -------
        Self
            The fitted selector.

        Examples
        --------
        >>> from gauda import LDA
        >>> from gauda.model_selection import ColumnSelector
        >>> batches = [([[0, 7], [1, 8]], [0, 0]), ([[5, 7], [6, 8]], [1, 1])]
        >>> ColumnSelector(LDA()).fit_stream(iter(batches)).get_support()
        array([ True, False])
        """
        check_limits(self)
        columns = {"features": features, "exclude": exclude, "sample_weight": sample_weight}
        given = {name: value for name, value in columns.items() if value is not None}
        statistics = statistics_for(
            self.estimator, self.criterion, source, target=target, **given, **options
        )
        self.fit_statistics(statistics)
        return self

    def _search(self, judge: Any, names: NDArray[Any] | None, n_features: int) -> Self:
        """Take the steps, then become fitted."""
        check_number(self.n_columns, n_features)
        path = search(judge, self.direction, self.n_columns, written_names(names, n_features))
        self.path_: list[Step] = path
        self.support_: Mask = judge.inside.copy()
        self.n_features_to_select_ = int(self.support_.sum())
        self.n_features_in_ = n_features
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def _get_support_mask(self) -> Mask:
        check_is_fitted(self, "support_")
        return self.support_

    def path_table(self) -> str:
        """Return `path_` as a table in text.

        Returns
        -------
        str
            A line for each step.

        Examples
        --------
        >>> from gauda import LDA
        >>> from gauda.model_selection import ColumnSelector
        >>> X, y = [[0, 7], [1, 8], [5, 7], [6, 8]], [0, 0, 1, 1]
        >>> print(ColumnSelector(LDA()).fit(X, y).path_table())
        step  action  column   F        p    Wilks
        1     enter   x0      50  0.01942  0.03846
        """
        check_is_fitted(self, "support_")
        statistic = "F" if self.criterion == "f" else "change"
        header = ("step", "action", "column", statistic, "p", SCORES[self.criterion])
        rows = [
            (
                number,
                step.action,
                step.name,
                as_text(step.statistic),
                "" if np.isnan(step.p_value) else as_text(step.p_value),
                as_text(step.score),
            )
            for number, step in enumerate(self.path_, start=1)
        ]
        return align([header, *rows], left=3)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.target_tags.required = True
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.input_tags.string = inner.input_tags.string
        tags.input_tags.categorical = inner.input_tags.categorical
        tags.input_tags.positive_only = inner.input_tags.positive_only
        return tags


def rows_to_index(X: Any) -> Any:
    """Return X as a table whose rows and columns can be taken by their indices."""
    if hasattr(X, "tocsr"):
        return X.tocsr()
    table = as_table(X)
    return table if hasattr(table, "shape") else np.asarray(table)


def check_limits(selector: ColumnSelector) -> None:
    """Refuse limits of F where F decides nothing, or which would let a column go in circles."""
    enter, remove = selector.f_to_enter, selector.f_to_remove
    if selector.criterion != "f" and (enter is not None or remove is not None):
        raise ValueError(
            f"f_to_enter and f_to_remove are for criterion='f'; got {selector.criterion!r}. Leave "
            "them out."
        )
    if enter is not None and remove is not None and remove > enter:
        raise ValueError(
            f"f_to_remove must be at most f_to_enter, or a column would leave as it enters; got "
            f"{remove} and {enter}."
        )


def check_number(n_columns: int | None, n_features: int) -> None:
    """Refuse more columns than there are."""
    if n_columns is not None and n_columns > n_features:
        raise ValueError(f"n_columns must be at most {n_features}, all columns; got {n_columns}.")
