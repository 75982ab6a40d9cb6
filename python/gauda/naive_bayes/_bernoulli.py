"""Naive Bayes on columns in which something is present or absent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags

from gauda._data.discrete_rows import (
    LabeledDiscreteRows,
    Rows,
    presence_blocks,
    presence_shares,
)
from gauda._data.sklearn_private import Interval
from gauda._data.training import Codes
from gauda._estimators.learner import Estimates
from gauda._estimators.making import make_from_given
from gauda._estimators.state import Current, FitState, FittedAttribute, Solution
from gauda._scoring.rules import Reject
from gauda._statistics.access import counts_of, join_counts
from gauda._statistics.counts import Counts
from gauda._statistics.given_columns import given_counts
from gauda._support.arrays import Floats, Indices
from gauda.naive_bayes import _level_rows
from gauda.naive_bayes._discrete import DiscreteNB, check_columns, log_shares, numbers
from gauda.naive_bayes._parts import of_columns
from gauda.naive_bayes._presence_models import PresenceModels
from gauda.naive_bayes._reading import presence_log_likelihoods
from gauda.typing import ClassWeight, Costs, Labels, Missing, Priors, RejectLabel

PAIR = 2


@dataclass(eq=False, repr=False)
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

    class_prior : array-like of shape (n_classes,), dict by class or 'uniform', default=None
        Priors of the classes, whatever the data. If they do not sum to 1, they are renormalized
        with a warning.

    prior_a, prior_b : float or array-like of shape (n_features,), default=None
        Parameters of a Beta prior on probabilities of presence, at least 1, in place of `alpha`; if
        only one is given, the other is 1.

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

    feature_names_in_ : ndarray of shape (n_features,)
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
    shell_name = "bernoulli"
    _kind = "bernoulli"
    _independent_columns = True
    _takes_sparse = "once"

    feature_count_ = FittedAttribute[Floats]()

    _: KW_ONLY
    alpha: float | ArrayLike = 1.0
    force_alpha: bool = True
    binarize: float | None = 0.0
    fit_prior: bool = True
    class_prior: Priors | None = None
    prior_a: float | ArrayLike | None = None
    prior_b: float | ArrayLike | None = None
    missing: Missing = "raise"
    class_weight: ClassWeight = None
    cost: Costs | None = None
    reject: Reject = None
    reject_label: RejectLabel = None
    n_threads: int | None = None

    @classmethod
    def from_parameters(
        cls,
        probabilities: ArrayLike,
        priors: Priors | None = None,
        classes: Labels | None = None,
        **params: Any,
    ) -> Self:
        """Return an estimator with given probabilities, which has seen no rows.

        Each class weighs as much as one row, should `partial_fit` bring rows.

        Parameters
        ----------
        probabilities : array-like of shape (n_classes, n_features)
            Probabilities that something is present.

        priors : array-like of shape (n_classes,), dict by class or 'uniform', default=None
            Priors of the classes; by default equal.

        classes : array-like of shape (n_classes,), default=None
            Labels, in the order of the probabilities; by default 0, 1, ...

        **params
            Other parameters of the estimator. Those that would change the probabilities are
            refused: `alpha`, `prior_a` and `prior_b`; alpha is 0 here by default.

        Returns
        -------
        Self
            The estimator, ready to predict.

        Examples
        --------
        >>> from gauda import BernoulliNB
        >>> nb = BernoulliNB.from_parameters([[0.9, 0.2], [0.3, 0.2]], classes=["a", "b"])
        >>> nb.predict_proba([[1, 0]])
        array([[0.75, 0.25]])
        """
        counts, given = given_counts(cls._kind, probabilities, priors, classes)
        return make_from_given(cls, counts, given, {"alpha": 0.0}, params, "Probabilities")

    def _sums(self, data: LabeledDiscreteRows) -> Counts:
        gaps = self.missing == "marginalize"
        return counts_of(data, self._kind, self.binarize, gaps=gaps)

    def _join_rows(self, before: FitState, rows: NDArray[Any], codes: Codes) -> Counts | None:
        return join_counts(before.statistics, rows, codes, self.binarize, self.n_threads)

    def _describe(self, statistics: Counts, estimates: Estimates) -> dict[str, Any]:
        described = super()._describe(statistics, estimates)
        return described | {"feature_count_": statistics.feature_count}

    def _solve(self, statistics: Counts, estimates: Estimates) -> Solution:  # noqa: ARG002 (counts are all)
        absent, present = self._pseudo_counts(statistics.n_features)
        counted = statistics.feature_count
        total = statistics.observed_count
        with np.errstate(over="ignore"):
            smoothed = total + (absent + present)
        log_present = log_shares(counted + present, smoothed)
        log_absent = log_shares(statistics.absent_count + absent, smoothed)
        log_prior = self._log_prior(statistics)
        model = PresenceModels(log_prior, log_present, log_absent, self.binarize)
        return Solution(model, {"feature_log_prob_": log_present})

    def _entries(self, current: Current, codes: Floats) -> NDArray[Any]:
        if self.binarize is None or self.binarize < 1:
            return _level_rows.entries(self, current, codes)
        return codes * (2 * self.binarize)  # above the threshold

    def _parameters_of_part(self, current: Current, columns: Indices) -> dict[str, Any]:  # noqa: ARG002 (columns are all)
        names = ("alpha", "prior_a", "prior_b")
        return {name: of_columns(getattr(self, name), columns) for name in names}

    def _tables(self, current: Current, statistics: Counts) -> list[Floats]:  # noqa: ARG002 (counts are all)
        present = statistics.feature_count
        pairs = np.stack([statistics.absent_count, present], axis=2)
        return list(np.ascontiguousarray(pairs.swapaxes(0, 1)))

    def _log_tables(self, current: Current) -> list[Floats]:
        tables: list[Floats] = current.model.log_tables()
        return tables

    def _column_sums(self, current: Current) -> list[Any]:
        added = np.broadcast_arrays(*self._pseudo_counts(current.n_features))
        pairs = np.broadcast_to(np.stack(added, axis=-1), (current.n_features, PAIR)).tolist()
        tables = self._tables(current, current.statistics)
        return [(table, pair, [False] * PAIR) for table, pair in zip(tables, pairs, strict=True)]

    def _code_columns(self, current: Current, data: LabeledDiscreteRows) -> Iterator[Any]:  # noqa: ARG002 (all are alike)
        yield from presence_blocks(data.rows, self.binarize)

    def _level_names(self, current: Current) -> list[list[str]]:
        return [["absent", "present"]] * current.n_features

    def _column_log_likelihoods(self, current: Current, rows: Rows) -> list[Floats]:
        shares = presence_shares(rows, self._acting(current.settings).binarize)
        model = current.model
        return presence_log_likelihoods(model.log_present, model.log_absent, shares)

    def _forms(self, current: Current) -> tuple[Floats, ...]:
        """Return A, which is 0, b and c of the discriminants of 0 and 1."""
        present, absent = current.model.log_present, current.model.log_absent
        if not (np.isfinite(present) & np.isfinite(absent)).all():
            raise ValueError(
                "Probabilities must lie between 0 and 1 for discriminants to be finite; got some "
                "that are 0 or 1. Smooth them with alpha > 0."
            )
        (k, d), constants = present.shape, current.model.log_prior + absent.sum(axis=1)
        return np.broadcast_to(0.0, (k, d, d)), present - absent, constants

    def _pseudo_counts(self, n_features: int) -> tuple[Floats, Floats]:
        """Return what is added to the counts of absence and of presence, for each column."""
        if self.prior_a is not None or self.prior_b is not None:
            absent, present = (
                beta_count("prior_b", self.prior_b, n_features),
                beta_count("prior_a", self.prior_a, n_features),
            )
            return absent, present
        alpha = np.asarray(self._usable_alpha(n_features), dtype=np.float64)
        if alpha.ndim == PAIR and alpha.shape[1] == PAIR:
            return alpha[:, 0], alpha[:, 1]
        if alpha.ndim > 1:
            raise ValueError(
                "alpha must be a number, one for each of the features, or of shape "
                f"({n_features}, 2); got shape {alpha.shape}."
            )
        return alpha, alpha

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True
        return tags


def beta_count(name: str, value: float | ArrayLike | None, n_features: int) -> Floats:
    """Return a parameter of the Beta prior as a count: less 1."""
    parameter = numbers(name, 1.0 if value is None else value)
    if parameter.ndim > 0:
        check_columns(name, len(parameter), n_features)
    if parameter.ndim > 1 or not np.all((parameter >= 1) & (parameter < np.inf)):
        raise ValueError(
            f"{name} must be at least 1 and finite, one number or one for each column, so that "
            f"there is an estimate of largest posterior; got {value!r}."
        )
    return parameter - 1.0
