"""What naive Bayes of texts shares: rows count terms, and classes are scored by weighted sums.

The functions here are methods of `MultinomialNB` and `ComplementNB`, which define `_weights`, how
counts become the weight of each class and term, and `_model`, what is made of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeAlias

import numpy as np
from scipy import special
from sklearn.utils import Tags

from gauda import _core
from gauda._analysis.chains import Terms, independent
from gauda._analysis.summary import Table
from gauda._data.discrete_rows import Rows
from gauda._estimators.geometry import names_in_formulas
from gauda._estimators.learner import Estimates
from gauda._estimators.reading import Texts
from gauda._estimators.state import Current, Solution
from gauda._statistics.counts import Counts
from gauda._support.arrays import Floats, Indices
from gauda.naive_bayes._discrete import DiscreteNB
from gauda.naive_bayes._models_of_rows import ModelOfRows
from gauda.naive_bayes._parts import of_columns

if TYPE_CHECKING:
    from gauda.naive_bayes._complement import ComplementNB
    from gauda.naive_bayes._multinomial import MultinomialNB

    TextNB: TypeAlias = MultinomialNB | ComplementNB


def describe(self: TextNB, statistics: Counts, estimates: Estimates) -> dict[str, Any]:
    """Return the attributes that are quick to compute."""
    described = DiscreteNB._describe(self, statistics, estimates)
    return described | {"feature_count_": statistics.feature_count}


def solve(self: TextNB, statistics: Counts, estimates: Estimates) -> Solution:  # noqa: ARG001 (counts are all)
    """Return the model, and the weights of terms."""
    alpha = self._pseudo_counts(statistics.n_features)
    weights = self._weights(statistics.feature_count, alpha)
    model = self._model(self._log_prior(statistics), weights)
    return Solution(model, {"feature_log_prob_": weights})


def pseudo_counts(self: TextNB, n_features: int) -> Floats:
    """Return what is added to the counts of terms: a number, or one for each."""
    alpha = np.asarray(self._usable_alpha(n_features), dtype=np.float64)
    if alpha.ndim > 1:
        raise ValueError(
            f"alpha must be a number, or one for each of the features; got shape {alpha.shape}."
        )
    return alpha


def parameters_of_part(
    self: TextNB,
    current: Current,  # noqa: ARG001 (columns are all)
    columns: Indices,
) -> dict[str, Any]:
    """Return parameters that must be others for the same model of some columns."""
    return {"alpha": of_columns(self.alpha, columns)}


def refuse_conditional(self: TextNB, current: Current, values: Any) -> NoReturn:  # noqa: ARG001 (never)
    """Refuse to make a model of the other columns."""
    raise ValueError(
        f"The counts of some terms leave no {type(self).__name__} of the others: how many those "
        "have in a text tells of its class too. Use marginal, or give whole rows to predict_proba."
    )


def refuse_to_fill(self: TextNB, *asked: Any, **options: Any) -> NoReturn:  # noqa: ARG001 (never)
    """Refuse to fill in counts."""
    raise ValueError(
        f"{type(self).__name__} cannot fill in counts: it does not say how many terms a text has, "
        "on which they depend. Leave columns out with marginal."
    )


def forms(self: TextNB, current: Current) -> tuple[Floats, ...]:  # noqa: ARG001 (a method)
    """Return A, which is 0, b and c of the discriminants."""
    weights = current.attributes["feature_log_prob_"]
    if not np.isfinite(weights).all():
        raise ValueError(
            "Probabilities must be above 0 for discriminants to be finite; got some that are 0. "
            "Smooth them with alpha > 0."
        )
    k, d = weights.shape
    return np.broadcast_to(0.0, (k, d, d)), weights, current.model.added


# What terms tell


def contrast_terms(
    self: TextNB,  # noqa: ARG001 (a method)
    current: Current,
    codes: Sequence[int],
) -> tuple[Terms, Texts]:
    """Return what terms are expected to add in a row of the first class, of its mean length.

    With probabilities p and q in both classes p log(p / q) - p + q is never negative, and over all
    terms it adds up to the expected log-ratio.
    """
    own, other = np.exp(current.attributes["feature_log_prob_"][list(codes)])
    counts = current.statistics
    length = counts.feature_count[codes[0]].sum() / counts.class_count[codes[0]]
    terms = length * special.kl_div(own, other)
    return independent(terms), [(f"{p:.3g}", f"{q:.3g}") for p, q in zip(own, other, strict=True)]


def row_terms(
    self: TextNB,  # noqa: ARG001 (a method)
    current: Current,
    rows: Rows,
    codes: Sequence[int],
) -> tuple[Terms, Texts]:
    """Return what the terms of a row add."""
    entries = rows.entries(0)
    own, other = current.attributes["feature_log_prob_"][list(codes)]
    with np.errstate(invalid="ignore"):
        ratios = np.where((entries > 0) & (own != other), own - other, 0.0)
        terms = np.where(entries > 0, entries * ratios, 0.0)
    return independent(terms), [(f"{entry:g}",) for entry in entries.tolist()]


def summary_tables(self: TextNB, current: Current) -> list[Table]:
    """Return the weights of terms in each class."""
    weights = current.attributes["feature_log_prob_"]
    values = np.exp(weights) if self._uses_priors else weights
    title = "probabilities of terms" if self._uses_priors else "weights of terms"
    labels, names = current.classes.tolist(), names_in_formulas(current)
    return [Table.of(title, labels, names, values.T, "term")]


def sklearn_tags(self: TextNB) -> Tags:
    """Tell scikit-learn that counts are taken, also of sparse matrices."""
    tags = DiscreteNB.__sklearn_tags__(self)
    tags.input_tags.sparse = True
    tags.input_tags.positive_only = True
    tags.classifier_tags.poor_score = True
    return tags


class ModelOfTerms(ModelOfRows):
    """Priors, what is added to the scores of all rows, and weights of terms, class x column."""

    def __init__(self, log_prior: Floats, added: Floats, weights: Floats) -> None:
        self.log_prior, self.added, self.weights = log_prior, added, weights

    @cached_property
    def core(self) -> _core.AffineModel:
        """The model of the core, made when it is first asked."""
        return _core.AffineModel.of_amounts(self.added, self.weights)

    def with_log_prior(self, log_prior: Floats) -> ModelOfTerms:
        """Return the same model under other priors."""
        other = ModelOfTerms(log_prior, log_prior, self.weights)
        if "core" in vars(self):
            other.core = self.core.with_log_prior(log_prior)
        return other

    def of_classes(self, codes: list[int]) -> Self:
        """Return the model of some classes, with the priors that these have among all."""
        return type(self)(self.log_prior[codes], self.added[codes], self.weights[codes])

    def model_for(self, rows: Any) -> _core.AffineModel:  # noqa: ARG002 (one for all)
        """Return the model of the core."""
        return self.core
