"""Means and covariances that somebody knows, as the moments of one row's weight for each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import ArrayLike, NDArray

from gauda._core import Moments as CoreMoments
from gauda._data.by_class import UNIFORM, priors_in_order
from gauda._data.element_types import FLOAT64
from gauda._data.labels import label_array
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats, Indices
from gauda._support.matrices import check_room
from gauda.typing import Labels, Priors

MATRIX = 2
"""Axes of a matrix."""


@dataclass(frozen=True)
class GivenClasses:
    """Labels that are given, sorted, with their priors."""

    classes: NDArray[Any]
    priors: Floats
    order: Indices
    """Where each class stands in what was given."""

    @classmethod
    def of(
        cls, n_classes: int, priors: Priors | None, classes: Labels | None, what: str
    ) -> GivenClasses:
        """Check that there is one of each for every class; by default priors are equal."""
        labels = np.arange(n_classes) if classes is None else label_array(classes)
        wanted = priors_in_order(UNIFORM if priors is None else priors, labels)
        given = np.array(wanted, dtype=np.float64)
        if len(np.unique(labels)) != n_classes or given.shape != (n_classes,):
            raise ValueError(
                f"There must be as many distinct classes and priors as {what} ({n_classes}); got "
                f"classes {labels} and priors {given}."
            )
        order = np.argsort(labels)
        return cls(labels[order], given[order], order)


@dataclass(frozen=True)
class Given:
    """Parameters of a model, sorted by label where there is one for each class."""

    means: Floats
    covariances: Floats
    priors: Floats
    classes: NDArray[Any]
    order: Indices
    remainder: Floats | None = None
    """What is missing of the means, far from zero."""

    @classmethod
    def of(
        cls,
        means: ArrayLike,
        covariances: ArrayLike,
        priors: Priors | None,
        classes: Labels | None,
    ) -> Given:
        """Check that there is one of each for every class; by default priors are equal."""
        means = np.array(means, dtype=np.float64)
        if means.ndim != MATRIX or 0 in means.shape:
            raise ValueError(
                f"Means must have shape (n_classes, n_features); got {means.shape}. Write the mean "
                "of one column as [m]."
            )
        known = GivenClasses.of(len(means), priors, classes, "means")
        matrices = np.array(covariances, dtype=np.float64)
        return cls(means[known.order], matrices, known.priors, known.classes, known.order)

    def moments(self, structure: str, wanted: str) -> Moments:
        """Return moments with these covariances, of the structure that the model wants."""
        n_classes, d = self.means.shape
        shapes = {"full": (n_classes, d, d), "tied": (d, d), "diag": (n_classes, d)}
        if self.covariances.shape != shapes[structure]:
            raise ValueError(
                f"For {n_classes} means of {d} features covariances must have shape "
                f"{shapes[structure]}; got {self.covariances.shape}."
            )
        if not (np.isfinite(self.means).all() and np.isfinite(self.covariances).all()):
            raise ValueError("Means and covariances must be finite.")
        self._check_definite(structure)
        core = CoreMoments(
            wanted,
            [0] * n_classes,
            np.ones(n_classes),
            self.means,
            np.zeros((n_classes, d)) if self.remainder is None else self.remainder,
            self._scatter(structure, wanted),
        )
        return Moments(classes=self.classes, _core=core, _dtype=FLOAT64)

    def _scatter(self, structure: str, wanted: str) -> Floats:
        n_classes = len(self.means)
        if structure == "tied":
            copies = {
                "tied": n_classes * self.covariances,
                "full": self.covariances,
                "diag": np.diag(self.covariances)[np.newaxis],
            }
            copied = copies[wanted]
            scatter = np.broadcast_to(copied, (1 if wanted == "tied" else n_classes, *copied.shape))
            return np.ascontiguousarray(scatter)
        scatter = self.covariances[self.order]
        if structure == wanted:
            return scatter[:, np.newaxis] if structure == "diag" else scatter
        check_room("Covariances", scatter.shape[1], n_classes)
        return scatter[:, np.newaxis] * np.eye(scatter.shape[1])

    def _check_definite(self, structure: str) -> None:
        """Refuse matrices that are not covariances."""
        if structure == "diag":
            if not (self.covariances > 0).all():
                raise LinAlgError(
                    f"Variances must be positive; got {self.covariances.min():g} among them."
                )
            return
        tied = structure == "tied"
        matrices = self.covariances[np.newaxis] if tied else self.covariances[self.order]
        for label, matrix in zip(self.classes, matrices, strict=False):
            whose = "common covariance" if tied else f"covariance of class {label}"
            if not np.allclose(matrix, matrix.T, rtol=1e-10, atol=0):
                raise LinAlgError(f"The {whose} is not symmetric.")
            if not is_definite(matrix):
                raise LinAlgError(f"The {whose} is not positive definite.")


def is_definite(matrix: Floats) -> bool:
    """Tell whether a symmetric matrix is positive definite, whatever the units of its columns."""
    variances = np.diag(matrix)
    if not (variances > 0).all():
        return False
    deviations = np.sqrt(variances)
    correlations = matrix / deviations[:, np.newaxis] / deviations
    return bool(np.linalg.eigvalsh(correlations).min() > 0)
