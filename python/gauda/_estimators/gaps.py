"""How Gaussian classifiers learn from rows with missing values. The functions are their methods."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from gauda._core import Pass
from gauda._data.gaps import has_gaps
from gauda._data.training import LabeledRows
from gauda._data.twins import twin
from gauda._estimators import stream_fit
from gauda._estimators.class_weights import weigh_rows
from gauda._estimators.few_rows import refuse_few_rows
from gauda._estimators.joining import Part
from gauda._estimators.refusals import refuse_other_estimates
from gauda._statistics.access import moments_of
from gauda._statistics.em import Em, EmReport, add_rows, estimate, estimate_in_passes
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats

if TYPE_CHECKING:
    from gauda._estimators.gaussian import GaussianClassifier
    from gauda._estimators.stream_fit import Reading


def nan_advice(self: GaussianClassifier) -> str:
    """Who takes missing values, and where."""
    refused = "transform, " * hasattr(type(self), "transform") + self._gaps_refused
    if self.missing == "marginalize":
        return (
            f" missing='marginalize' acts in fits and in all that scores rows, except {refused}. "
            "Call fit or fit_stream with all rows, or let impute fill them in."
        )
    if self.missing == "drop":
        return (
            " missing='drop' leaves rows out of fits; those that are scored get an answer each: "
            "use missing='marginalize', or 'propagate' for NaN, except where complete rows are "
            f"needed: in {refused}."
        )
    return (
        " Or use missing='marginalize': fits and all that scores rows then take NaN, except "
        f"{refused}; or missing='drop', which leaves such rows out of fits."
    )


def learn(self: GaussianClassifier, data: LabeledRows) -> tuple[Moments, EmReport | None]:
    """Return the moments of rows of which values may be missing, and how they were found."""
    self._check_size(len(data.classes), len(data.rows))
    if self.missing != "marginalize":
        refuse_few_rows(self, data)
        if self._order() > 2:  # noqa: PLR2004 (all rows are at hand, so two are enough)
            return moments_of(data, self._structure()), None
        return self._sums(data), None
    em = em_of(self)
    moments, report = estimate(data, self._structure(), em)
    if moments.has_gaps:
        refuse_other_estimates(self)
    report.warn_unless_converged(em.max_iter, em.tol)
    return moments, report


def sum_observed(self: GaussianClassifier, data: LabeledRows) -> Moments:
    """Return the moments of independent columns, which leave out what is missing."""
    return moments_of(data, "diag", gaps=self.missing == "marginalize")


def learn_observed(self: GaussianClassifier, data: LabeledRows) -> tuple[Moments, EmReport | None]:
    """Return these moments of all rows, for which EM need not iterate."""
    report = EmReport.of([], converged=True) if self.missing == "marginalize" else None
    return sum_observed(self, data), report


def learn_stream(self: GaussianClassifier, read: Reading) -> Part:
    """Return what all batches give together; where values are missing, they are read again."""
    if self.missing != "marginalize":
        return stream_fit.learn_stream(self, read)
    try:
        part = stream_fit.learn_stream(self, read)
    except ValueError:
        if read.last is None or not has_gaps(read.last):
            raise
    else:
        return without_em(part)

    def batches() -> Generator[LabeledRows]:
        with closing(read()) as found:
            yield from (weigh_rows(self.class_weight, rows) for rows in found)

    with closing(batches()) as found:
        observed = reduce(add, (moments_of(data, "diag", gaps=True) for data in found))

    def read_all(one_pass: Pass) -> None:
        for data in batches():
            add_rows(one_pass, data, observed.classes, self.n_threads)

    return learn_in_passes(self, observed, read_all)


def without_em(part: Part) -> Part:
    """Return what rows give of which no value is missing, where EM would have been taken."""
    if part.state is None:
        return part
    return replace(part, state=replace(part.state, em=EmReport.of([], converged=True)))


def learn_in_passes(
    self: GaussianClassifier, observed: Moments, read: Callable[[Pass], None]
) -> Part:
    """Return what rows give of which this is observed, and which are read as often as need be."""
    self._check_size(len(observed.classes), observed.n_rows)
    refuse_other_estimates(self)
    em = em_of(self)
    moments, report = estimate_in_passes(observed, self._structure(), em, read, self.n_threads)
    report.warn_unless_converged(em.max_iter, em.tol)
    return Part(self._state_of(moments, {}, em=report), observed.n_rows)


def em_of(model: GaussianClassifier) -> Em:
    """Return how EM iterates: sums are expected under the estimates of the model itself.

    These have the divisors of largest likelihood; `unbiased` corrects them in the end.
    """
    plain = twin(model, unbiased=False)

    def regularize(moments: Moments) -> tuple[Floats | None, Floats]:
        problem = plain._problem(moments, {})
        means = None if plain.conjugate_prior is None else problem.moments.means
        return means, plain._regularize(problem)

    return Em(
        int(model.em_max_iter),
        float(model.em_tol),
        model.verbose,
        regularize if plain._regularizes() else None,
    )
