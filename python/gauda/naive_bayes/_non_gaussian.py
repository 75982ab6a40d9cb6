"""What naive Bayes on levels, terms and mixed columns has in common."""

from __future__ import annotations

from gauda._estimators.learner import Learner
from gauda.naive_bayes import (
    _diagnostics,
    _draws,
    _gaps,
    _loo,
    _parts,
    _reading,
    _refusals,
    _summaries,
)


class NonGaussianNB(Learner):
    """Base of the naive Bayes classifiers besides `GaussianNB`."""

    nan_advice = property(_gaps.nan_advice)
    _missing = _gaps.missing_in_scores
    _draw_rows = _draws.draw_rows
    _fill_gaps, _draw_gaps = _draws.fill_gaps, _draws.draw_gaps
    _marginal, _conditional = _parts.marginal, _parts.conditional
    _leave_one_out = _loo.leave_one_out

    diagnostics = _diagnostics.diagnostics
    mahalanobis, typicality = _refusals.mahalanobis, _refusals.typicality
    separation_tests = _refusals.separation_tests
    _contrast_terms, _row_terms = _reading.contrast_terms, _reading.row_terms
    _summary_tables = _summaries.summary_tables
