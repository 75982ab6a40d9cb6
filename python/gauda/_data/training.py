"""Rows, labels and weights on their way to the core, checked as scikit-learn does."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import validate_data

from gauda._data.element_types import FLOAT32, FLOAT64, NATIVE, SINGLE
from gauda._data.encoding import encode
from gauda._data.frames import (
    N_AXES,
    TEXT,
    library_of,
    name_column,
    nulls_in,
    plain_table,
    plain_text,
)
from gauda._data.label_columns import flat_labels
from gauda._data.masked import fill_masked
from gauda._data.shapes import by_name, is_bfloat16, plain_array, rows_by_name
from gauda._data.sklearn_private import check_sample_weight, get_feature_names
from gauda._data.sparse import refuse_sparse
from gauda._data.twins import unfitted_twin
from gauda._support.arrays import Floats
from gauda._support.errors import Names
from gauda._support.record import record
from gauda._support.warning import warn_caller

PLAIN = (np.ndarray, np.memmap)

TIMES = frozenset("mM")
"""Kinds of numpy's types of times."""

Codes = NDArray[np.uint32] | list[int]
"""Indices of the classes of rows; of a few in a list."""

NEXT_TO_NOTHING = 2.0**-100
"""Share of the largest weight up to which a row counts as absent where rows count once."""


def column_names(X: Any) -> NDArray[Any] | None:
    """Return the names of columns, if X is a table that has them."""
    names: NDArray[Any] | None = None if type(X) in PLAIN else get_feature_names(X)
    return names


def score_dtype(X: NDArray[Any]) -> np.dtype[Any]:
    """Return the type in which the core scores these rows."""
    return FLOAT32 if X.dtype in SINGLE else FLOAT64


def as_rows(X: Any, estimator: BaseEstimator | str, min_samples: int = 1) -> NDArray[Any]:
    """Return X as a 2-D array that the core reads in place; NaN is the core's to find."""
    ready = False
    if type(X) in PLAIN and X.dtype in NATIVE and X.ndim == N_AXES:
        n_rows, n_columns = X.shape
        ready = n_rows >= min_samples and n_columns > 0
    if not ready:
        try:
            X = validate_array(X, estimator, min_samples)
        except (TypeError, ValueError) as error:
            who = estimator if isinstance(estimator, str) else type(estimator).__name__
            named = name_column(X, who, error)
            raise named from (None if named is error else error)
    rows: NDArray[Any] = X
    return rows if rows.flags.aligned else np.array(rows)  # once, and not in each pass


def validate_array(X: Any, estimator: BaseEstimator | str, min_samples: int) -> NDArray[Any]:
    """Return X as an array of numbers, checked as scikit-learn does."""
    if is_bfloat16(getattr(X, "dtype", None)):
        X = np.asarray(plain_array(X), dtype=np.float32)
    refuse_sparse(X, estimator if isinstance(estimator, str) else type(estimator).__name__)
    array: NDArray[Any] = check_array(
        plain_table(plain_text(plain_array(X))),
        ensure_all_finite=False,
        ensure_min_samples=min_samples,
        estimator=estimator,
        input_name="X",
    )
    if array.dtype.kind in TIMES:
        raise TypeError(
            f"X must hold numbers; got times of dtype {array.dtype}. Convert them, as to days "
            "since a date."
        )
    if array.dtype in NATIVE:
        return array
    if array.dtype == object and library_of(X) == "pandas":  # older ones keep their mark of gaps
        array = np.where(sys.modules["pandas"].isna(array), np.nan, array)
    native = array.dtype.newbyteorder("=")
    return array.astype(native if native in NATIVE else np.float64)


class Columns(Protocol):
    """The columns of a fit."""

    @property
    def n_features(self) -> int:
        """How many there are."""

    @property
    def feature_names(self) -> NDArray[Any] | None:
        """Their names, if they have some."""


def rows_to_score(estimator: BaseEstimator, X: Any, fitted: Columns | None = None) -> NDArray[Any]:
    """Return X as rows for a fitted estimator, its columns checked against those of the fit."""
    if fitted is not None and by_name(X):
        named = rows_by_name(X, fitted.feature_names, type(estimator).__name__)
        return as_rows(named, estimator)
    if fitted is None:
        rows = as_rows(X, estimator)
        validate_data(estimator, X, reset=False, skip_check_array=True)
        return rows
    unnamed = type(X) in PLAIN and fitted.feature_names is None
    if unnamed and is_ready(X, fitted.n_features):
        ready: NDArray[Any] = X
        return ready
    rows = as_rows(X, estimator)
    check_columns(X, estimator, fitted)
    return rows


def check_columns(X: Any, estimator: BaseEstimator, fitted: Columns) -> None:
    """Refuse other columns than those of a fit, in scikit-learn's words."""
    if type(X) in PLAIN and fitted.feature_names is None and X.shape[1:] == (fitted.n_features,):
        return
    asker = unfitted_twin(estimator)
    asker.n_features_in_ = fitted.n_features
    known, given = fitted.feature_names, get_feature_names(X)
    if known is not None and given is None:
        warn_of_no_names(estimator)
    elif given is not None:
        if known is None:
            warn_caller(
                f"X has feature names, but {type(estimator).__name__} was fitted without feature "
                "names"
            )
        asker.feature_names_in_ = given if known is None else known
    validate_data(asker, X, reset=False, skip_check_array=True)


def warn_of_no_names(estimator: BaseEstimator) -> None:
    """Warn of columns without names, where those of the fit had some, in scikit-learn's words."""
    warn_caller(
        f"X does not have valid feature names, but {type(estimator).__name__} was fitted with "
        "feature names"
    )


