"""Labels of classes: made one array, matched and joined without a change to any of them."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._data.label_columns import integer_labels, is_missing, label_values, labels_of_list
from gauda._support.arrays import Indices

KINDS = dict.fromkeys("biuf", "numbers") | dict.fromkeys("UO", "text") | {"M": "dates"}
"""What labels of numpy's types are; objects were checked to be text."""

WORDS = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
"""What labels are for the core, which writes them: words of their size."""

BLOCK = 1 << 16
"""Rows whose labels are looked up together."""


def label_question(names: NDArray[Any], labels: NDArray[Any], n_classes: int) -> dict[str, Any]:
    """Return what to ask of the core for labels of rows, given those of the codes."""
    word = WORDS.get(names.itemsize)
    if word is not None and names.dtype.kind != "O" and len(names) <= n_classes + 1:
        return {"name": (names.view(word), labels.view(word))}
    return {"label": np.empty(len(labels), dtype=np.uint32)}


def settle_labels(answered: dict[str, Any], names: NDArray[Any], labels: NDArray[Any]) -> None:
    """Write the labels of rows for which the core gave codes; others it has written itself."""
    codes = answered.get("label")
    if codes is None:
        return
    for start in range(0, len(labels), BLOCK):  # numpy copies the indices it is given
        block = slice(start, start + BLOCK)
        np.take(names, codes[block], out=labels[block], mode="clip")  # which checks none


def label_array(labels: Any) -> NDArray[Any]:
    """Return labels as a flat array of numbers or of text; refuse mixtures and anything else."""
    given = list(labels)
    numbers = [isinstance(label, (Real, np.bool_)) for label in given]
    array = np.array(given, dtype=None if all(numbers) or not any(numbers) else object)
    if all(numbers):
        array = np.asarray(labels_of_list(given))
    text = all(isinstance(label, str) for label in given)
    if text and array.tolist() != given:  # numpy takes zeros at the end of text for its padding
        array = np.array(given, dtype=object)
    if array.ndim != 1 or (array.dtype.kind == "O" and not text):
        raise ValueError(f"Labels must be all numbers or all text; got {given}.")
    if is_missing(array).any():
        raise ValueError(
            f"{'NaT' if array.dtype.kind in 'mM' else 'NaN'} cannot be a label; got {given}."
        )
    return array


def distinct(labels: Any) -> NDArray[Any]:
    """Return labels that were given, sorted, each once."""
    return np.unique(label_array(label_values(labels)))


def list_labels(labels: NDArray[Any]) -> list[Any]:
    """Return labels as Python's values; times that Python would count in nanoseconds as text."""
    values: list[Any] = labels.tolist()
    counted = labels.dtype.kind in "mM" and values and isinstance(values[0], int)
    return list(labels.astype(str)) if counted else values


def indices_among(labels: NDArray[Any], classes: NDArray[Any]) -> Indices:
    """Return the index of each label among classes, -1 if it is none of them."""
    # By Python's equality: numpy's common types take 1 for "1", and 2**53 + 1 for 2.0**53.
    index = {label: index for index, label in enumerate(classes.tolist())}
    return np.array([index.get(label, -1) for label in labels.tolist()], dtype=np.intp)


def check_part(part: NDArray[Any], whole: NDArray[Any], what: str) -> None:
    """Refuse to subtract statistics of classes that are not there."""
    unknown = part[indices_among(part, whole) < 0]
    if len(unknown):
        raise ValueError(
            f"What is subtracted was not part of the {what}: there are no classes {unknown} among "
            f"{whole}. Subtract only what was added before, with the same labels."
        )


def is_listed(known: NDArray[Any], given: Any) -> bool:
    """Tell whether labels that are given are just those known, in their order; False if unsure."""
    if isinstance(given, np.ndarray):
        plain = given.dtype == known.dtype and known.dtype.kind in "iuU"
        return plain and given.shape == known.shape and given.tobytes() == known.tobytes()
    plain = isinstance(given, list) and {int, str}.issuperset(map(type, given))
    return plain and given == known.tolist()


def same_labels(ours: NDArray[Any], theirs: NDArray[Any]) -> bool:
    """Return whether labels are the same, in the same type."""
    return ours is theirs or (ours.dtype == theirs.dtype and np.array_equal(ours, theirs))


def joint_labels(ours: NDArray[Any], theirs: NDArray[Any]) -> NDArray[Any]:
    """Return the sorted labels of both."""
    if same_labels(ours, theirs):
        return ours
    if len(ours) == 0 or len(theirs) == 0:
        return ours if len(theirs) == 0 else theirs
    kinds = [KINDS.get(labels.dtype.kind, labels.dtype.name) for labels in (ours, theirs)]
    if kinds[0] != kinds[1]:
        raise ValueError(
            f"{kinds[0].capitalize()} and {kinds[1]} cannot be classes of one model: {ours.dtype} "
            f"and {theirs.dtype} labels. Convert one of them."
        )
    labels = np.union1d(ours, theirs)
    if labels.dtype.kind == "f" and ours.dtype.kind in "iu" and theirs.dtype.kind in "iu":
        labels = integer_labels(sorted({*ours.tolist(), *theirs.tolist()}))
    for part in (ours, theirs):
        if (indices_among(part, labels) < 0).any():
            raise ValueError(
                f"{labels.dtype}, the common type of {ours.dtype} and {theirs.dtype} labels, does "
                f"not hold all of them exactly: {part}. Convert one of them."
            )
    return labels
