"""Labels of pandas, polars and pyarrow as arrays of numpy: none is changed, none is lost.

Left alone, numpy and scikit-learn make numbers of pandas' nullable types doubles, which take large
integers for each other, give nulls of pyarrow's dictionaries the code of a class, and forget zones.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import unique_labels

from gauda._data.frames import library_of, plain_text
from gauda._data.masked import is_masked
from gauda._support.arrays import Mask
from gauda._support.warning import warn_caller

COLUMN_OF_LABELS = (
    "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
    "(n_samples, ), for example using ravel()."
)
"""What scikit-learn warns of, at a line of its own."""

NUMBERS = "biuf"
ONE_COLUMN = 1
SIGN_BIT = 1 << 63
INTEGERS = range(-SIGN_BIT, 2 * SIGN_BIT)
"""What integers of numpy there are."""


def flat_labels(y: Any, *, warn: bool = False) -> NDArray[Any]:
    """Return labels as a flat array, checked as scikit-learn does."""
    values = label_values(y)
    labels: NDArray[Any] = column_or_1d(values)
    if warn and np.asarray(values).ndim > 1:
        warn_caller(COLUMN_OF_LABELS, DataConversionWarning)
    if labels.dtype == object and len(labels):
        if all(isinstance(label, Decimal) for label in labels):
            return whole_numbers(labels)
        if all(isinstance(label, Integral) for label in labels):
            integer_labels([int(label) for label in labels])  # which refuses those that do not fit
    return labels


def labels_of_list(y: list[Any] | tuple[Any, ...]) -> Any:
    """Return labels of a list as an array; numpy makes large integers doubles, which merge some."""
    try:
        labels = np.asarray(y)
    except ValueError:  # scikit-learn says what is wrong
        return y
    if labels.ndim == 1 and labels.dtype.kind == "U":  # numpy makes text of NaN beside text
        refuse_missing(np.fromiter(map(stands_for_none, y), dtype=bool, count=len(y)))
    if labels.ndim != 1 or labels.dtype.kind not in "fO" or not len(labels):
        return y
    integers = [int(label) for label in y if isinstance(label, Integral)]
    if len(integers) == len(y):
        return integer_labels(integers)
    if labels.dtype.kind == "f" and any(label != float(label) for label in integers):
        raise ValueError(
            "Labels beside numbers with a decimal point must be integers up to 2**53; got "
            f"{max(integers, key=abs)}. Convert all of them to integers, or to text."
        )
    return labels


def integer_labels(integers: list[int]) -> NDArray[Any]:
    """Return integers in a type of 64 bits that holds them all."""
    least, largest = min(integers), max(integers)
    if least < -SIGN_BIT or largest >= (2 if least >= 0 else 1) * SIGN_BIT:
        raise ValueError(
            "Integer labels must fit into 64 bits, all together with a sign or all without; got "
            f"{least if -least > largest else largest}. Convert them to text."
        )
    return np.array(integers, dtype=np.int64 if largest < SIGN_BIT else np.uint64)


def label_values(y: Any) -> Any:
    """Return labels of a data frame's library as an array; anything else as it is."""
    library = library_of(y)
    if library == "pandas" and hasattr(y, "dtype"):
        return pandas_labels(y)
    if library == "pandas" and getattr(y, "shape", (0, 0))[1:] == (ONE_COLUMN,):
        column = pandas_labels(y.iloc[:, 0])
        return y if column is y else np.asarray(column).reshape(-1, ONE_COLUMN)
    if library == "polars" and hasattr(y, "dtype"):
        refuse_zone(getattr(y.dtype, "time_zone", None))
        return y
    if library == "pyarrow" and hasattr(y, "null_count"):
        return arrow_labels(y)
    return labels_of_list(y) if isinstance(y, (list, tuple)) else array_labels(y)


def array_labels(y: Any) -> Any:
    """Return an array without a mask, and text of any length as objects."""
    if is_masked(y):
        refuse_missing(np.broadcast_to(y.mask, y.shape))
        y = np.asarray(y.data)
    return plain_text(y)


