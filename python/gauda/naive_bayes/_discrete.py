"""How discrete naive Bayes learns: every model is a function of counts, wherever they came from."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gauda._data.discrete_rows import Rows, labelled_rows, rows_for
from gauda._data.sklearn_private import Interval, StrOptions, fit_context
from gauda._data.training import LabelledRows, check_forget, plain_labels
from gauda._estimators.classifier import MOST_THREADS, drop_fitted
from gauda._estimators.lookup import LookupClassifier, classes_of_batches
from gauda._statistics.counts import Counts
from gauda._statistics.priors import given_priors, normalised, warn_of_priors
from gauda._storage.format import Arrays
from gauda._storage.saveable import Saveable, joined, part_of
from gauda._support.states import builds_aside, joins_state, reads_one_state
from gauda._support.warning import warn_caller

LEAST_ALPHA = 1e-10


class DiscreteNB(Saveable, LookupClassifier):
    """Base of the classifiers: rows become counts, counts become the model."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        "force_alpha": ["boolean"],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", dict, StrOptions({"uniform"}), None],
        "n_threads": [Interval(Integral, 1, MOST_THREADS, closed="both"), None],
    }
    _kind: ClassVar[str]
    """Of the counts."""
    _takes_sparse: ClassVar[bool] = False
    _statistics: ClassVar[tuple[str, ...]] = ("_counts",)
    """Attributes that hold statistics of the rows seen."""

    alpha: float | ArrayLike
    force_alpha: bool
    fit_prior: bool
    class_prior: ArrayLike | None
    n_features_in_: int
    _counts: Counts

    @fit_context(prefer_skip_nested_validation=True)
    @builds_aside
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Until the fit is complete, other threads are answered by the model before.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.

        y : array-like of shape (n_samples,)
            Labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 counts like two rows.

        Returns
        -------
        Self
            The fitted estimator.

        Examples
        --------
        >>> from gauda import CategoricalNB
        >>> nb = CategoricalNB().fit([[0], [1], [1]], ["a", "b", "b"], sample_weight=[3, 1, 1])
        >>> nb.class_count_
        array([3., 2.])
        """
        self._forget()
        self._take(self._count(*self._labelled(X, y, sample_weight, reset=True)))
        warn_of_priors(self.class_prior)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    @joins_state
    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: Any = None,
        *,
        forget: float = 1.0,
    ) -> Self:
        """Fit the model to one more batch of rows.

        Batches one after another give the model of all rows together. A category that a batch is
        the first to hold counts as 0 times in those before.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.

        y : array-like of shape (n_samples,)
            Labels. A batch need not hold rows of every class.

        classes : array-like of shape (n_classes,), default=None
            All labels that will ever appear; must be given in the first call.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 counts like two rows.

        forget : float, default=1.0
            The weight of all earlier rows is multiplied by this, from 0 to 1: below 1 the model
            follows data that drift, and 0 forgets them.

        Returns
        -------
        Self
            The fitted estimator.

        Examples
        --------
        >>> from gauda import CategoricalNB
        >>> nb = CategoricalNB().partial_fit([[0]], ["a"], classes=["a", "b"])
        >>> nb.partial_fit([[2]], ["b"]).category_count_
        [array([[1., 0., 0.],
               [0., 0., 1.]])]
        """
        first = "_counts" not in vars(self)
        known = classes_of_batches(classes, None if first else self._counts.classes)
        check_forget(forget)
        batch = self._count(*self._labelled(X, y, sample_weight, reset=first))._among(known)
        self._take(batch if first else self._counts * forget + batch)
        if first:
            warn_of_priors(self.class_prior)
        return self

    @classmethod
    def from_counts(cls, counts: Counts, **params: Any) -> Self:
        """Return an estimator fitted to counts: the same as `fit` on their rows.

        Parameters
        ----------
        counts : Counts
            Of the kind that the model needs.

        **params
            Parameters of the estimator.

        Returns
        -------
        Self
            The fitted estimator.

        Examples
        --------
        >>> from gauda import BernoulliNB, Counts
        >>> counts = Counts.from_data([[1, 0], [0, 1]], [7, 8], kind="bernoulli")
        >>> BernoulliNB.from_counts(counts, alpha=0.5).predict([[0, 1]])
        array([8])
        """
        if not isinstance(counts, Counts):
            raise TypeError(
                f"from_counts takes gauda.Counts, got {type(counts).__name__}. Make them with "
                "Counts.from_data."
            )
        estimator = cls._made_of(counts, params)
        warn_of_priors(estimator.class_prior)
        return estimator

    @classmethod
    def _made_of(cls, counts: Counts, params: dict[str, Any]) -> Self:
        """Return an estimator fitted to counts, without a warning."""
        if counts.kind != cls._kind:
            raise ValueError(
                f"{cls.__name__} needs counts of kind {cls._kind!r}, got {counts.kind!r} ones. "
                f"Make them with kind={cls._kind!r}."
            )
        if not counts.class_count.any():
            raise ValueError("The counts hold no rows; add some before a model is made of them.")
        estimator = cls(**params)
        estimator._validate_params()
        estimator._take(counts)
        return estimator

    @property
    def counts_(self) -> Counts:
        """Counts of the rows that were seen."""
        if "_counts" not in vars(self):
            raise AttributeError(f"This {type(self).__name__} has seen no rows yet; call fit.")
        return self._counts

    def __sklearn_is_fitted__(self) -> bool:
        return "_counts" in vars(self)

    def _forget(self) -> None:
        """Drop what an earlier fit left."""
        drop_fitted(self, {"_counts", "_models"})

    def _labelled(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[Rows, LabelledRows]:
        return labelled_rows(self, X, y, sample_weight, sparse=self._takes_sparse, reset=reset)

    def _count(self, rows: Rows, data: LabelledRows) -> Counts:
        return Counts._of(rows, data, self._kind)

    def _take(self, counts: Counts) -> None:
        """Become the model of counts."""
        self._counts = counts
        self.n_features_in_ = counts.n_features
        if counts.feature_names is not None:
            self.feature_names_in_ = counts.feature_names
        self.classes_ = plain_labels(counts.classes)
        self.class_count_ = counts.class_count
        self._describe(counts)
        self.class_log_prior_ = self._log_prior()
        self._models = {}

    @abstractmethod
    def _describe(self, counts: Counts) -> None:
        """Set the attributes that follow from counts of levels."""

    def _log_prior(self) -> NDArray[np.float64]:
        """Return the logarithms of the priors, as they are given or counted."""
        n_classes = len(self.classes_)
        if self.class_prior is not None:
            given = given_priors(self.class_prior, self.classes_, "class_prior")
            return logarithm(normalised(given))
        if self.fit_prior:
            total = self.class_count_.sum()
            return logarithm(self.class_count_) - float(np.log(total))
        return np.full(n_classes, -np.log(n_classes))

    def _check_alpha(self) -> Any:
        """Return alpha as a number or an array of one for each column, not too small."""
        if isinstance(self.alpha, Real):
            return self._large_enough(self.alpha)
        alpha = numbers("alpha", self.alpha)
        if alpha.ndim:
            check_columns("alpha", len(alpha), self.n_features_in_)
        check_pseudo_counts("alpha", alpha)
        return self._large_enough(alpha)

    def _large_enough(self, alpha: Any) -> Any:
        """Return alpha, raised if it is tiny and may be raised."""
        if self.force_alpha or np.min(alpha) >= LEAST_ALPHA:
            return alpha
        warn_caller(
            f"alpha too small will result in numeric errors, setting alpha = {LEAST_ALPHA:.1e}. Use"
            " `force_alpha=True` to keep alpha unchanged."
        )
        return np.maximum(alpha, LEAST_ALPHA)

    def _rows_to_score(self, X: Any) -> tuple[Rows, int]:
        rows = rows_for(X, self, sparse=self._takes_sparse)
        return rows, rows.shape[0]

    @reads_one_state
    def _state(self) -> tuple[Arrays, dict[str, Any]]:
        arrays, metadata = self.counts_._state()
        parameters = self.get_params(deep=False)
        return joined({"counts": arrays}), {"counts": metadata, "parameters": parameters}

    @classmethod
    def _from_state(cls, arrays: Arrays, metadata: dict[str, Any]) -> Self:
        counts = Counts._from_state(part_of(arrays, "counts"), metadata["counts"])
        return cls._made_of(counts, metadata["parameters"])


def logarithm(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return logarithms; that of 0 is -inf, without a warning."""
    with np.errstate(divide="ignore"):
        logs: NDArray[np.float64] = np.log(values)
    return logs


def log_shares(counts: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log(counts / total); where nothing was counted at all, -inf."""
    if not np.all(total < np.inf):
        raise ValueError("Counts and what is added to them are too large for a float. Use less.")
    with np.errstate(divide="ignore", invalid="ignore"):
        logs: NDArray[np.float64] = np.log(counts) - np.log(total)
    return np.where(total > 0, logs, -np.inf)


def numbers(name: str, value: Any) -> NDArray[np.float64]:
    """Return a parameter as an array of numbers."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be made of numbers, as many in each row: {error}") from error


def check_columns(name: str, given: int, needed: int) -> None:
    """Refuse another number of entries than of columns, in scikit-learn's words."""
    if given != needed:
        raise ValueError(
            f"When {name} is an array, it should contains `n_features`. Got {given} elements "
            f"instead of {needed}."
        )


def check_pseudo_counts(name: str, values: Any) -> None:
    """Refuse what no counts can be."""
    values = np.asarray(values, dtype=np.float64)
    if not np.all((values >= 0) & (values < np.inf)):
        raise ValueError(
            f"All values in {name} must be greater than 0. They must be finite, and 0 is allowed; "
            f"the least is {values.min():g}, the largest {values.max():g}."
        )
