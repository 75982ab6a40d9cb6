"""Naive Bayes on columns that count how often terms occur."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gauda._analysis.column_fits import ColumnFit, TermFit
from gauda._data.sklearn_private import StrOptions
from gauda._estimators.making import make_from_given
from gauda._estimators.state import Current, FittedAttribute
from gauda._scoring.rules import Reject
from gauda._statistics.counts import Counts
from gauda._statistics.given_columns import given_counts
from gauda._support.arrays import Floats
from gauda.naive_bayes import _text, _text_loo
from gauda.naive_bayes._discrete import DiscreteNB, log_shares, logarithm
from gauda.naive_bayes._text import ModelOfTerms
from gauda.naive_bayes._text_loo import Block, less
from gauda.typing import ClassWeight, Costs, Labels, Priors, RejectLabel

MAX_LENGTH = 2.0**62
"""Terms that a row may be drawn with."""


@dataclass(eq=False, repr=False)
class MultinomialNB(DiscreteNB, saved_as="MultinomialNB"):
    """Naive Bayes on columns that count how often terms occur, as in texts.

    Takes the place of scikit-learn's class of this name. With N of the n terms in the rows of a
    class, the probability of a term is estimated as

        (N + alpha) / (n + alpha n_features)

    so that alpha = 0 gives maximum likelihood, 1 Laplace's rule and less Lidstone's. Entries need
    not be integers: shares and tf-idf count as they are. The density of a row is that of its terms
    in a given order, without the multinomial coefficient, which is the same for all classes.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        What is added to counts: one number, or one for each column.

    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to it, with a warning.

    fit_prior : bool, default=True
        Whether priors are the proportions of the data, or equal.

    class_prior : array-like of shape (n_classes,), dict by class or 'uniform', default=None
        Priors of the classes, whatever the data. If they do not sum to 1, they are renormalized
        with a warning.

    missing : {'raise', 'drop'}, default='raise'
        Whether missing entries are refused, or rows with any left out of fits, with a warning that
        says how many. When rows are scored they are refused: a term that a text does not have is 0.

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
        How often each term occurs in a class, rows weighted.

    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Logarithms of the probabilities of terms.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if the data had names.

    See Also
    --------
    gauda.ComplementNB : Weights by the texts of all other classes.
    gauda.BernoulliNB : Whether terms occur, not how often.

    Examples
    --------
    >>> from gauda import MultinomialNB
    >>> X = [[3, 0, 1], [2, 1, 1], [0, 2, 1], [0, 3, 0]]
    >>> nb = MultinomialNB().fit(X, ["spam", "spam", "ham", "ham"])
    >>> nb.predict([[1, 0, 4]])
    array(['spam'], dtype='<U4')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DiscreteNB._parameter_constraints,
        "missing": [StrOptions({"raise", "drop"})],
    }
    shell_name = "multinomial"
    _takes_gaps = False
    _kind = "multinomial"
    _takes_sparse = "added"
    _uses_priors: ClassVar[bool] = True
    """Whether priors are part of the scores."""

    feature_count_ = FittedAttribute[Floats]()

    _: KW_ONLY
    alpha: float | ArrayLike = 1.0
    force_alpha: bool = True
    fit_prior: bool = True
    class_prior: Priors | None = None
    missing: Literal["raise", "drop"] = "raise"
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
            Probabilities of the terms, which sum to 1 in each class.

        priors : array-like of shape (n_classes,), dict by class or 'uniform', default=None
            Priors of the classes; by default equal.

        classes : array-like of shape (n_classes,), default=None
            Labels, in the order of the probabilities; by default 0, 1, ...

        **params
            Other parameters of the estimator. Those that would change the probabilities are
            refused: `alpha`; alpha is 0 here by default.

        Returns
        -------
        Self
            The estimator, ready to predict.

        Examples
        --------
        >>> from gauda import MultinomialNB
        >>> nb = MultinomialNB.from_parameters([[0.75, 0.25], [0.25, 0.75]])
        >>> nb.predict_proba([[1, 0]])
        array([[0.75, 0.25]])
        """
        counts, given = given_counts(cls._kind, probabilities, priors, classes)
        return make_from_given(cls, counts, given, {"alpha": 0.0}, params, "Probabilities")

    _describe = _text.describe
    _solve = _text.solve
    _pseudo_counts = _text.pseudo_counts
    _parameters_of_part = _text.parameters_of_part
    _conditional = _text.refuse_conditional
    _fill_gaps = _text.refuse_to_fill
    _draw_gaps = _text.refuse_to_fill
    _forms = _text.forms
    _leave_one_out = _text_loo.leave_one_out
    _contrast_terms = _text.contrast_terms
    _row_terms = _text.row_terms
    _summary_tables = _text.summary_tables
    __sklearn_tags__ = _text.sklearn_tags

    def _weights(self, feature_count: Floats, alpha: Floats) -> Floats:
        smoothed = feature_count + alpha
        with np.errstate(over="ignore"):
            total = smoothed.sum(axis=1, keepdims=True)
        return log_shares(smoothed, total)

    def _model(self, log_prior: Floats, weights: Floats) -> ModelOfTerms:
        return ModelOfTerms(log_prior, log_prior, weights)

    # Draws, figures, and counts less one row

    def _draw_rows(
        self, current: Current, codes: NDArray[np.uint32], seed: int
    ) -> NDArray[np.int64]:
        """Draw a row of each class, of as many terms as its rows have on average."""
        rng = np.random.default_rng(seed)
        probabilities = np.exp(current.attributes["feature_log_prob_"])
        lengths = mean_lengths(current.statistics)
        rows = np.empty((len(codes), current.n_features), dtype=np.int64)
        for code in np.unique(codes):
            shares = probabilities[code] / probabilities[code].sum()
            chosen = codes == code
            rows[chosen] = rng.multinomial(lengths[code], shares, size=int(chosen.sum()))
        return rows

    def _column_fits(
        self, current: Current, statistics: Counts, names: list[str]
    ) -> list[ColumnFit]:
        """Return how each column fits rows of which the counts are known."""
        counts, logs = statistics.feature_count, current.attributes["feature_log_prob_"]
        totals = counts.sum(axis=1)
        free = [*[True] * (len(names) - 1), False]  # probabilities sum to 1
        columns = zip(names, counts.T, logs.T, free, strict=True)
        return [
            TermFit(name, self._kind, count, totals, log, is_free)
            for name, count, log, is_free in columns
        ]

    def _joint_left_out(self, block: Block) -> Floats:
        count = block.feature_count
        weights = self._weights(count, block.alpha)
        joint = np.column_stack(
            [block.sums(block.amounts * weights[k, block.columns]) for k in range(len(count))]
        )
        own = less(count[block.codes[block.rows], block.columns], block.removed())
        logs = block.sums(block.amounts * logarithm(own + block.alpha[block.columns]))
        totals = less(count.sum(axis=1)[block.codes], block.all_removed()) + block.alpha.sum()
        lengths = block.sums(block.amounts)
        with np.errstate(invalid="ignore"):
            joint[np.arange(len(joint)), block.codes] = np.where(
                lengths > 0, np.where(totals > 0, logs - lengths * logarithm(totals), -np.inf), 0.0
            )
        return joint


def mean_lengths(counts: Counts) -> NDArray[np.int64]:
    """Return how many terms the rows of each class have on average, in whole numbers."""
    terms, rows = counts.feature_count.sum(axis=1), counts.class_count
    of_all = terms.sum() / rows.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(rows > 0, terms / rows, of_all)
    lengths: NDArray[np.int64] = np.rint(np.minimum(means, MAX_LENGTH)).astype(np.int64)
    return lengths