def is_ready(X: NDArray[Any], n_features: int) -> bool:
    """Tell whether there is nothing to check: a single row takes but 3 µs in all."""
    if X.ndim != N_AXES or X.dtype not in NATIVE:
        return False
    flags = X.flags
    return flags.c_contiguous and flags.aligned and X.shape[1] == n_features and len(X) > 0


def plain_labels(classes: NDArray[Any]) -> NDArray[Any]:
    """Return labels in the type that scikit-learn's `unique_labels` gives them."""
    if classes.dtype.kind != "O" and classes.dtype.isnative:
        return classes
    labels: NDArray[Any] = unique_labels(classes)
    return labels if labels.tolist() == classes.tolist() else classes  # zeros may end a text


def validate_weights(weights: Any, rows: NDArray[Any]) -> Floats | None:
    """Return a weight for each row, if any were given; of no rows also none, or one for all."""
    if weights is None:
        return None
    if len(rows) == 0 and (np.ndim(weights) == 0 or len(weights) == 0):
        return np.empty(0)
    checked = check_sample_weight(plain_weights(weights), rows, dtype=np.float64)
    ready: Floats = np.require(checked, requirements=["C_CONTIGUOUS", "ALIGNED"])
    return ready


def plain_weights(weights: Any) -> Any:
    """Return weights with NaN for what is masked; refuse times, which numpy takes for numbers."""
    weights = fill_masked(weights)
    if getattr(getattr(weights, "dtype", None), "kind", None) in TIMES:
        raise TypeError(
            f"sample_weight must hold numbers; got times of dtype {weights.dtype}. Convert them, "
            "as to days."
        )
    return weights


def refuse_no_labels(estimator: BaseEstimator, X: Any, y: Any) -> None:
    """Refuse rows without labels, in scikit-learn's words."""
    if y is None:
        validate_data(unfitted_twin(estimator), X, y, skip_check_array=True)


@record
class LabeledRows:
    """Training data, checked."""

    rows: NDArray[Any]
    classes: NDArray[Any]
    codes: NDArray[np.uint32]
    weights: Floats | None
    names: Names
    n_threads: int | None
    n_dropped: int = 0
    """Rows that were left out, as values were missing."""

    @classmethod
    def of(  # noqa: PLR0913 (what fit was given)
        cls,
        estimator: BaseEstimator,
        X: Any,
        y: Any,
        sample_weight: Any,
        *,
        min_samples: int = 1,
        fitted: Columns | None = None,
    ) -> LabeledRows:
        """Check data for an estimator, against the columns of the fit before if there was one."""
        refuse_no_labels(estimator, X, y)
        if fitted is None:
            rows = as_rows(X, estimator, min_samples)
            features = column_names(X)
        else:
            rows = rows_to_score(estimator, X, fitted)
            features = fitted.feature_names
        return cls._label_rows(rows, y, sample_weight, features, estimator).of_table(X)

    @classmethod
    def without_estimator(
        cls, X: Any, y: Any, sample_weight: Any, n_threads: int | None
    ) -> LabeledRows:
        """Check data for moments, of which there may be none."""
        rows = as_rows(X, "Moments", min_samples=0)
        data = cls._label_rows(rows, y, sample_weight, column_names(X), None)
        return replace(data, n_threads=n_threads).of_table(X)

    def of_table(self, X: Any) -> LabeledRows:
        """Return the same data, of which a table tells what is null."""
        is_null = None if type(X) in PLAIN else nulls_in(X)
        if is_null is None:
            return self
        return replace(self, names=replace(self.names, is_null=is_null))

    @classmethod
    def of_labels(
        cls,
        n_rows: int,
        y: Any,
        sample_weight: Any,
        features: NDArray[Any] | None,
        n_threads: int | None,
    ) -> LabeledRows:
        """Check labels and weights of rows whose values are kept elsewhere."""
        data = cls._label_rows(np.empty((n_rows, 0)), y, sample_weight, features, None)
        return replace(data, n_threads=n_threads)

    @classmethod
    def _label_rows(
        cls,
        rows: NDArray[Any],
        y: Any,
        sample_weight: Any,
        features: NDArray[Any] | None,
        estimator: BaseEstimator | None,
    ) -> LabeledRows:
        if not (type(y) in PLAIN and y.shape == (len(rows),) and y.dtype.kind != TEXT):
            y = flat_labels(y, warn=True)
            check_consistent_length(rows, y)
        n_threads = getattr(estimator, "n_threads", None)
        classes, codes = encode(y, n_threads)
        classes.flags.writeable = False  # they are new, and so nobody copies them to keep them
        who = "Moments" if estimator is None else type(estimator).__name__
        names = Names(who, classes, features, estimator, codes=codes)
        return cls(rows, classes, codes, validate_weights(sample_weight, rows), names, n_threads)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.rows.shape[1])

    @property
    def counted_once(self) -> Floats | None:
        """Weights that count each row once; None if all count.

        Rows of weight 0 do not, nor those of next to none beside the others.
        """
        if self.weights is None or not len(self.weights):
            return None
        counted = self.weights > NEXT_TO_NOTHING * self.weights.max()
        return None if counted.all() else counted.astype(np.float64)

    @property
    def n_counted(self) -> int:
        """Number of rows of positive weight."""
        return len(self.codes) if self.weights is None else int(np.count_nonzero(self.weights))

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of fitted attributes."""
        return FLOAT32 if self.rows.dtype == FLOAT32 else FLOAT64

    def as_one_class(self) -> LabeledRows:
        """Return the same rows without their labels."""
        codes = np.zeros(len(self.rows), dtype=np.uint32)
        return replace(self, classes=np.zeros(1, dtype=int), codes=codes)
