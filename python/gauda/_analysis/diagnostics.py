"""Figures on a fitted model, computed when first read, and the tables that show them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._analysis.divergences import Pairs
from gauda._analysis.gaussians import Gaussians
from gauda._analysis.likelihood import condition_numbers, log_likelihood, n_parameters
from gauda._statistics.equal_covariances import BoxM, box_m, ranks
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats, Indices
from gauda._support.tables import align, as_text, format_or_explain, html_table, sizes_text

MAX_PAIRS = 10
"""How many pairs of classes are listed."""

NO_ROWS = "The model was given, not fitted to rows: use diagnostics(Moments.from_data(X, y))."

GAPS = (
    "Values of the rows were missing, and moments do not tell which: use diagnostics("
    "Moments.from_data(X, y)) with complete rows."
)

CLASSES = ("class", "weight", "prior", "rank", "condition", "nearest", "error")
PAIRS = ("i", "j", "D2(i, j)", "D2(j, i)", "KL(i, j)", "KL(j, i)", "Bhattacharyya", "error")


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics:
    """How far the classes of a model are apart, and how well it fits.

    Matrices have a row and a column for each class, in the order of `classes`.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels.

    moments : Moments
        Rows by which the model is judged.

    mahalanobis, kullback_leibler, bhattacharyya : ndarray of shape (n_classes, n_classes)
        Squared Mahalanobis distance of mean i to class j; Kullback-Leibler divergence of class j
        from class i, in nats; Bhattacharyya distance.

    bhattacharyya_bound, chernoff_bound, lower_bound : ndarray of shape (n_classes, n_classes)
        Bounds on the probability that a row is of one of two classes and taken for the other by the
        best rule: two upper ones, and a lower one.

    bayes_error : tuple of two floats
        A lower and an upper bound on the least probability of error.

    log_likelihood, aic, bic : float
        Sum of log p(x, k) over the rows, and the criteria that set off the number of parameters.

    n_parameters : int or float
        Free parameters of priors, unless these were given, means and covariances. With shares of
        regularization it is their effective number: the trace of what makes the covariances of
        those of the classes.

    box_m : BoxM
        `statistic`, `df` and `p_value` of Box's M test of equal covariances. It needs 'full'
        moments and more rows than columns in each class.

    condition : ndarray of shape (n_classes,)
        Condition numbers of the covariances.

    rank : ndarray of shape (n_classes,)
        Number of directions in which the rows of a class vary ('tied' moments: those of any class
        about its mean; 'diag': columns).
    """

    classes: NDArray[Any]
    moments: Moments
    _estimator: str
    _gaussians: Gaussians
    _priors_given: bool
    _covariance_parameters: float
    _by_class: Moments
    """The same rows, with the scatter of each class if it is known."""

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs.of(self._gaussians)

    @cached_property
    def mahalanobis(self) -> Floats:
        """Squared Mahalanobis distance of mean i to class j."""
        return self._pairs.mahalanobis()

    @cached_property
    def kullback_leibler(self) -> Floats:
        """Kullback-Leibler divergence of class j from class i, in nats."""
        return self._pairs.kullback_leibler()

    @cached_property
    def bhattacharyya(self) -> Floats:
        """Bhattacharyya distance of each two classes."""
        return self._pairs.bhattacharyya()

    @cached_property
    def bhattacharyya_bound(self) -> Floats:
        """Upper bound on the probability of taking one of two classes for the other."""
        return self._pairs.bhattacharyya_bound()

    @cached_property
    def chernoff_bound(self) -> Floats:
        """Upper bound on the same, never above Bhattacharyya's."""
        return self._pairs.chernoff_bound()

    @cached_property
    def lower_bound(self) -> Floats:
        """Lower bound on the same."""
        return self._pairs.lower_bound()

    @property
    def bayes_error(self) -> tuple[float, float]:
        """Lower and upper bound on the least probability of error."""
        # Where class 1 is the most probable, 2 the next, and so on, the error is p_2 + p_3 + ...;
        # the smaller of each two add up to p_2 + 2 p_3 + ..., at most n_classes / 2 times as much.
        below, above = np.triu(self.lower_bound), np.triu(self.chernoff_bound)
        lower = max(float(below.max()), float(2 * below.sum() / len(self.classes)))
        blind = 1 - float(np.exp(self._pairs.log_prior.max()))
        return lower, min(float(above.sum()), blind)

    @cached_property
    def log_likelihood(self) -> float:
        """Sum of log p(x, k) over the rows."""
        self._check_rows()
        return log_likelihood(self._gaussians, self.moments)

    @property
    def n_parameters(self) -> float:
        """Free parameters of priors, unless these were given, means and covariances."""
        return n_parameters(
            self._gaussians, self._covariance_parameters, priors_given=self._priors_given
        )

    @property
    def aic(self) -> float:
        """Akaike's criterion: smaller is better."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion: smaller is better."""
        log_rows = float(np.log(self.moments.counts.sum()))
        return self.n_parameters * log_rows - 2 * self.log_likelihood

    @cached_property
    def box_m(self) -> BoxM:
        """Box's M test of equal covariances."""
        self._check_rows()
        return box_m(self._by_class)

    def _check_rows(self) -> None:
        """Refuse to judge by rows that there are none of, or that were not seen whole."""
        if self.moments.n_rows == 0:
            raise ValueError(NO_ROWS)
        if self.moments.has_gaps:
            raise ValueError(GAPS)

    @cached_property
    def condition(self) -> Floats:
        """Condition number of the covariance of each class."""
        return condition_numbers(self._gaussians)

    @cached_property
    def rank(self) -> Indices:
        """Number of directions in which the rows of each class vary."""
        return ranks(self.moments)

    def __repr__(self) -> str:
        return f"<Diagnostics of {self._title()}>"

    def __str__(self) -> str:
        parts = [self._title(), align(self._figures(), left=2)]
        parts += [align([CLASSES, *self._class_rows()])]
        if len(self.classes) > 1:
            parts += [f"{self._pairs_title()}\n{align([PAIRS, *self._pair_rows()], left=2)}"]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        parts = [f"<b>{escape(self._title())}</b>", html_table(self._figures(), left=2)]
        parts += [html_table(self._class_rows(), CLASSES)]
        if len(self.classes) > 1:
            parts += [escape(self._pairs_title()), html_table(self._pair_rows(), PAIRS, left=2)]
        return "<div>" + "\n".join(parts) + "</div>"

    def _title(self) -> str:
        sizes = sizes_text(len(self.classes), self._gaussians.n_features)
        return f"{self._estimator}, {sizes}, {self.moments.n_rows} rows"

    def _pairs_title(self) -> str:
        n_pairs = len(self._pairs.first)
        if n_pairs <= MAX_PAIRS:
            return "pairs of classes"
        return f"the {MAX_PAIRS} hardest of {n_pairs} pairs of classes"

    def _figures(self) -> list[tuple[str, str]]:
        return [
            ("log-likelihood", format_or_explain(lambda: f"{self.log_likelihood:.7g}")),
            ("parameters", f"{self.n_parameters:.10g}"),
            ("AIC", format_or_explain(lambda: f"{self.aic:.7g}")),
            ("BIC", format_or_explain(lambda: f"{self.bic:.7g}")),
            ("Box's M", format_or_explain(self._box_m_text)),
            (
                "Bayes error",
                f"{as_text(self.bayes_error[0])} to {as_text(self.bayes_error[1])}",
            ),
        ]

    def _box_m_text(self) -> str:
        test = self.box_m
        return f"chi2 = {as_text(test.statistic)}, df = {test.df}, p = {as_text(test.p_value)}"

    def _class_rows(self) -> list[tuple[Any, ...]]:
        errors = self.chernoff_bound
        apart = self.bhattacharyya + np.diag(np.full(len(self.classes), np.inf))
        nearest = apart.argmin(axis=1)
        alone = len(self.classes) == 1
        return [
            (
                label,
                f"{self.moments.counts[code]:.15g}",
                as_text(np.exp(self._pairs.log_prior[code])),
                self.rank[code],
                as_text(self.condition[code]),
                "" if alone else self.classes[nearest[code]],
                "" if alone else f"<= {as_text(errors[code, nearest[code]])}",
            )
            for code, label in enumerate(self.classes)
        ]

    def _pair_rows(self) -> list[tuple[Any, ...]]:
        first, second = self._pairs.first, self._pairs.second
        above = self.chernoff_bound[first, second]
        hardest = np.argsort(-above, kind="stable")[:MAX_PAIRS]
        return [self._pair_row(i, j) for i, j in zip(first[hardest], second[hardest], strict=True)]

    def _pair_row(self, i: int, j: int) -> tuple[Any, ...]:
        distances = [self.mahalanobis, self.mahalanobis.T]
        distances += [self.kullback_leibler, self.kullback_leibler.T, self.bhattacharyya]
        bounds = as_text(self.lower_bound[i, j]), as_text(self.chernoff_bound[i, j])
        figures = [as_text(matrix[i, j]) for matrix in distances]
        return self.classes[i], self.classes[j], *figures, " to ".join(bounds)


def rows_to_judge_by(moments: Moments, own: Moments) -> Moments:
    """Return moments with the classes of a model; refuse those of other columns or classes."""
    if not isinstance(moments, Moments):
        raise TypeError(
            f"diagnostics must get gauda.Moments; got {type(moments).__name__}. Make them with "
            "Moments.from_data."
        )
    theirs, ours = moments.feature_names, own.feature_names
    alike = theirs is None or ours is None or np.array_equal(theirs, ours)
    if moments.n_features != own.n_features or not alike:
        raise ValueError(
            f"The moments are of other columns than the model: {moments.n_features} "
            f"({theirs}) and {own.n_features} ({ours}). Select the model's, in its order."
        )
    return moments.widen(own.classes)
