"""Naive Bayes on columns that count terms, with weights by the texts of all other classes."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gauda._data.sklearn_private import StrOptions, available_if
from gauda._data.training import Codes
from gauda._estimators import questions, reading, sampling
from gauda._estimators.learner import Estimates
from gauda._estimators.state import FitState, FittedAttribute
from gauda._scoring.rules import Reject
from gauda._statistics.counts import Counts
from gauda._support.arrays import Floats
from gauda.naive_bayes import _diagnostics, _text, _text_loo
from gauda.naive_bayes._discrete import MIN_ALPHA, TOO_LARGE, DiscreteNB
from gauda.naive_bayes._text import ModelOfTerms
from gauda.naive_bayes._text_loo import Block, less
from gauda.typing import ClassWeight, Costs, Priors, RejectLabel

NO_DENSITY = (
    "ComplementNB has no density of rows: its weights are not probabilities of terms in a class, "
    "but scores by all others. Use MultinomialNB."
)


@dataclass(eq=False, repr=False)
class ComplementNB(DiscreteNB, saved_as="ComplementNB"):
    """Naive Bayes on columns that count terms, with weights by the texts of all other classes.

    Takes the place of scikit-learn's class of this name, after Rennie, Shih, Teevan and Karger
    (2003). A term weighs for a class as minus the logarithm of its share in all other classes,

        -log((N + alpha) / (n + alpha n_features))

    with N of the n terms in their rows. Classes of few rows are not at a disadvantage, and priors
    are not used, unless they are given for a call; the posteriors of `predict_proba` are the
    exponentials of the scores, normalized.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        What is added to counts: one number, or one for each column. At 0 every term must occur
        outside every class.

    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to it, with a warning.

    fit_prior : bool, default=True
        Whether `class_log_prior_` holds the proportions of the data, or is equal; not used.

    class_prior : array-like of shape (n_classes,), dict by class or 'uniform', default=None
        What `class_log_prior_` holds, whatever the data; not used.

    norm : bool, default=False
        Whether the weights of each class are divided by their sum.

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
        Logarithms of the proportions of the classes, which are not used.

    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.

    counts_ : Counts
        Counts of the rows that were seen.

    feature_all_ : ndarray of shape (n_features,)
        How often each term occurs, rows weighted.

    feature_count_ : ndarray of shape (n_classes, n_features)
        How often each term occurs in a class, rows weighted.

    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Weights of the terms.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if the data had names.

    See Also
    --------
    gauda.MultinomialNB : Probabilities of the terms of each class.

    Examples
    --------
    >>> from gauda import ComplementNB
    >>> X = [[3, 0, 1], [2, 1, 1], [0, 2, 1], [0, 3, 0]]
    >>> nb = ComplementNB().fit(X, ["spam", "spam", "ham", "ham"])
    >>> nb.predict([[1, 0, 4]])
    array(['spam'], dtype='<U4')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DiscreteNB._parameter_constraints,
        "norm": ["boolean"],
        "missing": [StrOptions({"raise", "drop"})],
    }
    shell_name = "complement"
    _takes_gaps = False
    _kind = "multinomial"
    _takes_sparse = "added"
    _uses_priors: ClassVar[bool] = False

    feature_count_ = FittedAttribute[Floats]()
    feature_all_ = FittedAttribute[Floats]()

    _: KW_ONLY
    alpha: float | ArrayLike = 1.0
    force_alpha: bool = True
    fit_prior: bool = True
    class_prior: Priors | None = None
    norm: bool = False
    missing: Literal["raise", "drop"] = "raise"
    class_weight: ClassWeight = None
    cost: Costs | None = None
    reject: Reject = None
    reject_label: RejectLabel = None
    n_threads: int | None = None

    _solve = _text.solve
    _pseudo_counts = _text.pseudo_counts
    _parameters_of_part = _text.parameters_of_part
    _conditional = _text.refuse_conditional
    _fill_gaps = _text.refuse_to_fill
    _draw_gaps = _text.refuse_to_fill
    _forms = _text.forms
    _leave_one_out = _text_loo.leave_one_out
    _row_terms = _text.row_terms
    _summary_tables = _text.summary_tables
    __sklearn_tags__ = _text.sklearn_tags

    def _join_rows(self, before: FitState, rows: NDArray[Any], codes: Codes) -> Counts | None:
        if not (isinstance(self.alpha, Real) and float(self.alpha) >= MIN_ALPHA):
            return None  # weights might become infinite
        return super()._join_rows(before, rows, codes)

    def _describe(self, statistics: Counts, estimates: Estimates) -> dict[str, Any]:
        described = _text.describe(self, statistics, estimates)
        return described | {"feature_all_": described["feature_count_"].sum(axis=0)}

    def _weights(self, feature_count: Floats, alpha: Floats) -> Floats:
        smoothed = sums_of_others(feature_count) + alpha
        with np.errstate(over="ignore"):
            total = smoothed.sum(axis=1, keepdims=True)
        if not np.all(total < np.inf):
            raise ValueError(TOO_LARGE)
        check_shares(smoothed)
        logs = np.log(smoothed / total)
        with np.errstate(divide="ignore", invalid="ignore"):
            weights: Floats = logs / logs.sum(axis=1, keepdims=True) if self.norm else -logs
        if not np.isfinite(weights).all():
            raise ValueError(
                "norm divides the weights of a class by their sum, which must not be 0; got 0, "
                f"with n_features={weights.shape[1]}. Use more columns, or norm=False."
            )
        return weights

    def _model(self, log_prior: Floats, weights: Floats) -> ScoresOfTerms:
        n_classes = len(log_prior)
        equal = np.full(n_classes, -np.log(n_classes))
        return ScoresOfTerms(equal, np.zeros(n_classes), weights)

    def _refuse_density(self) -> NoReturn:
        raise AttributeError(NO_DENSITY)

    score_samples = available_if(_refuse_density)(questions.score_samples)
    sample = available_if(_refuse_density)(sampling.sample)
    diagnostics = available_if(_refuse_density)(_diagnostics.diagnostics)
    contrast = available_if(_refuse_density)(reading.contrast)

    def _joint_left_out(self, block: Block) -> Floats:
        """Return scores by the other classes; only those of a row's own stay as they are."""
        count, columns = block.feature_count, block.columns
        of_others, removed, all_removed = (
            sums_of_others(count),
            block.removed(),
            block.all_removed(),
        )
        joint = np.empty((len(block.codes), len(count)))
        for k in range(len(count)):
            others, is_own = of_others[k], block.codes == k
            gone = np.where(is_own[block.rows], 0.0, removed)
            kept = less(others[columns], gone) + block.alpha[columns]
            total = less(np.full(len(joint), others.sum()), np.where(is_own, 0.0, all_removed))
            check_shares(kept)
            log_total = np.log(total + block.alpha.sum())
            sums = block.sums(block.amounts * (np.log(kept) - log_total[block.rows]))
            divisor: Any = -1.0
            if self.norm:
                before = np.log(others + block.alpha)
                change = block.sums(np.log(kept) - before[columns])
                divisor = before.sum() + change - count.shape[1] * log_total
            joint[:, k] = sums / divisor
        return joint


def sums_of_others(counts: Floats) -> Floats:
    """Return the sum of all rows but each, as those before and those after it.

    A difference from the sum of all would lose what is small beside a row.
    """
    others = np.zeros_like(counts)
    others[1:] = np.cumsum(counts[:-1], axis=0)
    others[:-1] += np.cumsum(counts[:0:-1], axis=0)[::-1]
    return others


def check_shares(smoothed: Floats) -> None:
    """Refuse counts of which some have no finite logarithm."""
    if not np.all(smoothed > 0):
        raise ValueError(
            "alpha must be above 0 unless every term occurs outside every class; got 0, and a term "
            "that one class alone has, whose weight would be infinite."
        )


class ScoresOfTerms(ModelOfTerms):
    """A model whose scores are not joint densities, and do not depend on priors."""

    def with_log_prior(self, log_prior: Floats) -> ScoresOfTerms:  # noqa: ARG002 (they are not used)
        return self

    def answer(self, rows: Any, n_threads: int | None, rules: Any, **answers: Any) -> None:
        if "log_density" in answers:
            raise ValueError(NO_DENSITY)
        super().answer(rows, n_threads, rules, **answers)
