"""What helps where a covariance is singular: only what works on the very rows, best first.

A conjugate prior and regularized discriminant analysis borrow from the other classes and keep the
shape of each; shrinkage and `reg_param` know nothing of the others; a common covariance and
independent columns give up the shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._support.arrays import Floats, Mask

SHARE = 0.5
"""Share of the pooled covariance in advice."""

LITTLE = 0.1
"""Share of a target in advice."""

MARGIN = 1e-6
"""Smallest eigenvalue of correlations with which a matrix counts as regular, whatever `tol` is."""

FOLDS = 10
"""Of cross-validation by default."""


@dataclass(frozen=True)
class Spread:
    """How rows vary about the means of their classes, of which all must have a covariance."""

    n_rows: int
    """Rows of the class whose covariance is singular."""
    n_features: int
    min_rows: int
    """Rows of the smallest class."""
    max_rows: int
    """Rows of the largest class."""
    all_vary: bool
    """Whether something varies within every class."""
    any_varies: bool
    """Whether something varies within some class."""
    largest: float
    """The largest variance of a column within a class."""
    regular: bool
    """Whether the pooled covariance has full rank."""

    @classmethod
    def of(cls, moments: Any, code: int) -> Spread:
        """Measure the rows behind moments of structure 'full' or 'diag'."""
        rows, squares = moments.class_rows, moments.squares
        varying = squares.any(axis=1)
        variances = squares / np.where(moments.counts > 0, moments.counts, 1.0)[:, np.newaxis]
        return cls(
            int(rows[code]),
            moments.n_features,
            int(rows.min()),
            int(rows.max()),
            bool(varying.all()),
            bool(varying.any()),
            float(variances.max()),
            is_regular(moments),
        )

    @classmethod
    def of_counts(
        cls,
        rows: NDArray[np.uint64],
        n_features: int,
        varying: Mask,
        code: int,
    ) -> Spread:
        """Tell what numbers of rows tell, and in which classes something varies."""
        return cls(
            int(rows[code]),
            n_features,
            int(rows.min()),
            int(rows.max()),
            bool(varying.all()),
            bool(varying.any()),
            largest=np.inf,  # as far as is known
            regular=False,
        )

    @property
    def few(self) -> bool:
        """Whether the class has at most as many rows as columns."""
        return self.n_rows <= self.n_features


def is_regular(moments: Any) -> bool:
    """Tell whether the pooled covariance has full rank, and some to spare."""
    too_few = 0 < moments.n_rows < moments.n_features + len(moments.classes)
    if moments.structure == "diag" or too_few:
        return False  # as far as is known
    pooled = moments.scatter if moments.structure == "tied" else moments.scatter.sum(axis=0)
    deviations = np.sqrt(np.diag(pooled) / moments.counts.sum())
    sizes = np.abs(moments.means).max(axis=0)
    if not (deviations > np.finfo(float).eps * sizes).all():
        return False
    units = np.sqrt(np.diag(pooled))
    correlations: Floats = pooled / units / units[:, np.newaxis]
    return bool(np.linalg.eigvalsh(correlations)[0] > MARGIN)


def pooled_squares(moments: Any) -> Floats:
    """Return the sum of squares of each column about the class means."""
    return np.asarray(moments.squares.sum(axis=0))


def free_rows(moments: Any, code: int | None) -> int:
    """Return how many rows tell of a covariance, beyond those that the means take."""
    rows = moments.class_rows
    return int(rows.sum() - len(rows) if code is None else rows[code] - 1)


NOTHING_VARIES = (
    "Nothing varies within the classes, as with one sample in each: give more rows, or columns "
    "that vary."
)


def for_class(model: Any, spread: Spread, constant: Sequence[int], guilty: str) -> str:
    """Return what helps a class whose covariance is singular, by constant and other columns."""
    if not spread.any_varies:
        return NOTHING_VARIES
    own = own_parameters(model, spread)
    others = ["LinearDiscriminantAnalysis"]
    if not constant:
        others.append("GaussianNB")
    last = f"drop {guilty}"
    if len(constant) == spread.n_features:
        last = "give the class rows that differ"
    elif spread.few:
        last = "drop columns until the class has more rows"
    return f"What helps, best first: {'; '.join([*own, *others])}; or {last}."


def singular_advice(model: Any) -> str:
    """Return which remedies suit a model: a fact of its class, whatever that is called."""
    return str(getattr(model, "singular_advice", "linear"))


def own_parameters(model: Any, spread: Spread) -> list[str]:
    """Return what parameters help, of this estimator or of its regularized relative."""
    kind = singular_advice(model)
    if kind in {"regularized", "search"}:
        return regularized_parameters(model, spread)
    if kind != "quadratic":
        return []
    found = []
    needs_rows = isinstance(model.shrinkage, str) or model.covariance_estimator is not None
    if model.conjugate_prior is None and spread.regular and not (needs_rows or model.unbiased):
        found.append("conjugate_prior='empirical'")
    found.append(relative(spread))
    if spread.all_vary and model.covariance_estimator is None and model.conjugate_prior is None:
        solver = "" if model.solver == "eigen" else "solver='eigen' with "
        found.append(f"{solver}shrinkage={LITTLE}")
    # It is added in the units of X, and scikit-learn's class refuses it for fewer rows.
    felt = spread.largest * max(model.tol * model.tol, MARGIN) < LITTLE
    if model.solver == "svd" and spread.min_rows >= spread.n_features and felt:
        found.append(f"reg_param={LITTLE}")
    return found


def relative(spread: Spread) -> str:
    """Return the regularized model that fits, and who finds its shares."""
    model = f"RegularizedDiscriminantAnalysis({shares(spread)})"
    can_choose = spread.min_rows > 1 and spread.max_rows >= FOLDS
    return f"{model}, or RegularizedDiscriminantAnalysisCV" if can_choose else model


def shares(spread: Spread) -> str:
    """Return the shares with which regularized covariances have full rank."""
    return f"alpha={SHARE}" if spread.regular else f"alpha={SHARE}, gamma={LITTLE}"


def regularized_parameters(model: Any, spread: Spread) -> list[str]:
    """Return the parameters of a regularized model that help."""
    if not hasattr(model, "alpha"):
        return ["alphas and gammas above 0"]
    plain = model.covariance is None and model.shrinkage is None and model.target == "spherical"
    if plain and spread.regular and spread.all_vary:
        return [f"a larger `alpha` or `gamma`, such as {shares(spread)}"]
    found = shares(spread)
    if model.covariance is not None:
        found += ", covariance=None"
    if not spread.regular and model.shrinkage is not None:
        found += ", shrinkage=None"
    if not spread.regular and model.target != "spherical":
        found += ", target='spherical'"
    return [found]


def for_columns(model: Any, squares: Floats | None, columns: Sequence[int]) -> str:
    """Return what parameters of a regularized model help columns without variance in a class."""
    elsewhere = squares is not None and squares[list(columns)].all()
    found = f"alpha={SHARE}" if elsewhere else f"alpha={SHARE}, gamma={LITTLE}, target='spherical'"
    return f"{found}, covariance=None" if model.covariance is not None else found


def for_one_row(model: Any, spread: Spread) -> str:
    """Return what helps a class of one row."""
    if not spread.any_varies:
        return NOTHING_VARIES
    found = [relative(spread), "LinearDiscriminantAnalysis"]
    if (
        spread.regular
        and model.conjugate_prior is None
        and not model.unbiased
        and model.shrinkage is None
    ):
        found.insert(0, "conjugate_prior='empirical'")
    return f"What helps, best first: {'; '.join(found)}; or give the class more rows."


def for_pooled(model: Any, rank: int) -> str:
    """Return what helps a common covariance that is singular."""
    if rank == 0:
        return NOTHING_VARIES
    if getattr(model, "solver", None) == "eigen":
        return (
            f"Use solver='svd', which drops such directions; shrinkage={LITTLE}; or drop columns."
        )
    return "Drop columns."


def for_density(model: Any) -> str:
    """Return how a model that drops directions gets a density."""
    kind = singular_advice(model)
    if kind == "regularized":
        return f"{regularized_target(model)}, or drop columns"
    if kind == "search":
        return "gammas above 0, or drop columns"
    if kind == "centroids":
        return "an offset above 0, or drop columns"
    if getattr(model, "solver", "svd") == "svd":
        return f"solver='lsqr' with shrinkage={LITTLE}, or drop columns"
    return f"shrinkage={LITTLE}, or drop columns"


def for_em(model: Any) -> str:
    """Return what keeps covariances regular while EM estimates them."""
    kind = singular_advice(model)
    if kind == "regularized":
        return regularized_target(model)
    if kind == "search":
        return "gammas above 0"
    if kind == "quadratic":
        return f"RegularizedDiscriminantAnalysis(alpha={SHARE}, gamma={LITTLE})"
    return f"solver='lsqr' with shrinkage={LITTLE}"


def regularized_target(model: Any) -> str:
    """Return the parameters that make any regularized covariance regular."""
    found = f"gamma={LITTLE}"
    if model.target != "spherical":
        found += ", target='spherical'"
    if model.covariance is not None:
        found += f", alpha={SHARE}, covariance=None"
    if model.shrinkage is not None:
        found += ", shrinkage=None"
    return found


def for_left_out(model: Any) -> str:
    """Return what keeps a covariance regular when a row is left out."""
    kind = singular_advice(model)
    if kind in {"regularized", "search"}:
        regularized = getattr(model, "alpha", None) is not None
        return "larger alpha or gamma" if regularized else "alphas and gammas above 0"
    if kind == "naive":
        return "larger var_smoothing"
    if kind == "centroids":
        return "an offset above 0"
    if kind == "quadratic":
        return "conjugate_prior='empirical', or RegularizedDiscriminantAnalysis"
    return "solver='lsqr' with shrinkage, or RegularizedDiscriminantAnalysis"


def rows_text(weight: float) -> str:
    """Return '50 rows', or the weight if that is not a number of rows."""
    if weight != int(weight):
        return f"weight {weight:g}"
    return "1 row" if weight == 1 else f"{int(weight)} rows"
