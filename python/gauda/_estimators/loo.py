"""Leave-one-out posteriors: every row under the model of all others, without another fit.

`loo_log_proba` is a method of `Classifier`, `leave_one_out` of `GaussianClassifier`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gauda import _core
from gauda._core import CoreError
from gauda._data.labels import indices_among
from gauda._data.training import LabeledRows, score_dtype
from gauda._estimators.class_weights import weigh_rows
from gauda._estimators.family import hides_target
from gauda._estimators.state import Current
from gauda._statistics.access import among, core_of, is_wide, moments_of, names_of, with_core
from gauda._statistics.base import Statistics
from gauda._statistics.moments import Moments
from gauda._support.arrays import Floats
from gauda._support.errors import LostDigitsError
from gauda.typing import Labels, MatrixLike, Weights

if TYPE_CHECKING:
    from gauda._estimators.classifier import Classifier
    from gauda._estimators.gaussian import GaussianClassifier

Sums = TypeVar("Sums", bound=Statistics)

MIN_ORDER = 2
"""Of moments that most models are made of."""

MAX_REMOVED = 1e4
"""How many times what stays a row's squares may be, to be subtracted."""


def loo_log_proba(
    self: Classifier,
    X: MatrixLike,
    y: Labels,
    refit_priors: bool = False,  # noqa: FBT001, FBT002 (as in other packages)
    *,
    sample_weight: Weights | None = None,
) -> Floats:
    """Return the log-posteriors of each row under the model fitted without that row.

    They are exact. Most models take a row out of their covariances or counts by a formula, in about
    the time of a prediction; Gaussian ones with weights, a `conjugate_prior`, `reduced_rank` or
    `shrinkage` that is estimated are computed from moments for each row. Levels that only one row
    has stay known to discrete models, with nothing counted; with handle_unknown='ignore' such a
    level is left out for its row, as after a fit to the others.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows that the model was fitted to: all of them, or some. The model does not keep rows
        and trusts that these are among them; other rows are taken out all the same, unless
        the moments show that they cannot be part, and the posteriors then mean nothing.

    y : array-like of shape (n_samples,)
        Their labels.

    refit_priors : bool, default=False
        Whether priors are counted without the row too, if they were not given. By default they
        stay what they are, as in R's `lda(..., CV = TRUE)`.

    sample_weight : array-like of shape (n_samples,), default=None
        The weights that the rows had in the fit, if they had any.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Logarithms of the posteriors, in the order of `classes_`.

    Examples
    --------
    >>> from gauda import LDA
    >>> X, y = [[-3], [-2], [-1], [1], [2], [3]], [0, 0, 0, 1, 1, 1]
    >>> LDA().fit(X, y).loo_log_proba(X, y).round(3)[:2]
    array([[ -0.  , -22.75],
           [ -0.  , -10.  ]])
    """
    current = self._current()
    found: Floats = self._leave_one_out(current, X, y, sample_weight, refit_priors=refit_priors)
    return found


def leave_one_out(  # noqa: PLR0913 (what a call is given)
    self: GaussianClassifier,
    current: Current,
    X: MatrixLike,
    y: Labels,
    sample_weight: Weights | None,
    *,
    refit_priors: bool,
) -> Floats:
    """Return the log-posteriors of each row under the Gaussian model without it."""
    acting = self._acting(current.settings)
    check_removable(acting, current.statistics)
    data = acting._check_rows(X, y, sample_weight, current)
    data = weigh_rows(acting.class_weight, data)
    counts = current.statistics.counts
    check_weights_given(data, np.array_equal(counts, current.statistics.class_rows))
    check_part(current.statistics, moments_of(data, current.statistics.structure))
    refuse_single_rows(data, counts, current.statistics.classes)
    indices = indices_among(data.classes, current.statistics.classes)
    codes = indices.astype(np.uint32)[data.codes]
    kept = acting.priors is not None or not refit_priors
    priors = acting._class_priors(current.statistics) if kept else None
    moments = acting._removable_moments(data, current.statistics, priors)
    moments = of_order(acting, data, moments)
    problem = acting._problem(moments, current.estimates)
    by_formulas = acting.conjugate_prior is None and data.weights is None
    by_formulas = by_formulas and acting._order() == MIN_ORDER
    if not by_formulas or not acting._may_lose_rows(problem, current.model):
        return by_refitting(acting, data, moments, priors)
    family = acting._family(problem)
    core, rows = core_of(moments), data.rows
    if is_wide(moments):
        turns = family.turns and len(rows) == moments.n_rows
        turns = turns and not hides_target(family.target, float(np.min(family.gamma)), moments)
        turned = _core.turn(core, rows, codes) if turns else None
        if turned is None:
            return by_refitting(acting, data, moments, priors)
        family, rows = replace(family, columns=moments.n_features), turned
        core = _core.Moments.from_data(rows, codes, len(moments.classes), moments.structure)
    out = np.empty((len(codes), len(moments.classes)))
    try:
        _core.leave_one_out(
            core,
            rows,
            codes,
            family.of_core(priors),
            family.gamma,
            out,
            self.n_threads,
        )
    except CoreError as error:
        if error.kind != "left_out":
            raise self._names(current).explain(error) from None
        try:  # which may do what the core's formulas cannot
            return by_refitting(acting, data, moments, priors)
        except (ValueError, np.linalg.LinAlgError):
            raise self._names(current).explain(error) from None
    return out


