"""One classifier tried on rows that it has not seen, then fitted to all rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from gauda._data.sklearn_private import take
from gauda._estimators.gaussian import GaussianClassifier
from gauda._support.arrays import Floats, Indices
from gauda._support.lazy import pipeline
from gauda.model_selection._comparison import Comparison
from gauda.model_selection._complexity import complexity, information_criterion
from gauda.model_selection._numeric_columns import NumericColumns
from gauda.model_selection._selection import Candidate

FAILURES = (ArithmeticError, TypeError, ValueError)
"""Errors by which a model says that it cannot be fitted to some data."""


def try_out(name: str, model: Any, data: Comparison) -> Candidate:
    """Return how a classifier does on held-out rows, and what it is when fitted to all."""
    losses, hits = [], []
    try:
        with collect_warnings() as messages:
            for train, test in data.splits:
                fitted = fit(model, data, train)
                posteriors = ordered_posteriors(fitted, take(data.table, test), data)
                losses.append(row_losses(posteriors, data.codes[test]))
                hits.append(posteriors.argmax(axis=1) == data.codes[test])
            fitted = fit(model, data, None)
            last = fitted[-1] if isinstance(fitted, pipeline.Pipeline) else fitted
            found = complexity(last)
            bic, no_bic = criterion(fitted, last, data, found.n_parameters)
    except FAILURES as error:
        return make_unfitted(name, model, data, str(error))
    columns = f"{len(data.numeric)} of {data.n_columns} columns" if takes_part(model) else ""
    remarks = [found.remark, columns, no_bic, *dict.fromkeys(messages)]
    held_out = data.held_out()
    return Candidate(
        name,
        model,
        split_means(losses, data),
        split_means(hits, data),
        bic,
        "; ".join(text for text in remarks if text),
        np.concatenate(losses),
        found.n_parameters,
        fitted,
        found.same_as,
        found.covariances,
        held_out,
    )


def make_unfitted(name: str, model: Any, data: Comparison, reason: str) -> Candidate:
    """Return a candidate that is listed with the reason why it cannot be compared."""
    failed = np.full(len(data.splits), np.nan)
    return Candidate(name, model, failed, failed, remark=" ".join(reason.split()))


def takes_part(model: Any) -> bool:
    """Return whether a model is given the columns of numbers only."""
    return isinstance(model, pipeline.Pipeline) and isinstance(model[0], NumericColumns)


@contextmanager
def collect_warnings() -> Iterator[list[str]]:
    """Collect the texts of warnings inside the block, for the table."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        for category in (UserWarning, RuntimeWarning):
            warnings.simplefilter("always", category)
        yield messages
        messages += [f"warning: {first_line(str(warning.message))}" for warning in caught]


def first_line(text: str) -> str:
    """Return the first line of a text."""
    return text.strip().partition("\n")[0]


def fit(model: Any, data: Comparison, rows: Indices | None) -> Any:
    """Return a copy of a classifier fitted to some rows, or to all."""
    table = data.table if rows is None else take(data.table, rows)
    labels = data.labels if rows is None else data.labels[rows]
    weights = data.weights if rows is None or data.weights is None else data.weights[rows]
    return clone(model).fit(table, labels, **weight_arguments(model, weights))


def weight_arguments(model: Any, weights: Floats | None) -> dict[str, Any]:
    """Return how weights are handed to a classifier; refuse one that would ignore them."""
    if weights is None:
        return {}
    if isinstance(model, pipeline.Pipeline):
        *_, (last, _) = model.steps
        names = [name for name, step in model.steps if has_fit_parameter(step, "sample_weight")]
        taken = {f"{name}__sample_weight": weights for name in names}
        takes = last in names
    else:
        taken, takes = {"sample_weight": weights}, has_fit_parameter(model, "sample_weight")
    if not takes:
        raise ValueError("Its fit takes no sample_weight. Leave the weights out, or the model.")
    return taken


def ordered_posteriors(fitted: Any, rows: Any, data: Comparison) -> NDArray[Any]:
    """Return posteriors in the order of the classes of the comparison."""
    posteriors = np.asarray(fitted.predict_proba(rows))
    own = np.asarray(fitted.classes_)
    if set(own.tolist()) != set(data.classes.tolist()) or posteriors.shape[1] != len(own):
        raise ValueError(
            f"Its posteriors must have a column for each of {len(data.classes)} classes; got "
            f"{posteriors.shape[1]} columns for {len(own)} classes."
        )
    if not np.array_equal(own, data.classes):
        index = {label: index for index, label in enumerate(own.tolist())}
        posteriors = posteriors[:, [index[label] for label in data.classes.tolist()]]
    if not np.isfinite(posteriors).all():
        raise ValueError("Its posteriors must be finite; got NaN or infinity for held-out rows.")
    return posteriors


def row_losses(posteriors: NDArray[Any], codes: Indices) -> Floats:
    """Return the log-loss of each row, as scikit-learn bounds it."""
    floats = posteriors.dtype if posteriors.dtype.kind == "f" else np.dtype(np.float64)
    shares = np.clip(posteriors.astype(np.float64), np.finfo(floats).eps, 1.0)
    shares /= shares.sum(axis=1, keepdims=True)
    losses: Floats = -np.log(shares[np.arange(len(codes)), codes])
    return losses


def split_means(values: list[NDArray[Any]], data: Comparison) -> Floats:
    """Return the weighted mean of each split."""
    weights = [None if data.weights is None else data.weights[test] for _, test in data.splits]
    means = [np.average(own, weights=weight) for own, weight in zip(values, weights, strict=True)]
    return np.array(means)


def criterion(fitted: Any, last: Any, data: Comparison, free: float) -> tuple[float, str]:
    """Return BIC, where a model has one, or why it has none."""
    if not isinstance(last, GaussianClassifier):
        return np.nan, ""
    rows = (
        fitted[:-1].transform(data.table) if isinstance(fitted, pipeline.Pipeline) else data.table
    )
    try:
        return information_criterion(last, rows, data.codes, data.weights, free), ""
    except ValueError as error:
        return np.nan, f"no BIC: {error}"
