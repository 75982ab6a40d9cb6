"""Moments of rows with missing values, estimated by EM."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from gauda import _core
from gauda._core import Moments as CoreMoments
from gauda._data.labels import indices_among
from gauda._data.training import LabeledRows
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats
from gauda._support.progress import counting
from gauda._support.warning import warn_caller

Regularize = Callable[[Moments], tuple[Floats | None, Floats]]


class EmReport(NamedTuple):
    """How EM went."""

    n_iter: int
    converged: bool
    log_likelihood: Floats

    @classmethod
    def of(cls, log_likelihood: list[float], *, converged: bool) -> EmReport:
        """Return the report on iterations with these log-likelihoods."""
        return cls(max(len(log_likelihood) - 1, 0), converged, np.array(log_likelihood))

    def warn_unless_converged(self, max_iter: int, tol: float) -> None:
        """Say that EM stopped early."""
        if not self.converged:
            warn_caller(
                f"EM for missing values did not converge in em_max_iter={max_iter} iterations. "
                f"Raise em_max_iter, or em_tol, which is {tol:g}.",
                ConvergenceWarning,
            )


@dataclass(frozen=True)
class Em:
    """How EM iterates, and how long."""

    max_iter: int
    tol: float
    verbose: bool = False
    regularize: Regularize | None = None
    """Gives means, or None, and covariances of moments where they are not those of largest
    likelihood."""

    @contextmanager
    def _iterations(self, labeled: Callable[[CoreMoments], Moments]) -> Iterator[Any]:
        """Yield what the core is told; a bar counts the iterations if that is asked for."""
        regularize = self.regularize
        estimates = None
        if regularize is not None:

            def estimates(core: CoreMoments) -> tuple[Floats | None, Floats]:
                return regularize(labeled(core))

        with counting("EM", self.max_iter, progress=self.verbose, unit="iterations") as counter:
            report = (lambda: counter.update(1)) if self.verbose else None
            yield self.max_iter, self.tol, report, estimates


def estimate(data: LabeledRows, structure: str, em: Em) -> tuple[Moments, EmReport]:
    """Return the moments of rows in which NaN stands for what is missing, and how EM went."""

    def labeled(core: CoreMoments, *, complete: bool = False) -> Moments:
        return Moments(
            classes=data.classes,
            feature_names=data.names.features,
            has_gaps=not complete,
            _core=core,
            _dtype=data.dtype,
        )

    with data.names.in_errors(), em._iterations(labeled) as iterations:
        core, log_likelihood, converged, complete = _core.estimate_moments(
            data.rows,
            data.codes,
            len(data.classes),
            structure,
            data.weights,
            iterations,
            data.n_threads,
        )
    return labeled(core, complete=complete), EmReport.of(log_likelihood, converged=converged)


def estimate_in_passes(
    observed: Moments,
    structure: str,
    em: Em,
    read: Callable[[_core.Pass], None],
    n_threads: int | None,
) -> tuple[Moments, EmReport]:
    """Return the same for rows that are read more than once, each time as a pass to be added to.

    What is observed of each class and column must be known; the classes are those of it.
    """

    def labeled(core: CoreMoments) -> Moments:
        return replace(observed, _core=core, has_gaps=True, _unweighted=None)

    with observed._names().in_errors(), em._iterations(labeled) as iterations:
        core, log_likelihood, converged, _ = _core.estimate_moments_in_passes(
            observed._core, structure, iterations, read, n_threads
        )
    return labeled(core), EmReport.of(log_likelihood, converged=converged)


def add_rows(
    one_pass: _core.Pass, data: LabeledRows, classes: NDArray[Any], n_threads: int | None
) -> None:
    """Add rows to a pass over rows of these classes."""
    codes = indices_among(data.classes, classes)[data.codes]
    with data.names.in_errors():
        one_pass.add(data.rows, codes.astype(np.uint32), data.weights, n_threads)