def of_order(acting: GaussianClassifier, data: LabeledRows, moments: Moments) -> Moments:
    """Return moments of the order that the model of all other rows takes."""
    if moments.order >= acting._order():
        return moments
    if data.n_counted != moments.n_rows:
        raise ValueError(
            f"shrinkage={acting.shrinkage!r} needs moments of order {acting._order()}, which "
            f"fit does not keep. Pass all {moments.n_rows} rows of the fit; got {data.n_counted}."
        )
    return among(moments_of(data, moments.structure, order=acting._order()), moments.classes)


def check_rows_unneeded(acting: Any) -> None:
    """Refuse models that need all rows at once."""
    if (reason := acting._lack_of_rows("loo_log_proba")) is not None:
        raise ValueError(
            f"{reason} Or see cross_val_predict with LeaveOneOut, which fits for each row."
        )


def check_removable(acting: GaussianClassifier, moments: Moments) -> None:
    """Refuse models that rows cannot be taken out of."""
    check_rows_unneeded(acting)
    if moments.n_rows == 0:
        raise ValueError("The model was given, not fitted to rows: there are none to leave out.")
    if moments.has_gaps:
        raise ValueError(
            "Values of the rows of this model were missing, so rows cannot be taken out "
            "of it one by one. See cross_val_predict with LeaveOneOut, which fits for each row."
        )


def check_weights_given(data: LabeledRows, unweighted: bool) -> None:  # noqa: FBT001 (the condition of the refusal)
    """Refuse rows without their weights."""
    if data.weights is None and not unweighted:
        raise ValueError(
            "The rows of this model have weights: give them as sample_weight, as they were in the "
            "fit."
        )


def check_part(whole: Sums, part: Sums) -> None:
    """Refuse rows that are not part of those of the model."""
    try:
        whole - part  # refuses what is not a part of it
    except LostDigitsError:
        pass  # a part, as far as digits tell
    except ValueError as error:
        raise ValueError(f"X and y must be rows that the model was fitted to. {error}") from None


def refuse_single_rows(data: LabeledRows, class_weights: Floats, classes: NDArray[Any]) -> None:
    """Refuse rows without which their class would have none."""
    weights = np.ones(len(data.codes)) if data.weights is None else data.weights
    known = class_weights[indices_among(data.classes, classes)]
    rows = np.bincount(data.codes, weights > 0, len(data.classes))
    last = (weights == known[data.codes]) & (rows[data.codes] == 1)
    if last.any():
        raise ValueError(
            f"Class {data.classes[data.codes[last.argmax()]]} has one row only; without it there "
            "would be no such class. Leave the class out, or give it more rows."
        )


def by_refitting(
    estimator: GaussianClassifier, data: LabeledRows, moments: Moments, priors: Floats | None
) -> Floats:
    """Return the same from a model of the moments that each row leaves."""
    params = estimator.get_params(deep=False) | {"priors": priors, "class_weight": None}
    if "store_covariance" in params:
        params["store_covariance"] = False
    out = np.empty((len(data.rows), len(moments.classes)), dtype=score_dtype(data.rows))
    for index in range(len(data.rows)):
        without = type(estimator).from_moments(without_row(moments, data, index), **params)
        row = data.rows[index : index + 1]
        without._fitted_model().answer(row, 1, log_posterior=out[index : index + 1])
    return out.astype(np.float64, copy=False)


def without_row(moments: Moments, data: LabeledRows, index: int) -> Moments:
    """Return what a row leaves: the difference if digits suffice, else the sum of the others."""
    if data.weights is not None:
        return without_weighted_row(moments, data, index)
    codes = indices_among(data.classes, moments.classes).astype(np.uint32)[data.codes]
    one = slice(index, index + 1)
    n_classes, structure = len(moments.classes), moments.structure
    fourth = moments.order > MIN_ORDER
    core = _core.Moments.from_data(
        data.rows[one], codes[one], n_classes, structure, fourth_order=fourth
    )
    try:
        return with_core(moments, core_of(moments).subtract(core, MAX_REMOVED))
    except CoreError as error:
        if error.kind != "cancelled" or len(codes) != moments.n_rows:
            raise names_of(moments).explain(error) from None
    weights = np.ones(len(codes))
    weights[index] = 0.0
    core = _core.Moments.from_data(
        data.rows, codes, n_classes, structure, weights, data.n_threads, fourth_order=fourth
    )
    return with_core(moments, core)


def without_weighted_row(moments: Moments, data: LabeledRows, index: int) -> Moments:
    """Return the same of a row with a weight, which counts once where rows do."""
    one = slice(index, index + 1)
    weights = np.array(data.weights)
    row = replace(data, rows=data.rows[one], codes=data.codes[one], weights=weights[one])
    try:
        return moments - moments_of(row, moments.structure, order=moments.order)
    except LostDigitsError:
        if data.n_counted != moments.n_rows:
            raise
    weights[index] = 0.0
    others = replace(data, weights=weights)
    return among(moments_of(others, moments.structure, order=moments.order), moments.classes)


def drops_directions(model: _core.Model) -> bool:
    """Tell whether a common covariance is singular."""
    return model.rank < model.n_features
