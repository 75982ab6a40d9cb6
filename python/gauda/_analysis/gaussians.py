"""The parameters of a fitted model in double precision, as numpy arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gauda._core import Model
from gauda._support.arrays import Floats
from gauda._support.lazy import linalg


@dataclass(frozen=True)
class Gaussians:
    """A prior and a Gaussian for each class, its covariance S as the W with W S W' = 1."""

    center: Floats
    """The point that the core subtracts from each row."""
    shift: Floats
    offset: Floats
    """Class means are the sum of both, which loses no digits far from zero."""
    log_prior: Floats
    whitening: Floats
    """One matrix for each class, one for all ('tied'), or for each class the diagonal ('diag')."""
    log_det: Floats
    """Logarithm of the determinant of the covariance, for each class."""
    structure: str
    whitened: Floats | None = None
    """W times the class means about the center, if all classes have the same W."""
    uncentered: bool = False
    """Whether the core's discriminants are about 0 and not about the center."""

    @classmethod
    def of(cls, model: Model) -> Gaussians:
        """Return the parameters of a model of the core."""
        parts = model.parts
        spread, log_det, tied = parts["spread"], parts["log_det"], parts["tied"]
        shift, offset = parts["means"]
        common = np.array(parts["center"]), shift, offset, np.array(parts["log_prior"])
        if tied is not None:
            return cls(*common, spread, np.repeat(log_det, len(shift)), "tied", *tied)
        if log_det:
            return cls(*common, spread, np.array(log_det), "full")
        return cls(*common, 1 / spread[0], 2 * np.log(spread[0]).sum(axis=1), "diag")

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.log_prior)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.center)

    @property
    def rank(self) -> int:
        """Number of directions in which there is variance."""
        return self.n_features if self.structure == "diag" else int(self.whitening.shape[1])

    @property
    def centered(self) -> Floats:
        """Class means about the center."""
        means: Floats = (self.shift - self.center) + self.offset
        return means

    def matrix(self, code: int) -> Floats:
        """Return W of a class."""
        if self.structure == "diag":
            return np.diag(self.whitening[code])
        return np.asarray(self.whitening[0 if self.structure == "tied" else code])

    def whiten(self, rows: Floats) -> Floats:
        """Return W times a row for each class."""
        if self.structure == "diag":
            return np.asarray(self.whitening * rows)
        return np.asarray((self.whitening @ rows[:, :, np.newaxis])[:, :, 0])

    def of_classes(self, codes: list[int]) -> Gaussians:
        """Return the parameters of some classes, in this order."""
        tied = self.structure == "tied"
        return replace(
            self,
            shift=self.shift[codes],
            offset=self.offset[codes],
            log_prior=self.log_prior[codes],
            whitening=self.whitening if tied else self.whitening[codes],
            log_det=self.log_det[codes],
            whitened=None if self.whitened is None else self.whitened[codes],
        )

    def model(self) -> Model:
        """Return a model of the core with these parameters."""
        tied = None if self.whitened is None else (self.whitened, self.uncentered)
        if self.structure == "diag":
            spread, log_det = 1 / self.whitening[np.newaxis], []
        else:
            spread, log_det = self.whitening, self.log_det[: len(self.whitening)].tolist()
        return Model(
            self.center.tolist(),
            (self.shift, self.offset),
            self.log_prior.tolist(),
            np.ascontiguousarray(spread),
            log_det,
            tied,
        )


def inverse(whitening: Floats) -> Floats:
    """Return the inverse of W, which is lower triangular as a rule."""
    if np.triu(whitening, 1).any():
        return np.asarray(np.linalg.inv(whitening), dtype=np.float64)
    return np.asarray(linalg.solve_triangular(whitening, np.eye(len(whitening)), lower=True))
