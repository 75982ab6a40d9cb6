"""Classes that are given: what is plain is told quickly, as scikit-learn tells it."""

import numpy as np
import pytest
from sklearn.utils.multiclass import unique_labels

from gauda._data.label_columns import distinct_labels

GIVEN = [
    [2, 0, 1],
    [1, 1, 0],
    ["b", "a", "c", "a"],
    [-(2**62), 2**62],
    *(np.array([3, 1, 2, 1], dtype=dtype) for dtype in "bhilBHIL"),
    np.arange(10)[::-2],
    np.array(["oak", "elm"], dtype="<U9"),
    np.array(["oak", "elm"], dtype=object),
    np.array([1, 0], dtype=">i4"),
    np.array([0.0, 1.0]),
    np.array([True, False]),
    [True, False],
    [],
    np.empty(0, int),
]


@pytest.mark.parametrize("given", GIVEN, ids=repr)
def test_distinct_labels_are_those_of_sklearn(given):
    ours, theirs = distinct_labels(given), unique_labels(given)
    np.testing.assert_array_equal(ours, theirs)
    assert ours.dtype == theirs.dtype


@pytest.mark.parametrize("given", [[1, "a"], np.zeros((2, 2, 2), int)])
def test_refused_as_by_sklearn(given):
    with pytest.raises((TypeError, ValueError)):
        unique_labels(given)
    with pytest.raises((TypeError, ValueError)):
        distinct_labels(given)
