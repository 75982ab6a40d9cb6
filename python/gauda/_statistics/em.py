"""Moments of rows with missing values, estimated by EM."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from gauda import _core
from gauda._data.training import LabeledRows
from gauda._statistics.moments import Moments
from gauda._support.progress import counting
from gauda._support.warning import warn_caller


class EmReport(NamedTuple):
    """How EM went."""

    n_iter: int
    converged: bool
    log_likelihood: NDArray[np.float64]

    def warn_unless_converged(self, max_iter: int, tol: float) -> None:
        """Say that EM stopped early."""
        if not self.converged:
            warn_caller(
                f"EM for missing values did not converge in em_max_iter={max_iter} iterations. "
                f"Allow more, or a larger em_tol than {tol:g}.",
                ConvergenceWarning,
            )


def estimate(
    data: LabeledRows,
    structure: str,
    *,
    max_iter: int,
    tol: float,
    verbose: bool = False,
) -> tuple[Moments, EmReport]:
    """Return the moments of rows in which NaN stands for what is missing, and how EM went."""
    with (
        counting("EM", max_iter, progress=verbose, unit="iterations") as counter,
        data.names.in_errors(),
    ):
        core, log_likelihood, converged, complete = _core.estimate_moments(
            data.rows,
            data.codes,
            len(data.classes),
            structure,
            data.weights,
            max_iter,
            tol,
            (lambda: counter.update(1)) if verbose else None,
            data.n_threads,
        )
    moments = Moments(
        classes=data.classes,
        feature_names=data.names.features,
        has_gaps=not complete,
        _core=core,
        _dtype=data.dtype,
    )
    n_iter = max(len(log_likelihood) - 1, 0)
    return moments, EmReport(n_iter, converged, np.array(log_likelihood))
