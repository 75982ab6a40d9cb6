"""How Gaussian classifiers learn from rows with missing values. The functions are their methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gauda._data.training import LabeledRows
from gauda._estimators.refusals import refuse_other_estimates
from gauda._statistics.em import EmReport, estimate
from gauda._statistics.moments import Moments

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
    max_iter, tol = int(self.em_max_iter), float(self.em_tol)
    moments, report = estimate(
        data, self._structure(), max_iter=max_iter, tol=tol, verbose=self.verbose
    )
    if moments.has_gaps:
        refuse_other_estimates(self)
    report.warn_unless_converged(max_iter, tol)
    return moments, report
