"""Discriminants and the boundaries between classes, as polynomials in the columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._analysis.formulas import boundary_latex, discriminants_latex, polynomial
from gauda._analysis.gaussians import Gaussians
from gauda._support.arrays import Floats
from gauda._support.matrices import check_room
from gauda.typing import Label, MatrixLike

NEWTON_STEPS = 3
PRODUCTS = "Coefficients of all products"


@dataclass(frozen=True, eq=False)
class Discriminants:
    """The discriminants x'Ax + b'x + c of all classes: log p(k | x) up to a common term.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels, in the order of the coefficients.

    A : ndarray of shape (n_classes, n_features, n_features)
        Coefficients of products; 0 where all classes have the same covariance.

    b : ndarray of shape (n_classes, n_features)
        Coefficients of columns.

    c : ndarray of shape (n_classes,)
        Constants.
    """

    classes: NDArray[Any]
    A: Floats
    b: Floats
    c: Floats
    _features: list[str] = field(repr=False)

    def __str__(self) -> str:
        forms = zip(self.classes, self.A, self.b, self.c, strict=True)
        return "\n".join(
            f"delta_{label}(x) = {polynomial(A, b, c, self._features)}" for label, A, b, c in forms
        )

    def _repr_latex_(self) -> str:
        forms = zip(self.A, self.b, self.c, strict=True)
        return discriminants_latex(self.classes, forms, self._features)


@dataclass(frozen=True, eq=False, repr=False)
class Boundary:
    """Where a class and another are equally probable: x'Ax + b'x + c = 0.

    The left side is log p(i | x) - log p(j | x). Called with rows it returns that for each row. The
    core computes it about the classes' center, so columns far from zero lose no digits, as
    they would in the polynomial.

    Attributes
    ----------
    i, j : label
        The classes; i is the more probable one where the function is positive.

    A : ndarray of shape (n_features, n_features)
        Coefficients of products, symmetric; 0 if both classes have the same covariance.

    b : ndarray of shape (n_features,)
        Coefficients of columns.

    c : float
        The constant.
    """

    i: Label
    j: Label
    A: Floats
    b: Floats
    c: float
    _features: list[str]
    _log_odds: Callable[[Any], NDArray[Any]]
    """Computes log p(i | x) - log p(j | x) for each row."""
    _proba: Callable[[Any], NDArray[Any]]
    """Computes the posteriors of j and of i for each row."""
    _alone: bool
    """Whether the model has no other classes."""
    _log_odds_at: Callable[[Floats], NDArray[Any]]
    """Computes the log-odds of points, whose columns have no names."""

    @property
    def is_linear(self) -> bool:
        """Whether the boundary is a hyperplane."""
        return not self.A.any()

    @property
    def theta(self) -> Floats:
        """Weights of logistic regression's form: p(i | x) = 1 / (1 + exp(-theta' (1, x))).

        The posterior is that among i and j; with two classes, that of the model.
        """
        if not self.is_linear:
            raise AttributeError(
                f"The boundary of {self.i} and {self.j} is not linear, so there is no theta; "
                "use A, b and c."
            )
        return np.concatenate([[self.c], self.b])

    def __call__(self, X: Any) -> NDArray[Any]:
        """Return log p(i | x) - log p(j | x) for each row."""
        return self._log_odds(X)

    def proba(self, X: MatrixLike) -> NDArray[Any]:
        """Return p(i | x) for each row, given that the class is i or j: the sigmoid of the call."""
        return np.ascontiguousarray(self._proba(X)[:, 1])

    def roots(self) -> Floats:
        """Return where along the only column both classes are equally probable, in rising order.

        There is one point if both have the same variance, and else two or none. Digits that the
        polynomial loses far from 0 are restored by steps on the function itself.
        """
        if len(self.b) != 1:
            raise ValueError(
                f"Roots are points along one column; the boundary of {self.i} and {self.j} has "
                f"{len(self.b)} columns. Take model.marginal([column]).boundary(i, j)."
            )
        square, slope, constant = float(self.A[0, 0]), float(self.b[0]), float(self.c)
        if not np.isfinite(constant):
            return np.empty(0)  # a class of prior 0 is nowhere as probable as the other
        if square == 0:
            roots = np.array([-constant / slope] if slope else [])
            return self._refine(roots, np.full(len(roots), slope))
        vertex = -slope / (2 * square)
        squared = -self._at(np.array([vertex]))[0] / square
        if squared < 0:
            return np.empty(0)
        reach = np.array([-1.0, 1.0] if squared > 0 else [0.0]) * np.sqrt(squared)
        return np.sort(self._refine(vertex + reach, 2 * square * reach))

    def _refine(self, roots: Floats, slopes: Floats) -> Floats:
        """Return roots after Newton's steps, given the slopes there."""
        for _ in range(NEWTON_STEPS if slopes.all() else 0):
            roots = roots - self._at(roots) / slopes
        return roots

    def _at(self, points: Floats) -> Floats:
        """Return the function at points along the only column."""
        return np.asarray(self._log_odds_at(points[:, np.newaxis]), dtype=np.float64)

    def __repr__(self) -> str:
        kind = "linear" if self.is_linear else "quadratic"
        return f"Boundary({self.i!r}, {self.j!r}, {kind}, {len(self.b)} features)"

    def __str__(self) -> str:
        form = polynomial(self.A, self.b, self.c, self._features)
        difference = f"f(x) = log p({self.i} | x) - log p({self.j} | x) = {form}"
        given = "x" if self._alone else f"x, {self.i} or {self.j}"
        return f"{difference}\np({self.i} | {given}) = 1 / (1 + exp(-f(x)))"

    def _repr_latex_(self) -> str:
        form = self.A, self.b, self.c
        return boundary_latex(self.i, self.j, form, self._features, alone=self._alone)