def pandas_labels(y: Any) -> Any:
    """Return a column of pandas with the numbers that its type has, not as doubles."""
    dtype = y.dtype
    of_categories = getattr(getattr(dtype, "categories", None), "dtype", dtype)
    refuse_zone(zone_of_pandas(of_categories))
    if isinstance(dtype, np.dtype):
        return y
    refuse_missing(np.asarray(y.isna()))
    plain = getattr(dtype, "numpy_dtype", None)
    if isinstance(plain, np.dtype) and plain.kind in NUMBERS:
        return y.to_numpy(dtype=plain)
    return y


def zone_of_pandas(dtype: Any) -> Any:
    """Return the time zone of a type of pandas, if it has one; those of Arrow hide it."""
    return getattr(dtype, "tz", None) or getattr(getattr(dtype, "pyarrow_dtype", None), "tz", None)


def arrow_labels(y: Any) -> NDArray[Any]:
    """Return an array of pyarrow as one of numpy."""
    chunks = getattr(y, "chunks", None)
    y = y if chunks is None else y.combine_chunks()
    if hasattr(y, "dictionary"):
        y = y.dictionary_decode()  # which shows the nulls
    refuse_zone(getattr(y.type, "tz", None))
    refuse_missing(y.is_null().to_numpy(zero_copy_only=False))
    values: NDArray[Any] = y.to_numpy(zero_copy_only=False)
    return values


def whole_numbers(decimals: Iterable[Decimal]) -> NDArray[Any]:
    """Return decimals as integers of 64 bits: doubles would take large ones for each other."""
    decimals = list(decimals)
    others = [y for y in decimals if not is_integer(y)]
    integers = [] if others else [int(y) for y in decimals]
    if others or not (min(integers) >= 0 or max(integers) < SIGN_BIT):
        raise ValueError(
            "Decimal labels must be integers that fit into 64 bits; got "
            f"{(others or decimals)[0]}. Convert them to text."
        )
    return integer_labels(integers)


def is_integer(value: Decimal) -> bool:
    """Whether a decimal is an integer that numpy has."""
    return value.is_finite() and value == value.to_integral_value() and int(value) in INTEGERS


def refuse_zone(zone: Any) -> None:
    """Refuse times of a zone: numpy's times have none."""
    if zone is not None:
        raise ValueError(f"Labels must be times without a zone; got zone {str(zone)!r}. {ZONES}")


ZONES = "Convert them to text, which keeps the zone, or take the zone off."


def is_missing(labels: NDArray[Any]) -> Mask:
    """Tell which labels say that there is none: NaN, NaT, None and pandas' NA."""
    missing: Mask = np.zeros(len(labels), dtype=bool)
    if labels.dtype.kind in "fc":
        missing = np.isnan(labels)
    elif labels.dtype.kind in "mM":
        missing = np.isnat(labels)
    elif labels.dtype.kind == "O":
        missing = np.fromiter(map(stands_for_none, labels), dtype=bool, count=len(labels))
    return missing


def stands_for_none(label: Any) -> bool:
    """Tell whether an object says that there is none: it is None, or does not equal itself."""
    if label is None:
        return True
    try:
        return not bool(label == label)  # noqa: PLR0124 (which NaN and NaT do not)
    except (TypeError, ValueError):  # NA says neither yes nor no
        return True


def plain_classes(classes: Any) -> NDArray[Any] | None:
    """Return classes that are integers of an array, or all integers or all text of a list."""
    if type(classes) is list and set(map(type, classes)) in ({int}, {str}):
        classes = np.asarray(classes)
    elif type(classes) is not np.ndarray or classes.dtype.kind not in "iu":
        return None
    plain = classes.ndim == 1 and len(classes) > 0 and classes.dtype.kind in "iuU"
    return classes if plain and classes.dtype.isnative else None


def distinct_labels(classes: Any) -> NDArray[Any]:
    """Return the sorted labels of classes that were given, checked as scikit-learn does."""
    plain = plain_classes(classes)
    if plain is not None:
        return np.unique(plain)  # scikit-learn would find nothing to refuse here
    values = label_values(classes)
    if is_missing(np.ravel(np.asarray(values))).any():
        raise ValueError(f"classes must be labels, of which none is missing; got {classes}.")
    labels: NDArray[Any] = unique_labels(values)
    return labels


def refuse_missing(missing: Mask) -> None:
    """Refuse labels that are not there; in scikit-learn's words, and with the row."""
    if missing.any():
        raise ValueError(
            f"Input y contains NaN: the label of row {int(missing.argmax())} is missing. Drop such "
            "rows first."
        )
