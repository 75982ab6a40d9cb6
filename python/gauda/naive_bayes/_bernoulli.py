"""Naive Bayes on columns in which something is present or absent."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags

from gauda import _core
from gauda._data.discrete_rows import Rows, threshold_for
from gauda._data.sklearn_private import Interval
from gauda._data.training import LabelledRows
from gauda._statistics.counts import Counts
from gauda.naive_bayes._discrete import DiscreteNB, check_columns, log_shares, numbers

PAIR = 2


class BernoulliNB(DiscreteNB, saved_as="BernoulliNB"):
    """Naive Bayes on columns in which something is present (1) or absent (0).

    Takes the place of scikit-learn's class of this name. With N of the n rows of a class present,
    the probability of presence is estimated as

        (N + alpha) / (n + 2 alpha)

    so that alpha = 0 gives maximum likelihood and alpha = 1 Laplace's rule. Under a Beta(a, b)
    prior the estimate of largest posterior is (N + a - 1) / (n + a + b - 2): that is what `prior_a`
    and `prior_b` give, and alpha is the same as a = b = alpha + 1.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,) or (n_features, 2), default=1.0
        What is added to counts: one number, one for each column, or for each column one for absence
        and one for presence.

    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to it, with a warning.

    binarize : float or None, default=0.0
        What lies above is present. None if X is made of 0 and 1; shares between count as such.

    fit_prior : bool, default=True
        Whether priors are the proportions of the data, or equal.

    class_prior : array-like of shape (n_classes,), default=None
        Priors of the classes, whatever the data. If they do not sum to 1, they are renormalised
        with a warning.

    prior_a, prior_b : float or array-like of shape (n_features,), default=None
        Parameters of a Beta prior on probabilities of presence, at least 1, in place of `alpha`; if
        only one is given, the other is 1.

    n_threads : int, default=None
        Number of threads; by default GAUDA_NUM_THREADS, RAYON_NUM_THREADS, OMP_NUM_THREADS or all
        cores. Results do not depend on it. Calls run without Python's lock: other threads may use
        the estimator meanwhile, and the same arrays, but must not write to these.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or their weight.

    class_log_prior_ : ndarray of shape (n_classes,)
        Logarithms of the priors.

    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.

    counts_ : Counts
        Counts of the rows that were seen.

    feature_count_ : ndarray of shape (n_classes, n_features)
        How often something is present, or its weight.

    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Logarithms of the probabilities of presence.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if the data had names.

    See Also
    --------
    gauda.CategoricalNB : Columns of more than two categories.
    gauda.MixedNB : Columns of different kinds.

    Examples
    --------
    >>> from gauda import BernoulliNB
    >>> X = [[1, 0, 1], [1, 1, 1], [0, 0, 1], [0, 1, 0]]
    >>> nb = BernoulliNB().fit(X, ["spam", "spam", "ham", "ham"])
    >>> nb.predict([[1, 0, 0]])
    array(['spam'], dtype='<U4')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DiscreteNB._parameter_constraints,
        "binarize": [None, Interval(Real, 0, None, closed="left")],
        "prior_a": [None, Interval(Real, 1, None, closed="left"), "array-like"],
        "prior_b": [None, Interval(Real, 1, None, closed="left"), "array-like"],
    }
    _kind = "bernoulli"
    _takes_sparse = True

    def __init__(  # noqa: PLR0913 (scikit-learn's, and a prior)
        self,
        *,
        alpha: float | ArrayLike = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        prior_a: float | ArrayLike | None = None,
        prior_b: float | ArrayLike | None = None,
        n_threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior_a = prior_a
        self.prior_b = prior_b
        self.n_threads = n_threads

    def _count(self, rows: Rows, data: LabelledRows) -> Counts:
        return Counts._of(rows, data, self._kind, self.binarize)

    def _describe(self, counts: Counts) -> None:
        absent, present = self._pseudo_counts()
        self.feature_count_ = counts._tables[0]
        total = counts.class_count[:, np.newaxis]
        others = np.maximum(total - self.feature_count_, 0)  # which weights may round below 0
        with np.errstate(over="ignore"):
            smoothed = total + (absent + present)
        self.feature_log_prob_ = log_shares(self.feature_count_ + present, smoothed)
        self._log_absent = log_shares(others + absent, smoothed)

    def _pseudo_counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what is added to the counts of absence and of presence, for each column."""
        if self.prior_a is not None or self.prior_b is not None:
            absent, present = (
                self._beta_count("prior_b", self.prior_b),
                self._beta_count("prior_a", self.prior_a),
            )
            return absent, present
        alpha = np.asarray(self._check_alpha(), dtype=np.float64)
        if alpha.ndim == PAIR and alpha.shape[1] == PAIR:
            return alpha[:, 0], alpha[:, 1]
        if alpha.ndim > 1:
            raise ValueError(
                "alpha must be a number, one for each of the features, or of shape "
                f"({self.n_features_in_}, 2); got shape {alpha.shape}."
            )
        return alpha, alpha

    def _beta_count(self, name: str, value: float | ArrayLike | None) -> NDArray[np.float64]:
        """Return a parameter of the Beta prior as a count: less 1."""
        parameter = numbers(name, 1.0 if value is None else value)
        if parameter.ndim > 0:
            check_columns(name, len(parameter), self.n_features_in_)
        if parameter.ndim > 1 or not np.all((parameter >= 1) & (parameter < np.inf)):
            raise ValueError(
                f"{name} must be at least 1 and finite, one number or one for each column, so that "
                f"there is an estimate of largest posterior; got {value!r}."
            )
        return parameter - 1.0

    def _model_for(self, rows: Rows) -> _core.PresenceModel:
        threshold = threshold_for(rows, self.binarize)
        model: _core.PresenceModel = self._kept_model(
            threshold,
            lambda: _core.PresenceModel(
                self.class_log_prior_, self.feature_log_prob_, self._log_absent, threshold
            ),
        )
        return model

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True
        return tags