def about_center(gaussians: Gaussians) -> tuple[Floats, Floats, Floats]:
    """Return A, b and c of the discriminants of rows about the center."""
    d = gaussians.n_features
    if gaussians.whitened is not None:
        means = gaussians.whitened
        constants = gaussians.log_prior - np.square(means).sum(axis=1) / 2
        return no_products(len(means), d), means @ gaussians.whitening[0], constants
    check_room(PRODUCTS, d, gaussians.n_classes)
    means = gaussians.whiten(gaussians.centered)
    matrices = [gaussians.matrix(code) for code in range(gaussians.n_classes)]
    A = np.stack([-(matrix.T @ matrix) / 2 for matrix in matrices])
    b = np.stack([mean @ matrix for mean, matrix in zip(means, matrices, strict=True)])
    squares = np.square(means).sum(axis=1)
    return A, b, gaussians.log_prior - (gaussians.log_det + squares) / 2


def no_products(*shape: int) -> Floats:
    """Return coefficients of products that are all 0, for d x d of which there is no need."""
    return np.broadcast_to(0.0, (*shape, shape[-1]))


def shift_origin(A: Floats, b: Floats, c: Floats, center: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the coefficients for rows themselves from those for rows about the center."""
    at_center = A @ center
    return A, b - 2 * at_center, c + at_center @ center - b @ center


def discriminant_forms(gaussians: Gaussians) -> tuple[Floats, Floats, Floats]:
    """Return A, b and c of all discriminants, with the common term that the core's have."""
    A, b, c = about_center(gaussians)
    if gaussians.whitened is None:
        return shift_origin(A, b, c, gaussians.center)
    if not gaussians.uncentered:
        return A, b, c - b @ gaussians.center
    whitening = gaussians.whitening[0]
    at_center = whitening @ gaussians.center
    means = gaussians.whitened + at_center
    return A, means @ whitening, gaussians.log_prior - np.square(means).sum(axis=1) / 2


def boundary_form(pair: Gaussians) -> tuple[Floats, Floats, float]:
    """Return A, b and c of the second of two discriminants less the first."""
    if pair.structure == "diag":
        return independent_form(pair)
    A, *others = about_center(pair)
    b, c = (second - first for first, second in others)
    if pair.whitened is not None:
        return no_products(pair.n_features), b, float(c - b @ pair.center)
    A, b, c = shift_origin(A[1] - A[0], b, c, pair.center)
    return A, b, float(c)


def independent_form(pair: Gaussians) -> tuple[Floats, Floats, float]:
    """Return the same of independent columns, of which only squares have coefficients."""
    precisions = np.square(pair.whitening)
    squares = -(precisions[1] - precisions[0]) / 2
    slopes = precisions * pair.centered
    lengths = np.square(pair.whitening * pair.centered).sum(axis=1)
    constants = pair.log_prior - (pair.log_det + lengths) / 2
    b, c = slopes[1] - slopes[0], constants[1] - constants[0]
    at_center = squares * pair.center
    if squares.any():
        check_room(PRODUCTS, pair.n_features, 1)
        A = np.diag(squares)
    else:
        A = no_products(pair.n_features)
    return A, b - 2 * at_center, float(c + at_center @ pair.center - b @ pair.center)
