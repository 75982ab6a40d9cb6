"""What y may be: every kind and container of labels that scikit-learn takes, and no other."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models import GAUSSIAN
from models import MODELS as ALL
from peers import needs, theirs
from support import MODELS, answers, fitted, ours, outcome

import gauda

LDA, _, NB = MODELS
PROFILE = settings(max_examples=60)

CODES = np.arange(120) % 3
X = np.random.default_rng(3).normal(size=(120, 4)) + 3 * np.eye(3, 4)[CODES]

# Each row names three classes in ascending order, so that they stand for 0, 1, 2.
LABELS = {
    "strings": np.array(["ant", "bee", "the longest of all"]),
    "single letters": np.array(["M", "W", "x"]),
    "letters of all planes": np.array(["a", "\uffff", "\U0001f40c"]),
    "big-endian strings": np.array(["ant", "bee", "cat"], dtype=">U3"),
    "objects": np.array(["ant", "bee", "cat"], dtype=object),
    "negative": np.array([-3, -2, -1]),
    "far apart": np.array([-7, 0, 10**12]),
    "the ends of int64": np.array([-(2**63), 0, 2**63 - 1]),
    "past int64": np.array([0, 2**63, 2**64 - 1], dtype="u8"),
    "int8": np.array([-128, 0, 127], dtype="i1"),
    "uint8": np.array([0, 1, 255], dtype="u1"),
    "int16": np.array([-300, 2, 300], dtype="i2"),
    "uint32": np.array([0, 7, 2**32 - 1], dtype="u4"),
    "big-endian": np.array([-5, 3, 10**6], dtype=">i4"),
    "float integers": np.array([-1.0, 2.0, 5.0]),
    "float32 integers": np.array([-1.0, 2.0, 5.0], dtype="f4"),
    "float16 integers": np.array([-1.0, 2.0, 5.0], dtype="f2"),
    "big-endian floats": np.array([-1.0, 2.0, 5.0], dtype=">f8"),
    "large float integers": np.array([-(2.0**53), 0.0, 2.0**62]),
    "one class many codes away": np.array([0, 1, 10**6]),
}


def field_of_records(y):
    records = np.zeros(len(y), dtype=[("flag", "i1"), ("y", y.dtype)])
    records["y"] = y
    return records["y"]


CONTAINERS = {
    "list": list,
    "python objects": np.ndarray.tolist,
    "pandas series": pd.Series,
    "pandas series, other index": lambda y: pd.Series(y, index=np.arange(len(y))[::-1]),
    "pandas categorical": lambda y: pd.Series(pd.Categorical(y)),
    "polars series": pl.Series,
    "every other element": lambda y: np.repeat(y, 2)[::2],
    "reversed": lambda y: y[::-1].copy()[::-1],
    "read-only": lambda y: np.frombuffer(y.tobytes(), y.dtype),
    "field of packed records": field_of_records,
    "unaligned": lambda y: np.frombuffer(b"?" + y.tobytes(), y.dtype, offset=1),
}


@pytest.fixture
def rows(name):
    """Draw rows that suit the model."""
    return ALL[name].draw(CODES, np.random.default_rng(3))


@pytest.fixture
def coded(name, rows):
    """Fit the model on the plain codes 0, 1, 2."""
    return ours(name).fit(rows, CODES)


@pytest.mark.parametrize("kind", LABELS)
def test_classes_are_scikit_learns_type_included(twin, kind):
    y = LABELS[kind][CODES]
    classes = ours(twin).fit(X, y).classes_
    expected = theirs(twin).fit(X, y).classes_
    np.testing.assert_array_equal(classes, expected)
    assert classes.dtype == expected.dtype


@pytest.mark.parametrize("kind", LABELS)
def test_names_of_the_classes_do_not_change_the_model(name, rows, coded, kind):
    renamed = ours(name).fit(rows, LABELS[kind][CODES])
    named = ["classes_", "moments_", "counts_", "statistics_", "best_estimator_"]
    nameless = dict.fromkeys(named)
    np.testing.assert_equal(fitted(renamed) | nameless, fitted(coded) | nameless)


@pytest.mark.parametrize("kind", LABELS)
def test_predictions_are_the_labels_that_were_given(name, rows, coded, kind):
    model = ours(name).fit(rows, LABELS[kind][CODES])
    predicted = model.predict(rows)
    np.testing.assert_array_equal(predicted, LABELS[kind][coded.predict(rows)])
    assert predicted.dtype == model.classes_.dtype


def test_booleans_are_two_classes(name, rows):
    y = CODES > 0
    model = ours(name).fit(rows, y)
    assert model.classes_.tolist() == [False, True]
    np.testing.assert_array_equal(
        model.predict(rows), ours(name).fit(rows, y.astype(int)).predict(rows) == 1
    )
    assert model.predict(rows).dtype == bool


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", ["strings", "negative", "int8", "float integers"])
def test_container_of_the_labels_does_not_matter(name, rows, kind, container):
    y = LABELS[kind][CODES]
    expected = ours(name).fit(rows, y)
    model = ours(name).fit(rows, CONTAINERS[container](y))
    np.testing.assert_equal(fitted(model), fitted(expected))
    np.testing.assert_equal(answers(model, rows), answers(expected, rows))


@pytest.mark.parametrize("name", GAUSSIAN)
def test_many_classes_of_a_few_rows_keep_their_order(name):
    labels = np.random.default_rng(5).permutation(np.arange(-500, 500, 7))
    centers = np.random.default_rng(6).normal(size=(len(labels), 3), scale=100)
    y = np.repeat(labels, 8)
    data = np.repeat(centers, 8, axis=0) + np.random.default_rng(7).normal(size=(len(y), 3))
    model = ours(name).fit(data, y)
    np.testing.assert_array_equal(model.classes_, np.sort(labels))
    np.testing.assert_array_equal(model.predict(centers), labels)


def assert_rows_are_those_of_numpys_unique(y, n_threads=None):
    """Naive Bayes shows the classes, their sizes, and of a column of row numbers their means."""
    positions = np.arange(len(y), dtype=float)
    model = ours(NB, n_threads=n_threads).fit(positions[:, None], y)
    classes, places, counts = np.unique(y, return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(model.classes_, classes)
    np.testing.assert_array_equal(model.class_count_, counts)
    means = np.bincount(places, weights=positions) / counts
    np.testing.assert_allclose(model.theta_[:, 0], means, rtol=1e-12)


LETTERS = st.characters(min_codepoint=1, exclude_categories=["Cs"])


@PROFILE
@given(st.lists(st.text(LETTERS, max_size=3), min_size=2, max_size=300))
@pytest.mark.parametrize("dtype", [str, object])
def test_any_strings_are_sorted_as_numpy_sorts_them(dtype, labels):
    assert_rows_are_those_of_numpys_unique(np.array(labels, dtype=dtype))


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("n_labels", [2, 1000, 20_000])
@pytest.mark.parametrize("kind", [int, float, str])
def test_every_row_of_many_gets_its_label(kind, n_labels, n_threads):
    labels = np.unique(np.random.default_rng(8).integers(-(10**6), 10**6, n_labels)).astype(kind)
    y = labels[np.random.default_rng(9).integers(0, len(labels), 200_000)]
    assert_rows_are_those_of_numpys_unique(y, n_threads)


@pytest.mark.parametrize("name", [LDA, NB])
@pytest.mark.parametrize("dtype", [int, float, str, object])
def test_many_classes_are_no_reason_to_warn(name, dtype):
    y = (np.arange(120) % 70).astype(str).astype(dtype)
    assert outcome(lambda: theirs(name).fit(X, y)) == []
    assert outcome(lambda: ours(name).fit(X, y)) == []


@pytest.mark.parametrize("kind", ["strings", "negative", "float integers"])
def test_column_of_labels_gets_scikit_learns_warning(twin, kind):
    column = LABELS[kind][CODES][:, None]
    expected = outcome(lambda: theirs(twin).fit(X, column))
    assert set(outcome(lambda: ours(twin).fit(X, column))) == set(expected)
    assert expected[0].startswith("DataConversionWarning: A column-vector y was passed")


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_column_of_labels_is_flattened(name, rows, coded):
    np.testing.assert_equal(fitted(ours(name).fit(rows, CODES[:, None])), fitted(coded))


MISSING = {
    "NaN": np.where(CODES == 1, np.nan, CODES),
    "NaN among strings": np.where(CODES == 1, np.nan, LABELS["objects"][CODES]),
    "missing strings": pd.Series(np.where(CODES == 1, None, LABELS["objects"][CODES])),
    "missing category": pd.Series(np.where(CODES == 1, None, CODES), dtype="category"),
}
REFUSED = {
    "infinity": np.where(CODES == 1, np.inf, CODES),
    "lists among strings": np.array(["ant", ["bee"], "cat"], dtype=object)[CODES],
    "bytes": np.array([b"ant", b"bee", b"cat"])[CODES],
    "two columns": np.column_stack([CODES, CODES]),
    "too short": CODES[:-1],
    "empty": CODES[:0],
    "a number": CODES[0],
    "a string": "ant",
    "nothing": None,
}


OLDER = needs("refused labels")


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=OLDER) if kind == "bytes" else kind for kind in REFUSED],
)
def test_what_is_not_labels_is_refused_in_scikit_learns_words(twin, kind):
    expected = outcome(lambda: theirs(twin).fit(X, REFUSED[kind]))
    assert expected.startswith(("ValueError: ", "TypeError: "))
    assert outcome(lambda: ours(twin).fit(X, REFUSED[kind])) == expected


@pytest.mark.parametrize("kind", MISSING)
def test_the_row_of_a_missing_label_is_named(twin, kind):
    assert outcome(lambda: ours(twin).fit(X, MISSING[kind])) == (
        f"ValueError: Input y contains NaN: the label of row {np.argmax(CODES == 1)} is missing. "
        "Drop such rows first."
    )


def test_fractions_are_no_labels(name, rows):
    with pytest.raises(ValueError, match="Unknown label type"):
        ours(name).fit(rows, CODES + 0.5)


@pytest.mark.parametrize("stranger", [None, "a"])
def test_labels_that_cannot_be_ordered_are_refused(name, rows, stranger):
    y = np.where(CODES == 1, stranger, CODES.astype(object))
    with pytest.raises((ValueError, TypeError), match=r"\w{3,}"):
        ours(name).fit(rows, y)


@pytest.mark.parametrize("name", ALL)
def test_labels_that_differ_in_zeros_at_their_end_stay_two(name, tmp_path):
    rows, _ = ALL[name].data(len(X))
    labels = np.array(["a", "a\0", "a\0\0"], dtype=object)
    model = ALL[name].make().fit(rows, labels[CODES])
    plain = ALL[name].make().fit(rows, CODES)
    assert model.classes_.tolist() == labels.tolist()
    np.testing.assert_array_equal(model.predict(rows), labels[plain.predict(rows)])
    model.save(tmp_path / "model.gauda")
    assert gauda.load(tmp_path / "model.gauda").classes_.tolist() == labels.tolist()


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="numpy has them from 2.0 on")
@pytest.mark.parametrize("name", ALL)
def test_text_of_any_length_is_text(name):
    rows, y = ALL[name].data(len(X))
    model = ALL[name].make().fit(rows, y.astype(np.dtypes.StringDType()))
    plain = ALL[name].make().fit(rows, y)
    np.testing.assert_array_equal(model.predict(rows), plain.predict(rows))
    missing = np.array(["ant", None, *y[2:]], dtype=np.dtypes.StringDType(na_object=None))
    with pytest.raises(ValueError, match="label of row 1 is missing"):
        ALL[name].make().fit(rows, missing)
