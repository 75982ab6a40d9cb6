"""How the axes of linear discriminant analysis are read: coefficients, correlations, class means.

The functions here are methods and properties of `LinearDiscriminantAnalysis`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from gauda._analysis.summary import Table
from gauda._estimators.geometry import names_in_formulas
from gauda._estimators.reading import gaussian_tables
from gauda._estimators.state import Current
from gauda._statistics.access import attribute_of, core_of
from gauda._statistics.moments import Moments
from gauda._statistics.scatters import between_scatter, within_scatter
from gauda._statistics.separation import squares_within, weighted_deviations
from gauda._support.arrays import Floats

if TYPE_CHECKING:
    from gauda.discriminant_analysis._linear import LinearDiscriminantAnalysis


NO_AXES = "Fit with solver='svd' or 'eigen', which find discriminant axes."
KINDS = ("within", "total", "between")


def within_scatter_(self: LinearDiscriminantAnalysis) -> NDArray[Any]:
    """S_W, the squares and products of rows about the mean of their class, summed."""
    return within_scatter(self.moments_)


def between_scatter_(self: LinearDiscriminantAnalysis) -> NDArray[Any]:
    """S_B, the squares and products of class means about the mean of all rows, summed."""
    return between_scatter(self.moments_)


def hidden_properties(self: LinearDiscriminantAnalysis) -> frozenset[str]:
    """Return the names of properties that take axes, if there are none."""
    state = self._fitted
    has_axes = state is None or state.settings.solver != "lsqr"
    return frozenset() if has_axes else frozenset({"means_on_axes_", "standardized_coefficients_"})


def standardized_coefficients_(self: LinearDiscriminantAnalysis) -> NDArray[Any]:
    """Coefficients of the axes for columns divided by their pooled deviations within classes."""
    current, axes = fitted_axes(self, "standardized_coefficients_")
    return attribute_of(current.statistics, axes * deviations_within(current)[:, np.newaxis])


def means_on_axes_(self: LinearDiscriminantAnalysis) -> NDArray[Any]:
    """Class means in the coordinates of `transform`."""
    current, _ = fitted_axes(self, "means_on_axes_")
    return attribute_of(current.statistics, means_on_axes(current))


def structure_coefficients(
    self: LinearDiscriminantAnalysis, kind: Literal["within", "total", "between"] = "within"
) -> Floats:
    """Return the correlations of columns with the discriminant axes.

    Parameters
    ----------
    kind : {'within', 'total', 'between'}, default='within'
        Of rows about the means of their classes ('within'), of all rows ('total'), or of class
        means, each counted as often as its class has rows ('between').

    Returns
    -------
    ndarray of shape (n_features, n_components)
        Correlations; NaN where a column, or an axis, does not vary in this sense.

    Examples
    --------
    >>> from gauda import LDA
    >>> lda = LDA().fit([[0, 0], [1, 2], [5, 1], [6, 3]], ["a", "a", "b", "b"])
    >>> lda.structure_coefficients("between").round(6).ravel().tolist() in ([1, 1], [-1, -1])
    True
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be 'within', 'total' or 'between'; got {kind!r}.")
    current, axes = fitted_axes(self, "structure_coefficients")
    return correlations_with(axes, current.statistics, kind)


def fitted_axes(self: LinearDiscriminantAnalysis, name: str) -> tuple[Current, Floats]:
    """Return the fit and its axes; refuse one that has found none."""
    current = self._current()
    if "_axes" not in current.attributes:
        raise AttributeError(f"This {type(self).__name__} has no {name}. {NO_AXES}")
    return current, current.attributes["_axes"]


def deviations_within(current: Current) -> Floats:
    """Return the pooled standard deviations within classes, with the divisors of the fit."""
    moments: Moments = current.statistics
    variances = squares_within(moments) / moments.counts.sum()
    if current.settings.unbiased and moments.structure != "diag":
        variances = variances * core_of(moments).pooled_correction()
    return np.asarray(np.sqrt(variances))


def means_on_axes(current: Current) -> Floats:
    """Return class means about the center of `transform`, along the axes."""
    core = core_of(current.statistics)
    center, axes = current.attributes["_center"], current.attributes["_axes"]
    return np.asarray(((core.shift - center) + core.offset) @ axes)


def correlations_with(axes: Floats, moments: Moments, kind: str) -> Floats:
    """Return the correlations of columns with axes, in units in which no square overflows."""
    between = weighted_deviations(moments)
    units = np.sqrt(squares_within(moments))
    units = np.where(units > 0, units, np.abs(between).max(axis=0, initial=0.0))
    units = np.where(units > 0, units, 1.0)
    scaled, between = axes * units[:, np.newaxis], between / units
    products, squares = np.zeros_like(scaled), np.zeros(len(units))
    if kind != "within":
        products += between.T @ (between @ scaled)
        squares += np.square(between).sum(axis=0)
    if kind != "between":
        if moments.structure == "diag":
            raise ValueError(
                "Correlations with rows need products of columns, which a fit with "
                "covariance_estimator= leaves to that estimator. Use kind='between', or fit "
                "without it."
            )
        scatter = np.asarray(within_scatter(moments), dtype=np.float64) / np.outer(units, units)
        products += scatter @ scaled
        squares += np.diag(scatter)
    of_axes = (scaled * products).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = products / np.sqrt(squares[:, np.newaxis] * of_axes)
    undefined = (squares[:, np.newaxis] <= 0) | (of_axes <= 0)
    return np.where(undefined, np.nan, np.clip(found, -1, 1))


def summary_tables(self: LinearDiscriminantAnalysis, current: Current) -> list[Table]:
    """Return means, coefficients of the axes with their shares, and class means along them."""
    names, labels, found = names_in_formulas(current), current.classes.tolist(), current.attributes
    tables = gaussian_tables(self, current)
    if "_axes" not in found:
        columns = [*names, "constant"]
        values = np.column_stack([found["coef_"], found["intercept_"]]).astype(np.float64)
        classes = labels if len(values) == len(labels) else labels[1:]
        return [
            *tables,
            Table.of("linear discriminant functions", columns, classes, values, "class"),
        ]
    axes = found["_axes"]
    numbers = [f"LD{axis + 1}" for axis in range(axes.shape[1])]
    shares = np.asarray(found["explained_variance_ratio_"], dtype=np.float64)[: axes.shape[1]]
    return [
        *tables,
        Table.of("coefficients of linear discriminants", numbers, names, axes),
        Table.of("proportion of trace", numbers, [""], shares[np.newaxis]),
        Table.of("class means on the axes", numbers, labels, means_on_axes(current), "class"),
    ]
