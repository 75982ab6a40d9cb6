"""How Gaussian classifiers learn from rows with missing values. The functions are their methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gauda._data.training import LabeledRows
from gauda._data.twins import twin
from gauda._estimators.refusals import refuse_other_estimates
from gauda._statistics.em import Em, EmReport, estimate
from gauda._statistics.moments import Moments
from gauda._statistics.tables import Floats

if TYPE_CHECKING:
    from gauda._estimators.gaussian import GaussianClassifier


def nan_advice(self: GaussianClassifier) -> str:
    """Who takes missing values, and where."""
    refused = self._gaps_refused + " and transform" * hasattr(type(self), "transform")
    if self.missing == "marginalize":
        return (
            " missing='marginalize' acts in fits and in all that scores rows, but not in "
            f"{refused}. Call fit with all rows, or let impute fill them in."
        )
    return (
        " Or use missing='marginalize': fits and all that scores rows then take NaN, but "
        f"not in {refused}."
    )


def learn(self: GaussianClassifier, data: LabeledRows) -> tuple[Moments, EmReport | None]:
    """Return the moments of rows of which values may be missing, and how they were found."""
    self._check_size(len(data.classes), len(data.rows))
    if self.missing != "marginalize":
        return self._sums(data), None
    em = em_of(self)
    moments, report = estimate(data, self._structure(), em)
    if moments.has_gaps:
        refuse_other_estimates(self)
    report.warn_unless_converged(em.max_iter, em.tol)
    return moments, report


def em_of(model: GaussianClassifier) -> Em:
    """Return how EM iterates: sums are expected under the estimates of the model itself.

    These have the divisors of largest likelihood; `unbiased` corrects them in the end.
    """
    plain = twin(model, unbiased=False)

    def regularize(moments: Moments) -> tuple[Floats | None, Floats]:
        problem = plain._problem(moments, {})
        means = None if plain.conjugate_prior is None else problem.moments.means
        return means, plain._regularized(problem)

    return Em(
        int(model.em_max_iter),
        float(model.em_tol),
        model.verbose,
        regularize if plain._regularizes() else None,
    )
